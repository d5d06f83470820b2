//! `inspect check`: build, search, judge, report.

use super::config::{Config, Input};
use super::print::print;
use crate::compile::compile;
use crate::error::{ToolError, plain};
use crate::frames;
use crate::program::{Image, frames_flag, is_known_library};
use crate::report::message::describe;
use crate::report::progress::ProgressLine;
use crate::report::style::Style;
use crate::report::text::{Replay, Traces};
use crate::report::{Summary, json, text};
use crate::run::{Interrupt, Target};
use crate::schedule::{Schedule, ScheduledFinding};
use crate::search::{CheckedFinding, Confirmation, Origin, SearchOptions, Searched, reasons, search};
use crate::symbols::Symbols;
use crate::verdict::decide;
use inspect_core::detect::Severity;
use inspect_core::explore::catalogue::Requirement;
use inspect_driver::FACTS_FLAG;
use inspect_wire::message::Job;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Runs a resolved `inspect check`.
pub(super) fn check(config: &Config) -> Result<ExitCode, ToolError> {
    let progress = ProgressLine::new(config.display.progress);
    let interrupt =
        Interrupt::install().map_err(|error| ToolError::new(format!("cannot listen for Ctrl-C: {error}")))?;
    let mut built = obtain(config, &progress)?;
    let image = Image::read_program(&built.program)?;
    match config.job.algorithm.description().requires {
        Requirement::Hooks => {}
        Requirement::Facts => image.require_facts()?,
        Requirement::FrameRecords => image.require_frames(config.job.local_states)?,
    }
    let target = Target { program: built.program.clone(), args: config.args.clone() };
    let mut show = |state: crate::search::Progress<'_>| progress.show(state);
    let symmetry = config.job.symmetry.as_ref().map(|_| frames::of_program(&built.program));
    let job = Job { symmetry, ..config.job.clone() };
    let origin = Origin::new(image.fingerprint.clone(), &config.args, &job);
    let options = SearchOptions { origin: Some(origin), ..config.options.clone() };
    let searched = search(&target, &job, &options, &interrupt, &mut show);
    progress.finish();
    let mut searched = searched?;
    searched.reasons.extend(reasons::of_image(&image));

    let saved = save_all(config, &target, &image, &searched);
    built.keep = saved.iter().any(|replay| matches!(replay, Replay::Saved(_)));
    let verdict = decide(&searched.evidence(&config.job));
    let exit = ExitCode::from(verdict.exit_code());
    let summary = Summary::new(&searched, verdict, &config.job, &target.program);
    print(&report(config, &target, &searched, &saved, &summary))?;
    Ok(exit)
}

/// The program to check. One that was compiled for this check goes away with it, unless a schedule needs it.
struct Built {
    program: PathBuf,
    ours: bool,
    keep: bool,
}

impl Drop for Built {
    fn drop(&mut self) {
        if self.ours && !self.keep {
            // What cannot be removed is left behind; the directory is removed only when empty.
            let _ = std::fs::remove_file(&self.program);
            let _ = self.program.parent().map(std::fs::remove_dir);
        }
    }
}

fn obtain(config: &Config, progress: &ProgressLine) -> Result<Built, ToolError> {
    let (files, cflags) = match &config.input {
        Input::Program(program) => return Ok(Built { program: program.clone(), ours: false, keep: true }),
        Input::Sources { files, cflags } => (files, cflags),
    };
    progress.say("compiling");
    let fail = |error: std::io::Error| ToolError::new(format!("cannot make a place to build in: {}", plain(&error)));
    // Where the directory of the schedule files cannot be written, the check itself is still possible.
    let directory = match std::fs::create_dir_all(&config.out).and_then(|()| tempfile::tempfile_in(&config.out)) {
        Ok(_) => config.out.clone(),
        Err(_) => tempfile::tempdir().map_err(fail)?.keep(),
    };
    let name = name_of(&files[0]);
    let scratch = tempfile::Builder::new().prefix(".build").tempdir_in(&directory).map_err(fail)?;
    let fresh = scratch.path().join(&name);
    let mut cflags = cflags.clone();
    match config.job.algorithm.description().requires {
        Requirement::Hooks => {}
        Requirement::Facts => cflags.push(FACTS_FLAG.to_owned()),
        Requirement::FrameRecords => cflags.push(frames_flag(config.job.local_states).to_owned()),
    }
    let compiled = compile(files, &cflags, &fresh);
    if compiled.is_err() {
        drop(scratch);
        let _ = std::fs::remove_dir(&directory);
    }
    compiled?;
    // Named after its contents: a schedule of an earlier build keeps its program.
    let fingerprint = Image::read(&fresh)?.fingerprint;
    let digest = fingerprint.rsplit(':').next().unwrap_or_default();
    let program = directory.join(format!("{name}-{}", &digest[..12]));
    let ours = !program.exists();
    std::fs::rename(&fresh, &program).map_err(fail)?;
    Ok(Built { program, ours, keep: false })
}

