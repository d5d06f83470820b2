//! What of the happens-before relation can still decide whether a later access races, hashed: for searches that compare
//! states.
//!
//! Whether an access races with an earlier one depends on whether the thread that makes it happens after that one. For
//! each stored access that a running thread may still race with, the hash has the access (place, kind, thread) and the
//! clocks that include it: those of threads, of their fences and relaxed reads, and of what was released. Acquiring and
//! releasing joins clocks, and a joined clock includes a step if and only if one of the two does. So in two executions
//! with equal hashes, the same later events make the same accesses race with the stored ones.
//!
//! Left out are accesses that all running threads happen after: nothing that follows races with them. Of an atomic
//! write it stays that it was made, as a plain write behind it ends release sequences.

use super::RaceDetector;
use crate::detect::shadow::{PLAIN, SPILLED, Shadow, ShadowRecord, WRITE};
use crate::event::{ByteRange, EventIndex, ThreadSet};
use crate::hash::Mixer;
use crate::order::c11::{Holders, granules, includes};
use alloc::vec::Vec;

/// Where accesses are noted.
#[derive(Debug)]
pub(super) struct Noted {
    /// The granules of the run's accesses, in ascending order.
    pub(super) granules: Vec<u64>,
    /// Where plain accesses are operations; `None`: everywhere. What other accesses race with, they race with there.
    visible: Option<Vec<ByteRange>>,
}

/// An access that can still race.
struct Unsettled {
    record: ShadowRecord,
    /// Its hash.
    key: u128,
}

impl<S: Shadow> RaceDetector<S> {
    /// From now on notes where [`unsettled`](Self::unsettled) has to look: where operations access memory, and where
    /// other accesses are made (uses of an object, an allocation, a release) in the `visible` ranges, in which plain
    /// accesses are operations; `None`: everywhere. To be called before a run begins.
    pub fn note_granules(&mut self, visible: Option<Vec<ByteRange>>) {
        self.noted = Some(Noted { granules: Vec::new(), visible });
    }

    /// An operation accesses memory.
    #[cold]
    pub(super) fn note_accessed(&mut self, range: ByteRange) {
        let Some(noted) = &mut self.noted else { return };
        for (granule, _) in granules(range) {
            if let Err(at) = noted.granules.binary_search(&granule) {
                noted.granules.insert(at, granule);
            }
        }
    }

    /// Memory is accessed other than by an operation.
    #[inline(always)]
    pub(super) fn note_beside(&mut self, range: ByteRange) {
        if self.noted.is_some() {
            self.note_if_visible(range);
        }
    }

    #[cold]
    fn note_if_visible(&mut self, range: ByteRange) {
        let Some(noted) = &self.noted else { return };
        if noted.visible.as_ref().is_none_or(|visible| visible.iter().any(|other| other.overlaps(range))) {
            self.note_accessed(range);
        }
    }

    /// A hash of what can still decide whether one of the `running` threads races with an access so far that is noted.
    /// `threads` and `enabled_by` are those of [`Holders`].
    pub fn unsettled(
        &mut self,
        running: ThreadSet,
        threads: ThreadSet,
        enabled_by: &dyn Fn(EventIndex) -> ThreadSet,
    ) -> u128 {
        let Some(noted) = self.noted.take() else { return 0 };
        let (accesses, mut sum) = self.unsettled_accesses(&noted.granules, running);
        let holders = Holders { threads, enabled_by, granules: &noted.granules };
        self.c11.clocks(&holders, |[kind, number], clock| {
            for access in accesses.iter().filter(|access| includes(clock, access.record.stamp)) {
                sum = sum.wrapping_add(hash([access.key as u64, (access.key >> 64) as u64, kind, number]));
            }
        });
        self.noted = Some(noted);
        sum
    }

    /// The accesses that can still race, and the sum of their hashes and of what stays of the others.
    fn unsettled_accesses(&mut self, noted: &[u64], running: ThreadSet) -> (Vec<Unsettled>, u128) {
        let (mut list, mut sum) = (Vec::new(), 0u128);
        let floor = self.c11.floor();
        for &granule in noted {
            let [first, second] = self.shadow.cell(granule).records;
            let spilled = second.stamp >= floor && second.has(SPILLED);
            let records: &[ShadowRecord] =
                if spilled { &self.spill[second.site().0 as usize] } else { &[first, second] };
            for &record in records.iter().filter(|record| record.stamp > floor) {
                if running.iter().all(|thread| self.c11.knows(thread, record.stamp)) {
                    let is_atomic_write = record.has(WRITE) && !record.has(PLAIN);
                    sum = sum.wrapping_add(if is_atomic_write { written(granule, record) } else { 0 });
                    continue;
                }
                let key = hash([granule, record.info, u64::from(record.stamp.thread().0), 1]);
                sum = sum.wrapping_add(key);
                list.push(Unsettled { record, key });
            }
        }
        (list, sum)
    }
}

/// The hash of an atomic write with which nothing can race any more.
fn written(granule: u64, record: ShadowRecord) -> u128 {
    hash([granule, u64::from(record.mask()), 0, 0])
}

fn hash([a, b, c, d]: [u64; 4]) -> u128 {
    let mut mixer = Mixer::new(a);
    mixer.pair(b, c);
    mixer.word(d);
    mixer.finish()
}
