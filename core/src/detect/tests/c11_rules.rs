//! One test for each rule of C11's happens-before, with the twin that lacks it.

use super::script::{FLAG, M, MAIN, Script, T1, T2, X};
use crate::detect::AccessKind;
use crate::event::MemoryOrder::{Acquire, AcquireRelease, Relaxed, Release, SequentiallyConsistent};
use crate::event::{
    ByteRange, CondOperation, ControlOperation, MemoryOperation, MutexOperation, Mutexes, Object, OnceOperation,
    Operation, PendingStatus, SiteId, ThreadOperation, ThreadSet,
};
use crate::order::c11::TracePosition;

#[test]
fn unordered_writes_race_and_the_report_names_both_sides() {
    let mut script = Script::two_threads();
    script
        .write(T1, X)
        .event(T1, Operation::Control(ControlOperation::Yield))
        .event(T2, Operation::Control(ControlOperation::Yield));
    script.read(T2, ByteRange { start: X.start + 2, len: 4 }).expect(1);
    let race = script.races()[0];
    assert_eq!((race.first.thread, race.first.site, race.first.kind), (T1, SiteId(2), AccessKind::Write));
    assert_eq!((race.second.thread, race.second.site, race.second.kind), (T2, SiteId(3), AccessKind::Read));
    assert_eq!(race.range, ByteRange { start: X.start + 2, len: 2 });
    // T1 writes in its first step, which begins at position 1 (after its create); T2 reads after the fourth event.
    assert!(matches!(race.first.moment, TracePosition::Between(at) if at.0 == 1), "{:?}", race.first);
    assert!(matches!(race.second.moment, TracePosition::Between(at) if at.0 == 4), "{:?}", race.second);
}

#[test]
fn reads_do_not_race() {
    Script::two_threads().read(T1, X).read(T2, X).read(MAIN, X).expect(0);
}

#[test]
fn neighbouring_bytes_do_not_race() {
    let (low, high) = (ByteRange { start: 0x1000, len: 3 }, ByteRange { start: 0x1003, len: 5 });
    Script::two_threads().write(T1, low).write(T2, high).expect(0);
}

#[test]
fn create_and_join_order() {
    let mut script = Script::new();
    script
        .write(MAIN, X)
        .event(MAIN, Operation::Thread(ThreadOperation::Create(T1)))
        .write(T1, X)
        .event(T1, Operation::Thread(ThreadOperation::Exit(None)));
    script.event(MAIN, Operation::Thread(ThreadOperation::Join(T1))).write(MAIN, X).expect(0);
}

#[test]
fn what_the_creator_does_after_create_races_with_the_child() {
    let mut script = Script::new();
    script.event(MAIN, Operation::Thread(ThreadOperation::Create(T1))).write(T1, X).write(MAIN, X).expect(1);
}

#[test]
fn the_end_of_a_thread_orders_nothing_without_a_join() {
    let mut script = Script::two_threads();
    script
        .write(T1, X)
        .event(T1, Operation::Thread(ThreadOperation::Exit(None)))
        .event(MAIN, Operation::Control(ControlOperation::Yield))
        .write(MAIN, X)
        .expect(1);
}

#[test]
fn mutexes_order_critical_sections() {
    let mut script = Script::two_threads();
    for thread in [T1, T2, T1] {
        script
            .event(thread, Operation::Mutex(MutexOperation::Lock(M)))
            .write(thread, X)
            .event(thread, Operation::Mutex(MutexOperation::Unlock(M)));
    }
    script.expect(0);
    // After its unlock T1 is ordered with nobody.
    script.write(T1, X).event(T2, Operation::Mutex(MutexOperation::Lock(M))).write(T2, X).expect(1);
}

