//! `inspect check`: build, search, judge, report.

use super::answer::{Answer, Found};
use super::build::{Build, Builds, name_of};
use super::config::{Config, Input, ReportFiles, Searches};
use super::print::print;
use crate::error::{ToolError, plain};
use crate::frames;
use crate::program::{Image, is_known_library};
use crate::report::message::describe;
use crate::report::progress::ProgressLine;
use crate::report::style::Style;
use crate::report::text::Replay;
use crate::report::{Summary, json, junit, sarif, text};
use crate::run::Interrupt;
use crate::schedule::{Schedule, ScheduledFinding};
use crate::search::{Confirmation, Origin, SearchOptions, all_searches, in_turns, reasons, sampling_searches, search};
use crate::symbols::Symbols;
use inspect_core::detect::Severity;
use inspect_core::explore::Portfolio;
use inspect_wire::message::Job;
use std::collections::BTreeMap;
use std::path::Path;

/// Runs a resolved `inspect check`; returns its exit status.
pub(super) fn check(config: &Config) -> Result<u8, ToolError> {
    refuse_unwritable(&config.files)?;
    let progress = ProgressLine::new(config.display.progress);
    let interrupt =
        Interrupt::install().map_err(|error| ToolError::new(format!("cannot listen for Ctrl-C: {error}")))?;
    let mut builds = Builds::new(config, &progress);
    let answer = answer(config, &mut builds, &interrupt, &progress);
    progress.finish();
    let answer = answer?;
    let saved = save_all(config, &mut builds.all, &answer.findings);
    let summary = answer.summary(&builds.all);
    let text = report(config, &builds.all, &answer.findings, &saved, &summary);
    match &config.files.report {
        Some(file) => write(file, &text)?,
        None => print(&text)?,
    }
    write_files(config, &builds.all, &answer.findings, &saved, &summary)?;
    Ok(summary.verdict.exit_code())
}

/// The answer of the searches that are asked for.
pub(super) fn answer(
    config: &Config,
    builds: &mut Builds<'_>,
    interrupt: &Interrupt,
    progress: &ProgressLine,
) -> Result<Answer, ToolError> {
    let mut answer = match config.searches {
        Searches::One => alone(config, builds, interrupt, progress),
        Searches::InTurns => by_turns(all_searches(&config.job), config, builds, interrupt, progress),
        Searches::Sampling => by_turns(sampling_searches(&config.job), config, builds, interrupt, progress),
    }?;
    answer.searched.reasons.extend(reasons::of_image(&builds.all[answer.build].image));
    Ok(answer)
}

/// The answer of one search.
fn alone(
    config: &Config,
    builds: &mut Builds<'_>,
    interrupt: &Interrupt,
    progress: &ProgressLine,
) -> Result<Answer, ToolError> {
    let number = builds.number(config.job.algorithm.description().requires)?.map_err(ToolError::new)?;
    let build = &builds.all[number];
    let symmetry = config.job.symmetry.as_ref().map(|_| frames::of_program(&build.target.program));
    let job = Job { symmetry, ..config.job.clone() };
    let origin = Origin::new(build.image.fingerprint.clone(), &config.args, &job);
    let options = SearchOptions { origin: Some(origin), ..config.options.clone() };
    let searched = search(&build.target, &job, &options, interrupt, &mut |state| progress.show(state))?;
    Ok(Answer::of_one(searched, config.job.clone(), number))
}

/// The answer of searches that take turns.
fn by_turns(
    portfolio: Portfolio,
    config: &Config,
    builds: &mut Builds<'_>,
    interrupt: &Interrupt,
    progress: &ProgressLine,
) -> Result<Answer, ToolError> {
    let mut targets = |requirement, patience| {
        // Nothing can be searched before the first program is there.
        let patience = (!builds.all.is_empty()).then_some(patience);
        let state = builds.within(requirement, patience)?;
        Ok(state.map(|number| builds.all[number].target.clone()))
    };
    let mut show = |state: crate::search::Progress<'_>| progress.show(state);
    let made = in_turns(portfolio, &mut targets, &config.job, &config.options, interrupt, &mut show)?;
    Answer::of_turns(made, config, builds)
}

/// What schedules and reports are named after.
fn name(config: &Config) -> String {
    match &config.input {
        Input::Program(program) => name_of(program),
        Input::Sources(sources) => name_of(&sources.files[0]),
    }
}

