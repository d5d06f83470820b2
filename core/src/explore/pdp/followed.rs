//! Which untaken paths a check has followed already.

use super::locksets::LocksetsId;
use crate::table::Table;

/// Untaken paths, by number, that were followed with these locks held and this clock.
#[derive(Debug, Default)]
pub(super) struct FollowedPaths(Table<[u32; 3]>);

impl FollowedPaths {
    /// Forgets all.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Adds an untaken path; true if it was not followed with these locks and this clock before.
    pub(super) fn insert(&mut self, (number, held, clock): (u32, LocksetsId, u32)) -> bool {
        self.0.set([number, held, clock], 0)
    }
}
