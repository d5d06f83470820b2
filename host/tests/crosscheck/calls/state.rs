//! The state of a program of calls, as Linux keeps it.

use super::handlers::Frame;
use super::locks::Locks;
use super::program::{ATOMICS, Program, QUEUED, Setting, Signal, Signals, THREADS};
use super::sync::Objects;

/// A signal that is pending.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Item {
    pub(super) signal: Signal,
    pub(super) value: u8,
    /// The timer that has sent it.
    pub(super) timer: Option<u8>,
}

/// Timers that send signals, the one that begins threads, the alarm and the clock, by these numbers.
pub(super) const TIMERS: usize = 5;
pub(super) const OF_ALARM: u8 = 3;
pub(super) const OF_CLOCK: u8 = 4;

/// Places for what is pending: one for each thread, and one for the process.
pub(super) const OF_PROCESS: usize = THREADS;

/// A pipe, with a name or without.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Pipe {
    pub(super) data: Vec<u8>,
    /// How many have each end open; the one to write by is the second.
    pub(super) open: [u8; 2],
    /// How often each end was opened.
    pub(super) opened: [u8; 2],
}

/// What a thread has of the pipe with a name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Own {
    pub(super) writes: bool,
    pub(super) nonblocking: bool,
}

/// Between two steps. The default is where nothing has happened.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct State {
    /// The statement of each thread, and how far it has come with that.
    pub(super) at: [u8; THREADS],
    pub(super) phase: [u8; THREADS],
    /// What a thread keeps from one step of a statement to the next.
    pub(super) kept: [u8; THREADS],
    pub(super) noted: [u64; THREADS],
    pub(super) atomics: [u8; ATOMICS],
    /// How often handlers have run.
    pub(super) handled: [u8; THREADS],
    pub(super) pending: [Vec<Item>; THREADS + 1],
    pub(super) blocked: [Signals; THREADS],
    pub(super) units: u8,
    /// What timers are set to.
    pub(super) set: [Setting; TIMERS],
    /// Threads that a timer has begun, and that have not posted the semaphore.
    pub(super) begun: u8,
    /// Whether the clock has expired.
    pub(super) expired: bool,
    pub(super) count: u8,
    pub(super) pipe: Pipe,
    /// Whether the program has closed an end of the pipe.
    pub(super) closed: [bool; 2],
    pub(super) own: [Option<Own>; THREADS],
    pub(super) requested: [bool; THREADS],
    pub(super) uncancellable: [bool; THREADS],
    pub(super) asynchronous: [bool; THREADS],
    pub(super) cancelled: [bool; THREADS],
    /// Handlers that run, the innermost last; signals that have none any more, and who was ended by one.
    pub(super) frames: [Vec<Frame>; THREADS],
    pub(super) given_up: Signals,
    pub(super) crashed: [bool; THREADS],
    /// Which threads main is not to join any more.
    pub(super) over: [bool; THREADS],
    pub(super) locks: Locks,
    pub(super) objects: Objects,
    /// Whether somebody has the mutex, who waits for the condition variable, and what the mutex guards.
    pub(super) locked: bool,
    pub(super) waits: [bool; THREADS],
    pub(super) guarded: u8,
}

impl State {
    pub(super) fn first(program: &Program) -> State {
        let pipe = Pipe {
            open: if program.topic == super::program::Topic::Fifos { [0; 2] } else { [1; 2] },
            ..Pipe::default()
        };
        State { blocked: [0b1111; THREADS], units: program.units, count: program.count, pipe, ..State::default() }
    }

    pub(super) fn note(&mut self, thread: usize, code: u64) {
        self.noted[thread] = self.noted[thread].wrapping_mul(64).wrapping_add(code);
    }

    /// The statement is over.
    pub(super) fn next(mut self, thread: usize) -> State {
        self.at[thread] += 1;
        self.phase[thread] = 0;
        self.kept[thread] = 0;
        self
    }

    /// The statement is over with this code.
    pub(super) fn noting(mut self, thread: usize, code: u64) -> State {
        self.note(thread, code);
        self.next(thread)
    }

    /// The statement goes on.
    pub(super) fn in_phase(mut self, thread: usize, phase: u8) -> State {
        self.phase[thread] = phase;
        self
    }

    /// Adds a signal to what is pending somewhere. One that is not queued is there once, unless a timer sends it.
    pub(super) fn send(&mut self, place: usize, item: Item) {
        let there = |other: &Item| other.signal == item.signal;
        if item.signal == QUEUED || item.timer.is_some() || !self.pending[place].iter().any(there) {
            self.pending[place].push(item);
        }
    }

    /// The signals that are pending there.
    pub(super) fn signals(&self, place: usize) -> Signals {
        self.pending[place].iter().fold(0, |all, item| all | 1 << item.signal)
    }

    /// Takes the lowest of these signals out, the first that was sent.
    pub(super) fn take(&mut self, place: usize, signals: Signals) -> Option<Item> {
        let wanted = (self.signals(place) & signals).checked_trailing_zeros()?;
        let at = self.pending[place].iter().position(|item| item.signal == wanted)?;
        Some(self.pending[place].remove(at))
    }

    /// Closes an end of the pipe with a name, of which nothing is left when nobody has it open.
    pub(super) fn close(&mut self, writes: bool) {
        self.pipe.open[usize::from(writes)] -= 1;
        if self.pipe.open == [0; 2] {
            self.pipe = Pipe::default();
        }
    }
}

/// The number of the lowest bit.
trait LowestBit {
    fn checked_trailing_zeros(self) -> Option<Signal>;
}

impl LowestBit for Signals {
    fn checked_trailing_zeros(self) -> Option<Signal> {
        (self != 0).then(|| self.trailing_zeros() as Signal)
    }
}
