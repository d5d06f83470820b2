//! Streams of memory: those of memory that grows (`open_memstream`), and those of memory of the program's (`fmemopen`).
//!
//! Such a stream has no descriptor, and is an object of its own: each call that uses it moves its position, under its
//! lock. What the C library does with memory of the program's in such a call is announced for races. A stream of memory
//! that grows may write anywhere in its text with each call that writes; the variables that say where the text is and
//! how long are written when the stream is written out or closed. A stream of the program's memory keeps what is
//! written in a buffer of the library's until then.

use super::extent::length;
use super::library_state::{Named, Use, use_bytes};
use crate::engine::kept::{Keeper, KeptMemory};
use crate::engine::object_names::note_name;
use crate::engine::{spoil_loops, with};
use crate::hooks::{argument_read, argument_write, locked_read, locked_write};
use crate::platform::exit::has_written_all;
use alloc::format;
use core::ffi::{CStr, c_char};
use inspect_core::event::{ByteRange, MemoryOrder, SiteId};

/// What the C library keeps of a stream for later calls: all kinds of it.
const KEEPERS: [fn(u64) -> Keeper; 4] = [Keeper::TextOf, Keeper::LengthOf, Keeper::ReadMemory, Keeper::WrittenMemory];

fn kept(keeper: Keeper) -> Option<KeptMemory> {
    with(|engine| engine.kept.of(keeper).next())
}

fn keep(keeper: Keeper, start: u64, len: u64) {
    with(|engine| engine.kept.keep(KeptMemory { keeper, start, len }));
}

/// A stream of memory that grows was opened.
pub(super) fn note_growing(stream: u64, text: u64, length: u64) {
    if stream != 0 {
        keep(Keeper::TextOf(stream), text, 8);
        keep(Keeper::LengthOf(stream), length, 8);
    }
}

/// A stream of memory of the program's is about to be opened: its end is looked for, or made.
pub(super) fn open_fixed(memory: u64, len: u64, mode: u64, site: SiteId) {
    if memory == 0 || len == 0 {
        return;
    }
    if how(mode).starts_with(b"w") {
        argument_write(memory, 1, site);
    } else if how(mode).starts_with(b"a") {
        argument_read(memory, (length::<u8>(memory, len) + 1).min(len), site);
    }
}

/// It was opened. Without memory of the program's, the stream has some that nobody else knows.
pub(super) fn note_fixed(stream: u64, memory: u64, len: u64, mode: u64) {
    if stream != 0 {
        let writes = how(mode).contains(&b'+') || !how(mode).starts_with(b"r");
        let keeper = if writes { Keeper::WrittenMemory(stream) } else { Keeper::ReadMemory(stream) };
        keep(keeper, memory, if memory == 0 { 0 } else { len });
    }
}

fn how(mode: u64) -> &'static [u8] {
    // SAFETY: the program passes a mode; if not, it faults here as it would in the C library.
    unsafe { CStr::from_ptr(mode as *const c_char) }.to_bytes()
}

/// Whether a stream is one of memory.
pub(super) fn is_one(stream: u64) -> bool {
    with(|engine| KEEPERS.iter().any(|keeper| engine.kept.of(keeper(stream)).next().is_some()))
}

fn object(stream: u64) -> u64 {
    let start = Named::FolderStream.base() + stream;
    note_name(start, || format!("the stream of memory at {stream:#x}"));
    start
}

/// A call that uses a stream, if that is one of memory.
pub(super) fn use_stream(stream: u64, how: Use, site: SiteId) -> bool {
    if !is_one(stream) {
        return false;
    }
    let range = ByteRange { start: object(stream), len: 1 };
    use_bytes(range, Use::Change, MemoryOrder::Acquire, MemoryOrder::AcquireRelease, site);
    spoil_loops();
    if let Some(memory) = kept(Keeper::ReadMemory(stream)) {
        access(memory, locked_read, site);
    } else if let Some(memory) = kept(Keeper::WrittenMemory(stream)) {
        let writes = how == Use::Change || !has_written_all(stream);
        access(memory, if writes { locked_write } else { locked_read }, site);
    } else if how == Use::Change {
        let [start, end] = text(stream);
        access(KeptMemory { keeper: Keeper::Stream(stream), start, len: end - start }, locked_write, site);
    }
    true
}

fn access(memory: KeptMemory, access: fn(u64, u64, SiteId), site: SiteId) {
    if memory.len > 0 {
        access(memory.start, memory.len, site);
    }
}

/// Where the text of a stream of memory that grows is, with the room behind it.
fn text(stream: u64) -> [u64; 2] {
    const BASE: u64 = 56;
    const END: u64 = 64;
    // SAFETY: an open stream of the C library's.
    [BASE, END].map(|offset| unsafe { *((stream + offset) as *const u64) })
}

/// A call writes out a stream, or closes it: the program's variables then say where its text is and how long.
pub(super) fn write_out(stream: u64, site: SiteId) {
    for memory in [Keeper::TextOf, Keeper::LengthOf].into_iter().filter_map(|keeper| kept(keeper(stream))) {
        locked_write(memory.start, memory.len, site);
    }
}

/// The stream is closed.
pub(super) fn forget(stream: u64) {
    with(|engine| KEEPERS.iter().for_each(|keeper| engine.kept.forget(keeper(stream))));
}

/// Whether the C library writes to memory of the program's when it writes out the stream.
pub(super) fn has_to_write(stream: u64) -> bool {
    kept(Keeper::WrittenMemory(stream)).is_some() && !has_written_all(stream)
}
