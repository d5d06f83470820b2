//! What host and guest say to each other, encoded with postcard.

use crate::race_pattern::RacePattern;
use alloc::string::String;
use alloc::vec::Vec;
use inspect_core::detect::{Finding, FindingKind, Severity, Witness};
use inspect_core::event::{ByteRange, Ending, Event, LimitKind, Pending, SiteId, Step, ThreadId, ThreadOrder};
use inspect_core::explore::{Algorithm, BacktrackSets, Counts, SampledRuns, SamplingOptions, Share};
use serde::{Deserialize, Serialize};

/// When a plain access is a visible operation (S3).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum PlainAccesses {
    /// Never; races make the verdict inconclusive at least.
    Sync,
    /// Once its location was found racing.
    Racy,
    /// Always.
    All,
}

impl PlainAccesses {
    /// The value of `--plain-accesses` that stands for it.
    pub fn name(self) -> &'static str {
        match self {
            PlainAccesses::Sync => "sync",
            PlainAccesses::Racy => "racy",
            PlainAccesses::All => "all",
        }
    }
}

/// Whether blocks of the heap that were freed are given out again in the same run (S17).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Heap {
    /// As late as possible.
    Quarantine,
    /// As soon as possible, by the thread that freed them.
    Reuse,
    /// Both are explored, if a run comes up in which they differ.
    Both,
}

impl Heap {
    /// The value of `--heap` that stands for it.
    pub fn name(self) -> &'static str {
        match self {
            Heap::Quarantine => "quarantine",
            Heap::Reuse => "reuse",
            Heap::Both => "both",
        }
    }
}

/// What `volatile` accesses are (S12).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum VolatileAccesses {
    /// Plain ones, as C11 has it.
    Plain,
    /// Atomic ones that order nothing else.
    Relaxed,
    /// Atomic ones, sequentially consistent.
    Atomic,
}

impl VolatileAccesses {
    /// The value of `--volatile` that stands for it.
    pub fn name(self) -> &'static str {
        match self {
            VolatileAccesses::Plain => "plain",
            VolatileAccesses::Relaxed => "relaxed",
            VolatileAccesses::Atomic => "atomic",
        }
    }
}

/// How the memory of the program is brought back after a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Mode {
    /// Copied back from a snapshot.
    Restore,
    /// Every run in a forked child.
    Fork,
}

/// The default of [`Job::checkpoint_every`]. Most checkpoints are taken where the search knows that later plans leave
/// the run (`Plan::forks`); those at this distance serve searches that do not know it, in long runs.
pub const CHECKPOINT_EVERY: u32 = 150;

/// The default of [`Job::max_computation`].
pub const MAX_COMPUTATION: u64 = 5_000;

/// What the guest is to do.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Task {
    /// Explore everything. The turn of a portfolio leaves what it has not explored in a commit at its end, if the
    /// search can be divided.
    Explore,
    /// Explore the parts of a search that the host gives, and commit whenever the host asks ([`crate::work::Commit`]).
    Work,
    /// Run these steps once and report the trace.
    Replay {
        /// Every step of the run.
        steps: Vec<Step>,
        /// Creation paths of the schedule.
        paths: Vec<(ThreadId, u32)>,
        /// Where the finding was seen: mapped file (empty for the program) and address in it. The call stacks of plain
        /// accesses there are recorded.
        places: Vec<(String, u64)>,
        /// The kind of finding that the replay is to show: a run without an end need not go on after it was shown.
        wanted: FindingKind,
        /// Write the program's output to the real descriptors instead of capturing it, and stop with a trap at the
        /// finding if a debugger asked for it.
        live: bool,
    },
    /// Look for runs with fewer preemptions that show a finding ([`Minimise`](inspect_core::explore::Minimise)).
    Minimise {
        /// A run that shows it, as for a replay.
        steps: Vec<Step>,
        /// Creation paths of the run.
        paths: Vec<(ThreadId, u32)>,
        /// What the runs are to show.
        goal: Goal,
    },
}

