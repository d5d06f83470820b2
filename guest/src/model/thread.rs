//! Threads: creation, end, detach; POSIX and C11. Joins are in [`super::join`].

use super::cleanup::{OUTER, outer};
use super::error::{EINVAL, ESRCH};
use super::thread_end::{announce_detachment, end_thread};
use super::{c11, export, jump, once, processors, real, unwinding};
use crate::engine::bits_of_call;
use crate::engine::frame_ends::frames_end;
use crate::engine::site::of_call;
use crate::engine::switches::Switch;
use crate::engine::timers::NewThread;
use crate::engine::{
    CONTEXTS, Trouble, end_run, me, note_identity, note_misuse, switch_to, uncomparable_during, unmodelled, visible,
    with,
};
use crate::hooks::{argument_read, argument_write};
use crate::platform::float_control::FloatControl;
use crate::platform::upcalls::upcalls;
use crate::platform::{PAGE, affinity, clock, fiber, program, sigaction, start, started, thread_attributes};
use inspect_core::detect::FindingKind;
use inspect_core::event::{
    FEW_THREADS, Handle, LimitKind, MAX_THREADS, Object, Operation, SiteId, ThreadId, ThreadOperation,
};
use inspect_core::run::Request;

export! {
    interpose_pthread_create / 4 => create;
    interpose_pthread_detach / 1 => detach;
    interpose_pthread_exit / 1 => exit;
    interpose___pthread_unwind_next / 1 => go_on_unwinding;
    interpose_pthread_self / 0 => own_handle;
    interpose_thrd_current / 0 => own_handle;
    interpose_thrd_create / 3 => c11_create;
    interpose_thrd_detach / 1 => c11_detach;
    interpose_thrd_exit / 1 => c11_exit;
}

/// `pthread_self`, `thrd_current`.
extern "C" fn own_handle(_pc: u64) -> u64 {
    if started() {
        note_identity();
    }
    real!("pthread_self" as fn() -> u64)()
}

type Entry = extern "C" fn(u64) -> u64;

extern "C" fn create(handle: u64, attributes: u64, start: u64, argument: u64, pc: u64) -> i32 {
    if !started() {
        refuse_in_constructor("pthread_create before main", pc);
        return real!("pthread_create" as fn(u64, u64, u64, u64) -> i32)(handle, attributes, start, argument);
    }
    let site = of_call(pc);
    let wanted = read_attributes(attributes, site);
    if !is_valid_scheduling(attributes) {
        return EINVAL;
    }
    let create = || create_thread(handle, start, argument, &wanted, site);
    // What the attributes said is in no state.
    let created = if attributes == 0 { create() } else { uncomparable_during(create) };
    if created.is_some() { 0 } else { EINVAL }
}

/// A thread that a constructor of a shared library creates would run outside of the engine's control.
fn refuse_in_constructor(call: &str, pc: u64) {
    if crate::platform::explored() {
        start::refuse_call(call, of_call(pc));
    }
}

/// What is asked of a new thread.
struct Wanted {
    detached: bool,
    /// Which processors it is to run on, if not on those of its creator.
    processors: Option<affinity::Mask>,
    /// Bytes of its stack.
    stack: u64,
    /// Bytes of the guard of its stack.
    guard: u64,
    /// The signals that it blocks, if not those that its creator blocks.
    blocked: Option<u64>,
}

impl Wanted {
    const DEFAULT: Wanted =
        Wanted { detached: false, processors: None, stack: fiber::LARGEST_STACK, guard: PAGE, blocked: None };
}

/// What the attributes ask for. Refuses stacks larger than a slot's, and stacks that the program provides.
fn read_attributes(attributes: u64, site: SiteId) -> Wanted {
    const DETACHED: i32 = 1;
    /// Where the flags are in the C library's form of the attributes.
    const FLAGS: u64 = 8;
    const OWN_STACK: u32 = 8;
    if attributes == 0 {
        return Wanted::DEFAULT;
    }
    argument_read(attributes, 56, site);
    // SAFETY: initialised attributes, which the C library reads in the same way.
    let flags = unsafe { ((attributes + FLAGS) as *const u32).read_unaligned() };
    if flags & OWN_STACK != 0 {
        unmodelled("pthread_create with a stack of the program's own", site);
    }
    let mut state = 0i32;
    let (mut stack, mut guard) = (0u64, 0u64);
    real!("pthread_attr_getdetachstate" as fn(u64, *mut i32) -> i32)(attributes, &raw mut state);
    real!("pthread_attr_getstacksize" as fn(u64, *mut u64) -> i32)(attributes, &raw mut stack);
    real!("pthread_attr_getguardsize" as fn(u64, *mut u64) -> i32)(attributes, &raw mut guard);
    if stack > fiber::LARGEST_STACK {
        unmodelled("pthread_create with a stack of more than 8 MiB", site);
    }
    Wanted {
        detached: state == DETACHED,
        processors: processors::asked_for(attributes),
        stack,
        guard: guard.next_multiple_of(PAGE),
        blocked: blocked_by(attributes),
    }
}

