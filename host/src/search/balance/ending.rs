//! Why a shared search stops, and its result.

use super::Balance;
use super::member::{Member, memory};
use crate::error::ToolError;
use crate::run::{Counters, GuestEnd, Interrupt, RunOutput};
use crate::search::checkpoint::Progressed;
use inspect_core::explore::Counts;
use std::time::{Duration, Instant};

/// How long a worker that was asked to stop may take before it is killed.
const GRACE: Duration = Duration::from_secs(5);
/// The same for a worker that has nothing to commit.
const SHORT_GRACE: Duration = Duration::from_secs(2);
/// The result of a shared search.
#[derive(Debug)]
pub(crate) struct Shared {
    /// What each of the workers has reported.
    pub(crate) outputs: Vec<RunOutput>,
    /// What was done and what is left.
    pub(crate) state: Progressed,
    /// Whether the state has all that is left.
    pub(crate) is_left_known: bool,
    /// How it ended.
    pub(crate) end: GuestEnd,
    /// The limit of executions was reached.
    pub(crate) full: bool,
    /// The time of its turn was over.
    pub(crate) timed_out: bool,
    /// Whether nothing is left.
    pub(crate) complete: bool,
    /// The largest number of threads of a run.
    pub(crate) threads: u32,
    /// The worker's own estimate of all executions, in a search that is not divided.
    pub(crate) estimated_total: Option<f64>,
    /// How many states the worker remembers, in such a search.
    pub(crate) states: Option<u64>,
}

impl Shared {
    /// The result of a search that had nothing to do.
    pub(crate) fn nothing() -> Shared {
        Shared {
            outputs: Vec::new(),
            state: Progressed::nothing(),
            is_left_known: true,
            end: GuestEnd::Done,
            full: false,
            timed_out: false,
            complete: false,
            threads: 0,
            estimated_total: None,
            states: None,
        }
    }
}

/// Why the workers are to stop.
pub(super) struct Stopping {
    pub(super) why: GuestEnd,
    pub(super) until: Instant,
    pub(super) full: bool,
    /// Nothing was left.
    pub(super) finished: bool,
}

impl Stopping {
    pub(super) fn because(why: GuestEnd, now: Instant) -> Stopping {
        Stopping { why, until: now + GRACE, full: false, finished: false }
    }

    /// The same of a rank, whose leader waits as long as a balancer does.
    pub(super) fn sooner(self) -> Stopping {
        Stopping { until: self.until - GRACE / 4, ..self }
    }
}

impl Balance<'_, '_> {
    /// Whether all that the search is made for has been shown, as far as findings or reasons have come since the
    /// last look.
    fn has_shown(&mut self) -> bool {
        let outputs: Vec<&RunOutput> =
            self.members.iter().map(|member| member.worker.output()).chain(&self.outputs).collect();
        let news = outputs.iter().map(|output| output.findings.len() + output.reasons.len()).sum();
        std::mem::replace(&mut self.looked_at, news) != news && (self.balancer.has_shown)(&outputs)
    }

    /// Asks the workers to stop once the time of the turn is over: the processor time of the busiest of them, so that a
    /// loaded machine has the same turns as an idle one. They end as they do when their share is used up and
    /// report all that is left.
    pub(super) fn end_turn(&mut self) -> Result<(), ToolError> {
        let Some(time) = self.balancer.turn else { return Ok(()) };
        let Counters { executions, blocked, estimated_total, .. } = self.counters();
        let elapsed = self.members.iter().filter_map(|member| member.worker.processor_time()).max().unwrap_or_default();
        // Those of the turns before took none of this time.
        let runs = (executions + blocked).saturating_sub(self.before.executions + self.before.blocked);
        if self.timed_out || time.is_over(elapsed, runs, estimated_total) {
            self.timed_out = true;
            self.members.iter_mut().try_for_each(|member| member.worker.stop()).map_err(memory)?;
        }
        Ok(())
    }

