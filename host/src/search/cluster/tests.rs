//! Both levels of balancers, with threads as ranks and guests that explore a made-up tree: whoever ends and whatever is
//! promoted meanwhile, each node of the tree is counted once.

use super::super::balance::{Balancer, Shared};
use super::super::checkpoint::Progressed;
use super::rank::serve_with;
use super::{Cluster, Messenger};
use crate::error::ToolError;
use crate::run::tests::job;
use crate::run::{GuestEnd, Interrupt, Limits, RunOutput, Target, Transport, Worker, WorkerUpdate};
use inspect_core::event::ByteRange;
use inspect_core::explore::{Counts, Item};
use inspect_wire::message::{Job, Task};
use inspect_wire::work::{Bundle, Commit, Package};
use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

/// The size of the tree, and of the one that there is after a promotion.
const SIZES: [u32; 2] = [6_000, 9_000];
/// The block of the item that is the whole tree.
const EVERYTHING: u32 = u32::MAX;
/// A subtree of this size shows a race. The first tree has one, as each has one of a third of its size: 1999, 666, 221,
/// 73, 24. It is visited late, as the larger subtree comes first.
const RACE: u32 = 24;
/// Nodes that a guest visits each time it is looked at.
const VISITS: u32 = 5;
/// A guest commits without being asked each time it was looked at so often.
const COMMITS: u32 = 7;

/// A random number below `below`, which differs from call to call.
fn chance(below: u64) -> u64 {
    use std::hash::{BuildHasher, Hasher};
    std::collections::hash_map::RandomState::new().build_hasher().finish() % below
}

/// A guest that visits a tree. A part is a subtree, its size the item's block; one of size n is a node with two
/// subtrees: a third, and the rest, of n - 1.
struct Visitor {
    parts: Vec<u32>,
    /// Whether it has been told of the race.
    promoted: bool,
    pass: u32,
    package: Option<Package>,
    taken: u32,
    /// The last request with what it wants, and the last one that was answered.
    request: (u32, u32),
    answered: u32,
    counts: Counts,
    committed: Counts,
    looks: u32,
    waits: bool,
    stopped: bool,
    mortal: bool,
    races: bool,
    output: RunOutput,
}

impl Visitor {
    fn new(job: &Job, mortal: bool, races: bool) -> Visitor {
        Visitor {
            parts: Vec::new(),
            promoted: !job.promoted.is_empty(),
            pass: 0,
            package: None,
            taken: 0,
            request: (0, 0),
            answered: 0,
            counts: Counts::default(),
            committed: Counts::default(),
            looks: 0,
            waits: false,
            stopped: false,
            mortal,
            races,
            output: RunOutput::new(),
        }
    }

    fn take_package(&mut self) {
        if let Some(package) = self.package.take() {
            self.taken += 1;
            self.waits = false;
            if package.pass == self.pass {
                let items = package.work.items().expect("sound");
                self.parts.extend(items.iter().map(|item| item.block));
            }
        }
    }

    fn visit(&mut self) {
        let Some(size) = self.parts.pop() else { return };
        let size = if size == EVERYTHING { SIZES[usize::from(self.promoted)] } else { size };
        self.counts.executions += 1;
        let small = (size - 1) / 3;
        self.parts.extend([small, size - 1 - small].into_iter().filter(|&size| size > 0));
        if self.races && size == RACE && !self.promoted {
            self.promoted = true;
            self.pass += 1;
            (self.parts, self.counts, self.committed) = (vec![EVERYTHING], Counts::default(), Counts::default());
            self.output.passes += 1;
            self.output.promoted = vec![ByteRange { start: 64, len: 8 }];
        }
    }

    fn commit(&mut self, wanted: u32) -> Commit {
        let given = self.parts.len().min(wanted as usize).min(self.parts.len() / 2);
        let given: Vec<u32> = self.parts.drain(..given).collect();
        let items = |parts: &[u32]| Bundle::of(parts.iter().map(|&block| Item { block, ..Item::everything() }));
        let counts = self.counts - self.committed;
        self.committed = self.counts;
        self.answered = self.request.0;
        Commit {
            pass: self.pass,
            answers: self.answered,
            packages: self.taken,
            counts,
            lost: 0,
            covered: 0.0,
            given: items(&given),
            left: items(&self.parts),
        }
    }

    fn commit_due(&mut self) -> Option<Commit> {
        self.looks += 1;
        if self.parts.is_empty() {
            self.take_package();
        }
        if self.request.0 != self.answered {
            let wanted = self.request.1;
            return Some(self.commit(wanted));
        }
        let begins_to_wait = self.parts.is_empty() && !self.waits;
        self.waits = self.parts.is_empty();
        let due = begins_to_wait || self.stopped || !self.waits && self.looks.is_multiple_of(COMMITS);
        due.then(|| self.commit(0))
    }
}

impl Worker for Visitor {
    fn poll(&mut self) -> io::Result<WorkerUpdate> {
        if self.mortal && chance(60) == 0 {
            let end = Some(GuestEnd::Died { how: "killed".into(), in_engine: false });
            return Ok(WorkerUpdate { commit: None, taken: self.taken, end, killed: true });
        }
        if !self.stopped {
            (0..VISITS).for_each(|_| self.visit());
        }
        let commit = self.commit_due();
        self.output.counters.executions = self.counts.executions;
        self.output.counters.open = self.parts.len().saturating_sub(1) as u32;
        let end = self.stopped.then_some(GuestEnd::Done);
        self.output.done = self.stopped.then_some((self.counts, false));
        Ok(WorkerUpdate { commit, taken: self.taken, end, killed: false })
    }

