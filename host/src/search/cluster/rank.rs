//! A rank: the balancer for the guests on its node, and what carries messages between it and the leader.

use super::super::balance::Balancer;
use super::super::balance::node::{Leader, NodeReport, Order};
use super::message::{Messenger, Setup, ToLeader, ToRank, encode, own_host, own_version};
use super::sent::{Received, lacking};
use crate::error::ToolError;
use crate::run::{Limits, Local, STANDSTILL, Target, Transport, can_fix_layout};
use inspect_wire::message::Job;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// How long a message of the leader's may lie before it is looked for.
const LOOK: Duration = Duration::from_millis(1);

/// Why a node cannot take part on which the processes of a program differ in their addresses.
const NO_LAYOUT: &str = "fixed addresses are forbidden there (personality, ADDR_NO_RANDOMIZE)";

/// Where the guests of a rank are.
pub(super) type Guests = for<'t> fn(&'t Target) -> Box<dyn Transport + 't>;

/// They are processes on its node.
pub(super) fn local(target: &Target) -> Box<dyn Transport + '_> {
    Box::new(Local::new(target))
}

/// Takes part in the searches of rank 0, until that has no more. Only this thread uses the messenger.
pub fn serve(messenger: &mut dyn Messenger) {
    // If its balancer has panicked, it has said so.
    let _ = serve_with(messenger, local);
}

/// The same with other guests. An error is a panic of the balancer.
pub(super) fn serve_with(messenger: &mut dyn Messenger, start_guests: Guests) -> std::thread::Result<()> {
    messenger.send(0, encode(&ToLeader::Hello { version: own_version(), host: own_host() }));
    let (orders, from_leader) = channel();
    let (to_leader, reports) = channel();
    let node = std::thread::spawn(move || work(&from_leader, &to_leader, start_guests));
    while pass_on(messenger, &orders) {
        match reports.recv_timeout(LOOK) {
            Ok(report) => messenger.send(0, encode(&report)),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    drop(orders);
    let result = node.join();
    messenger.send(0, encode(&ToLeader::HasQuit));
    result
}

/// Passes on what the leader has sent; false if that was the last message.
fn pass_on(messenger: &mut dyn Messenger, orders: &Sender<ToRank>) -> bool {
    while let Some((_, bytes)) = messenger.receive() {
        match postcard::from_bytes(&bytes) {
            Ok(ToRank::Quit) => return false,
            Ok(message) => _ = orders.send(message),
            // A leader of another version refuses this one.
            Err(_) => {}
        }
    }
    true
}

/// The same for the leader's own share of the work.
pub(super) fn serve_here(orders: &Receiver<ToRank>, reports: &Sender<ToLeader>, start_guests: Guests) {
    work(orders, reports, start_guests);
    // There may be no leader any more.
    _ = reports.send(ToLeader::HasQuit);
}

/// Does what the leader says, until there is no leader any more.
fn work(orders: &Receiver<ToRank>, reports: &Sender<ToLeader>, start_guests: Guests) {
    let mut place: Option<Place> = None;
    let mut received: Vec<Received> = Vec::new();
    let mut next = orders.recv().ok();
    while let Some(message) = next.take() {
        match message {
            ToRank::Setup(setup) => {
                let answer = match lacking(&setup) {
                    Ok(_) if !can_fix_layout() => ToLeader::Refused(NO_LAYOUT.into()),
                    Ok(lacking) if lacking.is_empty() => {
                        place = Some(Place::new(&setup));
                        ToLeader::Ready
                    }
                    Ok(lacking) => ToLeader::Lacks(lacking),
                    Err(error) => ToLeader::Refused(error.to_string()),
                };
                _ = reports.send(answer);
            }
            ToRank::Files { folder, files } => match Received::new(&folder, &files) {
                Ok(files) => received.push(files),
                Err(error) => _ = reports.send(ToLeader::Refused(error.to_string())),
            },
            ToRank::Start { search, wide, job } => {
                let mut leader = Channel { orders, reports, search, next: None };
                let explored = match &place {
                    Some(place) => place.explore(&job, wide, start_guests, &mut leader),
                    None => Err(ToolError::new("it was not told what to explore")),
                };
                next = leader.next;
                if let Err(why) = explored {
                    _ = reports.send(ToLeader::Failed { search, why: why.to_string() });
                }
            }
            // It is of a search that is over here.
            ToRank::Order { .. } => {}
            ToRank::Quit => return,
        }
        next = next.or_else(|| orders.recv().ok());
    }
}

/// What is explored here.
struct Place {
    target: Target,
    guests: usize,
}

impl Place {
    /// The files of the setup are those of the leader.
    fn new(setup: &Setup) -> Place {
        let target = Target::new(PathBuf::from(&setup.program), setup.args.clone());
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let guests = setup.guests.map_or_else(cores, |guests| guests as usize);
        Place { target: Target { environment: setup.environment.clone(), ..target }, guests }
    }

    fn explore(&self, job: &Job, wide: bool, start_guests: Guests, leader: &mut dyn Leader) -> Result<(), ToolError> {
        if wide {
            self.target.room.widen(&self.target.program)?;
        }
        let balancer = Balancer {
            transport: &mut *start_guests(&self.target),
            job: job.clone(),
            workers: self.guests,
            limits: Limits { standstill: Some(STANDSTILL), ..Limits::default() },
            keep_every: Duration::MAX,
            // The leader decides that, for all ranks.
            has_shown: &|_| false,
            turn: None,
            clock: &Instant::now,
        };
        balancer.serve(leader)
    }
}

/// The way to the leader during a search.
struct Channel<'a> {
    orders: &'a Receiver<ToRank>,
    reports: &'a Sender<ToLeader>,
    search: u32,
    /// What came after the search.
    next: Option<ToRank>,
}

impl Leader for Channel<'_> {
    fn order(&mut self) -> Option<Order> {
        use std::sync::mpsc::TryRecvError::{Disconnected, Empty};
        loop {
            match self.orders.try_recv() {
                Ok(ToRank::Order { search, order }) if search == self.search => return Some(order),
                Ok(ToRank::Order { .. }) => {}
                Ok(message) => {
                    self.next = Some(message);
                    return Some(Order::Kill);
                }
                Err(Empty) => return None,
                Err(Disconnected) => return Some(Order::Kill),
            }
        }
    }

    fn report(&mut self, report: NodeReport) {
        // Without a leader, the next order is to end.
        _ = self.reports.send(ToLeader::Report { search: self.search, report: Box::new(report) });
    }
}
