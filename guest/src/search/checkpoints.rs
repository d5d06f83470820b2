//! Checkpoints: a run does not execute again what its plan shares with the run before.
//!
//! The next plan mostly shares a long prefix with the run before; then it goes on from the deepest checkpoint in that
//! prefix. So the checkpoints held are always moments of the last run, in order, and the engine's own data of it need
//! only be cut back. Explorers know nothing of it: a run that was resumed leaves the same trace as one that was made
//! from the start.
//!
//! Checkpoints are taken where the plan says that later plans leave it ([`Plan::forks`]). So each is used, and all
//! plans that branch off a run together execute that run's events once more, not each of them. Beside that, long runs
//! have one every so many operations.

use crate::engine::state::{NEVER, SavedEngine, with};
use crate::platform::checkpoint::MemoryCheckpoint;
use crate::platform::{snapshot, watchdog};
use alloc::vec::Vec;
use inspect_core::event::{Event, Plan};

/// How many checkpoints are held at most; if there are more, every other one is dropped.
const MOST: usize = 256;
/// The most memory they may take.
const MOST_BYTES: usize = 64 << 20;
/// The most pages that one of them may hold.
const MOST_PAGES: usize = 4096;

/// The checkpoints of the last run.
pub(super) struct Checkpoints {
    /// Visible operations between two; 0 for none.
    every: u32,
    /// The factor by which the distances between checkpoints have grown, so that there are not too many.
    apart: u32,
    /// In the order of their moments. The first `count` are in use; the others are memory for later ones.
    moments: Vec<Moment>,
    count: usize,
    /// Moments at which later plans leave the present one, the last one first.
    due: Vec<u32>,
}

/// A checkpoint of the last run: the program's memory, and the engine's data.
#[derive(Default)]
struct Moment {
    memory: MemoryCheckpoint,
    engine: SavedEngine,
}

/// Whether the event's thread runs no code after the event, as it has ended or its next operation is known: no thread
/// arrives at an operation between this event and the next one.
fn rests(event: &Event) -> bool {
    event.operation.rests()
}

impl Checkpoints {
    /// No checkpoints; one is to be taken after at most `every` visible operations, or none at all if `every` is 0.
    pub(super) fn new(every: u32) -> Self {
        Checkpoints { every, apart: 1, moments: Vec::new(), count: 0, due: Vec::new() }
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Drops all checkpoints: the next run has nothing to do with the last one.
    pub(super) fn forget(&mut self) {
        if self.count != 0 {
            self.count = 0;
            with(|engine| engine.observer.forget_saved());
        }
    }

    /// How many events the run had at the last of its checkpoints; 0 if there is none. Right after
    /// [`resume`](Self::resume), the run goes on from there.
    pub(super) fn resumed_at(&self) -> u32 {
        self.moments[..self.count].last().map_or(0, |moment| moment.engine.events() as u32)
    }

    /// The number of operations that take as long to execute again as a checkpoint takes.
    fn gap(&self) -> u32 {
        // Measured (docs/performance.md): smaller distances gain nothing, 3 + pages / 4 is up to 4 % slower.
        (2 + snapshot::hot_pages() as u32 / 8).min(self.every) * self.apart
    }

    /// A run begins or goes on: decides when the next checkpoint is due.
    pub(super) fn schedule(&mut self) {
        if self.every == 0 {
            return;
        }
        let last = self.resumed_at();
        let (first, latest) = (last + self.gap(), last.saturating_add(self.every.saturating_mul(self.apart)));
        while self.due.last().is_some_and(|&due| due < first) {
            self.due.pop();
        }
        let due = self.due.last().map_or(latest, |&due| due.min(latest));
        with(|engine| *engine.checkpoint_at = due);
    }

    /// Takes a checkpoint of the run that has come to a pause, if its state can be held.
    pub(super) fn take(&mut self) {
        if self.count == self.moments.len() {
            self.moments.push(Moment::default());
        }
        if self.moments[self.count].take() {
            self.count += 1;
            self.thin_out();
            self.schedule();
        } else {
            with(|engine| *engine.checkpoint_at = NEVER);
        }
    }

    /// Drops every other checkpoint if they are too many or too large, and takes fewer from now on.
    fn thin_out(&mut self) {
        let bytes: usize = self.moments[..self.count].iter().map(|moment| moment.memory.size()).sum();
        if self.count <= MOST && bytes <= MOST_BYTES {
            return;
        }
        for at in (0..self.count / 2).map(|half| half * 2 + 1) {
            self.moments.swap(at / 2, at);
        }
        self.count /= 2;
        self.moments.truncate(self.count);
        self.apart = self.apart.saturating_mul(2);
    }

    /// Brings back the deepest checkpoint that `plan` goes through. False if there is none: then the run has to begin.
    /// The trace of the last run is still in place.
    pub(super) fn resume(&mut self, plan: &Plan) -> bool {
        if self.every == 0 {
            return false;
        }
        let shared = with(|engine| {
            let events = engine.run.events();
            let steps = plan.steps.iter().zip(events);
            let shared = steps.take_while(|(step, event)| step.thread == event.thread && step.choice == event.choice);
            let shared = shared.count();
            self.due.clear();
            for &fork in plan.forks.iter().filter(|&&fork| fork as usize <= shared) {
                // A checkpoint needs a thread that arrives, and none does after such events: it comes before them.
                let resting = events[..fork as usize].iter().rev().take_while(|event| rests(event)).count();
                self.due.push(fork - resting as u32);
            }
            shared
        });
        let usable = |moment: &Moment| moment.engine.events() <= shared && moment.engine.events() < plan.steps.len();
        let count = self.moments[..self.count].partition_point(usable);
        let resumed = count > 0 && self.moments[count - 1].bring_back(plan);
        if resumed {
            self.count = count;
        } else {
            self.forget();
        }
        resumed
    }
}

impl Moment {
    /// Takes the checkpoint; false if this moment cannot be held.
    fn take(&mut self) -> bool {
        if snapshot::hot_pages() > MOST_PAGES || !MemoryCheckpoint::is_possible() {
            return false;
        }
        // Before memory is copied: the engine clears a flag of the program's.
        let held = with(|engine| engine.save(&mut self.engine));
        if held {
            self.memory.take();
        }
        held
    }

    fn bring_back(&self, plan: &Plan) -> bool {
        if !with(|engine| engine.restore(&self.engine, plan)) {
            return false;
        }
        self.memory.restore();
        watchdog::note_progress();
        true
    }
}
