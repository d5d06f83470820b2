//! malloc and its family.
//!
//! In an explored program every allocation comes from the arenas, from the first constructor on. In a program that is
//! not explored, calls are passed on to the C library.

use crate::platform::caller::with_return_address;
use crate::platform::upcalls::upcalls;
use crate::platform::{arena, elf, explored, program, sys};
use core::sync::atomic::{AtomicPtr, Ordering};
use sys::errno::{EINVAL, ENOMEM};

const GRANULE: u64 = 16;

/// The C library's own function, looked up at its first use.
macro_rules! real {
    ($name:literal as $kind:ty) => {{
        static REAL: AtomicPtr<()> = AtomicPtr::new(core::ptr::null_mut());
        let mut function = REAL.load(Ordering::Relaxed);
        if function.is_null() {
            function = elf::real($name).cast_mut();
            REAL.store(function, Ordering::Relaxed);
        }
        // SAFETY: the C library's function of this name has this signature.
        unsafe { core::mem::transmute::<*mut (), $kind>(function) }
    }};
}

with_return_address!(interpose_malloc, "rsi", malloc);
with_return_address!(interpose_calloc, "rdx", calloc);
with_return_address!(interpose_realloc, "rdx", realloc);
with_return_address!(interpose_reallocarray, "rcx", reallocarray);
with_return_address!(interpose_free, "rsi", free);
with_return_address!(interpose_cfree, "rsi", free);
with_return_address!(interpose_posix_memalign, "rcx", posix_memalign);
with_return_address!(interpose_aligned_alloc, "rdx", aligned_alloc);
with_return_address!(interpose_memalign, "rdx", memalign);
with_return_address!(interpose_valloc, "rsi", valloc);
with_return_address!(interpose_pvalloc, "rsi", pvalloc);
with_return_address!(interpose_malloc_usable_size, "rsi", malloc_usable_size);

fn or_out_of_memory(block: u64) -> u64 {
    if block == 0 {
        program::set_errno(ENOMEM);
    }
    block
}

extern "C" fn malloc(size: u64, pc: u64) -> u64 {
    if !explored() {
        return real!("malloc" as extern "C" fn(u64) -> u64)(size);
    }
    or_out_of_memory(arena::allocate(size, GRANULE, false, pc))
}

extern "C" fn calloc(count: u64, size: u64, pc: u64) -> u64 {
    if !explored() {
        return real!("calloc" as extern "C" fn(u64, u64) -> u64)(count, size);
    }
    or_out_of_memory(count.checked_mul(size).map_or(0, |bytes| arena::allocate(bytes, GRANULE, true, pc)))
}

extern "C" fn realloc(block: u64, size: u64, pc: u64) -> u64 {
    if !explored() {
        return real!("realloc" as extern "C" fn(u64, u64) -> u64)(block, size);
    }
    if block == 0 {
        return malloc(size, pc);
    }
    if size == 0 {
        free(block, pc);
        return 0;
    }
    upcalls().on_freeing(block, pc);
    match arena::resize(block, size, pc) {
        Ok(moved) => or_out_of_memory(moved),
        Err(error) => upcalls().on_heap_error(error, block, pc),
    }
}

extern "C" fn reallocarray(block: u64, count: u64, size: u64, pc: u64) -> u64 {
    if !explored() {
        return real!("reallocarray" as extern "C" fn(u64, u64, u64) -> u64)(block, count, size);
    }
    match count.checked_mul(size) {
        Some(bytes) => realloc(block, bytes, pc),
        None => or_out_of_memory(0),
    }
}

extern "C" fn free(block: u64, pc: u64) {
    if !explored() {
        return real!("free" as extern "C" fn(u64))(block);
    }
    if block == 0 {
        return;
    }
    upcalls().on_freeing(block, pc);
    if let Err(error) = arena::release(block, pc) {
        upcalls().on_heap_error(error, block, pc);
    }
}

extern "C" fn posix_memalign(place: *mut u64, align: u64, size: u64, pc: u64) -> i32 {
    if !explored() {
        return real!("posix_memalign" as extern "C" fn(*mut u64, u64, u64) -> i32)(place, align, size);
    }
    if !align.is_power_of_two() || !align.is_multiple_of(8) {
        return EINVAL as i32;
    }
    upcalls().on_result_written(place as u64, 8, pc);
    match arena::allocate(size, align, false, pc) {
        0 => ENOMEM as i32,
        block => {
            // SAFETY: the program passes a place for a pointer.
            unsafe { *place = block };
            0
        }
    }
}

extern "C" fn aligned_alloc(align: u64, size: u64, pc: u64) -> u64 {
    if !explored() {
        return real!("aligned_alloc" as extern "C" fn(u64, u64) -> u64)(align, size);
    }
    aligned(align, size, pc)
}

extern "C" fn memalign(align: u64, size: u64, pc: u64) -> u64 {
    if !explored() {
        return real!("memalign" as extern "C" fn(u64, u64) -> u64)(align, size);
    }
    aligned(align.max(1).checked_next_power_of_two().unwrap_or(0), size, pc)
}

/// A block with an alignment that is a power of two; with any other one the call fails.
fn aligned(align: u64, size: u64, pc: u64) -> u64 {
    if !align.is_power_of_two() {
        program::set_errno(EINVAL);
        return 0;
    }
    or_out_of_memory(arena::allocate(size, align, false, pc))
}

extern "C" fn valloc(size: u64, pc: u64) -> u64 {
    if !explored() {
        return real!("valloc" as extern "C" fn(u64) -> u64)(size);
    }
    aligned(sys::PAGE, size, pc)
}

extern "C" fn pvalloc(size: u64, pc: u64) -> u64 {
    if !explored() {
        return real!("pvalloc" as extern "C" fn(u64) -> u64)(size);
    }
    aligned(sys::PAGE, size.checked_next_multiple_of(sys::PAGE).unwrap_or(u64::MAX), pc)
}

extern "C" fn malloc_usable_size(block: u64, pc: u64) -> u64 {
    if !explored() {
        return real!("malloc_usable_size" as extern "C" fn(u64) -> u64)(block);
    }
    upcalls().on_asked(block, pc);
    arena::block_of(block).filter(|info| info.start == block).map_or(0, |info| info.size)
}
