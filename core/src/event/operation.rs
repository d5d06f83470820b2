//! Visible operations.
//!
//! Each group of operations has a file with the operations and their properties: [`memory`], [`mutex`], [`cond`],
//! [`once`], [`futex`], [`semaphore`], [`rwlock`], [`writer_first`], [`barrier`], [`cancel`], [`descriptor`],
//! [`signal`], [`channel`], [`thread`], [`control`].
//! Which properties there are is the list in [`properties`]. All other code uses these properties and names no
//! operation, except to request one (the guest's models), to execute it (`run`) and in the pure model (`model`). There
//! is no catch-all arm over operations: a new one makes the compiler list every place that has to decide about it. The
//! same holds for the [kinds](super::kinds) of objects, touches and needs.

/// From the list of groups makes what leads from a group to [`Operation`] and back. The first groups are those that
/// most programs use throughout: where an operation's properties are asked, the code for these is inlined, and that for
/// the others is a call, as searches ask for properties several times a step.
macro_rules! groups {
    ($d:tt { $($common:ident($common_type:ident))* } { $($other:ident($other_type:ident))* }) => {
        $(groups! { from $common $common_type })*
        $(groups! { from $other $other_type })*

        /// Evaluates an expression for the operation of a group that an [`Operation`] holds, whichever group that is.
        macro_rules! of_group {
            ($d operation:expr, $d known:ident => $d answer:expr) => {
                match $d operation {
                    $(Operation::$common($d known) => $d answer,)*
                    $(Operation::$other($d known) => $d answer,)*
                }
            };
        }

        /// As `of_group!` for the first groups; for an operation of the others, evaluates another expression.
        macro_rules! of_common_group {
            ($d operation:expr, $d known:ident => $d answer:expr, others => $d other:expr) => {
                match $d operation {
                    $(Operation::$common($d known) => $d answer,)*
                    $(Operation::$other(_))|* => $d other,
                }
            };
        }
    };
    (from $group:ident $type:ident) => {
        impl From<$type> for Operation {
            #[inline]
            fn from(operation: $type) -> Operation {
                Operation::$group(operation)
            }
        }
    };
}

groups! { $
    {
        Memory(MemoryOperation)
        Mutex(MutexOperation)
        Cond(CondOperation)
        Thread(ThreadOperation)
        Control(ControlOperation)
    }
    {
        Once(OnceOperation)
        Futex(FutexOperation)
        Semaphore(SemaphoreOperation)
        Rwlock(RwlockOperation)
        WriterFirst(WriterFirstOperation)
        Barrier(BarrierOperation)
        Cancel(CancelOperation)
        Descriptor(DescriptorOperation)
        Signal(SignalOperation)
        Channel(ChannelOperation)
    }
}

mod at_once;
mod barrier;
mod cancel;
mod channel;
mod choice;
mod cond;
mod control;
mod descriptor;
mod futex;
mod handle;
mod memory;
mod mutex;
mod once;
mod properties;
mod question;
mod queues;
mod requeued;
mod rwlock;
mod semaphore;
mod signal;
mod steps;
mod thread;
mod wait;
mod writer_first;

pub use barrier::BarrierOperation;
pub use cancel::CancelOperation;
pub use channel::{ChannelOperation, ChannelStep};
pub use choice::ChoiceKind;
pub use cond::CondOperation;
pub use control::ControlOperation;
pub use descriptor::DescriptorOperation;
pub use futex::FutexOperation;
pub use handle::Handle;
pub use memory::MemoryOperation;
pub use mutex::MutexOperation;
pub use once::OnceOperation;
pub use properties::{AccessMode, Acquires, EndKind, LifecycleChange, MemoryOrder, Objects, Releases};
pub(crate) use properties::{Demands, Description};
pub(crate) use question::Question;
pub use queues::{Finds, Mutexes, Ownership, Queues};
pub use requeued::Requeued;
pub use rwlock::RwlockOperation;
pub use semaphore::{Room, SemaphoreOperation, Units};
pub use signal::SignalOperation;
pub use thread::ThreadOperation;
pub use wait::{Wait, WaitStep};
pub use writer_first::{Availability, WriterFirstOperation, WriterFirstStep};

use crate::event::ByteRange;

/// A visible operation as a thread performed it, or is about to.
///
/// The outcome fields (`acquired`, `woken`, `wrote`, `runs`, `queued`, `units`, ...) of a pending operation hold what
/// they would be if it were taken now.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Operation {
    /// An access to memory.
    Memory(MemoryOperation),
    /// An operation on a mutex.
    Mutex(MutexOperation),
    /// An operation on a condition variable.
    Cond(CondOperation),
    /// An operation on a once object.
    Once(OnceOperation),
    /// A step of a wait for futex words, or of a lock that is one.
    Futex(FutexOperation),
    /// An operation on a semaphore.
    Semaphore(SemaphoreOperation),
    /// An operation on a read-write lock.
    Rwlock(RwlockOperation),
    /// An operation on a read-write lock that prefers waiting writers.
    WriterFirst(WriterFirstOperation),
    /// An operation on a barrier.
    Barrier(BarrierOperation),
    /// A request to cancel a thread, or what a thread does about one.
    Cancel(CancelOperation),
    /// A call that uses a file and the table of descriptors.
    Descriptor(DescriptorOperation),
    /// A signal that is sent to a thread or to the process, or taken by a thread.
    Signal(SignalOperation),
    /// An operation on a pipe, a counter, or one way of two connected sockets.
    Channel(ChannelOperation),
    /// Creation, end, join and detachment of threads.
    Thread(ThreadOperation),
    /// What a thread does to the course of the run: choices, yields, failed assumptions, the end of the process.
    Control(ControlOperation),
}

/// Traces, clocks and plans copy operations all the time. Objects, ranges and sets of threads are aligned to four
/// bytes, as an operation would take 32 bytes with alignment to eight.
const _: () = assert!(size_of::<Operation>() == 20 || cfg!(feature = "many-threads"));

impl Operation {
    /// An operation that does nothing and depends on nothing, where the actual one is not known yet.
    pub const IDLE: Operation = Operation::Control(ControlOperation::Yield);

    /// A plain access.
    #[inline]
    pub fn plain(range: ByteRange, write: bool) -> Operation {
        Operation::Memory(if write { MemoryOperation::Write(range) } else { MemoryOperation::Read(range) })
    }
}
