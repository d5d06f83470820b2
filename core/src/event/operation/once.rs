//! Operations on once objects.

use super::Operation;
use super::properties::{Acquires, Description, Objects, Releases, none, none_of};
use crate::event::{ByteRange, Footprint, Need, Object, ObjectKind, ThreadId, Touch};

/// An operation on a once object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum OnceOperation {
    /// Arrival at a `pthread_once` (or `call_once`). Blocked while another thread is running the initialiser.
    Enter {
        /// The once object.
        once: Object,
        /// Whether the caller is the one who runs the initialiser.
        runs: bool,
    },
    /// The initialiser of a once object has returned or, after [`once_fails`](crate::run::Run::once_fails), was left by
    /// an exception or the end of its thread, so that another thread runs it again.
    Leave(Object),
}

impl OnceOperation {
    #[inline]
    fn once(self) -> Object {
        match self {
            OnceOperation::Enter { once, .. } | OnceOperation::Leave(once) => once,
        }
    }
}

impl Description for OnceOperation {
    fn name(self) -> &'static str {
        match self {
            OnceOperation::Enter { runs: true, .. } => "once: run",
            OnceOperation::Enter { runs: false, .. } => "once: passed",
            OnceOperation::Leave(_) => "once: done",
        }
    }

    #[inline]
    fn objects(self) -> Objects {
        [Some((self.once(), ObjectKind::Once)), None]
    }

    #[inline]
    fn footprint(self) -> Footprint {
        let touch = match self {
            OnceOperation::Enter { runs: true, .. } => Touch::OnceRun,
            OnceOperation::Enter { runs: false, .. } => Touch::OncePass,
            OnceOperation::Leave(_) => Touch::OnceDone,
        };
        Footprint::object(self.once(), touch)
    }

    #[inline]
    fn need(self) -> Need {
        match self {
            OnceOperation::Enter { once, .. } => Need::Once(once),
            OnceOperation::Leave(_) => Need::Nothing,
        }
    }

    fn ends_hold(self) -> bool {
        match self {
            OnceOperation::Enter { .. } => false,
            OnceOperation::Leave(_) => true,
        }
    }

    /// An initialiser that failed synchronizes with the next attempt.
    #[inline]
    fn acquires(self) -> Acquires {
        match self {
            OnceOperation::Enter { once, .. } => Acquires::Object(once),
            OnceOperation::Leave(_) => Acquires::Nothing,
        }
    }

    #[inline]
    fn releases(self) -> Releases {
        match self {
            OnceOperation::Enter { .. } => Releases::Nothing,
            OnceOperation::Leave(once) => Releases::Object(once),
        }
    }

    #[inline]
    fn has_outcome(self) -> bool {
        match self {
            OnceOperation::Enter { .. } => true,
            OnceOperation::Leave(_) => false,
        }
    }

    #[inline]
    fn succeeded(self) -> Option<bool> {
        match self {
            OnceOperation::Enter { runs, .. } => Some(runs),
            OnceOperation::Leave(_) => None,
        }
    }

    fn with_full_effect(self) -> Operation {
        Operation::Once(match self {
            OnceOperation::Enter { once, .. } => OnceOperation::Enter { once, runs: true },
            OnceOperation::Leave(_) => self,
        })
    }

    fn relocated(self, _: impl Fn(ByteRange) -> ByteRange, object: impl Fn(Object) -> Object) -> Self {
        match self {
            OnceOperation::Enter { once, runs } => OnceOperation::Enter { once: object(once), runs },
            OnceOperation::Leave(once) => OnceOperation::Leave(object(once)),
        }
    }

    // They access no memory of the program, touch no mutex, and concern no other thread. A once object has no life
    // cycle.
    none! { at_channel }
    none! { concerns_signals awaits_signal }
    none! { access memory_order is_relaxed lifecycle hold is_failed_lock wait expiry signals woken choice_kind }
    none! { creates joins detaches handle cancels gives_way goes_first is_idle rests exits ends_process is_unordered_look }
    none! { starts_timer }

    fn seen_at(self, _: ByteRange) -> Self {
        self
    }

    fn renamed(self, _: impl Fn(ThreadId) -> ThreadId) -> Self {
        self
    }
}
