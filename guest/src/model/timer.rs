//! Timers (S22): those of POSIX, and that of the process (`alarm`, `setitimer`).
//!
//! What a call does to a timer, or asks about one, is an operation on the word to which the timer sends its signal. A
//! timer that is set expires by an operation of a thread of its own ([`super::timer_start`]), at any moment from then
//! on, however long it was to take.

use super::error::EINVAL;
use super::futex_owner::number as number_of_thread;
use super::library_state::{Use, use_signal};
use super::pause::{REALTIME, is_valid_time, read_time};
use super::signal::{blocks, fail, possible, refuse_where_unknown, request};
use super::signal_expiry::{expire, word_of};
use super::thread::new_thread;
use super::timer_start::{SIGALRM, start};
use super::{cancel, export, process_signals, real};
use crate::engine::expected_signals::{is_expected, note_unexpected};
use crate::engine::interruptions::LAST;
use crate::engine::site::of_call;
use crate::engine::timers::{MOST, Maker, OF_PROCESS, Timer, Told};
use crate::engine::{me, note_identity, note_time_shown, note_uncontrolled, spoil_loops, unmodelled, with};
use crate::hooks::{argument_read, argument_write};
use crate::platform::clock::{self, TimeSpec};
use crate::platform::sigaction::{self, Disposition};
use crate::platform::timing::{TimerState, Timing};
use crate::platform::{fiber, started};
use inspect_core::event::{MAX_THREADS, Object, SignalOperation, SiteId, ThreadId};

export! {
    interpose_timer_create / 3 => create;
    interpose_timer_settime / 4 => set_time;
    interpose_timer_gettime / 2 => get_time;
    interpose_timer_getoverrun / 1 => get_overrun;
    interpose_timer_delete / 1 => delete;
    interpose_alarm / 1 => alarm;
    interpose_ualarm / 2 => ualarm;
    interpose_setitimer / 3 => set_interval_timer;
    interpose_getitimer / 2 => get_interval_timer;
}

const SECOND: u64 = 1_000_000_000;
/// Bytes of an `itimerspec` and of an `itimerval`: the interval, then the time to the next expiry.
const BOTH_TIMES: u64 = 32;

/// A timer that is not set.
fn new_timer(maker: Maker, told: Told, signal: u8, value: u64, clock: u64) -> Timer {
    Timer { maker, told, signal, value, clock, timing: Timing::UNSET, repeats: false, site: SiteId(0), expire }
}

/// A call on a timer begins.
fn begin(site: SiteId) {
    if !possible().to_process {
        unmodelled("a timer of a library that was loaded later or is not instrumented", site);
    }
    refuse_where_unknown(site);
    note_identity();
}

/// What a call on a timer with this word does, or asks.
fn perform(operation: SignalOperation, word: Object, site: SiteId) {
    request(operation, word, 0, site);
    spoil_loops();
}

/// A time to the next expiry, and from one to the next, in nanoseconds.
#[derive(Clone, Copy, Default)]
struct TimerTimes {
    value: u64,
    interval: u64,
}

/// What is left of a timer's time, in the present transition.
fn left(number: u16) -> TimerTimes {
    let now = clock::of(me().index());
    with(|engine| {
        let timer = engine.timers.get(number);
        timer.map_or(TimerTimes::default(), |timer| TimerTimes {
            value: timer.timing.left(now),
            interval: timer.timing.interval,
        })
    })
}

/// The program is shown what is left of a timer's time.
fn note_left(times: TimerTimes, site: SiteId) {
    if times.value > 0 {
        note_time_shown(site);
    }
}

/// Sets a timer, in the present transition; its setting.
fn set(number: u16, times: TimerTimes, due: u64, site: SiteId) -> u16 {
    sigaction::note_changed();
    with(|engine| {
        let Some(timer) = engine.timers.get(number) else { return 0 };
        timer.repeats |= times.interval > 0;
        timer.site = site;
        timer.timing.set(times.value > 0, due, times.interval)
    })
}

