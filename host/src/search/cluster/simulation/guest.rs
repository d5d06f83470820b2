//! A guest in virtual time. What it does between two looks at it follows from what it was told before, so it is worked
//! out when it is looked at: there are no events of guests.
//!
//! It follows `guest/src/search/sharing.rs` step by step: when it takes a package, when it commits, how it waits.

use super::costs::{Costs, micros};
use super::part::Parts;
use crate::error::ToolError;
use crate::run::{GuestEnd, RunOutput, Transport, Worker, WorkerUpdate};
use inspect_wire::message::Job;
use inspect_wire::work::{Bundle, Commit, Package};
use std::cell::Cell;
use std::io;
use std::rc::Rc;
use std::time::Duration;

/// The first pause of a guest that waits, and the longest: `guest/src/search/share.rs`.
const DOZE: (Duration, Duration) = (Duration::from_micros(20), Duration::from_micros(500));

/// The virtual time, from the beginning of the simulation.
pub(super) type Clock = Rc<Cell<Duration>>;

/// Starts the guests of a node.
pub(super) struct Node {
    pub(super) clock: Clock,
    pub(super) costs: Rc<Costs>,
    pub(super) parts: Rc<dyn Fn() -> Box<dyn Parts>>,
    /// The time of an execution.
    pub(super) execution: Duration,
    pub(super) cores: u32,
    /// The processor time that the balancers on the node have had.
    pub(super) balancing: Clock,
}

impl Transport for Node {
    fn start(&mut self, _: &Job) -> Result<Box<dyn Worker>, ToolError> {
        self.balancing.set(self.balancing.get() + micros(self.costs.balancer.start_us));
        let begins = self.clock.get() + micros(self.costs.guest.start_ms * 1e3);
        Ok(Box::new(Guest {
            clock: Rc::clone(&self.clock),
            costs: Rc::clone(&self.costs),
            parts: (self.parts)(),
            execution: self.execution,
            cores: self.cores,
            balancing: Rc::clone(&self.balancing),
            balanced: self.balancing.get(),
            at: begins,
            queue: Bundle::default(),
            package: None,
            taken: 0,
            request: (0, 0),
            answered: 0,
            commit: None,
            committed: 0,
            waits_since: None,
            stopped: false,
            ended: false,
            output: RunOutput::new(),
        }))
    }
}

struct Guest {
    clock: Clock,
    costs: Rc<Costs>,
    parts: Box<dyn Parts>,
    execution: Duration,
    cores: u32,
    /// The processor time of the balancers on the node: now, and as far as it has delayed this guest.
    balancing: Clock,
    balanced: Duration,
    /// Up to when its work is worked out.
    at: Duration,
    queue: Bundle,
    /// The package that was put down, and when.
    package: Option<(Duration, Package)>,
    taken: u32,
    /// The last request with what it wants, and the last one that was answered.
    request: (u32, u32),
    answered: u32,
    /// The commit that nobody has read.
    commit: Option<Commit>,
    /// The executions that were committed.
    committed: u64,
    waits_since: Option<Duration>,
    stopped: bool,
    ended: bool,
    output: RunOutput,
}

impl Guest {
    /// Works until the present moment, or until it waits for somebody.
    fn work(&mut self) {
        let now = self.clock.get();
        let delay = (self.balancing.get() - self.balanced) / self.cores;
        self.balanced = self.balancing.get();
        if self.waits_since.is_none() {
            self.at += delay;
        }
        while self.at <= now && !self.ended && self.step(now) {}
    }

    /// Does the next thing; false if it can do nothing before somebody else has done something.
    fn step(&mut self, now: Duration) -> bool {
        if self.commit.is_some() && (self.stopped || self.waits_since.is_none() && self.has_to_commit()) {
            // There is one place for commits.
            self.at = now;
            return false;
        }
        if self.stopped {
            self.commit(0);
            self.ended = true;
            return false;
        }
        if let Some(since) = self.waits_since {
            return self.wake_up(since, now);
        }
        if self.request.0 != self.answered {
            self.commit(self.request.1 as usize);
            return true;
        }
        self.at += self.parts.explore(now - self.at, self.execution);
        if self.parts.is_over() {
            self.next_item();
        }
        true
    }

