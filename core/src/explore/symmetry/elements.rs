//! What is kept of the actions below a state, as numbers.

use super::accesses::Accesses;
use super::renaming::{exchange, renamed};
use crate::event::{ByteRange, EventIndex, Footprint, Operation, ThreadId, ThreadSet, dependent};
use crate::hash::TableHash;
use crate::order::{EventId, Path};
use alloc::vec::Vec;
use core::hash::Hash;
use hashbrown::HashMap;

pub(super) type Map<K, V> = HashMap<K, V, TableHash>;

/// Something executed somewhere: an operation, or all plain accesses that do not race from one operation of the thread to
/// its next.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Action {
    pub(super) thread: ThreadId,
    /// For accesses: one that depends on nothing.
    pub(super) operation: Operation,
    /// What made it possible, other than the creation of its thread.
    pub(super) enabled_by: Option<EventIndex>,
    /// The number of the accesses.
    pub(super) accesses: Option<u32>,
}

impl Action {
    /// That of an event.
    pub(super) fn of(path: &Path, event: EventId) -> Self {
        let node = path.node(event);
        let creates = |by: &EventIndex| *path.operation(path.events()[by.index()]) == Operation::Create(node.thread);
        let enabled_by = path.enabling(event).filter(|by| !creates(by));
        Action { thread: node.thread, operation: node.operation, enabled_by, accesses: None }
    }
}

/// An action below a state, with what is known of those executed below the state that come before it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Element {
    pub(super) action: u32,
    /// One of them that comes after none of them; or [`ALONE`].
    pub(super) first: u32,
    /// The others, by their number.
    pub(super) past: u32,
}

/// As the first of those that come before an action: there are none.
pub(super) const ALONE: u32 = u32::MAX;

/// What is known of the actions between a state and one below it that come before that one. Plain accesses that do not race
/// are left out: what comes before another one comes before the synchronisation that orders the two as well.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Past {
    /// Who executes them, the last one included.
    pub(super) threads: ThreadSet,
    /// The operations, by their numbers, in ascending order.
    pub(super) operations: Vec<u32>,
}

/// How an event just above a state belongs to an element of the state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Relation {
    /// It has nothing to do with it.
    None,
    /// It comes before what comes before the action; with the number of the element of the state above.
    Before(u32),
    /// It and the action depend on each other directly, and in no other way; with the same.
    Conflict(u32),
}

/// Values with numbers in the order of their first use.
#[derive(Debug)]
pub(super) struct Numbered<T> {
    pub(super) values: Vec<T>,
    numbers: Map<T, u32>,
}

impl<T> Default for Numbered<T> {
    fn default() -> Self {
        Numbered { values: Vec::new(), numbers: Map::default() }
    }
}

impl<T: Clone + Eq + Hash> Numbered<T> {
    pub(super) fn number(&mut self, value: &T) -> u32 {
        if let Some(&number) = self.numbers.get(value) {
            return number;
        }
        let number = self.values.len() as u32;
        self.values.push(value.clone());
        self.numbers.insert(value.clone(), number);
        number
    }
}

/// A set of elements, by their numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct Summary(Vec<u64>);

impl Summary {
    /// Whether the element was not in the summary before.
    pub(super) fn insert(&mut self, number: u32) -> bool {
        let word = number as usize / 64;
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        let before = self.0[word];
        self.0[word] |= 1 << (number % 64);
        self.0[word] != before
    }

