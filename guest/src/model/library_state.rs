//! State inside the C library that threads share although no argument points to it: the table of environment variables,
//! the state of `strtok`, of `random`. Each is an object with a made-up address.
//!
//! Where POSIX says that a function is not thread-safe, its call is a plain access to the object, so that calls of two
//! threads race unless the program orders them. Where the C library synchronises itself, the call is an atomic access:
//! never a race, but a visible operation, as the order decides about values.
//!
//! A call on a file is one visible operation, on one object, right before it takes effect: with two, another thread's
//! call could come between them, and the order of the effects would not be that of the operations.

use super::imports::{address_if_named, imports_one_of};
use super::{kept, locale};
use crate::engine::named_semaphores::SemaphoreName;
use crate::engine::object_names::{self, note_name};
use crate::engine::site::of_call;
use crate::engine::switches::Switch;
use crate::engine::{has_other_threads, note_uncontrolled, spoil_loops, visible, with};
use crate::hooks::{locked_read, locked_write, plain};
use crate::platform::{Global, PAGE, PathObject, object_of_path, path_of_descriptor, started};
use alloc::format;
use alloc::string::{String, ToString};
use core::ffi::{CStr, c_char};
use inspect_core::event::{
    ByteRange, MADE_UP, MADE_UP_FOR_ARGUMENTS, MemoryOperation, MemoryOrder, Object, Operation, SiteId, ThreadId,
};
use inspect_core::run::Request;
use inspect_wire::library::Hidden;

/// What calls name by their arguments. Each kind has made-up addresses of its own, from the bit that is its value, so
/// that no object is one of another kind: the compiler refuses two of one value.
pub(super) enum Named {
    /// Streams of folders, by address of the stream.
    FolderStream = MADE_UP_FOR_ARGUMENTS.trailing_zeros() as isize,
    /// Files, by a hash of the path. The path stands for the file, as everything else about it changes from run to run.
    /// The first byte is the file; the others stand for descriptors of it, by their numbers, which only those who close
    /// them and threads that have not opened them touch.
    File = 49,
    /// Descriptors, by number.
    Descriptor = 50,
    /// What is done about each signal, by its number: one table for all threads.
    Signal = 51,
    /// Names of semaphores, by a hash.
    SemaphoreName = 52,
    /// Which processors a thread may run on, by the thread's slot.
    Processors = 53,
    /// Thread-specific keys, by number.
    Key = 54,
    /// Rights of pages of mapped memory, by number of the page.
    PageRights = 56,
    // Bits 55 and 57 are those of the cancellation of threads and the table of descriptors, in `core`.
    /// Sizes of heap blocks, by address of the block.
    BlockSize = 58,
    // Bit 59 is that of channels, in `core`.
    /// Descriptions of channels, by number: their flags, and which descriptors they have.
    Description = 60,
    /// Names of sockets that are no paths, by a hash.
    SocketName = 61,
}

impl Named {
    /// The first address of the kind.
    pub(super) const fn base(self) -> u64 {
        MADE_UP | 1 << self as u32
    }
}

// Those of cancellations, which the vocabulary names, lie above them all.
const _: () = assert!(Object::cancellation(ThreadId::MAIN).0 >= Named::Key.base() << 1 | MADE_UP);

/// Apart from each other, as races are looked for in pieces of 8 bytes.
const APART: u64 = 64;

const _: () = assert!(address(Hidden::Locale) == inspect_wire::facts::LOCALE);

/// The made-up address of an object.
const fn address(object: Hidden) -> u64 {
    MADE_UP + object as u64 * APART
}

fn range(object: Hidden) -> ByteRange {
    ByteRange { start: address(object), len: 1 }
}

/// What the object at this made-up address is, in words.
pub(crate) fn name(start: u64) -> Option<String> {
    let fixed = start.checked_sub(MADE_UP).and_then(|offset| Hidden::ALL.get((offset / APART) as usize));
    fixed.map(|object| object.name().to_string()).or_else(|| object_names::name(start))
}

/// A call that depends on what is done about a signal, or changes it.
pub(crate) fn use_signal(signal: u64, how: Use, site: SiteId) {
    const COUNT: u64 = 65;
    let signal = u64::from(signal as u32);
    if signal < COUNT {
        use_object(action(signal), how, site);
    }
}

fn action(signal: u64) -> u64 {
    let start = Named::Signal.base() + APART * signal;
    note_name(start, || format!("what is done about signal {signal}"));
    start
}

/// A call that depends on what the name of a semaphore leads to, or changes it, under the C library's lock.
pub(crate) fn use_semaphore_name(name: SemaphoreName, how: Use, site: SiteId) {
    let range = ByteRange { start: semaphore_name(name), len: 1 };
    use_bytes(range, how, MemoryOrder::Acquire, MemoryOrder::AcquireRelease, site);
}

