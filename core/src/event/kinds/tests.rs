//! All pairs of touches.

use super::Touch::{self, *};
use super::{RwlockTouch, SemaphoreTouch};

/// The touch listed after this one. Exhaustive: a new touch does not compile until it is in the chain.
fn next(touch: &Touch) -> Option<Touch> {
    match touch {
        Read => Some(Write),
        Write => Some(Compare),
        Compare => Some(Lifecycle),
        Lifecycle => Some(Acquire),
        Acquire => Some(TryAcquire),
        TryAcquire => Some(Release),
        Release => Some(Probe),
        Probe => Some(Enqueue),
        Enqueue => Some(Dequeue),
        Dequeue => Some(Wake),
        Wake => Some(WakeNobody),
        WakeNobody => Some(OnceRun),
        OnceRun => Some(OncePass),
        OncePass => Some(OnceDone),
        OnceDone => Some(Arrive),
        Arrive => Some(Semaphore(SemaphoreTouch::ALL[0])),
        Semaphore(touch) => Some(after(&SemaphoreTouch::ALL, touch).map_or(Rwlock(RwlockTouch::ALL[0]), Semaphore)),
        Rwlock(touch) => after(&RwlockTouch::ALL, touch).map(Rwlock),
    }
}

fn after<T: Copy + PartialEq>(all: &[T], one: &T) -> Option<T> {
    let at = all.iter().position(|other| other == one).expect("a list of all");
    all.get(at + 1).copied()
}

fn all() -> impl Iterator<Item = Touch> {
    core::iter::successors(Some(Read), next)
}

#[test]
fn orders_all_means_conflicts_with_every_mode() {
    for a in all() {
        assert_eq!(a.orders_all(), all().all(|b| a.conflicts(b)), "{a:?}");
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
    for a in all() {
        for b in all() {
            assert_eq!(a.conflicts(b), b.conflicts(a), "{a:?} {b:?}");
        }
    }
}