/// Whether the system would take the scheduling that the attributes ask for, as far as it does not depend on rights.
fn is_valid_scheduling(attributes: u64) -> bool {
    const EXPLICIT: i32 = 1;
    if attributes == 0 {
        return true;
    }
    let (mut inherits, mut policy, mut priority) = (0i32, 0i32, 0i32);
    real!("pthread_attr_getinheritsched" as fn(u64, *mut i32) -> i32)(attributes, &raw mut inherits);
    real!("pthread_attr_getschedpolicy" as fn(u64, *mut i32) -> i32)(attributes, &raw mut policy);
    real!("pthread_attr_getschedparam" as fn(u64, *mut i32) -> i32)(attributes, &raw mut priority);
    let range = match policy {
        // SCHED_OTHER, SCHED_BATCH, SCHED_IDLE.
        0 | 3 | 5 => 0..=0,
        // SCHED_FIFO, SCHED_RR.
        1 | 2 => 1..=99,
        _ => return inherits != EXPLICIT,
    };
    inherits != EXPLICIT || range.contains(&priority)
}

/// The signals that a thread with these attributes blocks, if they say so.
fn blocked_by(attributes: u64) -> Option<u64> {
    /// Words of the C library's sets, of which the first is used.
    const WORDS: usize = 16;
    let mut words = [0u64; WORDS];
    let asked = real!("pthread_attr_getsigmask_np" as fn(u64, *mut u64) -> i32)(attributes, words.as_mut_ptr());
    (asked == 0).then_some(words[0])
}

fn create_thread(handle: u64, start: u64, argument: u64, wanted: &Wanted, site: SiteId) -> Option<ThreadId> {
    let me = me();
    let Some(child) = ready_child() else { end_run(None, LimitKind::Threads) };
    processors::look_at_own(site);
    if !affinity::begin(child.index(), me.index(), wanted.processors) {
        return None;
    }
    // As in the C library, the handle is there before the thread runs.
    argument_write(handle, 8, site);
    // SAFETY: the program's variable for the handle.
    unsafe { (handle as *mut u64).write_unaligned(fiber::thread_pointer(child.index())) };
    thread_attributes::begin(child.index(), me.index());
    let begun = Begun { start, argument, stack: wanted.stack, guard: wanted.guard, blocked: wanted.blocked };
    begin(child, ThreadOperation::Create(child), &begun, site);
    if wanted.detached {
        visible(Request::new(Operation::Thread(ThreadOperation::Detach(child)), site));
    }
    Some(child)
}

/// A thread as it begins.
struct Begun {
    start: u64,
    argument: u64,
    /// Bytes of its stack.
    stack: u64,
    /// Bytes of the guard of its stack.
    guard: u64,
    /// The signals that it blocks, if not those that its creator blocks.
    blocked: Option<u64>,
}

/// Creates a thread by this operation, and has it come to its first one.
fn begin(child: ThreadId, operation: ThreadOperation, begun: &Begun, site: SiteId) {
    let me = me();
    visible(Request::new(Operation::Thread(operation), site));
    program::note_threads();
    with(|engine| {
        let state = &mut engine.threads[child.index()];
        state.start = begun.start;
        state.argument = begun.argument;
        state.guard = begun.guard;
    });
    // SAFETY: the child does not run yet, and no other reference to the table is in use.
    let contexts = unsafe { CONTEXTS.get() };
    contexts[child.index()] = fiber::prepare(child.index(), begun.stack, run_thread, FloatControl::current());
    clock::follow(child.index(), me.index());
    match begun.blocked {
        Some(mask) => sigaction::begin_with_mask(child.index(), mask),
        None => sigaction::inherit_mask(child.index(), me.index()),
    }
    switch_to(me, child);
}

