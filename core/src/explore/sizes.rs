//! How large the branches of a preemption-bounded search are.
//!
//! Philip Kilby, John Slaney, Sylvie Thiebaux, Toby Walsh: "Estimating Search Tree Size", AAAI 2006. Claim: a
//! depth-first search can estimate a branch that it has not entered by its finished siblings, which suits lopsided
//! trees better than the product of the numbers of branches (Knuth 1975), which takes all siblings to be of one size.
//!
//! Departures: a branch that begins with a preemption has fewer preemptions left than its siblings, so it is far
//! smaller than they are; it is estimated by the mean of the finished branches that began with the same number of
//! preemptions. Any other branch is estimated by the size of its first sibling times the mean ratio of such pairs so
//! far: less than 1, as the later one leads to states that were visited below the first.

use alloc::vec;
use alloc::vec::Vec;

/// Sizes of finished branches.
#[derive(Debug)]
pub(super) struct Sizes {
    /// Number and executions of branches that began with the n-th preemption, by n.
    spending: Vec<(u64, u64)>,
    /// Executions of later branches that began without a preemption, and of their first siblings.
    later: u64,
    first: u64,
}

impl Sizes {
    /// Nothing is finished, and up to `bound` preemptions are allowed.
    pub(super) fn new(bound: u32) -> Self {
        Sizes { spending: vec![(0, 0); bound as usize + 1], later: 0, first: 0 }
    }

    /// Notes a finished branch of `size` executions. `first` is the size of its first sibling; 0 if it is the first one
    /// itself. `spent` is the number of preemptions up to the one with which the branch began, if it began with one.
    pub(super) fn note(&mut self, size: u64, first: u64, spent: Option<u32>) {
        if let Some(known) = spent.and_then(|spent| self.spending.get_mut(spent as usize)) {
            known.0 += 1;
            known.1 += size;
        } else if first != 0 {
            self.later += size;
            self.first += first;
        }
    }

    /// The expected size of a branch that begins with a preemption, the `spent`-th.
    pub(super) fn spending(&self, spent: u32) -> f64 {
        match self.spending.get(spent as usize) {
            Some(&(branches, executions)) if branches != 0 => executions as f64 / branches as f64,
            // No such branch is finished; this one has at least one execution.
            Some(_) | None => 1.0,
        }
    }

    /// The expected size of a branch that begins without a preemption and whose first sibling has size `beside`.
    pub(super) fn free(&self, beside: f64) -> f64 {
        if self.first == 0 { beside } else { beside * self.later as f64 / self.first as f64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn branches_are_taken_to_be_like_the_finished_ones_of_their_kind() {
        let mut sizes = Sizes::new(2);
        assert_eq!((sizes.spending(1), sizes.free(8.0)), (1.0, 8.0), "nothing is known");
        sizes.note(3, 0, Some(1));
        sizes.note(5, 100, Some(1));
        sizes.note(100, 0, None);
        sizes.note(25, 100, None);
        assert_eq!(sizes.spending(1), 4.0, "(3 + 5) / 2");
        assert_eq!(sizes.spending(2), 1.0, "none of these is finished");
        assert_eq!(sizes.free(8.0), 2.0, "a quarter of the branch beside it");
    }
}
