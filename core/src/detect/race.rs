//! Data races, found during a run.
//!
//! Source: Flanagan, Freund, "FastTrack: Efficient and Precise Dynamic Race Detection", PLDI 2009; happens-before is
//! C11's ([`crate::order::c11`]).
//!
//! Two accesses race if they share a byte, at least one of them writes, not both are atomic, and the earlier one does
//! not happen before the later one. Claims: an access races with an earlier one of the run if and only if a race is
//! reported for its thread, step and byte; and every reported pair is a race. This holds for all races of a variable,
//! not only the first.
//!
//! Departures from the paper:
//! - A byte keeps every earlier access that no later one replaces. An access replaces one that happens before it and
//!   that conflicts with nothing that it does not conflict with itself: an access that races with the old one then
//!   races with the new one too. So a byte keeps at most one plain read, one plain write, one atomic read and one
//!   atomic write per thread, usually a single record.
//! - Bytes are exact: records are masks within granules of 8 bytes.
//! - Atomic accesses take part; they race with plain ones only.
//! - `free` counts as a write of the whole block. So does an allocation, but it does not race with earlier accesses:
//!   C17 7.22.3 lets the functions write the storage they allocate and orders a release of memory before its next
//!   allocation. Hence a block that gets to another thread without synchronisation races even if its creator never
//!   wrote to it. Beyond the first 4 KiB of a block this holds for the granules that were accessed in the run.
//! - Operations on mutexes and other synchronisation objects are atomic accesses to the memory of the object, made when
//!   the thread arrives at them: initialising and destroying write, all others read. So they race with plain accesses
//!   only; destroying an object in use is a misuse, not a race.
//! - A thread that leaves an object after it was released at it reads it once more, until the object is destroyed
//!   ([`leaving`]).
//! - What can still decide about races can be hashed ([`unsettled`]), for searches that compare states.

mod granule;
mod leaving;
mod unsettled;

use self::granule::Settled;
use self::unsettled::Noted;
use super::shadow::{ALLOC, Cell, FREE, LEAVING, Mark, PLAIN, Shadow, ShadowRecord, WRITE};
use crate::event::{
    AccessMode, ByteRange, Description, Event, MemoryOrder, Pending, Question, SiteId, ThreadId, Trace,
};
use crate::order::c11::{self, C11, Stamp, TracePosition, granules};
use alloc::vec::Vec;

/// How memory was touched.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum AccessKind {
    /// Plain read.
    Read,
    /// Plain write.
    Write,
    /// Atomic load, or an update that did not write.
    AtomicRead,
    /// Atomic store or update.
    AtomicWrite,
    /// The block was freed.
    Free,
    /// The block was allocated.
    Allocate,
    /// A thread has left a synchronisation object: an atomic read, before which nobody destroys the object.
    Leave,
}

impl AccessKind {
    fn flags(self) -> u64 {
        match self {
            AccessKind::Read => PLAIN,
            AccessKind::Write => PLAIN | WRITE,
            AccessKind::AtomicRead => 0,
            AccessKind::AtomicWrite => WRITE,
            AccessKind::Free => PLAIN | WRITE | FREE,
            AccessKind::Allocate => PLAIN | WRITE | ALLOC,
            AccessKind::Leave => LEAVING,
        }
    }

    fn of(record: ShadowRecord) -> Self {
        match (record.has(WRITE), record.has(PLAIN)) {
            _ if record.has(FREE) => AccessKind::Free,
            _ if record.has(ALLOC) => AccessKind::Allocate,
            _ if record.has(LEAVING) => AccessKind::Leave,
            (false, true) => AccessKind::Read,
            (true, true) => AccessKind::Write,
            (false, false) => AccessKind::AtomicRead,
            (true, false) => AccessKind::AtomicWrite,
        }
    }
}

impl From<AccessMode> for AccessKind {
    #[inline]
    fn from(access: AccessMode) -> Self {
        match access {
            AccessMode::Read => AccessKind::Read,
            AccessMode::Write => AccessKind::Write,
            AccessMode::AtomicRead | AccessMode::AtomicCompare => AccessKind::AtomicRead,
            AccessMode::AtomicWrite => AccessKind::AtomicWrite,
        }
    }
}

