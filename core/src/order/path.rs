//! Events of a search with their vector clocks, and the present path of the search among them.
//!
//! An event's clock says how many events of each thread happen before it, itself included. Since it counts events of
//! threads, not positions, it stays right when the event is moved to another position of an equivalent order: a search
//! that replaces the end of its path and later returns to it links the old events again and recomputes no clock.
//!
//! Events that touch one range form a chain in path order. An event that conflicts with everything (a write, a lock;
//! see [`Touch::orders_all`]) happens after all events before it in its chain, so the search for the events that a
//! later one depends on ends there.

mod conflicts;
mod objects;
mod readers;

pub use objects::LastTouch;

use crate::event::{
    EventIndex, Footprint, HoldChange, MAX_THREADS, Object, Operation, Pending, PendingStatus, ThreadId, ThreadSet,
    Touch, WaitStep,
};
use crate::ranges::{NO_RANGE, RangeId, Ranges};
use alloc::vec::Vec;

/// Number of an event in a [`Path`]'s memory.
pub type EventId = u32;

/// No event.
pub const NO_EVENT: EventId = u32::MAX;

/// One range an event touches, with its place in the range's chain.
#[derive(Clone, Copy, Debug)]
struct Part {
    range: RangeId,
    touch: Touch,
    /// The event before in the chain.
    before: EventId,
    /// The last event before in the chain that conflicts with every mode.
    total: EventId,
    /// The acquisition with which the present (or last) hold of the mutex began.
    hold: EventId,
    /// How many times the mutex is held after this event.
    depth: u32,
    /// Threads with events before in the chain.
    threads: ThreadSet,
}

const NO_PART: Part = Part {
    range: NO_RANGE,
    touch: Touch::Read,
    before: NO_EVENT,
    total: NO_EVENT,
    hold: NO_EVENT,
    depth: 0,
    threads: ThreadSet::EMPTY,
};

/// What the path keeps of an event.
#[derive(Clone, Copy, Debug)]
pub struct PathNode {
    /// Who executes it.
    pub thread: ThreadId,
    /// How many events of the thread there are up to this one.
    pub index: u32,
    /// Where it stands in the path (of the last path it was in).
    pub position: u32,
    /// The operation, with its outcome.
    pub operation: Operation,
    before_in_thread: EventId,
    enabled_by: EventId,
    parts: [Part; 2],
}

/// A node whose fields are not written yet.
const UNWRITTEN: PathNode = PathNode {
    thread: ThreadId::MAIN,
    index: 0,
    position: 0,
    operation: Operation::IDLE,
    before_in_thread: NO_EVENT,
    enabled_by: NO_EVENT,
    parts: [NO_PART; 2],
};

impl PathNode {
    #[inline]
    fn part(&self, range: RangeId) -> &Part {
        if self.parts[0].range == range { &self.parts[0] } else { &self.parts[1] }
    }
}

/// An earlier event of the path that an event conflicts with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Conflict {
    /// The earlier event.
    pub event: EventId,
    /// Its position.
    pub position: u32,
    /// Whether the later event could have been taken just before the earlier one. False for an unlock before a lock:
    /// there the acquisition that the unlock ends is listed as well, and that one is reversible.
    pub reversible: bool,
}

/// The events of a search and its present path.
#[derive(Debug)]
pub struct Path {
    ranges: Ranges,
    /// By range: the kinds of objects that it has been used as, one bit each ([`Touch::family`]).
    kinds: Vec<u8>,
    /// By range: the last event of the path in its chain.
    heads: Vec<EventId>,
    /// By thread: its last event in the path.
    threads: [EventId; MAX_THREADS],
    nodes: Vec<PathNode>,
    /// Clocks by event, `stride` entries each.
    clocks: Vec<u32>,
    stride: usize,
    path: Vec<EventId>,
}

impl Default for Path {
    fn default() -> Self {
        Path::new()
    }
}

impl Path {
    /// An empty path.
    pub fn new() -> Self {
        Path {
            ranges: Ranges::default(),
            kinds: Vec::new(),
            heads: Vec::new(),
            threads: [NO_EVENT; MAX_THREADS],
            nodes: Vec::new(),
            clocks: Vec::new(),
            stride: 4,
            path: Vec::new(),
        }
    }

