//! What the user wants: every value checked, every default filled in, contradictions refused. The rest of the program
//! sees this and never a flag.

use super::flags::{
    BacktrackSetsName, CheckFlags, HeapName, LocalStatesName, ModeName, PlainAccessesName, VolatileName,
};
use super::quantities::{milliseconds, size, time};
use super::severities::severities;
use super::{combinations, suppressions};
use crate::compile::is_rust_source;
use crate::error::{ToolError, plain};
use crate::report::progress::ProgressKind;
use crate::report::text::Traces;
use crate::search::{SearchOptions, WantedRaces};
use inspect_core::explore::catalogue::SearchSharing;
use inspect_core::explore::{BacktrackSets, SamplingOptions};
use inspect_wire::message::{Heap, Job, LocalStates, Mode, PlainAccesses, Task, VolatileAccesses};
use std::ffi::OsString;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What is to be checked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Input {
    /// A program built with inspect-cc.
    Program(PathBuf),
    /// Files for the compiler and its flags.
    Sources(SourceFiles),
}

/// What a program is built of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceFiles {
    /// Files for the compiler.
    pub files: Vec<PathBuf>,
    /// Its flags.
    pub cflags: Vec<String>,
    /// The sources of its clients.
    pub clients: Vec<PathBuf>,
}

/// How to show results.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Display {
    /// One JSON object instead of text.
    pub json: bool,
    /// No progress and no traces.
    pub quiet: bool,
    /// Whole traces.
    pub full: bool,
    /// Colours on standard output.
    pub colour: bool,
    /// Progress on standard error.
    pub progress: ProgressKind,
}

/// Which searches are made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Searches {
    /// The one that the job names.
    One,
    /// All of them take turns, until one settles the matter.
    InTurns,
    /// Those that sample take turns, until one finds an error.
    Sampling,
}

/// The files that reports go to.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ReportFiles {
    /// `--junit`
    pub junit: Option<PathBuf>,
    /// `--sarif`
    pub sarif: Option<PathBuf>,
    /// Where the report for the user goes in place of standard output.
    pub report: Option<PathBuf>,
}

/// A resolved `inspect check`.
#[derive(Clone, Debug)]
pub struct Config {
    /// What to check.
    pub input: Input,
    /// Arguments of the program.
    pub args: Vec<OsString>,
    /// Its environment, if not that of this process.
    pub environment: Option<Vec<(OsString, OsString)>>,
    /// The job for the guest; of a portfolio, what its turns have in common.
    pub job: Job,
    /// Which searches are made.
    pub searches: Searches,
    /// The files that reports go to.
    pub files: ReportFiles,
    /// The program has to find uses of uninitialised memory.
    pub uninitialised: bool,
    /// How the search is made.
    pub options: SearchOptions,
    /// Directory of schedule files.
    pub out: PathBuf,
    /// How to show results.
    pub display: Display,
}

/// What is known of the terminal.
#[derive(Clone, Copy, Debug)]
pub struct Surroundings {
    /// Standard output is a terminal on which colours are welcome.
    pub colour: bool,
    /// How progress is shown on standard error.
    pub progress: ProgressKind,
}

impl Display {
    /// How much of a trace is shown.
    pub fn traces(self) -> Traces {
        match (self.quiet, self.full) {
            (true, _) => Traces::None,
            (false, true) => Traces::Full,
            (false, false) => Traces::Last,
        }
    }

    fn new(flags: &CheckFlags, surroundings: Surroundings) -> Display {
        Display {
            json: flags.json,
            quiet: flags.quiet,
            full: flags.full,
            colour: surroundings.colour,
            progress: if flags.quiet { ProgressKind::Hidden } else { surroundings.progress },
        }
    }
}

impl Config {
    /// Checks the flags, fills in defaults and refuses contradictions.
    pub fn resolve(flags: CheckFlags, surroundings: Surroundings) -> Result<Config, ToolError> {
        refuse_nothing_to_run(&flags)?;
        combinations::check(&flags)?;
        let (first_preemptions, preemptions) = bounds(&flags)?;
        let (input, options) = (input(&flags)?, options(&flags)?);
        let job = Job {
            task: Task::Explore,
            algorithm: flags.algorithm.first(),
            plain_accesses: plain_accesses(&flags).into(),
            volatile: volatile(flags.volatile),
            harmless_races: flags.races_in.as_deref().map_or(Ok(Vec::new()), suppressions::read)?,
            promoted: Vec::new(),
            promoted_in: Vec::new(),
            watch_sets: Vec::new(),
            mode: mode(flags.mode),
            preemptions,
            first_preemptions,
            // Filled in once the program has been built and read.
            symmetry: flags.symmetry.then(Vec::new),
            spurious_wakeups: flags.spurious_wakeups,
            max_executions: flags.max_executions.unwrap_or(u64::MAX),
            share: None,
            max_steps: flags.max_steps,
            max_computation: milliseconds("--max-computation", &flags.max_computation)?,
            checkpoint_every: flags.checkpoint_every,
            state_memory: size("--state-memory", &flags.state_memory)?,
            state_table: None,
            backtrack_sets: backtrack_sets(&flags),
            local_states: local_states(&flags),
            heap: heap(flags.heap),
            memory_limit: size("--memory-limit", &flags.memory_limit)?,
            seed: flags.seed,
            sampling: sampling(&flags)?,
            keep_going: flags.keep_going,
            severities: severities(&flags)?,
            report_traces: None,
        };
        let searches = if flags.is_portfolio() { Searches::InTurns } else { Searches::One };
        Ok(Config {
            display: Display::new(&flags, surroundings),
            searches,
            files: ReportFiles { junit: flags.junit, sarif: flags.sarif, report: None },
            input,
            args: flags.args,
            environment: None,
            job,
            uninitialised: flags.uninitialised,
            options,
            out: flags.out,
        })
    }
}

