//! The operations executed below a state, with what happens before them there, as numbers.

use super::accesses::Accesses;
use super::renaming::{exchange, renamed};
use crate::event::{ByteRange, EventIndex, Operation, ThreadId, ThreadSet, dependent};
use crate::hash::TableHash;
use crate::order::{EventId, Path};
use alloc::vec::Vec;
use core::hash::Hash;
use hashbrown::HashMap;

/// A hash table without a random seed.
pub(super) type Map<K, V> = HashMap<K, V, TableHash>;

/// An operation, or all race-free plain accesses between two operations of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Action {
    pub(super) thread: ThreadId,
    /// The operation; for accesses, one that depends on nothing.
    pub(super) operation: Operation,
    /// The event that enabled it, unless that is the creation of its thread.
    pub(super) enabled_by: Option<EventIndex>,
    /// The number of the accesses, if it is no operation.
    pub(super) accesses: Option<u32>,
}

impl Action {
    /// The action of an event.
    pub(super) fn of(path: &Path, event: EventId) -> Self {
        let node = path.node(event);
        let creates = |by: &EventIndex| path.operation(path.events()[by.index()]).creates() == Some(node.thread);
        let enabled_by = path.enabling(event).filter(|by| !creates(by));
        Action { thread: node.thread, operation: node.operation, enabled_by, accesses: None }
    }
}

/// An action below a state, with the actions below the state that happen before it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Element {
    pub(super) action: u32,
    /// A minimal one of these actions; or [`ALONE`].
    pub(super) first: u32,
    /// The number of their [`ElementPast`].
    pub(super) past: u32,
}

/// In place of the minimal action: no action below the state happens before this one.
pub(super) const ALONE: u32 = u32::MAX;

/// The actions below a state that happen before another one. Race-free plain accesses are left out: what happens before
/// a later one also happens before the synchronisation that orders the two.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct ElementPast {
    /// The threads of these actions, and that of the later one.
    pub(super) threads: ThreadSet,
    /// The operations, by their numbers, in ascending order.
    pub(super) operations: Vec<u32>,
}

/// How the last event before a state is related to an element of the state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Relation {
    /// Not at all.
    None,
    /// It happens before the action through others; with the number of the element of the state above.
    Before(u32),
    /// The action depends on it directly, and through no other; with the number of the element of the state above.
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
    /// The number of a value, a new one if the value was not seen before.
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
pub(super) struct ElementSet(Vec<u64>);

impl ElementSet {
    /// Adds an element; true if it is new.
    pub(super) fn insert(&mut self, number: u32) -> bool {
        let word = number as usize / 64;
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        let before = self.0[word];
        self.0[word] |= 1 << (number % 64);
        self.0[word] != before
    }

