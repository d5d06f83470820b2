//! Which bits of the program's memory depend on memory that nobody has initialised: the *poisoned* ones. Only programs
//! that are built to find their uses have them.
//!
//! For each byte of the program there is a byte whose bits say which are poisoned. For each four bytes there is a
//! number, the *origin*, that says where the uninitialised memory came from; it means something where a bit is
//! poisoned. Both are memory of the program as far as runs are concerned: part of the snapshot and of checkpoints.
//! Memory without such bytes (libraries, what the program maps) counts as initialised.
//!
//! The distances are constant for heaps and stacks, which lie close to each other. Variables with static storage lie
//! where the loader has put them; the few stretches are looked through.

use super::global::Global;
use super::layout::{ARENA_SIZE, ARENAS, ORIGINS, POISON, Range, STACK_STRIDE, STACKS, STATIC_POISON};
use super::sys::{self, PAGE};
use super::{caller, fiber, maps};
use alloc::vec::Vec;
use inspect_core::event::MAX_THREADS;

/// A number that says where uninitialised memory came from.
pub type PoisonOrigin = u32;

/// The most bytes of a block or variable that are poisoned.
const MOST: u64 = 64 << 10;

/// Bytes that share an origin.
const GRANULE: u64 = 4;

static WANTED: Global<bool> = Global::new(false);
/// How many slots have their bits.
static SLOTS: Global<usize> = Global::new(0);
static STATICS: Global<Vec<Static>> = Global::new(Vec::new());
/// The images whose code keeps the bits of the memory that it writes. Set with the first snapshot.
static CODE: Global<Vec<Range>> = Global::new(Vec::new());

/// A stretch of variables with static storage, and where its poisoned bits are. Its origins follow on them.
#[derive(Clone, Copy, Debug)]
struct Static {
    memory: Range,
    bits: u64,
}

/// The bytes that belong to some of the program's memory, as the two registers of a result.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bits {
    /// Address of the poisoned bits.
    pub bits: u64,
    /// Address of the origin of the first byte.
    pub origin: u64,
}

/// The program, or a library of it, is built to find uses of uninitialised memory.
pub fn want() {
    WANTED.write(true);
}

/// Whether poisoned bits are kept, which they are from the first snapshot on.
#[inline(always)]
pub fn is_on() -> bool {
    SLOTS.read() > 0
}

/// Makes the bits of all slots and of the variables with static storage exist. Called before each snapshot.
pub(super) fn prepare() {
    if !WANTED.read() {
        return;
    }
    if !is_on() {
        // SAFETY: one OS thread; the borrow ends with this statement.
        *unsafe { CODE.get() } = caller::calling("__inspect_uninitialised");
        prepare_statics();
    }
    let (first, end) = (SLOTS.read(), fiber::ready_slots());
    for (all, size) in [(ARENAS, ARENA_SIZE), (STACKS, STACK_STRIDE)] {
        let (start, len) = (all.start + first as u64 * size, (end - first) as u64 * size);
        for bits in [POISON, ORIGINS].map(|part| start - ARENAS.start + part.start) {
            // SAFETY: ranges of this module's own, each mapped once.
            if len > 0 && !unsafe { sys::map_fixed(bits, len, sys::PROT_RW) } {
                sys::fatal("cannot reserve memory for the program's poisoned bits");
            }
        }
    }
    SLOTS.write(end);
}

fn code() -> &'static [Range] {
    // SAFETY: one OS thread; set once and never changed after.
    unsafe { CODE.get() }
}

/// Whether the code at an address keeps the bits of what it writes. Other code initialises memory without a trace: that
/// of libraries, also of instrumented ones that are not built for it.
pub fn is_kept_by(pc: u64) -> bool {
    code().iter().any(|range| range.contains(pc))
}

fn prepare_statics() {
    let mappings = maps::all();
    let mut next = STATIC_POISON.start;
    for module in code() {
        // Variables that begin as zeros lie behind the part that is mapped from the file.
        let belongs = |range: Range| module.contains(range.start) || range.start == module.end;
        for mapping in mappings.iter().filter(|mapping| mapping.write && belongs(mapping.range)) {
            let len = mapping.range.len();
            // SAFETY: a range of this module's own, mapped once.
            if !unsafe { sys::map_fixed(next, 2 * len, sys::PROT_RW) } {
                sys::fatal("cannot reserve memory for the program's poisoned bits");
            }
            // SAFETY: one OS thread; the borrow ends with this statement.
            unsafe { STATICS.get() }.push(Static { memory: mapping.range, bits: next });
            next += 2 * len + PAGE;
        }
    }
}

/// The bytes that belong to `len` bytes at an address; none if these are no memory with poisoned bits.
#[inline]
pub fn of(address: u64, len: u64) -> Option<Bits> {
    let end = address.checked_add(len)?;
    for (all, size) in [(ARENAS, ARENA_SIZE), (STACKS, STACK_STRIDE)] {
        if all.contains(address) {
            let ready = all.start + SLOTS.read() as u64 * size;
            let distance = address - ARENAS.start;
            let origin = ORIGINS.start + (distance & !(GRANULE - 1));
            return (end <= ready).then_some(Bits { bits: POISON.start + distance, origin });
        }
    }
    // SAFETY: one OS thread; the borrow ends with this function.
    let found = unsafe { STATICS.get() }.iter().find(|one| one.memory.contains(address) && end <= one.memory.end)?;
    let bits = found.bits + (address - found.memory.start);
    Some(Bits { bits, origin: (bits & !(GRANULE - 1)) + found.memory.len() })
}

