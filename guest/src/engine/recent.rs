//! Accesses that were checked already, and whose checks would have the same results now.
//!
//! A program's own work is mostly repeated accesses to the same few structures between two visible operations. Such a
//! repetition is nothing new to the race detector, and whether the bytes lie in a live block cannot have changed: so
//! they are looked up in a small table first, and in shadow memory and the heap only if they are not there. Everything
//! that could change a result (an event, another thread, an allocation, a release, a fence, a new run) begins a new
//! era, and entries of earlier eras do not count.

use super::run_data::RunData;
use crate::platform::Global;
use inspect_core::run::Run;

/// What a byte was checked for; the number is the first bit of its mask in [`Entry::passed`].
#[derive(Clone, Copy)]
pub(crate) enum Check {
    /// A read that may be shared.
    Read = 0,
    /// A write that may be shared.
    Write = 8,
    /// A read that is not shared: only its block of the heap is checked.
    HeapRead = 16,
    /// A write that is not shared: only its block of the heap is checked.
    HeapWrite = 24,
}

impl Check {
    /// A factor that turns a mask of bytes into [`Entry::passed`] with this mask for the check and each one it implies.
    const fn includes(self) -> u64 {
        match self {
            Check::Read => 1 << Check::Read as u64 | 1 << Check::HeapRead as u64,
            Check::Write => Check::Read.includes() | 1 << Check::Write as u64 | 1 << Check::HeapWrite as u64,
            Check::HeapRead => 1 << Check::HeapRead as u64,
            Check::HeapWrite => 1 << Check::HeapRead as u64 | 1 << Check::HeapWrite as u64,
        }
    }
}

#[derive(Clone, Copy)]
struct Entry {
    /// Address of the 8 bytes, divided by 8.
    granule: u64,
    era: u64,
    /// A mask of bytes for each kind of check.
    passed: u64,
}

const ENTRIES: usize = 512;

static TABLE: Global<[Entry; ENTRIES]> = Global::new([Entry { granule: 0, era: 0, passed: 0 }; ENTRIES]);
static ERA: Global<u64> = Global::new(1);

/// Begins a new era: nothing has been checked.
#[inline(always)]
pub(crate) fn forget() {
    ERA.write(ERA.read() + 1);
}

/// The table, as a part of the engine.
pub(crate) struct Recent;

impl RunData for Recent {
    type Saved = ();
    type Left = ();

    fn begin(&mut self, _run: &Run) {
        forget();
    }

    fn save(&mut self, _run: &Run, (): &mut ()) -> bool {
        true
    }

    fn restore(&mut self, _run: &Run, (): &()) {
        forget();
    }

    fn leave(&mut self) {}

    fn adopt(&mut self, (): ()) {}
}

/// The bytes within their granule; 0 if they are not in one.
#[inline(always)]
fn mask(address: u64, size: u64) -> u64 {
    let offset = address & 7;
    if size.wrapping_sub(1) < 8 && offset + size <= 8 { ((1 << size) - 1) << offset } else { 0 }
}

/// Whether these bytes have passed this check.
#[inline(always)]
pub(crate) fn passed(address: u64, size: u64, check: Check) -> bool {
    let mask = mask(address, size);
    let granule = address >> 3;
    // SAFETY: a plain read; one OS thread.
    let entry = unsafe { (*TABLE.as_ptr())[granule as usize % ENTRIES] };
    mask != 0 && entry.granule == granule && entry.era == ERA.read() && mask & !(entry.passed >> check as u64) == 0
}

/// Notes that these bytes have passed this check.
#[inline(always)]
pub(crate) fn note(address: u64, size: u64, check: Check) {
    let mask = mask(address, size);
    let granule = address >> 3;
    // SAFETY: no other reference is in use; one OS thread.
    let entry = &mut unsafe { TABLE.get() }[granule as usize % ENTRIES];
    let era = ERA.read();
    if entry.granule != granule || entry.era != era {
        *entry = Entry { granule, era, passed: 0 };
    }
    entry.passed |= mask * check.includes();
}
