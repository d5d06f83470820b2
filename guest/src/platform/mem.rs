//! The memory functions that the compiler calls. The guest may not use the C library's: those belong to the program
//! and are restored, trapped and modelled.

use core::arch::asm;
use core::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_storeu_si128};

/// Copies and fills of this size and more use the processor's string instructions.
const STRING_SIZE: usize = 1024;

#[unsafe(no_mangle)]
unsafe extern "C" fn memcpy(to: *mut u8, from: *const u8, len: usize) -> *mut u8 {
    // SAFETY: the caller guarantees that the ranges are valid and disjoint; each helper touches `len` bytes only.
    unsafe {
        if len >= STRING_SIZE {
            forward(to, from, len);
        } else {
            small_copy(to, from, len);
        }
    }
    to
}

/// Copies in ascending order of addresses.
///
/// # Safety
/// As for [`memcpy`].
#[inline(always)]
unsafe fn forward(to: *mut u8, from: *const u8, len: usize) {
    // SAFETY: the caller guarantees the ranges; the direction flag is clear by the calling convention.
    unsafe {
        asm!("rep movsb", inout("rcx") len => _, inout("rdi") to => _, inout("rsi") from => _,
            options(nostack, preserves_flags));
    }
}

/// [`small_copy`] of at least 16 bytes: in blocks of 16, the last of which may overlap the one before it.
///
/// # Safety
/// The first range can be written and the second one read.
#[inline(always)]
unsafe fn copy_blocks(to: *mut u8, from: *const u8, len: usize) {
    // SAFETY: every access is within the first `len` bytes of the ranges.
    unsafe {
        let load = |at: usize| _mm_loadu_si128(from.add(at).cast::<__m128i>());
        let store = |at: usize, block| _mm_storeu_si128(to.add(at).cast::<__m128i>(), block);
        let tail = load(len - 16);
        let backwards = (to as usize).wrapping_sub(from as usize) < len;
        if backwards {
            let head = load(0);
            let mut at = len - 16;
            store(at, tail);
            while at > 16 {
                at -= 16;
                store(at, load(at));
                asm!("", options(nostack, preserves_flags));
            }
            store(0, head);
        } else {
            let mut at = 0;
            while at + 64 < len {
                let blocks = [load(at), load(at + 16), load(at + 32), load(at + 48)];
                store(at, blocks[0]);
                store(at + 16, blocks[1]);
                store(at + 32, blocks[2]);
                store(at + 48, blocks[3]);
                at += 64;
                asm!("", options(nostack, preserves_flags));
            }
            while at + 16 < len {
                store(at, load(at));
                at += 16;
                asm!("", options(nostack, preserves_flags));
            }
            store(len - 16, tail);
        }
    }
}

