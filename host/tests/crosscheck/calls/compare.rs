//! Compares searches of a program of calls with each other, and with all that it can do.

use super::oracle::{Outcome, outcomes};
use super::program::{Program, Topic};
use crate::batch::Batch;
use crate::brute::{Key, key, synchronisation};
use crate::native::{self, Way};
use inspect_core::detect::FindingKind;
use inspect_core::event::{Ending, Step, Trace};
use inspect_core::explore::Algorithm;
use inspect_core::model::{Fingerprint, fingerprint};
use inspect_host::run::{GuestEnd, ReplayTrace, ReportedFinding, RunOutput};
use inspect_host::search::FindingIdentity;
use inspect_wire::message::{InconclusiveReason, Job, Mode, PlainAccesses};
use std::collections::{BTreeMap, BTreeSet};

/// Interleavings above which a program is too large for brute force.
const INTERLEAVINGS: u64 = 1_500;
/// Interleavings above which brute force is not made again in other modes.
const FEW: usize = 200;
/// Traces that a program must have to be compared.
const TRACES: usize = 2;
/// Executions above which a program is not explored with plain accesses as operations.
const VISIBLE: u64 = 400;
/// Words that hold what a program leaves behind.
const WORDS: u16 = 8;

/// What a search has found.
struct Found {
    output: RunOutput,
    traces: BTreeMap<Fingerprint, usize>,
    outcomes: BTreeSet<Outcome>,
    findings: BTreeSet<Key>,
    reasons: BTreeSet<String>,
    blocked: usize,
}

/// What came of checking a program.
pub(super) struct Checked {
    pub(super) traces: u64,
    /// Whether the searches left nothing out.
    pub(super) complete: bool,
    /// Whether the outcomes are those of the strict model.
    pub(super) exact: bool,
    pub(super) reasons: BTreeSet<String>,
    pub(super) kinds: BTreeSet<FindingKind>,
}

/// Checks one program.
pub(super) struct Checker<'a> {
    /// The program without frame records, and with them.
    batches: [&'a Batch; 2],
    number: usize,
    program: &'a Program,
    /// Differences.
    pub(super) failures: Vec<String>,
    /// Native runs made.
    pub(super) runs: u64,
}

fn is_end(trace: &ReplayTrace) -> bool {
    !matches!(trace.ending, Ending::Blocked | Ending::Revisited | Ending::AssumeBlocked | Ending::Limit(_))
}

/// A reason without its place.
fn words(reason: &InconclusiveReason) -> String {
    match reason {
        InconclusiveReason::Other(text) => text.clone(),
        InconclusiveReason::Unmodelled { call, .. } => call.clone(),
        other => format!("{other:?}"),
    }
}

fn all_traces(output: &RunOutput) -> impl Iterator<Item = &ReplayTrace> {
    output.earlier_traces.iter().chain(&output.trace)
}

/// The trace of a run, of synchronisation events only if so.
fn trace_of(native: &ReplayTrace, plain: PlainAccesses) -> Trace {
    let mut trace = Trace::new();
    trace.ending = native.ending;
    trace.events.clone_from(&native.events);
    trace.pending.clone_from(&native.pending);
    if plain == PlainAccesses::All { trace } else { synchronisation(&trace) }
}

fn findings(output: &RunOutput) -> BTreeSet<Key> {
    output.findings.iter().map(|reported| key(&reported.finding, |site| site)).collect()
}

impl Found {
    fn of(output: RunOutput, plain: PlainAccesses) -> Found {
        let mut traces: BTreeMap<Fingerprint, usize> = BTreeMap::new();
        let mut outcomes = BTreeSet::new();
        for native in all_traces(&output).filter(|native| native.ending != Ending::Blocked) {
            *traces.entry(fingerprint(&trace_of(native, plain))).or_default() += 1;
            if is_end(native) {
                outcomes.insert((native.contents.clone(), native.ending != Ending::Completed));
            }
        }
        let blocked = all_traces(&output).count() - traces.values().sum::<usize>();
        let reasons = output.reasons.iter().map(words).collect();
        Found { traces, outcomes, findings: findings(&output), reasons, blocked, output }
    }

