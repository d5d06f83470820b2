//! An access to a large range is what accesses to each 8 bytes of it are.

use super::PART;
use super::script::{FLAG, M, MAIN, T1, T2};
use crate::detect::race::SavedDetector;
use crate::detect::{PagedShadow, Race, RaceDetector};
use crate::event::{
    Alternatives, ByteRange, Event, MemoryOperation, MemoryOrder, MutexOperation, Operation, SiteId, ThreadId,
    ThreadOperation, ThreadSet,
};
use crate::random::Random;
use std::collections::BTreeMap;

/// Memory of three pages of the shadow, and somewhat more.
const START: u64 = 0x1_0000;
const LEN: u64 = 3 * 4096 + 100;

#[derive(Clone, Copy, Debug)]
enum Step {
    Access { thread: ThreadId, range: ByteRange, write: bool },
    Event(ThreadId, Operation),
    Save,
    RollBack,
    NextRun,
}

fn step(random: &mut Random) -> Step {
    let thread = [MAIN, T1, T2][random.below(3) as usize];
    match random.below(16) {
        0 => Step::Event(thread, Operation::Mutex(MutexOperation::Lock(M))),
        1 => Step::Event(thread, Operation::Mutex(MutexOperation::Unlock(M))),
        2 => Step::Event(
            thread,
            Operation::Memory(MemoryOperation::AtomicUpdate {
                range: FLAG,
                order: MemoryOrder::AcquireRelease,
                wrote: true,
            }),
        ),
        3 => Step::Save,
        4 => Step::RollBack,
        5 if random.below(4) == 0 => Step::NextRun,
        _ => {
            let start = START + random.below(LEN);
            let most = if random.below(3) == 0 { 24 } else { START + LEN - start };
            let len = 1 + random.below(most.min(START + LEN - start)) as u32;
            Step::Access { thread, range: ByteRange { start, len }, write: random.below(3) != 0 }
        }
    }
}

struct Fed {
    detector: RaceDetector<PagedShadow>,
    saved: Option<SavedDetector>,
    piecewise: bool,
}

impl Fed {
    fn new(piecewise: bool) -> Self {
        let mut fed = Fed { detector: RaceDetector::new(PagedShadow::new()), saved: None, piecewise };
        fed.begin();
        fed
    }

    fn begin(&mut self) {
        self.detector.begin();
        self.saved = None;
        for child in [T1, T2] {
            self.event(MAIN, Operation::Thread(ThreadOperation::Create(child)));
        }
    }

    fn event(&mut self, thread: ThreadId, operation: Operation) {
        let (alternatives, enabled, site) = (Alternatives::None, ThreadSet::EMPTY, SiteId(9));
        self.detector.on_event(&Event { thread, operation, choice: 0, alternatives, enabled, enabled_by: None, site });
    }

    fn take(&mut self, step: Step) {
        match step {
            Step::Access { thread, range, write } => {
                let site = SiteId(u64::from(thread.0) * 2 + u64::from(write) + 1);
                let mut rest = range;
                while rest.len > 0 {
                    let whole = rest.len.min(8 - (rest.start % 8) as u32);
                    let len = if self.piecewise { whole } else { rest.len };
                    self.detector.on_plain(thread, ByteRange { start: rest.start, len }, write, site);
                    rest = ByteRange { start: rest.start + u64::from(len), len: rest.len - len };
                }
            }
            Step::Event(thread, operation) => self.event(thread, operation),
            Step::Save => {
                let mut saved = SavedDetector::default();
                self.saved = self.detector.save(&mut saved).then_some(saved);
            }
            Step::RollBack => {
                if let Some(saved) = &self.saved {
                    assert!(self.detector.resume(saved), "nothing has forgotten the mark");
                }
            }
            Step::NextRun => self.begin(),
        }
    }
}

/// The bytes that race, by the two accesses.
fn bytes(races: &[Race]) -> BTreeMap<String, Vec<u64>> {
    let mut bytes: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for Race { first, second, range } in races {
        bytes.entry(format!("{first:?} {second:?}")).or_default().extend(range.start..range.end());
    }
    bytes.values_mut().for_each(|bytes| {
        bytes.sort_unstable();
        bytes.dedup();
    });
    bytes
}

#[test]
fn a_large_range_races_where_its_pieces_do() {
    let mut racy = 0;
    for seed in 0..80 / PART as u64 {
        let mut random = Random(seed);
        let (mut whole, mut pieces) = (Fed::new(false), Fed::new(true));
        let mut steps = Vec::new();
        for _ in 0..40 {
            let step = step(&mut random);
            steps.push(step);
            whole.take(step);
            pieces.take(step);
            let [races, expected] = [&whole, &pieces].map(|fed| bytes(fed.detector.races()));
            assert_eq!(races, expected, "seed {seed}: {steps:?}");
            racy += usize::from(!races.is_empty());
        }
    }
    assert!(racy > 80 / PART, "{racy} of the steps have races before them");
}