fn semaphore_name(name: SemaphoreName) -> u64 {
    with(|engine| {
        let name = engine.named_semaphores.bytes(name);
        let start = Named::SemaphoreName.base() + hash(name.iter().copied());
        note_name(start, || format!("the semaphore named \"/{}\"", String::from_utf8_lossy(name)));
        start
    })
}

/// A call that depends on what a name of a socket leads to, which is no path, or changes it.
pub(super) fn use_socket_name(name: &[u8], how: Use, site: SiteId) {
    use_object(socket_name(name), how, site);
}

fn socket_name(name: &[u8]) -> u64 {
    let start = Named::SocketName.base() + hash(name.iter().copied());
    note_name(start, || format!("the name \"{}\" of a socket", name.escape_ascii()));
    start
}

/// How a call uses a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Use {
    /// It depends on the file.
    Look,
    /// It changes the file.
    Change,
}

/// A number for made-up addresses, below 2^41.
fn hash(bytes: impl Iterator<Item = u8>) -> u64 {
    let hash =
        bytes.fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    (hash ^ hash >> 32) % (1 << 38) * 8
}

pub(super) fn use_object(start: u64, how: Use, site: SiteId) {
    use_bytes(ByteRange { start, len: 1 }, how, MemoryOrder::Relaxed, MemoryOrder::Relaxed, site);
}

pub(super) fn use_bytes(range: ByteRange, how: Use, look: MemoryOrder, change: MemoryOrder, site: SiteId) {
    // What is at a made-up address has no value that could be watched.
    spoil_loops();
    let operation = match how {
        Use::Look => Operation::Memory(MemoryOperation::AtomicLoad(range, look)),
        Use::Change => Operation::Memory(MemoryOperation::AtomicUpdate { range, order: change, wrote: true }),
    };
    visible(Request::new(operation, site));
}

/// A call that depends on what a path leads to, or changes it. It is announced until the file is the one that was
/// announced: another thread may have put another one there.
pub(crate) fn use_name(directory: i32, path: u64, how: Use, site: SiteId) {
    let mut announced = None;
    while let Some(file) = file_at(directory, path, how, site).filter(|&file| announced != Some(file)) {
        use_object(file, how, site);
        announced = Some(file);
    }
}

/// What stands for the file to which a path leads that the program passes.
fn path_at(directory: i32, path: u64) -> PathObject {
    // SAFETY: the program passes a path; if not, it faults here as it would in the C library.
    let text = unsafe { CStr::from_ptr(path as *const c_char) };
    let nothing =
        || PathObject { path: text.to_string_lossy().into_owned(), is_shared: false, is_link_or_folder: false };
    object_of_path(directory, text).unwrap_or_else(nothing)
}

/// The object of the file to which a path of the program's leads. Objects are those of names: where a file has several
/// of them, or the name of a symbolic link or folder may become that of something else, all files are one.
pub(super) fn file_at(directory: i32, path: u64, how: Use, site: SiteId) -> Option<u64> {
    if path == 0 {
        return None;
    }
    let found = path_at(directory, path);
    if is_made_up_by_the_system(&found.path) {
        note_uncontrolled(format!("open of {}, whose contents change from run to run", found.path), site);
    }
    if (found.is_shared || found.is_link_or_folder && how == Use::Change) && has_other_threads() {
        Switch::OneFile.come_up();
    }
    Some(file(found.path))
}

/// Whether the contents of a file are about the present state of the machine or the process.
fn is_made_up_by_the_system(path: &str) -> bool {
    const CONSTANT: [&str; 7] = [
        "/proc/sys/",
        "/proc/self/exe",
        "/proc/self/cmdline",
        "/proc/self/fd/",
        "/proc/filesystems",
        "/proc/version",
        "/proc/cmdline",
    ];
    path.starts_with("/proc/") && !CONSTANT.iter().any(|constant| path.starts_with(constant))
}

/// A change of the name of a file, from one path to another one, each relative to a folder: two objects. The first is
/// used once more afterwards, so that every order of the change with others' calls on either name comes up.
pub(crate) fn use_names(from: (i32, u64), to: (i32, u64), site: SiteId) -> impl FnOnce() {
    use_name(from.0, from.1, Use::Change, site);
    use_name(to.0, to.1, Use::Change, site);
    move || use_name(from.0, from.1, Use::Change, site)
}

