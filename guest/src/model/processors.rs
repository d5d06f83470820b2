//! Calls about the processors that threads may run on. What they ask for is kept by the platform.

use super::imports::imports_one_of;
use super::library_state::{Use, use_processors};
use super::real;
use crate::engine::{me, note_identity};
use crate::platform::{Global, affinity, fiber};
use inspect_core::event::SiteId;

/// A call depends on the processors of a thread, or changes them. The thread is given by its handle or its number.
pub(super) fn announce(thread: u64, is_handle: bool, changes: bool, site: SiteId) {
    let slot = if is_handle { fiber::slot_of_thread_pointer(thread) } else { affinity::slot_of_number(thread) };
    if let Some(slot) = slot {
        note_identity();
        use_processors(slot, if changes { Use::Change } else { Use::Look }, site);
    }
}

/// A thread that is about to be created has the processors of its creator, which other threads may be changing.
pub(super) fn look_before_creation(site: SiteId) {
    static CHANGES: Global<Option<bool>> = Global::new(None);
    // SAFETY: one OS thread; the borrow ends here.
    let changes = *unsafe { CHANGES.get() }
        .get_or_insert_with(|| imports_one_of(&["pthread_setaffinity_np", "sched_setaffinity"]));
    if changes {
        use_processors(me().index(), Use::Look, site);
    }
}

/// The processors that attributes of threads ask for; None if they ask for none.
pub(super) fn asked_for(attributes: u64) -> Option<affinity::Mask> {
    let mut mask = affinity::EVERYWHERE;
    let len = size_of_val(&mask) as u64;
    let get = real!("pthread_attr_getaffinity_np" as fn(u64, u64, *mut affinity::Mask) -> i32);
    // What is not asked for is answered with all processors.
    (get(attributes, len, &raw mut mask) == 0 && mask != affinity::EVERYWHERE).then_some(mask)
}