    fn is_complete(&self) -> bool {
        self.output.done.is_some_and(|(_, complete)| complete)
    }

    /// Whether every call was modelled: what comes behind one that was not is explored by none.
    fn is_covered(&self) -> bool {
        self.reasons.iter().all(|reason| INTERRUPTED.contains(&reason.as_str()))
    }
}

fn missed<T: Ord + std::fmt::Debug>(what: &str, wanted: &BTreeSet<T>, seen: &BTreeSet<T>) -> Result<(), String> {
    let missed: Vec<&T> = wanted.difference(seen).collect();
    if missed.is_empty() {
        return Ok(());
    }
    Err(format!("{} of {} {what} missed, as {:x?}", missed.len(), wanted.len(), &missed[..missed.len().min(3)]))
}

fn same<T: Ord + std::fmt::Debug>(what: &str, wanted: &BTreeSet<T>, seen: &BTreeSet<T>) -> Result<(), String> {
    missed(what, wanted, seen)?;
    missed(&format!("{what} invented"), seen, wanted)
}

impl<'a> Checker<'a> {
    /// For the program with this number.
    pub(super) fn new(batches: [&'a Batch; 2], number: usize, program: &'a Program) -> Self {
        Checker { batches, number, program, failures: Vec::new(), runs: 0 }
    }

    /// What searches that compare states need is built with frame records.
    fn batch(&self, way: Way) -> &'a Batch {
        self.batches[usize::from(way.algorithm == Algorithm::Stateful)]
    }

    fn job(&self, way: Way) -> Job {
        native::job(self.batch(way), way, Mode::Restore, false, WORDS)
    }

    fn explore(&mut self, way: Way, job: &Job) -> Found {
        let output = native::explore(self.batch(way), self.number, job);
        self.runs += all_traces(&output).count() as u64;
        Found::of(output, way.plain)
    }

    /// Compares all searches. None if the program is too large, or has nothing to explore.
    pub(super) fn check(&mut self) -> Option<Checked> {
        let plain = PlainAccesses::Racy;
        let all = Way { algorithm: Algorithm::Dfs, plain, bound: None, fork: false };
        let brute = self.explore(all, &Job { max_executions: INTERLEAVINGS, ..self.job(all) });
        if !brute.is_complete() || brute.traces.len() < TRACES {
            return None;
        }
        let exact = self.outcomes(&brute);
        for algorithm in ALGORITHMS {
            self.compare(Way { algorithm, ..all }, &brute);
        }
        if brute.is_covered() {
            self.visible(&brute);
        }
        let few = all_traces(&brute.output).count() <= FEW;
        for algorithm in [Algorithm::Optimal, Algorithm::Dfs] {
            if few || algorithm == Algorithm::Optimal {
                self.otherwise(Way { algorithm, ..all });
            }
        }
        self.replays(&brute);
        let complete = brute.is_complete() && brute.reasons.is_empty();
        let kinds: BTreeSet<FindingKind> = brute.findings.iter().map(|key| key.0).collect();
        if let Err(difference) = missed("kinds of findings", &kinds, &KINDS.into()) {
            self.fail("findings", difference);
        }
        Some(Checked { traces: brute.traces.len() as u64, complete, exact, reasons: brute.reasons, kinds })
    }

    fn fail(&mut self, how: &str, difference: String) {
        self.failures.push(format!("{how}: {difference}"));
    }

    /// Compares with all that the program can end with; whether it is exactly that.
    fn outcomes(&mut self, found: &Found) -> bool {
        let (Some(strict), Some(loose)) = (outcomes(self.program, false), outcomes(self.program, true)) else {
            return false;
        };
        if let Err(difference) = missed("outcomes invented", &found.outcomes, &loose) {
            self.fail("loose model", difference);
        }
        if found.is_covered()
            && let Err(difference) = missed("outcomes", &strict, &found.outcomes)
        {
            self.fail("strict model", difference);
        }
        found.outcomes == strict
    }

