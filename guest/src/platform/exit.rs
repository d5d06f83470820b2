//! The end of the process by the C library's `exit`: registered functions, destructors, the buffers of streams.
//!
//! Where none of these is there, `exit` only writes to memory of the C library and of the loader, in a dozen pages,
//! which are brought back after each run. Then it is left out: short runs take a fifth less time.

use super::elf;
use super::global::Global;
use super::upcalls::upcalls;

/// The C library's function.
static EXIT: Global<*const ()> = Global::new(core::ptr::null());

/// Whether nothing but the buffers of streams can matter when the process ends.
static ONLY_STREAMS: Global<bool> = Global::new(false);

/// To be called before the first run, with whether the program can register functions to be called when the process or
/// its thread ends.
pub fn prepare(registers: bool) {
    EXIT.write(elf::real("exit"));
    ONLY_STREAMS.write(!registers && !elf::has_destructors());
    first_stream();
}

/// Has the C library tell when it has called everything that is to be called when the process ends, before it writes
/// out the buffers of streams. To be called before the C library registers the loader's function, which calls the
/// destructors of libraries, as what is registered first is called last.
pub(super) fn watch_end() {
    extern "C" fn ended() {
        upcalls().on_exited();
    }
    // SAFETY: the C library's function of this name.
    let register: extern "C" fn(*const (), u64, u64) -> i32 =
        unsafe { core::mem::transmute(elf::real("__cxa_atexit")) };
    register(ended as *const (), 0, 0);
}

/// Whether nothing but the buffers of streams can matter when the process ends.
pub fn is_only_streams() -> bool {
    ONLY_STREAMS.read()
}

/// The C library's `exit`: handlers, destructors, buffers, then [`on_exit`](super::Upcalls::on_exit).
pub fn exit(status: i32) -> ! {
    let keeps_buffers = upcalls().on_exiting();
    if ONLY_STREAMS.read() && !keeps_buffers && nothing_to_write() {
        upcalls().on_exit(status)
    }
    // SAFETY: the C library's function of this name.
    let exit: extern "C" fn(i32) -> ! = unsafe { core::mem::transmute(EXIT.read()) };
    exit(status)
}

/// Where the C library's list of open streams begins: the address of its head.
fn first_stream() -> *const u64 {
    static LIST: Global<*const u64> = Global::new(core::ptr::null());
    if LIST.read().is_null() {
        LIST.write(elf::real("_IO_list_all").cast());
    }
    LIST.read()
}

/// So many streams are looked at, of a list that the program may have damaged.
const MOST: usize = 1024;

/// Whether no stream has something to write, as far as all of them could be looked at.
fn nothing_to_write() -> bool {
    open_streams().enumerate().all(|(at, stream)| at + 1 < MOST && has_written_all(stream))
}

/// The open streams, in the order in which the C library writes them out.
pub fn open_streams() -> impl Iterator<Item = u64> {
    const NEXT: u64 = 104;
    // SAFETY: the C library's list of open streams: its head, and a pointer to the next one in each.
    let read = |address: u64| unsafe { *(address as *const u64) };
    let first = read(first_stream() as u64);
    core::iter::successors(Some(first), move |&stream| Some(read(stream + NEXT)))
        .take_while(|&stream| stream != 0)
        .take(MOST)
}

/// Whether a stream has nothing in its buffers that is still to be written.
pub fn has_written_all(stream: u64) -> bool {
    const WRITE_BASE: u64 = 32;
    const WRITE_POINTER: u64 = 40;
    const ORIENTATION: u64 = 192;
    // SAFETY: the C library's stream.
    let (base, pointer, wide) = unsafe {
        let word = |offset| *((stream + offset) as *const u64);
        (word(WRITE_BASE), word(WRITE_POINTER), *((stream + ORIENTATION) as *const i32) > 0)
    };
    base == pointer && !wide
}

/// Whether a stream has nothing in its buffer that was read from its file and not by the program.
pub fn has_read_all(stream: u64) -> bool {
    const READ_POINTER: u64 = 8;
    const READ_END: u64 = 16;
    // SAFETY: the C library's stream.
    unsafe { *((stream + READ_POINTER) as *const u64) >= *((stream + READ_END) as *const u64) }
}
