//! Who waits for the end of whom, which the comparison of states leaves out.

use crate::event::{MAX_THREADS, Pending, ThreadId, ThreadSet, Trace};

/// A row of joins without anything in between.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Row {
    /// Who makes it.
    by: ThreadId,
    /// How many events its maker has that are no joins, before it.
    number: u32,
    /// The states in which its maker has done what comes before the row and nothing of what comes after it: from this one
    /// on.
    since: u32,
}

/// Where threads are joined in a run: by whom, and in which row of joins.
pub(super) struct Joins {
    rows: [Option<Row>; MAX_THREADS],
    /// By thread that joins: the row that may go on beyond the end of the run.
    open: [Option<u32>; MAX_THREADS],
    /// By thread that is joined: the state after which the maker of its row goes on with something else.
    until: [u32; MAX_THREADS],
}

/// How two threads are waited for in a run.
pub(super) enum Waiting {
    /// In the same way.
    Alike,
    /// In one row of joins, in which their maker stands already: so in every run through that state.
    InOneRow,
    /// The run is over before that is known of one of them, but their maker stands in the row of joins already.
    PerhapsInOneRow,
    /// Differently.
    Apart,
}

impl Joins {
    pub(super) fn none() -> Self {
        Joins { rows: [None; MAX_THREADS], open: [None; MAX_THREADS], until: [u32::MAX; MAX_THREADS] }
    }

    pub(super) fn of(trace: &Trace) -> Self {
        let mut joins = Joins::none();
        let mut present = [(0u32, 0u32); MAX_THREADS];
        // By thread: those joined in its present row.
        let mut joined = [ThreadSet::EMPTY; MAX_THREADS];
        for (at, event) in trace.events.iter().enumerate() {
            let by = event.thread;
            let (number, since) = &mut present[by.index()];
            if let Some(thread) = event.operation.joins() {
                joins.rows[thread.index()] = Some(Row { by, number: *number, since: *since });
                joined[by.index()].insert(thread);
                continue;
            }
            (*number, *since) = (*number + 1, at as u32 + 1);
            for thread in core::mem::take(&mut joined[by.index()]).iter() {
                joins.until[thread.index()] = at as u32;
            }
        }
        for &Pending { thread: by, operation, .. } in &trace.pending {
            if let Some(thread) = operation.joins() {
                let (number, since) = present[by.index()];
                joins.rows[thread.index()] = Some(Row { by, number, since });
                joins.open[by.index()] = Some(number);
            }
        }
        joins
    }

    pub(super) fn in_one_row(&self, a: ThreadId, b: ThreadId) -> bool {
        let (one, other) = (self.rows[a.index()], self.rows[b.index()]);
        one.is_some() && one == other
    }

    /// Compares how two threads are waited for, from state `at` on.
    pub(super) fn compare(&self, at: u32, a: ThreadId, b: ThreadId) -> Waiting {
        let (joined, only) = match (self.rows[a.index()], self.rows[b.index()]) {
            (None, None) => return Waiting::Alike,
            (Some(one), Some(other)) if one != other => return Waiting::Apart,
            (Some(one), Some(_)) => return if self.stands_in(at, a, one) { Waiting::InOneRow } else { Waiting::Alike },
            (Some(one), None) => (a, one),
            (None, Some(other)) => (b, other),
        };
        let may_go_on = self.open[only.by.index()] == Some(only.number);
        if may_go_on && self.stands_in(at, joined, only) { Waiting::PerhapsInOneRow } else { Waiting::Apart }
    }

    /// Whether the maker of the row in which `joined` is waited for does nothing between state `at` and the row.
    fn stands_in(&self, at: u32, joined: ThreadId, row: Row) -> bool {
        row.since <= at && at <= self.until[joined.index()]
    }
}
