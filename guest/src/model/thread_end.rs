//! The end of a thread, and whether one has ended, as others may ask without waiting for it: `pthread_tryjoin_np` and
//! the timed joins.
//!
//! As in the C library, a word of the thread's descriptor says so, and no operation of its own is needed: the end of
//! the thread stores to the word, who asks loads it, and who finds that the thread has ended joins it like any other.
//! So a loop that asks again and again is parked like one that polls a variable. In a program in which no thread asks,
//! the end of a thread is no store.

use super::imports::imports_one_of;
use super::{futex_owner, key, processors, robust};
use crate::engine::object_names::note_name;
use crate::engine::switches::Switch;
use crate::engine::{interruptions, me, note_exit, unmodelled, visible, with};
use crate::hooks::atomic;
use crate::platform::{Global, exit, fiber, program};
use alloc::format;
use inspect_core::event::{ByteRange, MemoryOperation, MemoryOrder, Operation, SiteId, ThreadId, ThreadOperation};
use inspect_core::run::Request;

/// The word in a thread's descriptor: in a part of its head that the C library leaves unused.
fn word(thread: ThreadId) -> ByteRange {
    const UNUSED: u64 = 128;
    let range = ByteRange { start: fiber::thread_pointer(thread.index()) + UNUSED, len: 4 };
    note_name(range.start, || format!("whether {} has ended", name(thread)));
    range
}

fn name(thread: ThreadId) -> alloc::string::String {
    if thread == ThreadId::MAIN { "main".into() } else { format!("thread {}", thread.0) }
}

/// Whether the program can ask at all.
fn asks() -> bool {
    static ASKS: Global<Option<bool>> = Global::new(None);
    const FUNCTIONS: [&str; 4] =
        ["pthread_tryjoin_np", "pthread_timedjoin_np", "pthread_clockjoin_np", "pthread_getattr_np"];
    // SAFETY: one OS thread; the borrow ends here.
    *unsafe { ASKS.get() }.get_or_insert_with(|| imports_one_of(&FUNCTIONS))
}

/// The end of the running thread other than by ending the process: destructors, then the exit operation.
pub(super) fn end_thread(result: u64) -> ! {
    let me = me();
    program::run_thread_local_destructors();
    key::run_destructors();
    with(|engine| engine.threads[me.index()].result = result);
    end_process_if_last();
    // As the C library blocks all signals here.
    interruptions::hold_back(true);
    robust::abandon_all();
    futex_owner::abandon_all();
    processors::announce_end();
    announce_end();
    let named = Switch::HandlesOfDetached.is_on().then_some(me);
    visible(Request::new(Operation::Thread(ThreadOperation::Exit(named)), SiteId(0)));
    unreachable!("an ended thread does not go on")
}

/// The thread that ends last calls what the program has registered for the end of the process, as the C library has it:
/// each thread that ends adds to a counter. Where nothing can be registered, or main ends the process when it returns,
/// the end of a thread is no such operation.
fn end_process_if_last() {
    static COUNTS: Global<Option<bool>> = Global::new(None);
    const ENDS_OF_MAIN: [&str; 3] = ["pthread_exit", "thrd_exit", "pthread_cancel"];
    // SAFETY: one OS thread; the borrow ends here.
    let counts =
        *unsafe { COUNTS.get() }.get_or_insert_with(|| !exit::is_only_streams() && imports_one_of(&ENDS_OF_MAIN));
    if !counts {
        return;
    }
    let range = ended();
    note_name(range.start, || "how many threads have ended".into());
    with(|engine| engine.memory.note_probed(range));
    let order = MemoryOrder::AcquireRelease;
    visible(Request::new(MemoryOperation::AtomicUpdate { range, order, wrote: true }.into(), SiteId(0)));
    // SAFETY: a word of main's descriptor, which lasts as long as the process.
    unsafe { (range.start as *mut u32).write_volatile(ended_threads() + 1) };
    if is_last() {
        note_exit(SiteId(0));
        exit::exit(0);
    }
}

/// The word that counts the threads that have ended: in a part of main's descriptor that the C library leaves unused.
fn ended() -> ByteRange {
    const UNUSED: u64 = 160;
    ByteRange { start: fiber::thread_pointer(0) + UNUSED, len: 4 }
}

fn ended_threads() -> u32 {
    // SAFETY: a word of main's descriptor, which lasts as long as the process.
    unsafe { (ended().start as *const u32).read_volatile() }
}

/// Whether all threads have ended, and the running one calls what is registered for the end of the process.
pub(crate) fn is_last() -> bool {
    let begun = with(|engine| {
        let all = 0..engine.run.paths().len();
        let threads = all.map(ThreadId::at).filter(|&thread| !engine.timers.is_expiry(thread));
        threads.filter(|&thread| engine.run.thread_info(thread).exists).count()
    });
    ended_threads() as usize == begun
}

/// The running thread is about to end.
fn announce_end() {
    if !asks() {
        return;
    }
    let range = word(me());
    with(|engine| engine.memory.note_probed(range));
    let operation = MemoryOperation::AtomicStore(range, MemoryOrder::SequentiallyConsistent);
    visible(Request::new(Operation::Memory(operation), SiteId(0)));
    add(range, ENDED);
}

/// A thread was detached: whoever asks for its end afterwards makes a mistake, so the order matters.
pub(super) fn announce_detachment(thread: ThreadId, site: SiteId) {
    if asks() {
        let range = word(thread);
        with(|engine| engine.memory.note_probed(range));
        let order = MemoryOrder::Relaxed;
        visible(Request::new(MemoryOperation::AtomicUpdate { range, order, wrote: true }.into(), site));
        add(range, DETACHED);
    }
}

/// The bits of the word.
const ENDED: u32 = 1;
const DETACHED: u32 = 2;

/// Sets a bit of a thread's word.
fn add(range: ByteRange, bit: u32) {
    let word = range.start as *mut u32;
    // SAFETY: a word of a thread's descriptor, which lasts as long as the process.
    unsafe { word.write_volatile(word.read_volatile() | bit) };
}

/// What a call finds that asks whether a thread has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Found {
    /// The thread has not ended.
    Runs,
    /// The thread has ended, and was not detached.
    Ended,
    /// The thread was detached.
    Detached,
}

/// Looks whether a thread has ended. For the running thread an operation, which is known when it returns.
pub(super) fn look(thread: ThreadId, site: SiteId) -> Found {
    if !asks() {
        unmodelled(
            "a join that does not wait, or pthread_getattr_np, by a library that was loaded later or is not instrumented",
            site,
        );
    }
    let range = word(thread);
    atomic::load(range, MemoryOrder::SequentiallyConsistent, site);
    // SAFETY: a word of a thread's descriptor, which lasts as long as the process.
    let word = unsafe { (range.start as *const u32).read_volatile() };
    match (word & DETACHED != 0, word & ENDED != 0) {
        (true, _) => Found::Detached,
        (false, true) => Found::Ended,
        (false, false) => Found::Runs,
    }
}
