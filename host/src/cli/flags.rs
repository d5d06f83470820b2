//! The flags as the user typed them; `config` resolves them.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use inspect_core::explore::Algorithm;
use inspect_core::explore::catalogue::{AlgorithmRow, CATALOGUE};
use std::ffi::OsString;
use std::path::PathBuf;

/// Checks multithreaded C and C++ programs by running every interleaving that can matter.
#[derive(Parser, Debug)]
#[command(name = "inspect", version, about, disable_help_subcommand = true)]
pub struct Flags {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

impl Flags {
    /// Reads a command line; ends the process after `--help` and with wrong usage.
    pub fn read(args: Vec<OsString>) -> Flags {
        let places = |inputs: Arg| inputs.value_name("FILES|PROGRAM|FILE:LINE").help(PLACES);
        // An argument that is changed comes after all others, and the program's own come last.
        let command = Flags::command()
            .mut_subcommand("confirm", |confirm| confirm.mut_arg("inputs", places).mut_arg("args", |args| args));
        Flags::from_arg_matches(&command.get_matches_from(args)).unwrap_or_else(|error| error.exit())
    }
}

const RESTARTS: &str = "inspect-mpi --restarts N mpirun ... inspect-mpi check ... starts the job again up to N times when \
                        a rank is lost, and goes on from its checkpoint.";

/// Checks multithreaded C and C++ programs on a cluster, as one process of those that mpirun or srun starts.
#[derive(Parser, Debug)]
#[command(name = "inspect-mpi", version, about, disable_help_subcommand = true, after_help = RESTARTS)]
pub struct ClusterFlags {
    /// What to do.
    #[command(subcommand)]
    pub command: ClusterCommand,
}

/// The commands of `inspect-mpi`.
#[derive(Subcommand, Debug)]
pub enum ClusterCommand {
    /// Explore a program on all nodes. Options and exit status are those of inspect check; the search is optimal unless
    /// you name another one that can be divided
    Check(Box<ClusterCheckFlags>),
}

/// Flags of `inspect-mpi check`: those of `inspect check`, and its own.
#[derive(Args, Debug)]
pub struct ClusterCheckFlags {
    /// How the program is explored.
    #[command(flatten)]
    pub check: CheckFlags,
    /// Say at the end, on standard error, what the ranks have sent each other
    #[arg(long, help_heading = "Report")]
    pub traffic: bool,
    /// Write the exit status to FILE at the end, and before that the report to FILE.report in place of standard output:
    /// launchers may end with another status, and write something to standard output themselves
    #[arg(long, value_name = "FILE", help_heading = "Report")]
    pub status_file: Option<PathBuf>,
}

/// `inspect-mpi --restarts`, which is no rank: starts the ranks again when one is lost.
#[derive(Parser, Debug)]
#[command(name = "inspect-mpi", version, disable_help_subcommand = true)]
pub struct RestartFlags {
    /// How often the job is started again after a rank was lost. Each job has the whole of --time-limit
    #[arg(long, value_name = "N", required = true)]
    pub restarts: u32,
    /// The command that starts the ranks: mpirun -n 64 inspect-mpi check PROGRAM
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true, value_name = "LAUNCHER")]
    pub launcher: Vec<OsString>,
}

impl ClusterFlags {
    /// Reads a command line. The second result is how many guests each rank is to have, if that was said.
    pub fn read(args: Vec<OsString>) -> Result<(ClusterCheckFlags, Option<u32>), clap::Error> {
        const GUESTS: &str = "Number of processes that share the work of each rank [default: the cores it may use]";
        let guests = |jobs: Arg| jobs.help(GUESTS);
        let command = ClusterFlags::command().mut_subcommand("check", |check| check.mut_arg("jobs", guests));
        let matches = command.try_get_matches_from(args)?;
        let ClusterCommand::Check(flags) = ClusterFlags::from_arg_matches(&matches)?.command;
        let guests = flags.check.jobs;
        Ok((*flags, guests))
    }
}

