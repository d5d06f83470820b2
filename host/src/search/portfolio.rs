//! Several searches that take turns (`--algorithm auto`): what each turn has come to, and whether it settles the
//! matter.
//!
//! Which search comes next is decided by [`Portfolio`]. Each turn is a search like any other, with processes and
//! reasons of its own. So the answer is that of one turn, which claims what it would claim alone, or there is none.

mod ahead;

use super::outcome::{CheckedFinding, Progress, SearchOptions, Searched};
use super::wanted::WantedRaces;
use super::{SuspendedSearch, reasons, turn_of_search};
use crate::error::ToolError;
use crate::run::{GuestEnd, Interrupt, Target};
use crate::verdict::Reason;
use ahead::{PlannedTurn, TurnsAhead};
use inspect_core::event::LimitKind;
use inspect_core::explore::catalogue::Requirement;
use inspect_core::explore::{Counts, Portfolio, PortfolioPart, SamplingOptions, Shares, Turn, TurnEnd};
use inspect_wire::message::{InconclusiveReason, Job, Mode, PlainAccesses};
use std::time::{Duration, Instant};

/// A turn that was made.
#[derive(Clone, Debug)]
pub struct Turned {
    /// What it was.
    pub turn: Turn,
    /// Its job.
    pub job: Job,
    /// What came of it.
    pub searched: Searched,
}

impl Turned {
    /// What this turn has counted.
    pub fn counts(&self) -> Counts {
        self.searched.counts - self.searched.before
    }

    /// Tells the portfolio how it ended and what it has come to.
    fn tell(&self, portfolio: &mut Portfolio, end: TurnEnd) {
        if self.turn.part == PortfolioPart::Exhaustive {
            portfolio.note_reached(self.searched.reached());
        }
        portfolio.took(end, &self.counts(), self.searched.threads);
    }

    /// Whether it covered all that its bound on preemptions allows.
    pub fn covers_its_bound(&self) -> bool {
        self.job.preemptions.is_some() && self.searched.complete && self.searched.counts.limited == 0
    }

    /// Whether its bound on preemptions has left something out.
    fn leaves_out(&self) -> bool {
        let left_out = InconclusiveReason::PreemptionBound;
        self.job.preemptions.is_some_and(|bound| self.searched.reported.contains(&left_out(bound)))
    }

    /// Whether a run was cut for its length.
    fn has_cut(&self) -> bool {
        self.searched.reported.contains(&InconclusiveReason::Limit(LimitKind::Steps))
    }
}

/// All turns.
#[derive(Clone, Debug)]
pub struct InTurns {
    /// The turns, in order; at least one.
    pub turns: Vec<Turned>,
    /// The answer is that of the last turn alone.
    pub decided: bool,
    /// Why no turn compares states, if none could, or none has yet.
    pub impossible: Option<String>,
    /// Time spent in all.
    pub elapsed: Duration,
}

/// Whether there is a program for a search.
#[derive(Clone, Debug)]
pub enum ProgramState<T> {
    /// This one.
    Ready(T),
    /// It is still being built.
    Later,
    /// None, and why.
    Never(String),
}

impl<T> ProgramState<T> {
    /// The same of something else about the program.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> ProgramState<U> {
        match self {
            ProgramState::Ready(program) => ProgramState::Ready(change(program)),
            ProgramState::Later => ProgramState::Later,
            ProgramState::Never(why) => ProgramState::Never(why),
        }
    }
}

/// Gives the program built for a kind of search, if it is built within this time, or says why there is none.
pub type Targets<'a> = dyn FnMut(Requirement, Duration) -> Result<ProgramState<Target>, ToolError> + 'a;

/// How long others wait for the build of a program, in all: most are over by then, so that the order of turns depends
/// on the machine for none but large programs.
const PATIENCE: Duration = Duration::from_millis(1500);

/// The searches of `--algorithm auto`.
pub fn all_searches(job: &Job) -> Portfolio {
    Portfolio::new(shares(job), job.max_steps)
}

