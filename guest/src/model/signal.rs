//! Signals that threads send each other (S20): who can send them, what a send is, what a thread does that takes one.
//! Masks are in [`super::signal_mask`], waits for signals in [`super::signal_wait`].
//!
//! A thread takes a signal by an operation on what is pending for it, and one on what is pending for the process. It
//! makes them before its own operations (`on_boundary`), when it unblocks signals and when it waits for some. In a
//! program that cannot send signals to threads, nothing here is an operation.

use super::error::{EINVAL, ESRCH};
use super::imports::imports_one_of;
use super::library_state::{Use, use_signal};
use super::thread::{handle_of, note_use_of_handle, refuse, thread_of};
use super::{cancel, export, process_signals, real, timer_start};
use crate::engine::expected_signals;
use crate::engine::interrupting::{interrupting, is_pending};
use crate::engine::interruptions::{BESIDE_THREADS, IN_WAIT, LAST, come_up, hold_back, note_looked};
use crate::engine::object_names::note_name;
use crate::engine::site::of_call;
use crate::engine::{
    attention, attention_of, end_run, fault, has_other_threads, is_alive, last_event, log_futex_look, me,
    note_identity, note_uncontrolled, spoil_loops, unmodelled, visible, with,
};
use crate::platform::sent::Sent;
use crate::platform::sigaction::{self, Disposition};
use crate::platform::{Global, fiber, program, started};
use alloc::format;
use inspect_core::event::{Handle, LimitKind, MAX_THREADS, Object, SignalOperation, SiteId, ThreadId};
use inspect_core::run::Request;

export! {
    interpose_pthread_kill / 2 => kill_thread;
    interpose_pthread_sigqueue / 3 => queue_to_thread;
    interpose_kill / 2 => kill;
    interpose_sigqueue / 3 => queue_to_process;
    interpose_raise / 1 => raise;
}

/// What the program does where two threads wait for signals of the process.
pub(super) const TAKEN_BY_ANOTHER: &str =
    "sigwaitinfo or sigtimedwait where another thread may take the signal first, which lets the call fail (EINTR)";

/// What the program does where a signal is ignored that other threads may send.
const DISCARDS: &str = "ignoring a signal that may be pending, which discards it";

/// Whom the program can send signals, as far as the functions that it uses say.
#[derive(Clone, Copy)]
pub(super) struct Possible {
    pub(super) to_threads: bool,
    pub(super) to_process: bool,
}

impl Possible {
    fn any(self) -> bool {
        self.to_threads || self.to_process
    }
}

pub(super) fn possible() -> Possible {
    const TIMERS: [&str; 5] = ["timer_create", "alarm", "ualarm", "setitimer", "getitimer"];
    static POSSIBLE: Global<Option<Possible>> = Global::new(None);
    // SAFETY: one OS thread; the borrow ends here.
    *unsafe { POSSIBLE.get() }.get_or_insert_with(|| {
        let possible = Possible {
            to_threads: imports_one_of(&["pthread_kill", "pthread_sigqueue", "timer_create"]),
            to_process: imports_one_of(&["kill", "sigqueue"]) || imports_one_of(&TIMERS),
        };
        if possible.any() {
            sigaction::note_sent();
        }
        possible
    })
}

/// Finds out who can be sent signals. To be called before the first run, from which on changes of masks matter.
pub(crate) fn prepare() {
    possible();
}

/// Whether any thread can be sent a signal.
pub(super) fn some_are_sent() -> bool {
    possible().any()
}

/// What is pending for a thread.
pub(super) fn of_thread(thread: ThreadId) -> Object {
    let word = sigaction::pending_of(thread.index());
    note_name(word, || match thread {
        ThreadId::MAIN => "main".into(),
        thread => format!("thread {}", thread.0),
    });
    Object(word)
}

/// What is pending for the process.
pub(super) fn of_process() -> Object {
    let word = sigaction::pending_of_process();
    note_name(word, || "the process".into());
    Object(word)
}

fn pending_in(word: Object) -> u64 {
    sigaction::read_pending(word.0)
}

