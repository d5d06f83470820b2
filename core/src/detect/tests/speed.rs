//! Prints what the calls of the race detector cost:
//! `cargo test --release -p inspect-core speed -- --ignored --nocapture`.

use super::script::{FLAG, M, MAIN, Script, T1, T2, X};
use crate::event::{
    Alternatives, ByteRange, ControlOperation, Event, MemoryOperation, MemoryOrder, MutexOperation, Operation, SiteId,
    ThreadId, ThreadOperation, ThreadSet,
};
use std::hint::black_box;

/// Time this thread spent on a processor, so that a busy machine does not count.
fn processor_time() -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    text.split_whitespace().next().unwrap().parse().unwrap()
}

fn nanoseconds(what: &str, rounds: u32, calls_a_round: u32, mut round: impl FnMut()) {
    let start = processor_time();
    (0..rounds).for_each(|_| round());
    let each = (processor_time() - start) as f64 / f64::from(rounds) / f64::from(calls_a_round);
    println!("{what:50} {each:7.2} ns");
}

fn event(thread: ThreadId, operation: Operation) -> Event {
    let (choice, alternatives, enabled, enabled_by) = (0, Alternatives::None, ThreadSet::EMPTY, None);
    Event { thread, operation, choice, alternatives, enabled, enabled_by, site: SiteId(5) }
}

#[test]
#[ignore = "prints times; meant for release builds"]
fn speed() {
    let mut script = Script::two_threads();
    let detector = &mut script.detector;
    nanoseconds("plain access, known to the step", 10_000, 1000, || {
        (0..1000).for_each(|_| _ = detector.on_plain(black_box(T1), black_box(X), false, SiteId(1)));
    });
    let array = |i: u64| ByteRange { start: 0x10000 + i * 8, len: 8 };
    nanoseconds("plain access, array of 512, known to the step", 10_000, 512, || {
        (0..512).for_each(|i| _ = detector.on_plain(black_box(T1), black_box(array(i)), true, SiteId(1)));
    });
    nanoseconds("lock, access, unlock by turns, each", 100_000, 4, || {
        for thread in [T1, T2] {
            detector.on_event(&event(thread, Operation::Mutex(MutexOperation::Lock(M))));
            detector.on_plain(thread, X, true, SiteId(1));
            detector.on_event(&event(thread, Operation::Mutex(MutexOperation::Unlock(M))));
        }
    });
    nanoseconds("release store, acquire load, each", 100_000, 2, || {
        detector.on_event(&event(T1, Operation::Memory(MemoryOperation::AtomicStore(FLAG, MemoryOrder::Release))));
        detector.on_event(&event(T2, Operation::Memory(MemoryOperation::AtomicLoad(FLAG, MemoryOrder::Acquire))));
    });
    nanoseconds("event without memory", 10_000, 50, || {
        detector.begin();
        (0..50).for_each(|_| _ = detector.on_event(&event(MAIN, Operation::Control(ControlOperation::Yield))));
    });
    detector.begin();
    detector.on_event(&event(MAIN, Operation::Thread(ThreadOperation::Create(T1))));
    detector.on_event(&event(MAIN, Operation::Thread(ThreadOperation::Create(T2))));
    script.expect(0);
    let detector = &mut script.detector;
    nanoseconds("first access of a step, array of 512", 10_000, 512, || {
        detector.begin();
        detector.on_event(&event(MAIN, Operation::Thread(ThreadOperation::Create(T1))));
        (0..512).for_each(|i| _ = detector.on_plain(black_box(T1), black_box(array(i)), true, SiteId(1)));
    });
    nanoseconds("block of 16 KiB, first access of a step, each 8 bytes", 1_000, 2048, || {
        detector.begin();
        detector.on_event(&event(MAIN, Operation::Thread(ThreadOperation::Create(T1))));
        detector.on_plain(black_box(T1), black_box(ByteRange { start: 0x10000, len: 16 << 10 }), true, SiteId(1));
    });
    let atomics = |i: u64| {
        let range = ByteRange { start: FLAG.start + i * 8, len: 4 };
        let store =
            event(T1, Operation::Memory(MemoryOperation::AtomicStore(range, MemoryOrder::SequentiallyConsistent)));
        [store, event(T2, Operation::Memory(MemoryOperation::AtomicLoad(range, MemoryOrder::SequentiallyConsistent)))]
    };
    let events: Vec<Event> = (0..25).flat_map(atomics).collect();
    nanoseconds("run of 2 creates and 50 atomic events", 10_000, 1, || {
        detector.begin();
        detector.on_event(&event(MAIN, Operation::Thread(ThreadOperation::Create(T1))));
        detector.on_event(&event(MAIN, Operation::Thread(ThreadOperation::Create(T2))));
        events.iter().for_each(|event| _ = detector.on_event(event));
    });
}
