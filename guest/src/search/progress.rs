//! Counts runs, and reports how far the exploration has come.

use super::exploration::Exploration;
use crate::engine::state::with;
use crate::platform::link;
use core::sync::atomic::Ordering::Relaxed;
use inspect_core::event::{Ending, LimitKind, SiteId};
use inspect_core::run::States;
use inspect_wire::message::{InconclusiveReason, Uncompared};

impl Exploration<'_> {
    /// Counts the run just made.
    pub(super) fn count(&mut self) {
        let (ending, events, threads) = with(|engine| {
            let trace = engine.run.trace();
            (trace.ending, trace.events.len() as u64, engine.run.paths().len() as u32)
        });
        self.counts.transitions += events;
        match ending {
            Ending::Completed | Ending::Deadlocked | Ending::Livelocked | Ending::Revisited => {
                self.counts.executions += 1;
            }
            Ending::AssumeBlocked => self.counts.assume_blocked += 1,
            Ending::Blocked => self.counts.blocked += 1,
            Ending::Limit(kind) => {
                self.counts.limited += 1;
                if kind != LimitKind::Unmodelled {
                    self.reporter.inconclusive(InconclusiveReason::Limit(kind));
                }
            }
            // That a prediction could not be followed says nothing of the program.
            Ending::Diverged(_) => debug_assert!(self.job.samples(), "other searches end at a diverged run"),
        }
        link::header().threads.store(threads, Relaxed);
        self.report_progress(false);
    }

    /// Updates the counters that the host reads at any time, and reports what verdicts depend on.
    pub(super) fn report_progress(&mut self, last: bool) {
        const ESTIMATE_EVERY: u64 = 256;
        let header = link::header();
        header.executions.store(self.counts.executions, Relaxed);
        header.blocked.store(self.counts.blocked, Relaxed);
        header.assume_blocked.store(self.counts.assume_blocked, Relaxed);
        header.transitions.store(self.counts.transitions, Relaxed);
        if (last || self.counts.executions.is_multiple_of(ESTIMATE_EVERY))
            && let Some(estimate) = self.explorer.estimated_total()
        {
            header.estimated_total.store(estimate.to_bits(), Relaxed);
        }
        if self.sharing.is_some() {
            self.report_open();
        }
        header.states.store(self.explorer.states().unwrap_or(0), Relaxed);
        let opaque = with(|engine| core::mem::take(&mut *engine.opaque));
        for site in opaque {
            self.reporter.inconclusive(InconclusiveReason::OpaqueAssembly { site });
        }
        let uncontrolled = with(|engine| core::mem::take(&mut *engine.uncontrolled));
        for reason in uncontrolled {
            self.reporter.inconclusive(reason);
        }
    }

    /// Reports how many states could not be compared.
    pub(super) fn report_uncompared(&mut self) {
        let (uncompared, dropped) = with(|engine| {
            let dropped = engine.run.states().map_or(0, States::unkept);
            (*engine.uncompared.borrow(), dropped)
        });
        for why in Uncompared::ALL {
            let (states, site) = if why == Uncompared::Room { (dropped, SiteId(0)) } else { uncompared.of(why) };
            if states > 0 {
                self.reporter.uncompared(why, states, site);
            }
        }
    }
}
