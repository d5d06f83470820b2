//! Memory the program maps during a run: at addresses that depend on the thread alone, and gone after the run.

use super::global::Global;
use super::layout::{MAPPING_SIZE, MAPPINGS};
use super::sys::{self, PAGE, nr};
use super::{fiber, files, maps};
use alloc::vec::Vec;
use inspect_core::event::MAX_THREADS;
use sys::errno::{EBADF, EINVAL, ENOMEM};

/// How far each slot's stretch is used. Part of the state of a run.
static USED: Global<[u64; MAX_THREADS]> = Global::new([0; MAX_THREADS]);
static ANY: Global<bool> = Global::new(false);

/// Whether this run has taken memory away from the program: what a thread is about to access may not be there.
static GONE: Global<bool> = Global::new(false);

/// Whether memory that could be read in this run may not be readable any more.
#[inline(always)]
pub fn memory_is_gone() -> bool {
    // SAFETY: one OS thread; the value is copied at once.
    unsafe { *GONE.as_ptr() }
}

/// Whether this run has mapped anything.
pub fn any() -> bool {
    ANY.read()
}

/// Unmaps what the run mapped.
pub(super) fn reset() {
    if !ANY.read() {
        return;
    }
    ANY.write(false);
    GONE.write(false);
    // SAFETY: one OS thread; no code that runs while the borrow lasts uses this global.
    for (slot, used) in unsafe { USED.get() }.iter_mut().enumerate().filter(|(_, used)| **used > 0) {
        // SAFETY: the run's own mappings; the run is over.
        unsafe { sys::call2(nr::__NR_munmap, base(slot), *used) };
        *used = 0;
    }
}

fn base(slot: usize) -> u64 {
    MAPPINGS.start + slot as u64 * MAPPING_SIZE
}

/// The next address for `len` bytes, with an unmapped page behind.
fn place(len: u64) -> Option<u64> {
    let slot = fiber::current_slot();
    // SAFETY: one OS thread; no code that runs while the borrow lasts uses this global.
    let used = unsafe { &mut USED.get()[slot] };
    let room = len.checked_next_multiple_of(PAGE)?.checked_add(PAGE)?;
    if room > MAPPING_SIZE - *used {
        return None;
    }
    let address = base(slot) + *used;
    *used += room;
    ANY.write(true);
    Some(address)
}

/// Whether a range lies in what runs map.
pub(super) fn contains(address: u64, len: u64) -> bool {
    MAPPINGS.contains(address) && address.saturating_add(len) <= MAPPINGS.end
}

/// mmap. None if it would replace memory from before the run, or map a file of the overlay a second time.
pub(super) fn map(args: &[u64; 6]) -> Option<i64> {
    let [address, len, prot, flags, fd, offset] = *args;
    let fixed = u64::from(nr::MAP_FIXED | nr::MAP_FIXED_NOREPLACE);
    let file = flags & u64::from(nr::MAP_ANONYMOUS) == 0;
    if file && !files::is_kind_open(files::kind(fd)) {
        return Some(-i64::from(EBADF));
    }
    if len == 0 {
        return Some(-i64::from(EINVAL));
    }
    if file && !files::note_mapping(fd) {
        return None;
    }
    let (address, flags) = if flags & fixed != 0 {
        if !contains(address, len) {
            return None;
        }
        GONE.write(true);
        (address, flags)
    } else {
        let Some(address) = place(len) else { return Some(-i64::from(ENOMEM)) };
        (address, flags | u64::from(nr::MAP_FIXED))
    };
    // SAFETY: the range is in the stretch of the running slot, which only runs map.
    Some(unsafe { sys::call(nr::__NR_mmap, [address, len, prot, flags, fd, offset]) })
}

/// Where the addresses of a process end.
pub const ADDRESSES: u64 = 0x7fff_ffff_f000;

/// munmap. Memory from before the run stays: it must be there for the next one.
pub(super) fn unmap(args: &[u64; 6]) -> i64 {
    let [address, len, ..] = *args;
    if !address.is_multiple_of(PAGE) || len == 0 {
        return -i64::from(EINVAL);
    }
    if address > ADDRESSES || len > ADDRESSES - address {
        return -i64::from(EINVAL);
    }
    if !contains(address, len) {
        return 0;
    }
    GONE.write(true);
    // SAFETY: a mapping of the run.
    unsafe { sys::call2(nr::__NR_munmap, address, len) }
}