/// Whether a timer expires that the running thread is about to set. One whose signal would end the process is there
/// for executions that take too long, and does not expire unless the program expects the signal: then that it comes too
/// early, or in a thread that does not expect it, is found.
fn expires(timer: &Timer, site: SiteId) -> bool {
    match timer.told {
        Told::Nobody | Told::NewThread(_) => return true,
        Told::Thread(thread) if thread != me() => return true,
        Told::Thread(_) | Told::Process => {}
    }
    use_signal(timer.signal.into(), Use::Look, site);
    let number = i32::from(timer.signal);
    let goes_on = sigaction::ignored_by_default(number) || sigaction::stops_by_default(number);
    let ends = sigaction::disposition(number) == Disposition::Default && !goes_on;
    let expires = !ends || blocks(me(), timer.signal) || is_expected(timer.signal);
    if !expires {
        note_unexpected(timer.signal);
    }
    expires
}

/// Sets a timer to expire after this time, or at this time by its clock; what was left of its time before. None if
/// there is no such timer.
fn set_at(place: Place, times: TimerTimes, absolute: bool, site: SiteId) -> Option<TimerTimes> {
    let Place { number, word, .. } = place;
    begin(site);
    let expires = times.value > 0 && place.timer().is_none_or(|timer| expires(&timer, site));
    perform(SignalOperation::set_timer(word), word, site);
    let timer = place.timer()?;
    let passed = clock::read(timer.clock).unwrap_or(0);
    let before = left(number);
    let wait = if absolute { times.value.saturating_sub(passed) } else { times.value };
    let setting = set(number, times, clock::of(me().index()).saturating_add(wait), site);
    if timer.maker == Maker::Posix {
        may_discard(number, word, site);
    }
    // Nobody notices the expiries of one that goes on and tells nobody.
    if expires && (timer.told != Told::Nobody || times.interval == 0) {
        start(number, setting, site);
    }
    Some(before)
}

/// POSIX leaves open whether the signal of a timer is still pending that was set again or deleted.
fn may_discard(number: u16, word: Object, site: SiteId) {
    if !with(|engine| engine.signal_queue.has_of_timer(number)) || !cancel::chooses_second(site) {
        return;
    }
    request(SignalOperation::set_timer(word), word, 0, site);
    if let Some((at, signal, more)) = with(|engine| engine.signal_queue.discard_of_timer(number))
        && !more
    {
        sigaction::write_pending(at, sigaction::read_pending(at) & !SignalOperation::bit(signal));
        process_signals::note_changed(false);
    }
}

/// Whom the program wants to be told, by what signal, with what value.
type Wanted = (Told, u8, u64);

/// Reads a `sigevent`; None if it is none.
fn read_event(event: u64, site: SiteId) -> Option<Wanted> {
    const EVENT: u64 = 64;
    const SIGNAL: u32 = 0;
    const NONE: u32 = 1;
    const THREAD: u32 = 2;
    const THREAD_ID: u32 = 4;
    if event == 0 {
        let number = with(|engine| engine.timers.count());
        return Some((Told::Process, SIGALRM, number as u64));
    }
    argument_read(event, EVENT, site);
    // SAFETY: the program passes such a structure; if not, it faults here as it would in the C library.
    let [value, kind, third, attributes] = unsafe { (event as *const [u64; 4]).read_unaligned() };
    let signal = u8::try_from(kind as u32).ok().filter(|signal| (1..=LAST).contains(signal));
    match (kind >> 32) as u32 {
        SIGNAL => Some((Told::Process, signal?, value)),
        NONE => Some((Told::Nobody, 0, value)),
        THREAD_ID => Some((Told::Thread(thread_of_number(third as u32)?), signal?, value)),
        THREAD => Some((Told::NewThread(new_thread(third, attributes, site)), 0, value)),
        _ => None,
    }
}

/// The thread of a number that `gettid` gives.
fn thread_of_number(number: u32) -> Option<ThreadId> {
    let mut threads = (0..MAX_THREADS.min(fiber::ready_slots())).map(ThreadId::at);
    let lives =
        |&thread: &ThreadId| with(|engine| engine.run.thread_info(thread).exists && !engine.timers.is_expiry(thread));
    threads.find(|&thread| number_of_thread(thread) == number).filter(lives)
}

/// Whether there can be timers by this clock; an error number if not.
fn check_clock(clock: i32, site: SiteId) -> Result<(), i32> {
    const EOPNOTSUPP: i32 = 95;
    match clock {
        // Real time, monotonic, since boot, international atomic.
        0 | 1 | 7 | 11 => Ok(()),
        4..=6 => Err(EOPNOTSUPP),
        8 | 9 => unmodelled("a timer by a clock that wakes the system", site),
        2 | 3 | ..=-2 => unmodelled("a timer by a clock of processor time", site),
        -1 | 10 | 12.. => Err(EINVAL),
    }
}

