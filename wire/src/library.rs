//! What is known of the functions of libraries that are not instrumented: one row a function, read by the compiler pass
//! and by the guest.
//!
//! The pass asks what a function does with pointers ([`LibraryRow::flows`]), what it means for threads
//! ([`LibraryRow::role`]), what its result depends on ([`LibraryRow::outcome`]), and what a waiting loop may call
//! ([`LibraryRow::in_loops`]). The guest asks what a call accesses ([`LibraryRow::effects`]) and who performs it
//! ([`LibraryRow::guest`]). **What no row describes counts as harmful**: a pointer given to a function without a row
//! escapes, its result may be anything, and a program that calls it is never verified.
//!
//! A function that only accesses memory or the library's own state is one row ([`LibraryRow::announces`]): its entry
//! point in the guest is made from it. A function that needs a model is one row ([`LibraryRow::modelled`]) and one
//! function in the guest's `model` folder. Rows are grouped by header, one file for each or for a few; `cargo xtask
//! library` writes docs/library.md from them. Tests compare the kinds of the arguments with the header's declaration,
//! and the exports of the guest with the rows; and programs that are made from the rows are checked
//! (`xtask/src/library/programs.rs`).

mod builder;
mod effect;
mod extent;

mod compiler;
mod cxx;
mod dirent;
mod exceptions;
mod fcntl;
mod fenv;
mod hidden;
mod inspect;
mod libc;
mod locale;
mod math;
mod network;
mod outside;
mod patterns;
mod pthread;
mod reason;
mod sched;
mod search;
mod semaphore;
mod setjmp;
mod signal;
mod stdio;
mod stdlib;
mod stored;
mod streams;
mod string;
mod sys;
mod threads;
mod time;
mod unistd;
mod wchar;
mod wide_formats;

pub use effect::CallEffect;
pub use extent::Extent;
pub use hidden::Hidden;
pub use stored::{Present, StoredExtent};

/// A row of the table: what is known of a function, of a variable of a library, or of a family of functions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LibraryRow {
    /// The symbol, or for a family the beginning of all its symbols.
    pub name: &'static str,
    /// What it takes.
    pub arguments: Arguments,
    /// Who performs a call.
    pub guest: Guest,
    /// What a call accesses, in this order. If `guest` is [`Guest::Announces`], that is what the guest announces before
    /// the call; if it is [`Guest::Models`], the model accesses it.
    pub effects: &'static [CallEffect],
    /// What it does with pointers, nothing else; None if that is unknown, so that what it is given escapes and what it
    /// returns may point to anything that escaped.
    pub flows: Option<&'static [PointerFlow]>,
    /// It writes to more than what its arguments point to themselves and blocks of its own: it goes on from addresses
    /// that it finds in memory, or runs code of the program, by calling it or by throwing.
    pub writes_elsewhere: bool,
    /// What it does to threads.
    pub role: Option<Role>,
    /// What its result, and what it writes, depend on.
    pub outcome: Outcome,
    /// What it still writes to the program's memory once its last operation was granted.
    pub completion: Completion,
    /// What a call of it in a loop means for the pass's search for waiting loops.
    pub in_loops: InLoops,
    /// A thread whose cancellation was requested is cancelled in a call of it. POSIX leaves that open for functions
    /// that [use streams](Self::may_cancel).
    pub cancellation_point: bool,
    /// A program that defines this function itself bypasses the guest's model of it, so it is never verified.
    pub essential: bool,
}

impl LibraryRow {
    /// Whether accesses to memory are announced for a call, by the guest or by its model of the function.
    pub fn announces_accesses(&self) -> bool {
        let is_access = |effect: &CallEffect| !matches!(effect, CallEffect::Operates(_) | CallEffect::Unannounced(..));
        matches!(self.guest, Guest::Announces | Guest::Models) && self.effects.iter().any(is_access)
    }

    /// Whether a thread whose cancellation was requested may be cancelled in a call, and may as well go on.
    pub fn may_cancel(&self) -> bool {
        self.effects.iter().any(CallEffect::uses_stream)
    }
}

/// What a function takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arguments {
    /// These arguments.
    Fixed(Signature),
    /// These arguments, and more after them.
    Variadic(Signature),
    /// Not a function but a variable.
    Variable,
    /// The row is for all functions whose names begin like it.
    Family,
}

/// The kinds of a function's arguments, a letter each: see [`ArgumentKind`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Signature(pub &'static str);

/// The kind of an argument: where it is passed and what may be done through it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ArgumentKind {
    /// `i`: a value in a general register that is no address.
    Integer,
    /// `c`: the address of something that the prototype calls constant.
    Constant,
    /// `p`: the address of something that may be written.
    Pointer,
    /// `f`: the address of a function.
    Function,
    /// `d`: a value in vector registers.
    Floating,
    /// `m`: a value that is passed in memory, on the stack.
    Memory,
}

impl Signature {
    /// How many arguments there are.
    pub const fn count(self) -> usize {
        self.0.len()
    }