/// mremap, always to a new place if it grows. None for memory from before the run, and for an old size of 0, which maps
/// the same pages a second time.
pub(super) fn remap(args: &[u64; 6]) -> Option<i64> {
    const MAY_MOVE: u64 = 1;
    const FIXED: u64 = 2;
    const KEEP: u64 = 4;
    let [address, old, new, flags, ..] = *args;
    let moves = flags & MAY_MOVE != 0;
    if flags >= 2 * KEEP || flags & FIXED != 0 && !moves || !address.is_multiple_of(PAGE) || new == 0 {
        return Some(-i64::from(EINVAL));
    }
    if flags & KEEP != 0 || old == 0 || !contains(address, old) || flags & FIXED != 0 {
        return None;
    }
    GONE.write(true);
    if new <= old {
        // SAFETY: a mapping of the run shrinks.
        return Some(unsafe { sys::call4(nr::__NR_mremap, address, old, new, 0) });
    }
    if !moves {
        return Some(-i64::from(ENOMEM));
    }
    let Some(place) = place(new) else { return Some(-i64::from(ENOMEM)) };
    // SAFETY: a mapping of the run moves to a free place of the running slot.
    Some(unsafe { sys::call5(nr::__NR_mremap, address, old, new, MAY_MOVE | FIXED, place) })
}

/// What the program may do with memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rights {
    /// Read it.
    pub read: bool,
    /// Write to it.
    pub write: bool,
}

impl Rights {
    /// Both.
    pub const ALL: Rights = Rights { read: true, write: true };
}

/// The pieces of a range of the run's mappings, by start and length, with what the program may do with each. There is
/// none where memory is from before the run, whose rights stay as they are.
pub fn rights_of_mappings(address: u64, len: u64) -> Vec<(u64, u64, Rights)> {
    if !contains(address, len) {
        return Vec::new();
    }
    let piece = |mapping: maps::Mapping| {
        let (start, end) = (address.max(mapping.range.start), (address + len).min(mapping.range.end));
        (start < end).then(|| (start, end - start, Rights { read: mapping.read, write: mapping.write }))
    };
    maps::all().into_iter().filter_map(piece).collect()
}

/// mprotect. None for memory from before the run, whose protection belongs to the snapshot.
pub(super) fn protect(args: &[u64; 6]) -> Option<i64> {
    let [address, len, prot, ..] = *args;
    // SAFETY: with a length of 0 the call changes nothing, and says whether it takes the address.
    let asked = unsafe { sys::call3(nr::__NR_mprotect, address, 0, prot) };
    if sys::failed(asked) || len == 0 {
        return Some(asked);
    }
    if contains(address, len) {
        GONE.write(true);
        // SAFETY: a mapping of the run.
        return Some(unsafe { sys::call3(nr::__NR_mprotect, address, len, prot) });
    }
    const RIGHTS: u64 = 0xf;
    const GROWS: u64 = 0x300_0000;
    match address.checked_add(len).and_then(|end| end.checked_next_multiple_of(PAGE)) {
        Some(_) if prot & !(RIGHTS | GROWS) != 0 => Some(-i64::from(EINVAL)),
        Some(_) if is_mapped(address, PAGE) => None,
        _ => Some(-i64::from(ENOMEM)),
    }
}

/// Whether all pages of a range are mapped, which starts at a page.
pub(super) fn is_mapped(start: u64, len: u64) -> bool {
    const IN_THE_BACKGROUND: u64 = 1;
    // SAFETY: changes nothing; the kernel says whether all of it is mapped.
    !sys::failed(unsafe { sys::call3(nr::__NR_msync, start, len, IN_THE_BACKGROUND) })
}

/// `mlock`, if the pages are to be brought into memory, and `munlock`: what is swapped out cannot be seen, so only
/// whether the range is mapped matters, and for the former whether it may be accessed. As in Linux, a length that is
/// impossible is none.
pub(super) fn keep_resident(address: u64, len: u64, bring: bool) -> i64 {
    let start = address & !(PAGE - 1);
    let len = len.wrapping_add(address - start).wrapping_add(PAGE - 1) & !(PAGE - 1);
    let Some(end) = start.checked_add(len) else { return sys::error(EINVAL) };
    let is_closed = |mapping: &maps::Mapping| {
        mapping.range.start < end && mapping.range.end > start && !(mapping.read || mapping.write || mapping.execute)
    };
    if len != 0 && (!is_mapped(start, len) || bring && contains(start, len) && maps::all().iter().any(is_closed)) {
        return sys::error(ENOMEM);
    }
    0
}

/// madvise of what the run mapped.
pub(super) fn advise(args: &[u64; 6]) -> i64 {
    let [address, len, advice, ..] = *args;
    // SAFETY: a mapping of the run.
    unsafe { sys::call3(nr::__NR_madvise, address, len, advice) }
}
