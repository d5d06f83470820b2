//! What a call does that other threads may see: accesses to the program's memory, and to state of the library and the
//! system.

use super::{Extent, Hidden, StoredExtent};
use alloc::vec::Vec;

/// One of the things that a call does. Numbers are those of arguments, from 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CallEffect {
    /// Reads memory at the address in this argument, unless that is null.
    Reads(u8, Extent),
    /// Writes memory at the address in this argument, unless that is null.
    Writes(u8, Extent),
    /// Writes memory at the address in this argument, unless that is null: announced after the call, when it is known
    /// how much of it was written.
    Stores(u8, StoredExtent),
    /// Reads the two strings in arguments 0 and 1 up to their first difference.
    Compares {
        /// The argument that says how many characters are read at most.
        limit: Option<u8>,
        /// Whether the strings are of wide characters.
        wide: bool,
    },
    /// Writes a copy of the string in argument 1 behind the string in argument 0.
    Appends {
        /// The argument that says how many characters are copied at most.
        limit: Option<u8>,
        /// Whether the strings are of wide characters.
        wide: bool,
    },
    /// Writes a variable of the library that programs may read by its name: so many bytes.
    WritesVariable(&'static str, u32),
    /// Reads a variable of the library that programs may set by its name: so many bytes.
    ReadsVariable(&'static str, u32),
    /// Writes the memory that its result points to, which belongs to the library: announced after the call.
    WritesResult(Extent),
    /// Converts the text in argument 1, or that the pointer there points to, and writes it at argument 0: as many
    /// characters or bytes at most as argument 2 says.
    Converts {
        /// Whether it makes wide characters of bytes, or bytes of wide characters.
        to_wide: bool,
        /// Whether argument 1 points to a pointer to the text, which is moved forward.
        moves: bool,
    },
    /// Uses the state of a conversion in this argument, or one of the library's without any synchronisation if that is
    /// null.
    UsesShiftState(u8),
    /// Takes an option off the arguments of the program: argument 0 says how many there are, argument 1 is their
    /// vector, argument 2 lists short options, and, if `long`, argument 3 is a table of long ones.
    TakesOption {
        /// Whether there is a table of long options.
        long: bool,
    },
    /// Takes an option off the string that argument 0 points to a pointer to, and compares it with the names in the
    /// vector in argument 1.
    TakesSuboption,
    /// Writes to the C++ stream in this argument. Those that exist from the beginning may be used by several threads.
    UsesOutput(u8),
    /// Reads the `std::string` in this argument.
    ReadsString(u8),
    /// Draws from the state of random numbers in this argument, which points to memory of the program's own.
    DrawsRandom(u8),
    /// Operates on the synchronisation object in this argument. Only models do that.
    Operates(u8),
    /// Nothing is announced of the memory in this argument, for this reason.
    Unannounced(u8, &'static str),
    /// Uses the stream in this argument without its lock.
    UsesStreamUnlocked(u8),
    /// Uses the stream in this variable of the library without its lock.
    UsesStandardUnlocked(&'static str),
    /// Uses the stream in this variable of the library, which programs may assign to.
    UsesStandard(&'static str),
    /// Closes the stream in this argument.
    ClosesStream(u8),
    /// The stream in this argument no longer uses memory that the program gave it.
    DropsBuffer(u8),
    /// From now on the stream in argument `stream` keeps what it reads or writes in the memory in argument `buffer`.
    KeepsBuffer {
        /// The stream.
        stream: u8,
        /// The memory; where it is null, a buffer that was given before stays.
        buffer: u8,
        /// The argument that says whether the stream is to have a buffer at all; where there is none, a null `buffer`
        /// says that it is not.
        mode: Option<u8>,
        /// The argument that says how many bytes there are; 8192 where there is none.
        size: Option<u8>,
    },
    /// From now on the string in this argument is an environment variable.
    KeepsVariable(u8),
    /// From now on the state of `random` is in the memory in argument `state`.
    KeepsState {
        /// The memory.
        state: u8,
        /// The argument that says how many bytes there are; where there is none, the state itself says it.
        size: Option<u8>,
    },
    /// Uses the thread-specific key in this argument.
    UsesKey(u8),
    /// Uses the locale object in this argument.
    UsesLocale(u8),
    /// Depends on the processors that a thread may run on, or changes them.
    Processors {
        /// The argument that says which thread.
        thread: u8,
        /// Whether that is a handle of the threads API, not a number of the system.
        handle: bool,
        /// Whether it changes them.
        changes: bool,
    },
    /// Depends on the processors that the calling thread may run on.
    AsksOwnProcessors,
    /// Sets the library's variables that describe the time zone, under a lock of the library's own.
    SetsTimeZone,
    /// Reads the name in argument 1, if argument 0 asks for the thread to be named.
    NamesThread,
    /// Depends on the name of a thread; writes that of the calling one to argument 1, if argument 0 asks for that.
    AsksName,
    /// Depends on a priority, or changes it: of the thread whose number argument 1 is, where argument 0 says that it is
    /// one, or of the calling thread.
    UsesPriority {
        /// Whether it is that of the calling thread.
        own: bool,
        /// Whether it changes it.
        changes: bool,
    },
    /// Looks at state of the library without any synchronisation.
    Looks(Hidden),
    /// Changes state of the library without any synchronisation.
    Changes(Hidden),
    /// The same, if this argument is null.
    ChangesIfNull(u8, Hidden),
    /// Changes the locale without any synchronisation, or looks at it if argument 1 is null.
    SetsLocale,
    /// Changes state of the library under a lock of the library's own.
    Updates(Hidden),
    /// Takes a token off the string in argument `text`, with the delimiters in argument 1: the byte behind it is
    /// written. Where `text` is null, the string to go on with is kept at the address in argument `kept`.
    TakesToken {
        /// The string.
        text: u8,
        /// Where the rest is kept.
        kept: u8,
    },
    /// As [`TakesToken`](CallEffect::TakesToken), where this argument points to a pointer to the string.
    TakesTokenAt(u8),
    /// Prints with a format and what follows it.
    Prints {
        /// The format.
        format: u8,
        /// Whether it is of wide characters.
        wide: bool,
    },
    /// Prints with a format and a `va_list`.
    PrintsList {
        /// The format.
        format: u8,
        /// The `va_list`.
        list: u8,
        /// Whether the format is of wide characters.
        wide: bool,
    },
    /// Prints into the buffer in argument 0 with a format and what follows it.
    PrintsInto {
        /// The argument that says how many bytes are written at most.
        limit: Option<u8>,
        /// The format.
        format: u8,
    },
    /// The same with a `va_list`.
    PrintsListInto {
        /// The argument that says how many bytes are written at most.
        limit: Option<u8>,
        /// The format.
        format: u8,
        /// The `va_list`.
        list: u8,
    },
    /// Scans with a format and what follows it.
    Scans {
        /// The format.
        format: u8,
        /// Whether it is of wide characters.
        wide: bool,
    },
    /// Scans with a format and a `va_list`.
    ScansList {
        /// The format.
        format: u8,
        /// The `va_list`.
        list: u8,
        /// Whether the format is of wide characters.
        wide: bool,
    },
    /// Reads the buffers of the vector in argument 1, whose length is argument 2.
    ReadsVector,
    /// Fills the buffers of the vector in argument 1, whose length is argument 2, with as many bytes as the result
    /// says: these are announced after the call.
    StoresVector,
    /// Reads from the stream in this argument, or asks about it.
    ReadsStream(u8),
    /// Writes to the stream in this argument.
    WritesStream(u8),
    /// Writes to the stream in this argument, or to all streams if it is null.
    FlushesStreams(u8),
    /// Reads the descriptor in the stream in this argument, without its lock.
    AsksStream(u8),
    /// Depends on what the path in this argument leads to.
    LooksUpPath(u8),
    /// Changes what the path in this argument leads to.
    ChangesPath(u8),
    /// Depends on what the path in argument 1, relative to the descriptor in argument 0, leads to.
    LooksUpPathAt,
    /// Changes what the path in argument 1, relative to the descriptor in argument 0, leads to.
    ChangesPathAt,
    /// As [`LooksUpPathAt`](CallEffect::LooksUpPathAt), or about the file behind the descriptor if this argument allows
    /// an empty path.
    AsksStatus {
        /// The flags.
        flags: u8,
    },
    /// Changes what paths or new files are for all threads: the current folder, or the mask of permissions.
    ChangesFolder,
    /// Depends on the current folder.
    LooksAtFolder,
    /// Opens the path in argument 0 with the flags in argument 1.
    Opens,
    /// Opens the path in argument 1, relative to the descriptor in argument 0, with the flags in argument 2.
    OpensAt,
    /// Opens the path in argument 0 in the mode in argument 1.
    OpensStream,
    /// Opens the path in argument 0 in the mode in argument 1 with the stream in argument 2, whose descriptor becomes
    /// another one.
    ReopensStream,
    /// Opens the path in argument 0 and changes what it leads to.
    Creates,
    /// Opens the object of shared memory with the name in argument 0 with the flags in argument 1.
    OpensSharedMemory,
    /// Changes what the name of an object of shared memory in this argument leads to.
    ChangesSharedMemory(u8),
    /// Opens the folder at the path in this argument.
    OpensFolder(u8),
    /// Closes the stream of a folder's entries in this argument.
    ClosesFolder(u8),
    /// Opens a stream that writes to memory of its own, and stores where that is and how much of it at what arguments 0
    /// and 1 point to: whenever the stream is written out.
    OpensGrowingStream,
    /// Opens a stream of the memory in argument 0, as many bytes as argument 1 says, in the mode in argument 2.
    OpensStreamOfMemory,
    /// Makes another descriptor of the file behind the descriptor in this argument.
    DuplicatesDescriptor(u8),
    /// Makes a descriptor of something new.
    MakesDescriptor,
    /// Reads from the file behind one descriptor, and writes that to the file behind another one.
    CopiesFile {
        /// The descriptor to read by.
        from: u8,
        /// The descriptor to write by.
        to: u8,
    },
    /// Does to the descriptor in argument 0 what the command in argument 1 says: perhaps duplicates it.
    ControlsDescriptor,
    /// Does to the descriptor in argument 0 what the request of `ioctl` in argument 1 says.
    ControlsDevice,
    /// Reads from the descriptor in this argument at its position, or changes what the descriptor is.
    ReadsDescriptor(u8),
    /// Depends on the file behind the descriptor in this argument.
    AsksDescriptor(u8),
    /// Closes the descriptor in this argument.
    ClosesDescriptor(u8),
    /// Writes to the descriptor in this argument, at its position.
    WritesDescriptor(u8),
    /// Makes a file of its own, whose name it writes into the string in argument 0.
    MakesTemporary,
    /// Lists the folder at the path in this argument.
    ListsFolder(u8),
    /// Uses the stream of a folder's entries in this argument, which only one thread at a time may do.
    UsesFolderStream(u8),
    /// Makes the descriptor in argument 1 another one for the file behind the descriptor in argument 0.
    ReplacesDescriptor,
    /// Maps the file behind the descriptor in argument 4, if there is one; what is at a fixed address goes away.
    MapsFile,
    /// Unmaps memory: as many bytes as argument 1 says at argument 0.
    Unmaps,
    /// Changes what may be done with memory: address, length and protection are the first three arguments.
    Protects,
    /// Advises about memory: address, length and advice are the first three arguments.
    Advises,
    /// Depends on which pages are mapped: address and length are the first two arguments.
    LooksAtPages,
    /// Depends on the action that is set for the signal in this argument.
    LooksAtSignal(u8),
    /// Changes the action for the signal in argument `signal`, if argument `action` is not null.
    ChangesSignal {
        /// The number of the signal.
        signal: u8,
        /// The action.
        action: u8,
    },
    /// Changes something for all threads, or depends on what they change, without announcing it: modelled only while
    /// all other threads are joined.
    ForAllThreads,
    /// Ends the process.
    Exits {
        /// Whether exit handlers run and what streams have in their buffers is written out, of which some are memory of
        /// the program.
        cleanly: bool,
    },
}

impl CallEffect {
    /// The arguments that it speaks of.
    pub fn arguments(&self) -> Vec<u8> {
        match *self {
            CallEffect::Reads(at, ref extent) | CallEffect::Writes(at, ref extent) => {
                [at].into_iter().chain(extent.arguments()).collect()
            }
            CallEffect::Stores(at, stored) => [at].into_iter().chain(stored.arguments()).collect(),
            CallEffect::Looks(_)
            | CallEffect::Changes(_)
            | CallEffect::Updates(_)
            | CallEffect::WritesVariable(..)
            | CallEffect::ReadsVariable(..)
            | CallEffect::WritesResult(_)
            | CallEffect::UsesStandardUnlocked(_)
            | CallEffect::UsesStandard(_)
            | CallEffect::SetsTimeZone
            | CallEffect::AsksOwnProcessors
            | CallEffect::NamesThread
            | CallEffect::AsksName
            | CallEffect::UsesPriority { own: true, .. }
            | CallEffect::ChangesFolder
            | CallEffect::LooksAtFolder
            | CallEffect::MakesDescriptor => Vec::new(),
            CallEffect::UsesPriority { own: false, .. } => [0, 1].into(),
            CallEffect::AsksStatus { flags } => [0, 1, flags].into(),
            CallEffect::CopiesFile { from, to } => [from, to].into(),
            CallEffect::KeepsBuffer { stream, buffer, mode, size } => {
                [stream, buffer].into_iter().chain(mode).chain(size).collect()
            }
            CallEffect::KeepsState { state, size } => [state].into_iter().chain(size).collect(),
            CallEffect::Operates(at)
            | CallEffect::Unannounced(at, _)
            | CallEffect::UsesStreamUnlocked(at)
            | CallEffect::ClosesStream(at)
            | CallEffect::DropsBuffer(at)
            | CallEffect::ClosesDescriptor(at)
            | CallEffect::KeepsVariable(at)
            | CallEffect::UsesKey(at)
            | CallEffect::UsesLocale(at)
            | CallEffect::Processors { thread: at, .. }
            | CallEffect::AsksStream(at)
            | CallEffect::FlushesStreams(at)
            | CallEffect::ChangesIfNull(at, _)
            | CallEffect::UsesShiftState(at)
            | CallEffect::UsesOutput(at)
            | CallEffect::ReadsString(at)
            | CallEffect::DrawsRandom(at) => [at].into(),
            CallEffect::SetsLocale => [1].into(),
            CallEffect::Converts { .. } | CallEffect::TakesOption { long: false } => [0, 1, 2].into(),
            CallEffect::TakesOption { long: true } => [0, 1, 2, 3].into(),
            CallEffect::TakesSuboption
            | CallEffect::ReplacesDescriptor
            | CallEffect::ControlsDescriptor
            | CallEffect::ControlsDevice => [0, 1].into(),
            CallEffect::TakesToken { text, kept } => [text, kept, 1].into(),
            CallEffect::TakesTokenAt(at) => [at, 1].into(),
            CallEffect::PrintsList { format, list, .. } | CallEffect::ScansList { format, list, .. } => {
                [format, list].into()
            }
            CallEffect::Unmaps
            | CallEffect::LooksAtPages
            | CallEffect::Opens
            | CallEffect::OpensSharedMemory
            | CallEffect::OpensGrowingStream
            | CallEffect::OpensStream => [0, 1].into(),
            CallEffect::LooksUpPathAt | CallEffect::ChangesPathAt => [0, 1].into(),
            CallEffect::Compares { limit, .. } | CallEffect::Appends { limit, .. } => {
                [0, 1].into_iter().chain(limit).collect()
            }
            CallEffect::PrintsInto { limit, format } => [0, format].into_iter().chain(limit).collect(),
            CallEffect::PrintsListInto { limit, format, list } => [0, format, list].into_iter().chain(limit).collect(),
            CallEffect::ReadsVector | CallEffect::StoresVector => [1, 2].into(),
            CallEffect::OpensAt
            | CallEffect::ReopensStream
            | CallEffect::OpensStreamOfMemory
            | CallEffect::Protects
            | CallEffect::Advises => [0, 1, 2].into(),
            CallEffect::MapsFile => [3, 4].into(),
            CallEffect::MakesTemporary | CallEffect::Creates | CallEffect::Exits { .. } => [0].into(),
            CallEffect::ForAllThreads => Vec::new(),
            CallEffect::ChangesSignal { signal, action } => [signal, action].into(),
            CallEffect::Prints { format: at, .. }
            | CallEffect::Scans { format: at, .. }
            | CallEffect::ReadsStream(at)
            | CallEffect::WritesStream(at)
            | CallEffect::LooksUpPath(at)
            | CallEffect::ChangesPath(at)
            | CallEffect::ChangesSharedMemory(at)
            | CallEffect::ReadsDescriptor(at)
            | CallEffect::AsksDescriptor(at)
            | CallEffect::WritesDescriptor(at)
            | CallEffect::ListsFolder(at)
            | CallEffect::OpensFolder(at)
            | CallEffect::ClosesFolder(at)
            | CallEffect::DuplicatesDescriptor(at)
            | CallEffect::UsesFolderStream(at)
            | CallEffect::LooksAtSignal(at) => [at].into(),
        }
    }

    /// Whether later calls use memory that this one is given.
    pub const fn keeps(&self) -> bool {
        matches!(self, CallEffect::KeepsBuffer { .. } | CallEffect::KeepsVariable(_) | CallEffect::KeepsState { .. })
    }

    /// Whether it is a use of a stream, of a file or of a folder.
    pub const fn uses_stream(&self) -> bool {
        matches!(
            self,
            CallEffect::ReadsStream(_)
                | CallEffect::WritesStream(_)
                | CallEffect::FlushesStreams(_)
                | CallEffect::OpensStream
                | CallEffect::ClosesStream(_)
                | CallEffect::UsesStreamUnlocked(_)
                | CallEffect::UsesStandardUnlocked(_)
                | CallEffect::UsesStandard(_)
                | CallEffect::ListsFolder(_)
                | CallEffect::UsesFolderStream(_)
        )
    }

    /// Whether it is announced after the call, when it is known what was written.
    pub const fn is_known_afterwards(&self) -> bool {
        matches!(
            self,
            CallEffect::WritesResult(_)
                | CallEffect::Stores(..)
                | CallEffect::StoresVector
                | CallEffect::Scans { .. }
                | CallEffect::ScansList { .. }
        )
    }
}
