//! What objects do when the process ends, and which objects are the system's own.

use super::{AT_SYSINFO_EHDR, DT_NULL, LinkMap, auxiliary, find, first_object, image};
use crate::platform::maps;
use alloc::string::String;
use alloc::vec::Vec;

/// Whether code of the program or of a library of its own runs when the process ends, beside functions that are
/// registered in a run: destructors, or what an object does when it is unloaded. The C library, the loader and the
/// kernel's library have none that the program could notice.
pub(in crate::platform) fn has_destructors() -> bool {
    const DT_FINI: u64 = 13;
    const DT_FINI_ARRAYSZ: u64 = 28;
    let ours = image();
    let system = System::find();
    let mut map = first_object();
    // SAFETY: as in `find`.
    while let Some(object) = unsafe { map.as_ref() } {
        map = object.next;
        if object.dynamic.is_null() || ours.contains(object.dynamic as u64) || system.has(object) {
            continue;
        }
        // SAFETY: as in `find`; the function is code of the object.
        let finishes = unsafe {
            let function = entry_of(object, DT_FINI).map(|value| (object.bias + value) as *const u8);
            let size = entry_of(object, DT_FINI_ARRAYSZ).unwrap_or(0);
            function.is_none_or(|function| !is_empty_finish(function)) || size > size_of::<u64>() as u64
        };
        if finishes {
            return true;
        }
    }
    false
}

/// The files of the C library, the loader and the kernel's library.
pub(super) struct System {
    mappings: Vec<maps::Mapping>,
}

impl System {
    pub(super) fn find() -> System {
        let parts = [find("exit") as u64, auxiliary(AT_BASE), auxiliary(AT_SYSINFO_EHDR)];
        let mut mappings = maps::all();
        let is_part = |mapping: &maps::Mapping| parts.iter().any(|&address| mapping.range.contains(address));
        let names: Vec<String> = mappings.iter().filter(|m| is_part(m)).map(|m| m.name.clone()).collect();
        mappings.retain(|mapping| names.contains(&mapping.name));
        System { mappings }
    }

    pub(super) fn has(&self, object: &LinkMap) -> bool {
        self.mappings.iter().any(|mapping| mapping.range.contains(object.dynamic as u64))
    }
}

/// Where the loader lies, in the auxiliary vector.
const AT_BASE: u64 = 7;

/// The value of an entry of an object's dynamic section.
///
/// # Safety
/// `object` is one of the loader's list.
pub(super) unsafe fn entry_of(object: &LinkMap, wanted: u64) -> Option<u64> {
    let mut entry = object.dynamic;
    // SAFETY: a dynamic section ends with DT_NULL.
    while let [key, value] = unsafe { *entry }
        && key != DT_NULL
    {
        if key == wanted {
            return Some(value);
        }
        // SAFETY: as above.
        entry = unsafe { entry.add(1) };
    }
    None
}

/// Whether a function is the one of the compiler's start files to which nothing was added. With these comes one
/// destructor, which matters only to objects that are unloaded.
///
/// # Safety
/// It is the `DT_FINI` of an object in memory.
unsafe fn is_empty_finish(function: *const u8) -> bool {
    // endbr64; sub rsp, 8; add rsp, 8; ret
    const EMPTY: [u8; 13] = [0xf3, 0x0f, 0x1e, 0xfa, 0x48, 0x83, 0xec, 8, 0x48, 0x83, 0xc4, 8, 0xc3];
    // SAFETY: passed on; code goes on for at least as long, as the start files' next section is padded to 16 bytes.
    let found = unsafe { core::slice::from_raw_parts(function, EMPTY.len()) };
    found == EMPTY || found[..EMPTY.len() - 4] == EMPTY[4..]
}