    /// Length of the path.
    pub fn len(&self) -> usize {
        self.path.len()
    }

    /// Whether the path is empty.
    pub fn is_empty(&self) -> bool {
        self.path.is_empty()
    }

    /// The events of the path in order.
    pub fn events(&self) -> &[EventId] {
        &self.path
    }

    /// What is known of an event.
    #[inline]
    pub fn node(&self, event: EventId) -> &PathNode {
        &self.nodes[event as usize]
    }

    /// How many events are in memory; the number the next draft gets.
    pub fn drafted(&self) -> EventId {
        self.nodes.len() as EventId
    }

    /// Number of entries of a clock.
    pub fn stride(&self) -> usize {
        self.stride
    }

    /// The clock of an event.
    #[inline]
    pub fn clock(&self, event: EventId) -> &[u32] {
        &self.clocks[event as usize * self.stride..][..self.stride]
    }

    /// Whether `event` is among the events that `clock` counts.
    #[inline]
    pub fn counts(&self, clock: &[u32], event: EventId) -> bool {
        let node = &self.nodes[event as usize];
        clock[node.thread.index()] >= node.index
    }

    /// The last event of `thread` in the path.
    pub fn last_of(&self, thread: ThreadId) -> EventId {
        self.threads[thread.index()]
    }

    /// Drafts an event that comes next in the path, or could: it is in memory, with its [base](Self::base) as its
    /// clock, but not in the path.
    #[inline]
    pub fn draft(&mut self, thread: ThreadId, operation: Operation, enabled_by: Option<EventIndex>) -> EventId {
        if thread.index() >= self.stride {
            self.widen(thread.index() + 1);
        }
        let id = self.nodes.len() as EventId;
        let before_in_thread = self.threads[thread.index()];
        let index = if before_in_thread == NO_EVENT { 1 } else { self.nodes[before_in_thread as usize].index + 1 };
        let enabled_by = enabled_by.map_or(NO_EVENT, |at| self.path[at.index()]);
        // Written in place: copying a node right after its fields were written would stall the processor.
        self.nodes.push(UNWRITTEN);
        let node = &mut self.nodes[id as usize];
        (node.thread, node.index, node.position) = (thread, index, self.path.len() as u32);
        (node.operation, node.before_in_thread, node.enabled_by) = (operation, before_in_thread, enabled_by);
        for (part, touched) in node.parts.iter_mut().zip(Footprint::of(&operation).parts()) {
            let Some((range, touch)) = touched else { break };
            part.range = self.ranges.number(range);
            part.touch = touch;
            if self.heads.len() < self.ranges.len() {
                self.heads.resize(self.ranges.len(), NO_EVENT);
                self.kinds.resize(self.ranges.len(), 0);
            }
            self.kinds[part.range as usize] |= touch.family();
        }
        self.push_base(id, before_in_thread, enabled_by);
        id
    }

    /// Adds the clock of a new draft: its [base](Self::base), made of what comes before it in its thread, of what
    /// enabled it and of the thread's creation.
    #[inline]
    fn push_base(&mut self, id: EventId, before_in_thread: EventId, enabled_by: EventId) {
        let start = self.clocks.len();
        match before_in_thread {
            NO_EVENT => self.clocks.resize(start + self.stride, 0),
            before => {
                let from = before as usize * self.stride;
                self.clocks.extend_from_within(from..from + self.stride);
            }
        }
        if enabled_by != NO_EVENT {
            let (old, new) = self.clocks.split_at_mut(start);
            join(new, &old[enabled_by as usize * self.stride..][..self.stride]);
        }
        if let Some(creation) = self.creation(id) {
            let (old, new) = self.clocks.split_at_mut(start);
            join(new, &old[creation as usize * self.stride..][..self.stride]);
        }
    }

    /// What an event does to a mutex: at most one of its touches changes which thread holds one.
    #[inline]
    pub fn hold_change(&self, event: EventId) -> Option<(Object, HoldChange)> {
        let parts = &self.nodes[event as usize].parts;
        let of_part = |part: &Part| Some((part.range, part.touch.hold()?));
        let (range, change) = parts.iter().filter(|part| part.range != NO_RANGE).find_map(of_part)?;
        Some((Object(self.ranges.range(range).start), change))
    }

