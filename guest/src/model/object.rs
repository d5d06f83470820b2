//! Synchronisation objects as memory (S10).
//!
//! What the scheduler knows of an object is kept apart from its bytes; the bytes say whether the object there is still
//! the one that the scheduler knows. As in the C library, a mutex that is held and a condition variable at which
//! threads wait differ from fresh ones: one word, unused otherwise, says that the object is *in use*
//! ([`crate::engine::object_memory`]). An object that is not in use has the bytes of its initialisation, with a mark.
//! So each use can tell what lies there:
//!
//! | bytes | scheduler | what lies there |
//! |---|---|---|
//! | in use | in use | the object that is known |
//! | not in use | in use | a new one: the program has written an initialiser, or zeros, over the old one |
//! | in use | not in use | a copy of an object that was in use when it was copied |
//! | without the mark of a call | initialised by a call | a new one |
//!
//! Nothing but calls changes an object that is call-only ([`object_memory::is_call_only`]): it is always the one that
//! is known.

use super::early;
use crate::engine::object_memory::{self, IN_COND, IN_MUTEX, Says};
use crate::engine::{detection, me, note_use, stack_walk, with};
use crate::hooks::{object_access, object_leaving};
use crate::platform::{ARENAS, STACKS};
use inspect_core::event::{ByteRange, Event, FindingKind, LifecycleChange, Object, SiteId, WaitStep};
use inspect_core::run::{Lifecycle, ObjectState};
use inspect_wire::hooks::{
    COND_MARK, COND_MARK_OFFSET, MUTEX_MARK, MUTEX_MARK_OFFSET, RWLOCK_MARK, RWLOCK_MARK_OFFSET,
};

/// How objects of a kind lie in memory.
pub(super) struct Shape {
    /// The size of an object.
    pub(super) size: u64,
    /// Offset of the word that says whether the object is in use.
    in_use: u64,
    /// Offset of the word in which a local variable keeps where it was initialised by a call.
    initialised_at: u64,
    /// Offset of the four bytes that hold the mark, and which bits of them are the mark.
    mark: u64,
    mask: u32,
    by_initialiser: u32,
    by_call: u32,
    destroyed: u32,
    zeros: Zeros,
}

/// Where an object whose bytes are zeros is initialised.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Zeros {
    /// Nowhere.
    Nowhere,
    /// With static storage, since its static initialiser leaves a mark elsewhere. Of what is initialised without the
    /// mark, by a library that is not instrumented, so many bytes at this offset may be a setting.
    InStaticStorage { setting: usize, len: usize },
}

/// The mark that a call leaves in an object of which no static initialiser leaves one.
const CALL_MARK: u32 = 0x1a57_c0de;

/// `pthread_mutex_t`, `mtx_t`. The words are those of the list of robust mutexes.
pub(super) const MUTEX: Shape = Shape {
    size: 40,
    in_use: IN_MUTEX,
    initialised_at: 32,
    mark: MUTEX_MARK_OFFSET as u64 - 2,
    mask: 0xffff_0000,
    by_initialiser: (MUTEX_MARK as u32) << 16,
    by_call: (MUTEX_MARK as u32 + 1) << 16,
    destroyed: 0,
    zeros: Zeros::InStaticStorage { setting: 16, len: 2 },
};

/// `pthread_cond_t`, `cnd_t`. The words are those of the C library's groups of waiters; the bits beside the mark are
/// attributes.
pub(super) const COND: Shape = Shape {
    size: 48,
    in_use: IN_COND,
    initialised_at: 16,
    mark: COND_MARK_OFFSET as u64,
    mask: !3,
    by_initialiser: COND_MARK,
    by_call: COND_MARK | 8,
    destroyed: 0xffff_0000,
    zeros: Zeros::InStaticStorage { setting: 0, len: 0 },
};

/// Where a read-write lock says which side is preferred.
pub(super) const PREFERENCE: u64 = 48;

/// `pthread_rwlock_t`. The word that says that the lock is in use is that of the C library's counts of readers and
/// writers; the mark and the place lie in bytes that it does not use.
pub(super) const RWLOCK: Shape = Shape {
    size: 56,
    in_use: 0,
    initialised_at: 40,
    mark: RWLOCK_MARK_OFFSET as u64,
    mask: !0,
    by_initialiser: RWLOCK_MARK,
    by_call: CALL_MARK,
    destroyed: !CALL_MARK,
    zeros: Zeros::InStaticStorage { setting: PREFERENCE as usize, len: 4 },
};

#[inline(always)]
pub(super) fn state(object: u64) -> ObjectState {
    with(|engine| engine.run.object(Object(object)))
}

/// Forgets the object that was here: its memory is used for another one now.
#[cold]
pub(super) fn begin_anew(object: u64) {
    with(|engine| engine.run.forget_objects(ByteRange { start: object, len: 1 }));
}

/// A call uses an object of `size` bytes. Returns whether the object has its memory, which an object on the heap may
/// have lost, or never have had.
#[inline(always)]
pub(super) fn touch(object: u64, size: u64, site: SiteId) -> bool {
    access(object, size, false, site)
}

