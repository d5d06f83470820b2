//! Several searches that take turns (`--algorithm auto`): what each turn has come to, and whether it settles the
//! matter.
//!
//! Which search comes next is decided by [`Portfolio`]. Each turn is a search like any other, with processes and
//! reasons of its own. So the answer is that of one turn, which claims what it would claim alone, or there is none.

use super::outcome::{CheckedFinding, Progress, SearchOptions, Searched};
use super::{SuspendedSearch, reasons, turn_of_search};
use crate::error::ToolError;
use crate::run::{GuestEnd, Interrupt, Target};
use crate::verdict::Reason;
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
    mut portfolio: Portfolio,
    targets: &mut Targets<'_>,
    job: &Job,
    options: &SearchOptions,
    interrupt: &Interrupt,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<InTurns, ToolError> {
    let start = Instant::now();
    let mut exhaustive: Option<SuspendedSearch> = None;
    let (mut wanted, mut patience) = (options.wanted.clone(), PATIENCE);
    let mut made = InTurns { turns: Vec::new(), decided: false, impossible: None, elapsed: Duration::ZERO };
    while let Some(turn) = portfolio.turn() {
        let left = || options.time_limit.map_or(Duration::MAX, |limit| limit.saturating_sub(start.elapsed()));
        let is_over = || interrupt.raised() || left().is_zero();
        let state = target_of(&turn, job, targets, patience.min(left()))?;
        if matches!(state, ProgramState::Later) {
            patience = Duration::ZERO;
        }
        let Some(target) = target_now(state, &turn, &mut portfolio, &mut made.impossible, is_over) else { continue };
        let left = job.max_executions.saturating_sub(made.counts().runs());
        let is_exhaustive = turn.part == PortfolioPart::Exhaustive;
        let mut suspended = exhaustive.take_if(|_| is_exhaustive);
        let before = suspended.as_ref().map_or(0, |suspended| suspended.state.counts.runs());
        let job = job_of(&turn, job, left.saturating_add(before));
        let (since, time, workers) = (Some(start), Some(turn.time), if is_exhaustive { options.workers } else { 1 });
        let options = SearchOptions { since, turn: time, workers, wanted: wanted.clone(), ..options.clone() };
        let mut searched = turn_of_search(&target, &job, &options, &mut suspended, interrupt, progress)?;
        searched.reasons.extend(searched.reported.contains(&InconclusiveReason::Endless).then(reasons::endless));
        exhaustive = if is_exhaustive { suspended } else { exhaustive };
        wanted = wanted.without(&searched.confirmed_races(&target.program));
        made.turns.push(Turned { turn, job, searched });
        let Some(end) = made.end_of_last().filter(|_| !wanted.is_all_shown(&options.wanted)) else { break };
        made.turns.last().into_iter().for_each(|last| last.tell(&mut portfolio, end));
    }
    made.elapsed = start.elapsed();
    made.decided = made.is_decided();
    Ok(made)
}

