//! Several searches of one program, which tell each other below which states everything is explored.
//!
//! Each of them is the whole search of the module above, from the initial state, with an order of its own in which it
//! tries threads ([`ThreadOrder`]). They share a table of *explored* states ([`StateTable`]): a state is stored there,
//! with its summary, by the first search that has closed its strongly connected component. A run ends at such a state
//! as at one that the search has expanded itself, and the summary fills the backtrack sets of its path. A search that
//! comes back to a state which another one has explored meanwhile leaves what it still had to try there. As soon as one
//! search has left the initial state, everything is explored, and all others can be stopped.
//!
//! Laarman, van de Pol and others share a depth-first search in the same way: "Multi-Core Nested Depth-First Search",
//! ATVA 2011; Evangelista, Laarman, Petrucci, van de Pol: "Improved Multi-Core Nested Depth-First Search", ATVA 2012.
//! Claim: workers that search in different orders and exchange only what they have left behind for good need no lock
//! and wait for nobody, and mostly explore different parts.
//!
//! # Why nothing is missed
//! - *Only what is complete is relied on.* A search ends a run at its own states as if it were alone, and at others
//!   only if they are in the table. Order the states of the table by the time at which they were stored first: whoever
//!   stored a state has executed everything below it, except below states that were in the table before. So each
//!   promise is kept by runs that were made, and no two searches rely on each other: while a state is on the paths of
//!   two searches, both explore it.
//! - *Cycles.* A cycle that leads through several searches' runs has a state that was stored first. Its search has
//!   closed a strongly connected component by itself, in which the rest of the cycle lies: it has treated the cycle as
//!   it does when alone.
//! - *Races.* The summary of a stored state has every operation executed below it, with the mutexes and joins that
//!   precede the operation on every path, which the state determines. So it is a fact of the state and says the same to
//!   every search. Races above a state that a search ends a run at are those of its own path: no backtrack point has to
//!   be brought to another search.
//! - *A search that dies* has given nothing away and taken nothing over. What it has stored stays true, since the runs
//!   that the entries rest on were made, and what these runs have shown was reported before the entry was made.
//! - *Numbers of threads* are given in the table as well, so they are the same in all searches.
//!
//! All searches have to see the same operations: when one of them makes a location visible, all begin anew with an
//! empty table.
//!
//! # What is paid for it
//! States that are on several paths at a time are explored more than once, so there are more executions than with one
//! search, and how many depends on who was faster.

use super::Stateful;
use super::summaries::{Summaries, SummaryOperation};
use crate::event::{Object, Operation, ThreadId, ThreadOrder, ThreadSet};
use crate::hash::Map;
use crate::run::{RecordPlace, StateKey, StateTable};
use alloc::vec::Vec;

/// An operation of a summary, as searches tell each other of it.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SharedOperation {
    /// Whose it is.
    pub thread: ThreadId,
    /// The operation.
    pub operation: Operation,
    /// The mutexes that its thread holds before it.
    pub held: Vec<Object>,
    /// The threads that its thread has joined before it, by itself or through others.
    pub joined: ThreadSet,
    /// The mutex that it takes away from its holder, if any.
    pub seized: Option<Object>,
}

/// How operations are written into the table.
#[derive(Clone, Copy, Debug)]
pub struct OperationEncoding {
    /// Writes an operation.
    pub encode: fn(&SharedOperation) -> Option<Vec<u64>>,
    /// Reads what `encode` has written.
    pub decode: fn(&[u64]) -> Option<SharedOperation>,
}

/// What a search that shares its states is made from.
#[derive(Clone, Copy, Debug)]
pub struct StateSharing {
    /// The explored states.
    pub table: StateTable,
    /// How their summaries are written.
    pub encoding: OperationEncoding,
    /// In which order this search tries threads; each of the searches has another one.
    pub order: ThreadOrder,
}

/// What a search knows of the records in the table.
#[derive(Debug)]
pub(super) struct SharedRecords {
    pub(super) with: StateSharing,
    /// By number of operation: the place of its record, as far as it has one.
    operations: Vec<Option<RecordPlace>>,
    /// The number of each operation that was read, by the place of its record.
    read_operations: Map<RecordPlace, u32>,
    /// The number of each summary that was read, by the place of its record.
    read_summaries: Map<RecordPlace, u32>,
}

impl SharedRecords {
    pub(super) fn new(with: StateSharing) -> Self {
        let (read_operations, read_summaries) = (Map::default(), Map::default());
        SharedRecords { with, operations: Vec::new(), read_operations, read_summaries }
    }
}

impl Stateful {
    /// Which thread of several the search tries first.
    pub(super) fn order(&self) -> ThreadOrder {
        self.shared.as_ref().map_or(ThreadOrder::ASCENDING, |shared| shared.with.order)
    }

