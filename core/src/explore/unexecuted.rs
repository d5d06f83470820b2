//! Operations that a run shows without executing them, and that race like events.
//!
//! - A waiter that was woken could have left by itself instead, if it was enabled to. Its waking disables that, so the race
//!   of that leaving with the waking shows at the waking or nowhere.
//! - A thread that is blocked when the run ends could have been granted what it waits for earlier. If it waits for a signal,
//!   what it takes after that is not what it waits for.

use crate::event::{Ending, Event, EventIndex, Operation, PendingStatus, ThreadId, Trace};
use crate::order::{EventId, NO_EVENT, Path};

/// A search that looks for races along a path.
pub(super) trait Unexecuted {
    /// The path; it ends where the operations are looked at.
    fn path(&mut self) -> &mut Path;

    /// Treats the races of a drafted event that could come next in the path as those of an executed one; with `only`, its
    /// race with the event at that position alone.
    fn race(&mut self, event: EventId, only: Option<u32>);

    /// The races of an operation that `thread` could have executed before the end of the path. None for a thread that waits
    /// for itself ([`Path::waits_for_itself`]).
    fn race_unexecuted(
        &mut self,
        thread: ThreadId,
        operation: Operation,
        enabled_by: Option<EventIndex>,
        only: Option<u32>,
    ) {
        let event = self.path().draft(thread, operation, enabled_by);
        if !self.path().waits_for_itself(event) {
            self.race(event, only);
        }
        self.path().forget(event);
    }

    /// The races of the waiters' leaving that the path's last event, which is `event` of the run, has woken.
    fn race_expiries(&mut self, last: EventId, event: &Event) {
        let position = self.path().node(last).position;
        for thread in event.operation.woken().intersection(event.enabled).iter() {
            let waiting = self.path().last_of(thread);
            let Operation::WaitRelease { cond, mutex } = *self.path().operation(waiting) else { continue };
            self.race_unexecuted(thread, Operation::WaitExpire { cond, mutex }, None, Some(position));
        }
    }

    /// The races of what threads were about to do when the run ended, if it was not cut.
    fn race_pending(&mut self, trace: &Trace) {
        if matches!(trace.ending, Ending::Limit(_) | Ending::Diverged(_)) {
            return;
        }
        for pending in &trace.pending {
            if pending.status == PendingStatus::Blocked && !self.path().waits_for_signal(pending) {
                self.race_unexecuted(pending.thread, pending.operation, pending.enabled_by, None);
            }
        }
    }
}

/// For a thread that has done nothing on the path yet: the last event of the path known to come before all that it does.
pub(super) fn origin(path: &Path, creators: &[ThreadId], thread: ThreadId) -> Option<EventIndex> {
    let mut creator = thread;
    while path.last_of(creator) == NO_EVENT && creator != ThreadId::MAIN {
        let Some(&parent) = creators.get(creator.index()) else { break };
        let creates = |&&event: &&EventId| *path.operation(event) == Operation::Create(creator);
        if let Some(&event) = path.events().iter().rev().find(creates) {
            return Some(EventIndex(path.node(event).position));
        }
        creator = parent;
    }
    let last = path.last_of(creator);
    (creator != thread && last != NO_EVENT).then(|| EventIndex(path.node(last).position))
}