/// The program of this turn, if it is there. If not, the turn is another part's, or none's that is left: then the
/// program is waited for until nobody waits for an answer any more.
fn target_now(
    state: ProgramState<Target>,
    turn: &Turn,
    portfolio: &mut Portfolio,
    impossible: &mut Option<String>,
    is_over: impl Fn() -> bool,
) -> Option<Target> {
    let (why, end) = match state {
        ProgramState::Ready(target) => {
            impossible.take_if(|_| turn.part == PortfolioPart::States);
            return Some(target);
        }
        ProgramState::Later if portfolio.is_last_part() && !is_over() => return None,
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
            let over = searched.timed_out || turn.share.is_used(&turned.counts(), || None);
            return over.then_some(TurnEnd::Share);
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
mod tests {
    use super::*;
    use inspect_core::explore::{Algorithm, Effort, Share, TurnTime};
    use std::collections::BTreeSet;

    fn searched(executions: u64, complete: bool) -> Searched {
        Searched {
            findings: vec![],
            counts: Counts { executions, transitions: 10 * executions, ..Counts::default() },
            before: Counts::default(),
            threads: 2,
            estimated_total: None,
            states: None,
            elapsed: Duration::ZERO,
            complete,
            timed_out: false,
            reasons: vec![],
            reported: BTreeSet::new(),
            end: GuestEnd::Done,
            modules: vec![],
            sampled: None,
            harmless_races: BTreeSet::new(),
            uncompared: vec![],
            sites: vec![],
            first_execution: None,
        }
    }

    fn turn(part: PortfolioPart, algorithm: Algorithm) -> Turn {
        let preemptions = (part == PortfolioPart::Bounded).then_some(1);
        let least = Effort { runs: 100, operations: u64::MAX };
        let share = Share { least, ..Share::of_operations(0) };
        Turn { part, algorithm, preemptions, max_steps: 1000, share, time: TurnTime::of(Duration::MAX), first_run: 0 }
    }

    /// A second turn with this result: how it ended, and whether it is the answer.
    fn after(turn: Turn, searched: Searched) -> (Option<TurnEnd>, bool) {
        let first = Turned { turn, job: crate::run::tests::job(), searched: searched.clone() };
        let job = job_of(&turn, &crate::run::tests::job(), u64::MAX);
        let turns = vec![first, Turned { turn, job, searched }];
        let made = InTurns { turns, decided: false, impossible: None, elapsed: Duration::ZERO };
        (made.end_of_last(), made.is_decided())
    }

    const ALL: [(PortfolioPart, Algorithm); 4] = [
        (PortfolioPart::Exhaustive, Algorithm::Optimal),
        (PortfolioPart::States, Algorithm::Stateful),
        (PortfolioPart::Bounded, Algorithm::CbPor),
        (PortfolioPart::Sampled(Algorithm::Pos), Algorithm::Pos),
    ];

    /// What was reported, as the guest and the host say it.
    fn with(searched: Searched, reported: InconclusiveReason) -> Searched {
        let reasons = vec![Reason::new(format!("{reported:?}"), "something else")];
        Searched { reasons, reported: BTreeSet::from([reported]), ..searched }
    }

    #[test]
    fn a_late_program_gives_way_to_other_parts_and_is_waited_for_once_there_are_none() {
        let mut portfolio = Portfolio::new(Shares::default(), 1000);
        portfolio.took(TurnEnd::Share, &Counts::default(), 2);
        let mut impossible = None;
        let mut late = |portfolio: &mut Portfolio, turn: &Turn, over: bool| {
            assert!(target_now(ProgramState::Later, turn, portfolio, &mut impossible, || over).is_none());
        };
        // Its time is over, but others have turns that say so.
        let turn = portfolio.turn().expect("a turn");
        late(&mut portfolio, &turn, true);
        let mut other = portfolio.turn().expect("a turn");
        assert_eq!((turn.part, other.part), (PortfolioPart::States, PortfolioPart::Sampled(Algorithm::Pos)));
        while other.part != PortfolioPart::States || !portfolio.is_last_part() {
            match other.part {
                PortfolioPart::States => late(&mut portfolio, &other, false),
                _ => portfolio.took(TurnEnd::Impossible, &Counts::default(), 2),
            }
            other = portfolio.turn().expect("the late one is left");
        }
        late(&mut portfolio, &other, false);
        assert_eq!(portfolio.turn().map(|turn| turn.part), Some(PortfolioPart::States), "it is waited for");
        late(&mut portfolio, &other, true);
        assert_eq!(portfolio.turn(), None, "nobody waits any more");
        assert_eq!(impossible.as_deref(), Some("its program was still being built"));
    }

    #[test]
    fn a_search_that_came_to_its_end_and_left_nothing_out_is_the_answer_unless_it_samples() {
        for (part, algorithm) in ALL {
            let (end, decided) = after(turn(part, algorithm), searched(5, true));
            let samples = matches!(part, PortfolioPart::Sampled(_));
            assert_eq!((end.is_none(), decided), (!samples, !samples), "{part:?}");
        }
    }

    #[test]
    fn a_search_that_used_up_its_share_is_no_answer_and_others_follow() {
        for (part, algorithm) in ALL {
            assert_eq!(after(turn(part, algorithm), searched(100, false)), (Some(TurnEnd::Share), false), "{part:?}");
        }
    }

    #[test]
    fn a_search_whose_time_is_over_is_no_answer_and_others_follow() {
        for (part, algorithm) in ALL {
            let timed_out = |complete| Searched { timed_out: true, ..searched(5, complete) };
            assert_eq!(after(turn(part, algorithm), timed_out(false)), (Some(TurnEnd::Share), false), "{part:?}");
            // It came to its end just then.
            let ended = after(turn(part, algorithm), timed_out(true));
            assert_eq!(ended, after(turn(part, algorithm), searched(5, true)), "{part:?}");
        }
    }

    #[test]
    fn a_search_that_ended_early_for_another_reason_ends_it_all_without_an_answer() {
        for (part, algorithm) in ALL {
            assert_eq!(after(turn(part, algorithm), searched(99, false)), (None, false), "{part:?}");
            for end in [GuestEnd::TimeLimit, GuestEnd::Interrupted, GuestEnd::HasShown, GuestEnd::Stuck] {
                let searched = Searched { end, ..searched(100, false) };
                assert_eq!(after(turn(part, algorithm), searched), (None, false), "{part:?}");
            }
        }
    }

    #[test]
    fn a_limit_or_a_bound_that_left_something_out_is_no_answer() {
        let cut = |runs| with(runs, InconclusiveReason::Limit(LimitKind::Steps));
        for (part, algorithm) in ALL {
            let mut runs = searched(5, true);
            runs.counts.limited = 1;
            let over = Some(TurnEnd::Over { cut: true });
            assert_eq!(after(turn(part, algorithm), cut(runs)), (over, false), "{part:?}");
        }
        let bounded = with(searched(5, true), InconclusiveReason::PreemptionBound(1));
        let over = Some(TurnEnd::Over { cut: false });
        assert_eq!(after(turn(PortfolioPart::Bounded, Algorithm::CbPor), bounded), (over, false));
    }

    #[test]
    fn what_a_complete_search_could_not_see_through_keeps_it_from_being_verified() {
        let unseen = || with(searched(5, true), InconclusiveReason::CxxLibrary);
        let exhaustive = after(turn(PortfolioPart::Exhaustive, Algorithm::Optimal), unseen());
        assert_eq!(exhaustive, (None, false), "no other search would see more");
        let over = Some(TurnEnd::Over { cut: false });
        assert_eq!(after(turn(PortfolioPart::States, Algorithm::Stateful), unseen()), (over, false));
    }

    #[test]
    fn without_an_answer_there_is_always_a_reason_and_none_is_of_a_share() {
        for (part, algorithm) in ALL {
            let turn = turn(part, algorithm);
            let job = job_of(&turn, &crate::run::tests::job(), u64::MAX);
            let mut searched = searched(100, false);
            searched.reasons.extend(job.preemptions.map(reasons::of_bound));
            let turns = vec![Turned { turn, job, searched }];
            let made = InTurns { turns, decided: false, impossible: None, elapsed: Duration::ZERO };
            let all = made.reasons(&crate::run::tests::job(), None);
            assert_eq!(all.len(), 1, "{all:?}");
            assert!(all[0].what.starts_with("no search that covers everything"), "{all:?}");
        }
    }

    #[test]
    fn options_that_a_search_does_not_have_leave_it_out() {
        let states = turn(PortfolioPart::States, Algorithm::Stateful);
        let exhaustive = turn(PortfolioPart::Exhaustive, Algorithm::Optimal);
        let job = crate::run::tests::job();
        let fork = Job { mode: Mode::Fork, ..job.clone() };
        let sync = Job { plain_accesses: PlainAccesses::Sync, ..job.clone() };
        assert_eq!((not_with(&states, &job), not_with(&exhaustive, &fork)), (None, None));
        assert!(not_with(&states, &fork).is_some_and(|why| why.starts_with("--mode fork: ")));
        assert!(not_with(&states, &sync).is_some_and(|why| why.starts_with("--plain-accesses sync: ")));
    }
}
