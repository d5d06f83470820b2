//! How much a turn may do.
//!
//! A turn has a small share in any case, and a large one while its estimate says that the whole search may end with
//! it. An estimate was mostly too low where it was measured, and at most three times too high (docs/performance.md).

use super::Counts;
use core::time::Duration;

/// An effort, in runs and operations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Effort {
    /// Runs.
    pub runs: u64,
    /// Operations in all runs.
    pub operations: u64,
}

impl Effort {
    /// So many operations, in any number of runs.
    pub const fn of_operations(operations: u64) -> Effort {
        Effort { runs: u64::MAX, operations }
    }

    /// Whether what a search has counted is less.
    fn exceeds(&self, counts: &Counts) -> bool {
        counts.runs() < self.runs && counts.transitions < self.operations
    }
}

/// How much a turn may do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Share {
    /// What it may do in any case.
    pub least: Effort,
    /// What it may do while the whole search is estimated to take no more than `near`.
    pub most: Effort,
    /// See `most`.
    pub near: Effort,
    /// What the turns before have shown of the whole search, if it goes on from there.
    pub before: Reached,
}

/// How far a search had come.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Reached {
    /// Runs made.
    pub runs: u64,
    /// The number of runs in all that was estimated then; 0 if nothing was known.
    pub estimate: u64,
}

impl Reached {
    /// The estimate of the whole search where a turn that went on from here has made so many runs and estimates `total`
    /// by what it has seen: a turn sees a part of the search, of which its own estimate says little.
    fn total_after(self, runs: u64, total: f64) -> f64 {
        if self.estimate == 0 {
            return total;
        }
        let covered = self.runs as f64 / self.estimate as f64 + runs as f64 / total;
        (self.runs + runs) as f64 / covered
    }
}

impl Share {
    /// A share of so many operations, in any number of runs.
    pub const fn of_operations(operations: u64) -> Share {
        let all = Effort::of_operations(operations);
        Share { least: all, most: all, near: all, before: Reached { runs: 0, estimate: 0 } }
    }

    /// Whether a search that has counted this in its turn has used its share up. `estimate` is the number of runs in
    /// all, as far as the turn can tell; it is called only if `near` may matter.
    #[inline]
    pub fn is_used(&self, counts: &Counts, estimate: impl FnOnce() -> Option<f64>) -> bool {
        let is_near = |total: f64| {
            let total = self.before.total_after(counts.runs(), total);
            let operations = total * counts.transitions as f64 / counts.runs() as f64;
            total <= self.near.runs as f64 && operations <= self.near.operations as f64
        };
        !(self.least.exceeds(counts) || self.most.exceeds(counts) && estimate().is_some_and(is_near))
    }

    /// What is left of it for a turn that goes on from `reached`, which was a part of it.
    pub(super) fn after(self, reached: Reached) -> Share {
        let most = Effort { runs: self.most.runs.saturating_sub(reached.runs), ..self.most };
        Share { most, before: reached, ..self }
    }

    /// The same with other numbers.
    pub(super) fn map(self, runs: impl Fn(u64) -> u64, operations: impl Fn(u64) -> u64) -> Share {
        let of = |effort: Effort| Effort { runs: runs(effort.runs), operations: operations(effort.operations) };
        Share { least: of(self.least), most: of(self.most), near: of(self.near), ..self }
    }

    /// So many times as many operations, in any number of runs.
    pub(super) fn times(self, factor: u64) -> Share {
        self.map(|runs| runs, |operations| operations.saturating_mul(factor))
    }
}

/// How much processor time a turn may take: a second bound beside its share, for programs whose operations are slow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TurnTime {
    /// What it may take in any case.
    pub least: Duration,
    /// What it may take for its first run, and while the whole search is estimated to take no more than `near`.
    pub most: Duration,
    /// See `most`.
    pub near: Duration,
}

impl TurnTime {
    /// So much time, whatever the estimate is.
    pub const fn of(most: Duration) -> TurnTime {
        TurnTime { least: most, most, near: Duration::ZERO }
    }