/// Functions that list folders.
#[rustfmt::skip]
const LISTING: [&str; 16] = [
    "opendir", "fdopendir", "scandir", "scandir64", "scandirat", "scandirat64", "glob", "glob64", "fts_open", "fts64_open",
    "ftw", "ftw64", "nftw", "nftw64", "getdents64", "syscall",
];

/// Whether the program can list folders at all: where it cannot, changes of two files in one folder are independent.
fn lists_folders() -> bool {
    static LISTS: Global<Option<bool>> = Global::new(None);
    // SAFETY: one OS thread; the borrow ends here.
    *unsafe { LISTS.get() }.get_or_insert_with(|| imports_one_of(&LISTING))
}

/// A call that uses a stream of a folder's entries: a plain access, as POSIX leaves it to the program to use a stream
/// by one thread at a time.
pub(crate) fn use_folder_stream(stream: u64, site: SiteId) {
    if stream != 0 {
        locked_read(stream, 8, site);
        plain(ByteRange { start: folder_stream(stream), len: 1 }, true, site);
        // SAFETY: the program passes a stream; its first word is the descriptor.
        let fd = unsafe { (stream as *const u32).read_unaligned() };
        if let Some(file) = path_of_descriptor(fd.into()).map(folder) {
            use_object(file, Use::Look, site);
        }
    }
}

fn folder_stream(stream: u64) -> u64 {
    let start = Named::FolderStream.base() + stream;
    note_name(start, || format!("the folder stream at {stream:#x}"));
    start
}

/// A call that lists the folder at this path.
pub(crate) fn use_folder(path: u64, site: SiteId) {
    if let Some(folder) = folder_at(path) {
        use_object(folder, Use::Look, site);
    }
}

/// The object of the folder at this path.
pub(super) fn folder_at(path: u64) -> Option<u64> {
    (path != 0).then(|| folder(path_at(CURRENT_DIRECTORY, path).path))
}

/// `AT_FDCWD`.
pub(super) const CURRENT_DIRECTORY: i32 = -100;

/// The object of a folder that is listed.
fn folder(path: String) -> u64 {
    if Switch::OneFile.is_on() { all_files() } else { named(path) }
}

/// The object that all files are, where some file has several names.
pub(super) fn all_files() -> u64 {
    let start = Named::File.base() + hash(b"all".iter().copied());
    note_name(start, || "the files".to_string());
    start
}

/// The object of a file. In a program that lists folders all files of a folder are one with it.
pub(super) fn file(path: String) -> u64 {
    if Switch::OneFile.is_on() {
        return all_files();
    }
    match path.rsplit_once('/').filter(|_| lists_folders()) {
        Some(("", _)) => named("/".to_string()),
        Some((folder, _)) => named(folder.to_string()),
        None => named(path),
    }
}

fn named(path: String) -> u64 {
    let start = Named::File.base() + hash(path.bytes());
    note_name(start, || format!("file \"{path}\""));
    start
}

/// A call that looks at the object without any synchronisation.
pub(crate) fn read(object: Hidden, site: SiteId) {
    match object {
        Hidden::Environment => kept::use_environment(false, site),
        Hidden::Locale if locale::use_own(site) => return,
        _ => {}
    }
    plain(range(object), false, site);
}

/// A call that depends on the locale of the process, whichever that of its thread is.
pub(super) fn read_global_locale(site: SiteId) {
    plain(range(Hidden::Locale), false, site);
}

/// A call that changes the object without any synchronisation.
pub(crate) fn write(object: Hidden, site: SiteId) {
    if object == Hidden::Environment {
        kept::use_environment(true, site);
    }
    plain(range(object), true, site);
}

/// A call that changes the object under the C library's own lock.
pub(crate) fn update(object: Hidden, site: SiteId) {
    // A deleted key comes back as a new one, and a state that one thread gave to `random` is changed by calls of
    // others.
    let orders = match object {
        Hidden::Keys => deletes_keys(),
        Hidden::Random => gives_state(),
        _ => false,
    };
    update_in(if orders { MemoryOrder::AcquireRelease } else { MemoryOrder::Relaxed }, object, site);
    if let Some(state) = kept::state_of_random().filter(|_| object == Hidden::Random) {
        locked_write(state.start, state.len, site);
    }
}

/// As [`update`], where the lock orders what its holders do.
pub(super) fn update_in_order(object: Hidden, site: SiteId) {
    update_in(MemoryOrder::AcquireRelease, object, site);
}

fn update_in(order: MemoryOrder, object: Hidden, site: SiteId) {
    let operation = Operation::Memory(MemoryOperation::AtomicUpdate { range: range(object), order, wrote: true });
    visible(Request::new(operation, site));
}

