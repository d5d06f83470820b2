//! Determines which plain accesses need not be scheduling points in a search that compares states.
//!
//! Stefan Savage, Michael Burrows, Greg Nelson, Patrick Sobalvarro, Thomas Anderson: "Eraser: A Dynamic Data Race
//! Detector for Multithreaded Programs", ACM TOCS 15(4), 1997. Claim: if every location is accessed under a lock of its
//! own, no execution has a race on it, whatever the interleaving; so the order of such accesses need not be explored.
//!
//! A search without states finds races by happens-before, from the events of each run. A search that ends runs at
//! visited states does not make the rest of those runs. The criterion here does not depend on the path that
//! leads to an access: each access is stored with its [`Context`], which is determined by the state, and it is decided
//! from the contexts of two accesses whether they are ordered in every execution that has both ([`ordered`]). If two
//! conflicting accesses need not be ordered, their location is promoted (its accesses become operations), and the
//! search begins again.
//!
//! # Departures
//! - Contexts are compared in pairs instead of intersecting the locks of all accesses, and threads that create or join
//!   each other are ordered, so that initialisation and what comes after the end of the threads need no states of a
//!   location (Eraser's figure 4).
//! - Nothing is reported: a broken discipline is no race. Data whose ownership passes from thread to thread under a
//!   lock, by an atomic or by a semaphore breaks it, and its accesses are explored as operations.
//!
//! # Why nothing is missed
//! Take a shortest execution after which two threads are about to make conflicting accesses. No earlier accesses race,
//! so the search makes an equivalent execution up to there, or has visited its state, and from there each of the two
//! accesses is made in some run. Both are pending at once, so their contexts, which the state determines, do not order
//! them: the location is found, and from then on its accesses are operations, as all accesses are in the search that
//! [`Stateful`] describes.
//!
//! Where threads communicate by what C11 does not order, accesses may race that are never pending at once; states then
//! include what C11 orders ([`Observer::unsettled`](super::Observer::unsettled)). Take a shortest execution whose last
//! access races. The search makes both accesses in some runs, for the same reason. What [`ordered`] takes for ordered
//! happens before by C11: a release of a mutex before it is taken, a creation, a join. So the location is found.
//!
//! Invariant (contexts-are-state): two executions that reach equal states have equal contexts from there on. A state
//! includes which thread holds which mutex, how many threads each thread has created, and which threads it knows to
//! have ended ([`Run::knowledge`]).
//!
//! The holders of mutexes are those of the run at its present moment, and follow its events: to ask the run for all
//! that a thread holds would take time for each of its objects. The locksets of [`Stateful`] are of a path's positions,
//! and leave out mutexes that another thread has unlocked; here these are left out when contexts are compared
//! ([`Run::seized`]).
//!
//! [`Stateful`]: crate::explore::Stateful

use crate::event::{ByteRange, Event, HoldChange, MAX_THREADS, Object, ThreadId, ThreadSet};
use crate::run::Run;
use alloc::vec::Vec;
use hashbrown::HashTable;

/// The context of an access: what its thread holds, has created and knows to have ended.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Context {
    thread: ThreadId,
    /// How many threads it has created.
    creations: u32,
    /// The threads that it knows to have ended.
    over: ThreadSet,
    /// The mutexes that it holds, in ascending order.
    held: Vec<Object>,
    /// The context with one mutex more or less, by that mutex, as far as it was needed.
    toggled: Vec<(Object, ContextNumber)>,
}

/// Number of a context.
type ContextNumber = u32;

const UNKNOWN: ContextNumber = ContextNumber::MAX;

/// An access to some bytes of a granule.
#[derive(Clone, Copy, Debug)]
struct Seen {
    context: ContextNumber,
    bytes: u8,
    write: bool,
    /// It is an operation.
    visible: bool,
}

const NOTHING: Seen = Seen { context: UNKNOWN, bytes: 0, write: false, visible: true };

impl Seen {
    fn conflicts(&self, other: &Seen) -> bool {
        self.bytes & other.bytes != 0 && (self.write || other.write) && !(self.visible && other.visible)
    }

    /// Whether every access that breaks the discipline together with `other` also breaks it together with this one.
    fn includes(&self, other: &Seen) -> bool {
        self.context == other.context
            && other.bytes & !self.bytes == 0
            && (self.write || !other.write)
            && (!self.visible || other.visible)
    }
}

/// The accesses to a granule of 8 bytes in all runs so far.
#[derive(Debug)]
struct Place {
    granule: u64,
    seen: Vec<Seen>,
}

/// How many accesses are cached.
const LAST: usize = 256;

/// The place of an access in the cache. It depends on the context, so that threads that access a granule in turn do not
/// evict each other's accesses.
fn hand(granule: u64, context: ContextNumber) -> usize {
    granule.wrapping_add(u64::from(context) * 31) as usize % LAST
}

