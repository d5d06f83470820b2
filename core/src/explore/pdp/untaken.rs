//! Remembers at which ways not taken a look has been.

use super::held::HeldId;
use alloc::vec::Vec;

/// Ways not taken that were looked at, with the locks and the clock.
#[derive(Debug, Default)]
pub(super) struct UntakenPaths {
    /// At the hashes; those of another look are free. The size is a power of two.
    table: Vec<(u32, (u32, HeldId, u32))>,
    look: u32,
    count: usize,
}

impl UntakenPaths {
    /// Forgets all.
    pub(super) fn clear(&mut self) {
        self.look += 1;
        self.count = 0;
    }

    /// Adds one; whether it is new.
    pub(super) fn insert(&mut self, untaken: (u32, HeldId, u32)) -> bool {
        if self.count * 2 >= self.table.len() {
            let size = (self.table.len() * 2).max(64);
            let old = core::mem::replace(&mut self.table, alloc::vec![(0, untaken); size]);
            let present: Vec<_> = old.into_iter().filter(|(look, _)| *look == self.look).collect();
            self.count = 0;
            present.into_iter().for_each(|(_, untaken)| _ = self.insert(untaken));
        }
        let (number, held, clock) = untaken;
        let mixed =
            (u64::from(number) << 40 ^ u64::from(held) << 20 ^ u64::from(clock)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut at = (mixed >> 32) as usize & (self.table.len() - 1);
        while self.table[at].0 == self.look {
            if self.table[at].1 == untaken {
                return false;
            }
            at = (at + 1) & (self.table.len() - 1);
        }
        self.table[at] = (self.look, untaken);
        self.count += 1;
        true
    }
}
