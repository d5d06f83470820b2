//! Calls about the processors that threads may run on, their names and their priorities. What they ask for is kept by
//! the platform.
//!
//! These attributes of a thread are one object, which the end of the thread changes as well: from then on its number
//! names no thread. Where no call is about another thread than its own, nobody sees an order of these, and the end of
//! threads and what looks at the calling thread's processors do without the object ([`Switch::OthersProcessors`]).

use super::library_state::{Use, use_processors};
use super::real;
use crate::engine::switches::Switch;
use crate::engine::{me, note_identity, unmodelled};
use crate::platform::{affinity, fiber};
use inspect_core::event::{SiteId, ThreadId};

/// A call depends on the processors of a thread, or changes them. The thread is given by its handle or its number.
pub(super) fn announce(thread: u64, is_handle: bool, changes: bool, site: SiteId) {
    let slot = if is_handle { fiber::slot_of_thread_pointer(thread) } else { affinity::slot_of_number(thread) };
    let Some(slot) = slot else { return };
    note_identity();
    if slot != me().index() {
        Switch::OthersProcessors.come_up();
    }
    use_processors(slot, if changes { Use::Change } else { Use::Look }, site);
    // The C library then passes a number to the system that means the calling thread.
    if is_handle && affinity::has_ended(slot) {
        unmodelled("a question about the processors or the name of a thread that has ended, by its handle,", site);
    }
}

/// The running thread looks at its own processors, which other threads may be changing: to find out on which of them
/// it runs, or as a thread that it is about to create has the same.
pub(super) fn look_at_own(site: SiteId) {
    if Switch::OthersProcessors.is_on() {
        use_processors(me().index(), Use::Look, site);
    }
}

/// The running thread is about to end. As in Linux, the number of main stays one of a thread.
pub(super) fn announce_end() {
    if Switch::OthersProcessors.is_on() && me() != ThreadId::MAIN {
        use_processors(me().index(), Use::Change, SiteId(0));
        affinity::end(me().index());
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
