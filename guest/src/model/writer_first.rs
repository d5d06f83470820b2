//! Read-write locks that prefer waiting writers (`PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP`), whose calls have the
//! same names as those of others. `rwlocks` says how both lie in memory.
//!
//! A writer tries to take the lock; if it cannot, it announces itself, and no reader gets the lock any more until the
//! writer has had it or, in a timed call, has given up.

use super::uses::{Kind, Use};
use crate::engine::{last_event, visible};
use inspect_core::event::{Object, Side, SiteId, WriterFirstOperation, WriterFirstStep};
use inspect_core::run::Request;

fn operation(rwlock: u64, step: WriterFirstStep) -> WriterFirstOperation {
    WriterFirstOperation::new(Object(rwlock), step)
}

/// A step after the first one of a call: what is to be said of the use has been said.
fn step(rwlock: u64, step: WriterFirstStep, site: SiteId) {
    visible(Request::new(operation(rwlock, step).into(), site));
}

/// Waits for the lock.
#[inline(never)]
pub(super) fn lock(rwlocks: &Kind, used: &Use, rwlock: u64, side: Side, site: SiteId) {
    match side {
        Side::Reader => rwlocks.perform(used, rwlock, operation(rwlock, WriterFirstStep::Lock(side)), site),
        Side::Writer => {
            if !attempt(rwlocks, used, rwlock, side, site) {
                step(rwlock, WriterFirstStep::Announce, site);
                step(rwlock, WriterFirstStep::Lock(side), site);
            }
        }
    }
}

/// Takes the lock if it is available; whether it was.
#[inline(never)]
pub(super) fn attempt(rwlocks: &Kind, used: &Use, rwlock: u64, side: Side, site: SiteId) -> bool {
    rwlocks.perform(used, rwlock, operation(rwlock, WriterFirstStep::TryLock(side)), site);
    last_event().operation.succeeded() == Some(true)
}

/// Waits for the lock until the wait expires; whether it was available by then.
#[inline(never)]
pub(super) fn timed(rwlocks: &Kind, used: &Use, rwlock: u64, side: Side, site: SiteId) -> bool {
    if attempt(rwlocks, used, rwlock, side, site) {
        return true;
    }
    if side == Side::Reader {
        return false;
    }
    step(rwlock, WriterFirstStep::Announce, site);
    step(rwlock, WriterFirstStep::TryLock(side), site);
    let taken = last_event().operation.succeeded() == Some(true);
    if taken && used.sound {
        // Other threads look at the object before the next step.
        rwlocks.shape.set_in_use(rwlock, true);
    }
    step(rwlock, WriterFirstStep::Withdraw, site);
    taken
}

/// Gives the lock back.
#[inline(never)]
pub(super) fn unlock(rwlocks: &Kind, used: &Use, rwlock: u64, site: SiteId) {
    rwlocks.perform(used, rwlock, operation(rwlock, WriterFirstStep::Unlock(None)), site);
}
