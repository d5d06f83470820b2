//! What a run consists of: threads, objects, operations and their dependence, the [`Plan`] that a run follows and the
//! [`Trace`] that it leaves.

mod dependence;
mod effect_kind;
mod finding_kind;
mod footprint;
mod kinds;
mod object;
mod operation;
mod place;
mod plan;
mod record;
mod thread;
mod trace;

pub use dependence::dependent;
pub use effect_kind::EffectKind;
pub use finding_kind::{FindingKind, Severity};
pub use footprint::Footprint;
pub use kinds::*;
pub use object::{ByteRange, MADE_UP, MADE_UP_FOR_ARGUMENTS, Object};
pub use operation::*;
pub use place::Place;
pub use plan::{FreeRun, Plan, ReadsFrom, SampledRun, Sleeper, Step, Strategy, ThreadOrder};
pub use record::{Record, RecordKind};
pub use thread::{ALL_THREADS, FEW_THREADS, MAX_THREADS, ThreadId, ThreadNumber, ThreadSet};
pub use trace::{
    Alternatives, Ending, Event, EventIndex, LimitKind, Pending, PendingStatus, SiteId, StateNumber, SymmetricThreads,
    Trace, Values,
};