/// Writes a schedule file for each confirmed finding, and keeps the programs that schedules need.
pub(super) fn save_all(config: &Config, builds: &mut [Build], findings: &[Found]) -> Vec<Replay> {
    let name = name(config);
    let mut numbers = BTreeMap::new();
    let mut save = |found: &Found| {
        if found.checked.confirmation != Confirmation::Confirmed {
            return Replay::None;
        }
        let kind = found.checked.reported.finding.kind;
        let number = numbers.entry(kind).or_insert(0);
        *number += 1;
        let path = config.out.join(format!("{name}-{}-{number}.schedule", kind.name()));
        match schedule(&builds[found.build], found).write(&path) {
            Ok(()) => Replay::Saved(path.display().to_string()),
            Err(error) => Replay::NotSaved(format!("{}: {}", path.display(), plain(&error))),
        }
    };
    let saved: Vec<Replay> = findings.iter().map(&mut save).collect();
    for (found, replay) in findings.iter().zip(&saved) {
        builds[found.build].keep |= matches!(replay, Replay::Saved(_));
    }
    saved
}

/// The schedule that shows a finding.
fn schedule(build: &Build, found: &Found) -> Schedule {
    let checked = &found.checked;
    let modules = checked.context.modules.iter().map(|module| Path::new(&module.path));
    let libraries: Vec<Image> = modules
        .filter(|path| !path.as_os_str().is_empty() && !is_known_library(path))
        .filter_map(|path| Image::read(path).ok())
        .filter(|image| image.instrumented)
        .collect();
    let symbols = symbols(build, found);
    let first = checked.reported.finding.places.first();
    let shown = ScheduledFinding {
        kind: checked.reported.finding.kind,
        message: describe(checked, &symbols).headline,
        at: first.and_then(|place| symbols.locate(place.site).place()),
        identity: checked.identity.clone(),
    };
    Schedule::new(shown, &build.target, &build.image, &libraries, &found.job, &checked.reported)
}

/// Refuses reports that could not be written, before there is anything to lose. Only regular files are tried: a reader
/// of a pipe would take a trial for the report.
fn refuse_unwritable(files: &ReportFiles) -> Result<(), ToolError> {
    for path in [&files.junit, &files.sarif].into_iter().flatten() {
        let found = path.symlink_metadata();
        if found.as_ref().is_ok_and(|found| !found.is_file()) {
            continue;
        }
        let is_new = found.is_err();
        let fail = |error: std::io::Error| ToolError::new(format!("{}: {}", path.display(), plain(&error)));
        std::fs::OpenOptions::new().append(true).create(true).open(path).map_err(fail)?;
        if is_new {
            std::fs::remove_file(path).map_err(fail)?;
        }
    }
    Ok(())
}

/// Writes the reports for other programs.
fn write_files(
    config: &Config,
    builds: &[Build],
    findings: &[Found],
    saved: &[Replay],
    summary: &Summary,
) -> Result<(), ToolError> {
    let ReportFiles { junit, sarif, report: _ } = &config.files;
    let confirmed =
        findings.iter().zip(saved).filter(|(found, _)| found.checked.confirmation == Confirmation::Confirmed);
    let all: Vec<_> = confirmed
        .map(|(found, saved)| json::JsonFinding::new(&found.checked, &symbols(&builds[found.build], found), saved))
        .collect();
    let reports = [
        (junit, junit.as_ref().map(|_| junit::report(&name(config), summary, &all))),
        (sarif, sarif.as_ref().map(|_| sarif::report(summary, &all))),
    ];
    for (path, report) in reports {
        if let (Some(path), Some(report)) = (path, report) {
            write(path, &report)?;
        }
    }
    Ok(())
}

fn write(path: &Path, report: &str) -> Result<(), ToolError> {
    std::fs::write(path, report).map_err(|error| ToolError::new(format!("{}: {}", path.display(), plain(&error))))
}

pub(super) fn symbols(build: &Build, found: &Found) -> Symbols {
    Symbols::of(&build.target.program, &found.checked.context)
}

fn report(config: &Config, builds: &[Build], findings: &[Found], saved: &[Replay], summary: &Summary) -> String {
    let findings = findings.iter().zip(saved);
    let symbols = |found: &Found| symbols(&builds[found.build], found);
    if config.display.json {
        let all = findings.map(|(found, saved)| json::JsonFinding::new(&found.checked, &symbols(found), saved));
        return json::report(summary, all.collect()) + "\n";
    }
    let style = Style { colour: config.display.colour };
    let traces = config.display.traces();
    let mut report = String::new();
    let mut warnings = String::new();
    for (found, saved) in findings {
        let (checked, symbols) = (&found.checked, symbols(found));
        if checked.severity == Severity::Error || config.display.full {
            report.push_str(&text::finding(checked, &symbols, saved, traces, style));
            report.push('\n');
        } else {
            warnings.push_str(&text::warning(checked, &symbols, style));
        }
    }
    if !warnings.is_empty() {
        report.push_str(&format!("{warnings}{}\n", text::MORE_OF_WARNINGS));
    }
    report.push_str(&text::verdict(summary, style));
    report
}
