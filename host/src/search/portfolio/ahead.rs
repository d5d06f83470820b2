//! Turns that are made beside the one whose turn it is, on cores that this one does not use.
//!
//! A turn is begun ahead of time as it will be if those before it end with their shares used up. Once it is its turn,
//! it is taken if it is the search that comes next, and stopped otherwise. So the turns, what they show and what they
//! count are those of one process; only the answer comes sooner.

use super::super::outcome::{SearchOptions, Searched};
use super::super::turn_of_search;
use crate::error::ToolError;
use crate::run::{Interrupt, Target};
use inspect_core::explore::{Counts, Portfolio, PortfolioPart, Turn, TurnEnd};
use inspect_wire::message::Job;
use std::collections::VecDeque;
use std::thread::{Scope, ScopedJoinHandle};
use std::time::Duration;

/// The pause between two looks whether a turn has ended.
const LOOK: Duration = Duration::from_millis(1);

/// A search with all that it depends on.
pub(super) struct PlannedTurn {
    pub(super) turn: Turn,
    pub(super) target: Target,
    pub(super) job: Job,
    pub(super) options: SearchOptions,
}

impl PlannedTurn {
    /// Whether another one is the same search.
    fn is(&self, other: &PlannedTurn) -> bool {
        self.turn == other.turn && self.job == other.job && self.options.wanted == other.options.wanted
    }
}

/// A turn that was begun ahead of time.
pub(super) struct Begun<'scope> {
    planned: PlannedTurn,
    interrupt: Interrupt,
    search: ScopedJoinHandle<'scope, Result<Searched, ToolError>>,
}

impl Begun<'_> {
    /// What it has come to in the end.
    pub(super) fn wait(self, interrupt: &Interrupt) -> Result<Searched, ToolError> {
        while !self.search.is_finished() {
            if interrupt.take() {
                self.interrupt.raise();
            }
            std::thread::sleep(LOOK);
        }
        joined(self.search)
    }
}

/// The turns that were begun ahead of time, in their order.
pub(super) struct TurnsAhead<'scope, 'env> {
    scope: &'scope Scope<'scope, 'env>,
    begun: VecDeque<Begun<'scope>>,
    /// How many processes work at a time.
    beside: usize,
}

impl<'scope, 'env> TurnsAhead<'scope, 'env> {
    /// None yet; so many processes work at a time, those of the present turn included.
    pub(super) fn new(scope: &'scope Scope<'scope, 'env>, beside: usize) -> Self {
        TurnsAhead { scope, begun: VecDeque::new(), beside }
    }

    /// Begins the turns that follow the present one, which is the next that is `expected` and made by so many
    /// `workers`, as far as there is room for them. `plan` says what a turn is, if that can be said already.
    pub(super) fn begin(
        &mut self,
        mut expected: Portfolio,
        workers: usize,
        plan: &mut dyn FnMut(&Turn) -> Result<Option<PlannedTurn>, ToolError>,
    ) -> Result<(), ToolError> {
        for at in 0..self.beside.saturating_sub(workers) {
            expected.took(TurnEnd::Share, &Counts::default(), 0);
            // How far the exhaustive search goes depends on what it has done, and with `-j` it is shared.
            let turn = expected.turn().filter(|turn| turn.part != PortfolioPart::Exhaustive);
            let Some(turn) = turn else { break };
            if at < self.begun.len() {
                continue;
            }
            let Some(planned) = plan(&turn)? else { break };
            self.start(planned);
        }
        Ok(())
    }

    fn start(&mut self, planned: PlannedTurn) {
        let interrupt = Interrupt::default();
        let target = Target { room: planned.target.room.apart(), ..planned.target.clone() };
        let (job, options, own) = (planned.job.clone(), planned.options.turn_options(), interrupt.clone());
        let search = self.scope.spawn(move || {
            turn_of_search(&target, &job, &SearchOptions::of_turn(options), &mut None, &own, &mut |_| ())
        });
        self.begun.push_back(Begun { planned, interrupt, search });
    }

    /// The search whose turn it is, if it was begun ahead of time.
    pub(super) fn take(&mut self, due: &PlannedTurn) -> Option<Begun<'scope>> {
        if !self.begun.front().is_some_and(|first| first.planned.is(due)) {
            self.stop();
        }
        self.begun.pop_front()
    }

    /// Stops all turns that were begun: they do not count.
    fn stop(&mut self) {
        while self.begun.iter().any(|begun| !begun.search.is_finished()) {
            // Each request ends the step which a search is at.
            self.begun.iter().for_each(|begun| begun.interrupt.raise());
            std::thread::sleep(LOOK);
        }
        // Nobody asks for what they have come to.
        self.begun.drain(..).for_each(|begun| drop(joined(begun.search)));
    }
}

impl Drop for TurnsAhead<'_, '_> {
    fn drop(&mut self) {
        self.stop();
    }
}

fn joined(search: ScopedJoinHandle<'_, Result<Searched, ToolError>>) -> Result<Searched, ToolError> {
    search.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}