/// Poisons memory: nobody has initialised it.
pub fn poison(start: u64, len: u64, origin: PoisonOrigin) {
    let len = len.min(MOST);
    let Some(Bits { bits, origin: first }) = of(start, len).filter(|_| len > 0) else { return };
    let granules = (start + len - (start & !(GRANULE - 1))).div_ceil(GRANULE);
    // SAFETY: the bytes belong to the range.
    unsafe {
        core::ptr::write_bytes(bits as *mut u8, 0xff, len as usize);
        for granule in 0..granules {
            *(first as *mut PoisonOrigin).add(granule as usize) = origin;
        }
    }
}

/// Memory is initialised. Only bytes that change are written.
pub fn clear(start: u64, len: u64) {
    let Some(Bits { bits, .. }) = of(start, len) else { return };
    let mut at = bits;
    while at < bits + len {
        // SAFETY: the bytes belong to the range.
        unsafe {
            if at.is_multiple_of(8) && at + 8 <= bits + len {
                if *(at as *const u64) != 0 {
                    *(at as *mut u64) = 0;
                }
                at += 8;
            } else {
                if *(at as *const u8) != 0 {
                    *(at as *mut u8) = 0;
                }
                at += 1;
            }
        }
    }
}

/// Memory is about to be copied: the copy has the same poisoned bits.
pub fn copy(from: u64, to: u64, len: u64) {
    let Some(target) = of(to, len).filter(|_| len > 0) else { return };
    let Some(source) = of(from, len).filter(|_| first(from, len).is_some()) else { return clear(to, len) };
    let granules = (to + len - (to & !(GRANULE - 1))).div_ceil(GRANULE);
    let backwards = to > from;
    // SAFETY: the bytes belong to the ranges. Where these overlap, nothing is overwritten before it is read.
    unsafe {
        for step in 0..granules {
            let granule = if backwards { granules - 1 - step } else { step };
            let byte = (to & !(GRANULE - 1)).saturating_add(granule * GRANULE).max(to) - to;
            let origin = (source.origin + ((from & (GRANULE - 1)) + byte) / GRANULE * GRANULE) as *const PoisonOrigin;
            *(target.origin as *mut PoisonOrigin).add(granule as usize) = *origin;
        }
        core::ptr::copy(source.bits as *const u8, target.bits as *mut u8, len as usize);
    }
}

/// The first byte that has a poisoned bit, and its origin.
pub fn first(start: u64, len: u64) -> Option<(u64, PoisonOrigin)> {
    let Bits { bits, .. } = of(start, len)?;
    // SAFETY: the bytes belong to the range.
    let bytes = unsafe { core::slice::from_raw_parts(bits as *const u8, len as usize) };
    let at = start + bytes.iter().position(|&byte| byte != 0)? as u64;
    let origin = of(at, 1)?.origin;
    // SAFETY: the origin of a byte with bits.
    Some((at, unsafe { *(origin as *const PoisonOrigin) }))
}

/// Bits of an origin that say how far into its module an address of the code is; the others say which module it is.
const OFFSET_BITS: u32 = 26;
/// The origin of an address that has none of its own.
const UNKNOWN: PoisonOrigin = PoisonOrigin::MAX;

/// The origin of memory that is taken into use by a call which returns to this address. What it leaves on the program's
/// stack does not depend on earlier runs, so nothing is looked up.
pub fn origin(pc: u64) -> PoisonOrigin {
    let modules = code();
    let Some(number) = modules.iter().position(|module| module.contains(pc)) else { return UNKNOWN };
    let offset = pc - modules[number].start;
    let fits = offset < 1 << OFFSET_BITS && number < 1 << (PoisonOrigin::BITS - OFFSET_BITS);
    if fits { (number as PoisonOrigin) << OFFSET_BITS | offset as PoisonOrigin } else { UNKNOWN }
}

/// The address to which the call returned that took the memory into use, if that is known.
pub fn place_of(origin: PoisonOrigin) -> Option<u64> {
    let module = code().get((origin >> OFFSET_BITS) as usize).filter(|_| origin != UNKNOWN)?;
    Some(module.start + u64::from(origin & ((1 << OFFSET_BITS) - 1)))
}

/// A block of the heap is given out, by a call that returns to `pc`. Only what code of the program asks for is
/// uninitialised to it: what a library does with its own blocks does not show.
pub(super) fn allocated(block: u64, size: u64, zero: bool, pc: u64) {
    if !is_on() {
        return;
    }
    if zero || !is_kept_by(pc) {
        clear(block, size);
    } else {
        poison(block, size, origin(pc));
    }
}

const _: () = assert!(MAX_THREADS as u64 * ARENA_SIZE <= STACKS.start - ARENAS.start);