fn name_of(path: &Path) -> String {
    path.file_stem().map_or_else(|| "program".to_owned(), |stem| stem.to_string_lossy().into_owned())
}

/// Writes a schedule file for each confirmed finding.
fn save_all(config: &Config, target: &Target, image: &Image, searched: &Searched) -> Vec<Replay> {
    let libraries: Vec<Image> = searched
        .modules
        .iter()
        .map(|module| Path::new(&module.path))
        .filter(|path| !path.as_os_str().is_empty() && !is_known_library(path))
        .filter_map(|path| Image::read(path).ok())
        .filter(|image| image.instrumented)
        .collect();
    let name = match &config.input {
        Input::Program(program) => name_of(program),
        Input::Sources { files, .. } => name_of(&files[0]),
    };
    let mut numbers = BTreeMap::new();
    let mut save = |checked: &CheckedFinding| {
        if checked.confirmation != Confirmation::Confirmed {
            return Replay::None;
        }
        let kind = checked.reported.finding.kind;
        let number = numbers.entry(kind).or_insert(0);
        *number += 1;
        let path = config.out.join(format!("{name}-{}-{number}.schedule", kind.name()));
        let symbols = symbols(target, checked);
        let first = checked.reported.finding.places.first();
        let shown = ScheduledFinding {
            kind,
            message: describe(checked, &symbols).headline,
            at: first.and_then(|place| symbols.locate(place.site).place()),
            identity: checked.identity.clone(),
        };
        let reported = &checked.reported;
        let schedule = Schedule::new(shown, target, image, &libraries, &config.job, reported);
        match schedule.write(&path) {
            Ok(()) => Replay::Saved(path.display().to_string()),
            Err(error) => Replay::NotSaved(format!("{}: {}", path.display(), plain(&error))),
        }
    };
    searched.findings.iter().map(&mut save).collect()
}

fn symbols(target: &Target, checked: &CheckedFinding) -> Symbols {
    Symbols::of(&target.program, &checked.context)
}

fn report(config: &Config, target: &Target, searched: &Searched, saved: &[Replay], summary: &Summary) -> String {
    let findings = searched.findings.iter().zip(saved);
    if config.display.json {
        let all =
            findings.map(|(found, saved)| json::JsonFinding::new(found, &symbols(target, found), saved)).collect();
        return json::report(summary, all) + "\n";
    }
    let style = Style { colour: config.display.colour };
    let traces = match (config.display.quiet, config.display.full) {
        (true, _) => Traces::None,
        (false, true) => Traces::Full,
        (false, false) => Traces::Last,
    };
    let mut report = String::new();
    let mut warnings = String::new();
    for (found, saved) in findings {
        let symbols = symbols(target, found);
        if found.severity == Severity::Error || config.display.full {
            report.push_str(&text::finding(found, &symbols, saved, traces, style));
            report.push('\n');
        } else {
            warnings.push_str(&text::warning(found, &symbols, style));
        }
    }
    if !warnings.is_empty() {
        report.push_str(&format!("{warnings}{}\n", text::MORE_OF_WARNINGS));
    }
    report.push_str(&text::verdict(summary, style));
    report
}
