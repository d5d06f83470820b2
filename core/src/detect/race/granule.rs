//! Checks an access against the records of its granule, and determines which of these are kept beside the new record.

use super::RaceDetector;
use crate::detect::shadow::{ALLOC, Cell, FREE, LEAVING, PLAIN, SPILLED, Shadow, ShadowRecord, WRITE};
use crate::event::SiteId;
use crate::order::c11::C11;
use alloc::vec::Vec;

/// The cell of a granule after an access, in the cases that are quick to decide.
pub(super) enum Settled {
    /// It is unchanged: a record of the same step covers the access.
    Known,
    /// The access races with nothing, and this is the new cell.
    As(Cell),
    /// It is not quick to decide: [`touch`](RaceDetector::touch) has to.
    No,
}

/// What becomes of an old record when a new one is added.
enum Beside {
    /// The new one replaces it.
    Gone,
    /// It is kept as it is, and they do not race.
    Kept,
    /// It is not quick to decide.
    Else,
}

/// What is left of an old record beside a new one: only the bytes in which the new one does not replace it. Nothing is
/// left if both differ in their bytes only; then `merged`, which is stored for the new record, gets the bytes of both.
#[inline]
fn absorb(merged: &mut ShadowRecord, new: ShadowRecord, mut old: ShadowRecord, c11: &C11) -> Option<ShadowRecord> {
    const ALL_BUT_MASK: u64 = !0xFF00;
    if old.stamp == new.stamp && old.info & ALL_BUT_MASK == new.info & ALL_BUT_MASK {
        merged.info |= old.info;
        return None;
    }
    let before = || old.stamp.thread() == new.stamp.thread() || c11.knows(new.stamp.thread(), old.stamp);
    if new.has(ALLOC) || (stronger_or_equal(new, old) && before()) {
        old.info &= !(u64::from(new.mask()) << 8);
    }
    (old.mask() != 0).then_some(old)
}

/// Whether `new` conflicts with everything that `old` conflicts with: a plain write with all accesses, a plain read
/// with writes, an atomic write with plain accesses, an atomic read with plain writes. A leaving counts as an atomic
/// read: once the object is destroyed, the leaving is over, and so is what its thread has done to the object before.
fn stronger_or_equal(new: ShadowRecord, old: ShadowRecord) -> bool {
    let writes_as_much = new.has(WRITE) || !old.has(WRITE);
    let as_plain = new.has(PLAIN) || !old.has(PLAIN);
    writes_as_much && as_plain
}

/// What becomes of an old record beside a new one, if that is quick to decide.
#[inline(always)]
fn beside(c11: &C11, old: ShadowRecord, new: ShadowRecord) -> Beside {
    const BYTES: u64 = 0xFF00;
    let ends_release = new.info & (PLAIN | WRITE) == PLAIN | WRITE && old.info & (PLAIN | WRITE) == WRITE;
    if new.has(ALLOC) || ends_release || old.stamp == new.stamp && (old.info ^ new.info) & !BYTES == 0 {
        return Beside::Else;
    }
    let thread = new.stamp.thread();
    if old.stamp.thread() == thread || c11.knows(thread, old.stamp) {
        if !stronger_or_equal(new, old) || old.info & new.info & BYTES == 0 {
            Beside::Kept
        } else if old.info & !new.info & BYTES == 0 {
            Beside::Gone
        } else {
            Beside::Else
        }
    } else {
        let either = old.info | new.info;
        let races = either & WRITE != 0 && either & PLAIN != 0 && old.info & new.info & BYTES != 0;
        if races { Beside::Else } else { Beside::Kept }
    }
}

impl<S: Shadow> RaceDetector<S> {
    /// The cell that [`touch`](Self::touch) would store, if `new` races with nothing and nothing else has to be done.
    #[inline(always)]
    pub(super) fn settled(&self, cell: Cell, new: ShadowRecord) -> Settled {
        // A leaving covers no other read, as it goes when the object is destroyed: its flag is compared inverted.
        const MASK_AND_KIND: u64 = 0xFF00 | PLAIN | WRITE | LEAVING;
        let [first, second] = cell.records;
        let wanted = new.info ^ LEAVING;
        let covered = |old: ShadowRecord| old.stamp == new.stamp && wanted & !(old.info ^ LEAVING) & MASK_AND_KIND == 0;
        if new.info & (FREE | ALLOC) == 0 && (covered(first) || covered(second)) {
            return Settled::Known;
        }
        let floor = self.c11.floor();
        if second.stamp == floor {
            return Settled::No;
        }
        let mut kept = Cell::EMPTY.records[0];
        for old in [first, second] {
            if old.stamp <= floor {
                continue;
            }
            match beside(&self.c11, old, new) {
                Beside::Gone => {}
                Beside::Kept if kept.stamp <= floor => kept = old,
                Beside::Kept | Beside::Else => return Settled::No,
            }
        }
        Settled::As(Cell { records: [new, kept] })
    }