fn mode(name: ModeName) -> Mode {
    match name {
        ModeName::Restore => Mode::Restore,
        ModeName::Fork => Mode::Fork,
    }
}

/// Refuses limits that leave nothing to do.
fn refuse_nothing_to_run(flags: &CheckFlags) -> Result<(), ToolError> {
    if flags.workers() == 0 {
        return Err(ToolError::new("-j 0: at least one worker is needed"));
    }
    let limits = [
        ("--max-executions", flags.max_executions == Some(0)),
        ("--max-steps", flags.max_steps == 0),
        ("--runs", flags.runs == Some(0)),
    ];
    match limits.iter().find(|(_, is_zero)| *is_zero) {
        Some((option, _)) => Err(ToolError::new(format!("{option} 0 leaves nothing to run"))),
        None => Ok(()),
    }
}

/// How the search is made.
fn options(flags: &CheckFlags) -> Result<SearchOptions, ToolError> {
    let every = time("--checkpoint-interval", &flags.checkpoint_interval)?;
    Ok(SearchOptions {
        time_limit: time_limit(flags)?,
        since: None,
        turn: None,
        workers: flags.workers() as usize,
        beside: flags.jobs.map_or_else(cores, |jobs| jobs as usize),
        checkpoint: flags.checkpoint.clone().or(flags.resume.clone()).map(|path| (path, every)),
        resume: flags.resume.clone(),
        as_found: flags.no_minimise,
        wanted: WantedRaces::default(),
        origin: None,
        cluster: None,
    })
}

/// The cores that this process may use.
fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, NonZero::get)
}

/// How long the search may take: a portfolio, some of whose parts never end, a minute unless the user says it.
fn time_limit(flags: &CheckFlags) -> Result<Option<Duration>, ToolError> {
    const MINUTE: Duration = Duration::from_secs(60);
    let given = flags.time_limit.as_deref().map(|text| time("--time-limit", text)).transpose()?;
    Ok(given.or(flags.is_portfolio().then_some(MINUTE)))
}

/// How plain accesses are treated unless the user says it: as scheduling points by a search that compares threads,
/// whose history is not compared, or links local states from one operation to the next.
fn plain_accesses(flags: &CheckFlags) -> PlainAccessesName {
    let delta = flags.local_states == Some(LocalStatesName::Delta);
    let states = flags.workers() > 1 && flags.algorithm.first().description().sharing == SearchSharing::States;
    let all = flags.symmetry || delta || states || flags.algorithm.first().description().all_accesses;
    flags.plain_accesses.unwrap_or(if all { PlainAccessesName::All } else { PlainAccessesName::Racy })
}

/// What is said of a search that samples.
fn sampling(flags: &CheckFlags) -> Result<SamplingOptions, ToolError> {
    /// As many places in a run as are drawn without a delay that could be noticed.
    const MOST: u32 = 1000;
    let default = SamplingOptions::default();
    let (pct_depth, delays) = (flags.pct_depth.unwrap_or(default.pct_depth), flags.delays.unwrap_or(default.delays));
    if !(1..=MOST).contains(&pct_depth) {
        return Err(ToolError::new(format!("--pct-depth {pct_depth}: write a number from 1 to {MOST}")));
    }
    if delays > MOST {
        return Err(ToolError::new(format!("--delays {delays}: write a number up to {MOST}")));
    }
    Ok(SamplingOptions { runs: flags.runs, pct_depth, delays, ..default })
}

fn heap(name: HeapName) -> Heap {
    match name {
        HeapName::Quarantine => Heap::Quarantine,
        HeapName::Reuse => Heap::Reuse,
        HeapName::Both => Heap::Both,
    }
}

fn volatile(name: VolatileName) -> VolatileAccesses {
    match name {
        VolatileName::Plain => VolatileAccesses::Plain,
        VolatileName::Relaxed => VolatileAccesses::Relaxed,
        VolatileName::Atomic => VolatileAccesses::Atomic,
    }
}

impl From<PlainAccessesName> for PlainAccesses {
    fn from(name: PlainAccessesName) -> PlainAccesses {
        match name {
            PlainAccessesName::Sync => PlainAccesses::Sync,
            PlainAccessesName::Racy => PlainAccesses::Racy,
            PlainAccessesName::All => PlainAccesses::All,
        }
    }
}

