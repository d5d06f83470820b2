//! Who owns a futex that is a lock with priority inheritance, and what becomes of it when its owner ends.

use crate::engine::{me, unmodelled, with};
use crate::platform::fiber::PROCESS;
use crate::platform::recover;
use inspect_core::event::{Object, SiteId, ThreadId};

/// The bits of the owner in the word (`FUTEX_TID_MASK`).
pub(super) const OWNER: u32 = 0x3fff_ffff;

/// What the kernel does about such an owner is not modelled.
pub(super) const GONE: &str = "futex (a lock with priority inheritance whose owner has ended)";

/// The number of a thread, as `gettid` yields it.
pub(super) fn number(thread: ThreadId) -> u32 {
    PROCESS as u32 + u32::from(thread.0)
}

/// What the word holds.
pub(super) fn read(word: u64) -> u32 {
    recover::read_value(word).unwrap_or_default()
}

/// The running thread is about to end. What the kernel does with a lock that it owns, and for which others wait, is not
/// modelled.
pub(super) fn abandon_all() {
    let waits = with(|engine| {
        engine.owned_locks.ending.insert(me());
        !engine.owned_locks.waiting.is_empty()
    });
    if waits && owns_one_with_waiters() {
        unmodelled(GONE, SiteId(0));
    }
}

fn owns_one_with_waiters() -> bool {
    let own = number(me());
    with(|engine| {
        let waiting = engine.owned_locks.waiting;
        let is_owned = |object: Object| read(object.in_memory()) & OWNER == own;
        let mut objects = engine.run.objects();
        objects.any(|(object, state)| {
            object.is_futex() && !state.waiters.intersection(waiting).is_empty() && is_owned(object)
        })
    })
}