/// A call that takes the time zone from the environment and sets the library's variables for it, under the library's
/// own lock. Only in a program that names one of them can anybody see the latter.
pub(crate) fn set_time_zone(site: SiteId) {
    read(Hidden::Environment, site);
    const VARIABLES: [(&str, u32); 3] = [("tzname", 16), ("timezone", 8), ("daylight", 4)];
    static NAMED: Global<Option<[u64; VARIABLES.len()]>> = Global::new(None);
    // SAFETY: one OS thread; the borrow ends here.
    let named = *unsafe { NAMED.get() }.get_or_insert_with(|| VARIABLES.map(|(name, _)| address_if_named(name)));
    for (start, (_, len)) in named.into_iter().zip(VARIABLES) {
        if start != 0 {
            let range = ByteRange { start, len };
            let order = MemoryOrder::Relaxed;
            visible(Request::new(Operation::Memory(MemoryOperation::AtomicUpdate { range, order, wrote: true }), site));
        }
    }
}

/// Makes a call that [sets the time zone](set_time_zone): the library keeps its name in blocks of its own, which it
/// frees and allocates under its lock, so that those of two threads do not race. No other thread runs meanwhile.
pub(super) fn with_time_zone<R>(call: impl FnOnce() -> R) -> R {
    if !started() {
        return call();
    }
    kept::begin_time_zone();
    let result = call();
    kept::end_time_zone();
    result
}

/// Whether the program gives `random` memory for its state.
fn gives_state() -> bool {
    static GIVES: Global<Option<bool>> = Global::new(None);
    // SAFETY: one OS thread; the borrow ends here.
    *unsafe { GIVES.get() }.get_or_insert_with(|| imports_one_of(&["initstate", "setstate"]))
}

/// Whether the program deletes keys: where it does not, none is used after its end.
pub(crate) fn deletes_keys() -> bool {
    static DELETES: Global<Option<bool>> = Global::new(None);
    // SAFETY: one OS thread; the borrow ends here.
    *unsafe { DELETES.get() }.get_or_insert_with(|| imports_one_of(&["pthread_key_delete", "tss_delete"]))
}

fn key(key: u32) -> u64 {
    let start = Named::Key.base() + APART * u64::from(key);
    note_name(start, || format!("the thread-specific key {key}"));
    start
}

/// A call that uses a thread-specific key, or (`deletes`) deletes it: a plain access, as POSIX leaves it to the program
/// that no key is used after it was deleted.
pub(crate) fn use_key(number: u32, deletes: bool, site: SiteId) {
    if deletes_keys() {
        plain(ByteRange { start: key(number), len: 1 }, deletes, site);
    }
}

/// The end of a thread looks at a key to find out whether there is a destructor to be run, or the key is deleted: the
/// library synchronises the two.
pub(crate) fn order_destructor(number: u32, how: Use, site: SiteId) {
    if deletes_keys() {
        use_object(key(number) + 8, how, site);
    }
}

/// A call that asks for the size of a heap block, or frees the block: plain accesses, as it is left to the program that
/// no block is asked after its end.
pub(crate) fn use_block_size(block: u64, how: Use, pc: u64) {
    static ASKS: Global<Option<bool>> = Global::new(None);
    // SAFETY: one OS thread; the borrow ends here.
    if block != 0 && *unsafe { ASKS.get() }.get_or_insert_with(|| imports_one_of(&["malloc_usable_size"])) {
        plain(ByteRange { start: block_size(block), len: 1 }, how == Use::Change, of_call(pc));
    }
}

fn block_size(block: u64) -> u64 {
    let start = Named::BlockSize.base() + block;
    note_name(start, || format!("the size of the heap block at {block:#x}"));
    start
}

/// A call that depends on what may be done with pages, or changes it.
pub(super) fn use_page_rights(address: u64, len: u64, how: Use, site: SiteId) {
    let start = page_rights(address);
    let count = (address % PAGE).saturating_add(len).div_ceil(PAGE);
    let len = u32::try_from(count.min(Named::PageRights.base() * 2 - start)).unwrap_or(u32::MAX);
    if len != 0 {
        use_bytes(ByteRange { start, len }, how, MemoryOrder::Relaxed, MemoryOrder::Relaxed, site);
    }
}

fn page_rights(address: u64) -> u64 {
    let start = Named::PageRights.base() + address / PAGE;
    note_name(start, || format!("the rights of the page at {address:#x}"));
    start
}

/// A call that depends on the processors that a thread may run on, or changes them.
pub(crate) fn use_processors(slot: usize, how: Use, site: SiteId) {
    use_object(processors(slot), how, site);
}

fn processors(slot: usize) -> u64 {
    let start = Named::Processors.base() + APART * slot as u64;
    note_name(start, || format!("the attributes of thread {slot}"));
    start
}