fn backtrack_sets(flags: &CheckFlags) -> BacktrackSets {
    match flags.backtrack_sets {
        Some(BacktrackSetsName::Original) => BacktrackSets::Original,
        Some(BacktrackSetsName::Aggressive) | None => BacktrackSets::Aggressive,
    }
}

fn local_states(flags: &CheckFlags) -> LocalStates {
    match flags.local_states {
        Some(LocalStatesName::Delta) => LocalStates::Delta,
        Some(LocalStatesName::Exact) | None => LocalStates::Exact,
    }
}

/// The first of several preemption bounds, and the last or only one, if there are any.
fn bounds(flags: &CheckFlags) -> Result<(Option<u32>, Option<u32>), ToolError> {
    let Some(text) = &flags.preemptions else { return Ok((None, None)) };
    let wrong = || ToolError::new(format!("--preemptions {text}: write a number such as 2, or a range such as 0..2"));
    // No run is longer than what a step's number holds.
    let number = |text: &str| text.parse::<u16>().map(u32::from).map_err(|_| wrong());
    match text.split_once("..") {
        None => Ok((None, Some(number(text)?))),
        Some((first, last)) => {
            let (first, last) = (number(first)?, number(last)?);
            if first > last { Err(wrong()) } else { Ok((Some(first), Some(last))) }
        }
    }
}

fn input(flags: &CheckFlags) -> Result<Input, ToolError> {
    for path in flags.inputs.iter().chain(&flags.clients) {
        let metadata = std::fs::metadata(path)
            .map_err(|error| ToolError::new(format!("{}: {}", path.display(), plain(&error))))?;
        if !metadata.is_file() {
            return Err(ToolError::new(format!("{}: not a file", path.display())));
        }
    }
    let sources = flags.inputs.iter().filter(|path| for_compiler(path)).count();
    if sources == flags.inputs.len() {
        return Ok(Input::Sources(source_files(flags)?));
    }
    let program = flags.inputs.iter().find(|path| !for_compiler(path)).expect("one is not for the compiler");
    if flags.inputs.len() > 1 {
        return Err(ToolError::new(format!(
            "{}: a program is checked alone; its arguments go after `--`",
            program.display()
        )));
    }
    if !flags.define.is_empty() || !flags.cflags.is_empty() {
        return Err(ToolError::new(format!(
            "{}: -D and --cflag are for source files; this program is already compiled",
            program.display()
        )));
    }
    if !flags.clients.is_empty() {
        return Err(ToolError::new(format!(
            "{}: --client is for source files, as clients are built with them; this program is already compiled",
            program.display()
        )));
    }
    // A name alone would be looked for in PATH.
    let here = program.parent().is_some_and(|folder| folder.as_os_str().is_empty());
    Ok(Input::Program(if here { Path::new(".").join(program) } else { program.clone() }))
}

/// What the program is to be built of.
fn source_files(flags: &CheckFlags) -> Result<SourceFiles, ToolError> {
    if let Some(rust) = flags.inputs.iter().find(|path| is_rust_source(path))
        && !flags.define.is_empty()
    {
        let shown = rust.display();
        return Err(ToolError::new(format!("{shown}: -D is for C; a flag of rustc's is --cflag=--cfg=NAME")));
    }
    let defines = flags.define.iter().map(|define| format!("-D{define}"));
    let cflags = defines.chain(flags.cflags.iter().cloned()).collect();
    Ok(SourceFiles { files: flags.inputs.clone(), cflags, clients: clients(flags)? })
}

/// The clients of a program, which are C or C++ files as it is itself.
fn clients(flags: &CheckFlags) -> Result<Vec<PathBuf>, ToolError> {
    if let Some(other) = flags.clients.iter().find(|path| !is_client(path)) {
        return Err(ToolError::new(format!("--client {}: a client is a C or C++ file", other.display())));
    }
    match flags.inputs.iter().find(|path| is_rust_source(path)) {
        Some(rust) if !flags.clients.is_empty() => {
            Err(ToolError::new(format!("{}: --client is for programs in C and C++", rust.display())))
        }
        Some(_) | None => Ok(flags.clients.clone()),
    }
}

/// Whether a file can be the source of a client.
fn is_client(path: &Path) -> bool {
    const EXTENSIONS: [&str; 8] = ["c", "cc", "cp", "cxx", "cpp", "CPP", "c++", "C"];
    path.extension().and_then(|extension| extension.to_str()).is_some_and(|name| EXTENSIONS.contains(&name))
}

/// Whether a file is something to compile and link, judged by its name as compilers do.
fn for_compiler(path: &std::path::Path) -> bool {
    const EXTENSIONS: &[&str] = &[
        "c", "cc", "cp", "cxx", "cpp", "CPP", "c++", "C", "i", "ii", "h", "hh", "hpp", "o", "a", "bc", "ll", "s", "S",
    ];
    let extension = path.extension().and_then(|extension| extension.to_str());
    is_rust_source(path) || extension.is_some_and(|extension| EXTENSIONS.contains(&extension))
}

#[cfg(test)]
mod tests;
