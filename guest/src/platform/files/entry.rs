//! What the overlay knows of a path.

use super::path::{REGULAR, SOCKET};
use alloc::string::String;

/// A path that the run has written to or removed.
pub(super) struct Entry {
    pub(super) path: String,
    /// The descriptor of the copy in memory, of the engine; None if the path was removed.
    pub(super) copy: Option<i32>,
    /// Permissions.
    pub(super) mode: u32,
    /// Seconds and nanoseconds of the last access and modification, as the program has set them.
    pub(super) times: [(u64, u64); 2],
    /// The program has mapped it.
    pub(super) mapped: bool,
    /// The entry of the name that it was given instead.
    pub(super) moved: Option<usize>,
    /// The channel of the socket that was bound to it, if it is that of one.
    pub(super) socket: Option<u8>,
}

impl Entry {
    /// Permissions and type, as `stat` has them.
    pub(super) fn mode_with_type(&self) -> u32 {
        self.mode | if self.socket.is_some() { SOCKET } else { REGULAR }
    }
}