/// What is not modelled of timers because each expiry has the number of a thread.
const TOO_OFTEN: &str = if MAX_THREADS == FEW_THREADS {
    "a timer that expires when there were 64 threads and expiries of timers"
} else {
    "a timer that expires when there were 1024 threads and expiries of timers"
};

/// The next child of the running thread; None if there are too many threads.
fn ready_child() -> Option<ThreadId> {
    let me = me();
    let child = with(|engine| engine.run.child_of(me))?;
    if child.index() >= fiber::ready_slots() {
        end_run(Some(Trouble::GrowTo(child.index() + 1)), LimitKind::Threads);
    }
    Some(child)
}

/// Begins the thread that is the expiry of a timer: one that the program does not know, and that takes no signals.
pub(super) fn begin_timer(start: u64, argument: u64, site: SiteId) {
    let Some(child) = ready_child() else { unmodelled(TOO_OFTEN, site) };
    affinity::begin(child.index(), me().index(), None);
    thread_attributes::begin(child.index(), me().index());
    let begun = Begun { start, argument, stack: fiber::LARGEST_STACK, guard: PAGE, blocked: Some(u64::MAX) };
    with(|engine| engine.timers.note_thread(child));
    begin(child, ThreadOperation::StartTimer(child), &begun, site);
}

/// The thread that the expiry of a timer is to begin, with these attributes. As in the C library, they are those of the
/// time at which the timer was made.
pub(super) fn new_thread(function: u64, attributes: u64, site: SiteId) -> NewThread {
    let Wanted { processors, stack, guard, .. } = read_attributes(attributes, site);
    if !is_valid_scheduling(attributes) {
        unmodelled("a timer with SIGEV_THREAD whose thread is to have a scheduling that the system refuses", site);
    }
    NewThread { function, processors, stack, guard }
}

/// Begins the thread that a timer with SIGEV_THREAD is to begin. As in the C library it is detached, and blocks no
/// signal, whatever its attributes say.
pub(super) fn begin_told(thread: &NewThread, value: u64, site: SiteId) {
    let Some(child) = ready_child() else { unmodelled(TOO_OFTEN, site) };
    if !affinity::begin(child.index(), me().index(), thread.processors) {
        return;
    }
    thread_attributes::begin(child.index(), me().index());
    let NewThread { function: start, stack, guard, .. } = *thread;
    let begun = Begun { start, argument: value, stack, guard, blocked: Some(0) };
    begin(child, ThreadOperation::Create(child), &begun, site);
    visible(Request::new(Operation::Thread(ThreadOperation::Detach(child)), site));
}

/// The timer of the running thread has expired. Nobody waits for the end of the thread, which has nothing to clean up.
pub(super) fn end_timer() -> ! {
    visible(Request::new(Operation::Thread(ThreadOperation::Exit(None)), SiteId(0)));
    unreachable!("an ended thread does not go on")
}

extern "C" fn run_thread() -> ! {
    let me = me();
    let (start, argument) = with(|engine| (engine.threads[me.index()].start, engine.threads[me.index()].argument));
    // SAFETY: the program passed its start routine to the call that created this thread.
    let start: Entry = unsafe { core::mem::transmute(start) };
    bits_of_call::forget_arguments();
    let result = start(argument);
    // Until it has ended, the thread may be cancelled.
    upcalls().on_cancellable(SiteId(0));
    end_thread(result)
}

/// `pthread_exit`: runs the cleanup handlers first.
extern "C" fn exit(result: u64, pc: u64) -> ! {
    if !started() {
        real!("pthread_exit" as fn(u64))(result);
    }
    leave(result, of_call(pc))
}

/// The running thread leaves all its functions, and ends with this result.
pub(super) fn leave(result: u64, site: SiteId) -> ! {
    let innermost = with(|engine| {
        let state = &mut engine.threads[me().index()];
        state.result = result;
        state.cancellation.ending = true;
        state.cleanup
    });
    if unwinding::is_needed() {
        unwinding::unwind(site);
    }
    go_on_cleaning(innermost, site)
}

/// Jumps to a cleanup handler, or ends the thread if there is none left. The variables of the functions that it leaves
/// end: a handler uses those of its own function. Main's do not end before the process.
fn go_on_cleaning(mut buffer: u64, site: SiteId) -> ! {
    while let Some(outer) = once::give_up(buffer) {
        buffer = outer;
    }
    if me().index() != 0 {
        frames_end(if buffer == 0 { fiber::top(me().index()) } else { jump::stack_pointer(buffer) }, site);
    }
    if buffer != 0 {
        real!("_longjmp" as fn(u64, i32))(buffer, 1);
    }
    let result = with(|engine| engine.threads[me().index()].result);
    end_thread(result)
}

