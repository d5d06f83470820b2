//! Copying whole pages: most of what happens between two runs.

use super::global::Global;
use super::sys::PAGE;
use core::arch::asm;
use core::arch::x86_64::{
    __cpuid, __m256i, _mm256_castps_si256, _mm256_castsi256_ps, _mm256_load_si256, _mm256_or_ps, _mm256_setzero_si256,
    _mm256_store_si256, _mm256_testz_si256, _mm256_xor_ps, _xgetbv,
};

/// Whether the processor and the kernel offer 32-byte registers.
static WIDE: Global<bool> = Global::new(false);

/// Looks at what the processor can do.
pub(super) fn choose() {
    const OSXSAVE: u32 = 1 << 27;
    const AVX: u32 = 1 << 28;
    const STATES: u64 = 6;
    let features = __cpuid(1).ecx;
    // SAFETY: OSXSAVE says that the instruction exists.
    let wide = features & OSXSAVE != 0 && features & AVX != 0 && unsafe { extended_states() } & STATES == STATES;
    WIDE.write(wide);
}

/// # Safety
/// The processor has the instruction.
#[target_feature(enable = "xsave")]
unsafe fn extended_states() -> u64 {
    // SAFETY: passed on.
    unsafe { _xgetbv(0) }
}

/// Copies pages, given as: copy, page, and which parts of the page were zeros in the snapshot. Those that still are
/// need not be copied; `note` is called with them for each page in turn.
///
/// # Safety
/// All are addresses of whole pages, the first of each pair writable, none of which overlap.
pub(super) unsafe fn keep(list: impl Iterator<Item = (u64, u64, u16)>, mut note: impl FnMut(u16)) {
    // SAFETY: passed on; WIDE says that the processor has the instructions.
    unsafe {
        if WIDE.read() {
            for (to, from, zeros) in list {
                note(keep_wide(to, from, zeros));
            }
        } else {
            for (to, from, _) in list {
                page(to, from);
                note(0);
            }
        }
    }
}

/// Brings pages back, given as: page, copy, and which parts of the copy are [`zeros`].
///
/// # Safety
/// As for [`keep`], and the zeros are right.
pub(super) unsafe fn restore(list: impl Iterator<Item = (u64, u64, u16)>) {
    // SAFETY: passed on; WIDE says that the processor has the instructions.
    unsafe {
        if WIDE.read() {
            for (to, from, zeros) in list {
                restore_wide(to, from, zeros);
            }
        } else {
            for (to, from, _) in list {
                page(to, from);
            }
        }
    }
}

/// Which of the 16 parts of two pages differ, a bit each, given which parts of the other one are [`zeros`]. Parts
/// before `from` are not looked at.
///
/// # Safety
/// Both are addresses of whole readable pages, and the zeros are right.
pub(super) unsafe fn differing(page: u64, other: u64, zeros: u16, from: u64) -> u16 {
    // SAFETY: passed on; WIDE says that the processor has the instructions.
    unsafe {
        if WIDE.read() {
            return differing_wide(page, other, zeros, from);
        }
        let parts = |page: u64| &*(page as *const [[u64; PART as usize / 8]; 16]);
        let pairs = parts(page).iter().zip(parts(other)).enumerate().skip(from as usize);
        pairs.fold(0, |set, (at, (part, other))| set | u16::from(part != other) << at)
    }
}

/// # Safety
/// As for [`differing`], and the processor has AVX.
#[target_feature(enable = "avx")]
unsafe fn differing_wide(page: u64, other: u64, zeros: u16, from: u64) -> u16 {
    let mut set = 0;
    for part in from..16 {
        let (one, two) = ((page + part * PART) as *const __m256i, (other + part * PART) as *const __m256i);
        if zeros >> part & 1 != 0 {
            // SAFETY: part of the first page.
            set |= u16::from(!unsafe { is_zero(one) }) << part;
            continue;
        }
        // SAFETY: parts of the two pages.
        let load = |from: *const __m256i, at: usize| _mm256_castsi256_ps(unsafe { _mm256_load_si256(from.add(at)) });
        let any = (0..8).fold(_mm256_castsi256_ps(_mm256_setzero_si256()), |any, at| {
            _mm256_or_ps(any, _mm256_xor_ps(load(one, at), load(two, at)))
        });
        let any = _mm256_castps_si256(any);
        set |= u16::from(_mm256_testz_si256(any, any) == 0) << part;
    }
    set
}

/// Bytes of a part of a page.
pub(super) const PART: u64 = PAGE / 16;

/// Which of the 16 parts of a page are all zeros, a bit each.
pub(super) fn zeros(page: u64) -> u16 {
    // SAFETY: the callers name a whole readable page.
    let parts = unsafe { &*(page as *const [[u64; PART as usize / 8]; 16]) };
    parts.iter().enumerate().fold(0, |set, (at, part)| set | u16::from(part.iter().all(|&word| word == 0)) << at)
}

/// Copies a page except for the parts of `zeros` that still are; returns those.
///
/// # Safety
/// As for [`keep`], and the processor has AVX.
#[target_feature(enable = "avx")]
unsafe fn keep_wide(to: u64, from: u64, zeros: u16) -> u16 {
    let mut still = 0;
    for part in 0..16 {
        let to = (to + part * PART) as *mut __m256i;
        let from = (from + part * PART) as *const __m256i;
        // SAFETY: parts of the two pages.
        unsafe {
            if zeros >> part & 1 != 0 && is_zero(from) {
                still |= 1 << part;
            } else {
                copy_part(to, from);
            }
        }
    }
    still
}

/// Most of a page on a stack is zeros, and a run changes little of that: looking for what it changed takes half as long
/// as copying zeros over all of it.
///
/// # Safety
/// As for [`restore`], and the processor has AVX.
#[target_feature(enable = "avx")]
unsafe fn restore_wide(to: u64, from: u64, zeros: u16) {
    for part in 0..16 {
        let to = (to + part * PART) as *mut __m256i;
        let from = (from + part * PART) as *const __m256i;
        // SAFETY: parts of the two pages.
        unsafe {
            if zeros >> part & 1 == 0 {
                copy_part(to, from);
            } else if !is_zero(to) {
                for at in 0..8 {
                    _mm256_store_si256(to.add(at), _mm256_setzero_si256());
                }
            }
        }
    }
}

/// # Safety
/// Two aligned parts of pages, the first writable, and the processor has AVX.
#[inline]
#[target_feature(enable = "avx")]
unsafe fn copy_part(to: *mut __m256i, from: *const __m256i) {
    for at in 0..8 {
        // SAFETY: passed on; 8 times 32 bytes.
        unsafe { _mm256_store_si256(to.add(at), _mm256_load_si256(from.add(at))) };
    }
}

/// # Safety
/// An aligned part of a page, and the processor has AVX.
#[inline]
#[target_feature(enable = "avx")]
unsafe fn is_zero(part: *const __m256i) -> bool {
    // SAFETY: passed on; 8 times 32 bytes.
    let load = |at: usize| _mm256_castsi256_ps(unsafe { _mm256_load_si256(part.add(at)) });
    let any = (1..8).fold(load(0), |any, at| _mm256_or_ps(any, load(at)));
    let any = _mm256_castps_si256(any);
    _mm256_testz_si256(any, any) != 0
}

/// # Safety
/// As for [`keep`].
unsafe fn page(to: u64, from: u64) {
    // SAFETY: passed on; the direction flag is clear by the calling convention.
    unsafe {
        asm!("rep movsq", inout("rcx") PAGE / 8 => _, inout("rdi") to => _, inout("rsi") from => _,
            options(nostack, preserves_flags));
    }
}
