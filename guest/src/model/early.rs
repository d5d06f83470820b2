//! Which synchronisation objects are initialised without a call in the run: by a constructor of a shared library, which
//! comes before the first run, or by being zero variables with static storage. (Static initialisers leave a mark, which
//! the models look for themselves.)

use crate::platform::{ARENAS, Global, STACKS, elf, explored};
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;
use inspect_wire::hooks::names;

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

/// Whether a static initialiser of the object would have left a mark: a variable of the program itself, all parts of
/// which were compiled with our header.
pub(super) fn would_be_marked(object: u64) -> bool {
    static VARIABLES: Global<Option<Range<u64>>> = Global::new(None);
    // SAFETY: one OS thread; the borrow ends with this statement.
    unsafe { VARIABLES.get() }.get_or_insert_with(marked_variables).contains(&object)
}

/// Finds out which variables these are. To be called before the first run.
pub(crate) fn prepare() {
    would_be_marked(0);
}

fn marked_variables() -> Range<u64> {
    let is_whole = |object: &elf::Imports| {
        let names = || object.names.iter().map(String::as_str);
        object.path.is_empty()
            && names().any(|name| name.starts_with("__inspect_"))
            && !names().any(|name| name == names::__inspect_other_parts.name)
    };
    let variables = if elf::imports().iter().any(is_whole) { elf::variables_of_program() } else { None };
    variables.map_or(0..0, |range| range.start..range.end)
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
