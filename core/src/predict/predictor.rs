//! Prediction from one run after the other.

use super::closure::Keeps;
use super::deadlock::{deadlocks, requests};
use super::memory::Memory;
use super::sync_preserving::{Accesses, races};
use super::{Needs, Prediction};
use alloc::vec::Vec;

/// Predicts from one run after the other, nothing twice.
#[derive(Debug)]
pub struct Predictor(Memory);

impl Default for Predictor {
    fn default() -> Self {
        Predictor::new()
    }
}

impl Predictor {
    /// Nothing is predicted yet.
    pub fn new() -> Self {
        Predictor(Memory::new(false))
    }

    /// A predictor whose analyses come to their end, however long that takes. For tests.
    pub fn unbounded() -> Self {
        Predictor(Memory::new(true))
    }

    /// What other orders of a run's events would show and was not predicted before. What is certain comes first, then
    /// what shows only if threads go the same way although they read something else.
    pub fn predict(&mut self, needs: &Needs<'_>) -> Vec<Prediction> {
        let mut all = Vec::new();
        let (accesses, requests) = (Accesses::of(needs), requests(needs));
        for keeps in [Keeps::All, Keeps::Sections, Keeps::Nothing] {
            let races = races(&accesses, needs, keeps, &mut self.0);
            let deadlocks = deadlocks(&requests, needs, keeps, &mut self.0);
            let found = races.into_iter().chain(deadlocks);
            all.extend(found.inspect(|prediction| self.0.note(prediction, needs, keeps)));
        }
        self.0.next_run();
        all
    }

    /// The races of a run in orders that keep what `keeps` says, one for each pair of source locations.
    pub fn races(&mut self, needs: &Needs<'_>, keeps: Keeps) -> Vec<Prediction> {
        races(&Accesses::of(needs), needs, keeps, &mut self.0)
    }

    /// The deadlocks of a run in orders that keep what `keeps` says, one for each set of source locations.
    pub fn deadlocks(&mut self, needs: &Needs<'_>, keeps: Keeps) -> Vec<Prediction> {
        deadlocks(&requests(needs), needs, keeps, &mut self.0)
    }
}