/// A call initialises or destroys an object; otherwise as [`touch`].
pub(super) fn overwrite(object: u64, size: u64, site: SiteId) -> bool {
    access(object, size, true, site)
}

#[inline(always)]
fn access(object: u64, size: u64, write: bool, site: SiteId) -> bool {
    // An object on the heap or a stack must not be freed or end before its last use.
    if ARENAS.contains(object) || STACKS.contains(object) {
        with(|engine| *engine.passing_objects = true);
    }
    object_access(ByteRange { start: object, len: size as u32 }, write, site)
}

/// The running thread leaves an object at which it was [`released`]. If the object was destroyed since, the thread had
/// left it before.
#[inline(always)]
pub(super) fn leave(object: u64, size: u64, site: SiteId) {
    if !with(|engine| *engine.something_destroyed) || !is_destroyed_since_release(object) {
        object_leaving(ByteRange { start: object, len: size as u32 }, site);
    }
}

/// Whether the next that happened to the object, after the running thread was released at it, was its destruction.
#[cold]
fn is_destroyed_since_release(object: u64) -> bool {
    with(|engine| {
        let events = engine.run.events();
        let Some(released) = released(events, engine.run.last_event()) else { return false };
        let later = &events[released + 1..];
        let change = later.iter().find_map(|event| match event.operation.lifecycle()? {
            LifecycleChange::Begins(changed, _) => (changed == Object(object)).then_some(false),
            LifecycleChange::Ends(changed, _) => (changed == Object(object)).then_some(true),
        });
        change == Some(true)
    })
}

/// By which event a thread was released whose last event this is: by the one that enabled it or, if it ends a wait that
/// nobody has ended, by the thread's expiry. None if the last event waited for nothing, so that nothing came between.
fn released(events: &[Event], last: &Event) -> Option<usize> {
    let expires = |event: &Event| event.operation.wait().is_some_and(|wait| wait.step == WaitStep::Expire);
    let own = || events.iter().rposition(|event| event.thread == last.thread && expires(event));
    last.enabled_by.map(|by| by.index()).or_else(|| last.operation.ends_wait().and_then(|_| own()))
}

/// The running thread has destroyed an object, which waits until all that were released at it have left.
pub(super) fn all_have_left(object: u64, size: u64) {
    detection::all_have_left(ByteRange { start: object, len: size as u32 });
}

impl Shape {
    /// An object of `size` bytes without a static initialiser, with the offsets of unused bytes: four for the mark,
    /// eight for where it was initialised, and eight that stay as they are.
    pub(super) const fn without_initialiser(size: u64, mark: u64, initialised_at: u64, in_use: u64) -> Shape {
        Shape {
            size,
            in_use,
            initialised_at,
            mark,
            mask: !0,
            by_initialiser: CALL_MARK,
            by_call: CALL_MARK,
            destroyed: !CALL_MARK,
            zeros: Zeros::Nowhere,
        }
    }

    fn mark(&self, object: u64) -> u32 {
        // SAFETY: the program passes an object, so its bytes can be read; if not, it faults here as it would there.
        unsafe { ((object + self.mark) as *const u32).read_unaligned() & self.mask }
    }

    fn write_mark(&self, object: u64, mark: u32) {
        let place = (object + self.mark) as *mut u32;
        // SAFETY: the program passes an object to be initialised or destroyed.
        unsafe { place.write_unaligned(place.read_unaligned() & !self.mask | mark) };
    }

    /// Whether an initialiser or a call was the last to write the object.
    fn is_marked(&self, object: u64) -> bool {
        let mark = self.mark(object);
        mark == self.by_initialiser || mark == self.by_call
    }

    /// Whether an object that no call in this run has initialised was initialised otherwise.
    pub(super) fn looks_initialised(&self, object: u64) -> bool {
        self.is_marked(object)
            || match self.zeros {
                Zeros::Nowhere => early::is_by_constructor(object),
                Zeros::InStaticStorage { setting, len } => {
                    early::is_initialised(object, self.size as usize, setting..setting + len)
                }
            }
    }

    /// Whether a constructor of a shared library has initialised the object before the first run.
    pub(super) fn is_by_constructor(&self, object: u64) -> bool {
        early::is_by_constructor(object)
    }

    /// The scheduler has taken over an object that a constructor has initialised.
    pub(super) fn after_adoption(&self, object: u64) {
        self.write_mark(object, self.by_call);
    }

    /// What the scheduler knows of the object that is in this memory now.
    #[inline(always)]
    pub(super) fn recognise(&self, object: u64) -> ObjectState {
        let known = state(object);
        if object_memory::is_call_only(object) {
            return known;
        }
        let by_call = known.lifecycle == Lifecycle::Initialised;
        let says = object_memory::says(object + self.in_use);
        let agrees = match says {
            Says::Free => !is_in_use(&known),
            Says::InUse => is_in_use(&known),
            Says::OtherInUse => known.copied_held,
        };
        if agrees && (!by_call || self.mark(object) == self.by_call) {
            return known;
        }
        self.recognise_other(object, says != Says::Free)
    }