    /// Whether the time of a search is over that has made so many runs in its turn, in `elapsed`; `estimate` is their
    /// number in all.
    pub fn is_over(&self, elapsed: Duration, runs: u64, estimate: Option<f64>) -> bool {
        let in_all = |total: f64| total / runs as f64 * elapsed.as_secs_f64();
        let is_near = |total: f64| in_all(total) <= self.near.as_secs_f64();
        elapsed >= self.least && !(elapsed < self.most && (runs == 0 || estimate.is_some_and(is_near)))
    }

    /// This many times as long.
    pub(super) fn times(self, factor: u32) -> TurnTime {
        let TurnTime { least, most, near } = self;
        TurnTime { least: least * factor, most: most * factor, near: near * factor }
    }
}

/// How many times too high an estimate may be.
pub(super) const ESTIMATE: u32 = 3;

/// A share of `most` operations for a search that may end with them, of `least` for one that is far from that.
pub(super) const fn nearly(least: u64, most: u64) -> Share {
    let near = Effort::of_operations(most * ESTIMATE as u64);
    Share { least: Effort::of_operations(least), near, ..Share::of_operations(most) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Share = Share {
        least: Effort { runs: 10, operations: 1000 },
        most: Effort { runs: 20, operations: 1000 },
        near: Effort { runs: 20, operations: u64::MAX },
        before: Reached { runs: 0, estimate: 0 },
    };

    fn counts(executions: u64, transitions: u64) -> Counts {
        Counts { executions, transitions, ..Counts::default() }
    }

    #[test]
    fn a_share_ends_with_its_operations_or_its_runs_unless_the_end_is_near() {
        let share = START;
        assert!(!share.is_used(&counts(9, 999), || None) && share.is_used(&counts(1, 1000), || Some(2.0)));
        assert!(share.is_used(&counts(10, 1), || None) && share.is_used(&counts(10, 1), || Some(21.0)));
        assert!(!share.is_used(&counts(19, 1), || Some(20.0)) && share.is_used(&counts(20, 1), || Some(20.0)));
    }

    #[test]
    fn a_share_ends_soon_for_a_search_that_is_estimated_to_take_more_operations_than_it_may_take() {
        // Ten operations a run: 300 of them are 30 runs, and an estimate may be three times too high.
        let used = |runs, estimate| nearly(40, 300).is_used(&counts(runs, 10 * runs), || estimate);
        assert!(!used(3, None) && used(4, None) && used(4, Some(91.0)) && !used(4, Some(90.0)));
        assert!(!used(29, Some(90.0)) && used(30, Some(31.0)));
    }

    #[test]
    fn the_estimate_of_a_turn_that_goes_on_counts_what_was_covered_before() {
        // 50 runs were 5 % of the search; a turn's own 10 runs are 1 % of it.
        let before = Reached { runs: 50, estimate: 1000 };
        assert_eq!(before.total_after(10, 1000.0).round(), 1000.0);
        assert_eq!(before.total_after(50, f64::INFINITY).round(), 2000.0, "nothing of weight was seen since");
        assert_eq!(Reached::default().total_after(10, 70.0), 70.0);
        let share = Share { before: Reached { runs: 20, estimate: 40 }, ..nearly(40, 300) };
        assert!(!share.is_used(&counts(4, 40), || Some(1e9)), "24 runs are half of 48");
    }

    #[test]
    fn the_time_of_a_turn_is_over_at_its_most_unless_the_end_is_near() {
        let [least, most] = [2, 6].map(Duration::from_secs);
        let time = TurnTime { least, most, near: most };
        let over = |seconds, runs, estimate| time.is_over(Duration::from_secs(seconds), runs, estimate);
        assert!(!over(1, 10, None) && !over(1, 10, Some(1e9)) && over(2, 10, None));
        assert!(!over(5, 0, None) && over(6, 0, None), "nothing is known before the first run has ended");
        assert!(!over(2, 10, Some(30.0)) && over(2, 10, Some(31.0)) && over(6, 10, Some(10.0)), "six seconds in all");
        assert!(TurnTime::of(Duration::from_secs(1)).is_over(Duration::from_secs(1), 10, Some(10.0)));
    }
}
