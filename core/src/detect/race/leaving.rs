//! Leaving synchronisation objects.
//!
//! A thread that was released at an object (the round of its barrier is complete, its wait for a condition variable is
//! over) uses the object once more before its call returns: the C library counts those who leave. So whoever frees the
//! object's memory has to know that they have left. Destroying the object is enough: the C library waits there until
//! all have left, and needs no other order between the two.
//!
//! A leaving is therefore an atomic read that is forgotten when the object is destroyed. An access that is not ordered
//! with the leaving but comes after the object was destroyed is ordered after the destroying, or races with that.

use super::{AccessKind, RaceDetector};
use crate::detect::shadow::{Cell, LEAVING, SPILLED, Shadow, ShadowRecord};
use crate::event::{ByteRange, SiteId, ThreadId};
use crate::order::c11::granules;

impl<S: Shadow> RaceDetector<S> {
    /// A thread leaves an object at which it was released: an access that is not an event. Returns whether it races
    /// with an earlier access.
    #[inline]
    pub fn on_leaving(&mut self, thread: ThreadId, range: ByteRange, site: SiteId) -> bool {
        self.note_beside(range);
        self.access(thread, range, AccessKind::Leave, site)
    }

    /// An object was destroyed in this memory: all that were released at it have left.
    pub fn forget_leavings(&mut self, range: ByteRange) {
        let floor = self.c11.floor();
        for (granule, _) in granules(range) {
            let [first, second] = self.shadow.cell(granule).records;
            if second.stamp >= floor && second.has(SPILLED) {
                let list = &mut self.spill[second.site().0 as usize];
                list.retain(|record| !record.has(LEAVING));
                let latest = list.last().copied().unwrap_or(Cell::EMPTY.records[0]);
                self.shadow.set(granule, latest, second);
                continue;
            }
            let is_leaving = |record: ShadowRecord| record.stamp > floor && record.has(LEAVING);
            match (is_leaving(first), is_leaving(second)) {
                (false, false) => {}
                (false, true) => self.shadow.set(granule, first, Cell::EMPTY.records[0]),
                (true, false) => self.shadow.set(granule, second, Cell::EMPTY.records[0]),
                (true, true) => self.shadow.set(granule, Cell::EMPTY.records[0], Cell::EMPTY.records[0]),
            }
        }
    }
}
