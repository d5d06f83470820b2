//! Operations that a run shows without executing them. They race with its events as executed ones do.
//!
//! - The expiry of a wait, if a signal wakes a waiter that could have left the wait by itself, or because its
//!   cancellation was requested. The signal disables the expiry, so their race can be found at the signal only.
//! - The pending operation of a thread that is blocked at the end of the run: it could have been granted earlier. A
//!   thread that still waits for a signal is left out: it locks the mutex again only after that signal.
//! - The pending operation of a thread that could have gone on at the end of a run, if the run was cut after many
//!   steps.

use crate::event::{Ending, Event, EventIndex, LimitKind, Operation, PendingStatus, ThreadId, Trace};
use crate::order::{EventId, NO_EVENT, Path};

/// A search that looks for races along a path.
pub(super) trait Unexecuted {
    /// The path, up to the state in which the operations could come next.
    fn path(&mut self) -> &mut Path;

    /// Treats the races of a drafted event that could come next in the path as those of an executed one; with `only`,
    /// just its race with the event at that position.
    fn race(&mut self, event: EventId, only: Option<u32>);

    /// Treats the races of an operation that `thread` could have executed before the end of the path. A thread that
    /// waits for itself ([`Path::waits_for_itself`]) has none.
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

    /// Treats the races of the path's last event, which is `event` of the run, with the expiries of the waits that it
    /// ended.
    fn race_expiries(&mut self, last: EventId, event: &Event) {
        let position = self.path().node(last).position;
        for thread in event.operation.woken().intersection(event.enabled).iter() {
            let waiting = self.path().last_of(thread);
            let Some(expiry) = self.path().operation(waiting).expiry() else { continue };
            // Also of a wait that could have expired in any case. The request comes before the signal in the path, so
            // no race depends on whether it is needed for the expiry.
            let request = self.path().request_to(thread);
            self.race_unexecuted(thread, expiry, request, Some(position));
        }
    }

    /// Treats the races of the operations that were pending and blocked at the end of the run, or pending when it was
    /// cut after many steps. A run that was cut otherwise (by another limit, or since it diverged from its plan) shows
    /// none.
    fn race_pending(&mut self, trace: &Trace) {
        let cut = trace.ending == Ending::Limit(LimitKind::Steps);
        if !cut && matches!(trace.ending, Ending::Limit(_) | Ending::Diverged(_)) {
            return;
        }
        for pending in &trace.pending {
            let takes_part = match pending.status {
                PendingStatus::Blocked | PendingStatus::ChosenOtherwise => true,
                PendingStatus::Enabled => cut && pending.operation.ends_process().is_none(),
                PendingStatus::Parked | PendingStatus::AssumeFailed => false,
            };
            if takes_part && !self.path().waits_for_event(pending) {
                self.race_unexecuted(pending.thread, pending.operation, pending.enabled_by, None);
            }
        }
    }
}

/// For a thread without events on the path: the last event of the path that is known to happen before everything that
/// the thread does. `creators` has the creator of each thread.
pub(super) fn origin(path: &Path, creators: &[ThreadId], thread: ThreadId) -> Option<EventIndex> {
    let mut creator = thread;
    while path.last_of(creator) == NO_EVENT && creator != ThreadId::MAIN {
        let Some(&parent) = creators.get(creator.index()) else { break };
        let creates = |&&event: &&EventId| path.operation(event).creates() == Some(creator);
        if let Some(&event) = path.events().iter().rev().find(creates) {
            return Some(EventIndex(path.node(event).position));
        }
        creator = parent;
    }
    let last = path.last_of(creator);
    (creator != thread && last != NO_EVENT).then(|| EventIndex(path.node(last).position))
}
