//! `inspect confirm`: looks for schedules that show what a person or another tool suspects.

use super::answer::{Answer, Found};
use super::build::Builds;
use super::check::{Delivery, deliver};
use super::config::{Config, Searches, Surroundings};
use super::flags::{CheckFlags, ConfirmFlags, PlainAccessesName};
use crate::error::{ToolError, plain};
use crate::lines::{InstrumentedLines, NotFound, shown as shown_file};
use crate::program::{Image, is_known_library};
use crate::report::progress::ProgressLine;
use crate::report::suspects::{SuspectAnswer, SuspectFigures, Suspects};
use crate::report::text::Replay;
use crate::run::{GuestEnd, Interrupt, Limits, Target, Terminal, run};
use crate::search::{
    Confirmation, Progress, SearchOptions, Searched, Wanted, WantedPlaces, all_searches, in_turns, not_started,
    reasons, search,
};
use crate::suspects::{SourceLine, Suspect, SuspectKind, of_report};
use crate::symbols::Symbols;
use crate::verdict::{Evidence, Reason, Verdict, decide};
use inspect_core::explore::Algorithm;
use inspect_core::explore::catalogue::HashedStates;
use inspect_wire::message::{Job, PlainAccesses};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The largest report that is read, in bytes.
const LARGEST: u64 = 1 << 28;
/// The part of the time that prediction may take before everything else.
const PART_OF_PREDICTION: u32 = 4;

/// A resolved `inspect confirm`.
pub(super) struct ConfirmConfig {
    config: Config,
    suspects: Vec<Suspect>,
    /// They are of the command line: a place that is none of the program's is wrong usage.
    named: bool,
}

impl ConfirmConfig {
    /// Checks the flags, and reads the report.
    pub(super) fn resolve(flags: ConfirmFlags, surroundings: Surroundings) -> Result<ConfirmConfig, ToolError> {
        let ConfirmFlags { report, mut check } = flags;
        refuse(&check)?;
        let (places, mut inputs) = split(&check.inputs);
        let suspects = match &report {
            Some(_) if !places.is_empty() => {
                return Err(ToolError::new("--report has the places: FILE:LINE is for what no report names"));
            }
            Some(path) => reported(path)?,
            None => vec![named(&places)?],
        };
        if inputs.is_empty() {
            inputs = sources(&places)?;
        }
        check.inputs = inputs;
        check.keep_going = true;
        let config = Config { searches: Searches::Confirming, ..Config::resolve(check, surroundings)? };
        Ok(ConfirmConfig { config, suspects, named: report.is_none() })
    }
}

/// Refuses options that would change what is found, or which searches are made.
fn refuse(flags: &CheckFlags) -> Result<(), ToolError> {
    let severities = [&flags.warn, &flags.error, &flags.ignore];
    let sync = flags.plain_accesses == Some(PlainAccessesName::Sync);
    let refused = [
        (!flags.is_portfolio(), "--algorithm, --preemptions, --checkpoint and --resume", "several searches take turns"),
        (flags.jobs > 1, "-j", "the search has one process"),
        (
            severities.iter().any(|kinds| !kinds.is_empty()),
            "--warn, --error and --ignore",
            "only what is asked for is shown",
        ),
        (flags.races_in.is_some(), "--races-in", "a race that it leaves out would seem refuted"),
        (sync, "--plain-accesses sync", "the orders of accesses are what is looked for"),
        (flags.junit.is_some() || flags.sarif.is_some(), "--junit and --sarif", "they are reports of a check"),
    ];
    match refused.into_iter().find(|(is_given, ..)| *is_given) {
        Some((_, options, why)) => {
            Err(ToolError::new(format!("{options}: for inspect check, not for inspect confirm: {why}")))
        }
        None => Ok(()),
    }
}

/// The places among the arguments, and the files.
fn split(inputs: &[PathBuf]) -> (Vec<SourceLine>, Vec<PathBuf>) {
    let place = |path: &PathBuf| path.to_str().filter(|_| !path.exists()).and_then(SourceLine::parse);
    let places = inputs.iter().filter_map(place).collect();
    (places, inputs.iter().filter(|path| place(path).is_none()).cloned().collect())
}

/// The two places of the command line.
fn named(places: &[SourceLine]) -> Result<Suspect, ToolError> {
    let [_, _] = places else {
        return Err(ToolError::new(format!(
            "two places are needed, and there are {}: write FILE:LINE FILE:LINE, or --report FILE",
            places.len()
        )));
    };
    Ok(Suspect { kind: SuspectKind::Either, stacks: places.iter().map(|place| vec![place.clone()]).collect() })
}

