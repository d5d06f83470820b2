//! Copying whole pages: most of what happens between two runs.

use super::global::Global;
use super::sys::PAGE;
use core::arch::asm;
use core::arch::x86_64::{__cpuid, _xgetbv};

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

/// SAFETY: the processor has the instruction.
#[target_feature(enable = "xsave")]
unsafe fn extended_states() -> u64 {
    // SAFETY: passed on.
    unsafe { _xgetbv(0) }
}

/// Copies pages, given as pairs: to, from.
///
/// # Safety
/// All are addresses of whole pages, the first of each pair writable, none of which overlap.
pub(super) unsafe fn pages(pairs: impl Iterator<Item = (u64, u64)>) {
    // SAFETY: passed on; WIDE says that the processor has the instructions.
    unsafe {
        if WIDE.read() {
            for (to, from) in pairs {
                page_wide(to, from);
            }
        } else {
            for (to, from) in pairs {
                page(to, from);
            }
        }
    }
}

/// SAFETY: as for [`pages`], and the processor has AVX.
#[target_feature(enable = "avx")]
unsafe fn page_wide(to: u64, from: u64) {
    // SAFETY: passed on; 16 rounds of 256 bytes, upwards from the start of both pages.
    unsafe {
        asm!(
            "2:",
            "vmovdqa {a}, [{from} + {at}]",
            "vmovdqa {b}, [{from} + {at} + 32]",
            "vmovdqa {c}, [{from} + {at} + 64]",
            "vmovdqa {d}, [{from} + {at} + 96]",
            "vmovdqa {e}, [{from} + {at} + 128]",
            "vmovdqa {f}, [{from} + {at} + 160]",
            "vmovdqa {g}, [{from} + {at} + 192]",
            "vmovdqa {h}, [{from} + {at} + 224]",
            "vmovdqa [{to} + {at}], {a}",
            "vmovdqa [{to} + {at} + 32], {b}",
            "vmovdqa [{to} + {at} + 64], {c}",
            "vmovdqa [{to} + {at} + 96], {d}",
            "vmovdqa [{to} + {at} + 128], {e}",
            "vmovdqa [{to} + {at} + 160], {f}",
            "vmovdqa [{to} + {at} + 192], {g}",
            "vmovdqa [{to} + {at} + 224], {h}",
            "add {at}, 256",
            "cmp {at}, 4096",
            "jb 2b",
            "vzeroupper",
            from = in(reg) from, to = in(reg) to, at = inout(reg) 0u64 => _,
            a = out(ymm_reg) _, b = out(ymm_reg) _, c = out(ymm_reg) _, d = out(ymm_reg) _,
            e = out(ymm_reg) _, f = out(ymm_reg) _, g = out(ymm_reg) _, h = out(ymm_reg) _,
            options(nostack),
        );
    }
}

/// Brings pages back, given as: page, copy, and which parts of the copy are [`zeros`].
///
/// # Safety
/// As for [`pages`], and the zeros are right.
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

/// Bytes of a part of a page.
const PART: u64 = PAGE / 16;

/// Which of the 16 parts of a page are all zeros, a bit each.
pub(super) fn zeros(page: u64) -> u16 {
    // SAFETY: the callers name a whole readable page.
    let parts = unsafe { &*(page as *const [[u64; PART as usize / 8]; 16]) };
    parts.iter().enumerate().fold(0, |set, (at, part)| set | u16::from(part.iter().all(|&word| word == 0)) << at)
}

/// Most of a page on a stack is zeros, and a run changes little of that: looking for what it changed takes half as long
/// as copying zeros over all of it.
///
/// SAFETY: as for [`restore`], and the processor has AVX.
#[target_feature(enable = "avx")]
unsafe fn restore_wide(to: u64, from: u64, zeros: u16) {
    use core::arch::x86_64::{
        __m256i, _mm256_castps_si256, _mm256_castsi256_ps, _mm256_load_si256, _mm256_or_ps, _mm256_setzero_si256,
        _mm256_store_si256, _mm256_testz_si256,
    };
    for part in 0..16 {
        let to = (to + part * PART) as *mut __m256i;
        let from = (from + part * PART) as *const __m256i;
        // SAFETY: parts of the two pages, 8 times 32 bytes, aligned.
        unsafe {
            if zeros >> part & 1 == 0 {
                for at in 0..8 {
                    _mm256_store_si256(to.add(at), _mm256_load_si256(from.add(at)));
                }
                continue;
            }
            let mut any = _mm256_load_si256(to);
            for at in 1..8 {
                let next = _mm256_castsi256_ps(_mm256_load_si256(to.add(at)));
                any = _mm256_castps_si256(_mm256_or_ps(_mm256_castsi256_ps(any), next));
            }
            if _mm256_testz_si256(any, any) == 0 {
                for at in 0..8 {
                    _mm256_store_si256(to.add(at), _mm256_setzero_si256());
                }
            }
        }
    }
}

/// SAFETY: as for [`pages`].
unsafe fn page(to: u64, from: u64) {
    // SAFETY: passed on; the direction flag is clear by the calling convention.
    unsafe {
        asm!("rep movsq", inout("rcx") PAGE / 8 => _, inout("rdi") to => _, inout("rsi") from => _,
            options(nostack, preserves_flags));
    }
}