/// Takes the lowest of these signals out of a word; of one that is queued, the first that was sent. None if there is
/// none.
pub(super) fn take_out(word: Object, signals: u64, site: SiteId) -> Option<u8> {
    let found = pending_in(word) & signals;
    if found == 0 {
        return None;
    }
    let signal = found.trailing_zeros() as u8 + 1;
    let (sent, more) = with(|engine| {
        let sent = engine.signal_queue.take(word.0, signal);
        (sent, engine.signal_queue.has(word.0, signal))
    });
    if !more {
        sigaction::write_pending(word.0, pending_in(word) & !SignalOperation::bit(signal));
        process_signals::note_changed(false);
    }
    let sent = sent.unwrap_or(Sent::TO_THREAD);
    sigaction::note_taken(sent);
    timer_start::note_taken(signal, sent, word == of_process());
    if word == of_process() && with(|engine| engine.signal_takers.take(me(), signal)) {
        note_uncontrolled(TAKEN_BY_ANOTHER.into(), site);
    }
    Some(signal)
}

/// Whether what is pending there is a channel.
fn is_channel(word: Object) -> bool {
    process_signals::are_channel() && word.0 == sigaction::pending_of_process()
}

/// Requests an operation on a word of pending signals, before which the running thread is not interrupted.
pub(super) fn request(operation: SignalOperation, word: Object, signals: u64, site: SiteId) -> bool {
    if is_channel(word) {
        process_signals::request(operation, site);
        return pending_in(word) & signals != 0;
    }
    with(|engine| engine.memory.note_probed(SignalOperation::bytes_of(word)));
    note_identity();
    let before = hold_back(true);
    visible(Request::new(operation.into(), site).with_signals(signals));
    hold_back(before);
    last_event().operation.succeeded() == Some(true)
}

/// The running thread takes one of these signals if one is pending, for itself or for the process, lowest number first.
pub(super) fn take(signals: u64, site: SiteId) -> Option<u8> {
    let Possible { to_threads, to_process } = possible();
    let own = of_thread(me());
    let own_signal = if to_threads { attempt(own, signals, site) } else { take_out(own, signals, site) };
    own_signal.or_else(|| if to_process { attempt(of_process(), signals, site) } else { None })
}

fn attempt(word: Object, signals: u64, site: SiteId) -> Option<u8> {
    if request(SignalOperation::take(word), word, signals, site) {
        spoil_loops();
        return take_out(word, signals, site);
    }
    if !is_channel(word) {
        let request = Request::new(SignalOperation::take(word).into(), site).with_signals(signals);
        log_futex_look(&request, SignalOperation::bytes_of(word));
    }
    None
}

/// Which handlers a thread has run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Handled {
    /// None.
    Nothing,
    /// Some, after all of which calls are made again that they interrupt.
    Restarting,
    /// One after which they fail.
    Interrupting,
}

impl Handled {
    pub(super) fn and(self, other: Handled) -> Handled {
        match (self, other) {
            (Handled::Interrupting, _) | (_, Handled::Interrupting) => Handled::Interrupting,
            (Handled::Restarting, _) | (_, Handled::Restarting) => Handled::Restarting,
            (Handled::Nothing, Handled::Nothing) => Handled::Nothing,
        }
    }
}

/// The running thread comes to an operation, or to a call that signals interrupt: it takes those that do and runs their
/// handlers.
pub(crate) fn deliver(site: SiteId) -> Handled {
    deliver_with(0, site)
}

/// The same, also of these signals, which the thread has just unblocked.
pub(super) fn deliver_with(mut unblocked: u64, site: SiteId) -> Handled {
    let mut handled = Handled::Nothing;
    loop {
        let signals = (interrupting() | unblocked) & !sigaction::mask_of(me().index());
        if signals == 0 {
            return handled;
        }
        let Some(signal) = take(signals, site) else { return handled };
        // A handler blocks signals while it runs.
        unblocked |= sigaction::blocked_by_handler(signal.into());
        handled = handled.and(act(signal, unblocked, site));
    }
}

