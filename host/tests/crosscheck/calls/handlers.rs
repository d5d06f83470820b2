//! What of the model is about handlers of signals.

use super::errors::EINTR;
use super::oracle::Oracle;
use super::program::{Handling, Program, SIGNALS, Signal, Signals, Statement, Topic};
use super::state::{OF_PROCESS, State};

/// What has run in a thread as a call begins: nothing, handlers after which it goes on, one after which it may fail.
const INTERRUPTING: u8 = 1;

/// Phase of a thread that waits with another mask.
const RESTS: u8 = 2;

/// A handler that runs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Frame {
    signal: Signal,
    /// How far it has come.
    at: u8,
    /// The mask that its return sets.
    before: Signals,
}

/// What one such handler adds to the count of its thread.
pub(super) const COUNTS: [u8; 2] = [1, 16];

/// What main does before it creates threads.
pub(super) fn setup(program: &Program) -> String {
    let Handling { restarts, once, nests, masks, posts, quiet, two } = program.handling;
    let flag = |on: bool, name: &'static str| if on { name } else { "" };
    let flags = [(restarts, " | SA_RESTART"), (once, " | SA_RESETHAND"), (nests, " | SA_NODEFER")];
    let flags: String = flags.map(|(on, name)| flag(on, name)).concat();
    let mask = if masks { "sets[2]" } else { "sets[0]" };
    let mut text = format!("    posts = {};\n    quiet = {};\n", u8::from(posts), u8::from(quiet));
    let handled = if two { 2 } else { 1 };
    for signal in SIGNALS.iter().take(handled) {
        text += &format!(
            "    sigaction({signal}, &(struct sigaction){{.sa_handler = handler, .sa_flags = 0{flags}, .sa_mask = \
             {mask}}}, 0);\n"
        );
    }
    text
}

impl Oracle<'_> {
    /// Whether handlers run in the program.
    pub(super) fn has_handlers(&self) -> bool {
        self.program.topic == Topic::Handlers
    }

    /// Looks for signals, in front of a statement. The handler of one that is found runs; a wait may end behind it.
    pub(super) fn look(&self, state: &State, thread: usize, statement: Option<Statement>) -> Vec<State> {
        let may_fail = statement.is_some_and(|statement| self.may_be_interrupted(statement));
        match self.interrupted(state, thread) {
            Some(mut next) => {
                next.kept[thread] = INTERRUPTING;
                vec![next]
            }
            None => {
                let fails = may_fail && state.kept[thread] == INTERRUPTING;
                let mut goes_on = state.clone().in_phase(thread, 1);
                goes_on.kept[thread] = 0;
                let failed = fails.then(|| state.clone().noting(thread, EINTR));
                [goes_on].into_iter().chain(failed).collect()
            }
        }
    }

    /// Whether a handler that runs as the call begins can make it fail. A read is made again: that it fails is not
    /// explored.
    fn may_be_interrupted(&self, statement: Statement) -> bool {
        match statement {
            Statement::Acquire | Statement::AcquireSoon => !self.program.handling.restarts,
            Statement::Sleep => true,
            Statement::ReadPipe => self.loose && !self.program.handling.restarts,
            _ => false,
        }
    }

    /// Whether a handler could run in a thread that waits.
    pub(super) fn is_interrupted(&self, state: &State) -> bool {
        let waits = |thread: &usize| !self.has_ended(state, *thread) && !state.crashed[*thread];
        (0..self.program.threads.len()).filter(waits).any(|thread| self.interrupted(state, thread).is_some())
    }

    /// A handler begins, or the signal ends the process.
    pub(super) fn interrupted(&self, state: &State, thread: usize) -> Option<State> {
        let mut next = state.clone();
        let signals = !state.blocked[thread];
        let item = next.take(thread, signals).or_else(|| next.take(OF_PROCESS, signals))?;
        let (signal, bit) = (item.signal, 1 << item.signal);
        let handling = self.program.handling;
        if state.given_up & bit != 0 || usize::from(signal) >= if handling.two { 2 } else { 1 } {
            next.crashed[thread] = true;
            return Some(next);
        }
        if handling.once {
            next.given_up |= bit;
        }
        next.frames[thread].push(Frame { signal, at: 0, before: state.blocked[thread] });
        next.blocked[thread] |= if handling.nests { 0 } else { bit };
        next.blocked[thread] |= if handling.masks { 0b10 } else { 0 };
        Some(next)
    }

    /// The next step of the handler that runs in a thread: it looks for signals before each.
    pub(super) fn handler(&self, state: &State, thread: usize) -> Vec<State> {
        let mut next = state.clone();
        let frame = state.frames[thread].last().copied().expect("a handler runs");
        let steps = if self.program.handling.posts { 2 } else { 1 };
        if frame.at < 2 * steps
            && frame.at % 2 == 0
            && !self.loose
            && let Some(next) = self.interrupted(state, thread)
        {
            return vec![next];
        }
        match frame.at / 2 {
            _ if frame.at % 2 == 0 && frame.at < 2 * steps => {}
            0 => next.handled[thread] += COUNTS[usize::from(frame.signal)],
            1 if steps == 2 && frame.at < 4 => next.units += 1,
            _ => {
                next.frames[thread].pop();
                next.blocked[thread] = frame.before;
                return vec![next];
            }
        }
        if let Some(frame) = next.frames[thread].last_mut() {
            frame.at += 1;
        }
        vec![next]
    }

    /// A handler runs wherever the thread is.
    pub(super) fn interruptions(&self, state: &State, thread: usize) -> Vec<State> {
        if self.has_ended(state, thread) || state.crashed[thread] {
            return Vec::new();
        }
        let Some(next) = self.interrupted(state, thread) else { return Vec::new() };
        let statement = self.program.threads[thread].get(usize::from(state.at[thread]));
        let is_waiting = state.frames[thread].is_empty();
        if is_waiting && matches!(statement, Some(Statement::Suspend(_))) && state.phase[thread] == RESTS {
            return Vec::new();
        }
        match statement {
            Some(statement) if is_waiting && self.may_be_interrupted(*statement) => {
                vec![next.clone(), next.noting(thread, EINTR)]
            }
            _ => vec![next],
        }
    }

    /// Changes the mask of a thread, or waits with another one.
    pub(super) fn mask(&self, state: &State, thread: usize, statement: Statement) -> Vec<State> {
        let mut next = state.clone();
        match statement {
            Statement::Block(signals) => {
                // The signals are looked for before.
                if let Some(next) = self.interrupted(state, thread).filter(|_| !self.loose) {
                    return vec![next];
                }
                next.blocked[thread] |= signals;
                vec![next.next(thread)]
            }
            Statement::Unblock(signals) => {
                next.blocked[thread] &= !signals;
                if !self.loose
                    && let Some(next) = self.interrupted(&next, thread)
                {
                    return vec![next.next(thread)];
                }
                vec![next.next(thread)]
            }
            Statement::Suspend(signals) if state.phase[thread] < RESTS => {
                // The signals are looked for before that the mask of the wait blocks.
                if let Some(next) = self.interrupted(state, thread).filter(|_| !self.loose) {
                    return vec![next];
                }
                (next.kept[thread], next.blocked[thread]) = (state.blocked[thread], !signals);
                vec![next.in_phase(thread, RESTS)]
            }
            Statement::Suspend(_) => {
                let Some(mut next) = self.interrupted(state, thread) else { return Vec::new() };
                if let Some(frame) = next.frames[thread].last_mut() {
                    frame.before = state.kept[thread];
                }
                vec![next.next(thread)]
            }
            other => unreachable!("{other:?}"),
        }
    }
}
