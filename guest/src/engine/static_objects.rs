//! Uses of synchronisation objects with static storage, as accesses to the objects' memory (S10).
//!
//! Few programs touch the memory of such an object otherwise, and locks are frequent. So a use becomes an access only once
//! a run has come up in which a plain access covers an object that some run has used: then the search begins anew
//! ([`Switch::StaticObjects`]).

use super::state::with;
use super::switches::Switch;
use super::visibility::own_stack_is_visible;
use crate::platform::Global;
use inspect_core::event::ByteRange;

/// Objects that were used lately.
static RECENT: Global<[u64; RECENT_OBJECTS]> = Global::new([0; RECENT_OBJECTS]);
const RECENT_OBJECTS: usize = 64;

/// Plain accesses of fewer bytes do not cover a mutex or condition variable.
pub(crate) const SMALLEST: u32 = 40;

/// Whether a use of this object, of at least [`SMALLEST`] bytes, is an access. Remembers the object if it is not.
#[inline(always)]
pub(crate) fn are_accesses(object: ByteRange) -> bool {
    // A search that compares states does not look at the clocks of accesses before it knows of a race.
    if Switch::StaticObjects.is_on() || own_stack_is_visible() {
        return true;
    }
    // SAFETY: one OS thread; the borrow ends with this statement.
    let recent = unsafe { &mut RECENT.get()[(object.start >> 3) as usize % RECENT_OBJECTS] };
    if *recent != object.start {
        *recent = object.start;
        remember(object);
    }
    false
}

/// Remembers an object. A plain access may have been made in this run before the object was known.
#[cold]
fn remember(object: ByteRange) {
    let accessed = with(|engine| {
        let start = object.start;
        if let Err(at) = engine.static_objects.binary_search(&start) {
            engine.static_objects.insert(at, start);
            return engine.observer.has_accessed(object);
        }
        false
    });
    if accessed {
        Switch::StaticObjects.come_up();
    }
}

/// A plain access of at least [`SMALLEST`] bytes is made.
#[cold]
pub(crate) fn note_access(range: ByteRange) {
    let covers = !Switch::StaticObjects.is_on()
        && with(|engine| {
            let first = engine.static_objects.partition_point(|&object| object < range.start);
            engine.static_objects.get(first).is_some_and(|&object| object < range.end())
        });
    if covers {
        Switch::StaticObjects.come_up();
    }
}