/// How the program's locations are accessed, in all runs so far.
#[derive(Debug)]
pub struct Discipline {
    contexts: Vec<Context>,
    places: HashTable<Place>,
    /// A cache of accesses that were stored, with their granules.
    last: [(u64, Seen); LAST],
    /// Each mutex that is held, with its holder and how many times that holds it.
    holders: Vec<(Object, ThreadId, u32)>,
    /// By thread: the number of its present context, or [`UNKNOWN`] if it was not needed since the context changed.
    present: [ContextNumber; MAX_THREADS],
    /// Events of the run taken in.
    events: usize,
    /// How many mutexes the run has found to protect nothing ([`Run::seized`]).
    seized: usize,
    found: Vec<ByteRange>,
    variant: Variant,
}

/// Which discipline it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Variant {
    /// The discipline described in the module's documentation.
    #[default]
    Sound,
    /// Seeded bug: accesses of different runs are not compared.
    Forgetful,
    /// Seeded bug: two accesses under different mutexes count as ordered.
    AnyMutex,
}

impl Default for Discipline {
    fn default() -> Self {
        Discipline {
            contexts: Vec::new(),
            places: HashTable::new(),
            last: [(u64::MAX, NOTHING); LAST],
            holders: Vec::new(),
            present: [UNKNOWN; MAX_THREADS],
            events: 0,
            seized: 0,
            found: Vec::new(),
            variant: Variant::Sound,
        }
    }
}

fn hash(granule: u64) -> u64 {
    granule.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(26)
}

impl Discipline {
    /// A discipline before the first access.
    pub fn new() -> Self {
        Discipline::default()
    }

    /// Forgets all accesses, for a search that begins now.
    pub fn begin_anew(&mut self) {
        *self = Discipline { seized: self.seized, variant: self.variant, ..Discipline::default() };
    }

    /// Seeded bug: accesses of different runs are not compared.
    #[cfg(feature = "model")]
    pub fn broken_forgetful() -> Self {
        Discipline { variant: Variant::Forgetful, ..Discipline::default() }
    }

    /// Seeded bug: two accesses under different mutexes count as ordered.
    #[cfg(feature = "model")]
    pub fn broken_about_mutexes() -> Self {
        Discipline { variant: Variant::AnyMutex, ..Discipline::default() }
    }

    /// A run begins, or goes on from an earlier moment.
    pub fn begin(&mut self, run: &Run) {
        if self.variant == Variant::Forgetful {
            self.places.clear();
            self.last = [(u64::MAX, NOTHING); LAST];
        }
        self.present = [UNKNOWN; MAX_THREADS];
        self.events = run.events().len();
        self.holders.clear();
        self.holders.extend(run.objects().filter_map(|(object, state)| Some((object, state.owner?, state.depth))));
    }

    /// Takes in the events that are new since the last call. To be called after each [`Run::next`], before a thread
    /// runs on. `events` are all events of the run so far, with real locations instead of aliases.
    pub fn take_in(&mut self, run: &Run, events: &[Event]) {
        for event in &events[self.events..] {
            if let Some((range, mode)) = event.operation.access() {
                self.note(run, event.thread, range, mode.writes(), true);
                continue;
            }
            match event.operation.hold() {
                Some((mutex, HoldChange::Takes)) => self.takes(event.thread, mutex),
                Some((mutex, HoldChange::Gives)) => self.gives(mutex, false),
                Some((mutex, HoldChange::Clears)) => self.gives(mutex, true),
                // The thread has created one more, or knows of more threads that have ended.
                None if event.operation.creates().is_some() || event.operation.joins().is_some() => {
                    self.present[event.thread.index()] = UNKNOWN;
                }
                None => {}
            }
        }
        self.events = events.len();
    }

    /// `thread` makes a plain access that is no operation.
    pub fn plain(&mut self, run: &Run, thread: ThreadId, range: ByteRange, write: bool) {
        self.note(run, thread, range, write, false);
    }

    /// The locations found since the last call whose accesses are to be operations.
    pub fn take_found(&mut self) -> Vec<ByteRange> {
        core::mem::take(&mut self.found)
    }

    /// Whether since the last call a mutex was found to protect nothing: accesses under it were wrongly taken for
    /// ordered.
    pub fn lost_a_mutex(&mut self, run: &Run) -> bool {
        let before = core::mem::replace(&mut self.seized, run.seized().len());
        before != self.seized
    }

    fn note(&mut self, run: &Run, thread: ThreadId, range: ByteRange, write: bool, visible: bool) {
        let context = self.context(run, thread);
        let mut start = range.start;
        while start < range.end() {
            let offset = start % 8;
            let len = (8 - offset).min(range.end() - start);
            let bytes = ((0xFF_u16 >> (8 - len)) << offset) as u8;
            if self.breaks(run, start / 8, Seen { context, bytes, write, visible }) {
                self.found.push(range);
                return;
            }
            start += len;
        }
    }

