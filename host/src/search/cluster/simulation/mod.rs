//! A search on a cluster in virtual time, with the balancers of both levels as they are: the leader's, those of the
//! ranks, and all that passes between them. Simulated are the guests ([`guest`]), what they explore ([`part`],
//! [`graph`]), the time that everything takes ([`costs`]) and the network ([`post`]).
//!
//! A balancer makes a round, and the next one after its pause and the processor time that the round has cost. Nothing
//! else is an event. Everything is a function of the program, the costs and the numbers of ranks and cores.

mod costs;
mod graph;
mod guest;
mod part;
mod post;
mod tables;
mod tests;

use self::costs::{Costs, micros};
use self::guest::{Clock, Node};
use self::part::Parts;
use self::post::{Office, Post, RankEnd};
use super::super::balance::node::{Next, NodeBalancer};
use super::super::balance::{Balance, Balancer, LOOK};
use super::super::checkpoint::Progressed;
use super::leader::{Cluster, Traffic};
use super::message::{ToLeader, ToRank};
use crate::run::tests::job;
use crate::run::{Interrupt, Limits, RunOutput, Target, Transport};
use inspect_core::explore::Counts;
use inspect_wire::message::{Job, Task};
use std::cell::Cell;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::rc::Rc;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

/// A search to be simulated.
#[derive(Clone)]
struct Search {
    parts: Rc<dyn Fn() -> Box<dyn Parts>>,
    /// The time of an execution.
    execution: Duration,
    costs: Rc<Costs>,
}

/// What came of it.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Simulated {
    /// From the leader's first round to its last.
    time: Duration,
    counts: Counts,
    traffic: Traffic,
    /// The processor time of the leader's balancer.
    leader: Duration,
}

type NoFile = fn(&Progressed, &[&RunOutput]);

/// A rank.
enum Rank<'x> {
    /// It has not been told to begin.
    Ready(&'x mut Node, &'x mut RankEnd, &'x mut NoFile),
    AtWork(Box<NodeBalancer<'x, 'x, 'x>>),
    Over,
}

/// What all balancers of a simulation have in common.
fn balancer<'a>(
    transport: &'a mut dyn Transport,
    workers: usize,
    job: Job,
    now: &'a dyn Fn() -> Instant,
) -> Balancer<'a> {
    let limits = Limits::default();
    let job = Job { task: Task::Work, keep_going: true, ..job };
    Balancer {
        transport,
        job,
        workers,
        limits,
        keep_every: Duration::MAX,
        has_shown: &|_| false,
        turn: None,
        clock: now,
    }
}

impl<'x> Rank<'x> {
    /// Makes a round, or looks whether it is to begin.
    fn round(&mut self, cores: u32, now: &'x dyn Fn() -> Instant) {
        match std::mem::replace(self, Rank::Over) {
            Rank::Over => {}
            Rank::AtWork(mut node) => {
                if node.round().expect("its messages are sound") == Next::GoOn {
                    *self = Rank::AtWork(node);
                }
            }
            Rank::Ready(node, end, keep) => {
                *self = match end.next() {
                    Some(ToRank::Start { job, .. }) => {
                        let balancer = balancer(node, cores as usize, *job, now);
                        Rank::AtWork(Box::new(balancer.follow(end, keep).expect("there is no work yet")))
                    }
                    _ => Rank::Ready(node, end, keep),
                };
            }
        }
    }
}

/// The time of a simulation.
fn virtual_time() -> (Clock, impl Fn() -> Instant) {
    let clock: Clock = Rc::new(Cell::new(Duration::ZERO));
    let (same, beginning) = (Rc::clone(&clock), Instant::now());
    (clock, move || beginning + same.get())
}

/// Nobody starts it.
fn target() -> Target {
    Target::new("/bin/sh".into(), Vec::new())
}

