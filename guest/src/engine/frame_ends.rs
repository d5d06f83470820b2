//! The end of functions that are left in another way than by returning.

use super::detection::plain;
use super::notes::{forget_objects, has_other_threads, note_ended};
use super::threads::me;
use inspect_core::event::{ByteRange, SiteId};

/// The running thread leaves all frames of its stack below this address, without returning from them: their variables
/// end. The order of their ends with other threads' operations is not explored, so this looks for races only.
pub(crate) fn frames_end(end: u64, site: SiteId) {
    let start = &raw const site as u64;
    if start >= end {
        return;
    }
    let frames = ByteRange { start, len: (end - start).min(u32::MAX.into()) as u32 };
    if has_other_threads() {
        plain(me(), frames, true, site);
        forget_objects(frames);
    }
    note_ended(frames);
}