    /// Forgets the events drafted from number `first` on; none of them is in the path.
    pub fn forget(&mut self, first: EventId) {
        self.nodes.truncate(first as usize);
        self.clocks.truncate(first as usize * self.stride);
    }

    /// The clock of the events that happen before an event at whatever position: those before it in its thread, and
    /// those that enable it, with what happens before them. It is the event's clock until [`settle`](Self::settle).
    #[inline]
    pub fn base(&self, event: EventId, clock: &mut Vec<u32>) {
        clock.clear();
        let node = &self.nodes[event as usize];
        match node.before_in_thread {
            NO_EVENT => clock.resize(self.stride, 0),
            before => clock.extend_from_slice(self.clock(before)),
        }
        if node.enabled_by != NO_EVENT {
            join(clock, self.clock(node.enabled_by));
        }
        if let Some(creation) = self.creation(event) {
            join(clock, self.clock(creation));
        }
    }

    /// The creation of an event's thread, if the event is that thread's first and is a join: its enabling edge then
    /// leads from the end of the joined thread, not from the creation.
    #[inline]
    fn creation(&self, event: EventId) -> Option<EventId> {
        let is_first = self.nodes[event as usize].before_in_thread == NO_EVENT;
        if is_first { self.creation_before_join(event) } else { None }
    }

    #[inline(never)]
    fn creation_before_join(&self, event: EventId) -> Option<EventId> {
        let node = &self.nodes[event as usize];
        let creates = |&&other: &&EventId| self.nodes[other as usize].operation.creates() == Some(node.thread);
        if node.operation.joins().is_some() { self.path.iter().rev().find(creates).copied() } else { None }
    }

    /// Whether an event touches nothing that another thread could touch.
    #[inline]
    pub fn is_private(&self, event: EventId) -> bool {
        self.nodes[event as usize].parts[0].range == NO_RANGE
    }

    /// Whether no event of the path touches what a drafted event touches: then it has no [conflicts](Self::conflicts).
    #[inline]
    pub fn touches_alone(&self, event: EventId) -> bool {
        let is_alone =
            |range: RangeId| self.heads[range as usize] == NO_EVENT && self.ranges.overlaps(range).is_empty();
        let parts = &self.nodes[event as usize].parts;
        parts.iter().take_while(|part| part.range != NO_RANGE).all(|part| is_alone(part.range))
    }

    /// Completes the clock of a drafted event by the clocks of the events of the path that it conflicts with.
    #[inline]
    pub fn settle(&mut self, event: EventId, conflicts: &[Conflict]) {
        let stride = self.stride;
        let start = event as usize * stride;
        let (old, new) = self.clocks.split_at_mut(start);
        for conflict in conflicts {
            join(&mut new[..stride], &old[conflict.event as usize * stride..][..stride]);
        }
        let node = &self.nodes[event as usize];
        new[node.thread.index()] = node.index;
    }

    /// Appends a drafted (and settled) event to the path.
    #[inline]
    pub fn push(&mut self, event: EventId) {
        for slot in 0..2 {
            let range = self.nodes[event as usize].parts[slot].range;
            if range == NO_RANGE {
                break;
            }
            self.link(event, slot, self.heads[range as usize]);
            self.heads[range as usize] = event;
        }
        let node = &mut self.nodes[event as usize];
        node.position = self.path.len() as u32;
        self.threads[node.thread.index()] = event;
        self.path.push(event);
    }

