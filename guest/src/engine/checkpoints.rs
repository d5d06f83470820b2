//! Checkpoints: a run is not made from its start when the run before went the same way.
//!
//! The next plan mostly shares a long prefix with the run before; then it goes on from the deepest checkpoint in that
//! prefix. So the checkpoints kept are always moments of the last run, in order, and the engine's own records of it need
//! only be cut back. The search knows nothing of it: a run that was resumed leaves the same record as one that was made
//! from the start.
//!
//! Checkpoints are taken where the plan says that later plans leave it ([`Plan::forks`]): each is used, and the tree of
//! plans that branch off a run makes that run's end a second time only, not once for each of them. Beside that, long
//! runs have one every so many operations.
//!
//! A checkpoint is taken where the running thread has handed its next operation to the scheduler, and before the
//! scheduler has seen it: the thread then waits on the service stack, of which the checkpoint keeps the part in use.

use super::hash_cache;
use super::memory::Exchange;
use super::spin::SavedLoops;
use super::state::{self, CONTEXTS, HOME, LAST_SITE, ThreadState, with};
use super::states;
use super::time::Times;
use crate::hooks::recent;
use crate::model::key;
use crate::platform::checkpoint::Checkpoint;
use crate::platform::fiber::{self, Context};
use crate::platform::layout::SERVICE_STACK;
use crate::platform::{Global, snapshot, watchdog};
use alloc::vec::Vec;
use inspect_core::event::{Event, Plan, SiteId};
use inspect_core::{detect, run};
use inspect_wire::message::Values;

/// No checkpoint is due in this run.
pub(super) const NEVER: u32 = u32::MAX;
/// The most checkpoints kept; more than that, and every other one is given up.
const MOST: usize = 256;
/// The most memory they may take.
const MOST_BYTES: usize = 64 << 20;
/// The most pages that one of them may hold.
const MOST_PAGES: usize = 4096;

/// The checkpoints of the last run.
pub(super) struct Checkpoints {
    /// Visible operations between two; 0 for none.
    every: u32,
    /// How many times as far apart as at first they are to be, so that they do not become too many.
    apart: u32,
    /// In the order of their moments. The first `count` are in use; the others keep memory.
    kept: Vec<HashCache>,
    count: usize,
    /// Moments at which later plans leave the present one, the last one first.
    due: Vec<u32>,
}

/// One moment of the last run.
struct HashCache {
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
    exchanges: Vec<Exchange>,
    keys: Vec<u64>,
    values: Vec<Values>,
    something_destroyed: bool,
    times: Times,
    hashed: hash_cache::Moment,
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

/// Whether a thread that performs this has nothing to run: the next operation is taken without anybody arriving at one.
fn rests(event: &Event) -> bool {
    event.operation.rests()
}

impl Checkpoints {
    pub(super) fn new(every: u32) -> Self {
        Checkpoints { every, apart: 1, kept: Vec::new(), count: 0, due: Vec::new() }
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The next run has nothing to do with the last one.
    pub(super) fn forget(&mut self) {
        if self.count != 0 {
            self.count = 0;
            with(|engine| engine.observer.forget_saved());
        }
    }

    /// How many events the moment has from which the run just resumed goes on.
    pub(super) fn resumed_at(&self) -> u32 {
        self.kept[..self.count].last().map_or(0, |kept| kept.run.events() as u32)
    }

    /// Operations that cost as much to make again as a checkpoint that saves it.
    fn gap(&self) -> u32 {
        // An operation takes about 100 ns, copying a page 50 ns, and everything else 300 ns.
        (3 + snapshot::hot_pages() as u32 / 4).min(self.every) * self.apart
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
        with(|engine| engine.checkpoint_at = due);
    }

    /// Takes a checkpoint of the run that has come to a pause, if its state can be held.
    pub(super) fn take(&mut self) {
        if self.count == self.kept.len() {
            self.kept.push(HashCache::new());
        }
        if self.kept[self.count].take() {
            self.count += 1;
            self.thin_out();
            self.schedule();
        } else {
            with(|engine| engine.checkpoint_at = NEVER);
        }
    }

    /// Gives up every other checkpoint if they are too many or too large, and takes fewer from now on.
    fn thin_out(&mut self) {
        let bytes: usize = self.kept[..self.count].iter().map(|kept| kept.memory.size()).sum();
        if self.count <= MOST && bytes <= MOST_BYTES {
            return;
        }
        for at in (0..self.count / 2).map(|half| half * 2 + 1) {
            self.kept.swap(at / 2, at);
        }
        self.count /= 2;
        self.kept.truncate(self.count);
        self.apart = self.apart.saturating_mul(2);
    }

    /// Brings back the deepest checkpoint that `plan` goes through. False if there is none: then the run has to begin.
    /// The record of the last run is still in place.
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
                // Nobody arrives at an operation just after those at which threads rest.
                let resting = events[..fork as usize].iter().rev().take_while(|event| rests(event)).count();
                self.due.push(fork - resting as u32);
            }
            shared
        });
        let usable = |kept: &HashCache| kept.run.events() <= shared && kept.run.events() < plan.steps.len();
        let count = self.kept[..self.count].partition_point(usable);
        let resumed = count > 0 && self.kept[count - 1].bring_back(plan);
        if resumed {
            self.count = count;
        } else {
            self.forget();
        }
        resumed
    }
}