/// The running thread has taken a signal, and does what the program wants done about it. As a handler begins, those of
/// other signals interrupt it that it does not block, and that the thread has just unblocked if so.
pub(super) fn act(signal: u8, unblocked: u64, site: SiteId) -> Handled {
    let number = i32::from(signal);
    let before = hold_back(true);
    let how = match sigaction::disposition(number) {
        Disposition::Handler { once: true, .. } => Use::Change,
        Disposition::Handler { .. } | Disposition::Default | Disposition::Ignore | Disposition::OnOwnStack => Use::Look,
    };
    use_signal(signal.into(), how, site);
    hold_back(before);
    match sigaction::disposition(number) {
        Disposition::Ignore => Handled::Nothing,
        Disposition::Default if sigaction::ignored_by_default(number) => Handled::Nothing,
        Disposition::Default if sigaction::stops_by_default(number) => unmodelled(sigaction::STOPS, site),
        Disposition::Default => fault(number, site),
        Disposition::OnOwnStack => unmodelled("a signal handler on an alternate stack", site),
        Disposition::Handler { restarts, .. } => {
            spoil_loops();
            note_uncontrolled(BESIDE_THREADS.into(), site);
            let before = hold_back(false);
            sigaction::act(number, site.0, &|| {
                deliver_with(unblocked, site);
                note_looked(!cancel::is_asynchronous());
            });
            note_looked(false);
            hold_back(before);
            if restarts { Handled::Restarting } else { Handled::Interrupting }
        }
    }
}

/// Whether a call that the running thread begins, and that signals interrupt, fails with `EINTR`: that is a choice if
/// a handler runs.
pub(super) fn interrupts(restarted: bool, site: SiteId) -> bool {
    if !some_are_sent() {
        return false;
    }
    let handled = deliver(site);
    if restarted {
        // The operation of the call is the next one.
        note_looked(true);
    }
    (handled == Handled::Interrupting || handled == Handled::Restarting && !restarted) && cancel::chooses_second(site)
}

/// The running thread has waited for a condition variable or a futex: a signal that came meanwhile is delivered now,
/// and not while it waited.
pub(super) fn after_wait(site: SiteId) {
    if is_pending(me()) {
        note_uncontrolled(IN_WAIT.into(), site);
    }
}

/// Whether nothing is done about a signal that a thread does not block, so that it is not even pending.
pub(super) fn is_dropped(signal: u8) -> bool {
    sigaction::is_ignored(signal.into())
}

/// The program has changed what is done about a signal, which it expects unless that is the default. One that is
/// ignored from now on is discarded where it is pending. Which of the sends by other threads came before that is not
/// explored.
pub(super) fn note_action(signal: u64, site: SiteId) {
    let Some(signal @ 1..) = number(signal as i32) else { return };
    let bit = SignalOperation::bit(signal);
    if some_are_sent() && sigaction::disposition(signal.into()) != Disposition::Default {
        expected_signals::note_action(signal);
    }
    if !some_are_sent() || !is_dropped(signal) {
        return;
    }
    let is_pending = || sigaction::pending_words().any(|word| sigaction::read_pending(word) & bit != 0);
    if !has_other_threads() {
        sigaction::discard(signal.into());
        with(|engine| engine.signal_queue.discard(signal));
        process_signals::note_changed(false);
    } else if is_pending() {
        unmodelled(DISCARDS, site);
    } else {
        note_uncontrolled(DISCARDS.into(), site);
    }
}

/// The running thread no longer blocks these signals. Those that are sent to the process and ignored are pending or
/// not by what main blocks; which of the sends by other threads came before is not explored.
pub(super) fn note_unblocked(signals: u64, site: SiteId) {
    let dropped = |signal: u8| signals & SignalOperation::bit(signal) != 0 && is_dropped(signal);
    if me() == ThreadId::MAIN && possible().to_process && has_other_threads() && (1..=LAST).any(dropped) {
        note_uncontrolled(DISCARDS.into(), site);
    }
}

