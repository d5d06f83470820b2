//! Checkpoints: long runs are not made from their start when the run before went the same way.
//!
//! While a run goes on, a checkpoint is taken every so many visible operations. The next plan mostly shares a long
//! prefix with the run before; then it goes on from the deepest checkpoint in that prefix. So the checkpoints kept are
//! always moments of the last run, in order, and the engine's own records of it need only be cut back. The search knows
//! nothing of it: a run that was resumed leaves the same record as one that was made from the start.
//!
//! A checkpoint is taken where the running thread has handed its next operation to the scheduler, and before the
//! scheduler has seen it: the thread then waits on the service stack, of which the checkpoint keeps the part in use.

use super::spin::SavedLoops;
use super::state::{self, CONTEXTS, HOME, LAST_SITE, ThreadState, with};
use super::memory::Memory;
use crate::hooks::recent;
use crate::model::key;
use crate::platform::checkpoint::Checkpoint;
use crate::platform::fiber::{self, Context};
use crate::platform::layout::SERVICE_STACK;
use crate::platform::{Global, watchdog};
use alloc::vec::Vec;
use inspect_core::event::{Plan, SiteId};
use inspect_core::{detect, run};
use inspect_wire::message::Values;

/// No checkpoint is due in this run.
pub(super) const NEVER: u32 = u32::MAX;
/// The most checkpoints kept; more than that, and every other one is given up.
const MOST: usize = 64;
/// The most memory they may take.
const MOST_BYTES: usize = 256 << 20;

/// The checkpoints of the last run.
pub(super) struct Checkpoints {
    /// Visible operations between two; 0 for none.
    every: u32,
    kept: Vec<Kept>,
}

/// One moment of the last run.
struct Kept {
    run: run::Saved,
    observer: detect::Saved,
    memory: Checkpoint,
    /// Where the running thread waits, and the part of the service stack from there on.
    waiting: Context,
    service: Vec<u8>,
    contexts: Vec<Context>,
    attention: Vec<u8>,
    threads: Vec<ThreadState>,
    loops: SavedLoops,
    seen: Memory,
    keys: Vec<u64>,
    values: Vec<Values>,
    something_destroyed: bool,
    last_site: SiteId,
}

static WAITING: Global<Context> = Global::new(Context::EMPTY);
static PAUSED: Global<bool> = Global::new(false);

/// Lets the engine take a checkpoint of this moment. On the service stack; returns in each run that goes on from here.
#[cold]
#[inline(never)]
pub(super) fn pause() {
    PAUSED.write(true);
    WAITING.write(fiber::own_context());
    // SAFETY: the engine waits at its context, and comes back to this one, now or after it has brought back the stack.
    unsafe { fiber::switch(WAITING.as_ptr(), HOME.as_ptr()) };
}

/// Whether the run has come to a pause and not to its end.
pub(super) fn paused() -> bool {
    let paused = PAUSED.read();
    PAUSED.write(false);
    paused
}

/// Where a paused or resumed run goes on.
pub(super) fn waiting() -> *const Context {
    WAITING.as_ptr()
}