/// One side of a race.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RacingAccess {
    /// The thread that makes it.
    pub thread: ThreadId,
    /// Where in the source.
    pub site: SiteId,
    /// What kind of access it is.
    pub kind: AccessKind,
    /// When. An event past the end of the trace is the operation that is pending for the thread.
    pub moment: TracePosition,
}

/// Two conflicting accesses, not both atomic, unordered by C11 happens-before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Race {
    /// The access made first in this run.
    pub first: RacingAccess,
    /// The other one.
    pub second: RacingAccess,
    /// The bytes both of them touch.
    pub range: ByteRange,
}

/// Races kept for one run; a run with more of them says so ([`RaceDetector::overflowed`]).
const MAX_RACES: usize = 1024;

/// How many bytes of a block its allocation and release write in any case. Of the rest they write only the granules
/// that were accessed in the run, so that a large block costs no more than its use.
const BLOCK_HEAD: u32 = 4096;

/// Looks for data races in one run after the other.
///
/// Costs: [`on_plain`](Self::on_plain) takes one look-up in the shadow and three comparisons if the thread has made the
/// same access in its present step, otherwise about 5 ns a granule, plus 1 ns for each further record of the granule.
/// [`begin`](Self::begin) takes constant time. Nothing is allocated once lists have grown.
#[derive(Debug)]
pub struct RaceDetector<S> {
    c11: C11,
    shadow: S,
    /// Records of granules with more than two. The first `spills` are of this run.
    spill: Vec<Vec<ShadowRecord>>,
    spills: usize,
    races: Vec<Race>,
    overflowed: bool,
    /// Where accesses of the run matter that are hashed, if they are.
    noted: Option<Noted>,
}

/// The detector in the middle of a run, to resume from.
#[derive(Clone, Debug, Default)]
pub struct SavedDetector {
    c11: c11::SavedC11,
    mark: Mark,
    /// The first `spills` are in use; the others are memory for later ones.
    spill: Vec<Vec<ShadowRecord>>,
    spills: usize,
    races: Vec<Race>,
    overflowed: bool,
    granules: Vec<u64>,
}

/// Takes in an event, which is looked at once for all that its operation does. The answer: whether it races with an
/// earlier access.
struct TakeIn<'a, S> {
    detector: &'a mut RaceDetector<S>,
    event: &'a Event,
}

impl<S: Shadow> Question<bool> for TakeIn<'_, S> {
    #[inline(always)]
    fn ask(self, operation: impl Description) -> bool {
        let TakeIn { detector, event: &Event { thread, enabled_by, site, .. } } = self;
        detector.c11.before(thread, operation.acquires(), enabled_by);
        let found = match operation.access() {
            Some((range, access)) => {
                if detector.noted.is_some() {
                    detector.note_accessed(range);
                }
                detector.access(thread, range, access.into(), site)
            }
            None => false,
        };
        detector.c11.after(thread, operation.releases());
        found
    }
}

impl<S: Shadow> RaceDetector<S> {
    /// Saves the detector as it is; false if its shadow cannot be rolled back to this moment. Reuses the memory of
    /// `saved`.
    pub fn save(&mut self, saved: &mut SavedDetector) -> bool {
        let Some(mark) = self.shadow.mark() else { return false };
        saved.mark = mark;
        self.c11.save(&mut saved.c11);
        let spill = &self.spill[..self.spills];
        saved.spill.resize_with(saved.spill.len().max(spill.len()), Vec::new);
        saved.spills = spill.len();
        saved.spill[..spill.len()].clone_from_slice(spill);
        saved.races.clone_from(&self.races);
        saved.overflowed = self.overflowed;
        saved.granules.clear();
        saved.granules.extend(self.noted.iter().flat_map(|noted| &noted.granules));
        true
    }

    /// Goes on from an earlier moment of the present run, or of the last run if that went through it. False if that is
    /// not possible any more; then a run has to [`begin`](Self::begin) from its start.
    pub fn resume(&mut self, saved: &SavedDetector) -> bool {
        if !self.shadow.roll_back(saved.mark) {
            return false;
        }
        self.c11.resume(&saved.c11);
        self.spills = saved.spills;
        self.spill[..self.spills].clone_from_slice(&saved.spill[..saved.spills]);
        self.races.clone_from(&saved.races);
        self.overflowed = saved.overflowed;
        self.noted.iter_mut().for_each(|noted| noted.granules.clone_from(&saved.granules));
        true
    }