#[test]
fn another_mutex_does_not_order() {
    let other = Object(M.0 + 64);
    let mut script = Script::two_threads();
    script
        .event(T1, Operation::Mutex(MutexOperation::Lock(M)))
        .write(T1, X)
        .event(T1, Operation::Mutex(MutexOperation::Unlock(M)));
    script
        .event(T2, Operation::Mutex(MutexOperation::Lock(other)))
        .write(T2, X)
        .event(T2, Operation::Mutex(MutexOperation::Unlock(other)))
        .expect(1);
}

#[test]
fn a_successful_trylock_acquires_and_a_failed_one_does_not() {
    for (acquired, races) in [(true, 0), (false, 1)] {
        let mut script = Script::two_threads();
        script
            .event(T1, Operation::Mutex(MutexOperation::Lock(M)))
            .write(T1, X)
            .event(T1, Operation::Mutex(MutexOperation::Unlock(M)));
        script.event(T2, Operation::Mutex(MutexOperation::TryLock { mutex: M, acquired })).write(T2, X).expect(races);
    }
}

#[test]
fn a_wait_orders_through_its_mutex_and_a_signal_by_itself_does_not() {
    let cond = Object(0x4000);
    for (under_lock, races) in [(true, 0), (false, 1)] {
        let mut script = Script::two_threads();
        script
            .event(T1, Operation::Mutex(MutexOperation::Lock(M)))
            .event(T1, Operation::Cond(CondOperation::WaitRelease { cond, mutex: M, mutexes: Mutexes::One }));
        if under_lock {
            script
                .event(T2, Operation::Mutex(MutexOperation::Lock(M)))
                .write(T2, X)
                .event(T2, Operation::Mutex(MutexOperation::Unlock(M)));
        } else {
            script.write(T2, X);
        }
        script.event(T2, Operation::Cond(CondOperation::Broadcast { cond, woken: ThreadSet::only(T1) }));
        script
            .event(T1, Operation::Cond(CondOperation::WaitReacquire { cond, mutex: M, mutexes: Mutexes::One }))
            .read(T1, X)
            .expect(races);
    }
}

#[test]
fn once_orders_its_initialiser_before_those_who_pass() {
    let once = Object(0x5000);
    let mut script = Script::two_threads();
    script
        .event(T1, Operation::Once(OnceOperation::Enter { once, runs: true }))
        .write(T1, X)
        .event(T1, Operation::Once(OnceOperation::Leave(once)));
    script.write(T1, ByteRange { start: X.start + 8, len: 4 });
    script.event(T2, Operation::Once(OnceOperation::Enter { once, runs: false })).read(T2, X).expect(0);
    script.read(T2, ByteRange { start: X.start + 8, len: 4 }).expect(1);
}

#[test]
fn message_passing_needs_release_and_acquire() {
    let sc = SequentiallyConsistent;
    let cases =
        [(Release, Acquire, 0), (sc, sc, 0), (Relaxed, Acquire, 1), (Release, Relaxed, 1), (Relaxed, Relaxed, 1)];
    for (store, load, races) in cases {
        Script::two_threads().write(T1, X).store(T1, store).load(T2, load).read(T2, X).expect(races);
    }
}

#[test]
fn a_load_synchronises_only_with_what_it_reads_from() {
    // T2 loads before T1 stores.
    Script::two_threads().write(T1, X).load(T2, Acquire).store(T1, Release).read(T2, X).expect(1);
}

#[test]
fn updates_synchronise_both_ways() {
    let mut script = Script::two_threads();
    script.write(T1, X).update(T1, AcquireRelease, true).update(T2, AcquireRelease, true).write(T2, X);
    script.update(T2, Release, true).update(T1, Acquire, true).write(T1, X).expect(0);
}

#[test]
fn a_failed_exchange_acquires_by_its_order_and_releases_nothing() {
    Script::two_threads().write(T1, X).store(T1, Release).update(T2, Acquire, false).read(T2, X).expect(0);
    Script::two_threads().write(T1, X).store(T1, Release).update(T2, Relaxed, false).read(T2, X).expect(1);
    let mut script = Script::two_threads();
    script.write(T1, X).update(T1, SequentiallyConsistent, false).load(T2, Acquire).read(T2, X).expect(1);
}

