//! The complete record of one run.

use super::{ChoiceKind, EndKind, Operation, Record, ThreadId, ThreadNumber, ThreadSet};
use alloc::vec::Vec;

/// Position of an event in one trace, from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(transparent)]
pub struct EventIndex(pub u32);

impl EventIndex {
    /// The position as an index into [`Trace::events`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Where in the source an operation stands: the address of the static location record that the program passes to the
/// hook, a code address, or 0 if unknown.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(transparent)]
pub struct SiteId(pub u64);

/// What else an event could have chosen in the same state.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Alternatives {
    /// The event has no choice; [`Event::choice`] is 0.
    None,
    /// The choice is the number of one of these threads (the waiter that a signal wakes).
    Threads(ThreadSet),
    /// The choice is a value from 0 to below this number.
    Count(u32),
}

impl Alternatives {
    /// Those of a wait that may end in its time, or spuriously before that.
    pub const TWO_ENDS: Alternatives = Alternatives::Count(2);

    /// The alternatives of an event that chooses `most` of these threads: the sets of so many threads, by number. There
    /// is no choice if there are no more threads than that.
    pub fn sets_of(threads: ThreadSet, most: ThreadNumber) -> Alternatives {
        if threads.len() > most.into() { Alternatives::Count(threads.subsets(most.into())) } else { Alternatives::None }
    }

    /// The alternative a free run takes.
    pub fn default_choice(self) -> u32 {
        match self {
            Alternatives::None | Alternatives::Count(_) => 0,
            Alternatives::Threads(threads) => threads.first().map_or(0, |thread| u32::from(thread.0)),
        }
    }

    /// How many alternatives come after `choice`.
    pub fn left_after(self, choice: u32) -> u64 {
        match self {
            Alternatives::None => 0,
            Alternatives::Count(count) => u64::from(count.saturating_sub(choice).saturating_sub(1)),
            Alternatives::Threads(threads) => threads.iter().filter(|t| u32::from(t.0) > choice).count() as u64,
        }
    }

    /// The alternative after `choice` in the order in which they are explored.
    pub fn after(self, choice: u32) -> Option<u32> {
        match self {
            Alternatives::None => None,
            Alternatives::Count(count) => (choice + 1 < count).then_some(choice + 1),
            Alternatives::Threads(threads) => threads.iter().map(|thread| u32::from(thread.0)).find(|&t| t > choice),
        }
    }
}

/// One visible operation as it was executed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Event {
    /// Who executed it.
    pub thread: ThreadId,
    /// What was executed, with its outcome.
    pub operation: Operation,
    /// The alternative taken.
    pub choice: u32,
    /// The alternatives there were.
    pub alternatives: Alternatives,
    /// The threads that were enabled in the state before.
    pub enabled: ThreadSet,
    /// An event of another thread without which this one could not have happened and which is no race with it: the
    /// create before a thread's first event, the exit before a join, the signal or expiry before the end of a wait, the
    /// write that ends a parked spin loop.
    pub enabled_by: Option<EventIndex>,
    /// Source location.
    pub site: SiteId,
}

impl Event {
    /// Whether a wait with a time limit ends spuriously, before its time.
    pub fn is_spurious(&self) -> bool {
        self.operation.choice_kind() == ChoiceKind::WaitEnd && self.choice == 1
    }
}

/// Why a thread that is alive at the end of a run did not go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum PendingStatus {
    /// It could have taken its operation (the run was cut short, or the operation is a delayed end of the process).
    Enabled,
    /// Its operation waits for an object or a thread.
    Blocked,
    /// It is parked: it spins on memory that no thread changes (S14), or waits for a signal.
    Parked,
    /// It failed an assumption, or it has chosen to wait for a request to cancel it, and none has come.
    AssumeFailed,
    /// Its operation waits, and something else that would have ended the wait has come to pass: another run, in which
    /// it has chosen that end, shows what follows ([`CancelOperation`](super::CancelOperation)).
    ChosenOtherwise,
}

/// What a thread was about to do when the run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Pending {
    /// The thread.
    pub thread: ThreadId,
    /// Its next operation.
    pub operation: Operation,
    /// Why it is not in the trace.
    pub status: PendingStatus,
    /// As for [`Event::enabled_by`]: the event of another thread that has enabled it so far, e.g. the signal it
    /// received.
    pub enabled_by: Option<EventIndex>,
    /// Source location.
    pub site: SiteId,
}

/// Which limit ended a run. Every one of them makes the verdict inconclusive.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum LimitKind {
    /// `--max-steps`: visible operations in one run.
    Steps,
    /// `--memory-limit`.
    Memory,
    /// More than [`MAX_THREADS`](super::MAX_THREADS) threads.
    Threads,
    /// No visible operation for too long: perhaps an endless loop.
    Time,
    /// A call that Inspect does not model.
    Unmodelled,
}

