//! The program's memory as it was before main, and how it is brought back after each run.
//!
//! [`take`] write-protects everything the program can write to. The first write to a page faults; the handler copies
//! the page (it still holds what it held at the snapshot), makes it writable for good and puts it on the list of hot
//! pages. [`restore`] copies the hot pages back, which after a few runs is all there is to do. Pages of zeros share one
//! copy.
//!
//! Faults are handled by [`heat`], called from the signal handler; the kernel does not fault for its own writes, so the
//! system call layer heats what the kernel is about to write.

use super::global::Global;
use super::layout::{ARENA_SIZE, ARENAS, ENGINE, MAPPINGS, POISON, Range, STACKS, STATIC_POISON};
use super::maps::{self, Mapping};
use super::sys::{self, PAGE};
use super::{arena, copy, elf, fiber, heap, poison};
use alloc::vec::Vec;
use core::{fmt, ptr};
use inspect_core::event::MAX_THREADS;

/// The most regions there can be.
const REGIONS: usize = 1024 + 4 * MAX_THREADS;
/// The most hot pages: 4 GiB of dirtied memory.
const HOT_PAGES: usize = 1 << 20;

/// A stretch of memory that runs may change.
#[derive(Clone, Copy, Default)]
struct Region {
    range: Range,
    /// Address of a bitmap of the hot pages.
    hot: u64,
    /// Hot pages in it so far.
    count: u64,
}

/// A page that runs have changed, and what it held before.
#[derive(Clone, Copy)]
pub(super) struct HotPage {
    pub(super) page: u64,
    pub(super) copy: u64,
    /// Checksum of the copy.
    sum: u64,
    /// Which parts of it are zeros (see [`copy::zeros`]).
    pub(super) zeros: u16,
}

struct Snapshot {
    regions: [Region; REGIONS],
    count: usize,
    hot: u64,
    hot_count: usize,
    taken: bool,
    usage: arena::Usage,
    /// What was mapped, neighbours joined.
    mapped: Vec<Range>,
}

static SNAPSHOT: Global<Snapshot> = Global::new(Snapshot {
    regions: [Region { range: Range { start: 0, end: 0 }, hot: 0, count: 0 }; REGIONS],
    count: 0,
    hot: 0,
    hot_count: 0,
    taken: false,
    usage: arena::Usage::NONE,
    mapped: Vec::new(),
});

#[repr(align(4096))]
struct ZeroPage([u8; PAGE as usize]);
static ZERO_PAGE: ZeroPage = ZeroPage([0; PAGE as usize]);

impl Snapshot {
    fn add(&mut self, range: Range) {
        if range.len() == 0 {
            return;
        }
        if self.count == REGIONS {
            sys::fatal("the program has too many writable mappings");
        }
        let bitmap = heap::pages(range.len() / PAGE / 8 + 8);
        self.regions[self.count] = Region { range, hot: bitmap, count: 0 };
        self.count += 1;
    }

    fn region_of(&mut self, address: u64) -> Option<&mut Region> {
        let regions = &mut self.regions[..self.count];
        let after = regions.partition_point(|region| region.range.start <= address);
        let region = regions.get_mut(after.checked_sub(1)?)?;
        region.range.contains(address).then_some(region)
    }

    fn hot_pages(&mut self) -> &mut [HotPage] {
        // SAFETY: the table has HOT_PAGES entries, of which `hot_count` are filled.
        unsafe { core::slice::from_raw_parts_mut(self.hot as *mut HotPage, self.hot_count) }
    }
}

impl Region {
    fn is_hot(&self, page: u64) -> bool {
        let index = (page - self.range.start) / PAGE;
        // SAFETY: the bitmap has a bit for each page of the region.
        unsafe { *((self.hot + index / 64 * 8) as *const u64) >> (index % 64) & 1 == 1 }
    }

    fn set_hot(&mut self, page: u64) {
        let index = (page - self.range.start) / PAGE;
        self.count += 1;
        // SAFETY: as above.
        unsafe { *((self.hot + index / 64 * 8) as *mut u64) |= 1 << (index % 64) }
    }

