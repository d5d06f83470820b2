//! Effects of announced calls that go on from what an argument points to, or depend on flags.

use super::descriptors::look_at_stream;
use super::library_state::Use;
use crate::engine::uncomparable_during;
use crate::hooks::{argument_read, argument_write};
use inspect_core::event::SiteId;

/// A draw from a `struct random_data`: where it stands in the numbers that the program gave it moves on, and two of
/// them are read. That all are written is announced, as the next call depends on them.
pub(super) fn draw_random(data: u64, site: SiteId) {
    const STATE: u64 = 16;
    const DEGREE: u64 = 28;
    if data == 0 {
        return;
    }
    // SAFETY: the program passes a `struct random_data`; if not, it faults here as it would in the C library.
    let (state, degree) = unsafe { (*((data + STATE) as *const u64), *((data + DEGREE) as *const u32)) };
    argument_write(state, 4 * u64::from(degree.max(1)), site);
}

/// A stream that is used without its lock: a plain access to it.
pub(super) fn use_unlocked(stream: u64, site: SiteId) {
    look_at_stream(stream, site);
    argument_write(stream, 8, site);
}

/// Announces that a vector of `count` buffers is read, and then an access to each buffer. A vector with more than the
/// system allows is refused unread.
pub(super) fn use_vector(vector: u64, count: u64, access: fn(u64, u64, SiteId), site: SiteId) {
    const LARGEST: u64 = 1024;
    let count = u64::try_from(count as i32).ok().filter(|count| *count <= LARGEST).unwrap_or(0);
    uncomparable_during(|| {
        argument_read(vector, 16 * count, site);
        for piece in 0..count {
            // SAFETY: the program passes a vector of buffers; if not, it faults here as it would there.
            let [start, len] = unsafe { *((vector + 16 * piece) as *const [u64; 2]) };
            access(start, len, site);
        }
    });
}

/// What `fopen` does to the file, by the mode at this address.
pub(super) fn how_stream_opened(mode: u64) -> Use {
    // SAFETY: the program passes a mode; if not, it faults here as it would in the C library.
    let mode = unsafe { core::ffi::CStr::from_ptr(mode as *const core::ffi::c_char) }.to_bytes();
    if mode.starts_with(b"r") && !mode.contains(&b'+') { Use::Look } else { Use::Change }
}

pub(super) fn how_opened(flags: u64) -> Use {
    const WRITE_ONLY: u64 = 1;
    const READ_WRITE: u64 = 2;
    const CREATE: u64 = 0o100;
    const TRUNCATE: u64 = 0o1000;
    if flags & (WRITE_ONLY | READ_WRITE | CREATE | TRUNCATE) == 0 { Use::Look } else { Use::Change }
}

/// The pointer at this address.
pub(super) fn pointee(address: u64) -> u64 {
    // SAFETY: the program passes the address of a pointer; if not, it faults here as it would in the C library.
    if address == 0 { 0 } else { unsafe { *(address as *const u64) } }
}
