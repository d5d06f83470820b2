//! An exploration, and what every part of it needs.

use super::explorers::explorer;
use super::report::Reporter;
use super::runner::Runner;
use super::share::Share;
use crate::engine::defect::tool_error;
use crate::engine::state::Trouble;
use crate::platform::{in_vault, link, vault_digest, vault_size};
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::sync::atomic::Ordering::Relaxed;
use inspect_core::event::{Event, Plan};
use inspect_core::explore::{Counts, Explorer};
use inspect_wire::message::{Job, Mode, Task};

/// An exploration in progress.
pub(super) struct Exploration<'a> {
    pub(super) job: &'a Job,
    pub(super) runner: Runner,
    pub(super) explorer: Box<dyn Explorer>,
    pub(super) counts: Counts,
    pub(super) reporter: Reporter,
    /// The events of the last run: the origin of whatever prefix the next plan shares with it.
    pub(super) reference: Vec<Event>,
    /// Counts of the pass before the search began anew.
    pub(super) voided: Counts,
    /// The number of runs after which the vault is checked next.
    next_seal: u64,
    /// Reported already: operations that a search which compares states does not cover.
    pub(super) unsummarised: bool,
    /// Reported already: operations of which a search within a number of preemptions does not know enough.
    pub(super) unforeseen: bool,
    /// Runs that were lost with the processes that made them.
    pub(super) lost: u64,
    /// The search is shared with other guests.
    pub(super) sharing: Option<Share>,
}

/// Whether the host asks to stop.
pub(super) fn is_asked_to_stop() -> bool {
    link::header().stop.load(Relaxed) != 0
}

impl<'a> Exploration<'a> {
    /// A search that has not begun.
    pub(super) fn new(job: &'a Job, runner: Runner, reporter: Reporter) -> Self {
        Exploration {
            job,
            runner,
            explorer: in_vault(|| explorer(job, None)),
            counts: Counts::default(),
            reporter,
            reference: Vec::new(),
            voided: Counts::default(),
            next_seal: 0,
            unsummarised: false,
            unforeseen: false,
            lost: 0,
            sharing: (job.task == Task::Work).then(Share::default),
        }
    }

    /// Whether the run just made goes on from no other one: it was drawn by chance, or it is the one with which a
    /// search for runs with fewer preemptions begins.
    pub(super) fn stands_alone(&self) -> bool {
        self.job.samples() || self.reporter.wanted.is_some() && self.explorer.bound().is_none()
    }

    /// Whether a run within a bound has shown the finding which is looked for, and none within a smaller one.
    fn has_shown_wanted(&self) -> bool {
        self.reporter.fewest().is_some_and(|fewest| self.explorer.bound().is_some_and(|bound| fewest <= bound))
    }

    /// Whether the search is to stop: at a limit, at the host's request, at an error, or as no more can be reported.
    pub(super) fn should_stop(&self) -> bool {
        self.counts.runs() >= self.job.max_executions
            || is_asked_to_stop()
            || self.reporter.full
            || self.is_turn_over()
            || (self.reporter.error_found && !self.job.keep_going)
            || self.has_shown_wanted()
    }

    /// Whether the search is a turn of a portfolio and has used up its share.
    pub(super) fn is_turn_over(&self) -> bool {
        let estimate = || self.explorer.estimated_total();
        self.job.share.is_some_and(|share| share.is_used(&self.counts, estimate))
    }

    /// Compares the program's memory with the snapshot, and the engine's copies with their checksums. A process that
    /// fails is not to be relied on any more: the host repeats its work in fork mode.
    pub(super) fn check_health(&mut self) {
        if let Err(damage) = self.runner.verify() {
            tool_error(&alloc::format!("runs do not start from the same state: {damage}"));
        }
    }

    /// Makes a run; every so often, checks that the run does not write to the vault, which holds what the search
    /// remembers.
    pub(super) fn run(&mut self, plan: &Plan) -> Option<Trouble> {
        const LEAST: u64 = 64;
        /// Bytes of the vault for each run between two checks: these then take about 1 % of the time.
        const BYTES_PER_RUN: u64 = 256;
        if self.job.mode == Mode::Fork || self.runner.runs() < self.next_seal {
            return self.runner.run(plan);
        }
        self.next_seal = self.runner.runs() + LEAST.max(vault_size() / BYTES_PER_RUN);
        let before = vault_digest();
        let trouble = self.runner.run(plan);
        if vault_digest() != before {
            tool_error("the program overwrote what the search remembers");
        }
        trouble
    }
}