pub(super) fn blocks(thread: ThreadId, signal: u8) -> bool {
    sigaction::mask_of(thread.index()) & SignalOperation::bit(signal) != 0
}

/// Whether a thread blocks a signal, and not only while a handler runs: then it may take the signal after the handler.
pub(super) fn goes_on_blocking(thread: ThreadId, signal: u8) -> bool {
    let is_blocked_by = |other: u8| sigaction::blocked_by_handler(other.into()) & SignalOperation::bit(signal) != 0;
    blocks(thread, signal) && !(1..=LAST).any(is_blocked_by)
}

/// A signal that the search did not know to interrupt threads: the run is of no use.
pub(super) fn begin_anew_for(signal: u8, site: SiteId) {
    note_uncontrolled(BESIDE_THREADS.into(), site);
    if !come_up(signal) {
        end_run(None, LimitKind::Unmodelled);
    }
}

/// The signal of a call, if it is one; 0 asks only whether there is somebody to send it to.
fn number(signal: i32) -> Option<u8> {
    u8::try_from(signal).ok().filter(|&signal| signal <= LAST)
}

/// Sends a signal to a thread; it is pending when this returns, if not for one that nothing is done about.
fn send(thread: ThreadId, signal: u8, sent: Sent, site: SiteId) {
    refuse_where_unknown(site);
    let word = of_thread(thread);
    use_signal(signal.into(), Use::Look, site);
    let is_dropped = is_dropped(signal);
    request(SignalOperation::send(word, signal).with_handle(used_handle(thread)), word, 0, site);
    spoil_loops();
    if is_dropped && !blocks(thread, signal) {
        return;
    }
    // Also if the thread has ended, or was joined: in an equivalent run it has not.
    if !goes_on_blocking(thread, signal) && thread != me() {
        begin_anew_for(signal, site);
    }
    if !is_alive(thread) {
        return;
    }
    add_pending(word, signal, sent, site);
}

/// The signal is pending from now on.
pub(super) fn add_pending(word: Object, signal: u8, sent: Sent, site: SiteId) {
    let is_new = sigaction::is_queued(signal.into()) || pending_in(word) & SignalOperation::bit(signal) == 0;
    with(|engine| engine.signal_queue.add(word.0, signal, sent));
    sigaction::write_pending(word.0, pending_in(word) | SignalOperation::bit(signal));
    if word == of_process() {
        process_signals::note_changed(is_new);
    } else {
        process_signals::refuse_of_thread(word.0, site);
    }
}

/// What static facts say of memory does not hold for signals.
pub(super) fn refuse_where_unknown(site: SiteId) {
    if attention_of(me()) & attention::RECORDS != 0 {
        unmodelled("a signal between threads, with --algorithm pdp", site);
    }
}

extern "C" fn kill_thread(handle: u64, signal: i32, pc: u64) -> i32 {
    if !started() {
        return real!("pthread_kill" as fn(u64, i32) -> i32)(handle, signal);
    }
    send_to_thread(handle, signal, Sent::TO_THREAD, of_call(pc))
}

/// `pthread_sigqueue`: as [`kill_thread`], with a value. The C library keeps two signals for itself.
extern "C" fn queue_to_thread(handle: u64, signal: i32, value: u64, pc: u64) -> i32 {
    const OF_THE_LIBRARY: [i32; 2] = [32, 33];
    if !started() {
        return real!("pthread_sigqueue" as fn(u64, i32, u64) -> i32)(handle, signal, value);
    }
    if OF_THE_LIBRARY.contains(&signal) {
        return EINVAL;
    }
    send_to_thread(handle, signal, Sent::with_value(value), of_call(pc))
}

/// The handle of another thread, as an operation uses it. Its own handle a thread can always use.
fn used_handle(thread: ThreadId) -> Option<Handle> {
    (thread != me()).then(|| handle_of(thread))
}

