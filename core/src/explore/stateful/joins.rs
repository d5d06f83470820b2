//! Which threads have been joined: whatever they did happens before what comes after the join, wherever that comes.

use super::Map;
use crate::event::{Operation, ThreadId, ThreadSet};
use alloc::vec;
use alloc::vec::Vec;

/// Number of what all threads know to be over.
pub(super) type JoinNumber = u32;

/// For each thread the threads that are over and that it, or one that it knows to be over, or its creator before it was
/// created, has joined. Each such table is kept once.
#[derive(Debug)]
pub(super) struct Joins {
    tables: Vec<Vec<ThreadSet>>,
    numbers: Map<Vec<ThreadSet>, JoinNumber>,
}

impl Default for Joins {
    fn default() -> Self {
        let mut joins = Joins { tables: vec![Vec::new()], numbers: Map::default() };
        joins.numbers.insert(Vec::new(), 0);
        joins
    }
}

impl Joins {
    /// What `thread` knows to be over.
    pub(super) fn joined_by(&self, number: JoinNumber, thread: ThreadId) -> ThreadSet {
        self.tables[number as usize].get(thread.index()).copied().unwrap_or(ThreadSet::EMPTY)
    }

    /// What is known after an operation.
    pub(super) fn after(&mut self, number: JoinNumber, thread: ThreadId, operation: &Operation) -> JoinNumber {
        let own = self.joined_by(number, thread);
        let (who, knows) = match *operation {
            Operation::Join(child) => (thread, own.union(self.joined_by(number, child)).union(ThreadSet::only(child))),
            Operation::Create(child) => (child, own),
            Operation::Read(_)
            | Operation::Write(_)
            | Operation::AtomicLoad(..)
            | Operation::AtomicStore(..)
            | Operation::AtomicUpdate { .. }
            | Operation::MutexInit(_)
            | Operation::MutexDestroy(_)
            | Operation::Lock(_)
            | Operation::TryLock { .. }
            | Operation::Unlock(_)
            | Operation::CondInit(_)
            | Operation::CondDestroy(_)
            | Operation::WaitRelease { .. }
            | Operation::WaitExpire { .. }
            | Operation::WaitReacquire { .. }
            | Operation::Signal { .. }
            | Operation::Broadcast { .. }
            | Operation::OnceEnter { .. }
            | Operation::OnceLeave(_)
            | Operation::Exit
            | Operation::Detach(_)
            | Operation::Choose
            | Operation::Yield
            | Operation::Assume
            | Operation::EndProcess(_) => return number,
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
            tables.len() as JoinNumber - 1
        })
    }
}