    /// Fills in the links of a part of an event that comes after `before` in its chain.
    #[inline]
    fn link(&mut self, event: EventId, slot: usize, before: EventId) {
        let node = &self.nodes[event as usize];
        let (range, touch) = (node.parts[slot].range, node.parts[slot].touch);
        let clears = node.operation.hold().is_some_and(|(_, change)| change == HoldChange::Clears);
        let (mut total, mut hold, mut depth) = (NO_EVENT, NO_EVENT, 0);
        let mut threads = ThreadSet::EMPTY;
        if before != NO_EVENT {
            let last = self.nodes[before as usize].part(range);
            threads = last.threads;
            threads.insert(self.nodes[before as usize].thread);
            total = if last.touch.orders_all() { before } else { last.total };
            (hold, depth) = (last.hold, last.depth);
        }
        match touch.hold() {
            Some(HoldChange::Takes) => {
                if depth == 0 {
                    hold = event;
                }
                depth += 1;
            }
            Some(HoldChange::Gives) => depth = depth.saturating_sub(1),
            Some(HoldChange::Clears) if clears => depth = 0,
            Some(HoldChange::Clears) | None => {}
        }
        let part = &mut self.nodes[event as usize].parts[slot];
        (part.before, part.total, part.hold, part.depth) = (before, total, hold, depth);
        part.threads = threads;
    }

    /// Takes the last event off the path; it stays in memory.
    #[inline]
    pub fn pop(&mut self) -> Option<EventId> {
        let event = self.path.pop()?;
        let node = &self.nodes[event as usize];
        for part in node.parts.iter().rev().filter(|part| part.range != NO_RANGE) {
            self.heads[part.range as usize] = part.before;
        }
        self.threads[node.thread.index()] = node.before_in_thread;
        Some(event)
    }

    /// Takes all events after the first `length` off the path and forgets them, for a search that never returns to
    /// them.
    pub fn truncate(&mut self, length: usize) {
        let mut first = self.drafted();
        while self.path.len() > length
            && let Some(event) = self.pop()
        {
            first = first.min(event);
        }
        self.forget(first);
    }

    /// Whether a thread pending at the end of a run waits for an event that no order of the others' events can replace:
    /// for a signal rather than for the mutex it takes afterwards, or for the end of a thread that it joins.
    pub fn waits_for_event(&self, pending: &Pending) -> bool {
        let began = || self.operation(self.last_of(pending.thread)).begins_wait().is_some();
        let signal = pending.operation.ends_wait().is_some() && began() && pending.enabled_by.is_none();
        signal || pending.operation.joins().is_some() && pending.status != PendingStatus::Enabled
    }

    /// Whether threads wait at this condition variable, or for the futex word of this queue, just before a position.
    pub fn has_waiters(&self, cond: Object, position: u32) -> bool {
        let mut waiters = ThreadSet::EMPTY;
        for &event in &self.path {
            let node = &self.nodes[event as usize];
            if node.position >= position {
                break;
            }
            match node.operation.wait().filter(|wait| wait.cond == cond).map(|wait| wait.step) {
                Some(WaitStep::Begin) => waiters.insert(node.thread),
                Some(WaitStep::Expire) => waiters.remove(node.thread),
                Some(WaitStep::End) | None => {}
            }
            waiters = waiters.minus(node.operation.woken());
        }
        !waiters.is_empty()
    }

    /// How an event touches the first range it touches.
    pub fn touch(&self, event: EventId) -> Touch {
        self.nodes[event as usize].parts[0].touch
    }

    /// The position of the event that enabled an event of the path, as it was given to [`draft`](Self::draft).
    pub fn enabling(&self, event: EventId) -> Option<EventIndex> {
        let by = self.nodes[event as usize].enabled_by;
        (by != NO_EVENT).then(|| EventIndex(self.nodes[by as usize].position))
    }

    /// The operation of an event.
    pub fn operation(&self, event: EventId) -> &Operation {
        &self.nodes[event as usize].operation
    }

    #[cold]
    fn widen(&mut self, threads: usize) {
        let wider = threads.next_multiple_of(4);
        let mut clocks = alloc::vec![0; self.nodes.len() * wider];
        for (new, old) in clocks.chunks_mut(wider).zip(self.clocks.chunks(self.stride)) {
            new[..self.stride].copy_from_slice(old);
        }
        self.clocks = clocks;
        self.stride = wider;
    }
}

/// Makes `clock` also count the events that `other` counts: the larger one of each two entries.
#[inline]
pub fn join(clock: &mut [u32], other: &[u32]) {
    // Clocks have a multiple of four entries, and the compiler makes vector code of a loop over four at a time.
    for (entries, values) in clock.chunks_exact_mut(4).zip(other.chunks_exact(4)) {
        for at in 0..4 {
            entries[at] = entries[at].max(values[at]);
        }
    }
}