    /// Why the workers are to stop now, if they are.
    pub(super) fn reason_to_stop(&mut self, interrupt: &Interrupt) -> Option<Stopping> {
        let now = self.now();
        let idle = self.members.iter().all(|member| member.idle);
        let finished = !self.is_led && idle && !self.members.is_empty() && self.pool.is_empty();
        // A worker that has the whole search sees to the limit itself.
        let full = (!self.is_undivided() || self.shares_states())
            && self.all_counts().runs() >= self.balancer.job.max_executions;
        let limit = self.balancer.limits.standstill;
        let stuck = self.members.iter_mut().any(|member| {
            let counters = &member.worker.output().counters;
            let beat = (counters.heartbeat, counters.transitions);
            if member.idle || (member.pulse.0, member.pulse.1) != beat {
                member.pulse = (beat.0, beat.1, now);
            }
            limit.is_some_and(|limit| now - member.pulse.2 >= limit)
        });
        let why = if finished || full {
            GuestEnd::Done
        } else if interrupt.raised() {
            GuestEnd::Interrupted
        } else if self.has_shown() {
            GuestEnd::HasShown
        } else if self.balancer.limits.deadline.is_some_and(|deadline| now >= deadline) {
            GuestEnd::TimeLimit
        } else if stuck {
            GuestEnd::Stuck
        } else {
            return None;
        };
        let grace = if self.is_undivided() { SHORT_GRACE } else { GRACE };
        Some(Stopping { full: full && !finished, finished, until: now + grace, ..Stopping::because(why, now) })
    }

    /// The result, once there is no worker any more.
    pub(super) fn over(&mut self, stopping: Stopping) -> Shared {
        // This fails only where a worker's parts cannot be decoded, and there is no worker any more.
        let _ = self.settle();
        let (mut complete, mut full) = (stopping.finished, stopping.full);
        if self.shares_states() {
            // What a worker has found out as it was stopped, the others have explored without.
            complete = self.is_explored() && !self.is_void;
            full = !complete && self.all_counts().runs() >= self.balancer.job.max_executions;
        } else if self.is_undivided() {
            let done = self.outputs.last().and_then(|output| output.done);
            complete = done.is_some_and(|(_, complete)| complete);
            let limit = self.balancer.job.max_executions;
            full = done.is_some_and(|(counts, complete)| !complete && counts.runs() >= limit);
        } else {
            complete &= self.state.work.is_empty() && self.state.lost == 0;
        }
        Shared {
            complete,
            full,
            timed_out: self.timed_out,
            is_left_known: self.is_left_known,
            estimated_total: self.estimated_total,
            states: self.states,
            outputs: std::mem::take(&mut self.outputs),
            threads: self.threads.max(self.state.threads),
            state: self.state.clone(),
            end: stopping.why,
        }
    }

    /// What a worker that has the whole search has done: its own counts, or the last ones seen if it did not come to
    /// its end.
    pub(super) fn counts_of(&self, member: &Member) -> Counts {
        let output = member.worker.output();
        let seen = Counts {
            executions: output.counters.executions,
            blocked: output.counters.blocked,
            assume_blocked: output.counters.assume_blocked,
            limited: 0,
            transitions: output.counters.transitions,
        };
        output.done.map_or(seen, |(counts, _)| counts)
    }

    /// What all have done, committed or not.
    pub(super) fn all_counts(&self) -> Counts {
        let mut counts = self.state.counts;
        for member in &self.members {
            let counters = &member.worker.output().counters;
            counts.executions += counters.executions.saturating_sub(member.counted.executions);
            counts.blocked += counters.blocked.saturating_sub(member.counted.blocked);
            counts.assume_blocked += counters.assume_blocked.saturating_sub(member.counted.assume_blocked);
            counts.transitions += counters.transitions.saturating_sub(member.counted.transitions);
        }
        counts
    }
}