/// What makes a finding the one that is looked for, in any process.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Goal {
    /// Its kind.
    pub kind: FindingKind,
    /// Its [`Finding::code`].
    pub code: i32,
    /// Evidence that is as good as this.
    pub witness: Option<Witness>,
    /// Its places, whichever thread is there: mapped file (empty for the program) and address in it, or the address of
    /// what is in no file.
    pub places: Vec<(Option<String>, u64)>,
}

/// For each return address in the program's file, ascending: which of the callee-saved registers (bits 0 to 5: rbx,
/// rbp, r12 to r15) the code from there on still reads. The code at an address that is not listed may read all of them.
pub type FrameMap = Vec<(u64, u8)>;

/// `--local-states`: how the stateful search distinguishes the local states of threads.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum LocalStates {
    /// By all that lives in their functions.
    Exact,
    /// By identities that are linked by what changes from operation to operation.
    Delta,
}

/// A table of states that guests share ([`StateTable`](inspect_core::run::StateTable)).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SharedTable {
    /// How many times the search had begun anew before; each time with another table.
    pub pass: u32,
    /// Its size in bytes, a multiple of 8.
    pub bytes: u64,
    /// In which order this guest tries threads.
    pub order: ThreadOrder,
}

/// The host's order to the guest.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Job {
    /// What to do.
    pub task: Task,
    /// Which search.
    pub algorithm: Algorithm,
    /// Visibility of plain accesses.
    pub plain_accesses: PlainAccesses,
    /// `--volatile`.
    pub volatile: VolatileAccesses,
    /// `--races-in`: data races that are no findings.
    pub harmless_races: Vec<RacePattern>,
    /// Locations already promoted, by the search that a replay belongs to or by another guest.
    pub promoted: Vec<ByteRange>,
    /// Where modules were in the process that promoted them; they may be elsewhere now.
    pub promoted_in: Vec<LoadedModule>,
    /// The watch sets that another guest has found: locations that loops watch together, each with the number of its
    /// set.
    pub watch_sets: Vec<(ByteRange, u64)>,
    /// Restore or fork.
    pub mode: Mode,
    /// `--preemptions`: the bound, or the last of several.
    pub preemptions: Option<u32>,
    /// The first of several bounds.
    pub first_preemptions: Option<u32>,
    /// `--symmetry`: of symmetric threads, only one is tried. The map is what their frames are compared with.
    pub symmetry: Option<FrameMap>,
    /// `--spurious-wakeups`.
    pub spurious_wakeups: bool,
    /// `--max-executions`; `u64::MAX` for none.
    pub max_executions: u64,
    /// How much the search may do, if it is a turn of a portfolio.
    pub share: Option<Share>,
    /// `--max-steps`: visible operations in one run.
    pub max_steps: u32,
    /// `--max-computation` in milliseconds of processor time without a visible operation.
    pub max_computation: u64,
    /// The most visible operations between two checkpoints of a run; 0 for no checkpoints at all.
    pub checkpoint_every: u32,
    /// `--state-memory` in bytes.
    pub state_memory: u64,
    /// The table of states that the guest shares with others which make the same search.
    pub state_table: Option<SharedTable>,
    /// `--backtrack-sets`.
    pub backtrack_sets: BacktrackSets,
    /// `--local-states`.
    pub local_states: LocalStates,
    /// `--heap`.
    pub heap: Heap,
    /// `--memory-limit` in bytes of heap per run.
    pub memory_limit: u64,
    /// `--seed` for the program's random numbers, and for a search that samples.
    pub seed: u64,
    /// `--runs` and the parameters of searches that sample.
    pub sampling: SamplingOptions,
    /// Go on after an error.
    pub keep_going: bool,
    /// Severity of each kind where it is not the default.
    pub severities: Vec<(FindingKind, Severity)>,
    /// Report the trace of every run, with what these ranges hold at its end. For tests; the memory shared with the
    /// host has room for the traces of some ten thousand short runs.
    pub report_traces: Option<Vec<ByteRange>>,
}

