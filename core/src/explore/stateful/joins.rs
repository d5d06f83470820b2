//! Which threads each thread has joined: what a joined thread did happens before everything after the join, on every
//! path.
//!
//! The run ([`Run::knowledge`](crate::run::Run::knowledge)) knows these threads for its present moment only. A search
//! sees events and no run, and needs them at every position of its path.

use crate::event::{ThreadId, ThreadSet};
use crate::hash::Map;
use alloc::vec;
use alloc::vec::Vec;

/// The number by which a table of [`JoinTables`] is known.
pub(super) type JoinTableId = u32;

/// Tables with, for each thread, the threads that it has joined: by itself, through a thread that it has joined, or
/// through its creator before it was created. Each table is stored once.
#[derive(Debug)]
pub(super) struct JoinTables {
    tables: Vec<Vec<ThreadSet>>,
    numbers: Map<Vec<ThreadSet>, JoinTableId>,
}

impl Default for JoinTables {
    fn default() -> Self {
        let mut joins = JoinTables { tables: vec![Vec::new()], numbers: Map::default() };
        joins.numbers.insert(Vec::new(), 0);
        joins
    }
}

impl JoinTables {
    /// The threads that `thread` has joined.
    pub(super) fn joined_by(&self, number: JoinTableId, thread: ThreadId) -> ThreadSet {
        self.tables[number as usize].get(thread.index()).copied().unwrap_or(ThreadSet::EMPTY)
    }

    /// The table after an operation, which creates or joins a thread, if any.
    pub(super) fn after(
        &mut self,
        number: JoinTableId,
        thread: ThreadId,
        (created, joined): (Option<ThreadId>, Option<ThreadId>),
    ) -> JoinTableId {
        let own = self.joined_by(number, thread);
        let (who, knows) = match (created, joined) {
            (_, Some(child)) => (thread, own.union(self.joined_by(number, child)).union(ThreadSet::only(child))),
            (Some(child), None) => (child, own),
            (None, None) => return number,
        };
        if self.joined_by(number, who) == knows {
            return number;
        }
        let mut table = self.tables[number as usize].clone();
        if table.len() <= who.index() {
            table.resize(who.index() + 1, ThreadSet::EMPTY);
        }
        table[who.index()] = knows;
        let tables = &mut self.tables;
        *self.numbers.entry(table).or_insert_with_key(|table| {
            tables.push(table.clone());
            tables.len() as JoinTableId - 1
        })
    }
}
