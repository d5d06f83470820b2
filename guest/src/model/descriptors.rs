//! Descriptors and streams: which calls on them depend on each other.
//!
//! A descriptor that its maker alone uses makes little dependent: reading through it is a look at the file, as is that
//! by the maker of another one. What other threads do to it counts as a change of the file, position included. Making
//! and closing descriptors depends on the table of numbers as well ([`DescriptorOperation`]).
//!
//! What a number stands for may change between the moment in which a thread arrives at a call and that in which it
//! makes it. So each announcement is repeated until the descriptor is still the one that was announced.

use super::imports::{address_if_named, imports_one_of};
use super::library_state::{Named, Use, all_files, file, file_at, folder_at, use_bytes, use_folder_stream};
use super::{kept, memory_streams, real};
use crate::engine::object_names::{name, note_name};
use crate::engine::switches::Switch;
use crate::engine::{has_other_threads, spoil_loops, unmodelled, visible, with};
use crate::hooks::{argument_read, locked_read, locked_write};
use crate::platform::channels::{ChannelEnd, of_descriptor};
use crate::platform::exit::{has_read_all, has_written_all, open_streams};
use crate::platform::{
    DESCRIPTORS, Global, elf, generation_of_descriptor, is_descriptor_of_running_thread, is_open, is_output,
    is_read_only, path_of_descriptor, renames,
};
use alloc::format;
use inspect_core::event::{ByteRange, DescriptorOperation, Event, Footprint, MemoryOrder, Operation, SiteId};
use inspect_core::run::Request;
use inspect_wire::library::{ALL, CallEffect};

/// Apart from each other, as races are looked for in pieces of 8 bytes.
const APART: u64 = 64;

/// How many bytes of an object, behind the first, stand for descriptors: who closes or has not made them uses these.
const CLOSERS: u32 = 7;

/// The number, if a descriptor can have it.
pub(super) fn number(fd: u64) -> Option<u16> {
    u16::try_from(fd as u32).ok().filter(|&number| usize::from(number) < DESCRIPTORS)
}

/// The object of a descriptor.
pub(super) fn descriptor(fd: u64) -> u64 {
    let fd = fd as u32;
    let start = Named::Descriptor.base() + APART * u64::from(fd);
    note_name(start, || format!("the position of descriptor {fd}"));
    start
}

/// The object of the file of a descriptor, or its own if it has none.
fn file_behind(fd: u64) -> u64 {
    match path_of_descriptor(fd) {
        Some(path) => file(path),
        // One from before the run may be one of a file that the run opens.
        None if Switch::OneFile.is_on() && !is_output(fd) && of_descriptor(fd).is_none() => all_files(),
        None => descriptor(fd),
    }
}

/// What stands for a descriptor of a file where it is closed.
fn closer(file: u64, number: u16) -> ByteRange {
    let start = file + 1 + u64::from(number) % u64::from(CLOSERS);
    note_name(start, || format!("a descriptor of {}", name(file).unwrap_or_default()));
    ByteRange { start, len: 1 }
}

/// What a call through a descriptor touches of that object.
fn behind(fd: u64) -> ByteRange {
    ByteRange { start: file_behind(fd), len: if is_descriptor_of_running_thread(fd) { 1 } else { 1 + CLOSERS } }
}

/// Calls that move the position of a descriptor are looks, independent of each other, where its maker makes them. In a
/// program that duplicates descriptors they are changes, as several descriptors may share a position.
fn how_moved(fd: u64) -> Use {
    if is_descriptor_of_running_thread(fd) && !duplicates() { Use::Look } else { Use::Change }
}

/// Whether several descriptors can share one position, and a number can become another descriptor at once.
fn duplicates() -> bool {
    static DUPLICATES: Global<Option<bool>> = Global::new(None);
    // SAFETY: one OS thread; the borrow ends here.
    *unsafe { DUPLICATES.get() }
        .get_or_insert_with(|| imports_one_of(&["dup", "dup2", "dup3", "fcntl", "fcntl64", "syscall"]))
}

/// What descriptors of one open description share.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Shared {
    /// Whether calls wait.
    Flags = 0,
    /// Which descriptors there are.
    Numbers = 8,
}