/// Copies up to [`STRING_SIZE`] bytes, also between overlapping ranges: everything is loaded before it is stored, or
/// the blocks are taken in the direction in which nothing is overwritten before it is read.
///
/// # Safety
/// The first range can be written and the second one read.
#[inline(always)]
unsafe fn small_copy(to: *mut u8, from: *const u8, len: usize) {
    // SAFETY: every access is within the first `len` bytes of the ranges.
    unsafe {
        if len >= 16 {
            copy_blocks(to, from, len);
        } else if len >= 8 {
            let head = from.cast::<u64>().read_unaligned();
            let tail = from.add(len - 8).cast::<u64>().read_unaligned();
            to.cast::<u64>().write_unaligned(head);
            to.add(len - 8).cast::<u64>().write_unaligned(tail);
        } else if len >= 4 {
            let head = from.cast::<u32>().read_unaligned();
            let tail = from.add(len - 4).cast::<u32>().read_unaligned();
            to.cast::<u32>().write_unaligned(head);
            to.add(len - 4).cast::<u32>().write_unaligned(tail);
        } else if len > 0 {
            let (first, middle, last) = (*from, *from.add(len / 2), *from.add(len - 1));
            *to = first;
            *to.add(len / 2) = middle;
            *to.add(len - 1) = last;
        }
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn memmove(to: *mut u8, from: *const u8, len: usize) -> *mut u8 {
    // SAFETY: the caller guarantees the ranges; a copy towards higher addresses inside the range goes backwards.
    unsafe {
        if len < STRING_SIZE {
            small_copy(to, from, len);
        } else if (to as usize).wrapping_sub(from as usize) >= len {
            forward(to, from, len);
        } else {
            asm!("std", "rep movsb", "cld", inout("rcx") len => _, inout("rdi") to.add(len - 1) => _,
                inout("rsi") from.add(len - 1) => _, options(nostack));
        }
    }
    to
}

#[unsafe(no_mangle)]
unsafe extern "C" fn memset(to: *mut u8, byte: i32, len: usize) -> *mut u8 {
    // SAFETY: the caller guarantees the range.
    unsafe {
        if len >= STRING_SIZE {
            asm!("rep stosb", inout("rcx") len => _, inout("rdi") to => _, in("al") byte as u8,
                options(nostack, preserves_flags));
        } else {
            small_set(to, byte as u8, len);
        }
    }
    to
}

/// Sets up to [`STRING_SIZE`] bytes, in blocks the last of which may overlap the one before it.
///
/// # Safety
/// The range can be written.
#[inline(always)]
unsafe fn small_set(to: *mut u8, byte: u8, len: usize) {
    let word = u64::from(byte) * 0x0101_0101_0101_0101;
    // SAFETY: every access is within the first `len` bytes of the range.
    unsafe {
        if len >= 16 {
            let mut at = 0;
            while at + 16 < len {
                to.add(at).cast::<[u64; 2]>().write_unaligned([word; 2]);
                at += 16;
                asm!("", options(nostack, preserves_flags));
            }
            to.add(len - 16).cast::<[u64; 2]>().write_unaligned([word; 2]);
        } else if len >= 8 {
            to.cast::<u64>().write_unaligned(word);
            to.add(len - 8).cast::<u64>().write_unaligned(word);
        } else if len >= 4 {
            to.cast::<u32>().write_unaligned(word as u32);
            to.add(len - 4).cast::<u32>().write_unaligned(word as u32);
        } else if len > 0 {
            *to = byte;
            *to.add(len / 2) = byte;
            *to.add(len - 1) = byte;
        }
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn memcmp(a: *const u8, b: *const u8, len: usize) -> i32 {
    let mut at = 0;
    // SAFETY: the caller guarantees both ranges; reads stay below `len`.
    unsafe {
        while at + 8 <= len && a.add(at).cast::<u64>().read_unaligned() == b.add(at).cast::<u64>().read_unaligned() {
            at += 8;
            asm!("", options(nostack, preserves_flags));
        }
        while at < len {
            let (x, y) = (*a.add(at), *b.add(at));
            if x != y {
                return i32::from(x) - i32::from(y);
            }
            at += 1;
            asm!("", options(nostack, preserves_flags));
        }
    }
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn bcmp(a: *const u8, b: *const u8, len: usize) -> i32 {
    // SAFETY: as for memcmp.
    unsafe { memcmp(a, b, len) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn strlen(text: *const u8) -> usize {
    let mut len = 0;
    // SAFETY: the caller guarantees a terminating NUL.
    unsafe {
        while *text.add(len) != 0 {
            len += 1;
            asm!("", options(nostack, preserves_flags));
        }
    }
    len
}

/// The compiler's core library was built to unwind and names this. The program's exceptions pass by the guest's frames,
/// which have nothing to clean up. An empty function would not do: identical functions are merged, and the frames would
/// name as their personality one that the code generator does not know as such.
#[unsafe(no_mangle)]
extern "C" fn rust_eh_personality() -> i32 {
    const CONTINUE: i32 = 8;
    CONTINUE
}

/// As above.
#[unsafe(no_mangle)]
extern "C" fn _Unwind_Resume() -> ! {
    super::sys::fatal("unwinding reached the guest")
}