fn send_to_thread(handle: u64, signal: i32, sent: Sent, site: SiteId) -> i32 {
    let Some(thread) = thread_of(handle) else {
        return refuse(SignalOperation::send(Object(0), signal as u8).into(), site, ESRCH);
    };
    let Some(signal) = number(signal) else { return EINVAL };
    if !possible().to_threads {
        unmodelled("pthread_kill, by a library that was loaded later or is not instrumented", site);
    }
    let word = of_thread(thread);
    if signal == 0 {
        deliver(site);
        request(SignalOperation::look(word).with_handle(used_handle(thread)), word, 0, site);
    } else {
        send(thread, signal, sent, site);
    }
    note_use_of_handle(thread);
    if thread == me() && signal != 0 {
        deliver_with(SignalOperation::bit(signal), site);
    }
    0
}

/// `raise`: a signal to the running thread, which it takes before the call returns unless it blocks it.
extern "C" fn raise(signal: i32, pc: u64) -> i32 {
    let real = real!("raise" as fn(i32) -> i32);
    if !started() {
        return real(signal);
    }
    let site = of_call(pc);
    match number(signal) {
        None => return fail(EINVAL),
        Some(1..) if some_are_sent() => {}
        _ => {
            use_signal(signal as u64, Use::Look, site);
            return real(signal);
        }
    }
    let signal = signal as u8;
    send(me(), signal, Sent::TO_THREAD, site);
    deliver_with(SignalOperation::bit(signal), site);
    0
}

/// Whether some thread other than the running one does not block a signal that is sent to the process, or did not block
/// it when it ended: in an equivalent run it has not ended.
pub(super) fn others_take(signal: u8) -> bool {
    let mut threads = (0..MAX_THREADS.min(fiber::ready_slots())).map(ThreadId::at);
    let may_take = |thread| with(|engine| engine.run.thread_info(thread).exists);
    let is_expiry = |thread| with(|engine| engine.timers.is_expiry(thread));
    threads.any(|thread| thread != me() && may_take(thread) && !is_expiry(thread) && !goes_on_blocking(thread, signal))
}

/// `kill` of the own process: any thread that does not block the signal may take it, or that waits for it.
extern "C" fn kill(process: i32, signal: i32, pc: u64) -> i32 {
    let real = real!("kill" as fn(i32, i32) -> i32);
    if !started() {
        return real(process, signal);
    }
    let site = of_call(pc);
    let is_own = process == 0 || process == fiber::PROCESS as i32;
    let signal = match number(signal) {
        None if is_own => return fail(EINVAL),
        Some(signal @ 1..) if is_own && possible().to_process => signal,
        _ => return real(process, signal),
    };
    send_to_process(signal, Sent::TO_PROCESS, site);
    0
}

/// `sigqueue`: as [`kill`], with a value, and of a single process only.
extern "C" fn queue_to_process(process: i32, signal: i32, value: u64, pc: u64) -> i32 {
    if !started() {
        return real!("sigqueue" as fn(i32, i32, u64) -> i32)(process, signal, value);
    }
    let site = of_call(pc);
    if process <= 0 {
        return fail(ESRCH);
    }
    if process != fiber::PROCESS as i32 || !possible().to_process {
        unmodelled("sigqueue to another process, or by a library that was loaded later or is not instrumented", site);
    }
    match number(signal) {
        None => return fail(EINVAL),
        Some(0) => {}
        Some(signal) => send_to_process(signal, Sent::with_value(value), site),
    }
    0
}

fn send_to_process(signal: u8, sent: Sent, site: SiteId) {
    refuse_where_unknown(site);
    let word = of_process();
    use_signal(signal.into(), Use::Look, site);
    let is_dropped = is_dropped(signal);
    request(SignalOperation::send(word, signal), word, 0, site);
    spoil_loops();
    // As on Linux, main decides whether a signal is dropped that nothing is done about.
    if is_dropped && !blocks(ThreadId::MAIN, signal) {
        return;
    }
    if others_take(signal) {
        begin_anew_for(signal, site);
    }
    add_pending(word, signal, sent, site);
    deliver_with(SignalOperation::bit(signal), site);
}

/// Fails with an error number: these functions return -1.
pub(super) fn fail(error: i32) -> i32 {
    program::set_errno(error as u32);
    -1
}
