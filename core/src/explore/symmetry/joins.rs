//! Which thread joins which in a run, since the comparison of states for symmetry leaves that out.

use crate::event::{MAX_THREADS, Pending, ThreadId, ThreadSet, Trace};

/// A row of joins: consecutive operations of one thread, all of them joins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct JoinRow {
    /// The thread that joins.
    by: ThreadId,
    /// The number of events of that thread before the row that are no joins.
    number: u32,
    /// The position of the first state in which that thread has executed everything before the row.
    since: u32,
}

/// By thread: by which thread, and in which row, it is joined in a run.
pub(super) struct JoinRows {
    rows: [Option<JoinRow>; MAX_THREADS],
    /// By thread that joins: the number of the row that may continue after the end of the run.
    open: [Option<u32>; MAX_THREADS],
    /// By thread that is joined: the position of the first event that the joining thread executes after the row.
    until: [u32; MAX_THREADS],
}

/// How the joins of two threads compare after a state.
pub(super) enum Waiting {
    /// Both are joined alike: in one row that begins later, or not at all.
    Alike,
    /// In one row, which has begun in the state: so in every run through the state.
    InOneRow,
    /// The row has begun in the state, and the run ended before the join of one of them.
    PerhapsInOneRow,
    /// Differently.
    Apart,
}

impl JoinRows {
    /// As if no thread were joined.
    pub(super) fn none() -> Self {
        JoinRows { rows: [None; MAX_THREADS], open: [None; MAX_THREADS], until: [u32::MAX; MAX_THREADS] }
    }

    /// The rows of a run, with the joins that are pending at its end.
    pub(super) fn of(trace: &Trace) -> Self {
        let mut joins = JoinRows::none();
        let mut present = [(0u32, 0u32); MAX_THREADS];
        // By thread: those joined in its present row.
        let mut joined = [ThreadSet::EMPTY; MAX_THREADS];
        for (at, event) in trace.events.iter().enumerate() {
            let by = event.thread;
            let (number, since) = &mut present[by.index()];
            if let Some(thread) = event.operation.joins() {
                joins.rows[thread.index()] = Some(JoinRow { by, number: *number, since: *since });
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
                joins.rows[thread.index()] = Some(JoinRow { by, number, since });
                joins.open[by.index()] = Some(number);
            }
        }
        joins
    }

    /// Whether the run joins both threads, in one row.
    pub(super) fn in_one_row(&self, a: ThreadId, b: ThreadId) -> bool {
        let (one, other) = (self.rows[a.index()], self.rows[b.index()]);
        one.is_some() && one == other
    }

    /// Compares how two threads are joined after the state at position `at`.
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

    /// Whether the row in which `joined` is joined has begun in the state at position `at`, and has not ended.
    fn stands_in(&self, at: u32, joined: ThreadId, row: JoinRow) -> bool {
        row.since <= at && at <= self.until[joined.index()]
    }
}
