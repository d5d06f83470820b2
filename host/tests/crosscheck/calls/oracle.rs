//! All that a program of calls can end with, from a small model of what Linux does, which knows nothing of the engine:
//! every order of the steps of its threads and timers.
//!
//! There are two of these models. In the *strict* one each call is as few steps as Linux makes of it, and a handler
//! runs only where Inspect says that it looks (S20): a search must find all of that. In the *loose* one a thread looks
//! for what is pending for itself and for the process in two steps, and a handler runs at any time: a search must find
//! nothing else.

pub(super) use super::cancellation::cancelled;
use super::errors::{EAGAIN, EBADF, ENXIO, EPIPE, ETIMEDOUT};
use super::program::{Patience, Program, Setting, Signals, Statement, Target, Topic};
use super::state::{Item, OF_PROCESS, Own, State, TIMERS};
use super::timers::{post, timer};
use std::collections::{BTreeSet, HashSet};

/// More states than this are too many for a test.
const MAX_STATES: usize = 400_000;

/// The end of a file, as it is noted.
const END: u64 = 30;

/// Phases of statements: the signal was sent; the thread has looked for its own signals.
const SENT: u8 = 4;
const LOOKED: u8 = 5;

/// What is in memory at the end, and whether some thread never comes to its end.
pub(super) type Outcome = (Vec<u64>, bool);

/// All that the program can end with; None if it has too many states.
pub(super) fn outcomes(program: &Program, loose: bool) -> Option<BTreeSet<Outcome>> {
    let oracle = Oracle { program, loose };
    let first = State::first(program);
    let (mut seen, mut left) = (HashSet::from([first.clone()]), vec![first]);
    let mut outcomes = BTreeSet::new();
    while let Some(state) = left.pop() {
        let next = oracle.all_steps(&state);
        if next.is_empty() {
            // The process ends when main has ended, or a signal has ended it, and no other thread can go on.
            let is_over = oracle.has_ended(&state, 0) || state.crashed.contains(&true);
            // A run in which a handler could go on counts for nothing: others show what comes of it.
            if is_over || !oracle.is_interrupted(&state) {
                outcomes.insert((contents(&state), !is_over));
            }
            continue;
        }
        left.extend(next.into_iter().filter(|state| seen.insert(state.clone())));
        if seen.len() > MAX_STATES {
            return None;
        }
    }
    Some(outcomes)
}

fn contents(state: &State) -> Vec<u64> {
    let small = |value: &u8| u64::from(*value);
    state.noted.iter().copied().chain(state.atomics.iter().map(small)).chain(state.handled.iter().map(small)).collect()
}

/// One of the two models of a program.
pub(super) struct Oracle<'a> {
    pub(super) program: &'a Program,
    pub(super) loose: bool,
}

