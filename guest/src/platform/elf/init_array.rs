//! The list of functions that the C library runs before main, in the program's own file.

use super::destructors::entry_of;
use super::{DT_NULL, LinkMap, first_object};

const DT_INIT_ARRAY: u64 = 25;
const DT_INIT_ARRAYSZ: u64 = 27;

/// The list, as the program's dynamic section describes it.
pub(in crate::platform) struct InitArray {
    pub(in crate::platform) functions: &'static [u64],
    /// Where the dynamic section has its size in bytes.
    pub(in crate::platform) size_at: u64,
}

/// That of the program; None if it has none.
pub(in crate::platform) fn init_array() -> Option<InitArray> {
    // SAFETY: the loader's list begins with the program and is not changed any more; the dynamic section of the program
    // stays where it is.
    unsafe {
        let program: &LinkMap = first_object().as_ref()?;
        let start = entry_of(program, DT_INIT_ARRAY)?;
        let mut entry = program.dynamic;
        while (*entry)[0] != DT_INIT_ARRAYSZ {
            if (*entry)[0] == DT_NULL {
                return None;
            }
            entry = entry.add(1);
        }
        let functions = (program.bias + start) as *const u64;
        let count = (*entry)[1] as usize / size_of::<u64>();
        Some(InitArray {
            functions: core::slice::from_raw_parts(functions, count),
            size_at: entry as u64 + size_of::<u64>() as u64,
        })
    }
}
