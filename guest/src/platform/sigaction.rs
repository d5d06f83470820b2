//! Signals as the program sees them. None of its handlers or masks is ever given to the kernel: the guest needs its own
//! handlers, and signals from outside are no part of a run. Signals that a thread raises are delivered here; those that
//! threads send each other, where the floors above say so.
//!
//! What is pending for a thread, and for the process, is a word in a thread descriptor, as the scheduler has to read it
//! ([`pending_of`], [`pending_of_process`]).

use super::call::Served;
use super::float_control::FloatControl;
use super::global::Global;
use super::sent::Sent;
use super::signals::{SIGABRT, bit};
use super::sys::{self, nr};
use super::upcalls::upcalls;
use super::{fiber, recover};
use alloc::boxed::Box;
use inspect_core::event::MAX_THREADS;
use sys::errno::{EFAULT, EINVAL};

const SIGNALS: usize = 65;
const SIG_DFL: u64 = 0;
const SIG_IGN: u64 = 1;
const SIGKILL: u64 = 9;
const SIGSTOP: u64 = 19;
/// No mask blocks these.
const UNBLOCKABLE: u64 = bit(SIGKILL as i32) | bit(SIGSTOP as i32);

/// The kernel's form of a signal's action: handler, flags, restorer, mask.
type Action = [u64; 4];

/// What the program asked for. Part of the state of a run.
#[derive(Clone, Copy)]
pub(super) struct SignalState {
    actions: [Action; SIGNALS],
    masks: [u64; MAX_THREADS],
    stacks: [[u64; 3]; MAX_THREADS],
    /// How the signal was sent that each thread has taken last.
    taken: [Sent; MAX_THREADS],
    changed: bool,
}

const NO_STACK: [u64; 3] = [0, 2, 0];

static STATE: Global<SignalState> = Global::new(SignalState {
    actions: [[0; 4]; SIGNALS],
    masks: [0; MAX_THREADS],
    stacks: [NO_STACK; MAX_THREADS],
    taken: [Sent::TO_THREAD; MAX_THREADS],
    changed: false,
});
/// Whether threads of the program can send each other signals.
static SENT: Global<bool> = Global::new(false);
static BASE: Global<Option<SignalState>> = Global::new(None);
/// Actions, and main's mask, from before the engine's handlers were installed.
static EARLY: Global<([Action; SIGNALS], u64)> = Global::new(([[0; 4]; SIGNALS], 0));

fn state() -> &'static mut SignalState {
    // SAFETY: one OS thread; each caller drops the reference before it calls anything that uses the state.
    unsafe { STATE.get() }
}

/// Looks at the actions and the mask constructors left, before the engine installs its own.
pub(super) fn look() {
    // SAFETY: the kernel fills in the actions and the mask; one OS thread.
    unsafe {
        let (actions, mask) = EARLY.get();
        for (signal, action) in actions.iter_mut().enumerate().skip(1) {
            sys::call4(nr::__NR_rt_sigaction, signal as u64, 0, action.as_mut_ptr() as u64, 8);
        }
        sys::call4(nr::__NR_rt_sigprocmask, 0, 0, &raw mut *mask as u64, 8);
    }
}

pub(super) fn remember() {
    if BASE.read().is_none() {
        let (actions, mask) = EARLY.read();
        // For all threads, so that one that inherits it changes nothing.
        (state().actions, state().masks) = (actions, [mask; MAX_THREADS]);
        BASE.write(Some(*state()));
    }
}

pub(super) fn reset() {
    if state().changed
        && let Some(base) = BASE.read()
    {
        *state() = base;
    }
}

/// The state at this moment, for a checkpoint. None if it is that of the start of a run.
pub(super) fn save() -> Option<Box<SignalState>> {
    is_changed().then(|| Box::new(*state()))
}

/// Brings back what [`save`] returned.
pub(super) fn load(saved: Option<&SignalState>) {
    match saved {
        Some(saved) => *state() = *saved,
        None => reset(),
    }
}

/// Whether anything about signals differs from how a process starts.
pub fn is_changed() -> bool {
    state().changed
}

/// Whether the program has a handler for a signal.
pub fn has_handler(signal: i32) -> bool {
    state().actions.get(signal as usize).is_some_and(|action| action[0] > SIG_IGN)
}

