//! `pthread_once`, `call_once`, and the guards of C++ local statics.
//!
//! An initialiser need not return: an exception, a jump or `pthread_exit` can lead out of it. Then the once object is
//! as at first, and a thread that waits for it tries again. An initialiser that has begun is therefore an entry of the
//! thread's list of cleanup handlers, with a tag; and the frame that calls it has a personality routine, which the
//! unwinder calls.

use super::cleanup::{TAG, outer};
use super::object::{begin_anew, state, touch};
use super::{export, real};
use crate::engine::site::of_call;
use crate::engine::{call_back, last_event, me, set_uncomparable, unmodelled, visible, with};
use crate::platform::started;
use inspect_core::event::{ByteRange, MemoryOperation, MemoryOrder, Object, OnceOperation, Operation, SiteId};
use inspect_core::run::Request;

export! {
    interpose_pthread_once / 2 => once;
    interpose_call_once / 2 => c11_once;
    interpose___cxa_guard_acquire / 1 => guard_acquire;
    interpose___cxa_guard_release / 1 => guard_release;
    interpose___cxa_guard_abort / 1 => guard_abort;
}

/// What is in a once object: nothing was begun, the initialiser runs, it has run. These are the C library's numbers.
const UNTOUCHED: u32 = 0;
const RUNNING: u32 = 1;
const DONE: u32 = 2;

/// The size of a once object.
const SIZE: u64 = 4;

extern "C" fn once(control: u64, initialise: u64, pc: u64) -> i32 {
    if !started() {
        return real!("pthread_once" as fn(u64, u64) -> i32)(control, initialise);
    }
    run_once(control, initialise, of_call(pc));
    0
}

extern "C" fn c11_once(flag: u64, initialise: u64, pc: u64) {
    if !started() {
        return real!("call_once" as fn(u64, u64))(flag, initialise);
    }
    run_once(flag, initialise, of_call(pc));
}

fn read(control: u64) -> u32 {
    // SAFETY: the program passes a once object; if not, it faults here as it would there.
    unsafe { (control as *const u32).read_volatile() }
}

fn write(control: u64, value: u32) {
    // SAFETY: the program's once object, which was read before.
    unsafe { (control as *mut u32).write_volatile(value) };
}

/// An initialiser that is running, in the frame of its call.
#[repr(C)]
struct Begun {
    /// The next outer entry of the thread's list of cleanup handlers.
    outer: u64,
    control: u64,
    site: SiteId,
}

fn run_once(control: u64, initialise: u64, site: SiteId) {
    let sound = touch(control, SIZE, site);
    match read(control) {
        // Done by a constructor, before the engine took over.
        DONE if is_unseen(control) => return,
        // Another object than the one seen here before, in memory that is used again, or one that the program has
        // reset.
        UNTOUCHED if !is_unseen(control) => begin_anew(control),
        // A copy of one whose initialiser was running when it was copied.
        RUNNING if state(control).once_runner.is_none() => {
            with(|engine| engine.run.note_copied_held(Object(control)));
        }
        UNTOUCHED | RUNNING | DONE => {}
        // What is in freed memory is a finding already.
        _ if !sound => {}
        _ => unmodelled("pthread_once or call_once of what no initialiser was written to", site),
    }
    visible(Request::new(Operation::Once(OnceOperation::Enter { once: Object(control), runs: false }), site));
    if last_event().operation.succeeded() != Some(true) {
        return;
    }
    write(control, RUNNING);
    let outer = with(|engine| engine.threads[me().index()].cleanup);
    let begun = Begun { outer, control, site };
    set_innermost(&raw const begun as u64 | TAG);
    call_back(|| initialise_or_fail(initialise));
    set_innermost(outer);
    visible(Request::new(Operation::Once(OnceOperation::Leave(Object(control))), site));
    write(control, DONE);
}

fn set_innermost(entry: u64) {
    with(|engine| engine.threads[me().index()].cleanup = entry);
}