/// `pthread_cleanup_push` in C.
#[unsafe(no_mangle)]
extern "C" fn interpose___pthread_register_cancel(buffer: u64) {
    if !started() {
        return real!("__pthread_register_cancel" as fn(u64))(buffer);
    }
    note_identity();
    let outer = with(|engine| core::mem::replace(&mut engine.threads[me().index()].cleanup, buffer));
    // SAFETY: the buffer is in the caller's frame and has four private words behind the saved registers.
    unsafe { ((buffer + OUTER) as *mut u64).write(outer) };
}

/// `pthread_cleanup_pop` in C.
#[unsafe(no_mangle)]
extern "C" fn interpose___pthread_unregister_cancel(buffer: u64) {
    if !started() {
        return real!("__pthread_unregister_cancel" as fn(u64))(buffer);
    }
    let outer = outer(buffer);
    with(|engine| engine.threads[me().index()].cleanup = outer);
}

/// `__pthread_unwind_next`: a cleanup handler has run.
extern "C" fn go_on_unwinding(buffer: u64, pc: u64) -> ! {
    if !started() {
        real!("__pthread_unwind_next" as fn(u64))(buffer);
    }
    let outer = outer(buffer);
    with(|engine| engine.threads[me().index()].cleanup = outer);
    if unwinding::is_needed() {
        unwinding::unwind(of_call(pc));
    }
    go_on_cleaning(outer, of_call(pc))
}

/// The thread a handle stands for in this run.
pub(super) fn thread_of(handle: u64) -> Option<ThreadId> {
    let thread = ThreadId::at(fiber::slot_of_thread_pointer(handle)?);
    with(|engine| engine.run.thread_info(thread).exists).then_some(thread)
}

/// The handle of a thread, for an operation that uses it other than to join or detach the thread.
pub(super) fn handle_of(thread: ThreadId) -> Handle {
    Handle { thread, of_detached: Switch::HandlesOfDetached.is_on() }
}

/// The last operation used the handle of a thread. If the thread was detached, its end decides whether that is a
/// misuse.
pub(super) fn note_use_of_handle(thread: ThreadId) {
    if thread != me() && with(|engine| engine.run.thread_info(thread).detached) {
        Switch::HandlesOfDetached.come_up();
    }
}

pub(super) fn refuse(operation: Operation, site: SiteId, error: i32) -> i32 {
    note_misuse(FindingKind::JoinInvalid, operation, Object(0), site);
    error
}

extern "C" fn detach(handle: u64, pc: u64) -> i32 {
    if !started() {
        return real!("pthread_detach" as fn(u64) -> i32)(handle);
    }
    let site = of_call(pc);
    let Some(thread) = thread_of(handle) else {
        return refuse(Operation::Thread(ThreadOperation::Detach(ThreadId::UNKNOWN)), site, ESRCH);
    };
    visible(Request::new(Operation::Thread(ThreadOperation::Detach(thread)), site));
    if was_refused() {
        return EINVAL;
    }
    announce_detachment(thread, site);
    processors::announce_claim(thread, site);
    0
}

/// Whether the join or detachment that the running thread has just performed was a misuse, which the run has noted.
pub(super) fn was_refused() -> bool {
    with(|engine| engine.run.thread_info(me())).refused
}

extern "C" fn c11_create(handle: u64, start: u64, argument: u64, pc: u64) -> i32 {
    if !started() {
        refuse_in_constructor("thrd_create before main", pc);
        return real!("thrd_create" as fn(u64, u64, u64) -> i32)(handle, start, argument);
    }
    create_thread(handle, start, argument, &Wanted::DEFAULT, of_call(pc));
    0
}

extern "C" fn c11_detach(handle: u64, pc: u64) -> i32 {
    if !started() {
        return real!("thrd_detach" as fn(u64) -> i32)(handle);
    }
    c11::result(detach(handle, pc))
}

extern "C" fn c11_exit(result: i32, pc: u64) -> ! {
    if !started() {
        real!("thrd_exit" as fn(i32))(result);
    }
    exit(u64::from(result as u32), pc)
}
