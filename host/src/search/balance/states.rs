//! Workers that each make the whole search and share the states that they have explored
//! ([`Stateful`](inspect_core::explore::Stateful)).
//!
//! The first of them that has covered everything ends the search: the others are stopped. Nothing is divided, so
//! nothing is lost with a worker that is killed: what it has stored in the table rests on runs that were made, and what
//! these have shown was reported before. Another worker takes its place.
//!
//! What a worker sees as operations decides what its states are. So when one of them begins anew, all are replaced by
//! new ones, with an empty table.

use super::ending::Stopping;
use super::member::{Member, memory};
use super::{Balance, MOST_KILLED};
use crate::error::ToolError;
use crate::run::GuestEnd;
use inspect_core::event::ThreadOrder;
use inspect_core::explore::Counts;
use inspect_core::explore::catalogue::SearchSharing;
use inspect_wire::message::{Job, SharedTable};
use inspect_wire::shared::MOST_TABLE;

impl Balance<'_, '_> {
    /// Whether the workers share the states that they have explored.
    pub(super) fn shares_states(&self) -> bool {
        let sharing = self.balancer.job.algorithm.description().sharing;
        self.is_undivided() && self.balancer.workers > 1 && sharing == SearchSharing::States
    }

    /// The job of the next worker. Half of the memory for states is the table; the workers have the rest, each the same
    /// part of it, for the states and summaries that it has to know of itself.
    pub(super) fn with_table(&self, job: Job) -> Job {
        const PAGE: u64 = 4096;
        let half = job.state_memory / 2;
        let bytes = half.clamp(PAGE, MOST_TABLE) / PAGE * PAGE;
        let table = SharedTable { pass: self.begun_anew, bytes, order: ThreadOrder(self.hired) };
        let own = half / self.balancer.workers as u64;
        Job { state_memory: own.max(1), state_table: Some(table), ..job }
    }

    /// A worker has begun anew. What all have done is void; new ones know what it has found out.
    pub(super) fn begin_anew_with_states(&mut self, at: usize) -> Result<(), ToolError> {
        self.state.voided = self.all_counts();
        let output = self.members[at].worker.output();
        let (promoted, watch_sets) = (output.promoted.clone(), output.watch_sets.clone());
        let promoted_in = output.modules.clone();
        self.dismiss_all()?;
        let complete = self.is_explored();
        self.outputs.iter_mut().for_each(|output| output.done = None);
        self.is_void = false;
        let job = &mut self.balancer.job;
        (job.promoted, job.watch_sets, job.promoted_in) = (promoted, watch_sets, promoted_in);
        self.begun_anew += 1;
        (self.hired, self.states) = (0, None);
        (self.state.counts, self.state.covered, self.state.lost) = (Counts::default(), 0.0, 0);
        // Another worker had covered everything, without what this one has found out.
        self.stopping.take_if(|_| complete);
        Ok(())
    }

    /// Some worker has come to its end: none of them need go on.
    pub(super) fn stop_others(&mut self) -> Result<(), ToolError> {
        if self.stopping.is_none() {
            self.stopping = Some(Stopping::because(GuestEnd::Done, self.now()));
            if self.shares_states() {
                self.members.iter_mut().try_for_each(|member| member.worker.stop()).map_err(memory)?;
            }
        }
        Ok(())
    }

    /// The process of a worker that has the whole search has ended, after it was `done` or not. If it shares states and
    /// was killed, another one takes its place; otherwise the whole search ends as it did.
    pub(super) fn one_has_ended(&mut self, end: GuestEnd, killed: bool, done: bool) -> Result<(), ToolError> {
        let now = self.now();
        // Nothing is taken from a worker with a message that cannot be decoded, whatever it reported before.
        if matches!(end, GuestEnd::Garbled(_)) {
            self.stopping = Some(Stopping::because(end, now));
        } else if done && self.shares_states() {
            self.stop_others()?;
        } else if killed && self.shares_states() && self.killed < MOST_KILLED {
            self.killed += 1;
        } else if self.stopping.is_none() {
            self.stopping = Some(Stopping::because(end, now));
        }
        if self.stopping.is_some() {
            self.members.iter_mut().try_for_each(|member| member.worker.stop()).map_err(memory)?;
        }
        Ok(())
    }

    /// Adds what a worker has done, which has ended.
    pub(super) fn note_states_of(&mut self, member: &Member) {
        self.is_void |= member.worker.output().passes != member.passes;
        self.state.counts += self.counts_of(member);
        let own = member.worker.output().counters.states;
        self.states = self.states.max(own);
        let output = member.worker.output();
        self.state.promoted.clone_from(&output.promoted);
        (self.state.watch_sets, self.state.promoted_in) = (output.watch_sets.clone(), output.modules.clone());
    }

    /// How many states the workers remember: those of the one that remembers most, as most of the others' are the same.
    pub(super) fn all_states(&self) -> Option<u64> {
        let own = self.members.iter().filter_map(|member| member.worker.output().counters.states).max();
        self.states.max(own)
    }

    /// Whether a worker has covered everything. What it has reported comes last then, as the numbers in the report are
    /// those of the last worker.
    pub(super) fn is_explored(&mut self) -> bool {
        let explored = self.outputs.iter().position(|output| output.done.is_some_and(|(_, complete)| complete));
        if let Some(at) = explored {
            let output = self.outputs.remove(at);
            self.outputs.push(output);
        }
        explored.is_some()
    }
}