    /// How many pages to heat at once: the more of a region is hot already, the more, so that big writers neither
    /// fault for each page nor exhaust the number of mappings the kernel allows.
    fn block(&self) -> u64 {
        match self.count {
            0..64 => PAGE,
            64..1024 => 8 * PAGE,
            _ => 64 * PAGE,
        }
    }
}

/// Why a snapshot cannot be taken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SnapshotError {
    /// A constructor mapped this shared, writable memory.
    SharedMapping(Mapping),
    /// The kernel refused to protect a mapping.
    Protect(Mapping),
}

/// Remembers the state of the program: what [`restore`] brings back. Called on the engine stack, with no run active.
/// May be called again after [`fiber::ensure_slots`], in the state of the snapshot before.
pub fn take() -> Result<(), SnapshotError> {
    // SAFETY: no other borrow; the fault handler runs only once protection is on.
    let snapshot = unsafe { SNAPSHOT.get() };
    forget(snapshot);
    for slot in 0..fiber::ready_slots() {
        arena::prepare(slot);
    }
    poison::prepare();
    let arguments = super::program::argument_pages();
    for mapping in maps::all() {
        for range in restorable(&mapping, arguments) {
            if mapping.shared {
                return Err(SnapshotError::SharedMapping(mapping));
            }
            snapshot.add(range);
        }
    }
    if snapshot.hot == 0 {
        snapshot.hot = heap::pages((HOT_PAGES * size_of::<HotPage>()) as u64);
    }
    snapshot.usage = arena::usage();
    super::outside::remember();
    snapshot.mapped = mapped();
    snapshot.taken = true;
    for region in &snapshot.regions[..snapshot.count] {
        // SAFETY: the program's own memory, writable until now; writes are let through by `heat`.
        if !unsafe { sys::protect(region.range.start, region.range.len(), sys::PROT_READ) } {
            let mapping = maps::all().into_iter().find(|m| m.range.contains(region.range.start));
            return Err(mapping.map_or_else(|| unreachable!("a region is mapped"), SnapshotError::Protect));
        }
    }
    Ok(())
}

/// Remembers what a run starts with outside of memory; memory is left to forking.
pub fn take_for_fork() {
    for slot in 0..fiber::ready_slots() {
        arena::prepare(slot);
    }
    poison::prepare();
    super::outside::remember();
}

/// Makes the regions of an earlier snapshot ordinary memory again.
fn forget(snapshot: &mut Snapshot) {
    for region in &snapshot.regions[..snapshot.count] {
        // SAFETY: the program's own memory, writable before the snapshot.
        if !unsafe { sys::protect(region.range.start, region.range.len(), sys::PROT_RW) } {
            sys::fatal("cannot make the program's memory writable again");
        }
    }
    snapshot.count = 0;
    snapshot.hot_count = 0;
    snapshot.taken = false;
}

/// The memory that the program can write to itself, and what it has mapped in this run.
pub fn program_memory() -> Vec<Range> {
    let arguments = super::program::argument_pages();
    let parts = |mapping: &Mapping| {
        let is_new = MAPPINGS.contains(mapping.range.start);
        if is_new { alloc::vec![mapping.range] } else { restorable(mapping, arguments) }
    };
    let is_poison = |mapping: &Mapping| mapping.range.start >= POISON.start && mapping.range.end <= STATIC_POISON.end;
    let readable = maps::all().into_iter().filter(|mapping| mapping.read && !is_poison(mapping));
    readable.flat_map(|mapping| parts(&mapping)).collect()
}