/// rt_sigaction.
pub(super) fn action(signal: u64, new: u64, old: u64) -> Served {
    let number = signal as usize;
    if number == 0 || number >= SIGNALS || (new != 0 && (signal == SIGKILL || signal == SIGSTOP)) {
        return Served::Done(-i64::from(EINVAL));
    }
    let before = state().actions[number];
    if new != 0 {
        let Some(action) = recover::read_value::<Action>(new) else { return Served::Done(-i64::from(EFAULT)) };
        state().actions[number] = action;
        state().changed = true;
        // Where threads send each other signals, the floors above decide what becomes of those that are pending.
        if !SENT.read() && is_ignored(signal as i32) {
            discard(signal as i32);
        }
    }
    if old != 0 && !recover::write_value(old, &before) {
        return Served::Done(-i64::from(EFAULT));
    }
    Served::Done(0)
}

/// Whether nothing is done about a signal that is not blocked.
pub fn is_ignored(signal: i32) -> bool {
    let action = state().actions[signal as usize][0];
    action == SIG_IGN || action == SIG_DFL && ignored_by_default(signal)
}

/// The words of what is pending, for the process and for each thread.
pub fn pending_words() -> impl Iterator<Item = u64> {
    let threads = (0..MAX_THREADS.min(fiber::ready_slots())).map(pending_of);
    threads.chain([pending_of_process()])
}

/// The signal is not pending any more, neither for a thread nor for the process.
pub fn discard(signal: i32) {
    for word in pending_words().filter(|&word| read_pending(word) & bit(signal) != 0) {
        write_pending(word, read_pending(word) & !bit(signal));
    }
}

/// The running thread takes a signal that was sent in this way.
pub fn note_taken(sent: Sent) {
    let (slot, state) = (fiber::current_slot(), state());
    if state.taken[slot] != sent {
        state.changed = true;
        state.taken[slot] = sent;
    }
}

/// A new thread inherits the mask of its creator, and nothing that is pending.
pub fn inherit_mask(child: usize, creator: usize) {
    begin_with_mask(child, state().masks[creator]);
}

/// A new thread blocks these signals.
pub fn begin_with_mask(child: usize, mask: u64) {
    let mask = mask & !UNBLOCKABLE;
    if state().masks[child] != mask {
        state().changed = true;
        state().masks[child] = mask;
    }
}

/// The word of what is pending for a thread: in a part of its descriptor's head that the C library leaves unused.
pub fn pending_of(slot: usize) -> u64 {
    const UNUSED: u64 = 144;
    fiber::thread_pointer(slot) + UNUSED
}

/// The word of what is pending for the process, in main's descriptor.
pub fn pending_of_process() -> u64 {
    pending_of(0) + 8
}

/// The signals in a word of those.
pub fn read_pending(word: u64) -> u64 {
    // SAFETY: a word of a thread's descriptor, which lasts as long as the process.
    unsafe { (word as *const u64).read_volatile() }
}

/// Changes the signals in a word of those.
pub fn write_pending(word: u64, signals: u64) {
    state().changed = true;
    // SAFETY: as above; the C library does not use the word.
    unsafe { (word as *mut u64).write_volatile(signals) };
}

/// The signals that are pending for a thread, or for the process, and that the thread does not block.
pub fn deliverable(slot: usize) -> u64 {
    (read_pending(pending_of(slot)) | read_pending(pending_of_process())) & !state().masks[slot]
}

/// The signals that a thread blocks.
pub fn mask_of(slot: usize) -> u64 {
    state().masks[slot]
}

/// The running thread blocks these signals from now on.
pub fn set_mask(mask: u64) {
    state().changed = true;
    state().masks[fiber::current_slot()] = mask & !UNBLOCKABLE;
}

/// Marks the state of signals as changed because of a timer, which is kept elsewhere.
pub fn note_changed() {
    state().changed = true;
}

/// Threads of this program can send each other signals: the floors above deliver what is pending.
pub fn note_sent() {
    SENT.write(true);
}

/// Whether threads of this program can send each other signals ([`note_sent`]).
pub(super) fn are_sent() -> bool {
    SENT.read()
}

/// What a mask becomes by a call that changes it; None if the call is wrong.
pub fn changed_mask(how: u64, before: u64, given: u64) -> Option<u64> {
    const BLOCK: u64 = 0;
    const UNBLOCK: u64 = 1;
    const SET: u64 = 2;
    match how {
        BLOCK => Some(before | given),
        UNBLOCK => Some(before & !given),
        SET => Some(given),
        _ => None,
    }
}

/// Whether a call would change the mask of the running thread in a way that the floors above do not see.
pub(super) fn changes_unseen(how: u64, new: u64) -> bool {
    let before = mask_of(fiber::current_slot());
    let after = || changed_mask(how, before, recover::read_value::<u64>(new)?);
    SENT.read() && new != 0 && after().is_some_and(|after| after != before)
}

