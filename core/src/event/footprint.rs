//! What an operation touches: at most two objects, each in one [`Touch`] mode. Dependence is decided by it alone.
//!
//! The properties of touches are decided here. A few other places compare touches themselves, where the compiler does
//! not ask about a new one: which touches wait along a path (`order/path/conflicts.rs`), what an outcome becomes ahead
//! of another event (`explore/optimal/races.rs`), what C11 orders (`detect/witness.rs`), and what the guest's virtual
//! time follows (`engine/times.rs`).

use super::{ByteRange, Object};

/// How an operation changes which thread holds a mutex.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HoldChange {
    /// The thread takes it, once more if it is recursive and the thread holds it.
    Takes,
    /// The thread gives it back, once.
    Gives,
    /// No thread holds it any more, however often it was taken.
    Clears,
}

/// In which way an operation touches an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Touch {
    /// Reads the bytes of a range.
    Read,
    /// Writes the bytes of a range.
    Write,
    /// A compare-exchange that fails: reads, and might have written.
    Compare,
    /// Changes the life cycle of a synchronisation object: init, destroy.
    Lifecycle,
    /// Takes a mutex, waiting until it is free (lock, the end of a wait).
    Acquire,
    /// Takes a mutex without having had to wait for it (successful trylock).
    TryAcquire,
    /// Gives a mutex up.
    Release,
    /// Looks at a mutex without changing it (failed trylock).
    Probe,
    /// Joins the waiters of a condition variable.
    Enqueue,
    /// Leaves the waiters of a condition variable without a signal.
    Dequeue,
    /// Wakes waiters of a condition variable.
    Wake,
    /// A signal or broadcast that found no waiter.
    WakeNobody,
    /// Enters a once object as the one who runs the initialiser.
    OnceRun,
    /// Passes a once object whose initialiser has run.
    OncePass,
    /// Leaves the initialiser of a once object, which is done or, if it failed, as at first.
    OnceDone,
}

impl Touch {
    /// Whether the order of two touches of one object matters. Symmetric.
    #[inline]
    pub fn conflicts(self, other: Touch) -> bool {
        use Touch::*;
        match (self, other) {
            // Reads, failed trylocks and passes of a finished once object change nothing.
            (Read | Compare, Read | Compare) | (Probe, Probe) | (OncePass, OncePass) => false,
            // Waiters form a set: the order of arrival is not visible, as a signal may choose any of them.
            (Enqueue, Enqueue) => false,
            // Leaving the set commutes with others leaving or joining it.
            (Enqueue, Dequeue) | (Dequeue, Enqueue) | (Dequeue, Dequeue) => false,
            // Two signals that are both lost commute.
            (WakeNobody, WakeNobody) => false,
            (
                Read | Write | Compare | Lifecycle | Acquire | TryAcquire | Release | Probe | Enqueue | Dequeue | Wake
                | WakeNobody | OnceRun | OncePass | OnceDone,
                _,
            ) => true,
        }
    }
}

impl Touch {
    /// Whether the order of two touches of overlapping ranges matters.
    ///
    /// A failed compare-exchange counts as a read only among accesses of exactly its own bytes. Otherwise its outcome,
    /// which other accesses decide, would decide whether it conflicts with an overlapping access. A search that finds
    /// races in one path at a time cannot take that into account.
    #[inline]
    pub fn conflicts_in(self, other: Touch, same_range: bool) -> bool {
        self.conflicts(other) || (!same_range && (self == Touch::Compare || other == Touch::Compare))
    }

    /// Whether this mode conflicts with every mode, so that it is ordered with all other touches of the object.
    #[inline]
    pub fn orders_all(self) -> bool {
        use Touch::*;
        match self {
            Write | Lifecycle | Acquire | TryAcquire | Release | Wake | OnceRun | OnceDone => true,
            Read | Compare | Probe | Enqueue | Dequeue | WakeNobody | OncePass => false,
        }
    }

    /// Whether this mode, among the modes of touching one range as one kind of object, conflicts only with modes that
    /// [order all](Self::orders_all).
    #[inline]
    pub fn only_reads(self) -> bool {
        matches!(self, Touch::Read | Touch::Compare | Touch::Probe)
    }

    /// The kind of object that is touched in this mode, as one bit: memory, mutex, condition variable, once object. No
    /// bit if it may be any synchronisation object.
    #[inline]
    pub(crate) fn family(self) -> u8 {
        match self {
            Touch::Read | Touch::Write | Touch::Compare => 1,
            Touch::Acquire | Touch::TryAcquire | Touch::Release | Touch::Probe => 2,
            Touch::Enqueue | Touch::Dequeue | Touch::Wake | Touch::WakeNobody => 4,
            Touch::OnceRun | Touch::OncePass | Touch::OnceDone => 8,
            Touch::Lifecycle => 0,
        }
    }

