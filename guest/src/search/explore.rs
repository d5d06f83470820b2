//! The loop of an exploration: takes a plan from the explorer, makes the run, judges it, lets the explorer learn from
//! it.

use super::exploration::Exploration;
use super::findings;
use super::report;
use crate::engine::defect::tool_error;
use crate::engine::state::{Trouble, with};
use crate::engine::{interrupting, interruptions};
use crate::platform::{in_vault, link};
use alloc::string::String;
use core::sync::atomic::Ordering::Relaxed;
use inspect_core::event::{Ending, Event, Operation, Pending, PendingStatus, Plan};
use inspect_core::explore::Counts;
use inspect_wire::message::{InconclusiveReason, Message};

/// Runs between two checks of the program's state.
const HEALTH_EVERY: u64 = 1 << 14;

/// Says to a search that takes in a run when to give up: the host has asked to stop, and so many events later the run
/// is still not taken in. A run of ordinary length is taken in as a whole.
fn patience() -> impl FnMut() -> bool {
    const EVENTS: u32 = 1024;
    let mut since = 0;
    move || {
        since += u32::from(link::header().stop.load(Relaxed) != 0);
        since > EVENTS
    }
}

impl Exploration<'_> {
    /// Explores until nothing is left or the search is to stop; then ends the process.
    pub(super) fn explore(mut self) -> ! {
        let mut plan = Plan::default();
        let mut complete = false;
        let mut working = self.sharing.is_none() || self.next_item();
        while working && !self.should_stop() {
            self.answer();
            plan.clear();
            if !in_vault(|| self.explorer.next_plan(&mut plan)) {
                complete = self.lost == 0 && self.sharing.is_none();
                working = self.next_item();
                continue;
            }
            if self.runner.runs().is_multiple_of(HEALTH_EVERY) {
                self.check_health();
            }
            let trouble = self.run(&plan);
            working = self.judge(&plan, trouble);
        }
        if complete {
            self.note_gaps_of_the_whole();
        }
        self.check_health();
        self.report_what_is_left(working);
        if self.counts == Counts::default() && self.voided != Counts::default() {
            self.counts = self.voided;
            self.reporter.inconclusive(InconclusiveReason::Other(String::from(
                "the search had just begun anew, with more operations visible, when it was stopped; the counts are those of \
                 the pass before",
            )));
        }
        self.report_uncompared();
        self.report_sampled();
        self.report_bound_of_minimising();
        self.report_progress(true);
        self.reporter.done(self.counts, complete)
    }

    /// Says what the runs have in common, if the search samples.
    pub(super) fn report_sampled(&mut self) {
        if let Some(sampled) = self.explorer.sampled() {
            self.reporter.send(&Message::Sampled(sampled));
        }
    }

    /// Says below which number of preemptions no schedule shows the finding that is minimised.
    fn report_bound_of_minimising(&mut self) {
        if self.reporter.wanted.is_some() {
            let covered = if self.unforeseen { None } else { self.explorer.bound() };
            self.reporter.send(&Message::NoneBelow(covered.unwrap_or(0)));
        }
    }

    /// Takes in the run just made; false if the search cannot go on.
    fn judge(&mut self, plan: &Plan, trouble: Option<Trouble>) -> bool {
        match trouble {
            None => {}
            Some(Trouble::Unmodelled(call, site)) => {
                self.reporter.inconclusive(InconclusiveReason::Unmodelled { call, site });
            }
            Some(Trouble::Defect(message)) => tool_error(&message),
            Some(Trouble::RunLost(how)) => {
                self.reporter.inconclusive(InconclusiveReason::Other(how));
                return self.lose();
            }
            // If a longer attempt has confirmed it, it is among the findings.
            Some(Trouble::Stuck(..)) => {}
            Some(Trouble::GrowTo(_)) => unreachable!("such a run is repeated"),
        }
        with(|engine| findings::report(engine, &mut self.reporter));
        if self.reporter.wanted.is_some() {
            with(|engine| engine.observer.forget_findings());
        }
        // A run that found locations which a loop watches together may have parked where its plan goes on: the search
        // did not see that the writes to them are ordered.
        let watches_together = with(|engine| engine.watch_sets.has_found());
        if !watches_together && (!self.follows_its_plan(plan) || !self.is_as_described()) {
            self.give_up_run();
            return false;
        }
        // A search that stops at this run does not begin anew, so the counts reported are those of this pass.
        let over = self.reporter.error_found && !self.job.keep_going;
        if !over && self.promote() {
            return true;
        }
        let is_search = self.job.samples() || !self.stands_alone();
        let learned = self.learn();
        self.note_gaps(plan);
        if is_search && !self.explorer.made_elsewhere() {
            self.count();
        }
        learned
    }

    /// Lets the search take in the run just made; false if it has given up because it is to stop.
    fn learn(&mut self) -> bool {
        let mut gives_up = patience();
        let learned = with(|engine| in_vault(|| self.explorer.learn_unless(engine.run.trace(), &mut gives_up)));
        if !learned {
            // What is left is what the last commit says: this run is not counted there, and will be made again.
            self.sharing = None;
        }
        learned
    }

    /// Reports threads that wait for a condition variable or a futex at the end of the run just made, with a signal for
    /// them that no run delivers in the middle of the wait.
    fn note_interrupted_waits(&mut self) {
        let interrupted = |pending: &&Pending| {
            pending.status == PendingStatus::ChosenOtherwise
                && pending.operation.wait().is_some()
                && interrupting::is_pending(pending.thread)
        };
        let site = with(|engine| engine.run.trace().pending.iter().find(interrupted).map(|pending| pending.site));
        if let Some(site) = site {
            let call = String::from(interruptions::IN_WAIT);
            self.reporter.inconclusive(InconclusiveReason::Unmodelled { call, site });
        }
    }

    /// Reports whether a complete search has left something out by its bound, or found a state from which no run ends.
    fn note_gaps_of_the_whole(&mut self) {
        if self.explorer.bound_cut() {
            self.reporter.inconclusive(InconclusiveReason::PreemptionBound(self.job.preemptions.unwrap_or(0)));
        }
        if self.explorer.is_endless() {
            self.reporter.inconclusive(InconclusiveReason::Endless);
        }
    }

    /// Looks through the run just made for what the search does not see. The events before the last step of the plan
    /// are those of an earlier run that was looked through.
    fn note_gaps(&mut self, plan: &Plan) {
        self.note_interrupted_waits();
        self.note_unforeseen();
        if with(|engine| engine.state_recorder.is_some()) {
            let from = self.runner.resumed_at().max(plan.steps.len().saturating_sub(1));
            self.note_unsummarised(from);
        }
    }

    /// Reports once that a search which compares states does not cover all orders of what the run used, from the event
    /// with this number on.
    fn note_unsummarised(&mut self, from: usize) {
        let misses = with(|engine| !engine.run.events().iter().skip(from).all(|event| event.operation.is_summarised()));
        if misses && !self.unsummarised {
            self.unsummarised = true;
            let text = "--algorithm stateful does not cover all orders of read-write locks, pipes, event counters and \
                        sockets; --algorithm optimal does";
            self.reporter.inconclusive(InconclusiveReason::Other(text.into()));
        }
    }

    /// Reports once that the events of the last run do not show all that a search within a number of preemptions asks:
    /// what threads can do after prefixes that the run did not go through. Minimising claims less then.
    fn note_unforeseen(&mut self) {
        let minimises = self.reporter.wanted.is_some();
        if self.unforeseen || self.job.preemptions.is_none() && !minimises {
            return;
        }
        let is_foreseen =
            |operation: &Operation| operation.choice_kind().is_foreseen() && operation.need().is_foreseen();
        let from = self.runner.resumed_at();
        self.unforeseen = with(|engine| {
            let trace = engine.run.trace();
            let executed = trace.events[from..].iter().map(|event| &event.operation);
            !executed.chain(trace.pending.iter().map(|pending| &pending.operation)).all(is_foreseen)
        });
        if self.unforeseen && !minimises {
            let text = "with --preemptions not all orders of futex wakes by bits, of requeues, of waits for several \
                        futexes, of futex locks with owners, of read-write locks that prefer writers, of pipes, of event \
                        counters and of sockets are covered; without it they are";
            self.reporter.inconclusive(InconclusiveReason::Other(text.into()));
        }
    }

    /// Goes on without what the last run would have shown; false once too many runs were lost.
    fn lose(&mut self) -> bool {
        const MOST: u64 = 100;
        self.counts.limited += 1;
        self.lost += 1;
        self.forget_description();
        with(|engine| engine.run.forget_states());
        in_vault(|| self.explorer.lose());
        self.lost < MOST
    }

    /// Compares the run with the run that its plan's prefix came from; reports the first difference. Sampled runs share
    /// no prefix.
    fn follows_its_plan(&mut self, plan: &Plan) -> bool {
        if self.stands_alone() {
            return true;
        }
        // The events before the checkpoint were not executed again.
        let same = self.runner.resumed_at();
        with(|engine| {
            let trace = engine.run.trace();
            let shared = plan.steps[same..].iter().zip(&self.reference[same..]);
            let shared = shared.take_while(|(step, event)| step.thread == event.thread && step.choice == event.choice);
            let shared = same + shared.count();
            let differs = |(expected, found): (&Event, &Event)| {
                expected.site != found.site || expected.operation != found.operation || expected.thread != found.thread
            };
            let first = self.reference[same..shared].iter().zip(&trace.events[same..]).position(differs);
            let at = match (first, trace.ending) {
                (Some(at), _) => same + at,
                (None, Ending::Diverged(at)) => at.index(),
                (None, _) => {
                    self.reference.truncate(shared);
                    in_vault(|| self.reference.extend_from_slice(trace.events.get(shared..).unwrap_or(&[])));
                    return true;
                }
            };
            let wanted = plan.steps.get(at).map(|step| step.thread);
            let pending = || trace.pending.iter().find(|pending| Some(pending.thread) == wanted).map(report::as_event);
            let expected = self.reference[..shared].get(at).copied();
            let found = trace.events.get(at).copied().or_else(pending);
            self.reporter.divergence(at as u32, expected, found);
            false
        })
    }
}
