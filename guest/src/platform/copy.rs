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

/// SAFETY: as for [`pages`].
unsafe fn page(to: u64, from: u64) {
    // SAFETY: passed on; the direction flag is clear by the calling convention.
    unsafe {
        asm!("rep movsq", inout("rcx") PAGE / 8 => _, inout("rdi") to => _, inout("rsi") from => _,
            options(nostack, preserves_flags));
    }
}