/// What stands for it, of an end of a pipe, a counter or a socket.
fn shared(of: ChannelEnd, what: Shared) -> ByteRange {
    let start = Named::Description.base() + APART * u64::from(of.description);
    note_name(start, || format!("the flags of description {} of a pipe, event counter or socket", of.description));
    note_name(start + Shared::Numbers as u64, || {
        format!("the descriptors of description {} of a pipe, event counter or socket", of.description)
    });
    ByteRange { start: start + what as u64, len: 1 }
}

/// A call that uses a number, whatever it stands for; of a channel, it looks at or changes what its descriptors share.
pub(super) fn use_number(fd: u64, what: Shared, changes: bool, site: SiteId) {
    let Some(number) = number(fd) else { return };
    settled(fd, || {
        let own = ByteRange { start: descriptor(fd), len: 1 };
        let file = of_descriptor(fd).map_or(own, |of| shared(of, what));
        operate(DescriptorOperation::Use { file, changes: changes && file != own, number }, site);
    });
}

/// A call makes a descriptor of something new.
pub(super) fn make_descriptor(site: SiteId) {
    let new = Named::Description.base() + APART * u64::from(u16::MAX);
    note_name(new, || "a new pipe, event counter, socket or file in memory".into());
    make(new, Use::Look, site);
}

/// A call gives back the number that it has taken for a descriptor.
pub(super) fn give_back(number: i64, site: SiteId) {
    let own = ByteRange { start: descriptor(number as u64), len: 1 };
    operate(DescriptorOperation::GiveBack { file: own, changes: false, number: number as u16 }, site);
}

pub(super) fn operate(operation: DescriptorOperation, site: SiteId) {
    visible(Request::new(Operation::Descriptor(operation), site));
}

/// Announces until the descriptor is the one that was announced.
pub(super) fn settled(fd: u64, mut announce: impl FnMut()) {
    loop {
        let present = || (generation_of_descriptor(fd), renames());
        let announced = present();
        announce();
        if present() == announced {
            return;
        }
    }
}

/// A call that reads or writes through a descriptor.
pub(crate) fn use_descriptor(fd: u64, how: Use, site: SiteId) {
    use_through(fd, |_| how, Through::Descriptor, site);
}

/// A call that reads through a descriptor, and so moves its position.
pub(crate) fn use_position(fd: u64, site: SiteId) {
    use_through(fd, how_moved, Through::Descriptor, site);
}

/// A call through a descriptor: one through a number that is not open depends on what is opened. What several threads
/// write to standard output and error is independent (S8), unless one of them is closed.
fn use_through(fd: u64, how: impl Fn(u64) -> Use, through: Through, site: SiteId) {
    match (of_descriptor(fd), through) {
        (Some(_), Through::Stream) => unmodelled("a stream of a pipe, an event counter or a socket", site),
        (Some(_), Through::Descriptor) => return use_number(fd, Shared::Flags, false, site),
        (None, _) => {}
    }
    settled(fd, || {
        let used = |file, how| {
            let changes = how == Use::Change;
            number(fd).map(|number| DescriptorOperation::Use { file, changes, number })
        };
        let own = ByteRange { start: descriptor(fd), len: 1 };
        let operation = match (is_open(fd), is_output(fd)) {
            (false, _) => used(own, Use::Look),
            (true, true) if Switch::ClosedOutputs.is_on() => used(own, Use::Look),
            (true, true) => return,
            (true, false) if depends_on_number(fd, through) => used(behind(fd), how(fd)),
            (true, false) => None,
        };
        if let Some(operation) = operation {
            operate(operation, site);
        }
        match through {
            Through::Descriptor if operation.is_some() => {}
            Through::Descriptor => {
                use_bytes(behind(fd), how(fd), MemoryOrder::Relaxed, MemoryOrder::Relaxed, site);
            }
            Through::Stream => {
                use_bytes(behind(fd), how(fd), MemoryOrder::Acquire, MemoryOrder::AcquireRelease, site);
            }
        }
    });
}

/// What a call goes through.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Through {
    /// A descriptor.
    Descriptor,
    /// A stream: under its lock, and with a number that nobody else has.
    Stream,
}