/// The commands.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Explore a program. Exit status: 0 verified, 1 violated, 2 wrong usage, build error or failure of the tool,
    /// 3 inconclusive
    Check(Box<CheckFlags>),
    /// Find the execution in which a flaky test fails: draw executions by chance until one fails, and write a schedule
    /// that replays it. Options and exit status are those of check; there is no time limit unless you give one, and a
    /// status other than 0 is an error
    Flaky(Box<CheckFlags>),
    /// Find out whether a data race that somebody reports is real: of two places FILE:LINE, or of what ThreadSanitizer
    /// or Helgrind have written. Ends with a schedule that shows it, with "refuted: every interleaving was covered", or
    /// with what was tried. Exit status: 1 if a race is confirmed, 0 if all are refuted, 2 for wrong usage, a build
    /// error or failure of the tool, 3 for everything else
    Confirm(Box<ConfirmFlags>),
    /// Run one schedule again, showing the program's output and the trace. Exit status: 1 if the finding shows again,
    /// 2 if not
    Replay(ReplayFlags),
    /// Compile C as clang would, for later checking (also installed as inspect-cc)
    #[command(disable_help_flag = true, disable_version_flag = true)]
    Cc(PassedOn),
    /// Compile C++ as clang++ would, for later checking (also installed as inspect-c++)
    #[command(name = "c++", disable_help_flag = true, disable_version_flag = true)]
    Cxx(PassedOn),
    /// Make archives as ar does, of objects that cc has made (also installed as inspect-ar)
    #[command(disable_help_flag = true, disable_version_flag = true)]
    Ar(PassedOn),
    /// Index archives as ranlib does (also installed as inspect-ranlib)
    #[command(disable_help_flag = true, disable_version_flag = true)]
    Ranlib(PassedOn),
    /// List symbols as nm does (also installed as inspect-nm)
    #[command(disable_help_flag = true, disable_version_flag = true)]
    Nm(PassedOn),
    /// Print the variables by which build systems find these tools, as commands of a shell: eval "$(inspect env)"
    Env,
}

/// The command line of a compiler or another tool, passed on as it is.
#[derive(Args, Debug)]
pub struct PassedOn {
    /// Everything after the command.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub args: Vec<OsString>,
}

/// `--algorithm`
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SearchName {
    /// Several of them take turns.
    Auto,
    /// One of the catalogue.
    One(Algorithm),
}

impl SearchName {
    const AUTO: &str = "auto";

    /// The algorithm with which the search begins.
    pub fn first(self) -> Algorithm {
        match self {
            SearchName::Auto => Algorithm::Optimal,
            SearchName::One(algorithm) => algorithm,
        }
    }

    /// The value of the option that stands for it.
    pub fn name(self) -> &'static str {
        match self {
            SearchName::Auto => SearchName::AUTO,
            SearchName::One(algorithm) => algorithm.name(),
        }
    }
}

/// The values of `--algorithm`, with the help that the catalogue has for each.
fn algorithms() -> impl TypedValueParser<Value = SearchName> {
    const HELP: &str =
        "Takes turns: optimal, stateful, growing numbers of preemptions, sampling; ends with the first answer";
    let value = |row: &AlgorithmRow| PossibleValue::new(row.name).help(row.summary);
    let auto = PossibleValue::new(SearchName::AUTO).help(HELP);
    PossibleValuesParser::new(core::iter::once(auto).chain(CATALOGUE.iter().map(value)))
        .map(|name| Algorithm::named(&name).map_or(SearchName::Auto, SearchName::One))
}

/// `--plain-accesses`
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum PlainAccessesName {
    /// Never scheduling points; checked for races
    Sync,
    /// Scheduling points once their location was found racing
    Racy,
    /// Always scheduling points
    All,
}

/// `--local-states`
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum LocalStatesName {
    /// By everything that lives in their functions
    Exact,
    /// By identities linked by what changes between operations, as in the dissertation
    Delta,
}

/// `--backtrack-sets`
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum BacktrackSetsName {
    /// To each state before an event that it depends on
    Aggressive,
    /// To the last of these states, as in a sequential search: processes repeat each other's work
    Original,
}

/// `--heap`
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum HeapName {
    /// As late as possible: uses of freed memory are found
    Quarantine,
    /// At the next allocation of the size by the thread that freed them
    Reuse,
    /// Both are explored where they differ
    Both,
}

/// `--volatile`
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum VolatileName {
    /// Plain accesses, as C11 has it
    Plain,
    /// Atomic accesses that order nothing else
    Relaxed,
    /// Sequentially consistent atomic accesses
    Atomic,
}

/// `--mode`
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum ModeName {
    /// Memory is copied back after each run
    Restore,
    /// Each run in a forked child: slower, the oracle for the other
    Fork,
}

/// Flags of `inspect check`.
#[derive(Args, Debug)]
pub struct CheckFlags {
    /// C or C++ files to compile, or one program built with inspect-cc
    #[arg(required = true, value_name = "FILES|PROGRAM")]
    pub inputs: Vec<PathBuf>,
    /// Arguments of the program
    #[arg(last = true, value_name = "ARGS")]
    pub args: Vec<OsString>,