#[test]
fn a_release_sequence_goes_on_through_relaxed_updates_of_other_threads() {
    let mut script = Script::two_threads();
    script.write(T1, X).store(T1, Release).update(T2, Relaxed, true).load(MAIN, Acquire).read(MAIN, X).expect(0);
}

#[test]
fn a_release_sequence_goes_on_through_relaxed_stores_of_its_thread() {
    let mut script = Script::two_threads();
    script.write(T1, X).store(T1, Release).store(T1, Relaxed).load(T2, Acquire).read(T2, X).expect(0);
}

#[test]
fn a_release_sequence_ends_at_a_relaxed_store_of_another_thread() {
    let mut script = Script::two_threads();
    script.write(T1, X).store(T1, Release).store(T2, Relaxed).load(MAIN, Acquire).read(MAIN, X).expect(1);
}

#[test]
fn a_release_sequence_ends_at_a_plain_write() {
    let mut script = Script::two_threads();
    script.write(T1, X).store(T1, Release).event(T1, Operation::Control(ControlOperation::Yield)).write(T1, FLAG);
    script.load(T2, Acquire).read(T2, X);
    // One race on the flag itself (plain write against load), one on what it no longer protects.
    script.expect(2);
}

#[test]
fn fences_pair_with_relaxed_accesses() {
    let full = [(Release, Acquire), (SequentiallyConsistent, SequentiallyConsistent), (AcquireRelease, AcquireRelease)];
    for (release, acquire) in full {
        let mut script = Script::two_threads();
        script.write(T1, X).fence(T1, release).store(T1, Relaxed);
        script.load(T2, Relaxed).fence(T2, acquire).read(T2, X).expect(0);
    }
    // Each fence alone pairs with an operation of the other side.
    Script::two_threads().write(T1, X).fence(T1, Release).store(T1, Relaxed).load(T2, Acquire).read(T2, X).expect(0);
    let mut script = Script::two_threads();
    script.write(T1, X).store(T1, Release).load(T2, Relaxed).fence(T2, Acquire).read(T2, X).expect(0);
}

#[test]
fn fences_on_the_wrong_side_or_of_the_wrong_kind_order_nothing() {
    // The release fence comes after the store.
    Script::two_threads().write(T1, X).store(T1, Relaxed).fence(T1, Release).load(T2, Acquire).read(T2, X).expect(1);
    // The acquire fence comes before the load.
    Script::two_threads().write(T1, X).store(T1, Release).fence(T2, Acquire).load(T2, Relaxed).read(T2, X).expect(1);
    // An acquire fence releases nothing, a release fence acquires nothing.
    Script::two_threads().write(T1, X).fence(T1, Acquire).store(T1, Relaxed).load(T2, Acquire).read(T2, X).expect(1);
    Script::two_threads().write(T1, X).store(T1, Release).load(T2, Relaxed).fence(T2, Release).read(T2, X).expect(1);
}

#[test]
fn a_release_fence_covers_what_came_before_it_only() {
    let mut script = Script::two_threads();
    script.fence(T1, Release).write(T1, X).store(T1, Relaxed).load(T2, Acquire).read(T2, X).expect(1);
}

#[test]
fn a_fence_does_not_outlive_its_run() {
    let mut script = Script::two_threads();
    script.fence(T1, Release).store(T1, Relaxed);
    script.detector.begin();
    script.trace.clear();
    script
        .event(MAIN, Operation::Thread(ThreadOperation::Create(T1)))
        .event(MAIN, Operation::Thread(ThreadOperation::Create(T2)));
    script.write(T1, X).store(T1, Relaxed).load(T2, Acquire).read(T2, X).expect(1);
}

