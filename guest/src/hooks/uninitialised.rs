//! The runtime of LLVM's MemorySanitizer, in the form for kernels: what the code that it adds calls. This file is the
//! contract with it; `inspect_wire::hooks::UNINITIALISED_FLAG` asks for that code.
//!
//! Stepanov, Serebryany: MemorySanitizer: fast detector of uninitialized memory use in C++, CGO 2015.

use crate::engine::defect::tool_error;
use crate::engine::site::of_call;
use crate::engine::{RUNNING, bits_of_call, uninitialised};
use crate::platform::caller::with_return_address;
use crate::platform::poison::{self, Bits, PoisonOrigin};
use crate::platform::{ARENAS, Global, STACKS, arena, fiber};
use core::arch::naked_asm;

/// The longest value that is loaded or stored at once.
const LONGEST: usize = 64 << 10;

/// Bits of memory that has none of its own: never poisoned.
#[repr(C, align(64))]
struct Nothing([u8; LONGEST]);

static INITIALISED: Nothing = Nothing([0; LONGEST]);
/// Where bits go that nobody keeps.
static DROPPED: Global<Nothing> = Global::new(Nothing([0; LONGEST]));

#[inline(always)]
fn to_load(address: u64, len: u64) -> Bits {
    poison::of(address, len).unwrap_or_else(|| elsewhere(&raw const INITIALISED as u64, len))
}

#[inline(always)]
fn to_store(address: u64, len: u64) -> Bits {
    poison::of(address, len).unwrap_or_else(|| elsewhere(DROPPED.as_ptr() as u64, len))
}

fn elsewhere(nothing: u64, len: u64) -> Bits {
    if len > LONGEST as u64 {
        tool_error("the program loads or stores more than 64 KiB at once");
    }
    Bits { bits: nothing, origin: nothing }
}

macro_rules! metadata {
    ($($load:ident $store:ident $len:literal),+) => { $(
        #[unsafe(no_mangle)]
        extern "C" fn $load(address: u64) -> Bits {
            to_load(address, $len)
        }

        #[unsafe(no_mangle)]
        extern "C" fn $store(address: u64) -> Bits {
            to_store(address, $len)
        }
    )+ };
}

metadata!(
    __msan_metadata_ptr_for_load_1 __msan_metadata_ptr_for_store_1 1,
    __msan_metadata_ptr_for_load_2 __msan_metadata_ptr_for_store_2 2,
    __msan_metadata_ptr_for_load_4 __msan_metadata_ptr_for_store_4 4,
    __msan_metadata_ptr_for_load_8 __msan_metadata_ptr_for_store_8 8
);

#[unsafe(no_mangle)]
extern "C" fn __msan_metadata_ptr_for_load_n(address: u64, len: u64) -> Bits {
    to_load(address, len)
}

#[unsafe(no_mangle)]
extern "C" fn __msan_metadata_ptr_for_store_n(address: u64, len: u64) -> Bits {
    to_store(address, len)
}

#[unsafe(no_mangle)]
extern "C" fn __msan_get_context_state() -> *mut () {
    bits_of_call::bits_of_call()
}

/// The program stores a poisoned value: its origin stays what it was.
#[unsafe(no_mangle)]
extern "C" fn __msan_chain_origin(origin: PoisonOrigin) -> PoisonOrigin {
    origin
}

with_return_address!(__msan_warning, "rsi", warning);
with_return_address!(__msan_poison_alloca, "rcx", poison_variable);

/// A branch or an address depends on uninitialised memory.
extern "C" fn warning(origin: PoisonOrigin, pc: u64) {
    if RUNNING.read() {
        uninitialised::note_use(of_call(pc), origin);
    }
}

/// A local variable begins.
extern "C" fn poison_variable(start: u64, len: u64, _description: u64, pc: u64) {
    if poison::is_on() {
        poison::poison(start, len, poison::origin(pc));
    }
}

/// A local variable begins that is initialised as it begins.
#[unsafe(no_mangle)]
extern "C" fn __msan_unpoison_alloca(start: u64, len: u64) {
    poison::clear(start, len);
}

/// Inline assembly may write to an operand.
#[unsafe(no_mangle)]
extern "C" fn __msan_instrument_asm_store(start: u64, len: u64) {
    poison::clear(start, len);
}

/// Memory is copied between disjoint ranges.
#[unsafe(no_mangle)]
extern "C" fn __msan_memcpy(to: *mut u8, from: *const u8, len: u64) -> *mut u8 {
    __msan_memmove(to, from, len)
}

/// Memory is copied.
#[unsafe(no_mangle)]
extern "C" fn __msan_memmove(to: *mut u8, from: *const u8, len: u64) -> *mut u8 {
    poison::copy(from as u64, to as u64, len);
    // SAFETY: the program makes the copy at this place, with these arguments.
    unsafe { core::ptr::copy(from, to, len as usize) };
    to
}

/// Memory is filled with a byte, which the caller has looked at.
#[unsafe(no_mangle)]
extern "C" fn __msan_memset(to: *mut u8, byte: i32, len: u64) -> *mut u8 {
    poison::clear(to as u64, len);
    // SAFETY: the program fills the memory at this place, with these arguments.
    unsafe { core::ptr::write_bytes(to, byte as u8, len as usize) };
    to
}

/// `__inspect_uninitialised`: the program finds uses of uninitialised memory.
#[unsafe(no_mangle)]
pub(super) extern "C" fn __inspect_uninitialised() {
    poison::want();
}

/// `__inspect_fresh`: a block was allocated.
#[unsafe(naked)]
#[unsafe(no_mangle)]
pub(super) extern "C" fn __inspect_fresh(_block: u64) {
    naked_asm!("mov rsi, [rsp]", "jmp {}", sym fresh)
}

extern "C" fn fresh(block: u64, pc: u64) {
    if poison::is_on()
        && let Some(info) = arena::block_of(block).filter(|info| info.start == block)
    {
        poison::poison(block, info.size, poison::origin(pc));
    }
}

/// `__inspect_filled`: code that is not instrumented may initialise an object. Where its size is not known, that is the
/// whole block, or what lies around the address on the stack.
#[unsafe(no_mangle)]
pub(super) extern "C" fn __inspect_filled(object: u64, size: u64) {
    const AROUND: u64 = 4096;
    if !poison::is_on() {
        return;
    }
    if size > 0 {
        poison::clear(object, size);
    } else if ARENAS.contains(object) {
        arena::block_of(object).into_iter().for_each(|info| poison::clear(info.start, info.size));
    } else if STACKS.contains(object) {
        let stack = fiber::slot_of_address(object).map(fiber::stack).unwrap_or_default();
        let (start, end) = (object.saturating_sub(AROUND).max(stack.start), (object + AROUND).min(stack.end));
        poison::clear(start, end.saturating_sub(start));
    } else {
        poison::clear(object, 1);
    }
}

/// `__inspect_filled_by`: the same, if the function that is called is not instrumented.
#[unsafe(no_mangle)]
pub(super) extern "C" fn __inspect_filled_by(target: u64, object: u64, size: u64) {
    if poison::is_on() && !poison::is_kept_by(target) {
        __inspect_filled(object, size);
    }
}

/// `__inspect_forget_arguments`: what is known of the arguments of earlier calls does not hold any more.
#[unsafe(no_mangle)]
pub(super) extern "C" fn __inspect_forget_arguments() {
    bits_of_call::forget_arguments();
}
