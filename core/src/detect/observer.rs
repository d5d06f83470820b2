//! The interface of the guest to all detectors of this crate.
//!
//! | call | when | cost |
//! |---|---|---|
//! | [`begin`](Observer::begin) | a run begins, before main's first step | constant |
//! | [`take_in`](Observer::take_in) | after each [`Run::next`], before a thread runs on, and after the last | 5 to 20 ns an event |
//! | [`plain`](Observer::plain) | before a plain access that is not an event | about 1 ns if the thread has made the same access in its present step, else about 5 ns a granule of 8 bytes |
//! | [`fence`](Observer::fence) | at a fence | a few ns |
//! | [`alloc`](Observer::alloc), [`free`](Observer::free) | at the call | about 5 ns a granule |
//! | [`end`](Observer::end) | the run is over | constant if the run has no finding, else about 100 ns a known finding |
//!
//! Calls are made in the order in which things happen. Accesses of the engine itself are not reported.

use super::collect::Collector;
use super::end::{interrupted, misuses, nonterminating, process_ends, stuck};
use super::finding::Finding;
use super::hygiene::{self, Balance};
use super::race::{self, Race, RaceDetector};
use super::shadow::Shadow;
use crate::event::{ByteRange, EndKind, Ending, Event, FindingKind, MemoryOrder, Place, SiteId, ThreadId};
use crate::run::Run;
use alloc::vec::Vec;

/// Watches one run after the other and reports each finding once.
#[derive(Debug)]
pub struct Observer<S> {
    race: RaceDetector<S>,
    balance: Balance,
    collector: Collector,
}

/// The observer in the middle of a run, to resume from.
#[derive(Clone, Debug, Default)]
pub struct SavedObserver {
    race: race::SavedDetector,
    balance: Balance,
}

impl<S: Shadow> Observer<S> {
    /// Saves the observer as it is; false if its shadow cannot be rolled back to this moment. Reuses the memory of
    /// `saved`.
    pub fn save(&mut self, saved: &mut SavedObserver) -> bool {
        saved.balance = self.balance;
        self.race.save(&mut saved.race)
    }

    /// Goes on from an earlier moment of the present run, or of the last run if that went through it. Findings reported
    /// since then are not reported again. False if that is not possible any more; then a run has to
    /// [`begin`](Self::begin) from its start.
    pub fn resume(&mut self, saved: &SavedObserver) -> bool {
        self.balance = saved.balance;
        self.race.resume(&saved.race)
    }

    /// Nothing that was saved will be resumed any more.
    pub fn forget_saved(&mut self) {
        self.race.forget_saved();
    }

    /// An observer before the first run, with an empty shadow.
    pub fn new(shadow: S) -> Self {
        Observer { race: RaceDetector::new(shadow), balance: Balance::default(), collector: Collector::default() }
    }

    /// A run begins.
    pub fn begin(&mut self) {
        self.race.begin();
        self.balance = Balance::default();
    }

    /// Takes in the events that are new since the last call; `events` are all events of the run so far
    /// ([`Run::events`]).
    #[inline]
    pub fn take_in(&mut self, events: &[Event]) {
        for event in &events[self.race.events() as usize..] {
            self.race.on_event(event);
            self.balance.on_event(event);
        }
    }

    /// `thread` is about to make a plain access that is not an event. Returns whether it races.
    #[inline]
    pub fn plain(&mut self, thread: ThreadId, range: ByteRange, write: bool, site: SiteId) -> bool {
        self.race.on_plain(thread, range, write, site)
    }

    /// `thread` uses the memory of a synchronisation object, or begins or ends the object's life (`write`). Returns
    /// whether that races: with plain accesses only, as what several threads do with an object is ordered by
    /// operations.
    #[inline]
    pub fn object(&mut self, thread: ThreadId, range: ByteRange, write: bool, site: SiteId) -> bool {
        self.race.on_object(thread, range, write, site)
    }

    /// `thread` leaves an object at which it was released. Returns whether that races.
    pub fn leaving(&mut self, thread: ThreadId, range: ByteRange, site: SiteId) -> bool {
        self.race.on_leaving(thread, range, site)
    }

    /// The object in this memory was destroyed, and so all that were released at it have left.
    pub fn all_have_left(&mut self, range: ByteRange) {
        self.race.forget_leavings(range);
    }

    /// From now on notes what [`unsettled`](Self::unsettled) asks for; plain accesses are operations in the `visible`
    /// ranges, `None`: everywhere. To be called before a run begins.
    pub fn note_granules(&mut self, visible: Option<Vec<ByteRange>>) {
        self.race.note_granules(visible);
    }