    /// Which search
    #[arg(long, value_name = "NAME", value_parser = algorithms(), default_value = SearchName::AUTO, help_heading = "Search")]
    pub algorithm: SearchName,
    /// When a plain memory access is a scheduling point [default: racy; all with --symmetry or --local-states delta]
    #[arg(long, value_enum, help_heading = "Search")]
    pub plain_accesses: Option<PlainAccessesName>,
    /// What volatile accesses are
    #[arg(long, value_enum, default_value = "plain", help_heading = "Search")]
    pub volatile: VolatileName,
    /// Look for uses of uninitialised memory, too
    #[arg(long, help_heading = "Search")]
    pub uninitialised: bool,
    /// Data races that are no findings: lines race:PATTERN, where the pattern names a function or a source file
    #[arg(long, value_name = "FILE", help_heading = "Search")]
    pub races_in: Option<PathBuf>,
    /// Cover what can be shown with at most N preemptions; M..N: first with M, then with one more each time, up to N
    #[arg(long, value_name = "N", help_heading = "Search")]
    pub preemptions: Option<String>,
    /// Of symmetric threads try only one; with --algorithm dpor or source, --plain-accesses all
    #[arg(long, help_heading = "Search")]
    pub symmetry: bool,
    /// Let waits on condition variables end without a signal
    #[arg(long, help_heading = "Search")]
    pub spurious_wakeups: bool,
    /// Report all distinct findings instead of stopping at the first error
    #[arg(long, help_heading = "Search")]
    pub keep_going: bool,
    /// Number of processes that share the search [default: 1, as small searches are over before a second one has begun;
    /// for turns of --algorithm auto that are made beside each other, the cores there are]
    #[arg(short, value_name = "N", help_heading = "Search")]
    pub jobs: Option<u32>,
    /// Seed of the program's random numbers, and of the search if it samples
    #[arg(long, value_name = "NUMBER", default_value_t = 0, help_heading = "Search")]
    pub seed: u64,
    /// Runs of a search that samples [default: 20000, or fewer if these had more than 100 million operations]
    #[arg(long, value_name = "N", help_heading = "Search")]
    pub runs: Option<u64>,
    /// Depth of the bugs that --algorithm pct looks for: how many steps have to come in a certain order [default: 3]
    #[arg(long, value_name = "N", help_heading = "Search")]
    pub pct_depth: Option<u32>,
    /// Delays in each run of --algorithm delay [default: 2]
    #[arg(long, value_name = "N", help_heading = "Search")]
    pub delays: Option<u32>,
    /// When freed blocks of the heap are given out again
    #[arg(long, value_enum, default_value = "both", help_heading = "Search")]
    pub heap: HeapName,
    /// How the program is brought back to its start after a run
    #[arg(long, value_enum, default_value = "restore", help_heading = "Search")]
    pub mode: ModeName,

    /// Stop after this time: 30, 30s, 5m, 1h, 500ms [default: none; a minute with --algorithm auto]
    #[arg(long, value_name = "TIME", help_heading = "Limits")]
    pub time_limit: Option<String>,
    /// Stop after this many executions
    #[arg(long, value_name = "N", help_heading = "Limits")]
    pub max_executions: Option<u64>,
    /// Cut an execution after this many visible operations
    #[arg(long, value_name = "N", default_value_t = 100_000, help_heading = "Limits")]
    pub max_steps: u32,
    /// Cut an execution in which a thread computes for this processor time without a visible operation
    #[arg(long, value_name = "TIME", default_value = "5s", help_heading = "Limits")]
    pub max_computation: String,
    /// Keep in this file, rewritten every few seconds, what an interrupted search can be resumed from
    #[arg(long, value_name = "FILE", help_heading = "Limits")]
    pub checkpoint: Option<PathBuf>,
    /// Go on from this file, and keep the checkpoint in it unless --checkpoint names another
    #[arg(long, value_name = "FILE", help_heading = "Limits")]
    pub resume: Option<PathBuf>,
    /// How often the checkpoint is rewritten
    #[arg(long, value_name = "TIME", default_value = "3s", hide = true)]
    pub checkpoint_interval: String,
    /// Events between two checkpoints of a run; 0 for none. For tests: no result depends on it.
    #[arg(long, value_name = "N", default_value_t = inspect_wire::message::CHECKPOINT_EVERY, hide = true)]
    pub checkpoint_every: u32,
    /// Heap the program may use in one execution: 512M, 2G
    #[arg(long, value_name = "SIZE", default_value = "1G", help_heading = "Limits")]
    pub memory_limit: String,

