//! Objects of shared memory: files in a folder of the system's, where the C library looks up their names.

use super::descriptors;
use super::library_state::{CURRENT_DIRECTORY, Use, use_name};
use core::ffi::{CStr, c_char};
use inspect_core::event::SiteId;

const FOLDER: &[u8] = b"/dev/shm/";
/// Longest name of a file, without the byte that ends it.
const LONGEST: usize = 255;

/// A path, with the byte that ends it.
type Path = [u8; FOLDER.len() + LONGEST + 1];

/// The path of the object with this name; None if no object can have the name: the call fails.
fn path(name: u64) -> Option<Path> {
    // SAFETY: the program passes a name; if not, it faults here as it would in the C library.
    let name = unsafe { CStr::from_ptr(name as *const c_char) }.to_bytes();
    let slashes = name.iter().take_while(|&&byte| byte == b'/').count();
    let name = &name[slashes..];
    if name.is_empty() || name.len() > LONGEST || name.contains(&b'/') {
        return None;
    }
    let mut path = [0; _];
    for (to, from) in path.iter_mut().zip(FOLDER.iter().chain(name)) {
        *to = *from;
    }
    Some(path)
}

/// `shm_open`.
pub(super) fn open(name: u64, how: Use, site: SiteId) {
    if let Some(path) = path(name) {
        descriptors::open_name(CURRENT_DIRECTORY, path.as_ptr() as u64, how, site);
    }
}

/// `shm_unlink`.
pub(super) fn change(name: u64, site: SiteId) {
    if let Some(path) = path(name) {
        use_name(CURRENT_DIRECTORY, path.as_ptr() as u64, Use::Change, site);
    }
}
