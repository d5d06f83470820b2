//! Finds a run that shows a data race: one in which both accesses are pending at once, if the trace allows for one.
//!
//! Everything here is decided from one trace by the exploration's happens-before (program order, dependence, enabling).
//! The *past* of an access is the set of events that happen before it. Two accesses can be co-pending if the past of
//! neither has a step that the other's thread takes at or after its access: then the union of the two pasts is the
//! prefix of a run, after which both threads are about to make their accesses. Otherwise the trace orders the accesses
//! by operations that C11 does not order; another trace may still show the same two places co-pending, so a search that
//! goes on can replace the witness.
//!
//! Invisible accesses are not part of the exploration's happens-before, and if two of them race, what the run did may
//! depend on their order. So a run that would change the order of another race is not shown; the trace itself is.

use super::finding::Witness;
use super::race::{Race, RacingAccess};
use crate::event::{
    Acquires, ByteRange, Event, EventIndex, Footprint, Operation, PendingStatus, Releases, Step, ThreadSet, Touch,
    Trace,
};
use crate::order::c11::{TracePosition, granules};
use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

/// How a race is shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shown {
    /// Whether both accesses are pending at once.
    pub witness: Witness,
    /// The steps of the run: for a co-pending witness, the union of the pasts and, last, the steps that make the two
    /// accesses; for a memory-order witness, the whole trace.
    pub steps: Vec<Step>,
    /// For a memory-order witness: two dependent events, the earlier of which happens after the first access while C11
    /// does not order the later one after the earlier. With a stronger memory order there (or a lock) the two accesses
    /// would be ordered.
    pub missing: Option<(EventIndex, EventIndex)>,
}

/// Decides how to show `race`, found in the run of `trace` with all of `races`. Time: events times the logarithm of
/// their objects.
pub fn show(trace: &Trace, race: &Race, races: &[Race]) -> Shown {
    let (first, second) = (&race.first, &race.second);
    let (past_first, past_second) = (past(trace, first), past(trace, second));
    let events = &trace.events;
    if !beyond(events, &past_second, first) && !beyond(events, &past_first, second) {
        let moves = meeting(trace, [first, second], [&past_first, &past_second]);
        if races.iter().all(|other| other == race || keeps_order(trace, &moves, race, other)) {
            let steps = moves.iter().map(|made| made.step(events)).collect();
            return Shown { witness: Witness::CoPending, steps, missing: None };
        }
    }
    let steps = events.iter().map(step).collect();
    Shown { witness: Witness::MemoryOrder, steps, missing: missing(trace, first, &past_second) }
}

fn step(event: &Event) -> Step {
    Step { thread: event.thread, choice: event.choice }
}

/// A position: the events of the access's thread before it come before the access, all others do not.
fn bound(access: &RacingAccess) -> usize {
    match access.moment {
        TracePosition::Event(index) | TracePosition::Between(index) => index.index(),
    }
}

/// Whether a past contains a step that the access's thread takes at or after the access.
fn beyond(events: &[Event], past: &[bool], access: &RacingAccess) -> bool {
    (bound(access)..events.len()).any(|at| past[at] && events[at].thread == access.thread)
}

/// By event: whether it is in the past of the access. The conflicts of the access itself do not order it, except that
/// an update comes after the writes of what it reads: it may be a compare-exchange, which writes only if it succeeds.
fn past(trace: &Trace, access: &RacingAccess) -> Vec<bool> {
    let mut member = vec![false; trace.events.len()];
    let mut threads = ThreadSet::only(access.thread);
    let mut touched = Touched::default();
    if let TracePosition::Event(index) = access.moment {
        let (operation, enabled_by) = match trace.events.get(index.index()) {
            Some(event) => (Some(event.operation), event.enabled_by),
            None => {
                let pending = trace.pending.iter().find(|pending| pending.thread == access.thread);
                (pending.map(|pending| pending.operation), pending.and_then(|pending| pending.enabled_by))
            }
        };
        if let Some(by) = enabled_by {
            member[by.index()] = true;
        }
        if let Some(Releases::Memory { range, update: true, .. }) = operation.map(|operation| operation.releases()) {
            touched.add_bytes(range, Touch::Read);
        }
    }
    for at in (0..bound(access)).rev() {
        let event = &trace.events[at];
        let begins_member = event.operation.creates().is_some_and(|child| threads.contains(child));
        let footprint = Footprint::of(&event.operation);
        if !(member[at] || begins_member || threads.contains(event.thread) || touched.conflicts(footprint)) {
            continue;
        }
        member[at] = true;
        threads.insert(event.thread);
        touched.add(footprint);
        if let Some(by) = event.enabled_by {
            member[by.index()] = true;
        }
        if let Some(child) = event.operation.joins() {
            threads.insert(child);
        }
    }
    member
}

/// What a set of events touches.
#[derive(Default)]
struct Touched {
    granules: BTreeMap<u64, Vec<(ByteRange, Touch)>>,
}

impl Touched {
    fn add(&mut self, footprint: Footprint) {
        footprint.iter().for_each(|(range, touch)| self.add_bytes(range, touch));
    }

    fn add_bytes(&mut self, range: ByteRange, touch: Touch) {
        for (granule, _) in granules(range) {
            let list = self.granules.entry(granule).or_default();
            if !list.contains(&(range, touch)) {
                list.push((range, touch));
            }
        }
    }

    fn conflicts(&self, footprint: Footprint) -> bool {
        let conflict = |(range, touch): (ByteRange, Touch)| {
            granules(range)
                .filter_map(|(granule, _)| self.granules.get(&granule))
                .flatten()
                .any(|&(other_range, other_touch)| range.overlaps(other_range) && touch.conflicts(other_touch))
        };
        footprint.iter().any(conflict)
    }
}