    /// The object is not the one that is known.
    #[cold]
    fn recognise_other(&self, object: u64, in_use: bool) -> ObjectState {
        begin_anew(object);
        if in_use && self.in_use != IN_COND {
            with(|engine| engine.run.note_copied_held(Object(object)));
        } else if in_use {
            // Threads wait at the original.
            note_use(object + self.in_use, false);
        }
        state(object)
    }

    /// Whether the object in this memory must not be used. One that was destroyed is a new one if an initialiser, or
    /// zeros where they are enough, were written over it.
    pub(super) fn is_misused(&self, object: u64, known: &ObjectState) -> bool {
        match known.lifecycle {
            // When it came into use, it was looked at, and since then its bytes are no initialiser's.
            Lifecycle::Unseen => !is_in_use(known) && !self.looks_initialised(object),
            Lifecycle::Initialised => false,
            Lifecycle::Destroyed if self.looks_initialised(object) => {
                begin_anew(object);
                false
            }
            Lifecycle::Destroyed => true,
        }
    }

    /// What is wrong with a use of the object, if something is: it is not initialised, or by nothing but being zeros.
    #[inline(always)]
    pub(super) fn misuse(
        &self,
        object: u64,
        known: &ObjectState,
        [uninitialised, zeros]: [FindingKind; 2],
    ) -> Option<(FindingKind, Object)> {
        let of_kind = |kind| Some((kind, Object(object)));
        if self.is_misused(object, known) {
            return of_kind(uninitialised);
        }
        let is_fresh = known.lifecycle == Lifecycle::Unseen && !is_in_use(known);
        if is_fresh && !self.is_marked(object) && self.has_no_initialiser(object) { of_kind(zeros) } else { None }
    }

    /// Whether an object that is used without a mark, and without having been initialised by a call in this run, has
    /// no initialiser at all.
    #[cold]
    fn has_no_initialiser(&self, object: u64) -> bool {
        early::would_be_marked(object) && !early::is_by_constructor(object)
    }

    /// A call is about to initialise the object, which is a new one if it is a local variable of a function that was
    /// called anew.
    pub(super) fn before_initialisation(&self, object: u64, pc: u64) {
        let known = self.recognise(object);
        if known.lifecycle == Lifecycle::Unseen && known.owner == Some(me()) && STACKS.contains(object) {
            // What its static initialiser has made may be a variable of a call that is over.
            begin_anew(object);
        } else if known.lifecycle == Lifecycle::Initialised
            && let Some(now) = place_of_initialisation(object, pc)
        {
            let before = self.initialised_at(object);
            let same_variable = before >> 32 == now >> 32;
            if !same_variable || STACKS.contains(object) && before == now {
                begin_anew(object);
            }
        }
    }

    /// A call has initialised the object.
    pub(super) fn after_initialisation(&self, object: u64, pc: u64) {
        self.write_mark(object, self.by_call);
        let place = (object + self.initialised_at) as *mut u64;
        // SAFETY: the call has initialised the object.
        unsafe { place.write_unaligned(place_of_initialisation(object, pc).unwrap_or_default()) };
    }

    fn initialised_at(&self, object: u64) -> u64 {
        // SAFETY: as in `mark`.
        unsafe { ((object + self.initialised_at) as *const u64).read_unaligned() }
    }

    /// The object was written as by a static initialiser.
    pub(super) fn after_static_initialisation(&self, object: u64) {
        self.write_mark(object, self.by_initialiser);
    }

    /// A call has destroyed the object: a mark that is found here later is that of another one.
    pub(super) fn after_destruction(&self, object: u64) {
        self.write_mark(object, self.destroyed);
    }

    /// The running thread has taken the object into use, or given it back.
    #[inline(always)]
    pub(super) fn set_in_use(&self, object: u64, in_use: bool) {
        if !object_memory::is_call_only(object) {
            note_use(object + self.in_use, in_use);
        }
    }

    /// The scheduler may change the object's memory while the running thread waits.
    pub(super) fn probe(&self, object: u64) {
        if !object_memory::is_call_only(object) {
            object_memory::probe(object + self.in_use);
        }
    }
}

pub(super) fn is_in_use(state: &ObjectState) -> bool {
    let held = state.owner.is_some() || state.copied_held || !state.readers.holders().is_empty();
    held || !state.waiters.is_empty()
}

/// Where an object is initialised. The upper half stands for the variable: its address and, if it is a local variable,
/// the function and frame that it belongs to; the lower half for the call. None for a local variable of another thread.
///
/// Two calls that initialise a local variable of one frame do so twice. The same call may belong to a loop around the
/// variable's scope, or to another call of the function.
fn place_of_initialisation(object: u64, pc: u64) -> Option<u64> {
    let (function, end) = if STACKS.contains(object) { stack_walk::frame_of(object)? } else { (0, 0) };
    let variable = (object ^ function.rotate_left(16) ^ end.rotate_left(32)).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    Some(variable << 32 | pc & 0xffff_ffff)
}
