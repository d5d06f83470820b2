//! Descriptors and the private overlay of the file system.
//!
//! Files opened for reading are the real ones. A file opened for writing is a copy in memory from the first such open
//! of its path on, for the rest of the run; a removed file is removed in the overlay only. Nothing on disk changes.
//! After the run the descriptors it opened are closed, those it closed or replaced are brought back, and so are the
//! file positions of those it inherited.

mod descriptors;
mod overlay;
mod path;

pub(super) use descriptors::{
    CURRENT_DIRECTORY, EPOCH, can_be_read_again, changed, close, correct_stat, describes, differing, duplicate,
    duplicate_to, generation, hide, inherited, install, is_mapped, kind, kind_of_copy, listing_differs, maker,
    note_change, note_mapping, path_of, remember, reset, set_umask, without_process,
};
pub use descriptors::{DESCRIPTORS, DescriptorKind};
pub(super) use overlay::{
    Opened, entry_to_change, note_written, open, overlaid, rename, set_attributes, truncate, unlink,
};
pub(super) use path::resolve;