    /// Memory for visited states (--algorithm stateful); when it is full, the search goes on without keeping more
    #[arg(long, value_name = "SIZE", default_value = "1G", help_heading = "Limits")]
    pub state_memory: String,

    /// How --algorithm stateful compares the local states of threads [default: exact]
    #[arg(long, value_enum, help_heading = "Search")]
    pub local_states: Option<LocalStatesName>,

    /// To which states an event adds backtrack points in --algorithm ddpor [default: aggressive]
    #[arg(long, value_enum, help_heading = "Search")]
    pub backtrack_sets: Option<BacktrackSetsName>,

    /// Define a macro for the compiler
    #[arg(short = 'D', value_name = "NAME=VALUE", help_heading = "Build")]
    pub define: Vec<String>,
    /// Pass a flag to the compiler
    #[arg(long = "cflag", value_name = "FLAG", allow_hyphen_values = true, help_heading = "Build")]
    pub cflags: Vec<String>,

    /// A C or C++ file whose main runs as a client at the other end of the program's sockets. It begins when the
    /// program listens, and the run ends with the last client
    #[arg(long = "client", value_name = "FILE", help_heading = "Build")]
    pub clients: Vec<PathBuf>,

    /// Treat findings of a kind as warnings
    #[arg(long, value_name = "KIND", help_heading = "Report")]
    pub warn: Vec<String>,
    /// Treat findings of a kind as errors
    #[arg(long, value_name = "KIND", help_heading = "Report")]
    pub error: Vec<String>,
    /// Leave findings of a kind out
    #[arg(long, value_name = "KIND", help_heading = "Report")]
    pub ignore: Vec<String>,
    /// Print one JSON object instead of text
    #[arg(long, help_heading = "Report")]
    pub json: bool,
    /// No progress line and no traces
    #[arg(long, help_heading = "Report")]
    pub quiet: bool,
    /// Show every step of a trace instead of the last ones
    #[arg(long, help_heading = "Report")]
    pub full: bool,
    /// Show the schedules that the search has found, without looking for some with fewer preemptions
    #[arg(long, help_heading = "Report")]
    pub no_minimise: bool,
    /// Write a report in JUnit's XML to this file as well
    #[arg(long, value_name = "FILE", help_heading = "Report")]
    pub junit: Option<PathBuf>,
    /// Write a report in SARIF 2.1.0 to this file as well
    #[arg(long, value_name = "FILE", help_heading = "Report")]
    pub sarif: Option<PathBuf>,
    /// Where schedule files go
    #[arg(long, value_name = "DIR", default_value = "inspect-out", help_heading = "Report")]
    pub out: PathBuf,
}

/// Flags of `inspect confirm`: those of `inspect check`, and what is to be confirmed.
#[derive(Args, Debug)]
pub struct ConfirmFlags {
    /// What is to be explored; among the inputs are the places.
    #[command(flatten)]
    pub check: CheckFlags,
    /// Confirm the data races that ThreadSanitizer or Helgrind have written to this file, or - for standard input
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
}

/// The inputs of `inspect confirm`.
const PLACES: &str = "C or C++ files to compile, or one program built with inspect-cc; and the two places of the race, as \
                      FILE:LINE or FILE:LINE:COLUMN, unless --report has them";

impl CheckFlags {
    /// How many processes share a search.
    pub fn workers(&self) -> u32 {
        self.jobs.unwrap_or(1)
    }

    /// Whether several searches take turns. A bounded search and one that is kept in a file are the exhaustive one
    /// alone.
    pub fn is_portfolio(&self) -> bool {
        let alone = self.preemptions.is_some() || self.checkpoint.is_some() || self.resume.is_some();
        self.algorithm == SearchName::Auto && !alone
    }
}

/// Flags of `inspect replay`.
#[derive(Args, Debug)]
pub struct ReplayFlags {
    /// A schedule file written by `inspect check`
    pub schedule: PathBuf,
    /// Run inside gdb and stop at the finding
    #[arg(long)]
    pub gdb: bool,
    /// Run on real threads (not available in this version)
    #[arg(long)]
    pub threads: bool,
    /// Show every step of the trace instead of the last ones
    #[arg(long)]
    pub full: bool,
}