fn is_unseen(control: u64) -> bool {
    let state = state(control);
    state.once_runner.is_none() && !state.once_done && !state.copied_held
}

/// Gives up the initialiser that an entry of the thread's list stands for, if it stands for one, and returns the next
/// outer entry.
pub(super) fn give_up(entry: u64) -> Option<u64> {
    if entry & TAG == 0 {
        return None;
    }
    // SAFETY: an entry with the tag was made by `run_once`, whose frame lives until the entry is taken out.
    let &Begun { outer, control, site } = unsafe { &*((entry & !TAG) as *const Begun) };
    set_innermost(outer);
    fail(Object(control), site);
    write(control, UNTOUCHED);
    Some(outer)
}

/// As [`give_up`], from within the call of the initialiser, which will not be finished.
pub(super) fn abandon(entry: u64) -> Option<u64> {
    if entry & TAG != 0 {
        set_uncomparable(false);
    }
    give_up(entry)
}

fn fail(once: Object, site: SiteId) {
    with(|engine| engine.run.once_fails(once));
    visible(Request::new(Operation::Once(OnceOperation::Leave(once)), site));
}

/// Calls an initialiser. An exception that leads out of it passes by [`personality`].
#[unsafe(naked)]
extern "C" fn initialise_or_fail(initialise: u64) {
    core::arch::naked_asm!(
        ".cfi_startproc",
        // Relative to where it stands, four bytes.
        ".cfi_personality 0x1b, {}",
        "sub rsp, 8",
        ".cfi_def_cfa_offset 16",
        "call rdi",
        "add rsp, 8",
        ".cfi_def_cfa_offset 8",
        "ret",
        ".cfi_endproc",
        sym personality
    )
}

/// What the unwinder calls for the frame of [`initialise_or_fail`]: once to find out who catches the exception, and
/// again when all frames further in are gone.
extern "C" fn personality(_version: i32, actions: i32, _class: u64, _exception: u64, _context: u64) -> i32 {
    const CLEANUP_PHASE: i32 = 2;
    const CONTINUE: i32 = 8;
    if actions & CLEANUP_PHASE != 0 {
        let mut entry = with(|engine| engine.threads[me().index()].cleanup);
        // Cleanup buffers above it belong to frames that are gone.
        while entry & TAG == 0 && entry != 0 {
            entry = outer(entry);
        }
        abandon(entry);
    }
    CONTINUE
}

/// The once object that stands for the guard of a local static. The guard's first byte is what the program looks at
/// before it calls, with an atomic access of its own.
fn guarded(guard: u64) -> Object {
    Object(guard + 1)
}

/// Whether the caller is to initialise the static.
extern "C" fn guard_acquire(guard: u64, pc: u64) -> i32 {
    if !started() {
        return real!("__cxa_guard_acquire" as fn(u64) -> i32)(guard);
    }
    // SAFETY: the compiler's guard object.
    if unsafe { (guard as *const u8).read_volatile() } != 0 {
        return 0;
    }
    visible(Request::new(Operation::Once(OnceOperation::Enter { once: guarded(guard), runs: false }), of_call(pc)));
    i32::from(last_event().operation.succeeded() == Some(true))
}

extern "C" fn guard_release(guard: u64, pc: u64) {
    if !started() {
        return real!("__cxa_guard_release" as fn(u64))(guard);
    }
    let site = of_call(pc);
    visible(Request::new(Operation::Once(OnceOperation::Leave(guarded(guard))), site));
    let byte = ByteRange { start: guard, len: 1 };
    visible(Request::new(Operation::Memory(MemoryOperation::AtomicStore(byte, MemoryOrder::Release)), site));
    // SAFETY: the compiler's guard object.
    unsafe { (guard as *mut u8).write_volatile(1) };
}

extern "C" fn guard_abort(guard: u64, pc: u64) {
    if !started() {
        return real!("__cxa_guard_abort" as fn(u64))(guard);
    }
    fail(guarded(guard), of_call(pc));
}
