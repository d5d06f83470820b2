//! What a search that samples learns from its first runs.

use crate::event::{ByteRange, Ending, Footprint, MAX_THREADS, ThreadNumber, ThreadSet, Trace};
use crate::random::Random;
use crate::sample::is_selected;
use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

/// How many objects and locations are kept at most: those that come first.
const MOST: usize = 4096;

/// The length of runs, and which operations they have.
#[derive(Debug, Default)]
pub(super) struct Profile {
    length: u32,
    /// By first byte: the objects and locations that threads have touched.
    touched: BTreeMap<u64, Touched>,
    /// By thread number: who creates it.
    creators: Vec<ThreadNumber>,
}

/// Who touches an object or a location.
#[derive(Debug)]
struct Touched {
    range: ByteRange,
    by: ThreadSet,
    /// Those of them that do more than to read it.
    changed_by: ThreadSet,
    /// By thread number: the largest number of operations on it in a run.
    operations: Vec<u32>,
}

impl Touched {
    /// Whether two threads touch it, one of them to change it.
    fn is_shared(&self) -> bool {
        self.by.len() > 1 && !self.changed_by.is_empty()
    }
}

impl Profile {
    /// How many operations a run is expected to have: at least 1.
    pub(super) fn length(&self) -> u32 {
        self.length.max(1)
    }

    /// Takes in a run. With `operations`, also what its operations touch, which a strategy that selects some of them
    /// needs.
    pub(super) fn learn(&mut self, trace: &Trace, operations: bool) {
        self.length = self.length.max(length(trace));
        if operations {
            self.learn_operations(trace);
        }
    }

    fn learn_operations(&mut self, trace: &Trace) {
        let mut counts: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
        for event in &trace.events {
            if let Some(child) = event.operation.creates() {
                self.creators.resize(self.creators.len().max(child.index() + 1), 0);
                self.creators[child.index()] = event.thread.0;
            }
            for (range, touch) in Footprint::of(&event.operation).iter() {
                if !is_selected(&event.operation, range) || !self.knows(range) {
                    continue;
                }
                let touched = self.touched.get_mut(&{ range.start }).expect("it is known");
                touched.by.insert(event.thread);
                if !touch.only_reads() {
                    touched.changed_by.insert(event.thread);
                }
                let counts = counts.entry(range.start).or_insert_with(|| vec![0; MAX_THREADS]);
                counts[event.thread.index()] += 1;
            }
        }
        for (start, counts) in counts {
            let operations = &mut self.touched.get_mut(&start).expect("it is known").operations;
            operations.iter_mut().zip(counts).for_each(|(most, count)| *most = count.max(*most));
        }
    }

    /// Whether there is an entry for what begins where `range` does; makes one if there is room.
    fn knows(&mut self, range: ByteRange) -> bool {
        if self.touched.len() >= MOST && !self.touched.contains_key(&{ range.start }) {
            return false;
        }
        let empty =
            || Touched { range, by: ThreadSet::EMPTY, changed_by: ThreadSet::EMPTY, operations: vec![0; MAX_THREADS] };
        let touched = self.touched.entry(range.start).or_insert_with(empty);
        touched.range.len = { touched.range.len }.max(range.len);
        true
    }

    /// Draws what two threads conflict on, and writes into `weights` how many operations on it each thread is expected
    /// to take, itself or by the threads that it creates.
    pub(super) fn select(&self, random: &mut Random, weights: &mut Vec<u32>) -> Option<ByteRange> {
        let shared = || self.touched.values().filter(|touched| touched.is_shared());
        let number = shared().count();
        if number == 0 {
            return None;
        }
        let drawn = shared().nth(random.index(number as u32) as usize)?;
        weights.clear();
        weights.extend_from_slice(&drawn.operations);
        // A thread has a greater number than its creator.
        for thread in (1..self.creators.len()).rev() {
            weights[self.creators[thread] as usize] += weights[thread];
        }
        Some(drawn.range)
    }
}

/// How many operations of a run a strategy is to order. Of a run that was cut, the operations at the end that one
/// thread executed alone do not count, and at most a tenth of the run does: if that thread never ends, a strategy that
/// prefers it keeps all others from running for the expected length.
fn length(trace: &Trace) -> u32 {
    let events = &trace.events;
    if !matches!(trace.ending, Ending::Limit(_)) {
        return events.len() as u32;
    }
    let last = events.last().map(|last| last.thread);
    let alone = events.iter().rev().take_while(|event| Some(event.thread) == last).count();
    (events.len() - alone).min(events.len() / 10) as u32
}