#[test]
fn atomic_accesses_race_with_plain_ones_only() {
    Script::two_threads().store(T1, Relaxed).update(T2, Relaxed, true).load(MAIN, Relaxed).expect(0);
    Script::two_threads().store(T1, Relaxed).read(T2, FLAG).expect(1);
    Script::two_threads().write(T1, FLAG).load(T2, Acquire).expect(1);
    Script::two_threads().load(T1, Relaxed).write(T2, FLAG).expect(1);
    Script::two_threads().load(T1, Relaxed).read(T2, FLAG).expect(0);
}

#[test]
fn an_acquire_load_is_itself_ordered_after_an_initialisation_before_the_release() {
    Script::two_threads().write(T1, FLAG).store(T1, Release).load(T2, Acquire).expect(0);
    Script::two_threads().write(T1, FLAG).store(T1, Relaxed).load(T2, Acquire).expect(1);
}

#[test]
fn every_unordered_atomic_write_is_remembered() {
    // The plain read is ordered after T2's store, which replaces the value of T1's, but not after T1's.
    let mut script = Script::two_threads();
    script
        .store(T1, Relaxed)
        .store(T2, Relaxed)
        .event(T2, Operation::Thread(ThreadOperation::Exit(None)))
        .event(MAIN, Operation::Thread(ThreadOperation::Join(T2)));
    script.read(MAIN, FLAG).expect(1);
    assert_eq!(script.races()[0].first.thread, T1);
}

#[test]
fn free_writes_the_whole_block() {
    let block = ByteRange { start: 0x8000, len: 64 };
    let last_byte = ByteRange { start: 0x803f, len: 1 };
    let mut script = Script::two_threads();
    script.read(T1, last_byte).event(T2, Operation::Control(ControlOperation::Yield));
    script.detector.on_free(T2, block, SiteId(9));
    script.expect(1);
    assert_eq!(script.races()[0].second.kind, AccessKind::Free);
    let mut script = Script::two_threads();
    script.detector.on_free(T2, block, SiteId(9));
    script.event(T1, Operation::Control(ControlOperation::Yield)).read(T1, last_byte).expect(1);
    assert_eq!(script.races()[0].first.kind, AccessKind::Free);
}

#[test]
fn a_large_block_costs_no_more_than_its_use_and_races_wherever_it_was_used() {
    // Written granule by granule, 4 GiB would take seconds and 16 GiB of shadow.
    let block = ByteRange { start: 1 << 33, len: u32::MAX };
    let far = ByteRange { start: block.end() - 3, len: 2 };
    let mut script = Script::new();
    script.detector.on_alloc(MAIN, block, SiteId(9));
    script
        .event(MAIN, Operation::Thread(ThreadOperation::Create(T1)))
        .event(MAIN, Operation::Thread(ThreadOperation::Create(T2)));
    script.write(T1, far).event(T1, Operation::Control(ControlOperation::Yield));
    script.detector.on_free(T2, block, SiteId(9));
    script.expect(1);
    assert_eq!(script.races()[0].range, far);
    // In its next life nothing is known of the write.
    script.detector.on_alloc(T2, block, SiteId(9));
    script.event(T2, Operation::Control(ControlOperation::Yield)).write(T2, far).expect(1);
}

#[test]
fn reuse_of_a_block_is_no_race_and_stale_use_of_it_is_one() {
    let block = ByteRange { start: 0x8000, len: 64 };
    let mut script = Script::two_threads();
    script.detector.on_alloc(T1, block, SiteId(9));
    script
        .write(T1, block)
        .event(T1, Operation::Mutex(MutexOperation::Lock(M)))
        .event(T1, Operation::Mutex(MutexOperation::Unlock(M)));
    script
        .event(T2, Operation::Mutex(MutexOperation::Lock(M)))
        .read(T2, block)
        .event(T2, Operation::Mutex(MutexOperation::Unlock(M)));
    script.event(T1, Operation::Mutex(MutexOperation::Lock(M))).event(T1, Operation::Mutex(MutexOperation::Unlock(M)));
    script.detector.on_free(T1, block, SiteId(9));
    script.detector.on_alloc(T1, block, SiteId(9));
    script.write(T1, block).expect(0);
    script.event(T2, Operation::Control(ControlOperation::Yield)).read(T2, block).expect(1);
}

