//! Descriptors and the private overlay of the file system.
//!
//! Files opened for reading are the real ones. A file opened for writing is a copy in memory from the first such open
//! of its path on, for the rest of the run; a removed file is removed in the overlay only. Nothing on disk changes.
//! After the run the descriptors it opened are closed, those it closed or replaced are brought back, and so are the
//! file positions of those it inherited.

mod descriptors;
mod entry;
mod overlay;
mod path;
mod reserved;

pub(super) use descriptors::{
    CURRENT_DIRECTORY, EPOCH, can_be_read_again, changed, close, correct_stat, describes, differing, duplicate,
    duplicate_to, generation, hide, inherited, install, is_kind_open, is_mapped, kind, kind_of_copy, listing_differs,
    maker, note_change, note_mapping, path_of, remember, reset, set_umask, without_process,
};
pub use descriptors::{DESCRIPTORS, DescriptorKind};
pub use overlay::SocketPath;
pub(super) use overlay::{
    Opened, entry_to_change, find_socket, make_socket_file, note_written, open, overlaid, rename, set_attributes,
    truncate, unlink,
};
pub(super) use path::resolve;
pub(super) use reserved::{open_reserved, release_reserved};
