//! The states of synchronisation objects after events of a path.
//!
//! A search asks who holds a mutex after a prefix of the partial order, which need not be a beginning of the path. So
//! the holder is read off the events on the mutex, and no table of holders is kept.

use super::{EventId, NO_EVENT, NO_RANGE, Part, Path, RangeId};
use crate::event::{ByteRange, EventIndex, Object, ThreadId, Touch};

/// The state of a synchronisation object after a prefix of the path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LastTouch {
    /// In which mode the last event touches it.
    pub touch: Touch,
    /// How often the object is held as a mutex.
    pub depth: u32,
    /// The thread that holds the object.
    pub holder: Option<ThreadId>,
}

impl Path {
    /// Whether a range has been used as one kind of object only.
    #[inline]
    pub(super) fn has_one_kind(&self, range: RangeId) -> bool {
        self.kinds[range as usize].is_power_of_two()
    }

    /// How often the mutex that an event touches is held after it; 0 if it touches none.
    pub fn depth(&self, event: EventId) -> u32 {
        self.nodes[event as usize].parts.iter().map(|part| part.depth).max().unwrap_or(0)
    }

    /// Whether an event may enable or disable other threads: it makes an object available or unavailable, or creates a
    /// thread.
    pub fn may_block_others(&self, event: EventId) -> bool {
        let node = &self.nodes[event as usize];
        let touches = |part: &Part| part.range != NO_RANGE && part.touch.changes_availability();
        node.operation.creates().is_some() || node.parts.iter().any(touches)
    }

    /// The first request in the path to cancel a thread.
    pub fn request_to(&self, thread: ThreadId) -> Option<EventIndex> {
        let range = self.ranges.known(ByteRange { start: Object::cancellation(thread).0, len: 1 })?;
        let before = |event: &EventId| Some(self.nodes[*event as usize].part(range).before).filter(|&e| e != NO_EVENT);
        let head = Some(self.heads[range as usize]).filter(|&event| event != NO_EVENT);
        let requests = core::iter::successors(head, before);
        let first = requests.filter(|&event| self.operation(event).cancels().is_some()).last()?;
        Some(EventIndex(self.nodes[first as usize].position))
    }

    /// The state of a synchronisation object after the events that `clock` counts, which are a prefix of the path's
    /// partial order; `None` if none of them touches it. Takes time for each event on the object that the prefix does
    /// not have.
    pub fn last_touch(&self, object: Object, clock: &[u32]) -> Option<LastTouch> {
        let range = self.ranges.known(ByteRange { start: object.0, len: 1 })?;
        let mut at = self.heads[range as usize];
        while at != NO_EVENT {
            let part = self.nodes[at as usize].part(range);
            if self.counts(clock, at) {
                let holder = (part.depth > 0).then(|| self.nodes[part.hold as usize].thread);
                return Some(LastTouch { touch: part.touch, depth: part.depth, holder });
            }
            at = part.before;
        }
        None
    }
}
