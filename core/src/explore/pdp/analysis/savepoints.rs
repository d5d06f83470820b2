//! Going back and forth in a run: the tables as they were in earlier states.

use super::super::code::NumberedFacts;
use super::super::past::Savepoint as PastSavepoint;
use super::super::possible::NotFree;
use super::{AnalysedThread, RunAnalysis};
use crate::event::{ThreadId, Trace};

/// The sizes of the tables in a state.
#[derive(Clone, Copy, Debug)]
pub(super) struct Savepoint {
    past: PastSavepoint,
    clocks: u32,
    undo: usize,
    records: usize,
}

/// A change to take back: a thread as it was, or the clock with which a mutex was last unlocked before.
#[derive(Clone, Copy, Debug)]
pub(super) enum Undo {
    Thread(ThreadId, AnalysedThread),
    Released(u64, Option<u32>),
}

impl RunAnalysis {
    /// Goes back to the state after the first `known` events.
    pub(in super::super) fn rewind(&mut self, known: usize) {
        let Some(&savepoint) = self.savepoints.get(known) else { return };
        while self.undo.len() > savepoint.undo {
            match self.undo.pop() {
                Some(Undo::Thread(thread, old)) => self.threads[thread.index()] = old,
                Some(Undo::Released(mutex, Some(clock))) => _ = self.released.insert(mutex, clock),
                Some(Undo::Released(mutex, None)) => _ = self.released.remove(&mutex),
                None => {}
            }
        }
        self.past.rewind(savepoint.past);
        self.clocks.truncate(savepoint.clocks);
        self.records = savepoint.records;
        self.points.truncate(known);
        self.savepoints.truncate(known + 1);
    }

    /// Forgets the run that was analysed, and makes room for the clocks of `stride` threads.
    pub(super) fn begin_anew(&mut self, stride: usize) {
        self.past.rewind(PastSavepoint::default());
        self.savepoints.clear();
        self.points.clear();
        self.undo.clear();
        self.released.clear();
        self.records = 0;
        self.clocks.begin_anew(stride);
        self.threads.clear();
        self.threads.resize(stride, AnalysedThread::default());
    }

    /// Analyses the run up to the state before the event at `state`.
    pub(in super::super) fn go_to(&mut self, code: &NumberedFacts, trace: &Trace, state: usize) -> Result<(), NotFree> {
        self.rewind(state);
        self.after_state = false;
        while self.savepoints.len() <= state {
            let passed = self.savepoints.len();
            let went = self.pass(code, trace, passed);
            let savepoint = Savepoint {
                past: self.past.savepoint(),
                clocks: self.clocks.len(),
                undo: self.undo.len(),
                records: self.records,
            };
            self.savepoints.push(savepoint);
            if went.is_err() {
                match passed {
                    0 => self.begin_anew(self.clocks.stride()),
                    _ => self.rewind(passed - 1),
                }
                return went;
            }
        }
        Ok(())
    }

    /// Goes back to the state after [`follow_rest`](Self::follow_rest).
    pub(in super::super) fn return_to_state(&mut self) {
        let Some(savepoint) = self.savepoints.last() else { return };
        self.clocks.truncate(savepoint.clocks);
        self.records = savepoint.records;
        self.threads.clone_from(&self.at_state);
        self.after_state = false;
    }
}
