//! What a run consists of: threads, objects, operations and their dependence, the [`Plan`] that a run follows and the
//! [`Trace`] that it leaves.

mod dependence;
mod finding_kind;
mod footprint;
mod object;
mod operation;
mod plan;
mod record;
mod thread;
mod trace;

pub use dependence::{dependent, reversible};
pub use finding_kind::{FindingKind, Place, Severity};
pub use footprint::{Footprint, HoldChange, Touch};
pub use object::{ByteRange, MADE_UP, MADE_UP_FOR_ARGUMENTS, Object};
pub use operation::{
    AccessMode, Acquires, ChoiceKind, CondOperation, ControlOperation, EndKind, LifecycleChange, MemoryOperation,
    MemoryOrder, MutexOperation, Need, ObjectKind, Objects, OnceOperation, Operation, Releases, ThreadOperation, Wait,
    WaitStep,
};
pub use plan::{FreeRun, Plan, Sleeper, Step};
pub use record::{Record, RecordKind};
pub use thread::{MAX_THREADS, ThreadId, ThreadSet};
pub use trace::{
    Alternatives, Ending, Event, EventIndex, LimitKind, Pending, PendingStatus, SiteId, StateNumber, SymmetricThreads,
    Trace, Values,
};