impl Checkpoints {
    pub(super) fn new(every: u32) -> Self {
        Checkpoints { every, kept: Vec::new() }
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// The next run has nothing to do with the last one.
    pub(super) fn forget(&mut self) {
        if !self.kept.is_empty() {
            self.kept.clear();
            with(|engine| engine.observer.forget_saved());
        }
    }

    /// A run begins or goes on: when the next checkpoint is due.
    pub(super) fn schedule(&self) {
        let last = self.kept.last().map_or(0, |kept| kept.run.events() as u32);
        let due = if self.every == 0 { NEVER } else { last.saturating_add(self.every) };
        with(|engine| engine.checkpoint_at = due);
    }

    /// Takes a checkpoint of the run that has come to a pause, if its state can be held.
    pub(super) fn take(&mut self) {
        match self.state() {
            Some(kept) => {
                self.kept.push(kept);
                self.thin_out();
                self.schedule();
            }
            None => with(|engine| engine.checkpoint_at = NEVER),
        }
    }

    fn state(&self) -> Option<Kept> {
        // Loops that watch several locations are rare, and their locations go by other names in the trace.
        if with(|engine| !engine.groups.is_empty()) {
            return None;
        }
        let memory = Checkpoint::take()?;
        let waiting = WAITING.read();
        let len = (SERVICE_STACK.end - waiting.stack) as usize;
        // SAFETY: the running thread's part of the service stack, where it waits.
        let service = unsafe { core::slice::from_raw_parts(waiting.stack as *const u8, len) }.to_vec();
        let keys = key::save();
        with(|engine| {
            let used = engine.run.paths().len();
            // SAFETY: no fiber runs, so nobody else uses the table.
            let contexts = unsafe { CONTEXTS.get() }[..used].to_vec();
            Some(Kept {
                run: engine.run.save(),
                observer: engine.observer.save()?,
                memory,
                waiting,
                service,
                contexts,
                attention: state::all_attention(used),
                threads: engine.threads[..used].to_vec(),
                loops: engine.loops.save(used),
                seen: engine.memory.clone(),
                keys,
                values: engine.values.clone(),
                something_destroyed: engine.something_destroyed,
                last_site: LAST_SITE.read(),
            })
        })
    }

    /// Gives up every other checkpoint if they are too many or too large, and takes fewer from now on.
    fn thin_out(&mut self) {
        let bytes: usize = self.kept.iter().map(|kept| kept.memory.size()).sum();
        if self.kept.len() <= MOST && bytes <= MOST_BYTES {
            return;
        }
        let mut position = 0;
        self.kept.retain(|_| {
            position += 1;
            position % 2 == 0
        });
        self.every = self.every.saturating_mul(2);
    }

    /// Brings back the deepest checkpoint that `plan` goes through. False if there is none: then the run has to begin.
    /// The record of the last run is still in place.
    pub(super) fn resume(&mut self, plan: &Plan) -> bool {
        if self.kept.is_empty() {
            return false;
        }
        let shared = with(|engine| {
            let steps = plan.steps.iter().zip(engine.run.events());
            steps.take_while(|(step, event)| step.thread == event.thread && step.choice == event.choice).count()
        });
        let usable = |kept: &Kept| kept.run.events() <= shared && kept.run.events() < plan.steps.len();
        let count = self.kept.partition_point(usable);
        self.kept.truncate(count.max(1));
        let resumed = count > 0 && self.kept.last().is_some_and(|kept| kept.bring_back(plan));
        if !resumed {
            self.forget();
        }
        resumed
    }
}

impl Kept {
    fn bring_back(&self, plan: &Plan) -> bool {
        if !with(|engine| engine.observer.resume(&self.observer)) {
            return false;
        }
        self.memory.restore();
        let waiting = self.waiting.stack as *mut u8;
        // SAFETY: nobody is on the service stack, and this part of it has the size it had when it was copied.
        unsafe { core::ptr::copy_nonoverlapping(self.service.as_ptr(), waiting, self.service.len()) };
        WAITING.write(self.waiting);
        let used = self.contexts.len();
        // SAFETY: no fiber runs, so nobody else uses the table.
        let contexts = unsafe { CONTEXTS.get() };
        contexts[..used].copy_from_slice(&self.contexts);
        with(|engine| {
            engine.run.resume(&self.run, plan);
            engine.reset();
            engine.threads[..used].copy_from_slice(&self.threads);
            engine.loops.load(&self.loops);
            engine.memory = self.seen.clone();
            engine.values.clone_from(&self.values);
            engine.something_destroyed = self.something_destroyed;
        });
        state::set_all_attention(&self.attention);
        key::load(&self.keys);
        LAST_SITE.write(self.last_site);
        recent::forget();
        watchdog::note_progress();
        true
    }
}
