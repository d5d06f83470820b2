//! What the user wants: every value checked, every default filled in, contradictions refused. The rest of the program
//! sees this and never a flag.

use super::flags::{CheckFlags, HeapName, LocalStatesName, ModeName, PlainAccessesName, VolatileName};
use super::quantities::{milliseconds, size, time};
use super::severities::severities;
use super::{combinations, suppressions};
use crate::compile::is_rust_source;
use crate::error::{ToolError, plain};
use crate::report::text::Traces;
use crate::search::{SearchOptions, WantedRaces};
use inspect_core::explore::SamplingOptions;
use inspect_wire::message::{Heap, Job, LocalStates, Mode, PlainAccesses, Task, VolatileAccesses};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What is to be checked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Input {
    /// A program built with inspect-cc.
    Program(PathBuf),
    /// Files for the compiler and its flags.
    Sources(Sources),
}

/// What a program is built of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sources {
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
    /// A progress line on standard error.
    pub progress: bool,
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

/// Where reports for other programs go.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ReportFiles {
    /// `--junit`
    pub junit: Option<PathBuf>,
    /// `--sarif`
    pub sarif: Option<PathBuf>,
}

/// A resolved `inspect check`.
#[derive(Clone, Debug)]
pub struct Config {
    /// What to check.
    pub input: Input,
    /// Arguments of the program.
    pub args: Vec<OsString>,
    /// The job for the guest; of a portfolio, what its turns have in common.
    pub job: Job,
    /// Which searches are made.
    pub searches: Searches,
    /// Where reports for other programs go.
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
    /// Standard error is a terminal.
    pub progress: bool,
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
            progress: surroundings.progress && !flags.quiet,
        }
    }
}

