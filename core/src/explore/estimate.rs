//! How many executions a search will have made when it is done.
//!
//! Donald E. Knuth: "Estimating the Efficiency of Backtrack Programs", Mathematics of Computation 29 (1975). Claim:
//! if a path from the root takes each branch with equal probability, the product of the numbers of branches along it
//! is an unbiased estimate of the number of leaves, and the mean over random paths approaches it.
//!
//! Departure: a depth-first search does not visit paths at random. Every leaf visited counts with the probability that
//! a random path would have had of reaching it, its *share* (the inverse of Knuth's product); the number of leaves
//! visited divided by the sum of their shares is the estimate. It is exact once the search is complete, since the
//! shares of all leaves add up to 1.

use alloc::vec::Vec;

/// The estimate of a search that descends and returns in a tree.
#[derive(Debug)]
pub struct Estimate {
    /// The share of the root: 1 if it is the root of the whole tree.
    root: f64,
    /// Inverse of the product of branches, one entry per node of the present path.
    shares: Vec<f64>,
    /// Sum of the shares of the leaves reached.
    covered: f64,
    leaves: u64,
}

impl Default for Estimate {
    fn default() -> Self {
        Estimate { root: 1.0, shares: Vec::new(), covered: 0.0, leaves: 0 }
    }
}

impl Estimate {
    /// Begins with another part of the tree, whose root has this share. The leaves reached so far still count.
    pub fn begin(&mut self, share: f64) {
        self.root = share;
        self.shares.clear();
    }

    /// The share of each branch of the node at this depth of the present path.
    pub fn share(&self, depth: usize) -> f64 {
        self.shares.get(depth).copied().unwrap_or(self.root)
    }

    /// The sum of the shares of the leaves reached.
    pub fn covered(&self) -> f64 {
        self.covered
    }

    /// Descends into a node with this many branches (at least 1).
    #[inline]
    pub fn enter(&mut self, branches: u64) {
        let share = self.shares.last().copied().unwrap_or(self.root);
        self.shares.push(share / branches as f64);
    }

    /// Returns from the deepest node.
    #[inline]
    pub fn leave(&mut self) {
        self.shares.pop();
    }

    /// A leaf was reached: an execution is complete.
    #[inline]
    pub fn reached(&mut self) {
        self.reached_with(self.shares.last().copied().unwrap_or(self.root));
    }

    /// A leaf was reached whose share the caller has computed: for searches whose numbers of branches still grow.
    #[inline]
    pub fn reached_with(&mut self, share: f64) {
        self.covered += share;
        self.leaves += 1;
    }

    /// The estimated number of leaves.
    pub fn total(&self) -> Option<f64> {
        (self.covered > 0.0).then(|| self.leaves as f64 / self.covered)
    }
}
