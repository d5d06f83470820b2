//! The handle of a thread that a call uses, other than to join or detach the thread.
//!
//! A handle is valid until its thread is joined, or has been detached and has ended; a call that uses it later is
//! `thread-gone`. So a use depends on joins and detachments of the thread. In a program in which some run has shown a
//! use after a detachment, it depends on the end of the thread as well: elsewhere the order of a use and the end
//! decides nothing. All these pairs can be reversed.

use crate::event::{Footprint, Object, ThreadId, Touch};

/// The thread whose handle a call uses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Handle {
    /// The thread.
    pub thread: ThreadId,
    /// Whether handles of detached threads are used in the program, as far as the search knows.
    pub of_detached: bool,
}

impl Handle {
    /// How its use touches what stands for the claims of the thread.
    #[inline]
    pub(super) fn touched(self) -> (Object, Touch) {
        let touch = if self.of_detached { Touch::UseHandleOfDetached } else { Touch::UseHandle };
        (Object::claim(self.thread), touch)
    }

    /// That alone.
    pub(super) fn footprint(self) -> Footprint {
        let (object, touch) = self.touched();
        Footprint::object(object, touch)
    }

    pub(super) fn renamed(self, thread: impl Fn(ThreadId) -> ThreadId) -> Self {
        Handle { thread: thread(self.thread), ..self }
    }
}
