//! Reads-from fuzzing: runs in which reads are to find writes that they have found in no run before.
//!
//! Dylan Wolff, Zheng Shi, Gregory J. Duck, Umang Mathur, Abhik Roychoudhury: "Greybox Fuzzing for Concurrency
//! Testing", ASPLOS 2024. An *abstract schedule* is a set of constraints on the reads-from relation: an operation at
//! one place of the source finds what one at another place has left, or does not. A run tries to meet them, and what it
//! has shown decides which abstract schedules are changed into further ones (`explore::Sampling`, its feedback). Claim:
//! more bugs in fewer runs than random walks and priorities alone, by measurement; no probability is guaranteed.
//!
//! Departures:
//!
//! 1. Every object has a reads-from relation, a mutex as well as a location: what an operation finds there was left by
//!    the last one that did more than look.
//! 2. Constraints are met by delaying threads: a reader until the writer was there, what would overwrite the writer's
//!    value until the reader was there. A constraint that was met once asks for nothing more. Where all threads are
//!    delayed, none is; and where a thread was delayed [`PATIENCE`] times in a row, the constraints are given up: they
//!    may wait for what a thread that never ends never does. Among threads that are not delayed, priorities of
//!    operations decide, as in `sample::pos`.

use super::Moment;
use super::pos::PartialOrder;
use crate::event::{Event, Footprint, Operation, ReadsFrom, SiteId, ThreadId, ThreadSet};
use crate::random::Random;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

/// How many steps in a row the constraints may delay a thread.
const PATIENCE: u32 = 2_000;

/// By first byte: where in the source the last change of a location or an object was made in a run.
#[derive(Debug, Default)]
pub struct LastWriters(BTreeMap<u64, SiteId>);

impl LastWriters {
    /// As at the beginning of a run: nothing was changed yet.
    pub const fn new() -> Self {
        LastWriters(BTreeMap::new())
    }

    /// Forgets all changes, as a run begins.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    fn of(&self, start: u64) -> SiteId {
        self.0.get(&start).copied().unwrap_or_default()
    }

    /// Takes in an event. Passes to `found` each location or object that the event touches, by its first byte, with the
    /// place in the source where it was changed last before; 0 if nowhere.
    pub fn note(&mut self, event: &Event, mut found: impl FnMut(u64, SiteId)) {
        for (range, touch) in Footprint::of(&event.operation).iter() {
            found(range.start, self.of(range.start));
            if !touch.only_reads() {
                self.0.insert(range.start, event.site);
            }
        }
    }
}

/// A run that is to meet constraints.
#[derive(Debug)]
pub(super) struct Constrained {
    priorities: PartialOrder,
    /// The constraints that are not met yet, or that exclude something.
    open: Vec<ReadsFrom>,
    last: LastWriters,
    /// How many steps in a row a thread was delayed.
    delayed: u32,
}

impl Constrained {
    /// Nothing is constrained, as before the first run.
    pub(super) const fn new() -> Self {
        Constrained { priorities: PartialOrder::new(), open: Vec::new(), last: LastWriters::new(), delayed: 0 }
    }

    /// Begins a run that is to meet these constraints.
    pub(super) fn begin(&mut self, constraints: &[ReadsFrom]) {
        self.priorities.begin();
        self.open.clear();
        self.open.extend_from_slice(constraints);
        self.last.clear();
        self.delayed = 0;
    }

    /// The thread that takes the next step: one that no constraint delays, if there is one.
    pub(super) fn thread<'a, O: Fn(ThreadId) -> &'a Operation>(
        &mut self,
        moment: &Moment<'a, O>,
        random: &mut Random,
    ) -> ThreadId {
        if let Some(event) = moment.events.last() {
            let open = &mut self.open;
            self.last.note(event, |start, writer| {
                let is_met = |asked: &ReadsFrom| {
                    asked.wanted && (asked.start, asked.reader, asked.writer) == (start, event.site, writer)
                };
                open.retain(|asked| !is_met(asked));
            });
        }
        let is_free = |thread: &ThreadId| !self.delays((moment.operation)(*thread), (moment.site)(*thread));
        let free: ThreadSet = moment.takers.iter().filter(is_free).collect();
        let takers = if free.is_empty() { moment.takers } else { free };
        self.delayed = if takers == moment.takers { 0 } else { self.delayed + 1 };
        if self.delayed > PATIENCE {
            self.open.clear();
        }
        let moment = Moment {
            takers,
            live: moment.live,
            current: moment.current,
            events: moment.events,
            operation: &moment.operation,
            site: moment.site,
        };
        self.priorities.thread(&moment, random)
    }

    /// Whether an open constraint would be missed if this operation came next.
    fn delays(&self, operation: &Operation, site: SiteId) -> bool {
        if self.open.is_empty() {
            return false;
        }
        Footprint::of(operation).iter().any(|(range, touch)| {
            let last = self.last.of(range.start);
            self.open.iter().filter(|asked| asked.start == { range.start }).any(|asked| {
                let (reads, lies_ready) = (asked.reader == site, asked.writer == last);
                let overwrites = asked.wanted && lies_ready && !reads && !touch.only_reads();
                overwrites || reads && lies_ready != asked.wanted
            })
        })
    }
}