    /// Whether the element with this number is in the set.
    pub(super) fn contains(&self, number: u32) -> bool {
        self.0.get(number as usize / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    /// The numbers of the elements, in ascending order.
    pub(super) fn members(&self) -> impl Iterator<Item = u32> + '_ {
        self.0.iter().enumerate().flat_map(|(word, &bits)| {
            (0..64).filter(move |bit| bits >> bit & 1 == 1).map(move |bit| word as u32 * 64 + bit)
        })
    }

    /// Removes all elements.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

/// All elements so far, and what was computed of them, which holds on every path.
#[derive(Debug, Default)]
pub(super) struct Elements {
    pub(super) actions: Numbered<Action>,
    pub(super) operations: Numbered<Operation>,
    pub(super) accesses: Numbered<Accesses>,
    pub(super) pasts: Numbered<ElementPast>,
    elements: Numbered<Element>,
    /// By element and action of an event above it: their relation.
    extended: Map<(u32, u32), Relation>,
    /// By element and two threads: the element with the threads exchanged.
    exchanged: Map<(u32, ThreadId, ThreadId), u32>,
    /// By numbers of accesses: whether they conflict.
    in_conflict: Map<(u32, u32), bool>,
    /// By action and accesses: bytes for which they conflict.
    conflicting: Map<(u32, u32), Option<ByteRange>>,
    /// Bytes with plain accesses that race.
    racing: Vec<ByteRange>,
}

impl Elements {
    /// The element with this number.
    pub(super) fn get(&self, element: u32) -> Element {
        self.elements.values[element as usize]
    }

    /// The action of the element with this number.
    pub(super) fn action_of(&self, element: u32) -> &Action {
        &self.actions.values[self.get(element).action as usize]
    }

    /// What happens below the state before the action of the element with this number.
    pub(super) fn past_of(&self, element: u32) -> &ElementPast {
        &self.pasts.values[self.get(element).past as usize]
    }

    /// The number of entries of the large tables.
    pub(super) fn len(&self) -> usize {
        self.elements.values.len() + self.extended.len() + self.exchanged.len()
    }

    /// The element of an action that no other action below the state happens before.
    pub(super) fn alone(&mut self, action: u32) -> u32 {
        let thread = self.actions.values[action as usize].thread;
        let past = self.pasts.number(&ElementPast { threads: ThreadSet::only(thread), operations: Vec::new() });
        self.elements.number(&Element { action, first: ALONE, past })
    }

    /// Whether an operation is a plain access without known races.
    pub(super) fn is_race_free_access(&self, operation: &Operation) -> bool {
        operation.plain_bytes().is_some_and(|range| !self.is_racing(range))
    }

    /// Whether a plain access to some of these bytes races.
    pub(super) fn is_racing(&self, range: ByteRange) -> bool {
        self.racing.iter().any(|other| other.overlaps(range))
    }

    /// Plain accesses to these bytes race: from now on they are stored by themselves. True if that was not known.
    pub(super) fn add_racing(&mut self, range: ByteRange) -> bool {
        let new = !self.is_racing(range);
        if new {
            self.racing.push(range);
            self.extended.clear();
        }
        new
    }

    /// No elements, but the same known races.
    pub(super) fn only_racing(&mut self) -> Self {
        Elements { racing: core::mem::take(&mut self.racing), ..Elements::default() }
    }

    /// An operation as an [`ElementPast`] has it, reduced to what decides which events above the state happen before
    /// it. `None` for a race-free plain access; a signal is stored without the thread that it woke.
    fn kept(&self, operation: &Operation) -> Option<Operation> {
        let shared = operation.joins().is_some() || operation.footprint().iter().next().is_some();
        // Main stands for the threads that the operation woke.
        let nameless = || if operation.woken().is_empty() { *operation } else { operation.renamed(|_| ThreadId::MAIN) };
        (shared && !self.is_race_free_access(operation)).then(nameless)
    }

    /// The relation of the last event before a state, by the number of its action, to an element of the state.
    pub(super) fn extend(&mut self, number: u32, before: u32) -> Relation {
        let key = (number, before);
        if let Some(&relation) = self.extended.get(&key) {
            return relation;
        }
        let element = self.get(number);
        let (action, later) = (self.actions.values[before as usize], self.actions.values[element.action as usize]);
        let past = &self.pasts.values[element.past as usize];
        let creates = action.operation.creates().is_some_and(|child| past.threads.contains(child));
        let wakes = !action.operation.woken().intersection(past.threads).is_empty();
        let ends = |other: &Operation| action.operation.exits() && other.joins() == Some(action.thread);
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
    pub(super) fn exchanged(&mut self, summary: &ElementSet, a: ThreadId, b: ThreadId) -> ElementSet {
        let mut exchanged = ElementSet::default();
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

    /// Whether the action of an element conflicts with accesses.
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

    /// Bytes for which the operation of an action conflicts with accesses.
    pub(super) fn conflicting(&mut self, action: u32, accesses: u32) -> Option<ByteRange> {
        let operation = &self.actions.values[action as usize].operation;
        let accesses_of = &self.accesses.values[accesses as usize];
        *self.conflicting.entry((action, accesses)).or_insert_with(|| accesses_of.conflicting(operation))
    }
}
