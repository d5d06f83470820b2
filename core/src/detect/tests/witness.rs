//! Which races are shown co-pending, and that the steps shown lead there.

use super::script::{M, MAIN, Script, T1, T2, X};
use crate::detect::{Shown, Witness, show};
use crate::event::MemoryOrder::{Acquire, Relaxed, Release};
use crate::event::{
    ControlOperation, EventIndex, MemoryOperation, MutexOperation, Operation, PendingStatus, ThreadOperation,
};

fn only(script: &Script) -> Shown {
    let [race] = script.races() else { panic!("{:?}", script.races()) };
    show(&script.trace, race, script.races())
}

fn threads(shown: &Shown) -> Vec<u8> {
    shown.steps.iter().map(|step| step.thread.index() as u8).collect()
}

#[test]
fn accesses_without_anything_between_are_co_pending() {
    let mut script = Script::two_threads();
    script
        .event(T1, Operation::Control(ControlOperation::Yield))
        .write(T1, X)
        .event(T1, Operation::Control(ControlOperation::Yield))
        .event(T1, Operation::Control(ControlOperation::Yield));
    script
        .event(T2, Operation::Control(ControlOperation::Yield))
        .event(T2, Operation::Control(ControlOperation::Yield))
        .read(T2, X);
    let shown = only(&script);
    assert_eq!(shown.witness, Witness::CoPending);
    // Creates, T2's way to its read without its last step; then the step of T1 whose end is the write, and T2's.
    assert_eq!(threads(&shown), [0, 0, 2, 1, 2]);
}

#[test]
fn first_steps_of_children_belong_to_their_creation() {
    let mut script = Script::two_threads();
    script
        .write(T1, X)
        .event(MAIN, Operation::Control(ControlOperation::Yield))
        .event(T2, Operation::Control(ControlOperation::Yield))
        .write(T2, X);
    let shown = only(&script);
    assert_eq!((shown.witness, threads(&shown)), (Witness::CoPending, vec![0, 0, 2]));
}

#[test]
fn message_passing_without_order_names_the_accesses_to_blame() {
    let mut script = Script::two_threads();
    script.write(T1, X).store(T1, Relaxed).load(T2, Relaxed).read(T2, X);
    let shown = only(&script);
    assert_eq!(shown.witness, Witness::MemoryOrder);
    assert_eq!(shown.missing, Some((EventIndex(2), EventIndex(3))));
    assert_eq!(shown.steps.len(), 4);
}

#[test]
fn of_a_chain_the_weak_link_is_named() {
    let mut script = Script::two_threads();
    script
        .write(T1, X)
        .event(T1, Operation::Mutex(MutexOperation::Lock(M)))
        .event(T1, Operation::Mutex(MutexOperation::Unlock(M)));
    script
        .event(MAIN, Operation::Mutex(MutexOperation::Lock(M)))
        .event(MAIN, Operation::Mutex(MutexOperation::Unlock(M)))
        .store(MAIN, Release);
    script.load(T2, Relaxed).read(T2, X);
    let shown = only(&script);
    assert_eq!((shown.witness, shown.missing), (Witness::MemoryOrder, Some((EventIndex(6), EventIndex(7)))));
}

#[test]
fn an_order_by_chance_is_undone() {
    // T1's critical section comes first, but its write comes after it: nothing orders the writes.
    let mut script = Script::two_threads();
    script
        .event(T1, Operation::Mutex(MutexOperation::Lock(M)))
        .event(T1, Operation::Mutex(MutexOperation::Unlock(M)))
        .write(T1, X);
    script
        .event(T2, Operation::Mutex(MutexOperation::Lock(M)))
        .event(T2, Operation::Mutex(MutexOperation::Unlock(M)))
        .write(T2, X);
    let shown = only(&script);
    // T1's unlock is in the past of T2's lock, so it cannot be moved behind it; T2's unlock is last anyway.
    assert_eq!((shown.witness, threads(&shown)), (Witness::CoPending, vec![0, 0, 1, 1, 2, 2]));
}

