//! The options, the progress and the result of a search.

use super::balance::Standing;
use super::checkpoint::Origin;
use super::cluster::Cluster;
use super::identity::FindingIdentity;
use super::wanted::{RacePlaces, WantedRaces, race};
use crate::run::{AddressContext, GuestEnd, ReportedFinding};
use crate::symbols::Symbols;
use crate::verdict::{Evidence, Reason, Weight};
use inspect_core::detect::Severity;
use inspect_core::event::SiteId;
use inspect_core::explore::{Counts, Reached, SampledRuns, TurnTime};
use inspect_wire::message::{InconclusiveReason, Job, LoadedModule, ResolvedSite, Uncompared};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Whether a fresh process showed the finding again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Confirmation {
    /// It did.
    Confirmed,
    /// It did not: what happened instead.
    Failed(String),
}

/// A finding with everything the report needs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CheckedFinding {
    /// The finding, from the replay if it was confirmed.
    pub reported: ReportedFinding,
    /// Its severity in this search.
    pub severity: Severity,
    /// Whether a fresh process showed it again.
    pub confirmation: Confirmation,
    /// Distinguishes it from other findings, in any process.
    pub identity: FindingIdentity,
    /// What its addresses mean.
    pub context: AddressContext,
    /// Within fewer preemptions than this, no run shows it. None if nobody has looked.
    pub none_below: Option<u32>,
}

impl CheckedFinding {
    /// Whether it is an error that a fresh process showed again.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error && self.confirmation == Confirmation::Confirmed
    }

    /// Where its accesses are, if it is a data race that a fresh process of `program` showed again.
    pub fn confirmed_race(&self, program: &Path) -> Option<RacePlaces> {
        let is_confirmed = self.confirmation == Confirmation::Confirmed;
        is_confirmed.then(|| race(&self.reported.finding, &Symbols::of(program, &self.context))).flatten()
    }
}

/// The result of a search.
#[derive(Clone, PartialEq, Debug)]
pub struct Searched {
    /// Findings, errors first.
    pub findings: Vec<CheckedFinding>,
    /// Executions and transitions, those of earlier turns of this search included.
    pub counts: Counts,
    /// Those of earlier turns.
    pub before: Counts,
    /// The largest number of threads of a run.
    pub threads: u32,
    /// Estimate of the executions of the whole search.
    pub estimated_total: Option<f64>,
    /// How many states the search remembered.
    pub states: Option<u64>,
    /// Time spent exploring.
    pub elapsed: Duration,
    /// Whether nothing was left to explore.
    pub complete: bool,
    /// The time of its turn was over.
    pub timed_out: bool,
    /// What else makes `verified` impossible.
    pub reasons: Vec<Reason>,
    /// Those of them that guests reported, as they did.
    pub reported: BTreeSet<InconclusiveReason>,
    /// How the last guest ended.
    pub end: GuestEnd,
    /// Where code was in the exploring guest.
    pub modules: Vec<LoadedModule>,
    /// What the runs have in common, if the search sampled and a process told it.
    pub sampled: Option<SampledRuns>,
    /// The numbers of the patterns of `--races-in` that name a race which was found.
    pub harmless_races: BTreeSet<u32>,
    /// States that could not be compared: why, how many, and where a thread stood in the first of them.
    pub uncompared: Vec<(Uncompared, u64, SiteId)>,
    /// Source locations that the exploring guest reported.
    pub sites: Vec<ResolvedSite>,
    /// The beginning of the first execution, if no execution came to its end.
    pub first_execution: Option<AddressContext>,
}

impl Searched {
    /// How far it has come, for a turn that goes on from there.
    pub fn reached(&self) -> Reached {
        Reached { runs: self.counts.runs(), estimate: self.estimated_total.map_or(0, |total| total as u64) }
    }

    /// Where the accesses of the data races are that a fresh process of `program` showed again.
    pub fn confirmed_races(&self, program: &Path) -> Vec<RacePlaces> {
        self.findings.iter().filter_map(|checked| checked.confirmed_race(program)).collect()
    }

    /// What the verdict rests on.
    pub fn evidence(&self, job: &Job) -> Evidence {
        let weight = |checked: &CheckedFinding| Weight {
            kind: checked.reported.finding.kind,
            severity: checked.severity,
            confirmed: checked.confirmation == Confirmation::Confirmed,
        };
        Evidence {
            claims: job.algorithm.description().claims,
            complete: self.complete,
            executions: self.counts.executions,
            limited: self.counts.limited,
            runs: self.counts.runs(),
            plain_accesses: job.plain_accesses,
            findings: self.findings.iter().map(weight).collect(),
            reasons: self.reasons.clone(),
        }
    }
}

/// What a search is doing, for the progress line.
#[derive(Clone, Copy, Debug)]
pub enum Progress<'a> {
    /// Exploring; how it stands now.
    Exploring(Standing<'a>),
    /// Confirming this finding of so many.
    Confirming(usize, usize),
}

/// How a search is to be made, beside the job of its guests.
#[derive(Clone, Debug, Default)]
pub struct SearchOptions {
    /// `--time-limit`
    pub time_limit: Option<Duration>,
    /// From when on it counts, if not from the start of the search.
    pub since: Option<Instant>,
    /// How long its turn may take, if it is one.
    pub turn: Option<TurnTime>,
    /// How many guests share the search.
    pub workers: usize,
    /// How many turns of a portfolio are made at a time.
    pub beside: usize,
    /// Where checkpoints are written to, and how often.
    pub checkpoint: Option<(PathBuf, Duration)>,
    /// The checkpoint to go on from.
    pub resume: Option<PathBuf>,
    /// Show findings as they were found, without looking for runs with fewer preemptions.
    pub as_found: bool,
    /// The data races that end it once all of them are shown.
    pub wanted: WantedRaces,
    /// What checkpoints belong to.
    pub origin: Option<Origin>,
    /// The cluster whose ranks share it, if they are to.
    pub cluster: Option<Cluster>,
}

/// The options of a turn that is made by one process: a cluster and a checkpoint are for whole searches.
#[derive(Clone, Debug)]
pub(super) struct TurnOptions {
    time_limit: Option<Duration>,
    since: Option<Instant>,
    turn: Option<TurnTime>,
    as_found: bool,
    wanted: WantedRaces,
}

impl SearchOptions {
    /// Those of a turn that is made by one process, with what it can hand to another thread.
    pub(super) fn of_turn(turn: TurnOptions) -> Self {
        let TurnOptions { time_limit, since, turn, as_found, wanted } = turn;
        let (checkpoint, resume, origin, cluster) = (None, None, None, None);
        SearchOptions {
            time_limit,
            since,
            turn,
            workers: 1,
            beside: 1,
            checkpoint,
            resume,
            as_found,
            wanted,
            origin,
            cluster,
        }
    }

    /// What a turn that is made by one process has of them.
    pub(super) fn turn_options(&self) -> TurnOptions {
        let SearchOptions { time_limit, since, turn, as_found, .. } = *self;
        TurnOptions { time_limit, since, turn, as_found, wanted: self.wanted.clone() }
    }

    /// Whether its workers have to report what they have left.
    pub(super) fn may_be_divided(&self) -> bool {
        self.workers > 1 || self.checkpoint.is_some() || self.resume.is_some() || self.cluster.is_some()
    }
}