    /// A hash of what can still decide, after the events of a run so far, whether a later access races with an earlier
    /// one where plain accesses are operations; `events` are those of the run with real locations instead of aliases.
    pub fn unsettled(&mut self, run: &Run, events: &[Event]) -> u128 {
        self.take_in(events);
        let threads = || (0..run.paths().len()).map(ThreadId::at);
        let has = |thread: ThreadId| run.thread_info(thread);
        let running = threads().filter(|&thread| has(thread).exists && !has(thread).ended).collect();
        let joinable = threads().filter(|&thread| has(thread).exists && !(has(thread).ended && has(thread).joined));
        self.race.unsettled(running, joinable.collect(), &|event| run.enabled_by(event))
    }

    /// Whether an access to one of these bytes was made in this run.
    pub fn has_accessed(&mut self, range: ByteRange) -> bool {
        self.race.has_accessed(range)
    }

    /// `thread` executes a fence.
    pub fn fence(&mut self, thread: ThreadId, order: MemoryOrder) {
        self.race.on_fence(thread, order);
    }

    /// `thread` gets memory for a new use: a block of the heap, a stack, a mapping.
    pub fn alloc(&mut self, thread: ThreadId, range: ByteRange, site: SiteId) {
        self.race.on_alloc(thread, range, site);
    }

    /// `thread` frees or resizes a block. Returns whether that races.
    pub fn free(&mut self, thread: ThreadId, range: ByteRange, site: SiteId) -> bool {
        self.race.on_free(thread, range, site)
    }

    /// The races of this run so far, also those reported in earlier runs, for promoting their locations. Complete after
    /// [`end`](Self::end).
    pub fn races(&self) -> &[Race] {
        self.race.races()
    }

    /// Whether this run had more races than are kept: promoting those of [`races`](Self::races) is not enough.
    pub fn overflowed(&self) -> bool {
        self.race.overflowed()
    }

    /// The run is over. Adds its findings that were not reported before, the most important kinds first. A race
    /// reported with [`Witness::MemoryOrder`](super::Witness::MemoryOrder) is reported once more when a run shows it
    /// co-pending; its first two places are then the same.
    pub fn end(&mut self, run: &Run, out: &mut Vec<Finding>) {
        let trace = run.trace();
        self.take_in(&trace.events);
        if let Ending::Diverged(_) = trace.ending {
            return;
        }
        if !trace.pending.is_empty() {
            self.race.finish(trace, interrupted(run));
        }
        let clean_end = match trace.process_end() {
            None | Some((_, EndKind::Exit(0) | EndKind::LastThread)) => true,
            Some((_, EndKind::Exit(_) | EndKind::Abort | EndKind::AssertionFailed))
            | Some((_, EndKind::Signal(_) | EndKind::HeapError | EndKind::UncaughtException)) => false,
        };
        if !run.misuses().is_empty() {
            misuses(run, &mut self.collector, out);
        }
        if !clean_end || !trace.pending.is_empty() {
            process_ends(run, &mut self.collector, out);
            stuck(run, &mut self.collector, out);
        }
        for race in self.race.races() {
            self.collector.report_race(race, self.race.races(), run, out);
        }
        if !self.balance.is_even() {
            hygiene::look(run, &mut self.collector, out);
        }
    }

    /// Findings of later runs are reported even if they were reported before: for a search for the best run that shows
    /// one.
    pub fn forget_findings(&mut self) {
        self.collector.forget();
    }

    /// Counts a finding as reported that another process has reported for its run (fork mode).
    pub fn adopt(&mut self, finding: &Finding) {
        self.collector.adopt(finding);
    }

    /// `thread` has run for too long without a visible operation, and a second, longer run has confirmed it. Called
    /// instead of or after [`end`](Self::end).
    pub fn nonterminating(&mut self, run: &Run, thread: ThreadId, site: SiteId, out: &mut Vec<Finding>) {
        nonterminating(run, thread, site, &mut self.collector, out);
    }

    /// The run has lost a block of the heap, which `thread` has allocated. Called before or after [`end`](Self::end).
    pub fn leaked(&mut self, run: &Run, thread: ThreadId, site: SiteId, block: ByteRange, out: &mut Vec<Finding>) {
        self.collector.start().push(Place { thread, site, operation: None });
        self.collector.report(FindingKind::Leak, Some(block), 0, run, out);
    }
}
