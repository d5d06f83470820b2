//! Uses of semaphores, read-write locks and barriers: what is common to them.
//!
//! A call first finds out which object lies in the memory that it is given ([`super::object`]), requests its operation,
//! and then looks whether the object was destroyed while the thread waited.

use super::object::{Shape, begin_anew, overwrite, state, touch};
use crate::engine::site::of_call;
use crate::engine::{is_granted, note_requested_misuse, visible, visible_misusing, with};
use inspect_core::detect::FindingKind;
use inspect_core::event::{Object, Operation, SiteId};
use inspect_core::run::{Lifecycle, ObjectState, Request};

/// A kind of object as the calls on it see it.
pub(super) struct Kind {
    pub(super) shape: Shape,
    /// As what a use of an object that was not initialised, or was destroyed, is reported.
    pub(super) misuse: FindingKind,
    /// Takes over an object that a constructor of a shared library has initialised before the first run.
    pub(super) adopt: fn(u64),
}

/// A use of an object.
pub(super) struct Use {
    /// What the scheduler knows of the object before the call.
    pub(super) before: ObjectState,
    /// The object has its memory.
    pub(super) sound: bool,
    misused: bool,
}

/// Notes the running thread's last operation as a misuse if its object was destroyed after the thread had requested it.
#[inline(always)]
pub(super) fn note_if_destroyed(object: u64, before: &ObjectState, misuse: FindingKind) {
    #[cold]
    #[inline(never)]
    fn look(object: u64, misuse: FindingKind) {
        if state(object).lifecycle == Lifecycle::Destroyed {
            note_requested_misuse(misuse, Object(object));
        }
    }
    if with(|engine| *engine.something_destroyed) && before.lifecycle != Lifecycle::Destroyed {
        look(object, misuse);
    }
}

impl Kind {
    /// Announces a use of an object to the detectors, and finds out what the object is.
    #[inline(always)]
    pub(super) fn begin_use(&self, object: u64, site: SiteId) -> Use {
        if !touch(object, self.shape.size, site) {
            return Use { before: state(object), sound: false, misused: false };
        }
        // A thread woken from a park at this operation has performed it already, before the object's memory says so.
        if is_granted(object) {
            return Use { before: state(object), sound: true, misused: false };
        }
        let mut before = self.shape.recognise(object);
        if before.lifecycle == Lifecycle::Unseen && self.shape.is_by_constructor(object) {
            (self.adopt)(object);
            before = state(object);
        }
        let misused = self.shape.is_misused(object, &before);
        Use { before, sound: true, misused }
    }

    /// Requests the operation of a use, and waits until it was taken.
    #[inline(always)]
    pub(super) fn perform(&self, used: &Use, object: u64, operation: impl Into<Operation>, site: SiteId) {
        self.request(used, object, Request::new(operation.into(), site));
    }

    /// The same with all of the request.
    #[inline(always)]
    pub(super) fn request(&self, used: &Use, object: u64, request: Request) {
        let misuse = used.misused.then_some((self.misuse, Object(object)));
        visible_misusing(request, misuse);
        note_if_destroyed(object, &used.before, self.misuse);
    }

    /// A call initialises an object; `real` is what the C library does.
    pub(super) fn initialise(
        &self,
        object: u64,
        operation: impl Into<Operation>,
        pc: u64,
        real: impl FnOnce() -> i32,
    ) -> i32 {
        let sound = overwrite(object, self.shape.size, of_call(pc));
        if sound {
            self.shape.before_initialisation(object, pc);
        }
        visible(Request::new(operation.into(), of_call(pc)));
        if !sound {
            // Other memory than the object's would be overwritten.
            return 0;
        }
        let result = real();
        self.shape.after_initialisation(object, pc);
        result
    }

    /// A call destroys an object, of which nothing is left to be done in memory.
    pub(super) fn destroy(&self, object: u64, operation: impl Into<Operation>, pc: u64) -> Use {
        with(|engine| *engine.something_destroyed = true);
        let sound = overwrite(object, self.shape.size, of_call(pc));
        let mut used = Use { before: state(object), sound, misused: false };
        if sound {
            used.before = self.shape.recognise(object);
            let initialised = self.shape.looks_initialised(object);
            if used.before.lifecycle == Lifecycle::Destroyed && initialised {
                begin_anew(object);
            }
            let in_use = used.before.owner.is_some() || !used.before.readers.holders().is_empty();
            used.misused = used.before.lifecycle == Lifecycle::Unseen && !initialised && !in_use;
        }
        let misuse = used.misused.then_some((self.misuse, Object(object)));
        visible_misusing(Request::new(operation.into(), of_call(pc)), misuse);
        if sound {
            self.shape.after_destruction(object);
        }
        used
    }
}
