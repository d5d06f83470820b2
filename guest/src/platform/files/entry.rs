//! What the overlay knows of a file, of a name and of a folder. A file is known by what it is and not by name: one on
//! disk by its device and number, one that the run has made by a number of its own.

use super::path::FILE_TYPE;
use alloc::string::String;
use alloc::vec::Vec;
use inspect_core::event::SiteId;

/// Seconds and nanoseconds.
pub(super) type Time = (u64, u64);

/// A file whose contents, names or attributes the run has changed.
pub(super) struct File {
    /// A path at which it is on disk, if it was there before the run. Nothing on disk changes, so it stays there.
    pub(super) disk: Option<String>,
    /// Its device and its number there, as `stat` shows them.
    pub(super) device: u64,
    pub(super) number: u64,
    /// The engine's descriptor of the private copy; None as long as the contents are those on disk.
    pub(super) copy: Option<i32>,
    /// Type and permissions.
    pub(super) mode: u32,
    /// The last access, the last modification, and the last change of anything.
    pub(super) times: [Time; 3],
    /// Where time passed in a loop that is not repeated, if one of the times depends on it.
    pub(super) after_loop: Option<SiteId>,
    /// How many names it has.
    pub(super) links: u64,
    /// The program has mapped the private copy.
    pub(super) mapped: bool,
    /// The channel of the socket that was bound to it, if it is that of one.
    pub(super) socket: Option<u8>,
    /// The channel of the pipe whose name it is, if it is that of one.
    pub(super) fifo: Option<u8>,
    /// Where a symbolic link leads.
    pub(super) target: String,
    /// The path that stands for it where operations are compared: the last name that it was given.
    pub(super) name: String,
}

/// A path that leads to something else than on disk.
pub(super) struct Name {
    pub(super) path: String,
    /// What is there; None if nothing is.
    pub(super) file: Option<usize>,
    /// When it was given or taken away.
    pub(super) changed: Time,
}

impl File {
    pub(super) fn is(&self, kind: u32) -> bool {
        self.mode & FILE_TYPE == kind
    }
}

/// To whom locks of ranges of files belong.
#[derive(Clone, Copy, Default)]
pub(super) struct Lockers {
    /// Some belong to the process.
    pub(super) process: bool,
    /// Some belong to open descriptions.
    pub(super) descriptions: bool,
}

/// A name in a folder, and what it is the name of.
pub(super) struct Listed {
    pub(super) name: Vec<u8>,
    /// The number of the file, as `stat` shows it.
    pub(super) number: u64,
    /// `d_type`: the upper bits of the type in `st_mode`; 0 if it is not known.
    pub(super) kind: u8,
}

/// What an open description shows of a folder.
pub(super) struct Listing {
    pub(super) description: u32,
    pub(super) entries: Vec<Listed>,
    /// How many of the entries have been read.
    pub(super) position: usize,
}