/// Searches with so many ranks of so many cores.
fn simulate(search: &Search, ranks: usize, cores: u32) -> Simulated {
    let (clock, now) = virtual_time();
    let post = Rc::new(Post::new(Rc::clone(&clock), Rc::clone(&search.costs), ranks));
    let (orders, from_leader) = channel();
    let (to_leader, reports) = channel();
    let cluster = Cluster::beside(Box::new(Office(Rc::clone(&post))), Some(cores), orders, reports);
    // Rank 0 says that it is ready when it is asked.
    let rank_0 = std::thread::spawn(move || {
        let asked = from_leader.recv();
        assert!(matches!(asked, Ok(ToRank::Setup(_))), "the first message");
        _ = to_leader.send(ToLeader::Ready);
        (from_leader, to_leader)
    });
    let mut transport = cluster.ranks(&target()).expect("all ranks are ready");
    let (orders, reports) = rank_0.join().expect("it was asked");
    let mut ends = vec![RankEnd::Here(orders, reports)];
    ends.extend((1..ranks).map(|rank| RankEnd::Remote(Rc::clone(&post), rank)));
    let mut nodes: Vec<Node> = (0..ranks).map(|_| node(search, &clock, cores)).collect();
    let balancing: Vec<Clock> = nodes.iter().map(|node| Rc::clone(&node.balancing)).collect();
    let mut files: Vec<NoFile> = vec![|_, _| (); ranks];
    let all = nodes.iter_mut().zip(&mut ends).zip(&mut files);
    let ranks_at_work = all.map(|((node, end), file)| Rank::Ready(node, end, file)).collect();
    let mut keep: NoFile = |_, _| ();
    let leader = balancer(&mut transport, ranks, job(), &now);
    let leader = leader.begin(Progressed::nothing(), &mut keep).expect("everything is sound");
    let post = &*post;
    let world = World { search, clock: &clock, post, balancing, ranks: ranks_at_work, cores, leader, now: &now };
    let (time, counts, leader) = world.run();
    Simulated { time, counts, traffic: cluster.traffic(), leader }
}

fn node(search: &Search, clock: &Clock, cores: u32) -> Node {
    Node {
        clock: Rc::clone(clock),
        costs: Rc::clone(&search.costs),
        parts: Rc::clone(&search.parts),
        execution: search.execution,
        cores,
        balancing: Clock::default(),
    }
}

/// A cluster at work.
struct World<'x> {
    search: &'x Search,
    clock: &'x Clock,
    post: &'x Post,
    /// By rank: the processor time of its balancers.
    balancing: Vec<Clock>,
    ranks: Vec<Rank<'x>>,
    cores: u32,
    leader: Balance<'x, 'x>,
    now: &'x dyn Fn() -> Instant,
}

impl World<'_> {
    /// Returns the time, what was counted, and the leader's processor time.
    fn run(mut self) -> (Duration, Counts, Duration) {
        // The leader, and the ranks from 1 on.
        let mut rounds: BinaryHeap<Reverse<(Duration, usize)>> =
            (0..=self.ranks.len()).map(|who| Reverse((self.phase(who), who))).collect();
        let mut leader = Duration::ZERO;
        while let Some(Reverse((at, who))) = rounds.pop() {
            self.clock.set(at);
            let busy = if who == 0 {
                let over = self.leader.round(&Interrupt::default(), &mut |_| ()).expect("its messages are sound");
                if let Some(shared) = over {
                    assert!(shared.complete, "{:?}", shared.end);
                    return (at, shared.state.counts, leader);
                }
                let busy = self.busy_leader();
                leader += busy;
                busy
            } else {
                self.round_of_rank(who - 1)
            };
            let pause = LOOK + micros(self.search.costs.balancer.oversleep_us);
            rounds.push(Reverse((at + busy + pause, who)));
        }
        unreachable!("the leader always has a next round")
    }

    /// When somebody makes the first round: ranks at moments of their own.
    fn phase(&self, who: usize) -> Duration {
        LOOK * (who as u32 * 389 % 1_000) / 1_000
    }

    /// What the leader's round has cost, on the processor that it shares with the guests of rank 0.
    fn busy_leader(&self) -> Duration {
        let costs = &self.search.costs.balancer;
        let round = micros(costs.leader_us + costs.leader_rank_us * self.ranks.len() as f64);
        let busy = self.post.leader.take() + round;
        self.balancing[0].set(self.balancing[0].get() + busy);
        busy
    }

    fn round_of_rank(&mut self, rank: usize) -> Duration {
        let before = self.balancing[rank].get();
        self.ranks[rank].round(self.cores, self.now);
        let costs = &self.search.costs.balancer;
        let busy = match &self.ranks[rank] {
            Rank::AtWork(_) => micros(costs.node_us + costs.node_guest_us * f64::from(self.cores)),
            Rank::Ready(..) | Rank::Over => Duration::ZERO,
        };
        self.balancing[rank].set(self.balancing[rank].get() + busy);
        // Guests that were started have cost time as well.
        self.balancing[rank].get() - before
    }
}