/// Whether a call through this descriptor, which is open, depends on the table: what its number stands for. For its
/// maker it stands for what that has made; if another thread closes it, the two conflict at the file.
fn depends_on_number(fd: u64, through: Through) -> bool {
    let known = match through {
        Through::Descriptor => generation_of_descriptor(fd) == 0 || is_descriptor_of_running_thread(fd),
        Through::Stream => true,
    };
    replaces() || !known
}

/// Whether a number can become another descriptor in one step.
fn replaces() -> bool {
    static REPLACES: Global<Option<bool>> = Global::new(None);
    // SAFETY: one OS thread; the borrow ends here.
    *unsafe { REPLACES.get() }
        .get_or_insert_with(|| imports_one_of(&["dup2", "dup3", "freopen", "freopen64", "syscall"]))
}

/// A call that opens a path, and makes a descriptor of it.
pub(crate) fn open_name(directory: i32, path: u64, how: Use, site: SiteId) {
    // What a symbolic link leads to is opened, and not the link.
    let mut announced = None;
    while let Some(start) = file_at(directory, path, Use::Look, site).filter(|&start| announced != Some(start)) {
        make(start, how, site);
        announced = Some(start);
    }
}

/// A call that opens a folder.
pub(crate) fn open_folder(path: u64, site: SiteId) {
    if let Some(start) = folder_at(path) {
        make(start, Use::Look, site);
    }
}

fn make(start: u64, how: Use, site: SiteId) {
    let file = ByteRange { start, len: 1 };
    operate(DescriptorOperation::Take { file, changes: how == Use::Change }, site);
}

/// A call that makes another descriptor of the file behind this one.
pub(crate) fn duplicate_descriptor(fd: u64, site: SiteId) {
    settled(fd, || {
        if is_open(fd) {
            let (file, how) = duplicated(fd);
            operate(DescriptorOperation::Take { file, changes: how == Use::Change }, site);
        } else {
            use_position(fd, site);
        }
    });
}

/// What a call that makes another descriptor of this one touches of what they share, and how.
fn duplicated(fd: u64) -> (ByteRange, Use) {
    match of_descriptor(fd) {
        Some(of) => (shared(of, Shared::Numbers), Use::Change),
        None if is_output(fd) => (ByteRange { start: descriptor(fd), len: 1 }, how_moved(fd)),
        None => (behind(fd), how_moved(fd)),
    }
}

/// Whether the thread's last operation is that of a call that makes a descriptor.
pub(crate) fn makes_descriptor() -> bool {
    let takes = |event: &Event| Footprint::of(&event.operation).names(DescriptorOperation::LOWEST_FREE);
    with(|engine| engine.run.events().last().is_some_and(takes))
}

/// A call that closes a descriptor.
pub(crate) fn close_descriptor(fd: u64, site: SiteId) {
    note_close(fd, how_moved, site);
}

/// Closing by the maker conflicts only with what other threads do with the descriptor: with the byte that stands for
/// it.
fn note_close(fd: u64, how: impl Fn(u64) -> Use, site: SiteId) {
    let Some(number) = number(fd) else { return };
    settled(fd, || {
        if !is_open(fd) {
            return use_position(fd, site);
        }
        note_closed_output(fd);
        if let Some(of) = of_descriptor(fd) {
            let file = shared(of, Shared::Numbers);
            return operate(DescriptorOperation::GiveBack { file, changes: true, number }, site);
        }
        let start = file_behind(fd);
        let file = match how(fd) {
            Use::Look => closer(start, number),
            Use::Change => ByteRange { start, len: 1 + CLOSERS },
        };
        operate(DescriptorOperation::GiveBack { file, changes: true, number }, site);
    });
}

/// An output is closed or replaced beside other threads: what they write to it depends on that.
fn note_closed_output(fd: u64) {
    if is_output(fd) && has_other_threads() {
        Switch::ClosedOutputs.come_up();
    }
}

