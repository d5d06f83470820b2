//! Uses of synchronisation objects with static storage, as accesses to the objects' memory (S10).
//!
//! Few programs touch the memory of such an object otherwise, and locks are frequent. So a use becomes an access only
//! once a run has shown that a plain access touches an object which some run has used: then the search begins anew
//! ([`Switch::StaticObjects`]).

use super::object_memory;
use super::state::with;
use super::switches::Switch;
use super::visibility::own_stack_is_visible;
use crate::platform::{Global, Range};
use inspect_core::event::ByteRange;

/// Objects that were used lately.
static RECENT: Global<[u64; RECENT_OBJECTS]> = Global::new([0; RECENT_OBJECTS]);
const RECENT_OBJECTS: usize = 64;

/// Uses of smaller objects (semaphores, barriers) are always accesses.
pub(crate) const SMALLEST: u32 = 40;

/// From the first object that was used to the last one.
static SPAN: Global<Range> = Global::new(Range::new(u64::MAX, 0));

/// Whether a use of this object, of at least [`SMALLEST`] bytes, is an access. Remembers the object if it is not.
#[inline(always)]
pub(crate) fn are_accesses(object: ByteRange) -> bool {
    // A search that compares states passes plain accesses to the locking discipline and not to the observer, whose
    // clocks would show them (`detection::plain_here`).
    if Switch::StaticObjects.is_on() || own_stack_is_visible() {
        // Nothing but calls reaches such an object.
        return !object_memory::is_call_only(object.start);
    }
    // SAFETY: one OS thread; the borrow ends with this statement.
    let recent = unsafe { &mut RECENT.get()[(object.start >> 3) as usize % RECENT_OBJECTS] };
    if *recent != object.start {
        *recent = object.start;
        remember(object);
    }
    false
}

/// Remembers an object that plain accesses may reach. If one has touched it in this run before, uses of such objects
/// become accesses.
#[cold]
fn remember(object: ByteRange) {
    if object_memory::is_call_only(object.start) {
        return;
    }
    let accessed = with(|engine| {
        if let Err(at) = engine.static_objects.binary_search(&object) {
            engine.static_objects.insert(at, object);
            let span = SPAN.read();
            SPAN.write(Range { start: span.start.min(object.start), end: span.end.max(object.end()) });
            return engine.observer.has_accessed(object);
        }
        false
    });
    if accessed {
        Switch::StaticObjects.come_up();
    }
}

/// A plain access is made. If it touches an object that some run has used, uses of such objects become accesses.
#[inline(always)]
pub(crate) fn note_access(range: ByteRange) {
    let span = SPAN.read();
    if range.start < span.end && range.end() > span.start {
        look_for_objects(range);
    }
}

#[cold]
fn look_for_objects(range: ByteRange) {
    let touches = !Switch::StaticObjects.is_on()
        && with(|engine| {
            let after = engine.static_objects.partition_point(|object| object.start < range.end());
            after > 0 && engine.static_objects[after - 1].end() > range.start
        });
    if touches {
        Switch::StaticObjects.come_up();
    }
}