/// The files of the places, if no program is named.
fn sources(places: &[SourceLine]) -> Result<Vec<PathBuf>, ToolError> {
    let mut files: Vec<PathBuf> = places.iter().map(|place| PathBuf::from(&place.file)).collect();
    files.dedup();
    if files.is_empty() {
        return Err(ToolError::new("which program? Name it, or its sources"));
    }
    Ok(files)
}

/// The suspects of a report.
fn reported(path: &Path) -> Result<Vec<Suspect>, ToolError> {
    let shown = path.display();
    let fail = |error: std::io::Error| ToolError::new(format!("{shown}: {}", plain(&error)));
    let mut bytes = Vec::new();
    if path == Path::new("-") {
        std::io::stdin().lock().take(LARGEST).read_to_end(&mut bytes).map_err(fail)?;
    } else {
        std::fs::File::open(path).and_then(|file| file.take(LARGEST).read_to_end(&mut bytes)).map_err(fail)?;
    }
    if bytes.len() as u64 == LARGEST {
        return Err(ToolError::new(format!("{shown}: larger than {} MiB", LARGEST >> 20)));
    }
    let suspects = of_report(&String::from_utf8_lossy(&bytes));
    if suspects.is_empty() {
        return Err(ToolError::new(format!(
            "{shown}: no data race and no lock order in it, as ThreadSanitizer and Helgrind report them"
        )));
    }
    Ok(suspects)
}

/// A suspect of which it is known where it would be, or why it is not.
type Located = Result<usize, Vec<NotFound>>;

/// Runs a resolved `inspect confirm`.
pub(super) fn confirm(confirm: &ConfirmConfig) -> Result<ExitCode, ToolError> {
    let config = &confirm.config;
    let progress = ProgressLine::new(config.display.progress);
    let interrupt =
        Interrupt::install().map_err(|error| ToolError::new(format!("cannot listen for Ctrl-C: {error}")))?;
    let mut builds = Builds::new(config, &progress);
    let first = builds.number(Algorithm::Optimal.description().requires)?.map_err(ToolError::new)?;
    let lines = lines(&builds.all[first].target, &config.job, &interrupt)?;
    let (wanted, located) = locate(confirm, &lines)?;
    let answer = answer(config, &wanted, &mut builds, &interrupt, &progress);
    progress.finish();
    let Confirmed { mut answer, exact, others, touched } = answer?;
    answer.searched.reasons.extend(reasons::of_image(&builds.all[answer.build].image));
    let covered = covers(&answer, exact);
    if let Err(why) = &covered
        && !answer.searched.reasons.contains(why)
        && !exact
    {
        answer.searched.reasons.push(why.clone());
    }
    if !touched.is_empty() {
        answer.searched.reasons.push(Reason::new(
            "at one of the places is an error of another kind than a race or a deadlock",
            "inspect check, which shows it",
        ));
    }
    if located.iter().any(Result::is_err) {
        answer.searched.reasons.push(Reason::new(
            "not everything in the report could be tried",
            "a program built from the sources that the report is about",
        ));
    }
    let refutes = |number: usize| covered.is_ok() && !touched.contains(&number);
    let suspects = |answer: &Answer, builds: &Builds<'_>, saved: &[Replay]| {
        let shown = shown(answer, builds, saved, &wanted);
        let all = located.iter().map(|located| figures(located, &wanted, &shown, &refutes)).collect();
        Suspects { all, others }
    };
    deliver(config, &mut builds, answer, Delivery::Suspects(&suspects))
}

/// The source lines that the guest sees, of the program and of what it loads.
fn lines(target: &Target, job: &Job, interrupt: &Interrupt) -> Result<InstrumentedLines, ToolError> {
    let once = Job { max_executions: 1, ..job.clone() };
    let output = run(target, &once, Terminal::Captured, Limits::default(), interrupt, &mut |_| ())?;
    if let GuestEnd::NotStarted { output, how } = &output.end {
        return Err(not_started(target, output, how));
    }
    let mut lines = InstrumentedLines::default();
    lines.add(&target.program);
    let libraries = output.modules.iter().map(|module| Path::new(&module.path));
    for path in libraries.filter(|path| !path.as_os_str().is_empty() && !is_known_library(path)) {
        if Image::read(path).is_ok_and(|image| image.instrumented) {
            lines.add(path);
        }
    }
    Ok(lines)
}