extern "C" fn create(clock: i32, event: u64, result: u64, pc: u64) -> i32 {
    if !started() {
        return real!("timer_create" as fn(i32, u64, u64) -> i32)(clock, event, result);
    }
    let site = of_call(pc);
    if let Err(error) = check_clock(clock, site) {
        return fail(error);
    }
    // The number of the timer is that of the next one.
    let word = word_of(Told::Process);
    begin(site);
    perform(SignalOperation::set_timer(word), word, site);
    let Some((told, signal, value)) = read_event(event, site) else { return fail(EINVAL) };
    if with(|engine| engine.timers.count()) == MOST {
        unmodelled("a timer beyond the first 32,768", site);
    }
    sigaction::note_changed();
    let number = with(|engine| engine.timers.add(new_timer(Maker::Posix, told, signal, value, clock as u64)));
    argument_write(result, 8, site);
    // SAFETY: the program's variable for the timer.
    unsafe { (result as *mut u64).write_unaligned(number.into()) };
    0
}

/// The number of a timer, and the word of the operations on it.
#[derive(Clone, Copy)]
struct Place {
    maker: Maker,
    number: u16,
    word: Object,
}

impl Place {
    /// That of a number which the program names. Whether there is such a timer is known after an operation on its word.
    fn named(timer: u64) -> Place {
        let number = u16::try_from(timer).unwrap_or(OF_PROCESS);
        let told = with(|engine| engine.timers.told(number)).unwrap_or(Told::Process);
        Place { maker: Maker::Posix, number, word: word_of(told) }
    }

    /// The timer, unless there is none, or it was deleted.
    fn timer(self) -> Option<Timer> {
        with(|engine| engine.timers.get(self.number).copied()).filter(|timer| timer.maker == self.maker)
    }
}

/// Reads an `itimerspec` or an `itimerval`, in which a second has so many parts; None if it is not valid.
fn read_times(at: u64, parts: u64) -> Option<TimerTimes> {
    let of = |at: u64| {
        let time = read_time(at);
        let is_valid = is_valid_time(at) && time.seconds >= 0 && time.fraction < parts as i64;
        is_valid.then(|| (time.seconds as u64).saturating_mul(SECOND) + time.fraction as u64 * (SECOND / parts))
    };
    Some(TimerTimes { interval: of(at)?, value: of(at + BOTH_TIMES / 2)? })
}

/// Writes both times. As in Linux, what is left of a time is never shown as none.
fn write_times(at: u64, times: TimerTimes, parts: u64, site: SiteId) {
    note_left(times, site);
    argument_write(at, BOTH_TIMES, site);
    let in_parts = |time: u64| {
        let all = time.div_ceil(SECOND / parts);
        TimeSpec { seconds: (all / parts) as i64, fraction: (all % parts) as i64 }
    };
    // SAFETY: the program's structure of two times.
    unsafe { (at as *mut [TimeSpec; 2]).write_unaligned([in_parts(times.interval), in_parts(times.value)]) };
}

extern "C" fn set_time(timer: u64, flags: i32, new: u64, old: u64, pc: u64) -> i32 {
    const ABSOLUTE: i32 = 1;
    if !started() {
        return real!("timer_settime" as fn(u64, i32, u64, u64) -> i32)(timer, flags, new, old);
    }
    let site = of_call(pc);
    if new == 0 {
        return fail(EINVAL);
    }
    argument_read(new, BOTH_TIMES, site);
    let Some(times) = read_times(new, SECOND) else { return fail(EINVAL) };
    let Some(before) = set_at(Place::named(timer), times, flags & ABSOLUTE != 0, site) else { return fail(EINVAL) };
    if old != 0 {
        write_times(old, before, SECOND, site);
    }
    0
}

/// The program asks about a timer with this word.
fn look_at(word: Object, site: SiteId) {
    begin(site);
    perform(SignalOperation::look(word), word, site);
}

extern "C" fn get_time(timer: u64, result: u64, pc: u64) -> i32 {
    if !started() {
        return real!("timer_gettime" as fn(u64, u64) -> i32)(timer, result);
    }
    let site = of_call(pc);
    let place = Place::named(timer);
    look_at(place.word, site);
    if place.timer().is_none() {
        return fail(EINVAL);
    }
    clock::look();
    write_times(result, left(place.number), SECOND, site);
    0
}

