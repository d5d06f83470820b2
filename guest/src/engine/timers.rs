//! The timers of a run (S22): what they are set to, and which threads are their expiries.
//!
//! All that the program does to a timer, and its expiry, are operations on one word, so the list is the same in all
//! executions of a trace.

use super::run_data::RunData;
use crate::platform::affinity;
use crate::platform::sent::Sent;
use crate::platform::timing::{TimerState, Timing};
use alloc::vec::Vec;
use inspect_core::event::{SignalOperation, SiteId, ThreadId, ThreadSet};
use inspect_core::run::Run;

/// Whom a timer tells that it has expired.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Told {
    /// Nobody.
    Nobody,
    /// A thread, by a signal.
    Thread(ThreadId),
    /// The process, by a signal.
    Process,
    /// A thread that each expiry begins.
    NewThread(NewThread),
}

/// The thread that the expiry of a timer begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct NewThread {
    /// The function that it runs with the timer's value.
    pub(crate) function: u64,
    /// Which processors it is to run on, if not on those of who has set the timer.
    pub(crate) processors: Option<affinity::Mask>,
    /// Bytes of its stack.
    pub(crate) stack: u64,
    /// Bytes of the guard of its stack.
    pub(crate) guard: u64,
}

/// Who has made a timer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Maker {
    /// `timer_create`.
    Posix,
    /// The process has it from its beginning: that of `alarm` and `setitimer`.
    Process,
}

/// A timer.
#[derive(Clone, Copy)]
pub(crate) struct Timer {
    pub(crate) maker: Maker,
    pub(crate) told: Told,
    /// The signal that it sends; 0 if it sends none.
    pub(crate) signal: u8,
    /// What the signal carries, or the thread that it begins is given.
    pub(crate) value: u64,
    /// The clock that it goes by.
    pub(crate) clock: u64,
    /// What it is set to.
    pub(crate) timing: Timing,
    /// It was given an interval at some time.
    pub(crate) repeats: bool,
    /// Where it was set last.
    pub(crate) site: SiteId,
    /// What the thread that stands for its expiry runs.
    pub(crate) expire: extern "C" fn(u64) -> u64,
}

impl Timer {
    /// How the signal of this expiry was sent.
    pub(crate) fn sent(&self, number: u16) -> Sent {
        match self.maker {
            Maker::Posix => Sent::by_timer(number, self.timing.setting, self.value),
            Maker::Process => Sent::BY_KERNEL,
        }
    }
}

/// The number of the timer that the process has from its beginning. The program does not see it.
pub(crate) const OF_PROCESS: u16 = u16::MAX;

/// How many timers a program can make in a run.
pub(crate) const MOST: usize = 1 << 15;

/// The timers of a run, in the order in which they were made, and the threads that are expiries.
#[derive(Clone, Default)]
pub(crate) struct Timers {
    timers: Vec<Timer>,
    /// The timer of the process, once it was used.
    of_process: Option<Timer>,
    threads: ThreadSet,
    /// The signals that the program has waited or asked for in this run, a bit each.
    expected: u64,
    /// The signals of timers that do not expire in this run ([`super::expected_signals`]).
    unexpected: u64,
}

impl Timers {
    /// Adds one; its number.
    pub(crate) fn add(&mut self, timer: Timer) -> u16 {
        self.timers.push(timer);
        self.timers.len() as u16 - 1
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.timers.len()
    }

    /// The timer of this number, unless it was deleted.
    pub(crate) fn get(&mut self, number: u16) -> Option<&mut Timer> {
        self.even_deleted(number).filter(|timer| timer.timing.state != TimerState::Deleted)
    }

    /// The timer of this number, also if it was deleted. What a thread does between its operations on the timer's word
    /// must not depend on whether it was.
    pub(crate) fn even_deleted(&mut self, number: u16) -> Option<&mut Timer> {
        match number {
            OF_PROCESS => self.of_process.as_mut(),
            _ => self.timers.get_mut(usize::from(number)),
        }
    }

    /// Whom the timer of this number tells, also if it was deleted.
    pub(crate) fn told(&self, number: u16) -> Option<Told> {
        self.timers.get(usize::from(number)).map(|timer| timer.told)
    }

    /// Uses the timer of the process, which is this one at its first use.
    pub(crate) fn use_of_process(&mut self, new: Timer) {
        self.of_process.get_or_insert(new);
    }

    /// An expiry that belongs to this setting comes. None if the timer was set again or deleted meanwhile.
    pub(crate) fn expire(&mut self, number: u16, setting: u16) -> Option<Timer> {
        let timer = self.get(number)?;
        timer.timing.expire(setting).then_some(*timer)
    }

    /// Somebody has taken notice at this time of the expiry of a timer, which goes on if it has an interval. Whether it
    /// does.
    pub(crate) fn go_on(&mut self, number: u16, now: u64) -> bool {
        self.get(number).is_some_and(|timer| timer.timing.go_on(now))
    }

    /// The program waits or asks for these signals.
    pub(super) fn note_expected(&mut self, signals: u64) {
        self.expected |= signals;
    }

    /// A timer that sends this signal does not expire.
    pub(super) fn note_unexpected(&mut self, signal: u8) {
        self.unexpected |= SignalOperation::bit(signal);
    }

    /// The signals of timers that do not expire.
    pub(super) fn unexpected(&self) -> u64 {
        self.unexpected
    }

    /// The signals of timers that do not expire although the program expects these signals.
    pub(super) fn expected_after_all(&self) -> u64 {
        self.expected & self.unexpected
    }

    /// A thread that is the expiry of a timer begins.
    pub(crate) fn note_thread(&mut self, thread: ThreadId) {
        self.threads.insert(thread);
    }

    /// Whether a thread is the expiry of a timer, and not one of the program's.
    pub(crate) fn is_expiry(&self, thread: ThreadId) -> bool {
        self.threads.contains(thread)
    }
}

impl RunData for Timers {
    type Saved = Timers;
    type Left = ();

    fn begin(&mut self, _run: &Run) {
        self.timers.clear();
        self.of_process = None;
        self.threads = ThreadSet::default();
        (self.expected, self.unexpected) = (0, 0);
    }

    fn save(&mut self, _run: &Run, saved: &mut Timers) -> bool {
        saved.clone_from(self);
        true
    }

    fn restore(&mut self, _run: &Run, saved: &Timers) {
        self.clone_from(saved);
    }

    fn leave(&mut self) {}

    fn adopt(&mut self, (): ()) {}
}
