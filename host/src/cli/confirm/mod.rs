//! `inspect confirm`: build, look for the races in question, and answer for each whether it is real.
//!
//! Prediction comes first, for a short time, as it shows most races that are real at once. The search that the user
//! asks for comes next, unless nothing is left to look for. Both go on after other errors.

mod questions;
mod request;
mod results;

pub(super) use request::Request;

use super::answer::{Answer, Found, each_once};
use super::build::{Build, Builds};
use super::check;
use super::config::{Config, Searches};
use super::print::print;
use crate::error::ToolError;
use crate::places::SourceMap;
use crate::program::{Image, is_known_library};
use crate::query::QueryOutcome;
use crate::report::progress::ProgressLine;
use crate::report::queries::{AnsweredQuery, Report, ShownFinding};
use crate::report::style::Style;
use crate::report::text::Replay;
use crate::run::{GuestEnd, Interrupt, Target, libraries_of};
use crate::search::{RacePlaces, SearchOptions, WantedRaces};
use inspect_core::explore::Algorithm;
use inspect_wire::message::{Job, Mode, PlainAccesses};
use questions::{Question, questions};
use request::Asked;
use results::Results;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// How long prediction may take.
const PREDICTING: Duration = Duration::from_secs(5);

/// Runs a resolved `inspect confirm`.
pub(super) fn confirm(request: &Request) -> Result<ExitCode, ToolError> {
    let config = &request.config;
    let progress = ProgressLine::new(config.display.progress);
    let interrupt =
        Interrupt::install().map_err(|error| ToolError::new(format!("cannot listen for Ctrl-C: {error}")))?;
    let mut builds = Builds::new(config, &progress);
    let requirement = config.job.algorithm.description().requires;
    let number = builds.number(requirement)?.map_err(ToolError::new)?;
    let asked = questions(&request.asked, &source_map(&builds.all[number].target))?;
    let searched = searches(config, &asked, &mut builds, &interrupt, &progress);
    progress.finish();
    let searched = searched?;

    let findings = each_once(searched.iter().flat_map(|answer| answer.findings.iter().cloned()), &builds.all);
    let saved = check::save_all(config, &mut builds.all, &findings);
    let last = searched.last().ok_or_else(|| ToolError::new("no search was made"))?;
    let results = Results::new(&findings, last, &builds.all, &interrupt);
    let answered: Vec<AnsweredQuery> = asked.into_iter().map(|question| results.answer(question)).collect();
    print(&shown(request, &builds.all, &findings, &saved, &searched, &answered))?;
    Ok(ExitCode::from(QueryOutcome::exit_code(answered.iter().map(|answered| &answered.outcome))))
}

/// The lines of the program's source, and of that of its libraries which are instrumented.
fn source_map(target: &Target) -> SourceMap {
    let is_own = |path: &PathBuf| !is_known_library(path) && Image::read(path).is_ok_and(|image| image.instrumented);
    let libraries = libraries_of(target).into_iter().filter(is_own);
    SourceMap::of(&[target.program.clone()].into_iter().chain(libraries).collect::<Vec<_>>())
}

/// Makes the searches, as long as there is something left to look for.
fn searches(
    config: &Config,
    asked: &[Question],
    builds: &mut Builds<'_>,
    interrupt: &Interrupt,
    progress: &ProgressLine,
) -> Result<Vec<Answer>, ToolError> {
    let mut wanted = WantedRaces(asked.iter().filter_map(|question| question.query.clone().ok()).collect());
    let mut made = Vec::new();
    for config in predicting(config).iter().chain([config]) {
        let options = SearchOptions { wanted: wanted.clone(), ..config.options.clone() };
        let config = Config { options, ..config.clone() };
        let answer = check::answer(&config, builds, interrupt, progress)?;
        wanted = left(wanted, &answer, &builds.all);
        let (is_interrupted, has_shown) =
            (answer.searched.end == GuestEnd::Interrupted, answer.searched.end == GuestEnd::HasShown);
        made.push(answer);
        if wanted.0.is_empty() || is_interrupted {
            return Ok(made);
        }
        // What it has shown did not show again, so there may be more to find.
        if has_shown && config.job.algorithm != Algorithm::Predict {
            let options = SearchOptions { wanted: WantedRaces::default(), ..config.options.clone() };
            made.push(check::answer(&Config { options, ..config }, builds, interrupt, progress)?);
        }
    }
    Ok(made)
}

/// The races that no search has confirmed so far.
fn left(wanted: WantedRaces, answer: &Answer, builds: &[Build]) -> WantedRaces {
    let race = |found: &Found| found.checked.confirmed_race(&builds[found.build].target.program);
    let races: Vec<RacePlaces> = answer.findings.iter().filter_map(race).collect();
    wanted.without(&races)
}

/// The search that predicts, where it goes with what the user asks for.
fn predicting(config: &Config) -> Option<Config> {
    let row = Algorithm::Predict.description();
    let fits = config.searches == Searches::InTurns
        && config.job.plain_accesses != PlainAccesses::Sync
        && (config.job.mode == Mode::Restore || row.fork.is_ok());
    let time_limit = config.options.time_limit.map_or(PREDICTING, |limit| PREDICTING.min(limit / 10));
    let job = Job { algorithm: Algorithm::Predict, plain_accesses: PlainAccesses::All, ..config.job.clone() };
    let options = SearchOptions { time_limit: Some(time_limit), workers: 1, ..config.options.clone() };
    fits.then(|| Config { job, options, searches: Searches::One, ..config.clone() })
}

/// The report, as text or as JSON.
fn shown(
    request: &Request,
    builds: &[Build],
    findings: &[Found],
    saved: &[Replay],
    searched: &[Answer],
    answered: &[AnsweredQuery],
) -> String {
    let display = request.config.display;
    let with_symbols = |(found, replay)| {
        let found: &Found = found;
        ShownFinding { checked: &found.checked, symbols: check::symbols(&builds[found.build], found), replay }
    };
    let unread = match &request.asked {
        Asked::Places(..) => Vec::new(),
        Asked::Report(name, report) => {
            let line = |(kind, number): (&String, &usize)| format!("{name}: {number} x {kind}, which is not read");
            report.others.iter().map(line).collect()
        }
    };
    let report = Report {
        answered,
        findings: findings.iter().zip(saved).map(with_symbols).collect(),
        searches: searched.iter().map(|answer| answer.summary(builds)).collect(),
        unread,
    };
    if display.json { report.json() } else { report.text(display.traces(), Style { colour: display.colour }) }
}