    pub(super) fn contains(&self, number: u32) -> bool {
        self.0.get(number as usize / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    pub(super) fn members(&self) -> impl Iterator<Item = u32> + '_ {
        self.0.iter().enumerate().flat_map(|(word, &bits)| {
            (0..64).filter(move |bit| bits >> bit & 1 == 1).map(move |bit| word as u32 * 64 + bit)
        })
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

/// All elements that have come up, and what is known of them whatever the path.
#[derive(Debug, Default)]
pub(super) struct Elements {
    pub(super) actions: Numbered<Action>,
    pub(super) operations: Numbered<Operation>,
    pub(super) accesses: Numbered<Accesses>,
    pub(super) pasts: Numbered<Past>,
    elements: Numbered<Element>,
    /// What elements are with an event before them.
    extended: Map<(u32, u32), Relation>,
    /// What elements are with two threads exchanged.
    exchanged: Map<(u32, ThreadId, ThreadId), u32>,
    /// Whether accesses are in conflict, by their numbers.
    in_conflict: Map<(u32, u32), bool>,
    /// Whether the operation of an action, by its number, and accesses are in conflict.
    conflicting: Map<(u32, u32), Option<ByteRange>>,
    /// Locations of plain accesses that race.
    racing: Vec<ByteRange>,
}

impl Elements {
    pub(super) fn get(&self, element: u32) -> Element {
        self.elements.values[element as usize]
    }

    pub(super) fn action_of(&self, element: u32) -> &Action {
        &self.actions.values[self.get(element).action as usize]
    }

    pub(super) fn past_of(&self, element: u32) -> &Past {
        &self.pasts.values[self.get(element).past as usize]
    }

    /// How many there are of what takes the most memory.
    pub(super) fn len(&self) -> usize {
        self.elements.values.len() + self.extended.len() + self.exchanged.len()
    }

    /// An action with nothing before it.
    pub(super) fn alone(&mut self, action: u32) -> u32 {
        let thread = self.actions.values[action as usize].thread;
        let past = self.pasts.number(&Past { threads: ThreadSet::only(thread), operations: Vec::new() });
        self.elements.number(&Element { action, first: ALONE, past })
    }

    /// Whether an operation is a plain access that is known to be in no race.
    pub(super) fn is_quiet(&self, operation: &Operation) -> bool {
        operation.plain_bytes().is_some_and(|range| !self.is_racing(range))
    }

    /// Whether a plain access to some of these bytes races.
    pub(super) fn is_racing(&self, range: ByteRange) -> bool {
        self.racing.iter().any(|other| other.overlaps(range))
    }

    /// A race with a plain access to these bytes. True if that was not known: from now on such accesses are kept like
    /// synchronisation.
    pub(super) fn note_racing(&mut self, range: ByteRange) -> bool {
        let news = !self.is_racing(range);
        if news {
            self.racing.push(range);
            self.extended.clear();
        }
        news
    }

    /// Nothing but what is known of races.
    pub(super) fn only_racing(&mut self) -> Self {
        Elements { racing: core::mem::take(&mut self.racing), ..Elements::default() }
    }

    /// What has to be kept of an operation to know what comes before it: nothing of plain accesses that do not race, and not
    /// whom it woke.
    fn kept(&self, operation: &Operation) -> Option<Operation> {
        let woken = ThreadSet::only(ThreadId::MAIN);
        match *operation {
            Operation::Signal { cond, woken: Some(_) } => Some(Operation::Signal { cond, woken: woken.first() }),
            Operation::Broadcast { cond, woken: some } if !some.is_empty() => {
                Some(Operation::Broadcast { cond, woken })
            }
            Operation::Join(_) => Some(*operation),
            other if Footprint::of(&other).iter().next().is_none() => None,
            other => (!self.is_quiet(&other)).then_some(other),
        }
    }

    /// Relates an event, by the number of its action, to an element of the state after it.
    pub(super) fn extend(&mut self, number: u32, before: u32) -> Relation {
        let key = (number, before);
        if let Some(&relation) = self.extended.get(&key) {
            return relation;
        }
        let element = self.get(number);
        let (action, later) = (self.actions.values[before as usize], self.actions.values[element.action as usize]);
        let past = &self.pasts.values[element.past as usize];
        let creates = matches!(action.operation, Operation::Create(child) if past.threads.contains(child));
        let wakes = !action.operation.woken().intersection(past.threads).is_empty();
        let ends = |other: &Operation| action.operation == Operation::Exit && *other == Operation::Join(action.thread);
        let mut operations = past.operations.iter().map(|&number| &self.operations.values[number as usize]);
        let comes_before = creates
            || wakes
            || past.threads.contains(action.thread)
            || operations.any(|operation| dependent(&action.operation, operation) || ends(operation));
        let relation = if comes_before || dependent(&action.operation, &later.operation) {
            let mut past = past.clone();
            past.threads.insert(action.thread);
            if let Some(operation) = self.kept(&action.operation) {
                let operation = self.operations.number(&operation);
                if let Err(place) = past.operations.binary_search(&operation) {
                    past.operations.insert(place, operation);
                }
            }
            let action = self.actions.number(&Action { enabled_by: None, ..later });
            let extended = Element { action, first: before, past: self.pasts.number(&past) };
            let extended = self.elements.number(&extended);
            if comes_before { Relation::Before(extended) } else { Relation::Conflict(extended) }
        } else {
            Relation::None
        };
        self.extended.insert(key, relation);
        relation
    }

    /// A summary with two threads exchanged.
    pub(super) fn exchanged(&mut self, summary: &Summary, a: ThreadId, b: ThreadId) -> Summary {
        let mut exchanged = Summary::default();
        for element in summary.members() {
            exchanged.insert(self.exchanged_element(element, a, b));
        }
        exchanged
    }

    fn exchanged_element(&mut self, number: u32, a: ThreadId, b: ThreadId) -> u32 {
        if let Some(&exchanged) = self.exchanged.get(&(number, a, b)) {
            return exchanged;
        }
        let Element { action, first, past } = self.get(number);
        let mut past = self.pasts.values[past as usize].clone();
        past.threads = past.threads.iter().map(|thread| exchange(thread, a, b)).collect();
        for operation in &mut past.operations {
            *operation = self.operations.number(&renamed(&self.operations.values[*operation as usize], a, b));
        }
        past.operations.sort_unstable();
        let mut exchanged = |action: u32| {
            let action = self.actions.values[action as usize];
            let (thread, operation) = (exchange(action.thread, a, b), renamed(&action.operation, a, b));
            self.actions.number(&Action { thread, operation, ..action })
        };
        let (action, first) = (exchanged(action), if first == ALONE { ALONE } else { exchanged(first) });
        let exchanged = self.elements.number(&Element { action, first, past: self.pasts.number(&past) });
        self.exchanged.insert((number, a, b), exchanged);
        exchanged
    }

    /// Whether the action of an element, an operation or accesses, is in conflict with accesses.
    pub(super) fn conflicts_with(&mut self, element: u32, accesses: u32) -> bool {
        let number = self.get(element).action;
        match self.actions.values[number as usize].accesses {
            None => self.conflicting(number, accesses).is_some(),
            Some(own) => {
                let of = |number: u32| &self.accesses.values[number as usize];
                let key = (own.min(accesses), own.max(accesses));
                *self.in_conflict.entry(key).or_insert_with(|| of(own).conflict(of(accesses)))
            }
        }
    }

    /// The bytes for which the operation of an action, by its number, is in conflict with accesses.
    pub(super) fn conflicting(&mut self, action: u32, accesses: u32) -> Option<ByteRange> {
        let operation = &self.actions.values[action as usize].operation;
        let accesses_of = &self.accesses.values[accesses as usize];
        *self.conflicting.entry((action, accesses)).or_insert_with(|| accesses_of.conflicting(operation))
    }
}
