//! Which synchronisation objects are initialised without a call in the run: by a constructor of a shared library, which
//! comes before the first run, or by being zero variables with static storage. (Static initialisers leave a mark, which
//! the models look for themselves.)

use crate::platform::{ARENAS, Global, STACKS, explored};
use alloc::vec::Vec;
use core::ops::Range;

static BY_CONSTRUCTORS: Global<Vec<u64>> = Global::new(Vec::new());

/// Notes that an object is initialised before main.
pub(super) fn note(object: u64) {
    if explored() {
        // SAFETY: one OS thread; the borrow ends with this statement.
        unsafe { BY_CONSTRUCTORS.get() }.push(object);
    }
}

/// Whether an object of `len` bytes without a mark is initialised all the same. Where zeros do it, the bytes of its
/// `setting` may be others.
pub(super) fn is_initialised(object: u64, len: usize, setting: Range<usize>) -> bool {
    let is_static = !ARENAS.contains(object) && !STACKS.contains(object);
    // SAFETY: the caller has read the object before.
    let bytes = unsafe { core::slice::from_raw_parts(object as *const u8, len) };
    (is_static && is_zero_but(bytes, &setting)) || is_by_constructor(object)
}

/// Whether an object was initialised by a call before main.
pub(super) fn is_by_constructor(object: u64) -> bool {
    // SAFETY: one OS thread; the borrow ends with this statement.
    unsafe { BY_CONSTRUCTORS.get() }.contains(&object)
}

/// All zeros, but for a setting.
fn is_zero_but(bytes: &[u8], setting: &Range<usize>) -> bool {
    bytes.iter().enumerate().all(|(at, &byte)| byte == 0 || setting.contains(&at))
}