/// Of a timer that goes on, any number of expiries may have come before somebody took notice of the first of them.
extern "C" fn get_overrun(timer: u64, pc: u64) -> i32 {
    if !started() {
        return real!("timer_getoverrun" as fn(u64) -> i32)(timer);
    }
    let site = of_call(pc);
    let place = Place::named(timer);
    look_at(place.word, site);
    let Some(timer) = place.timer() else { return fail(EINVAL) };
    if timer.repeats {
        note_uncontrolled("timer_getoverrun of a timer with an interval".into(), site);
    }
    0
}

extern "C" fn delete(timer: u64, pc: u64) -> i32 {
    if !started() {
        return real!("timer_delete" as fn(u64) -> i32)(timer);
    }
    let site = of_call(pc);
    let place = Place::named(timer);
    begin(site);
    perform(SignalOperation::set_timer(place.word), place.word, site);
    if place.timer().is_none() {
        return fail(EINVAL);
    }
    with(|engine| engine.timers.get(place.number).map(|timer| timer.timing.state = TimerState::Deleted));
    may_discard(place.number, place.word, site);
    0
}

fn set_of_process(times: TimerTimes, site: SiteId) -> TimerTimes {
    let new = new_timer(Maker::Process, Told::Process, SIGALRM, 0, REALTIME);
    with(|engine| engine.timers.use_of_process(new));
    let place = Place { maker: Maker::Process, number: OF_PROCESS, word: word_of(Told::Process) };
    set_at(place, times, false, site).unwrap_or_default()
}

/// `alarm`: what was left is rounded to seconds, and never to none.
extern "C" fn alarm(seconds: u32, pc: u64) -> u32 {
    if !started() {
        return real!("alarm" as fn(u32) -> u32)(seconds);
    }
    let before = set_of_process(TimerTimes { value: u64::from(seconds) * SECOND, interval: 0 }, of_call(pc));
    note_left(before, of_call(pc));
    let rounded = (before.value + SECOND / 2) / SECOND;
    if before.value > 0 { rounded.max(1) as u32 } else { 0 }
}

extern "C" fn ualarm(value: u32, interval: u32, pc: u64) -> u32 {
    if !started() {
        return real!("ualarm" as fn(u32, u32) -> u32)(value, interval);
    }
    let of = |microseconds: u32| u64::from(microseconds) * 1000;
    let before = set_of_process(TimerTimes { value: of(value), interval: of(interval) }, of_call(pc));
    note_left(before, of_call(pc));
    before.value.div_ceil(1000) as u32
}

/// Parts of a second in an `itimerval`.
const MICROSECONDS: u64 = 1_000_000;

/// Whether the call is for the timer by real time; an error number if there is no such timer.
fn check_kind(kind: i32, site: SiteId) -> Result<(), i32> {
    match kind {
        0 => Ok(()),
        1 | 2 => unmodelled("a timer by a clock of processor time", site),
        _ => Err(EINVAL),
    }
}

extern "C" fn set_interval_timer(kind: i32, new: u64, old: u64, pc: u64) -> i32 {
    if !started() {
        return real!("setitimer" as fn(i32, u64, u64) -> i32)(kind, new, old);
    }
    let site = of_call(pc);
    if let Err(error) = check_kind(kind, site) {
        return fail(error);
    }
    let mut times = TimerTimes::default();
    if new != 0 {
        argument_read(new, BOTH_TIMES, site);
        let Some(given) = read_times(new, MICROSECONDS) else { return fail(EINVAL) };
        times = given;
    }
    let before = set_of_process(times, site);
    if old != 0 {
        write_times(old, before, MICROSECONDS, site);
    }
    0
}

extern "C" fn get_interval_timer(kind: i32, result: u64, pc: u64) -> i32 {
    if !started() {
        return real!("getitimer" as fn(i32, u64) -> i32)(kind, result);
    }
    let site = of_call(pc);
    if let Err(error) = check_kind(kind, site) {
        return fail(error);
    }
    look_at(word_of(Told::Process), site);
    clock::look();
    write_times(result, left(OF_PROCESS), MICROSECONDS, site);
    0
}