    /// Checks one access against the records of its granule and adds it to them. Returns whether it races.
    pub(super) fn touch(&mut self, granule: u64, new: ShadowRecord) -> bool {
        let [first, second] = self.shadow.cell(granule).records;
        let floor = self.c11.floor();
        if second.stamp >= floor && second.has(SPILLED) {
            return self.touch_spilled(granule, new, second.site().0 as usize);
        }
        let mut merged = new;
        let mut found = false;
        let mut left = |old: ShadowRecord| {
            if old.stamp <= floor {
                return None;
            }
            found |= self.compare(granule, new, old);
            absorb(&mut merged, new, old, &self.c11)
        };
        let (first, second) = (left(first), left(second));
        let (second, both) = match (first, second) {
            (Some(first), Some(second)) => {
                let marker = ShadowRecord::new(floor, SiteId(self.spills as u64), 0, SPILLED);
                (marker, Some([first, second, merged]))
            }
            (Some(one), None) | (None, Some(one)) => (one, None),
            (None, None) => (Cell::EMPTY.records[0], None),
        };
        self.shadow.set(granule, merged, second);
        if let Some(records) = both {
            self.spill_into_next(records);
        }
        found
    }

    /// [`touch`](Self::touch) for a granule whose records are in an overflow list; its cell repeats the latest record
    /// for the fast path.
    fn touch_spilled(&mut self, granule: u64, new: ShadowRecord, number: usize) -> bool {
        let records = &mut self.spill[number];
        let mut left = 0;
        for at in 0..records.len() {
            match beside(&self.c11, records[at], new) {
                Beside::Gone => {}
                Beside::Kept => {
                    records[left] = records[at];
                    left += 1;
                }
                Beside::Else => {
                    records.drain(left..at);
                    return self.compare_spilled(granule, new, number);
                }
            }
        }
        records.truncate(left);
        records.push(new);
        let Cell { records: [_, marker] } = *self.shadow.cell(granule);
        self.shadow.set(granule, new, marker);
        false
    }

    /// [`touch_spilled`](Self::touch_spilled) where what becomes of a record is not quick to decide.
    fn compare_spilled(&mut self, granule: u64, new: ShadowRecord, number: usize) -> bool {
        let mut records = core::mem::take(&mut self.spill[number]);
        let mut merged = new;
        let mut found = false;
        for &old in &records {
            found |= self.compare(granule, new, old);
        }
        let c11 = &self.c11;
        records.retain_mut(|old| match absorb(&mut merged, new, *old, c11) {
            Some(left) => {
                *old = left;
                true
            }
            None => false,
        });
        records.push(merged);
        let Cell { records: [_, marker] } = *self.shadow.cell(granule);
        self.shadow.set(granule, merged, marker);
        self.spill[number] = records;
        found
    }

    #[cold]
    fn spill_into_next(&mut self, records: [ShadowRecord; 3]) {
        if self.spills == self.spill.len() {
            self.spill.push(Vec::new());
        }
        let list = &mut self.spill[self.spills];
        list.clear();
        list.extend(records);
        self.spills += 1;
    }

    /// Reports a record that the new access races with. A plain write also ends the release sequences it overwrites.
    #[inline]
    fn compare(&mut self, granule: u64, new: ShadowRecord, old: ShadowRecord) -> bool {
        let thread = new.stamp.thread();
        if new.has(PLAIN) && new.has(WRITE) && !old.has(PLAIN) && old.has(WRITE) {
            self.c11.overwrite(granule, new.mask());
        }
        let common = old.mask() & new.mask();
        let races = common != 0
            && old.stamp.thread() != thread
            && (old.info | new.info) & WRITE != 0
            && (old.info | new.info) & PLAIN != 0
            // An allocation races with nothing earlier: a late access to the former block races with its release.
            && !new.has(ALLOC)
            && !self.c11.knows(thread, old.stamp);
        if races {
            self.report(granule, common, old, new);
        }
        races
    }
}