    /// Nothing that was saved will be resumed any more.
    pub fn forget_saved(&mut self) {
        self.shadow.forget_marks();
    }

    /// A detector before the first run, with an empty shadow.
    pub fn new(shadow: S) -> Self {
        RaceDetector {
            c11: C11::new(),
            shadow,
            spill: Vec::new(),
            spills: 0,
            races: Vec::new(),
            overflowed: false,
            noted: None,
        }
    }

    /// A run begins.
    pub fn begin(&mut self) {
        self.c11.begin();
        self.spills = 0;
        self.races.clear();
        self.overflowed = false;
        self.noted.iter_mut().for_each(|noted| noted.granules.clear());
    }

    /// The races of this run so far, each pair of sites once for a range.
    pub fn races(&self) -> &[Race] {
        &self.races
    }

    /// Whether there were more races in this run than are kept. Then promoting the locations of the kept ones is not
    /// enough for the verdict `verified`.
    pub fn overflowed(&self) -> bool {
        self.overflowed
    }

    /// How many events of the run have been taken in.
    pub fn events(&self) -> u32 {
        self.c11.events()
    }

    /// Takes in the next event of the trace. Returns whether it races with an earlier access.
    pub fn on_event(&mut self, event: &Event) -> bool {
        event.operation.answer(TakeIn { detector: self, event })
    }

    /// A plain access that is not an event. Returns whether it races with an earlier access.
    #[inline]
    pub fn on_plain(&mut self, thread: ThreadId, range: ByteRange, write: bool, site: SiteId) -> bool {
        let kind = if write { AccessKind::Write } else { AccessKind::Read };
        self.access(thread, range, kind, site)
    }

    /// The memory of a synchronisation object is used, or the object initialised or destroyed (`write`): an atomic
    /// access that is not an event. Returns whether it races with an earlier access.
    #[inline]
    pub fn on_object(&mut self, thread: ThreadId, range: ByteRange, write: bool, site: SiteId) -> bool {
        let kind = if write { AccessKind::AtomicWrite } else { AccessKind::AtomicRead };
        self.note_beside(range);
        self.access(thread, range, kind, site)
    }

    /// Whether an access to one of these bytes was made in this run.
    pub fn has_accessed(&mut self, range: ByteRange) -> bool {
        granules(range).any(|(granule, _)| self.shadow.cell(granule).records[0].stamp > self.c11.floor())
    }

    /// A fence, which is not an event.
    pub fn on_fence(&mut self, thread: ThreadId, order: MemoryOrder) {
        self.c11.fence(thread, order);
    }

    /// `thread` gets a block for a new use: of the heap, or memory of another kind (a stack, a mapping).
    ///
    /// If another thread released the memory, that release has to happen before this step.
    pub fn on_alloc(&mut self, thread: ThreadId, range: ByteRange, site: SiteId) {
        self.c11.forget_objects(range);
        self.block(thread, range, AccessKind::Allocate, site);
    }

    /// A block is freed, or resized by `realloc` (before the contents move). Returns whether that races.
    pub fn on_free(&mut self, thread: ThreadId, range: ByteRange, site: SiteId) -> bool {
        self.block(thread, range, AccessKind::Free, site)
    }

    /// The run is over. The accesses pending at its end are checked as well, as each of them could have been the next
    /// step or is made again and again by a thread that spins. `except` is a thread whose next operation is not known.
    pub fn finish(&mut self, trace: &Trace, except: Option<ThreadId>) {
        debug_assert_eq!(self.c11.events() as usize, trace.events.len(), "every event was taken in");
        for &Pending { thread, operation, enabled_by, site, .. } in &trace.pending {
            if except == Some(thread) {
                continue;
            }
            if let Some((range, access)) = operation.access() {
                self.c11.before(thread, operation.acquires(), enabled_by);
                self.access(thread, range, access.into(), site);
            }
        }
    }

