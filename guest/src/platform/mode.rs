//! Whether the program is explored, and whether that has begun.

use super::sys;
use core::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use inspect_wire::shared;

static STARTED: AtomicBool = AtomicBool::new(false);

const UNKNOWN: u8 = 0;
const ALONE: u8 = 1;
const EXPLORED: u8 = 2;
static MODE: AtomicU8 = AtomicU8::new(UNKNOWN);

/// Whether the engine is in charge: from just before the first run until the end of the process.
#[inline(always)]
pub fn started() -> bool {
    STARTED.load(Ordering::Relaxed)
}

/// Whether this process is explored at all; known from the first call on, also in constructors.
#[inline(always)]
pub fn explored() -> bool {
    match MODE.load(Ordering::Relaxed) {
        EXPLORED => true,
        ALONE => false,
        _ => find_mode(),
    }
}

/// The engine is in charge from now on.
pub(super) fn start() {
    STARTED.store(true, Ordering::Relaxed);
}

#[cold]
fn find_mode() -> bool {
    let mut magic = 0u64;
    let fd = shared::DESCRIPTOR as u64;
    // SAFETY: the kernel writes eight bytes to `magic`.
    let got = unsafe { sys::call4(sys::nr::__NR_pread64, fd, &raw mut magic as u64, 8, 0) };
    let explored = got == 8 && magic == shared::MAGIC;
    MODE.store(if explored { EXPLORED } else { ALONE }, Ordering::Relaxed);
    explored
}