    /// The kinds of the arguments.
    ///
    /// # Panics
    /// If a letter has no meaning. A test reads all of them.
    pub fn kinds(self) -> impl Iterator<Item = ArgumentKind> {
        self.0.bytes().map(|letter| match letter {
            b'i' => ArgumentKind::Integer,
            b'c' => ArgumentKind::Constant,
            b'p' => ArgumentKind::Pointer,
            b'f' => ArgumentKind::Function,
            b'd' => ArgumentKind::Floating,
            b'm' => ArgumentKind::Memory,
            other => panic!("no argument is of the kind {other}"),
        })
    }

    /// Which of the general registers for arguments the argument with this number is in: floating-point arguments
    /// before it take none.
    pub const fn register(self, argument: u8) -> usize {
        let letters = self.0.as_bytes();
        let (mut at, mut register) = (0, 0);
        while at < argument as usize && at < letters.len() {
            if letters[at] != b'd' && letters[at] != b'm' {
                register += 1;
            }
            at += 1;
        }
        register
    }
}

impl Arguments {
    /// The arguments that every call has.
    pub const fn signature(self) -> Signature {
        match self {
            Arguments::Fixed(signature) | Arguments::Variadic(signature) => signature,
            Arguments::Variable | Arguments::Family => Signature(""),
        }
    }
}

/// Who performs a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Guest {
    /// The library, and what the call accesses is not known: a program that uses the function cannot be verified.
    Unknown,
    /// The library. The call accesses no memory but its own thread's and what hooks announce, or the platform keeps its
    /// effects inside of the process or refuses its system calls.
    Harmless,
    /// The library, after the guest has announced the row's effects.
    Announces,
    /// A model in the guest.
    Models,
    /// Neither of them: the run ends at the call, as not modelled.
    Refuses,
}

impl Guest {
    /// Whether the guest exports a function of this name.
    pub const fn exports(self) -> bool {
        matches!(self, Guest::Announces | Guest::Models | Guest::Refuses)
    }
}

/// What a function does with a pointer that it is given, or returns. Numbers are those of arguments, from 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PointerFlow {
    /// The result is this argument or a place in what it points to.
    ReturnsInside(u8),
    /// The result is a new block.
    ReturnsBlock,
    /// The result is a new block with the contents of this argument's, or this argument itself.
    ReturnsResized(u8),
    /// The result may point to anything that escaped to the library.
    ReturnsUnknown,
    /// The result is what this argument points to.
    ReturnsContent(u8),
    /// The result is a variable of the calling thread.
    ReturnsThreadVariable,
    /// The result is a table that never changes.
    ReturnsConstantTable,
    /// Stores a place in what argument `of` points to where `at` points.
    StoresInside {
        /// The argument pointed into.
        of: u8,
        /// The argument that says where.
        at: u8,
    },
    /// Stores the address of a new block where this argument points.
    StoresBlock(u8),
    /// Stores, where this argument points, pointers that other threads or processes gave to a library.
    StoresUnknown(u8),
    /// Hands what this argument points to to other threads or processes.
    GivesAway(u8),
    /// Keeps the number in this argument, which a later call may return.
    KeepsNumber(u8),
    /// Copies what argument `from` points to to where `to` points.
    Copies {
        /// Copied to.
        to: u8,
        /// Copied from.
        from: u8,
    },
    /// Moves values between all that its arguments point to, those that are values, and the result.
    Exchanges,
    /// Calls the function in argument `function`, each of whose parameters is one of the arguments `with` or a place in
    /// what they point to.
    Calls {
        /// The function.
        function: u8,
        /// What it is given.
        with: &'static [u8],
    },
    /// Starts a thread that calls the function in argument `function` with argument `argument`.
    Starts {
        /// The function.
        function: u8,
        /// Its argument.
        argument: u8,
    },
}

impl PointerFlow {
    /// Whether it says what the function returns.
    pub const fn returns(&self) -> bool {
        matches!(
            self,
            PointerFlow::ReturnsInside(_)
                | PointerFlow::ReturnsBlock
                | PointerFlow::ReturnsResized(_)
                | PointerFlow::ReturnsUnknown
                | PointerFlow::ReturnsContent(_)
                | PointerFlow::ReturnsThreadVariable
                | PointerFlow::ReturnsConstantTable
                | PointerFlow::Exchanges
        )
    }
}

/// What a function does to threads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Locks the mutex in argument 0.
    Lock,
    /// Tries to lock the mutex in argument 0.
    TryLock,
    /// Unlocks the mutex in argument 0.
    Unlock,
    /// Initialises or destroys the synchronisation object in argument 0.
    Lifecycle,
    /// Waits for the condition variable in argument 0 with the mutex in argument 1.
    Wait,
    /// The same for a limited time.
    TimedWait,
    /// Wakes threads that wait for the condition variable in argument 0.
    Wake,
    /// Starts a thread ([`PointerFlow::Starts`]).
    Create,
    /// Waits for the end of a thread.
    Join,
    /// Ends the thread.
    EndsThread,
    /// Ends the process at once.
    EndsProcess,
}