#[test]
fn visible_accesses_are_the_last_two_steps() {
    let mut script = Script::two_threads();
    script
        .event(T1, Operation::Memory(MemoryOperation::Write(X)))
        .event(T1, Operation::Control(ControlOperation::Yield))
        .event(T2, Operation::Control(ControlOperation::Yield));
    script.event(T2, Operation::Memory(MemoryOperation::Read(X)));
    let shown = only(&script);
    assert_eq!((shown.witness, threads(&shown)), (Witness::CoPending, vec![0, 0, 2, 1, 2]));
}

#[test]
fn a_visible_access_behind_another_conflict_is_ordered_in_this_trace() {
    // T2's second read sees the write in its own past, its first one is what meets the write.
    let mut script = Script::two_threads();
    script
        .event(T1, Operation::Memory(MemoryOperation::Write(X)))
        .event(T2, Operation::Memory(MemoryOperation::Read(X)))
        .event(T2, Operation::Memory(MemoryOperation::Read(X)));
    let shown: Vec<_> = script.races().iter().map(|race| show(&script.trace, race, script.races()).witness).collect();
    assert_eq!(shown, [Witness::CoPending, Witness::MemoryOrder]);
}

#[test]
fn a_pending_access_is_taken_last_unless_its_thread_is_parked() {
    for (status, expected) in [(PendingStatus::Enabled, vec![0, 0, 1, 2]), (PendingStatus::Parked, vec![0, 0, 1])] {
        let mut script = Script::two_threads();
        script
            .event(T1, Operation::Memory(MemoryOperation::Write(X)))
            .event(MAIN, Operation::Control(ControlOperation::Yield));
        script.pending(T2, Operation::Memory(MemoryOperation::Read(X)), status);
        script.detector.finish(&script.trace, None);
        let shown = only(&script);
        assert_eq!((shown.witness, threads(&shown)), (Witness::CoPending, expected));
    }
}

#[test]
fn a_joined_thread_still_meets_a_third_one() {
    let mut script = Script::two_threads();
    script
        .event(T1, Operation::Control(ControlOperation::Yield))
        .write(T1, X)
        .event(T1, Operation::Thread(ThreadOperation::Exit(None)))
        .event(MAIN, Operation::Thread(ThreadOperation::Join(T1)));
    script.event(T2, Operation::Control(ControlOperation::Yield)).write(T2, X);
    assert_eq!(only(&script).witness, Witness::CoPending);
}

/// Replays the steps of a co-pending witness and sees the same race again.
#[test]
fn the_steps_of_a_co_pending_witness_show_the_race_again() {
    let mut script = Script::two_threads();
    script
        .store(T1, Relaxed)
        .event(T1, Operation::Memory(MemoryOperation::Write(X)))
        .event(T1, Operation::Control(ControlOperation::Yield));
    script.load(MAIN, Acquire).load(T2, Relaxed).event(T2, Operation::Memory(MemoryOperation::Write(X)));
    let shown = only(&script);
    assert_eq!(shown.witness, Witness::CoPending);
    let mut again = Script::new();
    let mut used: Vec<usize> = Vec::new();
    for step in &shown.steps {
        let at = (0..).find(|at| !used.contains(at) && script.trace.events[*at].thread == step.thread).unwrap();
        used.push(at);
        again.event(step.thread, script.trace.events[at].operation);
    }
    // T2's load and the two writes stay; main's load and T1's yield are in neither past.
    assert_eq!(used.len(), script.trace.events.len() - 2);
    let (old, new) = (script.races()[0], again.races()[0]);
    assert_eq!((old.first.thread, old.second.thread, old.range), (new.first.thread, new.second.thread, new.range));
    assert_eq!(again.trace.events.len(), shown.steps.len());
}

#[test]
fn the_accesses_come_last_in_the_order_of_the_trace() {
    // T1's visible write comes first, T2's read belongs to the transition of its yield.
    let mut script = Script::two_threads();
    script.event(T1, Operation::Memory(MemoryOperation::Write(X)));
    script.event(T2, Operation::Control(ControlOperation::Yield)).read(T2, X);
    assert_eq!(threads(&only(&script)), [0, 0, 1, 2]);
    let mut script = Script::two_threads();
    script.event(T2, Operation::Control(ControlOperation::Yield)).read(T2, X);
    script.event(T1, Operation::Memory(MemoryOperation::Write(X)));
    assert_eq!(threads(&only(&script)), [0, 0, 2, 1]);
}
