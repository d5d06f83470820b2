//! Which untaken paths have been followed already.

use super::held::HeldId;
use crate::table::Table;

/// Untaken paths, by number, that were followed with these locks held and this clock.
#[derive(Debug, Default)]
pub(super) struct UntakenPaths(Table<[u32; 3]>);

impl UntakenPaths {
    /// Forgets all.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Adds one; whether it is new.
    pub(super) fn insert(&mut self, (number, held, clock): (u32, HeldId, u32)) -> bool {
        self.0.set([number, held, clock], 0)
    }
}