impl Job {
    /// Whether its runs are drawn by chance.
    pub fn samples(&self) -> bool {
        match self.task {
            Task::Explore | Task::Work => self.algorithm.description().samples(),
            Task::Replay { .. } | Task::Minimise { .. } => false,
        }
    }

    /// The severity of findings of this kind.
    pub fn severity(&self, kind: FindingKind) -> Severity {
        let own = self.severities.iter().find(|(other, _)| *other == kind);
        own.map_or(kind.default_severity(), |(_, severity)| *severity)
    }
}

/// A source location resolved by the guest from a static record, reported once before its first use.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ResolvedSite {
    /// The identifier that events and places use.
    pub site: SiteId,
    /// Source file.
    pub file: String,
    /// Function.
    pub function: String,
    /// Variable, or empty.
    pub variable: String,
    /// Line, or 0.
    pub line: u32,
    /// Column, or 0.
    pub column: u32,
    /// Whether the access there is `volatile`.
    pub volatile: bool,
}

pub use inspect_core::event::MADE_UP;

/// One object file mapped into the guest; code addresses are resolved with it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LoadedModule {
    /// Path; empty for the program itself.
    pub path: String,
    /// What to subtract from an address to get the file's own address.
    pub bias: u64,
    /// First mapped address.
    pub start: u64,
    /// Address after the last mapped one.
    pub end: u64,
}

/// Values read and written at an event, for the host's report; sent by replays only.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ReportedValues {
    /// Up to the first 8 bytes at the location before the operation.
    pub before: u64,
    /// The same after the operation.
    pub after: u64,
}

/// In [`CallStacks`]: no call stack is known.
pub const NO_STACK: u32 = u32::MAX;

/// The call stacks behind the events of a replay.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct CallStacks {
    /// The distinct call stacks: return addresses in the program and its libraries, innermost first.
    pub stacks: Vec<Vec<u64>>,
    /// The number of the call stack of each event, or [`NO_STACK`]; events at the end may be missing.
    pub events: Vec<u32>,
    /// The number of the call stack of a thread at a source location: of plain accesses at [`Task::Replay::places`],
    /// then of the place where each thread stood at the end.
    pub places: Vec<(ThreadId, SiteId, u32)>,
}

/// What the guest reports to the host.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[allow(clippy::large_enum_variant, reason = "sets of many threads are large, and messages few")]
pub enum Message {
    /// The object files that are mapped, and where; the first message.
    Modules(Vec<LoadedModule>),
    /// A source location, before its first use.
    Site(ResolvedSite),
    /// What is behind the made-up address of an object outside of the program's memory, before its first use: a file, a
    /// stream, state of the C library.
    Object(u64, String),
    /// A new finding.
    Finding(Finding),
    /// A data race was found that the pattern with this number in [`Job::harmless_races`] names. Reported once each.
    HarmlessRace(u32),
    /// All watch sets: locations that loops watch together, each with the number of its set. The search restarts
    /// ([`Promoted`](Self::Promoted) comes next).
    Grouped(Vec<(ByteRange, u64)>),
    /// Locations were promoted and the search restarted; counts before this are void.
    Promoted(Vec<ByteRange>),
    /// The trace of a replay, or of a run that [`Job::report_traces`] asks for.
    Trace {
        /// The events.
        events: Vec<Event>,
        /// Values at each event (same length), 0 where there are none.
        values: Vec<ReportedValues>,
        /// The operations pending at the end.
        pending: Vec<Pending>,
        /// How the run ended.
        ending: Ending,
        /// Up to the first 8 bytes of each range of [`Job::report_traces`] at the end of the run.
        contents: Vec<u64>,
    },
    /// The call stacks of a replay, before its trace.
    CallStacks(CallStacks),
    /// A result of the test of the guest's platform: its number and the bytes.
    Output(u32, Vec<u8>),
    /// Something makes `verified` impossible: a call that is not modelled, opaque assembly, a cut run.
    Inconclusive(InconclusiveReason),
    /// The run could not follow its plan: an uncontrolled source of nondeterminism.
    Divergence {
        /// Position of the first event that differs.
        at: u32,
        /// What was expected there, if anything.
        expected: Option<Event>,
        /// What happened instead, if anything.
        found: Option<Event>,
        /// The call that looks responsible, or empty.
        suspect: String,
    },
    /// States that could not be compared with others, for one reason.
    Uncompared {
        /// The reason.
        why: Uncompared,
        /// The number of states.
        states: u64,
        /// Where a thread stood in the first of them.
        site: SiteId,
    },
    /// What the runs of a search that samples have in common so far.
    Sampled(SampledRuns),
    /// At the end of [`Task::Minimise`]: within fewer preemptions than this, no run shows the finding.
    NoneBelow(u32),
    /// A defect of the tool: what, and where.
    ToolError(String),
    /// Last message.
    Done {
        /// Final counts.
        counts: Counts,
        /// True if nothing was left to explore.
        complete: bool,
    },
}