    /// How a touch in this mode changes which thread holds a mutex, at most: a change of the life cycle may clear it.
    #[inline]
    pub fn hold(self) -> Option<HoldChange> {
        match self {
            Touch::Acquire | Touch::TryAcquire => Some(HoldChange::Takes),
            Touch::Release => Some(HoldChange::Gives),
            Touch::Lifecycle => Some(HoldChange::Clears),
            Touch::Read
            | Touch::Write
            | Touch::Compare
            | Touch::Probe
            | Touch::Enqueue
            | Touch::Dequeue
            | Touch::Wake
            | Touch::WakeNobody
            | Touch::OnceRun
            | Touch::OncePass
            | Touch::OnceDone => None,
        }
    }

    /// Whether a touch in this mode may make a mutex or a once object unavailable to other threads, or available.
    #[inline]
    pub fn changes_availability(self) -> bool {
        match self {
            Touch::Acquire
            | Touch::TryAcquire
            | Touch::Release
            | Touch::Lifecycle
            | Touch::OnceRun
            | Touch::OnceDone => true,
            Touch::Read
            | Touch::Write
            | Touch::Compare
            | Touch::Probe
            | Touch::Enqueue
            | Touch::Dequeue
            | Touch::Wake
            | Touch::WakeNobody
            | Touch::OncePass => false,
        }
    }

    /// Whether an object touched in this mode was necessarily unavailable just before for an operation that touches it
    /// next as `later`. If so, the first operation enables the second, and the two do not race.
    pub fn enables(self, later: Touch) -> bool {
        use Touch::*;
        match (self, later) {
            // Before an unlock or a failed trylock the mutex was held; a blocking lock had to wait.
            (Release | Probe, Acquire) => true,
            // A thread that passes a once object, or tries again after a failed initialiser, waited until it was left.
            (OnceDone, OncePass | OnceRun) => true,
            (
                Read | Write | Compare | Lifecycle | Acquire | TryAcquire | Release | Probe | Enqueue | Dequeue | Wake
                | WakeNobody | OnceRun | OncePass | OnceDone,
                _,
            ) => false,
        }
    }
}

/// The objects an operation touches, at most two.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Footprint {
    parts: [Option<(ByteRange, Touch)>; 2],
}

impl Footprint {
    #[inline]
    pub(super) fn none() -> Self {
        Footprint::default()
    }

    #[inline]
    pub(super) fn bytes(range: ByteRange, touch: Touch) -> Self {
        Footprint { parts: [Some((range, touch)), None] }
    }

    #[inline]
    pub(super) fn object(object: Object, touch: Touch) -> Self {
        Footprint::bytes(ByteRange { start: object.0, len: 1 }, touch)
    }

    #[inline]
    pub(super) fn objects(a: (Object, Touch), b: (Object, Touch)) -> Self {
        let part = |(object, touch): (Object, Touch)| Some((ByteRange { start: object.0, len: 1 }, touch));
        Footprint { parts: [part(a), part(b)] }
    }

    /// The touched ranges with their modes, unused ones last.
    #[inline]
    pub fn parts(self) -> [Option<(ByteRange, Touch)>; 2] {
        self.parts
    }

    /// The touched ranges with their modes.
    pub fn iter(self) -> impl Iterator<Item = (ByteRange, Touch)> {
        self.parts.into_iter().flatten()
    }

    /// Whether the two footprints share an object in conflicting modes.
    pub fn conflicts(self, other: Footprint) -> bool {
        self.iter().any(|(range, touch)| {
            other.iter().any(|(other_range, other_touch)| {
                range.overlaps(other_range) && touch.conflicts_in(other_touch, range == other_range)
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Touch::{self, *};

    const ALL: [Touch; 15] = [
        Read, Write, Compare, Lifecycle, Acquire, TryAcquire, Release, Probe, Enqueue, Dequeue, Wake, WakeNobody,
        OnceRun, OncePass, OnceDone,
    ];

    #[test]
    fn orders_all_means_conflicts_with_every_mode() {
        for a in ALL {
            assert_eq!(a.orders_all(), ALL.iter().all(|&b| a.conflicts(b)), "{a:?}");
        }
    }

    #[test]
    fn what_only_reads_conflicts_with_what_orders_all() {
        let families = [&[Read, Write, Compare][..], &[Acquire, TryAcquire, Release, Probe, Lifecycle]];
        for family in families {
            for a in family.iter().filter(|a| a.only_reads()) {
                for b in family {
                    assert_eq!(a.conflicts(*b), b.orders_all(), "{a:?} {b:?}");
                }
            }
        }
    }

    #[test]
    fn conflicts_is_symmetric() {
        for a in ALL {
            for b in ALL {
                assert_eq!(a.conflicts(b), b.conflicts(a), "{a:?} {b:?}");
            }
        }
    }
}