impl Oracle<'_> {
    fn all_steps(&self, state: &State) -> Vec<State> {
        let threads = 0..self.program.threads.len();
        let mut next: Vec<State> = threads.clone().flat_map(|thread| self.steps(state, thread)).collect();
        if self.loose {
            next.extend(threads.flat_map(|thread| self.interruptions(state, thread)));
        }
        next.extend((0..TIMERS as u8).filter_map(|timer| state.expire(timer)));
        next.extend(post(state));
        next
    }

    /// How many statements a thread has. Main's have a join of each other thread behind them; where handlers may run at
    /// any time, all have an end behind them, and so have threads that can be cancelled or leave something behind.
    fn len(&self, thread: usize) -> usize {
        let joins = if thread == 0 { self.program.threads.len() - 1 } else { 0 };
        let end = match self.program.topic {
            Topic::Handlers => self.loose,
            Topic::Cancellation | Topic::Sync => thread > 0,
            _ => false,
        };
        self.program.threads[thread].len() + joins + usize::from(end)
    }

    pub(super) fn has_ended(&self, state: &State, thread: usize) -> bool {
        state.cancelled[thread] || state.frames[thread].is_empty() && usize::from(state.at[thread]) == self.len(thread)
    }

    fn steps(&self, state: &State, thread: usize) -> Vec<State> {
        if self.has_ended(state, thread) || state.crashed[thread] {
            return Vec::new();
        }
        let at = usize::from(state.at[thread]);
        let body = &self.program.threads[thread];
        if !state.frames[thread].is_empty() {
            return self.handler(state, thread);
        }
        if !self.loose && self.has_handlers() && state.phase[thread] == 0 {
            return self.look(state, thread, body.get(at).copied());
        }
        match body.get(at) {
            Some(statement) => self.statement(state, thread, *statement),
            None if thread == 0 && at - body.len() < self.program.threads.len() - 1 => {
                self.join(state, self.program.threads.len() - 1 - (at - body.len()))
            }
            None => self.end(state, thread),
        }
    }

    fn join(&self, state: &State, other: usize) -> Vec<State> {
        let next = state.clone();
        if state.over[other] {
            return vec![next.next(0)];
        }
        if !self.has_ended(state, other) {
            return Vec::new();
        }
        match self.program.topic {
            Topic::Cancellation => vec![next.noting(0, 1 + u64::from(state.cancelled[other]))],
            _ => vec![next.next(0)],
        }
    }

    fn statement(&self, state: &State, thread: usize, statement: Statement) -> Vec<State> {
        if let Some(next) = self.at_any_time(state, thread) {
            return next;
        }
        match statement {
            Statement::Condition(call) => self.condition(state, thread, call),
            Statement::Sync(call) => self.sync(state, thread, call),
            Statement::Cancellable(_) | Statement::Asynchronous(_) => self.settings(state, thread, statement),
            Statement::Join => self.join_early(state, thread),
            Statement::WritePipe(_) | Statement::ReadPipe if self.program.topic == Topic::Cancellation => {
                self.wait_or_cancel(state, thread, &|state| self.pipe(state, thread, statement).pop())
            }
            Statement::Sleep if self.has_handlers() => vec![state.clone().noting(thread, 1)],
            Statement::PollSignals(waits) | Statement::WatchSignals(waits) => self.poll_signals(state, thread, waits),
            Statement::TestCancel | Statement::Sleep => {
                vec![cancelled(state, thread).unwrap_or_else(|| state.clone().next(thread))]
            }
            Statement::Acquire => self.wait_or_cancel(state, thread, &|state| {
                let mut next = state.clone();
                next.units = next.units.checked_sub(1)?;
                Some(next.noting(thread, 1))
            }),
            Statement::Wait(..) | Statement::ReadSignal(_) | Statement::Pending | Statement::Send(..) => {
                self.signal(state, thread, statement)
            }
            Statement::Block(_) | Statement::Unblock(_) | Statement::Suspend(_) => self.mask(state, thread, statement),
            Statement::OpenFifo(..) | Statement::WriteFifo(_) | Statement::ReadFifo | Statement::CloseFifo => {
                self.fifo(state, thread, statement)
            }
            Statement::WriteCounter(_) | Statement::ReadCounter => self.counter(state, thread, statement),
            Statement::WritePipe(_) | Statement::ReadPipe | Statement::ClosePipe(_) | Statement::Poll => {
                self.pipe(state, thread, statement)
            }
            _ => self.other(state, thread, statement),
        }
    }

    /// Timers, and statements that never wait and come to one end.
    fn other(&self, state: &State, thread: usize, statement: Statement) -> Vec<State> {
        match statement {
            Statement::Alarm(on) => {
                let setting = if on { Setting::Once } else { Setting::Off };
                timer(state, thread, Statement::SetAlarm(setting))
            }
            Statement::SetAlarm(_)
            | Statement::AskAlarm
            | Statement::SetTimer(..)
            | Statement::AskTimer(_)
            | Statement::Overrun(_) => timer(state, thread, statement),
            Statement::SetClock(_) | Statement::AskClock | Statement::ReadClock | Statement::PollClock(_) => {
                self.clock(state, thread, statement)
            }
            _ => vec![simple(state, thread, statement)],
        }
    }

    fn signal(&self, state: &State, thread: usize, statement: Statement) -> Vec<State> {
        let mut next = state.clone();
        match statement {
            Statement::Send(..) if state.phase[thread] == SENT => {
                vec![self.interrupted(state, thread).unwrap_or(next).next(thread)]
            }
            Statement::Send(target, signal, value) => {
                let place = match target {
                    Target::Thread(other) => usize::from(other),
                    Target::Process => OF_PROCESS,
                };
                if place == OF_PROCESS || !self.has_ended(state, place) {
                    next.send(place, Item { signal, value: value.unwrap_or(0), timer: None });
                }
                // The thread takes the signal before the call returns, if nobody else has taken it.
                let is_own = place == OF_PROCESS || place == thread;
                let takes = !self.loose && is_own && state.blocked[thread] >> signal & 1 == 0;
                vec![if takes { next.in_phase(thread, SENT) } else { next.next(thread) }]
            }
            Statement::Pending => self.ask(state, thread),
            Statement::Wait(Patience::Forever, signals) => {
                let wait = |state: &State| self.take(state, thread, signals, false, true);
                if self.program.topic == Topic::Cancellation {
                    return self.wait_or_cancel(state, thread, &|state| wait(state).pop());
                }
                wait(state)
            }
            Statement::Wait(patience, signals) => {
                self.take(state, thread, signals, true, patience == Patience::Informed)
            }
            Statement::ReadSignal(which) => {
                self.take(state, thread, self.program.sets[usize::from(which)], true, !self.program.nonblocking)
            }
            other => unreachable!("{other:?}"),
        }
    }

    /// Which signals are pending.
    fn ask(&self, state: &State, thread: usize) -> Vec<State> {
        let [own, of_process] = [thread, OF_PROCESS].map(|place| state.signals(place) & state.blocked[thread]);
        let mut next = state.clone();
        if self.loose && state.phase[thread] < LOOKED {
            next.kept[thread] = own;
            return vec![next.in_phase(thread, LOOKED)];
        }
        let own = if self.loose { state.kept[thread] } else { own };
        vec![next.noting(thread, 1 + u64::from(own | of_process))]
    }

    /// Which descriptors of signals are ready for who asks.
    fn poll_signals(&self, state: &State, thread: usize, waits: bool) -> Vec<State> {
        let pending = state.signals(thread) | state.signals(OF_PROCESS);
        let ready = |which: usize| u64::from(pending & self.program.sets[which] != 0);
        match ready(0) + 2 * ready(1) {
            0 if waits => Vec::new(),
            ready => vec![state.clone().noting(thread, 1 + ready)],
        }
    }

    /// Takes one of these signals, with its value if that is told: what is pending for the thread first.
    fn take(&self, state: &State, thread: usize, signals: Signals, valued: bool, waits: bool) -> Vec<State> {
        let mut next = state.clone();
        let code = |item: Item| 1 + u64::from(item.signal) + if valued { 8 * u64::from(item.value) } else { 0 };
        let own = if state.phase[thread] < LOOKED { next.take(thread, signals) } else { None };
        if self.loose && own.is_none() && state.phase[thread] < LOOKED {
            return vec![next.in_phase(thread, LOOKED)];
        }
        match own.or_else(|| next.take(OF_PROCESS, signals)) {
            Some(item) => vec![next.noting(thread, code(item))],
            None if !waits => vec![next.noting(thread, EAGAIN)],
            None if self.loose && state.signals(thread) & signals != 0 => vec![next.in_phase(thread, 1)],
            None => Vec::new(),
        }
    }

    fn counter(&self, state: &State, thread: usize, statement: Statement) -> Vec<State> {
        let mut next = state.clone();
        match statement {
            Statement::WriteCounter(value) => {
                next.count += value;
                vec![next.noting(thread, 1)]
            }
            _ if state.count > 0 => {
                let amount = if self.program.one_by_one { 1 } else { state.count };
                next.count -= amount;
                vec![next.noting(thread, 1 + u64::from(amount))]
            }
            _ if self.program.nonblocking => vec![next.noting(thread, EAGAIN)],
            _ => Vec::new(),
        }
    }

    /// Whether an end of the pipe is there: a call that has begun keeps it.
    fn has_end(&self, state: &State, writes: bool) -> bool {
        let uses = |thread: usize| {
            let statement = self.program.threads[thread].get(usize::from(state.at[thread]));
            state.phase[thread] > 0
                && match statement {
                    Some(Statement::WritePipe(_)) => writes,
                    Some(Statement::ReadPipe) => !writes,
                    Some(Statement::ClosePipe(closes)) => *closes == writes,
                    _ => false,
                }
        };
        !state.closed[usize::from(writes)] || (0..self.program.threads.len()).any(uses)
    }

    fn pipe(&self, state: &State, thread: usize, statement: Statement) -> Vec<State> {
        let mut next = state.clone();
        match statement {
            // The number is free before the end is closed.
            Statement::ClosePipe(_) if state.phase[thread] > 0 => vec![next.noting(thread, 1)],
            Statement::ClosePipe(writes) => match std::mem::replace(&mut next.closed[usize::from(writes)], true) {
                true => vec![next.noting(thread, EBADF)],
                false => vec![next.in_phase(thread, 1)],
            },
            Statement::WritePipe(_) | Statement::ReadPipe if state.phase[thread] == 0 => {
                // What the number stands for.
                match state.closed[usize::from(statement != Statement::ReadPipe)] {
                    true => vec![next.noting(thread, EBADF)],
                    false => vec![next.in_phase(thread, 1)],
                }
            }
            Statement::WritePipe(_) if !self.has_end(state, false) => vec![next.noting(thread, EPIPE)],
            Statement::WritePipe(value) => {
                next.pipe.data.push(value);
                vec![next.noting(thread, 1)]
            }
            Statement::ReadPipe if !state.pipe.data.is_empty() => {
                let value = next.pipe.data.remove(0);
                vec![next.noting(thread, 1 + u64::from(value))]
            }
            Statement::ReadPipe if !self.has_end(state, true) => vec![next.noting(thread, END)],
            Statement::ReadPipe if self.program.nonblocking => vec![next.noting(thread, EAGAIN)],
            Statement::ReadPipe => Vec::new(),
            Statement::Poll => {
                let flag = |yes: bool, bit: u64| if yes { bit } else { 0 };
                let of_pipe = match state.closed[0] {
                    true => 8,
                    false => flag(!state.pipe.data.is_empty(), 2) + flag(!self.has_end(state, true), 4),
                };
                vec![next.noting(thread, 1 + flag(state.count > 0, 1) + of_pipe)]
            }
            other => unreachable!("{other:?}"),
        }
    }

    fn fifo(&self, state: &State, thread: usize, statement: Statement) -> Vec<State> {
        let mut next = state.clone();
        match (statement, state.own[thread]) {
            (Statement::OpenFifo(writes, try_only), _) => self.open(state, thread, writes, try_only),
            (Statement::CloseFifo, own) => {
                own.into_iter().for_each(|own| next.close(own.writes));
                next.own[thread] = None;
                vec![next.next(thread)]
            }
            (Statement::WriteFifo(_) | Statement::ReadFifo, None) => vec![next.noting(thread, EBADF)],
            (Statement::WriteFifo(_), _) if state.pipe.open[0] == 0 => vec![next.noting(thread, EPIPE)],
            (Statement::WriteFifo(value), _) => {
                next.pipe.data.push(value);
                vec![next.noting(thread, 1)]
            }
            (_, _) if !state.pipe.data.is_empty() => {
                let value = next.pipe.data.remove(0);
                vec![next.noting(thread, 1 + u64::from(value))]
            }
            (_, _) if state.pipe.open[1] == 0 => vec![next.noting(thread, END)],
            (_, Some(Own { nonblocking: true, .. })) => vec![next.noting(thread, EAGAIN)],
            (_, _) => Vec::new(),
        }
    }

    /// Opens an end of the pipe with a name, and waits until the other one was opened if nobody has it open.
    fn open(&self, state: &State, thread: usize, writes: bool, try_only: bool) -> Vec<State> {
        let mut next = state.clone();
        let (this, other) = (usize::from(writes), usize::from(!writes));
        if state.phase[thread] > 0 {
            let has_come = state.pipe.opened[other] != state.kept[thread];
            return if has_come { vec![next.noting(thread, 1)] } else { Vec::new() };
        }
        if writes && try_only && state.pipe.open[other] == 0 {
            return vec![next.noting(thread, ENXIO)];
        }
        next.pipe.open[this] += 1;
        next.pipe.opened[this] += 1;
        next.own[thread] = Some(Own { writes, nonblocking: try_only });
        if try_only || state.pipe.open[other] > 0 {
            return vec![next.noting(thread, 1)];
        }
        next.kept[thread] = state.pipe.opened[other];
        vec![next.in_phase(thread, 1)]
    }
}

/// A statement that never waits, and comes to one end.
fn simple(state: &State, thread: usize, statement: Statement) -> State {
    let mut next = state.clone();
    match statement {
        Statement::Add(variable) => next.atomics[variable as usize] += 1,
        Statement::Load(variable) => return next.noting(thread, 1 + u64::from(state.atomics[variable as usize])),
        Statement::AcquireSoon if state.units == 0 => return next.noting(thread, ETIMEDOUT),
        Statement::AcquireSoon => {
            next.units -= 1;
            return next.noting(thread, 1);
        }
        Statement::Post => next.units += 1,
        Statement::Cancel(other) => next.requested[other as usize] = true,
        other => unreachable!("{other:?}"),
    }
    next.next(thread)
}