    /// The table, if it has this state.
    fn has_explored(&self, key: Option<StateKey>) -> Option<(StateTable, RecordPlace)> {
        let table = self.shared.as_ref()?.with.table;
        table.find(key?).map(|place| (table, place))
    }

    /// Says to the other searches that the states left since position `from` of the list of open states are explored,
    /// with the summary of this number.
    pub(super) fn store_explored(&mut self, from: usize, summary: u32) {
        let Some(table) = self.shared.as_ref().map(|shared| shared.with.table) else { return };
        let new = |key: &StateKey| table.find(*key).is_none();
        let keys: Vec<StateKey> = self.open[from..].iter().filter_map(|(_, key)| key.filter(new)).collect();
        if !keys.is_empty()
            && let Some(place) = self.place_of_summary(table, summary)
        {
            keys.into_iter().for_each(|key| table.insert(key, place));
        }
    }

    /// Stores a state as explored with nothing below it.
    pub(super) fn promise(&mut self, key: Option<StateKey>) {
        let Some(table) = self.shared.as_ref().map(|shared| shared.with.table) else { return };
        if let (Some(key), Some(place)) = (key.filter(|key| table.find(*key).is_none()), table.add(&[])) {
            table.insert(key, place);
        }
    }

    /// The place of a summary's record, which is written if there is none; None if there is no room.
    fn place_of_summary(&mut self, table: StateTable, number: u32) -> Option<RecordPlace> {
        if let Some(place) = self.summaries.place(number) {
            return Some(place);
        }
        let summary = self.summaries.take(number);
        let places: Option<Vec<u64>> =
            summary.members().map(|operation| self.place_of_operation(table, operation).map(u64::from)).collect();
        self.summaries.give_back(number, summary);
        let place = table.add(&places?)?;
        self.summaries.note_place(number, place);
        Some(place)
    }

    fn place_of_operation(&mut self, table: StateTable, number: u32) -> Option<RecordPlace> {
        let shared = self.shared.as_mut()?;
        if let Some(place) = shared.operations.get(number as usize).copied().flatten() {
            return Some(place);
        }
        let SummaryOperation { thread, operation, held, joined, seized } = *self.summaries.operation(number);
        let held = self.locks.members(held).to_vec();
        let operation = SharedOperation { thread, operation, held, joined, seized };
        let place = table.add(&(shared.with.encoding.encode)(&operation)?)?;
        if shared.operations.len() <= number as usize {
            shared.operations.resize(number as usize + 1, None);
        }
        shared.operations[number as usize] = Some(place);
        Some(place)
    }

    /// The number of the summary of a state that some search has explored.
    pub(super) fn summary_of_others(&mut self, key: Option<StateKey>) -> Option<u32> {
        let (table, place) = self.has_explored(key)?;
        if let Some(&number) = self.shared.as_ref()?.read_summaries.get(&place) {
            return Some(number);
        }
        let mut summary = self.summaries.empty();
        for operation in table.record(place)? {
            summary.insert(self.read_operation(table, RecordPlace::try_from(operation).ok()?)?);
        }
        let number = self.summaries.keep(&summary);
        self.summaries.recycle(summary);
        self.shared.as_mut()?.read_summaries.insert(place, number);
        Some(number)
    }

    /// The number of the operation of a record.
    fn read_operation(&mut self, table: StateTable, place: RecordPlace) -> Option<u32> {
        let shared = self.shared.as_mut()?;
        if let Some(&number) = shared.read_operations.get(&place) {
            return Some(number);
        }
        let SharedOperation { thread, operation, held, joined, seized } =
            (shared.with.encoding.decode)(&table.record(place)?)?;
        let held = self.locks.number_of(held);
        let number = self.summaries.number_in_table(SummaryOperation { thread, operation, held, joined, seized });
        shared.read_operations.insert(place, number);
        self.learn_creators(table, thread);
        Some(number)
    }

    /// Notes who creates a thread of which only another search may have seen operations, and who creates that one.
    fn learn_creators(&mut self, table: StateTable, mut thread: ThreadId) {
        while let Some((creator, _)) = table.path(thread.index()) {
            self.note_creator(thread, creator);
            thread = creator;
        }
    }

    /// Whether another search has explored the last state of the path; takes its summary over then.
    pub(super) fn is_explored_by_others(&mut self) -> bool {
        let key = self.stack.last().and_then(|level| level.key);
        let Some(number) = self.summary_of_others(key) else { return false };
        self.take_over(number);
        true
    }
}

impl Summaries {
    /// Where a summary is stored for other searches.
    pub(super) fn place(&self, number: u32) -> Option<RecordPlace> {
        self.places.get(number as usize).copied().flatten()
    }

    /// Notes where a summary is stored for other searches.
    pub(super) fn note_place(&mut self, number: u32, place: RecordPlace) {
        if self.places.len() <= number as usize {
            self.places.resize(number as usize + 1, None);
        }
        self.places[number as usize] = Some(place);
    }
}