/// The parts of a mapping that a run may change. Everything the platform owns is left out, and of the kernel's main
/// stack all but the arguments and the environment.
fn restorable(mapping: &Mapping, arguments: u64) -> Vec<Range> {
    let mut range = mapping.range;
    let own = ENGINE.touches(range.start, range.len());
    if !mapping.write || own || mapping.name.starts_with("[vv") || mapping.name.starts_with("[vdso") {
        return Vec::new();
    }
    if mapping.name == "[stack]" {
        range.start = arguments.clamp(range.start, range.end);
    }
    // Neighbouring mappings of the same kind are one for the kernel: cut at the borders of slots.
    for (all, size) in [(ARENAS, ARENA_SIZE), (STACKS, super::layout::STACK_STRIDE)] {
        if all.contains(range.start) {
            let mut parts = Vec::with_capacity(MAX_THREADS);
            while range.start < range.end {
                let next = (range.start + 1 - all.start).next_multiple_of(size) + all.start;
                let end = next.min(range.end);
                parts.push(Range { start: range.start, end });
                range.start = end;
            }
            return parts;
        }
    }
    debug_assert!(!MAPPINGS.contains(range.start), "a run's mapping is left over");
    // The kernel joins neighbouring mappings without a file: beside the guest's zeroed data the loader's may lie.
    let image = elf::image();
    if !image.touches(range.start, range.len()) {
        return alloc::vec![range];
    }
    let beside = [
        Range { start: range.start, end: image.start.min(range.end) },
        Range { start: image.end.max(range.start), end: range.end },
    ];
    beside.into_iter().filter(|part| part.start < part.end).collect()
}

/// Lets the program write to the page of `address`, remembering its contents. False if the page is no cold page of the
/// program: then the fault is real.
pub fn heat(address: u64) -> bool {
    // SAFETY: called from the fault handler, which interrupts the program or the engine outside of this module: `take`
    // and `restore` touch only hot pages and engine memory while protection is on.
    let snapshot = unsafe { SNAPSHOT.get() };
    if !snapshot.taken {
        return false;
    }
    let Some(region) = snapshot.region_of(address) else { return false };
    if region.is_hot(address & !(PAGE - 1)) {
        return false;
    }
    let block = region.block();
    let start = (address & !(block - 1)).max(region.range.start);
    let end = ((address & !(block - 1)) + block).min(region.range.end);
    heat_pages(snapshot, Range { start, end });
    true
}

/// Heats every cold page of the program in the range, before the kernel writes to it.
pub fn heat_range(address: u64, len: u64) {
    let mut page = address & !(PAGE - 1);
    while page < address.saturating_add(len) {
        heat(page);
        page += PAGE;
    }
}

fn heat_pages(snapshot: &mut Snapshot, range: Range) {
    for page in (range.start..range.end).step_by(PAGE as usize) {
        let Some(region) = snapshot.region_of(page) else { continue };
        if region.is_hot(page) {
            continue;
        }
        region.set_hot(page);
        let copy = copy_of(page);
        if snapshot.hot_count == HOT_PAGES {
            sys::fatal("the program writes to more memory than can be restored (4 GiB)");
        }
        snapshot.hot_count += 1;
        if let Some(last) = snapshot.hot_pages().last_mut() {
            *last = HotPage { page, copy, sum: checksum(copy), zeros: copy::zeros(copy) };
        }
    }
    // SAFETY: the program's own memory, writable before the snapshot.
    if !unsafe { sys::protect(range.start, range.len(), sys::PROT_RW) } {
        sys::fatal("the program's memory is in too many pieces for the kernel (vm.max_map_count)");
    }
}

/// A copy of a page, to restore it from.
fn copy_of(page: u64) -> u64 {
    // SAFETY: the page is readable memory of the program.
    let contents = unsafe { &*(page as *const [u64; PAGE as usize / 8]) };
    if contents.iter().all(|&word| word == 0) {
        return ZERO_PAGE.0.as_ptr() as u64;
    }
    let copy = heap::pages(PAGE);
    // SAFETY: fresh memory of the size of a page.
    unsafe { ptr::copy_nonoverlapping(page as *const u8, copy as *mut u8, PAGE as usize) };
    copy
}

/// Brings the program's memory back to the state of the snapshot. Called on the engine stack, with no run active.
pub fn restore() {
    // SAFETY: no other borrow: the pages written to are hot, so nothing faults.
    let snapshot = unsafe { SNAPSHOT.get() };
    let pages = snapshot.hot_pages().iter().map(|hot| (hot.page, hot.copy, hot.zeros));
    // SAFETY: all are whole pages; the hot ones are writable memory of the program.
    unsafe { copy::restore(pages) };
    arena::set_usage(snapshot.usage);
    super::outside::reset();
}

