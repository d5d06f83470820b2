//! Messages between the leader and the other ranks in virtual time.

use super::super::super::balance::node::{Leader, NodeReport, Order};
use super::super::message::{Messenger, ToLeader, ToRank, encode, own_version};
use super::costs::{Costs, micros};
use super::guest::Clock;
use std::cell::{Cell, RefCell};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::rc::Rc;
use std::sync::mpsc::{Receiver, Sender};
use std::time::Duration;

/// A message to the leader: when it arrives, its number in the order of sending, the rank it is from, and its bytes.
type Report = (Duration, u64, usize, Vec<u8>);

/// What has been sent and not received.
pub(super) struct Post {
    clock: Clock,
    costs: Rc<Costs>,
    to_ranks: RefCell<Vec<VecDeque<(Duration, ToRank)>>>,
    to_leader: RefCell<BinaryHeap<Reverse<Report>>>,
    sent: Cell<u64>,
    /// The processor time that the leader has had for messages in its present round.
    pub(super) leader: Cell<Duration>,
}

impl Post {
    pub(super) fn new(clock: Clock, costs: Rc<Costs>, ranks: usize) -> Post {
        let to_ranks = RefCell::new((0..ranks).map(|_| VecDeque::new()).collect());
        let (to_leader, sent, leader) = (RefCell::default(), Cell::default(), Cell::default());
        let post = Post { clock, costs, to_ranks, to_leader, sent, leader };
        let hello = || ToLeader::Hello { version: own_version(), host: String::from("simulated") };
        (1..ranks).for_each(|rank| post.post_to_leader(rank, Duration::ZERO, encode(&hello())));
        post
    }

    fn on_its_way(&self, bytes: usize) -> Duration {
        micros(self.costs.network.latency_us + bytes as f64 / self.costs.network.megabytes_per_second)
    }

    fn post_to_leader(&self, rank: usize, arrives: Duration, bytes: Vec<u8>) {
        self.sent.set(self.sent.get() + 1);
        self.to_leader.borrow_mut().push(Reverse((arrives, self.sent.get(), rank, bytes)));
    }

    /// The leader sends or receives a message with so many items.
    fn occupy_leader(&self, items: usize) {
        let costs = &self.costs.balancer;
        self.leader.set(self.leader.get() + micros(costs.message_us + costs.item_us * items as f64));
    }

    /// The next message for a rank that has arrived.
    pub(super) fn next(&self, rank: usize) -> Option<ToRank> {
        let messages = &mut self.to_ranks.borrow_mut()[rank];
        messages.front().filter(|(arrives, _)| *arrives <= self.clock.get())?;
        messages.pop_front().map(|(_, message)| message)
    }
}

fn items(message: &ToLeader) -> usize {
    let ToLeader::Report { report, .. } = message else { return 0 };
    report.commit.as_ref().map_or(0, |commit| commit.given.len() + commit.left.len())
}

/// The leader's end.
pub(super) struct Office(pub(super) Rc<Post>);

impl Messenger for Office {
    fn ranks(&self) -> usize {
        self.0.to_ranks.borrow().len()
    }

    fn send(&mut self, to: usize, message: Vec<u8>) {
        let post = &self.0;
        let now = post.clock.get();
        let decoded = postcard::from_bytes(&message).expect("it was encoded");
        match decoded {
            ToRank::Setup(_) => post.post_to_leader(to, now, encode(&ToLeader::Ready)),
            ToRank::Quit => post.post_to_leader(to, now, encode(&ToLeader::HasQuit)),
            // No rank lacks anything.
            ToRank::Files { .. } => {}
            ToRank::Start { .. } | ToRank::Order { .. } => {
                let items = match &decoded {
                    ToRank::Order { order: Order::Assign(package), .. } => package.work.len(),
                    _ => 0,
                };
                post.occupy_leader(items);
                let arrives = now + post.leader.get() + post.on_its_way(message.len());
                post.to_ranks.borrow_mut()[to].push_back((arrives, decoded));
            }
        }
    }

    fn receive(&mut self) -> Option<(usize, Vec<u8>)> {
        let mut messages = self.0.to_leader.borrow_mut();
        messages.peek().filter(|first| first.0.0 <= self.0.clock.get())?;
        let Reverse((_, _, rank, bytes)) = messages.pop()?;
        self.0.occupy_leader(items(&postcard::from_bytes(&bytes).expect("it was encoded")));
        Some((rank, bytes))
    }
}

/// A rank's end: messages, or the channels of rank 0.
pub(super) enum RankEnd {
    Remote(Rc<Post>, usize),
    Here(Receiver<ToRank>, Sender<ToLeader>),
}

impl RankEnd {
    /// The next message from the leader.
    pub(super) fn next(&self) -> Option<ToRank> {
        match self {
            RankEnd::Remote(post, rank) => post.next(*rank),
            RankEnd::Here(orders, _) => orders.try_recv().ok(),
        }
    }
}

impl Leader for RankEnd {
    fn order(&mut self) -> Option<Order> {
        match self.next()? {
            ToRank::Order { order, .. } => Some(order),
            ToRank::Setup(_) | ToRank::Files { .. } | ToRank::Start { .. } | ToRank::Quit => Some(Order::Kill),
        }
    }

    fn report(&mut self, report: NodeReport) {
        match self {
            RankEnd::Remote(post, rank) => {
                // Each rank takes part in one search, and they are numbered in the order of the ranks.
                let search = *rank as u32 + 1;
                let bytes = encode(&ToLeader::Report { search, report: Box::new(report) });
                let arrives = post.clock.get() + post.on_its_way(bytes.len());
                post.post_to_leader(*rank, arrives, bytes);
            }
            RankEnd::Here(_, reports) => {
                _ = reports.send(ToLeader::Report { search: 1, report: Box::new(report) });
            }
        }
    }
}
