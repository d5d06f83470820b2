//! Turns that are made beside the one whose turn it is, with processes that this one does not use (`-j N`).
//!
//! A turn is begun ahead of time as it will be if those before it end with their shares used up. Once it is its turn, it
//! is taken if it is the search that comes next, and stopped otherwise. So the turns, what they show and what they count
//! are those of one process; only the answer comes sooner.

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
#[derive(Clone)]
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
struct Begun<'scope> {
    planned: PlannedTurn,
    interrupt: Interrupt,
    search: ScopedJoinHandle<'scope, Result<Searched, ToolError>>,
}

/// The turns that were begun ahead of time, in their order.
pub(super) struct TurnsAhead<'scope, 'env> {
    scope: &'scope Scope<'scope, 'env>,
    begun: VecDeque<Begun<'scope>>,
    /// How many there may be.
    most: usize,
}

impl<'scope, 'env> TurnsAhead<'scope, 'env> {
    /// None yet; so many processes work at a time, that of the present turn included.
    pub(super) fn new(scope: &'scope Scope<'scope, 'env>, workers: usize) -> Self {
        TurnsAhead { scope, begun: VecDeque::new(), most: workers.saturating_sub(1) }
    }

    /// Begins the turns that follow the present one, the next of `portfolio`, as far as there are processes for them.
    /// `plan` says what a turn is, if that can be said already.
    pub(super) fn begin(
        &mut self,
        portfolio: &Portfolio,
        plan: &mut dyn FnMut(&Turn) -> Result<Option<PlannedTurn>, ToolError>,
    ) -> Result<(), ToolError> {
        let mut expected = portfolio.clone();
        for at in 0..self.most {
            expected.took(TurnEnd::Share, &Counts::default(), 0);
            // The exhaustive search is shared by all processes, and how far it goes depends on what it has done.
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
        let search = {
            let (interrupt, PlannedTurn { target, job, options, .. }) = (interrupt.clone(), planned.clone());
            self.scope.spawn(move || turn_of_search(&target, &job, &options, &mut None, &interrupt, &mut |_| ()))
        };
        self.begun.push_back(Begun { planned, interrupt, search });
    }

    /// What the search whose turn it is has come to, if it was begun ahead of time.
    pub(super) fn take(&mut self, due: &PlannedTurn, interrupt: &Interrupt) -> Option<Result<Searched, ToolError>> {
        if !self.begun.front().is_some_and(|first| first.planned.is(due)) {
            self.stop();
            return None;
        }
        let first = self.begun.pop_front()?;
        while !first.search.is_finished() {
            if interrupt.take() {
                first.interrupt.raise();
            }
            std::thread::sleep(LOOK);
        }
        Some(joined(first.search))
    }

    /// Stops all turns that were begun: they do not count.
    fn stop(&mut self) {
        for begun in self.begun.drain(..) {
            while !begun.search.is_finished() {
                // Each request ends the step which the search is at.
                begun.interrupt.raise();
                std::thread::sleep(LOOK);
            }
            // Nobody asks for what it has come to.
            let _ = joined(begun.search);
        }
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