    fn wait(&self, at_most: Duration) {
        std::thread::sleep(at_most);
    }

    fn processor_time(&self) -> Option<Duration> {
        None
    }

    fn assign(&mut self, package: &Package) -> io::Result<()> {
        assert!(self.package.replace(package.clone()).is_none(), "there is one place for packages");
        Ok(())
    }

    fn ask(&mut self, parts: u32) -> io::Result<u32> {
        self.request = (self.request.0 + 1, parts);
        Ok(self.request.0)
    }

    fn stop(&mut self) -> io::Result<()> {
        self.stopped = true;
        Ok(())
    }

    fn kill(&mut self) -> io::Result<()> {
        self.stopped = true;
        Ok(())
    }

    fn output(&self) -> &RunOutput {
        &self.output
    }

    fn output_mut(&mut self) -> &mut RunOutput {
        &mut self.output
    }
}

/// Starts guests. What they are like is said by the first argument of the program, which every rank is told.
struct Visitors<'a>(&'a Target);

impl Transport for Visitors<'_> {
    fn start(&mut self, job: &Job) -> Result<Box<dyn Worker>, ToolError> {
        let is = |word: &str| self.0.args.iter().any(|arg| arg == word);
        Ok(Box::new(Visitor::new(job, is("mortal"), is("races"))))
    }
}

fn visitors(target: &Target) -> Box<dyn Transport + '_> {
    Box::new(Visitors(target))
}

/// The place of a thread in the mail between them.
struct Mail {
    rank: usize,
    boxes: Vec<Sender<(usize, Vec<u8>)>>,
    own: Receiver<(usize, Vec<u8>)>,
    /// After so many messages it ends.
    life: Option<u64>,
}

impl Messenger for Mail {
    fn ranks(&self) -> usize {
        self.boxes.len()
    }

    fn send(&mut self, to: usize, message: Vec<u8>) {
        // The leader may be over by now.
        let _ = self.boxes[to].send((self.rank, message));
    }

    fn receive(&mut self) -> Option<(usize, Vec<u8>)> {
        let received = self.own.try_recv().ok()?;
        if let Some(life) = &mut self.life {
            *life = life.saturating_sub(1);
            if *life == 0 {
                return Some((0, super::message::encode(&super::message::ToRank::Quit)));
            }
        }
        Some(received)
    }
}

fn mail(ranks: usize) -> Vec<Mail> {
    let (boxes, owners): (Vec<_>, Vec<_>) = (0..ranks).map(|_| channel()).unzip();
    let place = |(rank, own)| Mail { rank, boxes: boxes.clone(), own, life: None };
    owners.into_iter().enumerate().map(place).collect()
}

/// Explores the tree with so many ranks, each with so many guests.
fn explored(ranks: usize, guests: u32, words: &[&str]) -> Shared {
    let mut places = mail(ranks);
    let others: Vec<Mail> = places.drain(1..).collect();
    let is_fragile = words.contains(&"fragile");
    let threads: Vec<_> = others
        .into_iter()
        .map(|place| {
            // The leader's own rank stays, so that somebody finishes.
            let life = is_fragile.then(|| 5 + chance(60));
            std::thread::spawn(move || serve_with(&mut Mail { life, ..place }, visitors))
        })
        .collect();
    let cluster = Cluster::with(Box::new(places.remove(0)), Some(guests), visitors);
    // Nobody starts it.
    let target = Target::new("/bin/sh".into(), words.iter().map(Into::into).collect());
    let balancer = Balancer {
        transport: &mut cluster.ranks(&target).expect("all ranks are on this machine"),
        job: Job { task: Task::Work, keep_going: true, ..job() },
        workers: ranks,
        limits: Limits::default(),
        keep_every: Duration::MAX,
        has_shown: &|_| false,
        turn: None,
        clock: &Instant::now,
    };
    let mut keep = |_: &Progressed, _: &[&RunOutput]| {};
    let shared = balancer.run(Progressed::nothing(), &Interrupt::default(), &mut |_| (), &mut keep).expect("it ends");
    cluster.quit();
    for thread in threads {
        thread.join().expect("no rank panics").expect("no balancer panics");
    }
    shared
}

fn check(ranks: usize, guests: u32, words: &[&str], expected: u32) {
    let shared = explored(ranks, guests, words);
    let shape = format!("{ranks} ranks of {guests}, {words:?}");
    assert_eq!((&shared.end, shared.complete), (&GuestEnd::Done, true), "{shape}");
    assert_eq!(shared.state.counts.executions, u64::from(expected), "{shape}");
}

#[test]
fn every_node_is_visited_once() {
    for (ranks, guests) in [(1, 1), (1, 3), (2, 1), (2, 2), (4, 1), (5, 3)] {
        check(ranks, guests, &[], SIZES[0]);
    }
}

#[test]
fn guests_that_are_killed_change_nothing() {
    for _ in 0..3 {
        check(3, 2, &["mortal"], SIZES[0]);
    }
}

#[test]
fn a_promotion_in_one_rank_voids_what_all_have_done() {
    for _ in 0..3 {
        check(3, 2, &["races"], SIZES[1]);
        check(2, 3, &["races", "mortal"], SIZES[1]);
    }
}

#[test]
fn ranks_that_end_leave_their_work_to_the_others() {
    for _ in 0..3 {
        check(4, 2, &["fragile"], SIZES[0]);
        check(3, 1, &["fragile", "mortal", "races"], SIZES[1]);
    }
}