#[test]
fn a_block_of_a_new_life_inherits_no_lock_of_the_old_one() {
    let mut script = Script::two_threads();
    script
        .write(T1, X)
        .event(T1, Operation::Mutex(MutexOperation::Lock(M)))
        .event(T1, Operation::Mutex(MutexOperation::Unlock(M)));
    script.detector.on_alloc(T2, ByteRange { start: M.0, len: 40 }, SiteId(9));
    script.event(T2, Operation::Mutex(MutexOperation::Lock(M))).write(T2, X).expect(1);
}

#[test]
fn pending_accesses_take_part() {
    let mut script = Script::two_threads();
    script.write(T1, X).pending(T2, Operation::Memory(MemoryOperation::Read(X)), PendingStatus::Enabled);
    script.detector.finish(&script.trace, None);
    script.expect(1);
    assert_eq!(script.races()[0].second.moment, TracePosition::Event(crate::event::EventIndex(2)));
}

#[test]
fn two_pending_accesses_race_with_each_other() {
    let mut script = Script::two_threads();
    script.pending(T1, Operation::Memory(MemoryOperation::Write(X)), PendingStatus::Enabled);
    script.pending(T2, Operation::Memory(MemoryOperation::Read(X)), PendingStatus::Enabled);
    script.detector.finish(&script.trace, None);
    script.expect(1);
}

#[test]
fn a_pending_acquire_load_acquires() {
    let mut script = Script::two_threads();
    script.write(T1, FLAG).store(T1, Release).pending(
        T2,
        Operation::Memory(MemoryOperation::AtomicLoad(FLAG, Acquire)),
        PendingStatus::Parked,
    );
    script.detector.finish(&script.trace, None);
    script.expect(0);
}

#[test]
fn nothing_is_left_of_an_earlier_run() {
    let mut script = Script::two_threads();
    for _ in 0..3 {
        script.write(T1, X).write(T2, X).write(MAIN, X).expect(3);
        script.detector.begin();
        script.trace.clear();
        script
            .event(MAIN, Operation::Thread(ThreadOperation::Create(T1)))
            .event(MAIN, Operation::Thread(ThreadOperation::Create(T2)))
            .read(T1, X)
            .expect(0);
        script.detector.begin();
        script.trace.clear();
        script
            .event(MAIN, Operation::Thread(ThreadOperation::Create(T1)))
            .event(MAIN, Operation::Thread(ThreadOperation::Create(T2)));
    }
}

#[test]
fn a_sweep_over_an_array_is_one_race() {
    let mut script = Script::two_threads();
    let cells = || (0..100).map(|i| ByteRange { start: 0x9000 + i * 4, len: 4 });
    cells().for_each(|cell| _ = script.write(T1, cell));
    cells().for_each(|cell| _ = script.write(T2, cell));
    script.expect(1);
    assert_eq!(script.races()[0].range, ByteRange { start: 0x9000, len: 400 });
}

#[test]
fn too_many_races_are_said() {
    let mut script = Script::two_threads();
    let cells = || (0..1025).map(|i| ByteRange { start: 0x9000 + i * 8, len: 4 });
    cells().for_each(|cell| _ = script.write(T1, cell));
    cells().take(1024).for_each(|cell| _ = script.write(T2, cell));
    assert!(!script.detector.overflowed());
    script.expect(1024);
    cells().for_each(|cell| _ = script.write(T2, cell));
    script.expect(1024);
    assert!(script.detector.overflowed());
}