/// Where the suspects would be: what is to be looked for, each once, and for each suspect which of that it is.
fn locate(confirm: &ConfirmConfig, lines: &InstrumentedLines) -> Result<(Wanted, Vec<Located>), ToolError> {
    let mut numbers: BTreeMap<WantedPlaces, usize> = BTreeMap::new();
    let mut located: Vec<Located> = Vec::new();
    for suspect in &confirm.suspects {
        let place = |stack: &Vec<SourceLine>| match stack.first() {
            Some(at) if confirm.named => lines.named(at),
            Some(_) | None => lines.reported(stack),
        };
        let (found, missing): (Vec<_>, Vec<_>) = suspect.stacks.iter().map(place).partition(Result::is_ok);
        let mut missing: Vec<NotFound> = missing.into_iter().filter_map(Result::err).collect();
        if suspect.stacks.len() < 2 {
            missing.push(NotFound::NoSource(None));
        }
        if confirm.named && !missing.is_empty() {
            let all: Vec<String> = missing.iter().map(NotFound::to_string).collect();
            return Err(ToolError::new(all.join("\n  ")));
        }
        let next = numbers.len();
        let places = WantedPlaces::new(suspect.kind, found.into_iter().filter_map(Result::ok).collect());
        located.push(if missing.is_empty() { Ok(*numbers.entry(places).or_insert(next)) } else { Err(missing) });
    }
    let mut wanted: Vec<(usize, WantedPlaces)> = numbers.into_iter().map(|(places, number)| (number, places)).collect();
    wanted.sort();
    if wanted.is_empty() {
        let why = located.iter().flat_map(|located| located.as_ref().err()).flatten().next();
        let why = why.map(|why| format!(": {why}")).unwrap_or_default();
        return Err(ToolError::new(format!("nothing in the report is about this program{why}")));
    }
    // Several reports of one thing are one.
    let mut seen = BTreeSet::new();
    located.retain(|located| located.as_ref().map_or(true, |number| seen.insert(*number)));
    Ok((Wanted::new(wanted.into_iter().map(|(_, places)| places).collect()), located))
}

/// The answer of all searches.
struct Confirmed {
    answer: Answer,
    /// The search that it is of, if it covered everything, has shown of each pair of places whether threads meet there.
    exact: bool,
    /// How many errors were found beside what was wanted.
    others: usize,
    /// What such an error keeps from being refuted: one of another kind, at one of the places.
    touched: BTreeSet<usize>,
}

/// Searches: first what executions drawn by chance let predict, then as `inspect check` does.
fn answer(
    config: &Config,
    wanted: &Wanted,
    builds: &mut Builds<'_>,
    interrupt: &Interrupt,
    progress: &ProgressLine,
) -> Result<Confirmed, ToolError> {
    let begin = std::time::Instant::now();
    let mut show = |state: Progress<'_>| progress.show(state);
    let mut targets = |requirement| {
        let number = builds.number(requirement)?;
        Ok(number.map(|number| builds.all[number].target.clone()))
    };
    let (predicted, job) = predicted(config, wanted, &mut targets, interrupt, &mut show)?;
    let left = wanted.without(&predicted.wanted.shown);
    if left.is_met() {
        let (others, touched) = (predicted.wanted.others, BTreeSet::new());
        return Ok(Confirmed { answer: Answer::of_one(predicted, job, 0), exact: true, others, touched });
    }
    let options = SearchOptions { since: Some(begin), wanted: Some(left), ..config.options.clone() };
    let made = in_turns(all_searches(&config.job), &mut targets, &config.job, &options, interrupt, &mut show)?;
    let found = || made.turns.iter().map(|turned| &turned.searched.wanted).chain([&predicted.wanted]);
    let others = found().map(|found| found.others).max().unwrap_or(0);
    let touched = found().flat_map(|found| found.touched.iter().copied()).collect();
    let mut answer = Answer::of_turns(made, config, builds)?;
    add(&mut answer, &predicted, &job);
    let exact = !compares_states(&answer.job) || others + answer.findings.len() == 0;
    Ok(Confirmed { answer, exact, others, touched })
}

/// Adds what prediction has found.
fn add(answer: &mut Answer, predicted: &Searched, job: &Job) {
    for checked in &predicted.findings {
        if !answer.findings.iter().any(|other| other.checked.identity == checked.identity) {
            answer.searched.findings.push(checked.clone());
            answer.findings.push(Found { checked: checked.clone(), build: 0, job: job.clone() });
        }
    }
}