/// A call that makes descriptor `fd` another one for the file of `of`. Right before it takes effect, it names the
/// number `fd` and the file of `of`. It names the number `of` and the file of `fd` before that, so that it is explored
/// in both orders with another such call that replaces `of`.
pub(crate) fn replace_descriptor(of: u64, fd: u64, site: SiteId) {
    let Some(number) = number(fd) else { return use_position(of, site) };
    note_closed_output(fd);
    use_replaced(fd, site);
    if of_descriptor(of).is_some() || is_open(of) && !is_output(of) {
        use_number(of, Shared::Numbers, false, site);
    }
    settled(of, || {
        if is_open(of) {
            let (file, _) = duplicated(of);
            let changes = of_descriptor(of).is_some();
            operate(DescriptorOperation::GiveBack { file, changes, number }, site);
        } else {
            use_position(of, site);
        }
    });
}

/// What a descriptor stands for goes away, as it becomes another one.
fn use_replaced(fd: u64, site: SiteId) {
    if of_descriptor(fd).is_some() {
        use_number(fd, Shared::Numbers, true, site);
    } else if is_open(fd) && !is_output(fd) {
        use_position(fd, site);
    }
}

/// Where in a stream its descriptor is.
pub(crate) const FILENO: u64 = 112;

/// The descriptor of a stream, where the C library keeps it.
fn descriptor_of_stream(stream: u64) -> u64 {
    // SAFETY: the program passes a stream; if not, it faults here as it would in the C library.
    u64::from(unsafe { *((stream + FILENO) as *const u32) })
}

/// The stream is there, and not closed.
pub(super) fn look_at_stream(stream: u64, site: SiteId) {
    if stream != 0 {
        locked_read(stream + FILENO, 4, site);
    }
}

/// Where in a stream its flags and the state of its buffer are, which functions that take no lock access.
const STATE_OF_STREAM: u64 = 64;

/// Whether the program uses streams without their lock, which races with uses under the lock.
fn uses_unlocked() -> bool {
    static USES: Global<Option<bool>> = Global::new(None);
    let takes_no_lock =
        |effect: &CallEffect| matches!(effect, CallEffect::UsesStreamUnlocked(_) | CallEffect::UsesStandardUnlocked(_));
    // SAFETY: one OS thread; the borrow ends here.
    *unsafe { USES.get() }.get_or_insert_with(|| {
        ALL.iter().any(|row| row.effects.iter().any(takes_no_lock) && imports_one_of(&[row.name]))
    })
}

/// A call that uses a stream, under the stream's lock: its position and buffer are shared by all threads that have the
/// pointer.
pub(crate) fn use_stream(stream: u64, how: Use, site: SiteId) {
    if stream == 0 {
        return;
    }
    look_at_stream(stream, site);
    if memory_streams::use_stream(stream, how, site) {
        return;
    }
    let fd = descriptor_of_stream(stream);
    if !is_terminal_stream(stream) || !is_output(fd) || Switch::ClosedOutputs.is_on() {
        let how = |fd| if how == Use::Look || is_read_only(fd) { how_moved(fd) } else { how };
        use_through(fd, how, Through::Stream, site);
    }
    if let Some(buffer) = kept::buffer_of(stream) {
        // What several threads print is independent, but not in which order it is in memory of the program.
        if is_terminal_stream(stream) && is_output(fd) {
            use_bytes(behind(fd), Use::Change, MemoryOrder::Acquire, MemoryOrder::AcquireRelease, site);
        }
        spoil_loops();
        locked_write(buffer.start, buffer.len, site);
    }
    if uses_unlocked() {
        locked_write(stream, STATE_OF_STREAM, site);
    }
}

/// A call uses the stream in a variable of the C library. Only in a program that names the variable can it have another
/// value than at the start, and only a buffer of the program's own makes what the library does with the stream visible.
pub(crate) fn use_standard(variable: &'static str, site: SiteId) {
    const VARIABLES: [&str; 3] = ["stdin", "stdout", "stderr"];
    static PLACES: Global<Option<[[u64; 2]; VARIABLES.len()]>> = Global::new(None);
    // SAFETY: one OS thread; the borrow ends here.
    let places = *unsafe { PLACES.get() }
        .get_or_insert_with(|| VARIABLES.map(|name| [address_if_named(name), elf::find(name) as u64]));
    let Some(at) = VARIABLES.iter().position(|&known| known == variable) else { return };
    let [named, place] = places[at];
    if named != 0 {
        argument_read(named, 8, site);
    }
    // SAFETY: the C library's variable.
    let stream = unsafe { *(place as *const u64) };
    if variable == VARIABLES[0] {
        write_out_output(stream, site);
    }
    let is_of_channel = || of_descriptor(descriptor_of_stream(stream)).is_some();
    if kept::buffer_of(stream).is_some() || uses_unlocked() || !standard_streams().contains(&stream) || is_of_channel()
    {
        use_stream(stream, Use::Change, site);
    }
}