    fn has_to_commit(&self) -> bool {
        self.request.0 != self.answered || self.parts.is_over() && self.queue.is_empty() && self.package.is_none()
    }

    fn next_item(&mut self) {
        if self.queue.is_empty() {
            self.take_package();
        }
        match self.queue.pop_first() {
            Some(item) => self.parts.begin(item),
            None if self.commit.is_some() => {}
            None => {
                self.commit(0);
                self.waits_since = Some(self.at);
            }
        }
    }

    /// Wakes up from time to time, until there is a package.
    fn wake_up(&mut self, since: Duration, now: Duration) -> bool {
        let Some((put_down, _)) = self.package else { return false };
        let (mut at, mut pause) = (since, DOZE.0);
        while at < put_down {
            at += pause;
            pause = (pause * 2).min(DOZE.1);
        }
        self.at = at;
        if at > now {
            return false;
        }
        self.waits_since = None;
        self.next_item();
        true
    }

    fn take_package(&mut self) {
        if let Some((_, package)) = self.package.take() {
            self.taken += 1;
            self.queue.append(package.work);
        }
    }

    fn commit(&mut self, wanted: usize) {
        if wanted > 0 {
            self.take_package();
        }
        let count = wanted.min((self.parts.open() + self.queue.len()) / 2);
        let mut given = self.queue.take_last(count).reversed();
        let missing = count - given.len();
        given.append(Bundle::of((0..missing).map_while(|_| self.parts.give())));
        let mut left = Bundle::of(self.parts.left());
        left.append(self.queue.clone());
        self.answered = self.request.0;
        let costs = &self.costs.guest;
        self.at += micros(costs.commit_us + costs.commit_item_us * (given.len() + left.len()) as f64);
        let done = self.parts.counts();
        let mut counts = done;
        counts.executions -= self.committed;
        self.committed = done.executions;
        self.commit = Some(Commit {
            pass: 0,
            answers: self.answered,
            packages: self.taken,
            counts,
            lost: 0,
            covered: 0.0,
            given,
            left,
        });
    }
}

impl Worker for Guest {
    fn poll(&mut self) -> io::Result<WorkerUpdate> {
        self.work();
        let commit = self.commit.take();
        let counters = &mut self.output.counters;
        let counts = self.parts.counts();
        (counters.executions, counters.blocked) = (counts.executions, counts.blocked);
        counters.heartbeat = counts.executions + counts.blocked;
        counters.open = (self.parts.open() + self.queue.len()) as u32;
        self.output.done = self.ended.then_some((counts, false));
        let end = self.ended.then_some(GuestEnd::Done);
        Ok(WorkerUpdate { commit, taken: self.taken, end, killed: false })
    }

    fn wait(&self, _: Duration) {}

    fn processor_time(&self) -> Option<Duration> {
        None
    }

    fn assign(&mut self, package: &Package) -> io::Result<()> {
        assert!(self.package.replace((self.clock.get(), package.clone())).is_none(), "there is one place for packages");
        Ok(())
    }

    fn ask(&mut self, parts: u32) -> io::Result<u32> {
        self.request = (self.request.0 + 1, parts);
        Ok(self.request.0)
    }

    fn stop(&mut self) -> io::Result<()> {
        assert!(!self.stopped, "it is asked to stop once");
        self.stopped = true;
        self.at = self.at.max(self.clock.get());
        Ok(())
    }

    fn kill(&mut self) -> io::Result<()> {
        self.ended = true;
        Ok(())
    }

    fn output(&self) -> &RunOutput {
        &self.output
    }

    fn output_mut(&mut self) -> &mut RunOutput {
        &mut self.output
    }
}