fn refill<T: Copy>(list: &mut Vec<T>, contents: &[T]) {
    list.clear();
    list.extend_from_slice(contents);
}

impl HashCache {
    fn new() -> HashCache {
        HashCache {
            run: run::Saved::default(),
            observer: detect::Saved::default(),
            memory: Checkpoint::new(),
            waiting: Context::EMPTY,
            service: Vec::new(),
            contexts: Vec::new(),
            attention: Vec::new(),
            threads: Vec::new(),
            loops: SavedLoops::default(),
            exchanges: Vec::new(),
            keys: Vec::new(),
            values: Vec::new(),
            something_destroyed: false,
            times: Times::default(),
            hashed: hash_cache::Moment::default(),
            last_site: SiteId(0),
        }
    }

    /// Takes the checkpoint; false if this moment cannot be held.
    fn take(&mut self) -> bool {
        // Loops that watch several locations are rare, and their locations go by other names in the trace.
        let groups = with(|engine| !engine.watch_sets.is_empty());
        with(|engine| states::save(engine, &mut self.hashed));
        if groups || snapshot::hot_pages() > MOST_PAGES || !self.memory.take() {
            return false;
        }
        self.waiting = WAITING.read();
        let len = (SERVICE_STACK.end - self.waiting.stack) as usize;
        // SAFETY: the running thread's part of the service stack, where it waits.
        refill(&mut self.service, unsafe { core::slice::from_raw_parts(self.waiting.stack as *const u8, len) });
        refill(&mut self.keys, key::table());
        self.last_site = LAST_SITE.read();
        with(|engine| {
            let used = engine.run.paths().len();
            // SAFETY: no fiber runs, so nobody else uses the table.
            refill(&mut self.contexts, &unsafe { CONTEXTS.get() }[..used]);
            refill(&mut self.attention, state::all_attention(used));
            refill(&mut self.threads, &engine.threads[..used]);
            refill(&mut self.exchanges, engine.memory.exchanges(used));
            refill(&mut self.values, &engine.values);
            engine.loops.save(used, &mut self.loops);
            self.something_destroyed = engine.something_destroyed;
            self.times.clone_from(&engine.times);
            engine.run.save(&mut self.run);
            engine.observer.save(&mut self.observer)
        })
    }

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
            engine.reset();
            engine.run.resume(&self.run, plan);
            states::resumed(engine, &self.hashed);
            engine.threads[..used].copy_from_slice(&self.threads);
            engine.loops.load(&self.loops);
            engine.memory.set_exchanges(&self.exchanges);
            refill(&mut engine.values, &self.values);
            engine.something_destroyed = self.something_destroyed;
            engine.times.clone_from(&self.times);
        });
        state::set_all_attention(&self.attention);
        key::load(&self.keys);
        LAST_SITE.write(self.last_site);
        recent::forget();
        watchdog::note_progress();
        true
    }
}
