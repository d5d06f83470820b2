//! Shadow memory: the accesses that the race detector has stored for every 8 bytes of the program's memory.
//!
//! It is not cleared between runs: records carry stamps, and records with a stamp of an earlier run are ignored.

use crate::event::SiteId;
use crate::order::c11::Stamp;
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

/// One access as the shadow stores it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
pub struct ShadowRecord {
    /// The step that made it, and so its thread.
    pub(super) stamp: Stamp,
    /// Site in the high 48 bits, then the mask of bytes in the granule, then flags.
    pub(super) info: u64,
}

/// Flag of [`ShadowRecord::info`]: not atomic.
pub(super) const PLAIN: u64 = 1;
/// A write; without it a read.
pub(super) const WRITE: u64 = 2;
/// A write made by freeing the memory.
pub(super) const FREE: u64 = 4;
/// A write made by allocating the memory.
pub(super) const ALLOC: u64 = 8;
/// No access: the granule's records are in the overflow list whose number stands in place of the site.
pub(super) const SPILLED: u64 = 16;
/// An atomic read made by leaving a synchronisation object; what destroys the object waits for it.
pub(super) const LEAVING: u64 = 32;

const NOTHING: ShadowRecord = ShadowRecord { stamp: Stamp(0), info: 0 };

impl ShadowRecord {
    /// A record of an access to the bytes of `mask` in its granule.
    pub(super) fn new(stamp: Stamp, site: SiteId, mask: u8, flags: u64) -> Self {
        debug_assert!(site.0 < 1 << 48, "sites are addresses of the program");
        ShadowRecord { stamp, info: site.0 << 16 | u64::from(mask) << 8 | flags }
    }

    /// Where in the source the access was made.
    pub(super) fn site(self) -> SiteId {
        SiteId(self.info >> 16)
    }

    /// The bytes of the granule that were accessed, a bit each.
    pub(super) fn mask(self) -> u8 {
        (self.info >> 8) as u8
    }

    /// Whether the record has this flag: [`PLAIN`], [`WRITE`], [`FREE`], [`ALLOC`], [`SPILLED`] or
    /// [`LEAVING`].
    pub(super) fn has(self, flag: u64) -> bool {
        self.info & flag != 0
    }
}

/// What is stored for one granule of 8 bytes: its records, or if there are more than two, the latest and where to find
/// all of them. All zeros is an empty cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(32))]
pub struct Cell {
    pub(super) records: [ShadowRecord; 2],
}

impl Cell {
    /// A cell without a record.
    pub const EMPTY: Cell = Cell { records: [NOTHING; 2] };
}

const _: () = assert!(size_of::<Cell>() == 32);

/// Where the cells are. The guest lays them out as suits its address space.
///
/// Contract: the cell of a granule is the same one, with what was last written to it, until the search ends; a cell
/// that was never written is [`Cell::EMPTY`] (all zeros). Cells are never shared between granules.
pub trait Shadow {
    /// The cell of the 8 bytes from address `granule * 8` on.
    fn cell(&mut self, granule: u64) -> &mut Cell;

    /// Writes the cell of a granule.
    fn set(&mut self, granule: u64, latest: ShadowRecord, other: ShadowRecord) {
        *self.cell(granule) = Cell { records: [latest, other] };
    }

    /// Writes the cells of up to `count` granules from this one on, as long as they hold `before`. Returns how many;
    /// at least the first one does.
    fn replace(&mut self, granule: u64, count: u64, before: Cell, after: Cell) -> u64 {
        let mut written = 0;
        while written < count && *self.cell(granule + written) == before {
            self.set(granule + written, after.records[0], after.records[1]);
            written += 1;
        }
        written
    }

    /// Marks the present moment: from now on keeps what cells held before they were written, to roll back to this
    /// moment. `None` if this shadow cannot.
    fn mark(&mut self) -> Option<Mark> {
        None
    }

    /// Brings all cells back to a marked moment; later marks become invalid. False if that is not possible any more,
    /// and then no cell is changed.
    fn roll_back(&mut self, _mark: Mark) -> bool {
        false
    }

    /// Makes all marks invalid.
    fn forget_marks(&mut self) {}

    /// The first granule from this one on whose cell may have been written; `u64::MAX` if there is none. Parts of large
    /// blocks that no access has touched are skipped with it.
    fn next_written(&mut self, granule: u64) -> u64 {
        granule
    }
}

/// A moment to which a shadow can be rolled back.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Mark {
    journal: u64,
    length: usize,
}

const PAGE_BITS: u32 = 9;
const PAGE: usize = 1 << PAGE_BITS;

