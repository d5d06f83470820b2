//! Which plain accesses need not be scheduling points of a search that compares states.
//!
//! Stefan Savage, Michael Burrows, Greg Nelson, Patrick Sobalvarro, Thomas Anderson: "Eraser: A Dynamic Data Race Detector
//! for Multithreaded Programs", ACM TOCS 15(4), 1997. Claim: if every location is accessed under a lock of its own, no
//! execution has a race on it, whatever the interleaving; so the order of such accesses need not be explored.
//!
//! A search without states finds races by happens-before, from the history of each run. A search that ends runs at known
//! states does not see the history of those it does not make. What is looked at here holds for every history: each access is
//! noted with its [`Context`], what its thread has and knows, which is part of the state; and two accesses in these contexts
//! are ordered in every execution that has both ([`ordered`]), or they are not. In the latter case the search has
//! to see them as operations, and begins anew.
//!
//! # Departures
//! - Contexts are compared in pairs instead of intersecting the locks of all accesses, and threads that create or join each
//!   other are ordered, so that initialisation and what comes after the end of the threads need no states of a location
//!   (Eraser's figure 4).
//! - Nothing is reported: a broken discipline is no race. What is handed on under a lock, by an atomic or by a semaphore
//!   breaks it, and is explored as operations.
//!
//! # Why nothing is missed
//! Take a shortest execution after which two threads are about to make conflicting accesses. Nothing before races, so the
//! search goes through an equivalent one up to there, or has seen its state, and from there each of the two makes its access
//! in some run. The pair is unordered, so the contexts, which the state determines, are not among those that order; the
//! location is found, and is an operation from then on, as all accesses are in the search that [`Stateful`] describes.
//!
//! Invariant (contexts-are-state): two executions that come to equal states have equal contexts from there on. The state
//! has who holds what, how many threads each has created, and which it knows to be over ([`Run::knowledge`]).
//!
//! [`Stateful`]: crate::explore::Stateful

use crate::event::{ByteRange, Event, HoldChange, MAX_THREADS, Object, ThreadId, ThreadSet};
use crate::run::Run;
use alloc::vec::Vec;
use hashbrown::HashTable;

/// What a thread has and knows when it makes an access.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Context {
    thread: ThreadId,
    /// How many threads it has created.
    creations: u32,
    /// The threads that it knows to be over.
    over: ThreadSet,
    /// The mutexes that it holds, in ascending order.
    held: Vec<Object>,
    /// The context with one mutex more or less, as far as that was asked for.
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

    /// Whether whatever breaks the discipline together with `other` does so together with this one.
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

/// Accesses that are at hand.
const LAST: usize = 256;

/// Where an access is at hand: threads that take turns at a granule do not drive each other out.
fn hand(granule: u64, context: ContextNumber) -> usize {
    granule.wrapping_add(u64::from(context) * 31) as usize % LAST
}

/// How the program's locations are accessed, in all runs so far.
#[derive(Debug)]
pub struct Discipline {
    contexts: Vec<Context>,
    places: HashTable<Place>,
    /// Accesses that were noted, with their granules.
    last: [(u64, Seen); LAST],
    /// Who holds what, and how many times.
    holders: Vec<(Object, ThreadId, u32)>,
    /// By thread: the number of its present context, if it was asked for since that changed.
    present: [ContextNumber; MAX_THREADS],
    /// Events of the run taken in.
    events: usize,
    /// Mutexes that protect nothing, as they were taken from their holders.
    seized: usize,
    found: Vec<ByteRange>,
    variant: Variant,
}

/// Which discipline it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Variant {
    /// The one described above.
    #[default]
    Sound,
    /// Wrong: accesses of different runs are not compared.
    Forgetful,
    /// Wrong: whoever holds a mutex is ordered with whoever holds another one.
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
    /// Nothing has been accessed.
    pub fn new() -> Self {
        Discipline::default()
    }

    /// Nothing has been accessed, by the search that begins now.
    pub fn begin_anew(&mut self) {
        *self = Discipline { seized: self.seized, variant: self.variant, ..Discipline::default() };
    }

    /// A wrong discipline, which the tests have to catch: each run is looked at by itself.
    #[cfg(feature = "model")]
    pub fn broken_forgetful() -> Self {
        Discipline { variant: Variant::Forgetful, ..Discipline::default() }
    }

    /// A wrong discipline, which the tests have to catch: all mutexes are one.
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

    /// Takes in the events that are new. After each [`Run::next`], before a thread runs on. `events` are all of the run so
    /// far, with the locations that the program uses.
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
                None => {}
            }
            // It has created one more, or knows of more that are over.
            if event.operation.creates().is_some() || event.operation.joins().is_some() {
                self.present[event.thread.index()] = UNKNOWN;
            }
        }
        self.events = events.len();
    }

    /// `thread` makes a plain access that is no operation.
    pub fn plain(&mut self, run: &Run, thread: ThreadId, range: ByteRange, write: bool) {
        self.note(run, thread, range, write, false);
    }

    /// The locations found since the last call that are to be operations.
    pub fn take_found(&mut self) -> Vec<ByteRange> {
        core::mem::take(&mut self.found)
    }

    /// Whether a mutex was found not to protect, since the last call: what was taken for ordered may not be.
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

    /// `thread` takes a mutex, once more if it has it.
    fn takes(&mut self, thread: ThreadId, mutex: Object) {
        if let Some((.., times)) = self.holders.iter_mut().find(|(other, ..)| *other == mutex) {
            *times += 1;
            return;
        }
        self.holders.push((mutex, thread, 1));
        self.toggle(thread, mutex);
    }

    /// A mutex is given back, once or altogether.
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

    /// The thread has one mutex more or less.
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

    /// Notes an access; whether there is another one that conflicts and is not ordered with it.
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

/// Whether two accesses in these contexts are ordered in every execution that has both: by a mutex, which is given back
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

/// Whether what is done in this context comes before the creation of `thread` or of one that it descends from.
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