    /// What a search in another way finds must be what brute force has found.
    fn compare(&mut self, way: Way, brute: &Found) {
        let found = self.explore(way, &self.job(way));
        if let Err(difference) = self.differs(way, &found, brute) {
            self.fail(&format!("{way:?}"), difference);
        }
    }

    fn differs(&self, way: Way, found: &Found, brute: &Found) -> Result<(), String> {
        sound(&found.output)?;
        if found.reasons != brute.reasons {
            // A state that cannot be compared is a reason of its own; none is missing, and nothing is invented.
            if way.algorithm == Algorithm::Stateful && found.reasons.is_superset(&brute.reasons) {
                return missed("outcomes invented", &found.outcomes, &brute.outcomes);
            }
            return Err(format!("reasons {:?} instead of {:?}", found.reasons, brute.reasons));
        }
        if !brute.is_covered() {
            return Ok(());
        }
        same("outcomes", &brute.outcomes, &found.outcomes)?;
        if way.algorithm == Algorithm::Stateful {
            // Its program is another one, with other addresses.
            let kinds = |found: &Found| found.findings.iter().map(|key| (key.0, key.1)).collect::<BTreeSet<_>>();
            return (kinds(found) == kinds(brute)).then_some(()).ok_or_else(|| format!("findings {:?}", kinds(found)));
        }
        same("findings", &brute.findings, &found.findings)?;
        if self.program.closes_again() {
            return Ok(());
        }
        let names = |found: &Found| found.traces.keys().copied().collect::<BTreeSet<_>>();
        same("traces", &names(brute), &names(found))?;
        let again = found.traces.values().filter(|&&times| times > 1).count();
        // Searches see words for which a thread waits together as one.
        let again = if found.output.watch_sets.is_empty() { again } else { 0 };
        if way.algorithm == Algorithm::Optimal && (again > 0 || found.blocked > 0) {
            return Err(format!("{again} traces again, {} blocked", found.blocked));
        }
        Ok(())
    }

    /// With all plain accesses visible, searches find the same as each other, and the same outcomes as without; where
    /// handlers run, those that come from handlers right before these accesses as well.
    fn visible(&mut self, brute: &Found) {
        let way = |algorithm| Way { algorithm, plain: PlainAccesses::All, bound: None, fork: false };
        let optimal = way(Algorithm::Optimal);
        let first = self.explore(optimal, &Job { max_executions: VISIBLE, ..self.job(optimal) });
        if !first.is_complete() {
            return;
        }
        let handling = self.program.handling;
        let more = match self.program.topic {
            // A handler that runs in the middle of another one's plain addition makes it lost; the model adds at once.
            Topic::Handlers if handling.quiet && handling.nests => None,
            Topic::Handlers => outcomes(self.program, true),
            _ => Some(brute.outcomes.clone()),
        };
        let compared = sound(&first.output)
            .and_then(|()| missed("outcomes", &brute.outcomes, &first.outcomes))
            .and_then(|()| more.map_or(Ok(()), |more| missed("outcomes invented", &first.outcomes, &more)));
        if let Err(difference) = compared {
            self.fail(&format!("{optimal:?}"), difference);
        }
        for algorithm in [Algorithm::Source, Algorithm::Dpor] {
            self.compare(way(algorithm), &first);
        }
    }

    /// The search must report the same, event by event, if runs are started or resumed in another way.
    fn otherwise(&mut self, way: Way) {
        let job = self.job(way);
        let first = self.explore(way, &job).output;
        let forked = Job { mode: Mode::Fork, ..job.clone() };
        let resumed = [0, 1, 3].map(|checkpoint_every| Job { checkpoint_every, ..job.clone() });
        for other_job in [forked].iter().chain(&resumed) {
            let other = self.explore(way, other_job).output;
            let same = other.earlier_traces == first.earlier_traces
                && other.trace == first.trace
                && other.findings == first.findings
                && other.done == first.done
                && other.reasons == first.reasons
                && other.end == first.end;
            if !same {
                let how = format!("{way:?}, {:?}, checkpoints every {}", other_job.mode, other_job.checkpoint_every);
                self.fail(&how, first_difference(&first, &other));
            }
        }
    }

