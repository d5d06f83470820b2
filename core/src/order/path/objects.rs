//! What the events of a path make of the objects they touch.

use super::{EventId, NO_EVENT, NO_RANGE, Part, Path, RangeId};
use crate::event::{ByteRange, Object, Operation, ThreadId, Touch};

/// The state of a synchronisation object after some of the events that touch it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LastTouch {
    /// How the last one touches it.
    pub touch: Touch,
    /// How often it is held as a mutex.
    pub depth: u32,
    /// Who holds it.
    pub holder: Option<ThreadId>,
}

/// The kind of object that is touched so, as a bit: memory, mutex, condition variable or once object. No bit where the touch
/// does not tell.
#[inline]
pub(super) fn kind(touch: Touch) -> u8 {
    match touch {
        Touch::Read | Touch::Write | Touch::Compare => 1,
        Touch::Acquire | Touch::TryAcquire | Touch::Release | Touch::Probe => 2,
        Touch::Enqueue | Touch::Dequeue | Touch::Wake | Touch::WakeNobody => 4,
        Touch::OnceRun | Touch::OncePass | Touch::OnceDone => 8,
        Touch::Lifecycle => 0,
    }
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

    /// Whether an event may take something away that others wait for, or make it available.
    pub fn may_block_others(&self, event: EventId) -> bool {
        let node = &self.nodes[event as usize];
        let touches = |part: &Part| match part.touch {
            Touch::Acquire
            | Touch::TryAcquire
            | Touch::Release
            | Touch::Lifecycle
            | Touch::OnceRun
            | Touch::OnceDone => part.range != NO_RANGE,
            Touch::Read
            | Touch::Write
            | Touch::Compare
            | Touch::Probe
            | Touch::Enqueue
            | Touch::Dequeue
            | Touch::Wake
            | Touch::WakeNobody
            | Touch::OncePass => false,
        };
        matches!(node.operation, Operation::Create(_)) || node.parts.iter().any(touches)
    }

    /// The last of the events that `clock` counts, which are a prefix of the path as a partial order, that touches a
    /// synchronisation object. Looks at the object's later events one by one.
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