/// Whether all of a range is memory that is restored.
pub(super) fn covers(range: Range) -> bool {
    // SAFETY: a read-only use that ends here.
    let snapshot = unsafe { SNAPSHOT.get() };
    let mut at = range.start;
    while at < range.end {
        match snapshot.region_of(at) {
            Some(region) => at = region.range.end,
            None => return false,
        }
    }
    true
}

/// The number of pages restored after each run.
pub fn hot_pages() -> usize {
    hot().len()
}

/// The pages that runs have changed, each with the address of a copy of what it held before, in the order in which they
/// were first changed.
pub fn changed_pages() -> impl ExactSizeIterator<Item = (u64, u64)> {
    hot().iter().map(|hot| (hot.page, hot.copy))
}

/// The hot pages, in the order in which they became hot.
pub(super) fn hot() -> &'static [HotPage] {
    // SAFETY: the callers hold the slice only while no program code runs, so that nothing becomes hot.
    unsafe { SNAPSHOT.get() }.hot_pages()
}

fn checksum(page: u64) -> u64 {
    // SAFETY: a whole readable page.
    let words = unsafe { &*(page as *const [u64; PAGE as usize / 8]) };
    words
        .iter()
        .fold(0x9e37_79b9_7f4a_7c15, |sum: u64, word| (sum ^ word).wrapping_mul(0x0100_0000_01b3).rotate_left(23))
}

/// Everything that is mapped outside of the engine's range, neighbours joined: protections do not count, as hot pages
/// change them.
fn mapped() -> Vec<Range> {
    const STACK_GROWTH: u64 = 8 << 20;
    let arguments = super::program::argument_pages();
    let mut list: Vec<Range> = Vec::new();
    for Mapping { range, name, .. } in maps::all() {
        // The kernel's stack may grow, and where its protection differs it has no name.
        let near_arguments = range.start < arguments && arguments < range.end + STACK_GROWTH;
        let is_stack = name == "[stack]" || name.is_empty() && (near_arguments || range.contains(arguments));
        if ENGINE.contains(range.start) || is_stack {
            continue;
        }
        match list.last_mut() {
            Some(last) if last.end == range.start => last.end = range.end,
            _ => list.push(range),
        }
    }
    list
}

/// What [`verify`] found changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SnapshotDamage {
    /// A page of the program is not as it was.
    Page(u64),
    /// The engine's copy of a page was overwritten.
    Copy(u64),
    /// A mapping appeared or vanished about here.
    Mapping(u64),
    /// A descriptor was opened or closed.
    Descriptor(u32),
}

impl fmt::Display for SnapshotDamage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SnapshotDamage::Page(page) => write!(f, "the page at {page:#x} was not brought back"),
            SnapshotDamage::Copy(page) => write!(f, "Inspect's copy of the page at {page:#x} was overwritten"),
            SnapshotDamage::Mapping(address) => write!(f, "a mapping at about {address:#x} appeared or vanished"),
            SnapshotDamage::Descriptor(number) => write!(f, "descriptor {number} was opened or closed"),
        }
    }
}

/// Checks, right after [`restore`], that everything is as it was at the snapshot: a sign that the program did
/// something that is not undone, or wrote to the engine's memory.
pub fn verify() -> Result<(), SnapshotDamage> {
    for hot in hot() {
        if checksum(hot.copy) != hot.sum {
            return Err(SnapshotDamage::Copy(hot.page));
        }
        if checksum(hot.page) != hot.sum {
            return Err(SnapshotDamage::Page(hot.page));
        }
    }
    let now = mapped();
    // SAFETY: a read; `take` is not active.
    let before = unsafe { &(*SNAPSHOT.as_ptr()).mapped };
    if now != *before {
        let differs = now.iter().zip(before).find(|(a, b)| a != b).map_or(0, |(a, _)| a.start);
        return Err(SnapshotDamage::Mapping(differs));
    }
    super::files::differing().map_or(Ok(()), |fd| Err(SnapshotDamage::Descriptor(fd)))
}