    /// Findings show again in fresh processes, in the same run, wherever the kernel maps the program.
    fn replays(&mut self, brute: &Found) {
        let way = Way { algorithm: Algorithm::Dfs, plain: PlainAccesses::Racy, bound: None, fork: false };
        for reported in &brute.output.findings {
            if let Err(difference) = self.replay(&self.job(way), reported, &brute.output) {
                self.fail("replay", difference);
            }
        }
    }

    fn replay(&self, job: &Job, reported: &ReportedFinding, found_by: &RunOutput) -> Result<(), String> {
        let job = native::replay(job, reported);
        let wanted = FindingIdentity::of(&reported.finding, &found_by.modules);
        let forked = Job { mode: Mode::Fork, ..job.clone() };
        for (how, output) in [
            ("", native::explore(self.batches[0], self.number, &job)),
            (" in fork mode", native::explore(self.batches[0], self.number, &forked)),
            (" with other addresses", native::explore_elsewhere(self.batches[0], self.number, &job)),
        ] {
            let shows = |again: &ReportedFinding| FindingIdentity::of(&again.finding, &output.modules) == wanted;
            let kind = reported.finding.kind;
            if !output.findings.iter().any(shows) {
                return Err(format!("{kind:?} does not show again{how}: {:?} {:?}", output.end, output.divergences));
            }
            let trace = output.trace.as_ref().ok_or("a replay without a trace")?;
            let taken = trace.events.iter().map(|event| Step { thread: event.thread, choice: event.choice });
            if !taken.take(reported.finding.steps.len()).eq(reported.finding.steps.iter().copied()) {
                return Err(format!("{kind:?}: another run{how}"));
            }
        }
        Ok(())
    }
}

/// Reasons of programs whose searches can be compared nevertheless: handlers run only where threads look for signals,
/// and requests and signals that come during a wait at a descriptor end it only where it begins.
const INTERRUPTED: [&str; 3] = [
    "a handler of signals that threads send",
    "a wait at a pipe, an event counter, a socket, a timer or an epoll instance, in a program that cancels threads",
    "a wait at a pipe, an event counter, a socket, a timer or an epoll instance, where signals interrupt threads",
];

/// What these programs may be found to do. No other misuse, and no data race, is in any of them.
const KINDS: [FindingKind; 4] =
    [FindingKind::Deadlock, FindingKind::Crash, FindingKind::MutexNotDestroyed, FindingKind::MissingPthreadExit];

/// Those that are compared with brute force.
const ALGORITHMS: [Algorithm; 6] =
    [Algorithm::Optimal, Algorithm::Source, Algorithm::Dpor, Algorithm::Flip, Algorithm::Ddpor, Algorithm::Stateful];

/// Checks that nothing went wrong.
fn sound(output: &RunOutput) -> Result<(), String> {
    if output.end == GuestEnd::Done && output.divergences.is_empty() && output.tool_errors.is_empty() {
        return Ok(());
    }
    let RunOutput { end, done, divergences, tool_errors, reasons, .. } = output;
    Err(format!("{end:?}, {done:?}, {divergences:?}, {tool_errors:?}, {reasons:?}"))
}

fn first_difference(one: &RunOutput, other: &RunOutput) -> String {
    let pairs = || all_traces(one).zip(all_traces(other));
    let counts = [one, other].map(|output| all_traces(output).count());
    match pairs().position(|(one, other)| one != other) {
        None => format!("{counts:?} traces, {:?} {:?}", one.reasons, other.reasons),
        Some(at) => format!("{counts:?} traces, that with number {at} differs"),
    }
}