/// Whether a search ends executions in states that it has visited. Then it finds an error wherever there is one, and
/// perhaps not all places where errors show.
fn compares_states(job: &Job) -> bool {
    match job.algorithm.description().hashed_states {
        HashedStates::Never => false,
        HashedStates::WithBound => job.preemptions.is_some(),
        HashedStates::Always => true,
    }
}

/// Runs a search that predicts.
fn predicted(
    config: &Config,
    wanted: &Wanted,
    targets: &mut crate::search::Targets<'_>,
    interrupt: &Interrupt,
    show: &mut dyn FnMut(Progress<'_>),
) -> Result<(Searched, Job), ToolError> {
    let algorithm = Algorithm::Predict;
    let job = Job { algorithm, plain_accesses: PlainAccesses::All, ..config.job.clone() };
    let time_limit = config.options.time_limit.map(|limit| limit / PART_OF_PREDICTION);
    let options = SearchOptions { time_limit, wanted: Some(wanted.clone()), ..config.options.clone() };
    let target = targets(algorithm.description().requires)?.map_err(ToolError::new)?;
    Ok((search(&target, &job, &options, interrupt, show)?, job))
}

/// Whether the search has covered every interleaving, whatever it found; otherwise what keeps it from that.
fn covers(answer: &Answer, exact: bool) -> Result<(), Reason> {
    let evidence = Evidence { findings: Vec::new(), ..answer.searched.evidence(&answer.job) };
    match decide(&evidence) {
        Verdict::Verified if exact => Ok(()),
        Verdict::Verified => Err(Reason::new(
            "the search that covered everything compares states, and there are errors: it may have left out at which other \
             places they show",
            "to mend what inspect check finds first",
        )),
        Verdict::Inconclusive(reasons) => {
            Err(reasons.into_iter().next().unwrap_or_else(|| Reason::new("the search was not whole", "inspect check")))
        }
        Verdict::Violated => Err(Reason::new("the search ended at an error", "inspect check")),
    }
}

/// By the number of what was wanted: the schedule of the finding that shows it, or why no replay does.
fn shown(
    answer: &Answer,
    builds: &Builds<'_>,
    saved: &[Replay],
    wanted: &Wanted,
) -> BTreeMap<usize, Result<String, String>> {
    let mut shown = BTreeMap::new();
    for (found, replay) in answer.findings.iter().zip(saved) {
        let symbols = Symbols::of(&builds.all[found.build].target.program, &found.checked.context);
        let how = match (&found.checked.confirmation, replay) {
            (Confirmation::Failed(why), _) => Err(why.clone()),
            (Confirmation::Confirmed, Replay::Saved(path)) => Ok(path.clone()),
            (Confirmation::Confirmed, Replay::NotSaved(why)) => Ok(format!("shown, but not saved: {why}")),
            (Confirmation::Confirmed, Replay::None) => Ok("shown".to_owned()),
        };
        for number in wanted.shown_by(&found.checked.reported.finding, &symbols) {
            let known = shown.entry(number).or_insert_with(|| how.clone());
            if known.is_err() && how.is_ok() {
                *known = how.clone();
            }
        }
    }
    shown
}

fn figures(
    located: &Located,
    wanted: &Wanted,
    shown: &BTreeMap<usize, Result<String, String>>,
    refutes: &dyn Fn(usize) -> bool,
) -> SuspectFigures {
    let number = match located {
        Ok(number) => *number,
        Err(missing) => {
            let because = missing.iter().map(NotFound::to_string).collect::<Vec<_>>().join("; ");
            return SuspectFigures { places: Vec::new(), answer: SuspectAnswer::NotTried, because };
        }
    };
    let place = |(file, line): &(String, u32)| format!("{}:{line}", shown_file(file));
    let places = wanted.all()[number].places().iter().map(place).collect();
    let (answer, because) = match shown.get(&number) {
        Some(Ok(schedule)) => (SuspectAnswer::Confirmed, schedule.clone()),
        Some(Err(why)) => (SuspectAnswer::Open, format!("an execution showed it, and no replay did: {why}")),
        None if refutes(number) => (SuspectAnswer::Refuted, "every interleaving was covered".to_owned()),
        None => (SuspectAnswer::Open, "no execution showed it, and it was not ruled out".to_owned()),
    };
    SuspectFigures { places, answer, because }
}