/// Why a state cannot be compared with others, so that it counts as new whenever it is reached.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum Uncompared {
    /// Files, descriptors or positions were changed.
    Files,
    /// Memory was mapped or unmapped.
    Mappings,
    /// A clock was looked at, or time passed.
    Clock,
    /// Signal actions, masks or stacks were changed, or a signal is pending.
    Signals,
    /// A thread runs code of the program that the engine has called, or a model has read memory that it still needs.
    Called,
    /// A thread stands inside a library, or in a function that a library has called.
    Library,
    /// A thread is in a function whose frame holds more than its record.
    Frame,
    /// There is no room for more states.
    Room,
}

impl Uncompared {
    /// All of them, in order.
    pub const ALL: [Uncompared; 8] = [
        Uncompared::Files,
        Uncompared::Mappings,
        Uncompared::Clock,
        Uncompared::Signals,
        Uncompared::Called,
        Uncompared::Library,
        Uncompared::Frame,
        Uncompared::Room,
    ];

    /// In words, after "could not be compared: ".
    pub fn words(self) -> &'static str {
        match self {
            Uncompared::Files => "the program had changed files or descriptors",
            Uncompared::Mappings => "the program had mapped or unmapped memory",
            Uncompared::Clock => "the program had looked at a clock or slept",
            Uncompared::Signals => "the program had changed what it does about signals",
            Uncompared::Called => {
                "a thread was in a handler, a destructor or an initialiser, or in a library function that had read its arguments"
            }
            Uncompared::Library => "a library had called the program back, or a thread waited inside a library",
            Uncompared::Frame => {
                "a thread was in a function that calls setjmp, takes a varying number of arguments or has variables of varying \
                 size"
            }
            Uncompared::Room => "there was no room for more states (--state-memory)",
        }
    }
}

/// Why the verdict cannot be `verified`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum InconclusiveReason {
    /// The program called something that is not modelled.
    Unmodelled {
        /// Name of the function or system call.
        call: String,
        /// Where it was called.
        site: SiteId,
    },
    /// Opaque inline assembly was executed.
    OpaqueAssembly {
        /// Where it was executed.
        site: SiteId,
    },
    /// A thread has read its clock after a loop in which time passes, and of which only one number of rounds was
    /// explored.
    TimeAfterLoop {
        /// Where time passes in the loop.
        passed_at: SiteId,
        /// Where the clock was read.
        shown_at: SiteId,
    },
    /// A run was cut by a limit.
    Limit(LimitKind),
    /// The preemption bound cut something.
    PreemptionBound(u32),
    /// A race was found on a plain access that `--plain-accesses sync` never interleaves.
    UnexploredRace,
    /// The program could call a function of a library, and what that accesses is not known; nor are its calls noticed.
    UnknownFunction(String),
    /// The program has called a function of which it is not known what it accesses.
    UnknownCall {
        /// Its name.
        call: String,
        /// Where it was called.
        site: SiteId,
    },
    /// The program defines a function itself that is modelled otherwise: an allocator or a threads library of its own.
    ReplacedFunction(String),
    /// A search that compares states is complete, and from some state no execution comes to an end.
    Endless,
    /// Any other reason, in words of the guest.
    Other(String),
}