/// A call that closes a stream. What is left in its buffer is written then.
pub(crate) fn close_stream(stream: u64, site: SiteId) {
    if stream != 0 {
        look_at_stream(stream, site);
        kept::forget_buffer(stream);
        memory_streams::write_out(stream, site);
        memory_streams::forget(stream);
        let how = |fd| if is_read_only(fd) { how_moved(fd) } else { Use::Change };
        note_close(descriptor_of_stream(stream), how, site);
    }
}

/// A call that opens another path with a stream: its number becomes another descriptor.
pub(crate) fn reopen_stream(path: u64, how: Use, stream: u64, site: SiteId) {
    if memory_streams::is_one(stream) {
        unmodelled("freopen of a stream of memory", site);
    }
    let start =
        if stream == 0 { None } else { file_at(super::library_state::CURRENT_DIRECTORY, path, Use::Look, site) };
    let (Some(start), Some(number)) = (start, number(descriptor_of_stream(stream))) else { return };
    note_closed_output(number.into());
    let file = ByteRange { start, len: 1 };
    operate(DescriptorOperation::GiveBack { file, changes: how == Use::Change, number }, site);
}

/// A call that closes the stream of a folder's entries, and its descriptor.
pub(crate) fn close_folder_stream(stream: u64, site: SiteId) {
    if stream != 0 {
        use_folder_stream(stream, site);
        // SAFETY: the program passes a stream; its first word is the descriptor.
        let fd = unsafe { (stream as *const u32).read_unaligned() };
        close_descriptor(fd.into(), site);
    }
}

/// A call that writes out all streams, one after the other in the order of their addresses: others may open and close
/// streams meanwhile.
pub(crate) fn use_all_streams(site: SiteId) {
    let mut last = 0;
    while let Some(stream) = open_streams().filter(|&stream| stream > last).min() {
        if !is_read_only(descriptor_of_stream(stream)) {
            use_stream(stream, Use::Change, site);
        }
        last = stream;
    }
}

/// A call reads from a stream.
pub(super) fn read_stream(stream: u64, site: SiteId) {
    write_out_output(stream, site);
    use_stream(stream, Use::Look, site);
}

/// Before it fills the buffer of a stream that keeps no more than a line, the C library writes out `stdout`, if that
/// keeps a line as well. It is written out here, so that nobody else comes in between.
fn write_out_output(stream: u64, site: SiteId) {
    const LINES: u32 = 0x200;
    const NO_BUFFER: u32 = 2;
    const NO_WRITES: u32 = 8;
    // SAFETY: the program passes a stream, whose first word are the C library's flags; if not, it faults here as it
    // would in the C library.
    let flags = |stream: u64| unsafe { *(stream as *const u32) };
    if stream == 0 || flags(stream) & (LINES | NO_BUFFER) == 0 {
        return;
    }
    // SAFETY: the C library's variable.
    let output = unsafe { *(elf::find("stdout") as *const u64) };
    let keeps_lines = output != 0 && flags(output) & (LINES | NO_WRITES) == LINES;
    if keeps_lines && !has_written_all(output) {
        use_stream(output, Use::Change, site);
        if has_read_all(stream) {
            real!("fflush" as fn(u64) -> i32)(output);
        }
    }
}

/// Whether the stream is the one in the C library's variable `stdout` or `stderr`.
fn is_terminal_stream(stream: u64) -> bool {
    standard_streams()[..2].contains(&stream)
}

/// The streams that a process begins with: output, errors, input.
fn standard_streams() -> [u64; 3] {
    static STREAMS: Global<[u64; 3]> = Global::new([0; 3]);
    let mut streams = STREAMS.read();
    if streams[0] == 0 {
        streams = ["_IO_2_1_stdout_", "_IO_2_1_stderr_", "_IO_2_1_stdin_"].map(|name| elf::real(name) as u64);
        STREAMS.write(streams);
    }
    streams
}
