//! Memory on the stacks of threads whose variables have ended, although it may lie in frames that the thread has now:
//! what another thread accesses there is gone, even if the end happens before the access.
//!
//! The pass announces the end of each variable that other threads may reach, and where the memory is used for one
//! again.

use super::run_data::{RunData, refill};
use alloc::vec::Vec;
use inspect_core::event::ByteRange;
use inspect_core::run::Run;

/// The memory: beginnings and ends of ranges that neither overlap nor touch, in ascending order.
#[derive(Default)]
pub(crate) struct EndedVariables(Vec<(u64, u64)>);

impl EndedVariables {
    /// The first range that does not end before this address.
    fn first_behind(&self, address: u64) -> usize {
        self.0.partition_point(|&(_, end)| end < address)
    }

    /// The variables in this memory have ended.
    pub(super) fn add(&mut self, range: ByteRange) {
        let first = self.first_behind(range.start);
        let after = self.0[first..].iter().take_while(|&&(start, _)| start <= range.end()).count() + first;
        let touched = &self.0[first..after];
        let start = touched.first().map_or(range.start, |&(start, _)| start.min(range.start));
        let end = touched.last().map_or(range.end(), |&(_, end)| end.max(range.end()));
        self.0.splice(first..after, [(start, end)]);
    }

    /// There is a variable in this memory again.
    pub(super) fn remove(&mut self, range: ByteRange) {
        let mut at = self.first_behind(range.start + 1);
        while let Some(&(start, end)) = self.0.get(at).filter(|&&(start, _)| start < range.end()) {
            self.0.remove(at);
            for left in [(start, range.start), (range.end(), end)] {
                if left.0 < left.1 {
                    self.0.insert(at, left);
                    at += 1;
                }
            }
        }
    }

    /// Whether there is no such memory.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a variable has ended in a byte of this memory, and none has begun there since.
    pub(crate) fn touches(&self, range: ByteRange) -> bool {
        self.0.get(self.first_behind(range.start + 1)).is_some_and(|&(start, _)| start < range.end())
    }
}

impl RunData for EndedVariables {
    type Saved = Vec<(u64, u64)>;
    type Left = ();

    fn begin(&mut self, _run: &Run) {
        self.0.clear();
    }

    fn save(&mut self, _run: &Run, saved: &mut Vec<(u64, u64)>) -> bool {
        refill(saved, &self.0);
        true
    }

    fn restore(&mut self, _run: &Run, saved: &Vec<(u64, u64)>) {
        refill(&mut self.0, saved);
    }

    fn leave(&mut self) {}

    fn adopt(&mut self, (): ()) {}
}