/// The searches that sample, with short turns at first: each has bugs that it finds at once.
pub fn sampling_searches(job: &Job) -> Portfolio {
    const SHORTER: u64 = 10;
    let shares = shares(job);
    Portfolio::of_samples(Shares { round: shares.round / SHORTER, ..shares }, job.max_steps)
}

/// Lets searches take turns until one of them settles the matter, nothing is left to try, or a limit is reached.
pub fn in_turns(
    portfolio: Portfolio,
    targets: &mut Targets<'_>,
    job: &Job,
    options: &SearchOptions,
    interrupt: &Interrupt,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<InTurns, ToolError> {
    let start = Instant::now();
    let made = InTurns { turns: Vec::new(), decided: false, impossible: None, elapsed: Duration::ZERO };
    let wanted = options.wanted.clone();
    let mut turns = Turns {
        portfolio,
        targets,
        job,
        options,
        interrupt,
        start,
        made,
        wanted,
        patience: PATIENCE,
        exhaustive: None,
    };
    std::thread::scope(|scope| {
        // With a limit, how many runs a turn may make depends on those before.
        let beside = if job.max_executions == u64::MAX { options.beside } else { 1 };
        let mut ahead = TurnsAhead::new(scope, beside);
        while turns.make(&mut ahead, progress)? {}
        Ok(())
    })?;
    let mut made = turns.made;
    made.elapsed = start.elapsed();
    made.decided = made.is_decided();
    Ok(made)
}

/// Searches that take turns.
struct Turns<'a, 't> {
    portfolio: Portfolio,
    targets: &'a mut Targets<'t>,
    job: &'a Job,
    options: &'a SearchOptions,
    interrupt: &'a Interrupt,
    start: Instant,
    made: InTurns,
    /// What is still to be shown.
    wanted: WantedRaces,
    /// How long others still wait for the build of a program.
    patience: Duration,
    /// The exhaustive search between two of its turns.
    exhaustive: Option<SuspendedSearch>,
}

impl Turns<'_, '_> {
    /// Makes the next turn; false if there is none, or the last one was the answer.
    fn make(
        &mut self,
        ahead: &mut TurnsAhead<'_, '_>,
        progress: &mut dyn FnMut(Progress<'_>),
    ) -> Result<bool, ToolError> {
        let Some(turn) = self.portfolio.turn() else { return Ok(false) };
        let Some(target) = self.target(&turn)? else { return Ok(true) };
        let is_exhaustive = turn.part == PortfolioPart::Exhaustive;
        let mut suspended = self.exhaustive.take_if(|_| is_exhaustive);
        let before = suspended.as_ref().map_or(0, |suspended| suspended.state.counts.runs());
        let due = self.planned(&turn, target, before);
        let taken = ahead.take(&due);
        if !self.portfolio.is_at_start() {
            ahead.begin(self.portfolio.clone(), due.options.workers, &mut |turn| self.planned_ahead(turn))?;
        }
        let PlannedTurn { target, job, options, .. } = due;
        let searched = match taken {
            Some(begun) => begun.wait(self.interrupt),
            None => turn_of_search(&target, &job, &options, &mut suspended, self.interrupt, progress),
        };
        let mut searched = searched?;
        searched.reasons.extend(searched.reported.contains(&InconclusiveReason::Endless).then(reasons::endless));
        self.exhaustive = if is_exhaustive { suspended } else { self.exhaustive.take() };
        self.wanted = self.wanted.without(&searched.confirmed_races(&target.program));
        self.made.turns.push(Turned { turn, job, searched });
        let end = self.made.end_of_last().filter(|_| !self.wanted.is_all_shown(&self.options.wanted));
        let (Some(end), Some(last)) = (end, self.made.turns.last()) else { return Ok(false) };
        last.tell(&mut self.portfolio, end);
        Ok(true)
    }

    /// The time that is left.
    fn left(&self) -> Duration {
        self.options.time_limit.map_or(Duration::MAX, |limit| limit.saturating_sub(self.start.elapsed()))
    }

    /// The program of the next turn; None if it is not there, and the turn passed on.
    fn target(&mut self, turn: &Turn) -> Result<Option<Target>, ToolError> {
        let patience = self.patience.min(self.left());
        let state = target_of(turn, self.job, self.targets, patience)?;
        if matches!(state, ProgramState::Later) {
            self.patience = Duration::ZERO;
        }
        let is_over = self.interrupt.raised() || self.left().is_zero();
        Ok(target_now(state, turn, &mut self.portfolio, &mut self.made.impossible, is_over))
    }

    /// What a turn is, of a search that has made so many runs `before`.
    fn planned(&self, turn: &Turn, target: Target, before: u64) -> PlannedTurn {
        let left = match self.job.max_executions {
            u64::MAX => u64::MAX,
            limit => limit.saturating_sub(self.made.counts().runs()).saturating_add(before),
        };
        let workers = if turn.part == PortfolioPart::Exhaustive { self.options.workers } else { 1 };
        let (since, time, wanted) = (Some(self.start), Some(turn.time), self.wanted.clone());
        let options = SearchOptions { since, turn: time, workers, wanted, ..self.options.clone() };
        PlannedTurn { turn: *turn, target, job: job_of(turn, self.job, left), options }
    }

    /// What a turn will be that is not the next one; None if its program is not there.
    fn planned_ahead(&mut self, turn: &Turn) -> Result<Option<PlannedTurn>, ToolError> {
        match target_of(turn, self.job, self.targets, Duration::ZERO)? {
            ProgramState::Ready(target) => Ok(Some(self.planned(turn, target, 0))),
            ProgramState::Later | ProgramState::Never(_) => Ok(None),
        }
    }
}

/// The program of this turn, if it is there. If not, the turn is another part's, or none's that is left: then the
/// program is waited for until nobody waits for an answer any more.
fn target_now(
    state: ProgramState<Target>,
    turn: &Turn,
    portfolio: &mut Portfolio,
    impossible: &mut Option<String>,
    is_over: bool,
) -> Option<Target> {
    let (why, end) = match state {
        ProgramState::Ready(target) => {
            impossible.take_if(|_| turn.part == PortfolioPart::States);
            return Some(target);
        }
        ProgramState::Later if portfolio.is_last_part() && !is_over => return None,
        ProgramState::Later => {
            let end = if portfolio.is_last_part() { TurnEnd::Impossible } else { TurnEnd::Later };
            ("its program was still being built".into(), end)
        }
        ProgramState::Never(why) => (why, TurnEnd::Impossible),
    };
    *impossible = Some(why);
    portfolio.took(end, &Counts::default(), 0);
    None
}

fn shares(job: &Job) -> Shares {
    match job.mode {
        Mode::Restore => Shares::default(),
        Mode::Fork => Shares::of_slow_runs(),
    }
}

/// Why an option of the user's does not go with a turn, if one does not.
fn not_with(turn: &Turn, job: &Job) -> Option<String> {
    let row = turn.algorithm.description();
    let asked = [
        ("--mode fork", job.mode == Mode::Fork, row.fork),
        ("--plain-accesses sync", job.plain_accesses == PlainAccesses::Sync, row.sync),
    ];
    let refused = |(option, is_asked, answer): (&str, bool, Result<(), &str>)| match answer {
        Err(why) if is_asked => Some(format!("{option}: {why}")),
        Ok(()) | Err(_) => None,
    };
    asked.into_iter().find_map(refused)
}

/// The program built for a turn, or why there is none.
fn target_of(
    turn: &Turn,
    job: &Job,
    targets: &mut Targets<'_>,
    patience: Duration,
) -> Result<ProgramState<Target>, ToolError> {
    match not_with(turn, job) {
        Some(why) => Ok(ProgramState::Never(why)),
        None => targets(turn.algorithm.description().requires, patience),
    }
}

/// The job of a turn, if its search may make so many runs in all.
fn job_of(turn: &Turn, job: &Job, left: u64) -> Job {
    // A search that samples goes on until its share is used up.
    let runs = matches!(turn.part, PortfolioPart::Sampled(_)).then_some(u64::MAX);
    Job {
        algorithm: turn.algorithm,
        preemptions: turn.preemptions,
        max_steps: turn.max_steps,
        max_executions: left,
        share: Some(turn.share),
        sampling: SamplingOptions { runs, first_run: turn.first_run, ..job.sampling },
        ..job.clone()
    }
}

impl InTurns {
    /// What all turns have counted.
    pub fn counts(&self) -> Counts {
        let mut all = Counts::default();
        self.turns.iter().for_each(|turned| all += turned.counts());
        all
    }

    /// How the last turn ended if others are to follow; None if it settles the matter, or reached a limit.
    fn end_of_last(&self) -> Option<TurnEnd> {
        let turned @ Turned { turn, job, searched } = self.turns.last()?;
        let found = searched.findings.iter().any(CheckedFinding::is_error) && !job.keep_going;
        let limited = searched.end != GuestEnd::Done || searched.counts.runs() >= job.max_executions;
        if found || limited || searched.evidence(job).is_whole() {
            return None;
        }
        if !searched.complete {
            // An end that is not explained by the share is one that no other turn can be expected to come around.
            let is_used = turn.share.is_used(&turned.counts(), || None);
            return if searched.timed_out { Some(TurnEnd::Time) } else { is_used.then_some(TurnEnd::Share) };
        }
        let cut = turned.has_cut();
        match turn.part {
            // Runs were cut for their length, and for nothing else that another search would meet as well.
            PortfolioPart::Exhaustive if cut => Some(TurnEnd::Over { cut }),
            PortfolioPart::Exhaustive => None,
            PortfolioPart::Bounded if cut || turned.leaves_out() => Some(TurnEnd::Over { cut }),
            PortfolioPart::Bounded => None,
            PortfolioPart::States | PortfolioPart::Sampled(_) => Some(TurnEnd::Over { cut }),
        }
    }

    /// Whether the last turn alone is the answer: it found an error, covered everything, or was the only one.
    fn is_decided(&self) -> bool {
        let Some(Turned { job, searched, .. }) = self.turns.last() else { return false };
        let found = searched.findings.iter().any(CheckedFinding::is_error) && !job.keep_going;
        found || self.turns.len() == 1 || searched.evidence(job).is_whole()
    }

    /// What keeps the verdict from being `verified` if no turn settled the matter: the limit that ended it all, then
    /// what turns reported that is no matter of their shares.
    pub fn reasons(&self, job: &Job, time_limit: Option<Duration>) -> Vec<Reason> {
        let mut all = Vec::new();
        if let Some(last) = self.turns.last() {
            all.extend(reasons::of_end(&last.searched.end, time_limit, job));
        }
        if self.counts().runs() >= job.max_executions {
            all.push(reasons::of_full(job));
        }
        for turned in &self.turns {
            let of_share = turned.of_its_share(time_limit);
            for reason in turned.searched.reasons.iter().filter(|reason| !of_share.contains(reason)) {
                if !all.contains(reason) {
                    all.push(reason.clone());
                }
            }
        }
        if all.is_empty() {
            all.push(Reason::new(
                "no search that covers everything came to its end",
                "a driver with fewer threads or operations",
            ));
        }
        all
    }
}

impl Turned {
    /// The reasons that concern this turn only: its bounds and limits.
    fn of_its_share(&self, time_limit: Option<Duration>) -> Vec<Reason> {
        let mut own = vec![reasons::of_full(&self.job)];
        own.extend(reasons::of_end(&self.searched.end, time_limit, &self.job));
        own.extend(self.job.preemptions.map(reasons::of_bound));
        if self.turn.part != PortfolioPart::Exhaustive {
            own.push(reasons::of_limit(LimitKind::Steps, &self.job));
        }
        own
    }
}

#[cfg(test)]
mod tests;
