//! Operations that a run shows without executing them, and that race like events.
//!
//! - A waiter that was woken could have left by itself instead, if it was enabled to. Its waking disables that, so the race
//!   of that leaving with the waking shows at the waking or nowhere.
//! - A thread that is blocked when the run ends could have been granted what it waits for earlier. If it waits for a signal,
//!   what it takes after that is not what it waits for.

use crate::event::{EventIndex, Operation, Pending, PendingStatus, ThreadId, ThreadSet};
use crate::order::{EventId, Path};

/// A search that looks for races along a path.
pub(super) trait Unexecuted {
    /// The path, its end being where the operations are looked at.
    fn path(&self) -> &Path;

    /// Lets the races of an operation take effect that `thread` could have taken before the end of the path; with `only`,
    /// the race with the event at that position alone. Does nothing for a thread that waits for itself
    /// ([`Path::waits_for_itself`]).
    fn look_at_unexecuted(
        &mut self,
        thread: ThreadId,
        operation: Operation,
        enabled_by: Option<EventIndex>,
        only: Option<u32>,
    );

    /// The leaving of waiters that the path's last event, `event`, has `woken`; `enabled` could be taken before it.
    fn look_at_expiries(&mut self, event: EventId, woken: ThreadSet, enabled: ThreadSet) {
        let position = self.path().node(event).position;
        for thread in woken.intersection(enabled).iter() {
            let expiry = self.path().operation(self.path().last_of(thread)).expiry();
            if let Some(expiry) = expiry {
                self.look_at_unexecuted(thread, expiry, None, Some(position));
            }
        }
    }

    /// What threads were about to do when the run ended.
    fn look_at_pending(&mut self, pending: &[Pending]) {
        for pending in pending {
            if pending.status == PendingStatus::Blocked && !self.path().waits_for_signal(pending) {
                self.look_at_unexecuted(pending.thread, pending.operation, pending.enabled_by, None);
            }
        }
    }
}
