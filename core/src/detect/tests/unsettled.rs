//! What is hashed of happens-before, by its claim: after executions with equal hashes, the same later events race.

use super::PART;
use super::script::{FLAG, M, MAIN, T1, T2, X};
use crate::detect::{PagedShadow, RaceDetector};
use crate::event::MemoryOrder::{Acquire, AcquireRelease, Relaxed, Release, SequentiallyConsistent};
use crate::event::{
    Alternatives, ControlOperation, Event, MemoryOperation, MemoryOrder, MutexOperation, Operation, SiteId, ThreadId,
    ThreadOperation, ThreadSet,
};
use crate::random::Random;
use std::collections::BTreeMap;

/// Sequences of steps that are compared.
const SEQUENCES: usize = 40_000 / PART;
/// Later steps with which two sequences of equal hashes are compared.
const SUFFIXES: u64 = 20;

#[derive(Clone, Copy, PartialEq, Debug)]
enum Step {
    Event(ThreadId, Operation),
    Fence(ThreadId, MemoryOrder),
    /// The memory of `X` becomes a block of the heap.
    Allocation(ThreadId),
    /// The block is freed.
    Release(ThreadId),
    /// The memory of `X` is used as a synchronisation object.
    Use(ThreadId),
}

fn step(random: &mut Random) -> Step {
    const ORDERS: [MemoryOrder; 5] = [Relaxed, Acquire, Release, AcquireRelease, SequentiallyConsistent];
    let thread = [MAIN, T1, T2][random.below(3) as usize];
    let order = ORDERS[random.below(5) as usize];
    let operation = match random.below(13) {
        0 => return Step::Fence(thread, order),
        10 => return Step::Allocation(thread),
        11 => return Step::Release(thread),
        12 => return Step::Use(thread),
        1 => Operation::Memory(MemoryOperation::Read(X)),
        2 | 3 => Operation::Memory(MemoryOperation::Write(X)),
        4 => Operation::Mutex(MutexOperation::Lock(M)),
        5 => Operation::Mutex(MutexOperation::Unlock(M)),
        6 => Operation::Memory(MemoryOperation::AtomicUpdate { range: FLAG, order, wrote: true }),
        7 => Operation::Memory(MemoryOperation::Write(FLAG)),
        8 => Operation::Memory(MemoryOperation::AtomicLoad(FLAG, order)),
        _ => Operation::Memory(MemoryOperation::AtomicStore(FLAG, order)),
    };
    Step::Event(thread, operation)
}

fn steps(random: &mut Random, most: u64) -> Vec<Step> {
    (0..1 + random.below(most)).map(|_| step(random)).collect()
}

fn event(thread: ThreadId, operation: Operation) -> Event {
    let (alternatives, enabled) = (Alternatives::None, ThreadSet::EMPTY);
    Event { thread, operation, choice: 0, alternatives, enabled, enabled_by: None, site: site(thread) }
}

fn site(thread: ThreadId) -> SiteId {
    SiteId(u64::from(thread.0) + 1)
}

/// Takes in a step. Returns whether it races with an earlier one. An access that is no event comes after one: a second
/// access in the same step of its thread is not looked at again.
fn take(detector: &mut RaceDetector<PagedShadow>, step: Step) -> bool {
    if let Step::Allocation(thread) | Step::Release(thread) | Step::Use(thread) = step {
        detector.on_event(&event(thread, Operation::Control(ControlOperation::Yield)));
    }
    match step {
        Step::Event(thread, operation) => detector.on_event(&event(thread, operation)),
        Step::Release(thread) => detector.on_free(thread, X, site(thread)),
        Step::Use(thread) => detector.on_object(thread, X, false, site(thread)),
        Step::Fence(thread, order) => {
            detector.on_fence(thread, order);
            false
        }
        Step::Allocation(thread) => {
            detector.on_alloc(thread, X, site(thread));
            false
        }
    }
}

/// The hash after these steps.
fn run(detector: &mut RaceDetector<PagedShadow>, steps: &[Step]) -> u128 {
    detector.begin();
    for thread in [T1, T2] {
        take(detector, Step::Event(MAIN, Operation::Thread(ThreadOperation::Create(thread))));
    }
    steps.iter().for_each(|&step| {
        take(detector, step);
    });
    let threads: ThreadSet = [MAIN, T1, T2].into_iter().collect();
    detector.unsettled(threads, threads, &|_| ThreadSet::EMPTY)
}

#[test]
fn after_equal_hashes_the_same_later_events_race() {
    let mut random = Random(7);
    let mut detector = RaceDetector::new(PagedShadow::new());
    detector.note_granules(None);
    let mut by_hash: BTreeMap<u128, Vec<Step>> = BTreeMap::new();
    let (mut compared, mut raced) = (0, 0);
    for _ in 0..SEQUENCES {
        let one = steps(&mut random, 6);
        let hash = run(&mut detector, &one);
        let other = by_hash.entry(hash).or_insert_with(|| one.clone()).clone();
        if other == one {
            continue;
        }
        compared += 1;
        for _ in 0..SUFFIXES {
            let later = steps(&mut random, 3);
            let [mine, theirs] = [&one, &other].map(|steps| {
                assert_eq!(run(&mut detector, steps), hash, "the hash does not depend on the run before");
                later.iter().map(|&step| take(&mut detector, step)).collect::<Vec<bool>>()
            });
            assert_eq!(mine, theirs, "{later:?} after {one:?} and after {other:?}");
            raced += usize::from(mine.contains(&true));
        }
    }
    assert!(compared > 5_000 / PART, "{compared} pairs have equal hashes");
    assert!(raced > 5_000 / PART, "{raced} times a later event races");
}

#[test]
fn steps_that_commute_have_equal_hashes() {
    let mut detector = RaceDetector::new(PagedShadow::new());
    detector.note_granules(None);
    let write = Step::Event(T1, Operation::Memory(MemoryOperation::Write(X)));
    let store = Step::Event(T2, Operation::Memory(MemoryOperation::AtomicStore(FLAG, Release)));
    assert_eq!(run(&mut detector, &[write, store]), run(&mut detector, &[store, write]));
}

#[test]
fn who_stored_last_tells_executions_apart_if_only_one_released() {
    let mut detector = RaceDetector::new(PagedShadow::new());
    detector.note_granules(None);
    let write = Step::Event(T1, Operation::Memory(MemoryOperation::Write(X)));
    let store = |thread, order| Step::Event(thread, Operation::Memory(MemoryOperation::AtomicStore(FLAG, order)));
    let (released, relaxed) = (store(T1, Release), store(T2, Relaxed));
    assert_ne!(run(&mut detector, &[write, released, relaxed]), run(&mut detector, &[write, relaxed, released]));
}