    /// `thread` takes a mutex, once more if it holds it.
    fn takes(&mut self, thread: ThreadId, mutex: Object) {
        if let Some((.., times)) = self.holders.iter_mut().find(|(other, ..)| *other == mutex) {
            *times += 1;
            return;
        }
        self.holders.push((mutex, thread, 1));
        self.toggle(thread, mutex);
    }

    /// A mutex is released, once or altogether.
    fn gives(&mut self, mutex: Object, altogether: bool) {
        let Some(at) = self.holders.iter().position(|(other, ..)| *other == mutex) else { return };
        let (_, holder, times) = &mut self.holders[at];
        *times -= 1;
        if altogether || *times == 0 {
            let holder = *holder;
            self.holders.swap_remove(at);
            self.toggle(holder, mutex);
        }
    }

    /// The thread holds one mutex more or less: its context changes.
    fn toggle(&mut self, thread: ThreadId, mutex: Object) {
        let present = self.present[thread.index()];
        if present == UNKNOWN {
            return;
        }
        let before = &self.contexts[present as usize];
        let known = before.toggled.iter().find(|(other, _)| *other == mutex);
        self.present[thread.index()] = known.map_or(UNKNOWN, |&(_, number)| number);
        if known.is_none() {
            let (creations, over) = (before.creations, before.over);
            let number = self.present_context(thread, creations, over);
            self.contexts[present as usize].toggled.push((mutex, number));
        }
    }

    fn context(&mut self, run: &Run, thread: ThreadId) -> ContextNumber {
        let known = self.present[thread.index()];
        if known != UNKNOWN {
            return known;
        }
        let (creations, over) = run.knowledge(thread);
        self.present_context(thread, creations, over)
    }

    #[cold]
    fn present_context(&mut self, thread: ThreadId, creations: u32, over: ThreadSet) -> ContextNumber {
        let own = self.holders.iter().filter(|(_, holder, _)| *holder == thread);
        let mut held: Vec<Object> = own.map(|(mutex, ..)| *mutex).collect();
        held.sort_unstable();
        let same = |other: &Context| {
            (other.thread, other.creations, other.over) == (thread, creations, over) && other.held == held
        };
        let number = self.contexts.iter().position(same).unwrap_or(self.contexts.len());
        if number == self.contexts.len() {
            self.contexts.push(Context { thread, creations, over, held, toggled: Vec::new() });
        }
        self.present[thread.index()] = number as ContextNumber;
        number as ContextNumber
    }

    /// Stores an access. Returns whether a stored one conflicts with it and need not be ordered with it.
    fn breaks(&mut self, run: &Run, granule: u64, access: Seen) -> bool {
        let last = &mut self.last[hand(granule, access.context)];
        if last.0 == granule && last.1.includes(&access) {
            return false;
        }
        *last = (granule, access);
        let same = |place: &Place| place.granule == granule;
        let place = self.places.entry(hash(granule), same, |place| hash(place.granule));
        let place = place.or_insert_with(|| Place { granule, seen: Vec::new() }).into_mut();
        if place.seen.iter().any(|seen| seen.includes(&access)) {
            return false;
        }
        let contexts = &self.contexts;
        let of = |seen: &Seen| &contexts[seen.context as usize];
        let any = |seen: &Seen| {
            self.variant == Variant::AnyMutex && !of(seen).held.is_empty() && !of(&access).held.is_empty()
        };
        let ordered = |seen: &Seen| ordered(of(seen), of(&access), run) || any(seen);
        let breaks = place.seen.iter().any(|seen| seen.conflicts(&access) && !ordered(seen));
        place.seen.retain(|seen| !access.includes(seen));
        place.seen.push(access);
        breaks
    }
}

/// Whether two accesses in these contexts are ordered in every execution that has both: by a mutex, which is released
/// and taken in between, by a join, or by a creation.
fn ordered(a: &Context, b: &Context, run: &Run) -> bool {
    let (paths, seized) = (run.paths(), run.seized());
    a.thread == b.thread
        || a.held.iter().any(|mutex| b.held.contains(mutex) && !seized.contains(mutex))
        || a.over.contains(b.thread)
        || b.over.contains(a.thread)
        || before_creation(a, b.thread, paths)
        || before_creation(b, a.thread, paths)
}

/// Whether what is done in this context happens before the creation of `thread`, or of an ancestor of it.
fn before_creation(context: &Context, mut thread: ThreadId, paths: &[(ThreadId, u32)]) -> bool {
    while thread != ThreadId::MAIN {
        let Some(&(creator, earlier)) = paths.get(thread.index()) else { return false };
        if creator == context.thread {
            return context.creations <= earlier;
        }
        thread = creator;
    }
    false
}
