//! Which synchronisation objects are initialised without a call in the run: by a constructor of a shared library, which
//! comes before the first run, or by being zero variables with static storage. (Static initialisers leave a mark, which
//! the models look for themselves.)

use crate::platform::{ARENAS, Global, STACKS, explored};
use alloc::vec::Vec;

static BY_CONSTRUCTORS: Global<Vec<u64>> = Global::new(Vec::new());

/// Notes that an object is initialised before main.
pub(super) fn note(object: u64) {
    if explored() {
        // SAFETY: one OS thread; the borrow ends with this statement.
        unsafe { BY_CONSTRUCTORS.get() }.push(object);
    }
}

/// Whether an object of `len` bytes without a mark is initialised all the same.
pub(super) fn is_initialised(object: u64, len: usize) -> bool {
    let is_static = !ARENAS.contains(object) && !STACKS.contains(object);
    // SAFETY: the caller has read the object before.
    let bytes = unsafe { core::slice::from_raw_parts(object as *const u8, len) };
    (is_static && is_zero(bytes)) || is_by_constructor(object)
}

/// Whether an object was initialised by a call before main.
pub(super) fn is_by_constructor(object: u64) -> bool {
    // SAFETY: one OS thread; the borrow ends with this statement.
    unsafe { BY_CONSTRUCTORS.get() }.contains(&object)
}

/// All zeros, or a static initialiser's kind alone.
fn is_zero(bytes: &[u8]) -> bool {
    const KIND: core::ops::Range<usize> = 16..18;
    bytes.iter().enumerate().all(|(at, &byte)| byte == 0 || KIND.contains(&at))
}
