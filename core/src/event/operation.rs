//! Visible operations.
//!
//! Each group has a file that holds its operations and all that is said of them: [`memory`], [`mutex`], [`cond`],
//! [`once`], [`thread`], [`control`]. What has to be said is the list in [`properties`]. Everybody else asks
//! these properties and names no operation, except to request one (the guest's models), to execute it (`run`) and in the
//! pure model (`model`). There is no catch-all arm over operations: a new one makes the compiler list every place that
//! has to decide about it. The same holds for what operations are about, the [kinds](super::kinds) of objects, touches and
//! needs.

/// Makes of the list of groups what goes from a group to [`Operation`] and back.
macro_rules! groups {
    ($d:tt $($group:ident($type:ident))*) => {
        $(impl From<$type> for Operation {
            #[inline]
            fn from(operation: $type) -> Operation {
                Operation::$group(operation)
            }
        })*

        /// Asks the group that an operation is in.
        macro_rules! of_group {
            ($d operation:expr, $d known:ident => $d answer:expr) => {
                match $d operation {
                    $(Operation::$group($d known) => $d answer,)*
                }
            };
        }
    };
}

groups! { $
    Memory(MemoryOperation)
    Mutex(MutexOperation)
    Cond(CondOperation)
    Once(OnceOperation)
    Thread(ThreadOperation)
    Control(ControlOperation)
}

mod cond;
mod control;
mod memory;
mod mutex;
mod once;
mod properties;
mod thread;

pub use cond::CondOperation;
pub use control::ControlOperation;
pub use memory::MemoryOperation;
pub use mutex::MutexOperation;
pub use once::OnceOperation;
pub use properties::{
    AccessMode, Acquires, ChoiceKind, EndKind, LifecycleChange, MemoryOrder, Objects, Releases, Wait, WaitStep,
};
pub use thread::ThreadOperation;

use crate::event::ByteRange;

/// A visible operation as a thread performed it, or is about to.
///
/// A pending operation carries what is known before it is taken: outcome fields (`acquired`, `woken`, `wrote`, `runs`)
/// then hold what they would be if it were taken now.
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
    /// Creation, end, join and detachment of threads.
    Thread(ThreadOperation),
    /// What a thread does to the course of the run: choices, yields, failed assumptions, the end of the process.
    Control(ControlOperation),
}

impl Operation {
    /// An operation that does nothing and depends on nothing: stands for one that is not known.
    pub const IDLE: Operation = Operation::Control(ControlOperation::Yield);

    /// A plain access.
    #[inline]
    pub fn plain(range: ByteRange, write: bool) -> Operation {
        Operation::Memory(if write { MemoryOperation::Write(range) } else { MemoryOperation::Read(range) })
    }
}