/// How a run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Ending {
    /// Every thread ended, or a thread ended the process
    /// ([`ControlOperation::EndProcess`](super::ControlOperation::EndProcess)).
    Completed,
    /// No thread is enabled and at least one is blocked; none parked.
    Deadlocked,
    /// No thread is enabled and at least one is parked in a spin loop.
    Livelocked,
    /// No thread is enabled, and the run counts for nothing, as some thread failed an assumption, waits for a request
    /// to cancel it that did not come, or [chose otherwise](PendingStatus::ChosenOtherwise).
    AssumeBlocked,
    /// Every enabled thread was asleep: what follows is explored elsewhere.
    Blocked,
    /// The state was visited before, and what can follow is explored from there.
    Revisited,
    /// A limit cut the run.
    Limit(LimitKind),
    /// The run could not follow its plan: at this step the program did something else.
    Diverged(EventIndex),
}

/// Values of memory around an event, for the one question that operations alone cannot answer: whether a
/// compare-exchange would have succeeded just before an earlier write. Dependence never uses them, and a search without
/// them is still complete; it may then visit some traces more than once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Values {
    /// The event.
    pub event: EventIndex,
    /// If it may write: the value of its bytes before it.
    pub before: Option<u64>,
    /// If it is a compare-exchange: the value it compares with.
    pub compared: Option<u64>,
}

/// Number of a program state, for a search that compares states: the same in all runs of the search.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(transparent)]
pub struct StateNumber(pub u32);

impl StateNumber {
    /// A state that was not stored, and is equal to no other.
    pub const UNKNOWN: StateNumber = StateNumber(u32::MAX);
}

/// Threads that are symmetric in one state: exchanging any two of them changes nothing but their names in what follows,
/// except for which thread joins which (see [`Run::record_symmetry`](crate::run::Run::record_symmetry)).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SymmetricThreads {
    /// The event that comes next in the state.
    pub at: EventIndex,
    /// The threads, at least two, all enabled or all waiting for a signal.
    pub threads: ThreadSet,
}

/// The complete record of one run: events, what was pending, how it ended.
///
/// A run that ends the process has an executed [`ControlOperation::EndProcess`](super::ControlOperation::EndProcess) as
/// its last event and ends `Completed`; the ends of the process that other threads were about to execute are among the
/// pending operations.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Trace {
    /// The events in execution order.
    pub events: Vec<Event>,
    /// One entry per thread alive at the end, by thread number.
    pub pending: Vec<Pending>,
    /// How the run ended.
    pub ending: Ending,
    /// Values that decide compare-exchanges, as far as they are known, in the order of the events.
    pub values: Vec<Values>,
    /// For a search that compares states: the state before each event, and the one at the end. Empty otherwise.
    pub states: Vec<StateNumber>,
    /// For a search that shares with others which states it has explored: positions of the states that were hashed in
    /// this run, each with the hash. Empty otherwise.
    pub keys: Vec<(u32, u128)>,
    /// For a search with symmetry: the symmetric threads of the states beyond the plan's prefix, in the order of the
    /// states. Empty otherwise.
    pub symmetric: Vec<SymmetricThreads>,
    /// The program has looked at something that distinguishes symmetric threads (which thread it is, what time it is,
    /// what a thread returned), or a thread has touched another thread's own memory. Once true it stays so in all later
    /// runs.
    pub exposed: bool,
    /// For a search that prunes: what threads did between visible operations, in the order in which it happened. Empty
    /// otherwise.
    pub records: Vec<Record>,
    /// The events that begin a wait which may end alone in two ways: in its time, or spuriously before that.
    pub two_ends: Vec<EventIndex>,
}

impl Trace {
    /// An empty trace to record into.
    pub fn new() -> Self {
        Trace {
            events: Vec::new(),
            pending: Vec::new(),
            ending: Ending::Completed,
            values: Vec::new(),
            states: Vec::new(),
            keys: Vec::new(),
            symmetric: Vec::new(),
            exposed: false,
            records: Vec::new(),
            two_ends: Vec::new(),
        }
    }

    /// Empties the trace, keeping its memory.
    pub fn clear(&mut self) {
        self.events.clear();
        self.pending.clear();
        self.values.clear();
        self.states.clear();
        self.keys.clear();
        self.symmetric.clear();
        self.records.clear();
        self.two_ends.clear();
        self.ending = Ending::Completed;
    }

    /// How the process was ended, if a thread ended it.
    pub fn process_end(&self) -> Option<(ThreadId, EndKind)> {
        self.events.last().and_then(|event| Some((event.thread, event.operation.ends_process()?)))
    }
}

impl Default for Trace {
    fn default() -> Self {
        Trace::new()
    }
}