/// A step of a run that is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Move {
    /// This event of the trace.
    Again(usize),
    /// The operation that was pending for a thread at the end of the trace.
    Pending(Step),
}

impl Move {
    fn step(self, events: &[Event]) -> Step {
        match self {
            Move::Again(at) => step(&events[at]),
            Move::Pending(step) => step,
        }
    }
}

/// Whether a run of these steps makes the accesses of another race in the order of the trace, or does not make the
/// later one. The accesses of the race that is shown come last, so another race that ends with one of them does not
/// matter.
fn keeps_order(trace: &Trace, moves: &[Move], shown: &Race, other: &Race) -> bool {
    let made = |access: &RacingAccess| {
        let at = match access.moment {
            TracePosition::Event(index) => Some(index.index()),
            TracePosition::Between(_) => base(trace, access),
        };
        // An access with no such event is made by main at the start of every run.
        at.map_or(Some(0), |at| moves.iter().position(|&made| made == Move::Again(at)).map(|place| place + 1))
    };
    if other.second == shown.first || other.second == shown.second {
        return true;
    }
    match (made(&other.first), made(&other.second)) {
        (_, None) => true,
        (None, Some(_)) => false,
        (Some(first), Some(second)) => first <= second,
    }
}

/// The steps that lead to where both accesses are pending, then those that make them, in the order of the trace. In
/// the other order the run could end at the first of the two, where that uses memory which is not allocated yet or was
/// freed; the run of the trace has come as far as both.
fn meeting(trace: &Trace, accesses: [&RacingAccess; 2], pasts: [&[bool]; 2]) -> Vec<Move> {
    let mut prefix: Vec<bool> = pasts[0].iter().zip(pasts[1]).map(|(&a, &b)| a || b).collect();
    let mut last = Vec::new();
    for (access, other_past) in [(accesses[0], pasts[1]), (accesses[1], pasts[0])] {
        match access.moment {
            TracePosition::Event(index) => last.extend(visible(trace, access, index)),
            TracePosition::Between(_) => {
                // An invisible access is part of the transition of an earlier event, which comes last unless the other
                // past has it.
                if let Some(base) = base(trace, access).filter(|&base| !other_past[base]) {
                    prefix[base] = false;
                    last.push(Move::Again(base));
                }
            }
        }
    }
    let before = prefix.iter().enumerate().filter(|&(_, &member)| member).map(|(at, _)| Move::Again(at));
    before.chain(last).collect()
}

/// The step that makes a visible access; none for a parked thread, which goes on only when what it waits for changes.
fn visible(trace: &Trace, access: &RacingAccess, index: EventIndex) -> Option<Move> {
    if trace.events.get(index.index()).is_some() {
        return Some(Move::Again(index.index()));
    }
    let parked = trace.pending.iter().any(|p| p.thread == access.thread && p.status == PendingStatus::Parked);
    (!parked).then_some(Move::Pending(Step { thread: access.thread, choice: 0 }))
}

/// The event whose transition an invisible access belongs to: its thread's last one before it, or the thread's
/// creation.
fn base(trace: &Trace, access: &RacingAccess) -> Option<usize> {
    let before = &trace.events[..bound(access)];
    before
        .iter()
        .rposition(|event| event.thread == access.thread)
        .or_else(|| before.iter().rposition(|event| event.operation.creates() == Some(access.thread)))
}

/// The first pair of events between an access and a second one, in whose past the pair is, that dependence orders and
/// C11 does not; if C11 orders all of them, the first pair.
///
/// Fences are no events, so a pair that only fences order counts as unordered, and may be returned in place of a later
/// pair that C11 does not order.
fn missing(trace: &Trace, from: &RacingAccess, past_of_second: &[bool]) -> Option<(EventIndex, EventIndex)> {
    let events = &trace.events;
    let mut reached: Vec<usize> = Vec::new();
    let mut fallback = None;
    for at in bound(from)..events.len() {
        let event = &events[at];
        if event.thread == from.thread {
            reached.push(at);
            continue;
        }
        let last = |test: &dyn Fn(&Event) -> bool| reached.iter().rev().copied().find(|&i| test(&events[i]));
        let own = last(&|e| e.thread == event.thread || e.operation.creates() == Some(event.thread)).is_some();
        let enabled = event.enabled_by.is_some_and(|by| reached.contains(&by.index()));
        let footprint = Footprint::of(&event.operation);
        let conflict = last(&|e| e.thread != event.thread && footprint.conflicts(Footprint::of(&e.operation)));
        if own || enabled || conflict.is_some() {
            reached.push(at);
        }
        let (false, Some(before), true) = (own, conflict, past_of_second[at]) else { continue };
        let pair = (EventIndex(before as u32), EventIndex(at as u32));
        if !synchronises(&events[before].operation, &event.operation) {
            return Some(pair);
        }
        fallback = fallback.or(Some(pair));
    }
    fallback
}

/// Whether C11 orders two dependent operations of different threads by what they are.
fn synchronises(earlier: &Operation, later: &Operation) -> bool {
    match (earlier.releases(), later.acquires()) {
        (Releases::Object(released), Acquires::Object(acquired)) => released == acquired,
        (Releases::Object(released), Acquires::Both(one, other)) => released == one || released == other,
        // If the later one reads from the earlier.
        (Releases::Memory { order: release, .. }, Acquires::Memory(_, acquire)) => {
            release.releases() && acquire.acquires()
        }
        (
            Releases::Nothing
            | Releases::Object(_)
            | Releases::Memory { .. }
            | Releases::Enabled { .. }
            | Releases::Forgets(..)
            | Releases::Thread(_),
            _,
        ) => false,
    }
}
