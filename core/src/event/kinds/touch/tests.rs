//! The table of touches, as a whole.

use super::*;

#[test]
fn orders_all_means_conflicts_with_every_mode() {
    for a in ALL {
        assert_eq!(a.orders_all(), ALL.iter().all(|b| a.conflicts(*b)), "{a:?}");
    }
}

#[test]
fn orders_rivals_means_conflicts_with_all_with_which_the_other_conflicts() {
    for a in ALL {
        for b in ALL {
            let all = ALL.iter().filter(|other| other.conflicts(b)).all(|other| other.conflicts(a));
            assert_eq!(a.orders_rivals_of(b), all, "{a:?} {b:?}");
        }
        assert!(!a.orders_all() || ALL.iter().all(|b| a.orders_rivals_of(*b)), "{a:?}");
    }
    assert!(
        Touch::ReadLock.orders_rivals_of(Touch::ReadUnlock) && !Touch::ReadUnlock.orders_rivals_of(Touch::ReadLock)
    );
}

#[test]
fn what_only_reads_conflicts_with_what_orders_all() {
    let reading: Vec<Touch> = ALL.into_iter().filter(|touch| touch.only_reads()).collect();
    assert_eq!(
        reading,
        [Touch::Read, Touch::Compare, Touch::Probe, Touch::OncePass, Touch::FailedReadLock, Touch::LookForRequest]
    );
    for a in reading {
        for b in ALL.into_iter().filter(|b| b.family() == a.family() || b.family() == ANY) {
            assert_eq!(a.conflicts(b), b.orders_all(), "{a:?} {b:?}");
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

#[test]
fn touches_of_different_kinds_of_objects_conflict() {
    for a in ALL {
        for b in ALL.into_iter().filter(|b| b.family() != a.family()) {
            assert!(a.conflicts(b), "{a:?} {b:?}");
        }
    }
}