/// Pages whose numbers are cached, by the low bits of their addresses.
const REMEMBERED: usize = 256;

/// Shadow in pages allocated on first use, for any address. About 2 ns a look-up while accesses stay on some hundred
/// pages of 4 KiB of the program's memory, about 20 ns otherwise.
#[derive(Debug)]
pub struct PagedShadow {
    pages: Vec<Box<[Cell; PAGE]>>,
    numbers: BTreeMap<u64, usize>,
    recent: [(u64, usize); REMEMBERED],
    /// Granules written since the first mark, with what their cells held before.
    journal: Vec<(u64, [ShadowRecord; 2])>,
    /// Whether the journal is kept.
    marked: bool,
    /// How many journals were begun.
    journals: u64,
}

/// The longest journal: 48 MiB. A run that writes to more than that between two marks is made from its start again.
const LONGEST_JOURNAL: usize = 1 << 20;

impl PagedShadow {
    /// Shadow without a page.
    pub fn new() -> Self {
        PagedShadow {
            pages: Vec::new(),
            numbers: BTreeMap::new(),
            recent: [(u64::MAX, 0); REMEMBERED],
            journal: Vec::new(),
            marked: false,
            journals: 0,
        }
    }

    /// The place of a page in `pages`.
    #[inline]
    fn number(&mut self, page: u64) -> usize {
        let (known, number) = self.recent[page as usize % REMEMBERED];
        if known == page { number } else { self.find(page) }
    }

    #[cold]
    fn find(&mut self, page: u64) -> usize {
        let pages = &mut self.pages;
        let number = *self.numbers.entry(page).or_insert_with(|| {
            pages.push(Box::new([Cell::EMPTY; PAGE]));
            pages.len() - 1
        });
        self.recent[page as usize % REMEMBERED] = (page, number);
        number
    }
}

impl Default for PagedShadow {
    fn default() -> Self {
        PagedShadow::new()
    }
}

impl Shadow for PagedShadow {
    #[inline]
    fn cell(&mut self, granule: u64) -> &mut Cell {
        let number = self.number(granule >> PAGE_BITS);
        &mut self.pages[number][granule as usize % PAGE]
    }

    #[inline]
    fn set(&mut self, granule: u64, latest: ShadowRecord, other: ShadowRecord) {
        if self.marked {
            let before = self.cell(granule).records;
            // Written in place, for the same reason as the cell below.
            self.journal.push((granule, [NOTHING; 2]));
            if let Some((_, records)) = self.journal.last_mut() {
                *records = before;
            }
            self.marked = self.journal.len() < LONGEST_JOURNAL;
        }
        // Word by word: copying a cell right after its fields were written would stall the processor.
        let [first, second] = &mut self.cell(granule).records;
        (first.stamp, first.info) = (latest.stamp, latest.info);
        (second.stamp, second.info) = (other.stamp, other.info);
    }

    fn replace(&mut self, granule: u64, count: u64, before: Cell, after: Cell) -> u64 {
        let mut written = 0;
        while written < count {
            let first = granule + written;
            let page = self.number(first >> PAGE_BITS);
            let cells = &mut self.pages[page][first as usize % PAGE..];
            let most = cells.len().min((count - written) as usize);
            let alike = cells[..most].iter().take_while(|cell| **cell == before).count();
            cells[..alike].fill(after);
            if self.marked {
                self.journal.extend((0..alike as u64).map(|i| (first + i, before.records)));
                self.marked = self.journal.len() < LONGEST_JOURNAL;
            }
            written += alike as u64;
            if alike < most {
                break;
            }
        }
        written
    }

    fn mark(&mut self) -> Option<Mark> {
        if !self.marked {
            self.journal.clear();
            self.journals += 1;
            self.marked = true;
        }
        Some(Mark { journal: self.journals, length: self.journal.len() })
    }

    fn roll_back(&mut self, mark: Mark) -> bool {
        if !self.marked || self.journals != mark.journal || self.journal.len() < mark.length {
            return false;
        }
        while self.journal.len() > mark.length
            && let Some((granule, records)) = self.journal.pop()
        {
            self.cell(granule).records = records;
        }
        true
    }

    fn forget_marks(&mut self) {
        self.marked = false;
    }

    fn next_written(&mut self, granule: u64) -> u64 {
        let page = granule >> PAGE_BITS;
        match self.numbers.range(page..).next() {
            Some((&found, _)) if found == page => granule,
            Some((&found, _)) => found << PAGE_BITS,
            None => u64::MAX,
        }
    }
}