/// What a function's result, and what it writes, depend on. For a function with a [`Role`], the role decides it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// Not known.
    Unknown,
    /// Its arguments and the memory they lead to; it may look at the locale.
    Determined,
    /// Also on when the call is made.
    Varies,
    /// As `Varies`, and the function uses something outside of the program's memory that other threads or processes may
    /// use: a file, the state of a library.
    Outside,
    /// As `Determined` if the stream in this argument is an output of the process, else as `Outside`.
    Stream(u8),
    /// The heap: the function makes or frees a block, and where the next one is depends on it.
    Heap,
}

/// What a call still writes to the program's memory once its last operation was granted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Completion {
    /// It may write.
    Writes,
    /// Nothing but what the operation names: the model keeps everything in the engine.
    WritesNothing,
    /// Nothing if this argument is null.
    WritesUnlessNull(u8),
}

/// What a call in a loop means for the pass's search for waiting loops.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InLoops {
    /// It may change something that the next iteration depends on.
    Changes,
    /// It is an operation that the guest sees by itself.
    Operation,
    /// It lets other threads run.
    Yields,
    /// It waits a little, and its result, if it is used, says how long.
    Sleeps,
}

/// The functions of one header.
#[derive(Clone, Copy, Debug)]
pub struct LibraryHeader {
    /// Its name, or what the functions belong to in words if no header declares them.
    pub name: &'static str,
    /// Its functions, by name.
    pub rows: &'static [LibraryRow],
}

impl LibraryHeader {
    /// Whether its rows are in the order of their names: not those that a macro makes for all floating-point types.
    pub fn is_sorted(&self) -> bool {
        !matches!(self.name, "complex.h" | "math.h")
    }

    /// The row of this name.
    fn row(&self, name: &str) -> Option<&'static LibraryRow> {
        if self.is_sorted() {
            self.rows.binary_search_by(|row| row.name.cmp(name)).ok().map(|at| &self.rows[at])
        } else {
            self.rows.iter().find(|row| row.name == name)
        }
    }

    /// Whether there is a header that declares the functions.
    pub fn is_file(&self) -> bool {
        self.name.ends_with(".h")
    }
}

const FILES: &[&[LibraryHeader]] = &[
    compiler::HEADERS,
    cxx::HEADERS,
    dirent::HEADERS,
    exceptions::HEADERS,
    fcntl::HEADERS,
    fenv::HEADERS,
    inspect::HEADERS,
    libc::HEADERS,
    locale::HEADERS,
    math::HEADERS,
    network::HEADERS,
    patterns::HEADERS,
    pthread::HEADERS,
    sched::HEADERS,
    search::HEADERS,
    semaphore::HEADERS,
    setjmp::HEADERS,
    signal::HEADERS,
    stdio::HEADERS,
    stdlib::HEADERS,
    streams::HEADERS,
    string::HEADERS,
    sys::HEADERS,
    threads::HEADERS,
    time::HEADERS,
    unistd::HEADERS,
    wchar::HEADERS,
    wide_formats::HEADERS,
];

/// Families of functions with the same properties: what is true of a function without a row of its own that belongs to
/// one. A family comes before those that its name also belongs to.
pub const FAMILIES: &[LibraryRow] = compiler::FAMILIES;

const COUNT: usize = count();

/// All rows but families, those of a header next to each other.
pub static ALL: [LibraryRow; COUNT] = {
    let mut all = [builder::function("", ""); COUNT];
    let (mut at, mut file) = (0, 0);
    while file < FILES.len() {
        let mut header = 0;
        while header < FILES[file].len() {
            let rows = FILES[file][header].rows;
            let mut row = 0;
            while row < rows.len() {
                all[at] = rows[row];
                at += 1;
                row += 1;
            }
            header += 1;
        }
        file += 1;
    }
    all
};

/// The headers, in the order of [`ALL`].
pub fn headers() -> impl Iterator<Item = &'static LibraryHeader> {
    FILES.iter().flat_map(|headers| headers.iter())
}

/// What is known of the function or variable of this name.
pub fn row(name: &str) -> Option<&'static LibraryRow> {
    headers()
        .find_map(|header| header.row(name))
        .or_else(|| FAMILIES.iter().find(|family| name.starts_with(family.name)))
}

/// Where the row of this name is in [`ALL`].
///
/// # Panics
/// If there is none: at compile time where the result is a constant.
pub const fn position(name: &str) -> usize {
    let mut at = 0;
    while at < COUNT {
        if is_same(ALL[at].name, name) {
            return at;
        }
        at += 1;
    }
    panic!("no row has this name")
}

const fn is_same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut at = 0;
    while at < a.len() && at < b.len() && a[at] == b[at] {
        at += 1;
    }
    at == a.len() && at == b.len()
}

const fn count() -> usize {
    let (mut file, mut rows) = (0, 0);
    while file < FILES.len() {
        let mut header = 0;
        while header < FILES[file].len() {
            rows += FILES[file][header].rows.len();
            header += 1;
        }
        file += 1;
    }
    rows
}

#[cfg(test)]
mod tests;