/// rt_sigpending: what the running thread sent itself and blocks.
pub(super) fn pending() -> u64 {
    read_pending(pending_of(fiber::current_slot()))
}

/// rt_sigprocmask: a mask for each thread.
pub(super) fn mask(how: u64, new: u64, old: u64) -> i64 {
    let slot = fiber::current_slot();
    let before = state().masks[slot];
    if new != 0 {
        let Some(given) = recover::read_value::<u64>(new) else { return -i64::from(EFAULT) };
        let Some(after) = changed_mask(how, before, given) else { return -i64::from(EINVAL) };
        set_mask(after);
    }
    if old != 0 && !recover::write_value(old, &before) { -i64::from(EFAULT) } else { 0 }
}

/// rt_sigprocmask on the thread's own stack: what is unblocked now and pending is delivered before the call returns.
pub(super) fn mask_and_deliver(how: u64, new: u64, old: u64, pc: u64) -> i64 {
    let result = mask(how, new, old);
    if result == 0 {
        deliver(pc);
    }
    result
}

/// Delivers what is pending and not blocked, lowest number first, as Linux does.
fn deliver(pc: u64) {
    let slot = fiber::current_slot();
    let word = pending_of(slot);
    while !SENT.read() {
        let pending = read_pending(word);
        let ready = pending & !state().masks[slot];
        if ready == 0 {
            return;
        }
        let signal = ready.trailing_zeros() + 1;
        write_pending(word, pending & !bit(signal as i32));
        act(signal as i32, pc, &|| ());
    }
}

/// sigaltstack: remembered, never used.
pub(super) fn alternate_stack(new: u64, old: u64) -> i64 {
    let slot = fiber::current_slot();
    let before = state().stacks[slot];
    if new != 0 {
        let Some(given) = recover::read_value::<[u64; 3]>(new) else { return -i64::from(EFAULT) };
        state().stacks[slot] = given;
        state().changed = true;
    }
    if old != 0 && !recover::write_value(old, &before) { -i64::from(EFAULT) } else { 0 }
}

/// Whether the default action of a signal is to do nothing, or to continue the process, which runs anyway.
pub fn ignored_by_default(signal: i32) -> bool {
    const IGNORED: [i32; 4] = [17, 18, 23, 28];
    IGNORED.contains(&signal)
}

/// Whether a signal stops the process if the program does not say otherwise: `SIGSTOP`, `SIGTSTP`, `SIGTTIN`,
/// `SIGTTOU`.
pub fn stops_by_default(signal: i32) -> bool {
    (19..=22).contains(&signal)
}

/// Not modelled: a thread takes a signal that stops the process. None comes from outside that would continue it.
pub const STOPS: &str = "a signal that stops the process, which nothing continues";

/// Not modelled: a thread raises a real-time signal that is pending, in a program whose threads send each other none.
const QUEUED: &str = "a real-time signal that is raised while it is pending, which the system queues";

/// Whether signals of this number are queued: real-time signals.
pub fn is_queued(signal: i32) -> bool {
    const FIRST: i32 = 32;
    signal >= FIRST
}

/// A thread sends itself a signal. Called on the thread's own stack.
pub fn raise(signal: u64, pc: u64) -> i64 {
    let number = signal as usize;
    if number == 0 {
        return 0;
    }
    if number >= SIGNALS {
        return -i64::from(EINVAL);
    }
    let signal = signal as i32;
    let slot = fiber::current_slot();
    let is_blocked = state().masks[slot] & bit(signal) != 0 && signal as u64 != SIGKILL && signal as u64 != SIGSTOP;
    if is_ignored(signal) && !is_blocked {
        return 0;
    }
    note_taken(Sent::TO_THREAD);
    if is_blocked {
        let word = pending_of(slot);
        if is_queued(signal) && read_pending(word) & bit(signal) != 0 {
            upcalls().on_unmodelled(QUEUED, pc);
        }
        write_pending(word, read_pending(word) | bit(signal));
        return 0;
    }
    act(signal, pc, &|| ());
    0
}

/// `abort` with a handler: it is run even where the signal is blocked.
pub fn run_abort_handler(pc: u64) {
    state().changed = true;
    state().masks[fiber::current_slot()] &= !bit(SIGABRT);
    act(SIGABRT, pc, &|| ());
}

/// A signal sent to the process as a whole. With more than one thread it is the kernel's choice which of them gets it.
pub(super) fn raise_in_process(signal: u64, pc: u64) -> i64 {
    let number = signal as usize;
    let handled = (1..SIGNALS).contains(&number) && state().actions[number][0] > SIG_IGN;
    if handled && upcalls().has_other_threads() {
        upcalls().on_unmodelled("kill of its own process, whose threads may all get the signal", pc);
    }
    raise(signal, pc)
}

