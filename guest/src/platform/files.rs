//! Descriptors and the private overlay of the file system.
//!
//! Files are known by device and number, and names are kept apart from them. A file is that on disk until the run
//! changes what is in it: then a private copy is made in memory, and every descriptor of the file that is open becomes
//! one of the copy, with its position and its flags. A name that the run gives or takes away is so in the overlay only.
//! Nothing on disk changes. After the run the descriptors it opened are closed, those it closed or replaced are brought
//! back, and so are the file positions of those it inherited.

mod change;
mod control;
mod copy;
mod descriptors;
mod entry;
mod fifos;
mod file;
mod flags;
mod folder;
mod listing;
mod locks;
mod memory;
mod open;
mod path;
mod paths;
mod private;
mod refusal;
mod reserved;
mod sockets;
mod status;
mod walk;

pub(super) use change::{
    file_behind, file_to_change, keeps_owner, link, make_folder, remove_folder, rename, set_permissions, set_times,
    symlink, truncate, unlink,
};
pub(super) use control::{of_description, set_of_inherited, set_own};
pub(super) use copy::{Side, copy_range, send};
pub(super) use descriptors::{
    CURRENT_DIRECTORY, again, can_be_read_again, changed, close, describes, describes_file, description, differing,
    duplicate, duplicate_to, generation, hide, inherited, install, is_always_ready, is_kind_open, is_output, kind,
    maker, note_change, remember, renames, reset, set_umask,
};
pub use descriptors::{DESCRIPTORS, DescriptorKind};
pub(super) use fifos::{fifo_at, kernel_end, make_fifo_file};
pub(super) use file::note_written;
pub(super) use folder::{change as change_folder, change_to_descriptor, is_moved, show as show_folder};
pub(super) use listing::{read as read_listing, seek as seek_listing};
pub use locks::Asked;
pub(super) use locks::{asked_lock, begin_locking, lockable, process_lock};
pub(super) use memory::make_memory_file;
pub(super) use open::open;
pub(super) use paths::{is_mapped, is_read_only, note_mapping, path_of, without_process};
pub(super) use refusal::Refusal;
pub(super) use reserved::{open_reserved, release_reserved};
pub use sockets::SocketPath;
pub(super) use sockets::{find_socket, make_socket_file};
pub use status::PathObject;
pub(super) use status::{Shown, access, object_of, of_descriptor, of_path, read_link};
