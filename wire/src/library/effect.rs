//! What a call does that other threads may see: accesses to the program's memory, and to state of the library and the
//! system.

/// One of the things that a call does. Numbers are those of arguments, from 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CallEffect {
    /// Reads memory at the address in this argument, unless that is null.
    Reads(u8, Extent),
    /// Writes memory at the address in this argument, unless that is null.
    Writes(u8, Extent),
    /// Looks at state of the library without any synchronisation.
    Looks(Hidden),
    /// Changes state of the library without any synchronisation.
    Changes(Hidden),
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
    /// Prints with the format in this argument and what follows it.
    Prints(u8),
    /// Prints with a format and a `va_list`.
    PrintsList {
        /// The format.
        format: u8,
        /// The `va_list`.
        list: u8,
    },
    /// Prints into the buffer in argument 0, without a limit, with the format in argument 1 and what follows.
    PrintsInto,
    /// The same with a limit in argument 1 and the format in argument 2.
    PrintsIntoAtMost,
    /// As [`PrintsInto`](CallEffect::PrintsInto) with a list in argument 2.
    PrintsListInto,
    /// As [`PrintsIntoAtMost`](CallEffect::PrintsIntoAtMost) with a list in argument 3.
    PrintsListIntoAtMost,
    /// Scans with the format in this argument and what follows it.
    Scans(u8),
    /// Scans with a format and a `va_list`.
    ScansList {
        /// The format.
        format: u8,
        /// The `va_list`.
        list: u8,
    },
    /// Reads the buffers of the vector in argument 1, whose length is argument 2.
    ReadsVector,
    /// Fills the buffers of the vector in argument 1, whose length is argument 2.
    WritesVector,
    /// Reads from the stream in this argument, or asks about it.
    ReadsStream(u8),
    /// Writes to the stream in this argument.
    WritesStream(u8),
    /// Depends on what the path in this argument leads to.
    LooksUpPath(u8),
    /// Changes what the path in this argument leads to.
    ChangesPath(u8),
    /// Opens the path in argument 0 with the flags in argument 1.
    Opens,
    /// Opens the path in argument 1, relative to the descriptor in argument 0, with the flags in argument 2.
    OpensAt,
    /// Opens the path in argument 0 in the mode in argument 1.
    OpensStream,
    /// Reads from the descriptor in this argument at its position, or changes what the descriptor is.
    ReadsDescriptor(u8),
    /// Depends on the file behind the descriptor in this argument.
    AsksDescriptor(u8),
    /// Writes to the descriptor in this argument, at its position.
    WritesDescriptor(u8),
    /// Makes a file of its own, whose name it writes into the string in argument 0.
    MakesTemporary,
    /// Lists the folder at the path in this argument.
    ListsFolder(u8),
    /// Uses the stream of a folder's entries in this argument, which only one thread at a time may do.
    UsesFolderStream(u8),
    /// Maps the file behind the descriptor in argument 4, if there is one.
    MapsFile,
    /// Unmaps memory: as many bytes as argument 1 says at argument 0.
    Unmaps,
    /// Changes what may be done with memory: address, length and protection are the first three arguments.
    Protects,
    /// Advises about memory: address, length and advice are the first three arguments.
    Advises,
    /// Depends on the action that is set for the signal in this argument.
    LooksAtSignal(u8),
    /// Changes the action for the signal in argument `signal`, if argument `action` is not null.
    ChangesSignal {
        /// The number of the signal.
        signal: u8,
        /// The action.
        action: u8,
    },
    /// Changes something for all threads that other calls depend on without announcing it: modelled only while there is
    /// one thread.
    ForAllThreads,
    /// Ends the process, after exit handlers.
    Exits,
}

/// How much memory is accessed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    /// So many bytes.
    Bytes(u32),
    /// As many bytes as this argument says.
    Argument(u8),
    /// A string with the byte that ends it.
    Text,
    /// A number at the start of a string: spaces, what a number may consist of, and the byte that ends it.
    Number,
}

/// State inside of the C library that several threads share although the program has no pointer to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Hidden {
    /// The table of thread-specific keys.
    Keys,
    /// Where `strtok` keeps its place.
    Strtok,
    /// The result of `localtime` and `gmtime`.
    BrokenDownTime,
    /// The result of `asctime` and `ctime`.
    TimeText,
    /// The state of `rand`.
    Rand,
    /// The state of `random`.
    Random,
    /// The state of `drand48` and its family.
    Rand48,
    /// The environment variables.
    Environment,
    /// The result of `strerror`.
    ErrorText,
    /// The current locale.
    Locale,
    /// The state of `getopt`.
    Getopt,
    /// Results of lookups of users, groups and hosts, and other static results.
    StaticResult,
    /// The table of `hsearch`.
    HashTable,
    /// What is read from standard input.
    StandardInput,
}

impl Hidden {
    /// All of them, in their order.
    pub const ALL: [Hidden; 14] = [
        Hidden::Keys,
        Hidden::Strtok,
        Hidden::BrokenDownTime,
        Hidden::TimeText,
        Hidden::Rand,
        Hidden::Random,
        Hidden::Rand48,
        Hidden::Environment,
        Hidden::ErrorText,
        Hidden::Locale,
        Hidden::Getopt,
        Hidden::StaticResult,
        Hidden::HashTable,
        Hidden::StandardInput,
    ];

    /// Its name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Hidden::Keys => "the table of thread-specific keys",
            Hidden::Strtok => "the place that strtok keeps",
            Hidden::BrokenDownTime => "the result of localtime and gmtime",
            Hidden::TimeText => "the result of asctime and ctime",
            Hidden::Rand => "the state of rand",
            Hidden::Random => "the state of random",
            Hidden::Rand48 => "the state of drand48",
            Hidden::Environment => "the environment",
            Hidden::ErrorText => "the result of strerror",
            Hidden::Locale => "the locale",
            Hidden::Getopt => "the state of getopt",
            Hidden::StaticResult => "a static result of the C library",
            Hidden::HashTable => "the table of hsearch",
            Hidden::StandardInput => "standard input",
        }
    }
}