/// What the program wants done about a signal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Disposition {
    /// What the system does by default.
    Default,
    /// Nothing.
    Ignore,
    /// A handler, on the stack of the thread.
    Handler {
        /// The handler is forgotten when it is called.
        once: bool,
        /// Calls that the signal interrupts are made again.
        restarts: bool,
    },
    /// A handler on a stack of its own.
    OnOwnStack,
}

/// What the program wants done about a signal that the running thread takes.
pub fn disposition(signal: i32) -> Disposition {
    const RESTARTS: u64 = 0x1000_0000;
    let [handler, flags, _, _] = state().actions[signal as usize];
    match handler {
        SIG_DFL => Disposition::Default,
        SIG_IGN => Disposition::Ignore,
        _ if uses_own_stack(flags) => Disposition::OnOwnStack,
        _ => Disposition::Handler { once: flags & RESET != 0, restarts: flags & RESTARTS != 0 },
    }
}

fn uses_own_stack(flags: u64) -> bool {
    const ON_STACK: u64 = 0x0800_0000;
    const DISABLED: u64 = 2;
    let [_, stack, _] = state().stacks[fiber::current_slot()];
    flags & ON_STACK != 0 && stack & DISABLED == 0
}

/// `SA_NODEFER`
const NO_DEFER: u64 = 0x4000_0000;
/// `SA_RESETHAND`
const RESET: u64 = 0x8000_0000;

/// The running thread has taken a signal: does what the program wants done about it. A handler begins with this call.
pub fn act(signal: i32, pc: u64, begins: &dyn Fn()) {
    let action = state().actions[signal as usize];
    let [handler, flags, _, _] = action;
    if handler == SIG_DFL && ignored_by_default(signal) {
        return;
    }
    if handler == SIG_DFL && stops_by_default(signal) {
        upcalls().on_unmodelled(STOPS, pc);
    }
    if handler == SIG_DFL {
        // The place of a return address is the call before it, by an odd address inside of that.
        upcalls().on_crash(signal, 0, pc.wrapping_sub(2) | 1);
    }
    if handler == SIG_IGN {
        return;
    }
    if uses_own_stack(flags) {
        upcalls().on_unmodelled("a signal handler on an alternate stack", pc);
    }
    state().changed = true;
    let blocked = blocked_by_handler(signal);
    if flags & RESET != 0 {
        state().actions[signal as usize][0] = SIG_DFL;
    }
    run_handler(signal, action, blocked, pc, begins);
}

/// Runs a handler with its signals blocked and the initial floating-point environment. After a jump out of the handler
/// both stay, as in the kernel.
fn run_handler(signal: i32, action: Action, blocked: u64, pc: u64, begins: &dyn Fn()) {
    let slot = fiber::current_slot();
    let [handler, flags, ..] = action;
    let before = state().masks[slot];
    state().masks[slot] |= blocked;
    // Linux begins the handlers of all that is pending, each on top of those before it.
    deliver(pc);
    begins();
    let interrupted = FloatControl::current();
    FloatControl::INITIAL.load();
    upcalls().call_back(&mut || call_handler(handler, signal, flags));
    interrupted.load();
    state().masks[slot] = before;
    deliver(pc);
}

/// The signals that a handler blocks while it runs, its own among them.
pub fn blocked_by_handler(signal: i32) -> u64 {
    let [handler, flags, _, blocked] = state().actions[signal as usize];
    let own = if flags & NO_DEFER == 0 { bit(signal) } else { 0 };
    if handler > SIG_IGN { (blocked | own) & !UNBLOCKABLE } else { 0 }
}

/// How the signal was sent that the running thread has taken last.
pub fn taken() -> Sent {
    state().taken[fiber::current_slot()]
}

/// What is said of a signal that the running thread has taken.
pub fn information(signal: i32) -> [u32; 32] {
    taken().information(signal)
}

/// Calls a handler of the program as an ordinary function.
fn call_handler(handler: u64, signal: i32, flags: u64) {
    const WITH_INFORMATION: u64 = 4;
    if flags & WITH_INFORMATION != 0 {
        let mut information = information(signal);
        let context = [0u64; 128];
        // SAFETY: the program's handler of this form.
        let function: extern "C" fn(i32, *mut u32, *const u64) = unsafe { core::mem::transmute(handler) };
        function(signal, information.as_mut_ptr(), context.as_ptr());
    } else {
        // SAFETY: the program's handler of this form.
        let function: extern "C" fn(i32) = unsafe { core::mem::transmute(handler) };
        function(signal);
    }
}