impl Config {
    /// Checks the flags, fills in defaults and refuses contradictions.
    pub fn resolve(flags: CheckFlags, surroundings: Surroundings) -> Result<Config, ToolError> {
        refuse_nothing_to_run(&flags)?;
        combinations::check(&flags)?;
        let (first_preemptions, preemptions) = bounds(&flags)?;
        let input = input(&flags)?;
        let job = Job {
            task: Task::Explore,
            algorithm: flags.algorithm.first(),
            plain_accesses: match plain_accesses(&flags) {
                PlainAccessesName::Sync => PlainAccesses::Sync,
                PlainAccessesName::Racy => PlainAccesses::Racy,
                PlainAccessesName::All => PlainAccesses::All,
            },
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
            local_states: local_states(&flags),
            heap: heap(flags.heap),
            memory_limit: size("--memory-limit", &flags.memory_limit)?,
            seed: flags.seed,
            sampling: sampling(&flags)?,
            keep_going: flags.keep_going,
            severities: severities(&flags)?,
            report_traces: None,
        };
        let display = Display::new(&flags, surroundings);
        let searches = if flags.is_portfolio() { Searches::InTurns } else { Searches::One };
        let options = options(&flags)?;
        Ok(Config {
            searches,
            files: ReportFiles { junit: flags.junit, sarif: flags.sarif },
            input,
            args: flags.args,
            job,
            uninitialised: flags.uninitialised,
            options,
            out: flags.out,
            display,
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
    if flags.jobs == 0 {
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
        workers: flags.jobs as usize,
        checkpoint: flags.checkpoint.clone().or(flags.resume.clone()).map(|path| (path, every)),
        resume: flags.resume.clone(),
        as_found: flags.no_minimise,
        wanted: WantedRaces::default(),
        origin: None,
    })
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
    let all = flags.symmetry || delta || flags.algorithm.first().description().all_accesses;
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
        if let Some(rust) = flags.inputs.iter().find(|path| is_rust_source(path))
            && !flags.define.is_empty()
        {
            let shown = rust.display();
            return Err(ToolError::new(format!("{shown}: -D is for C; a flag of rustc's is --cflag=--cfg=NAME")));
        }
        let defines = flags.define.iter().map(|define| format!("-D{define}"));
        let cflags = defines.chain(flags.cflags.iter().cloned()).collect();
        let clients = clients(flags)?;
        return Ok(Input::Sources(Sources { files: flags.inputs.clone(), cflags, clients }));
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
mod tests {
    use super::*;
    use crate::cli::flags::{Command, Flags};
    use clap::Parser;
    use inspect_core::detect::{FindingKind, Severity};
    use inspect_core::explore::Algorithm;

    fn resolve(args: &[&str]) -> Result<Config, String> {
        let all = ["inspect", "check"].iter().chain(args);
        let flags = Flags::try_parse_from(all).map_err(|error| error.to_string())?;
        let Command::Check(flags) = flags.command else { panic!("not a check") };
        Config::resolve(*flags, Surroundings { colour: false, progress: false }).map_err(|error| error.to_string())
    }

    /// A file that exists and is no source file by its name.
    const PROGRAM: &str = "/proc/self/exe";
    /// A file that exists and is a source file by its name.
    const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs/deadlock.c");

    #[test]
    fn defaults_are_those_of_the_contract() {
        let config = resolve(&[SOURCE]).expect("resolves");
        assert_eq!(config.job.algorithm, Algorithm::Optimal);
        assert_eq!(config.job.plain_accesses, PlainAccesses::Racy);
        assert_eq!(config.job.mode, Mode::Restore);
        assert_eq!(config.job.max_executions, u64::MAX);
        assert_eq!(config.job.preemptions, None);
        assert!(!config.job.keep_going);
        assert_eq!(config.out, PathBuf::from("inspect-out"));
    }

    #[test]
    fn searches_that_count_on_it_make_every_access_visible() {
        let visible = |options: &[&str]| {
            let config = resolve(&[&[SOURCE, "--algorithm"], options].concat()).expect("resolves");
            config.job.plain_accesses
        };
        assert_eq!(visible(&["stateful"]), PlainAccesses::Racy);
        assert_eq!(visible(&["stateful", "--local-states", "delta"]), PlainAccesses::All);
        assert_eq!(visible(&["dpor", "--symmetry"]), PlainAccesses::All);
    }

    #[test]
    fn the_memory_for_states_is_bounded() {
        let config = resolve(&[SOURCE, "--algorithm", "stateful", "--state-memory", "2M"]).expect("resolves");
        assert_eq!(config.job.state_memory, 2 << 20);
    }

    #[test]
    fn program_arguments_follow_two_dashes() {
        let config = resolve(&[PROGRAM, "--", "--quiet", "x"]).expect("resolves");
        assert_eq!(config.args, ["--quiet", "x"]);
        assert!(!config.display.quiet);
        assert_eq!(config.input, Input::Program(PROGRAM.into()));
    }

    #[test]
    fn macros_and_flags_reach_the_compiler_in_order() {
        let config = resolve(&[SOURCE, "-DN=3", "-D", "M", "--cflag=-O2", "--cflag", "-std=c11"]).expect("resolves");
        let expected = ["-DN=3", "-DM", "-O2", "-std=c11"].map(String::from).to_vec();
        assert_eq!(
            config.input,
            Input::Sources(Sources { files: vec![SOURCE.into()], cflags: expected, clients: vec![] })
        );
    }

    /// Each of the command lines is refused with a message that contains the text beside it.
    fn refused(cases: &[(&[&str], &str)]) {
        for (args, part) in cases {
            let error = resolve(args).expect_err("refused");
            assert!(error.contains(part), "{args:?}: {error}");
        }
    }

    #[test]
    fn wrong_values_are_refused() {
        refused(&[
            (&["/nonexistent/x.c"], "No such file"),
            (&["/proc"], "not a file"),
            (&[SOURCE, "--warn", "leek"], "no such kind"),
            (&[SOURCE, "--state-memory", "0"], "--state-memory 0: write a size"),
            (&[SOURCE, "--time-limit", "soon"], "write a time"),
            (&[SOURCE, "--time-limit", "0"], "write a time"),
            (&[SOURCE, "--memory-limit", "0"], "write a size"),
            (&[SOURCE, "--memory-limit", "99999999999G"], "write a size"),
            (&[SOURCE, "--max-executions", "0"], "nothing to run"),
            (&[SOURCE, "--algorithm", "pct", "--runs", "0"], "nothing to run"),
            (&[SOURCE, "--algorithm", "pct", "--pct-depth", "0"], "write a number from 1"),
            (&[SOURCE, "--algorithm", "delay", "--delays", "9999"], "write a number up to"),
            (&[SOURCE, "--preemptions", "few"], "write a number"),
            (&[SOURCE, "--preemptions", "3..2"], "write a number"),
            (&[SOURCE, "--preemptions", "70000"], "write a number"),
            (&[SOURCE, "--wrong"], "--wrong"),
            (&[], "required"),
        ]);
    }

    #[test]
    fn contradictions_are_refused() {
        refused(&[
            (&[PROGRAM, "-DN=3"], "already compiled"),
            (&[PROGRAM, SOURCE], "checked alone"),
            (&[SOURCE, "--warn", "leak", "--error", "leak"], "two severities"),
            (&[SOURCE, "-j", "2", "--algorithm", "dpor"], "goes with: optimal, ddpor"),
            (&[SOURCE, "-j", "2", "--preemptions", "2"], "a bounded search is not divided"),
            (&[SOURCE, "--resume", "c", "--algorithm", "cb-por", "--preemptions", "2"], "not for --algorithm cb-por"),
            (&[SOURCE, "--symmetry"], "--symmetry is not for --algorithm auto"),
            (&[SOURCE, "--preemptions", "2", "--algorithm", "dpor"], "has no form with a bound"),
            (&[SOURCE, "--preemptions", "2", "--algorithm", "dfs"], "has no form with a bound"),
            (&[SOURCE, "--preemptions", "2", "--algorithm", "pdp"], "not counted in preemptions"),
            (
                &[SOURCE, "--symmetry", "--algorithm", "dpor", "--plain-accesses", "racy"],
                "--symmetry needs --plain-accesses all",
            ),
            (&[SOURCE, "-j", "2", "--algorithm", "stateful"], "one process only"),
            (&[SOURCE, "--preemptions", "2", "--algorithm", "stateful"], "how many preemptions are left"),
            (&[SOURCE, "--mode", "fork", "--algorithm", "stateful"], "more than one execution"),
            (&[SOURCE, "--plain-accesses", "sync", "--algorithm", "stateful"], "--plain-accesses all or racy"),
            (
                &[SOURCE, "--plain-accesses", "racy", "--algorithm", "stateful", "--local-states", "delta"],
                "--local-states delta needs --plain-accesses all",
            ),
            (&[SOURCE, "--algorithm", "cb-por"], "needs a bound"),
            (&[SOURCE, "--runs", "5"], "it is for random, pct, pos, surw, rff, delay, predict"),
            (&[SOURCE, "--algorithm", "pos", "--pct-depth", "2"], "it is for pct"),
            (&[SOURCE, "--algorithm", "pct", "--delays", "2"], "it is for delay"),
            (&[SOURCE, "--algorithm", "pct", "-j", "2"], "not handed on to other processes"),
            (&[SOURCE, "--algorithm", "random", "--preemptions", "2"], "draws its executions by chance"),
            (&[SOURCE, "--algorithm", "random", "--symmetry"], "draws its executions by chance"),
        ]);
    }

    #[test]
    fn preemption_bounds() {
        let bounds = |text: &str| {
            let config = resolve(&[SOURCE, "--algorithm", "cb-por", "--preemptions", text]).expect("resolves");
            (config.job.first_preemptions, config.job.preemptions)
        };
        assert_eq!(bounds("2"), (None, Some(2)));
        assert_eq!(bounds("0..2"), (Some(0), Some(2)));
        assert_eq!(bounds("1..1"), (Some(1), Some(1)));
    }

    #[test]
    fn severities_of_a_kind_can_be_changed() {
        let config = resolve(&[SOURCE, "--error", "leak", "--ignore", "exit-status"]).expect("resolves");
        let of = |kind| config.job.severity(kind);
        assert_eq!(of(FindingKind::Leak), Severity::Error);
        assert_eq!(of(FindingKind::ExitStatus), Severity::Ignored);
        assert_eq!(of(FindingKind::DataRace), Severity::Error);
    }

    #[test]
    fn main_of_a_rust_program_need_not_wait_for_threads() {
        let of =
            |arguments: &[&str]| resolve(arguments).expect("resolves").job.severity(FindingKind::MissingPthreadExit);
        const RUST: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/lib.rs");
        assert_eq!(of(&[SOURCE]), Severity::Warning);
        assert_eq!(of(&[RUST]), Severity::Ignored);
        assert_eq!(of(&[RUST, "--warn", "missing-pthread-exit"]), Severity::Warning);
    }
}