    fn block(&mut self, thread: ThreadId, range: ByteRange, kind: AccessKind, site: SiteId) -> bool {
        let head = ByteRange { start: range.start, len: range.len.min(BLOCK_HEAD) };
        self.note_beside(head);
        let mut found = self.access(thread, head, kind, site);
        let (mut at, end) = (head.end(), range.end());
        while at < end {
            let granule = self.shadow.next_written(at >> 3);
            at = at.max(granule.saturating_mul(8));
            if at < end {
                let stop = end.min((granule + 1) << 3);
                if self.shadow.cell(granule).records[0].stamp > self.c11.floor() {
                    found |= self.access(thread, ByteRange { start: at, len: (stop - at) as u32 }, kind, site);
                }
                at = stop;
            }
        }
        found
    }

    /// An access: usually one within a granule that races with nothing and leaves at most two records.
    #[inline]
    fn access(&mut self, thread: ThreadId, range: ByteRange, kind: AccessKind, site: SiteId) -> bool {
        let offset = range.start & 7;
        let stamp = self.c11.now(thread);
        debug_assert!(stamp > self.c11.floor(), "the thread was created in this run");
        if offset + u64::from(range.len) <= 8 {
            let mask = ((1u64 << range.len) - 1) << offset;
            let new = ShadowRecord::new(stamp, site, mask as u8, kind.flags());
            let cell = *self.shadow.cell(range.start >> 3);
            match self.settled(cell, new) {
                Settled::Known => return false,
                Settled::As(Cell { records: [latest, other] }) => {
                    self.shadow.set(range.start >> 3, latest, other);
                    return false;
                }
                Settled::No => {}
            }
        }
        self.access_all(stamp, range, kind, site)
    }

    #[cold]
    #[inline(never)]
    fn access_all(&mut self, stamp: Stamp, range: ByteRange, kind: AccessKind, site: SiteId) -> bool {
        let mut found = false;
        let mut rest = range;
        while rest.len > 0 {
            let granule = rest.start >> 3;
            let Some((_, mask)) = granules(rest).next() else { break };
            let before = *self.shadow.cell(granule);
            let new = ShadowRecord::new(stamp, site, mask, kind.flags());
            let mut taken = 1;
            match self.settled(before, new) {
                Settled::Known => {}
                Settled::As(after) => {
                    // In a large range most cells are like the first, and what becomes of a cell depends on it alone.
                    let alike = if mask == 0xFF { u64::from(rest.len) / 8 } else { 1 };
                    taken = self.shadow.replace(granule, alike, before, after);
                }
                Settled::No => found |= self.touch(granule, new),
            }
            let start = (granule + taken) << 3;
            rest = ByteRange { start, len: range.end().saturating_sub(start) as u32 };
        }
        found
    }

    #[cold]
    fn report(&mut self, granule: u64, common: u8, old: ShadowRecord, new: ShadowRecord) {
        let (first, second) = (self.side(old), self.side(new));
        let mut rest = common;
        while rest != 0 {
            let skip = rest.trailing_zeros();
            let len = (rest >> skip).trailing_ones();
            rest &= !((((1u16 << len) - 1) << skip) as u8);
            self.keep(Race { first, second, range: ByteRange { start: (granule << 3) + u64::from(skip), len } });
        }
    }

    fn side(&self, record: ShadowRecord) -> RacingAccess {
        RacingAccess {
            thread: record.stamp.thread(),
            site: record.site(),
            kind: AccessKind::of(record),
            moment: self.c11.moment(record.stamp),
        }
    }

    /// Adds a race unless the list has it; races of one pair of accesses on neighbouring bytes are joined to one.
    fn keep(&mut self, race: Race) {
        let alike = |a: &RacingAccess, b: &RacingAccess| (a.thread, a.site, a.kind) == (b.thread, b.site, b.kind);
        let same = |known: &Race| alike(&known.first, &race.first) && alike(&known.second, &race.second);
        if let Some(last) = self.races.last_mut()
            && same(last)
            && last.range.end() == race.range.start
        {
            last.range.len += race.range.len;
            return;
        }
        let within = |known: &Race| known.range.start <= race.range.start && race.range.end() <= known.range.end();
        if self.overflowed || self.races.iter().any(|known| same(known) && within(known)) {
            return;
        }
        if self.races.len() == MAX_RACES {
            self.overflowed = true;
        } else {
            self.races.push(race);
        }
    }
}
