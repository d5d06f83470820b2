//! Which functions are operations on files, descriptors or the pages of memory: their rows say so by what is announced
//! of them, or the guest serves their system calls as operations.

use super::headers;
use inspect_wire::library::{CallEffect, Guest, LibraryRow};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

type Error = Box<dyn std::error::Error>;

/// The headers of files, pipes, sockets, polling, and of what else is a descriptor.
pub(super) const HEADERS: [&str; 19] = [
    "fcntl.h",
    "unistd.h",
    "sys/uio.h",
    "sys/file.h",
    "sys/stat.h",
    "sys/sendfile.h",
    "sys/ioctl.h",
    "dirent.h",
    "ftw.h",
    "glob.h",
    "sys/mman.h",
    "stdio.h",
    "sys/socket.h",
    "poll.h",
    "sys/select.h",
    "sys/epoll.h",
    "sys/eventfd.h",
    "sys/timerfd.h",
    "sys/signalfd.h",
];

/// Of this header, whose other functions concern the memory of streams, there are the modelled functions only.
pub(super) const MODELLED_ONLY: &str = "stdio.h";

/// The file of the guest that says what becomes of each system call, below the root, and the folder with its parts.
const TABLE: &str = "guest/src/platform/syscalls.rs";
const PARTS: &str = "guest/src/platform/syscalls";
/// The function of that file which lists those that make something new, or look at several descriptors: nothing in the
/// rows of their functions says that they are operations.
const LIST: &str = "\nfn makes_channel_or_polls(";

/// What the guest says of system calls, by their names.
pub(super) struct SystemCalls {
    /// Those that make a channel or poll.
    channels: BTreeSet<String>,
    /// Those of the machine that the guest does not name: it ends the run at them.
    unserved: BTreeSet<String>,
}

impl SystemCalls {
    pub(super) fn read(root: &Path) -> Result<Self, Error> {
        let mut source = std::fs::read_to_string(root.join(TABLE))?;
        let channels = listed(&source).ok_or_else(|| format!("{TABLE} has no such list"))?;
        for part in crate::sources::files(&root.join(PARTS), &["rs"])? {
            let _ = write!(source, "\n{}", std::fs::read_to_string(root.join(PARTS).join(part))?);
        }
        let served = named(&source);
        let unserved = headers::system_calls()?.difference(&served).cloned().collect();
        Ok(SystemCalls { channels, unserved })
    }
}

/// The system calls that a source names.
fn named(source: &str) -> BTreeSet<String> {
    crate::sources::words(source).filter_map(|word| word.strip_prefix(headers::NUMBER)).map(str::to_owned).collect()
}

/// Those that the function named [`LIST`] names.
fn listed(source: &str) -> Option<BTreeSet<String>> {
    let (_, from_list) = source.split_once(LIST)?;
    let (list, _) = from_list.split_once("\n}\n")?;
    Some(named(list)).filter(|names| !names.is_empty())
}

/// Whether the steps of a function are operations.
pub(super) fn is_modelled(row: &LibraryRow, calls: &SystemCalls) -> bool {
    match row.guest {
        Guest::Models => true,
        Guest::Announces | Guest::Harmless => row.effects.iter().any(is_operation) || calls.channels.contains(row.name),
        Guest::Refuses | Guest::Unknown => false,
    }
}

/// Whether a function of descriptors ends the run by its system call, which the guest does not serve.
pub(super) fn is_unserved(row: &LibraryRow, calls: &SystemCalls) -> bool {
    row.guest != Guest::Models && is_modelled(row, calls) && calls.unserved.contains(row.name)
}

/// Whether such an effect is announced as an operation on a file, a descriptor or pages, all of whose orders are
/// explored.
fn is_operation(effect: &CallEffect) -> bool {
    use CallEffect::*;
    match effect {
        LooksUpPath(..)
        | ChangesPath(..)
        | LooksUpPathAt
        | ChangesPathAt
        | AsksStatus { .. }
        | ChangesFolder
        | LooksAtFolder
        | Opens
        | OpensAt
        | Creates
        | OpensSharedMemory
        | ChangesSharedMemory(..)
        | OpensFolder(..)
        | ClosesFolder(..)
        | DuplicatesDescriptor(..)
        | MakesDescriptor
        | CopiesFile { .. }
        | ControlsDescriptor
        | ControlsDevice
        | ReadsDescriptor(..)
        | AsksDescriptor(..)
        | ClosesDescriptor(..)
        | WritesDescriptor(..)
        | ListsFolder(..)
        | ReplacesDescriptor
        | MapsFile
        | Unmaps
        | Protects
        | Advises
        | LooksAtPages => true,
        Reads(..)
        | Writes(..)
        | Stores(..)
        | Compares { .. }
        | Appends { .. }
        | WritesVariable(..)
        | ReadsVariable(..)
        | WritesResult(..)
        | Converts { .. }
        | UsesShiftState(..)
        | TakesOption { .. }
        | TakesSuboption
        | UsesOutput(..)
        | ReadsString(..)
        | DrawsRandom(..)
        | Operates(..)
        | Unannounced(..)
        | UsesStreamUnlocked(..)
        | UsesStandardUnlocked(..)
        | UsesStandard(..)
        | ClosesStream(..)
        | DropsBuffer(..)
        | KeepsBuffer { .. }
        | KeepsVariable(..)
        | KeepsState { .. }
        | UsesKey(..)
        | UsesLocale(..)
        | Processors { .. }
        | AsksOwnProcessors
        | SetsTimeZone
        | NamesThread
        | AsksName
        | UsesPriority { .. }
        | Looks(..)
        | Changes(..)
        | ChangesIfNull(..)
        | SetsLocale
        | Updates(..)
        | TakesToken { .. }
        | TakesTokenAt(..)
        | Prints { .. }
        | PrintsList { .. }
        | PrintsInto { .. }
        | PrintsListInto { .. }
        | Scans { .. }
        | ScansList { .. }
        | ReadsVector
        | StoresVector
        | ReadsStream(..)
        | WritesStream(..)
        | FlushesStreams(..)
        | AsksStream(..)
        | OpensStream
        | ReopensStream
        | OpensGrowingStream
        | OpensStreamOfMemory
        | MakesTemporary
        | UsesFolderStream(..)
        | LooksAtSignal(..)
        | ChangesSignal { .. }
        | ForAllThreads
        | Exits { .. } => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guest::root;
    use inspect_wire::library::row;

    #[test]
    fn system_calls_of_the_guest_are_found() {
        let found = SystemCalls::read(&root()).expect("the guest has the list");
        assert!(found.channels.contains("epoll_ctl") && found.channels.contains("socket"), "{:?}", found.channels);
        assert!(!found.channels.contains("getpid"), "{:?}", found.channels);
        assert!(found.unserved.contains("splice") && !found.unserved.contains("mincore"), "{:?}", found.unserved);
    }

    #[test]
    fn a_function_is_modelled_by_its_row_or_by_its_system_call() {
        let names = |name: &str| BTreeSet::from([name.to_owned()]);
        let calls = SystemCalls { channels: names("socket"), unserved: names("close") };
        let is = |name: &str| is_modelled(row(name).expect("a row"), &calls);
        assert!(is("read") && is("flock") && is("socket"));
        assert!(!is("eventfd") && !is("getpid") && !is("fork"));
        assert!(is_unserved(row("close").expect("a row"), &calls) && !is_unserved(row("read").expect("a row"), &calls));
    }
}
