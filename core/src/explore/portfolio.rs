//! A portfolio: several searches of one program that take turns, as which of them suits a program is not known before.
//!
//! Carla P. Gomes, Bart Selman: "Algorithm portfolios", Artificial Intelligence 126 (2001). Claim: where the effort
//! that an algorithm takes varies much from one instance to another, algorithms that share a machine find an answer
//! with less effort on average, and with less risk, than the best of them alone.
//!
//! A turn is a search of its own: it has its row of the catalogue, claims what that says, and ends with an answer or
//! with its [`Share`]. What the portfolio shows is what one of its turns has shown alone.
//!
//! Departures: the paper distributes processors by the measured distribution of run times. Here the shares are fixed
//! beforehand, in operations, so that most programs have the same turns on every machine: first a short exhaustive
//! search, which most small programs do not use up, then rounds in which each part has one turn, four times as long in
//! each round as in the one before. The exhaustive search goes on from where its last turn has ended, and one that
//! samples with other runs; the other parts begin anew with each turn, which at most adds a third to their effort.
//! Where operations are slow, a turn ends before that, after its [`TurnTime`], which only the host can tell.

use super::{Algorithm, Counts};
use core::time::Duration;

/// How much a turn may do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Share {
    /// The largest number of runs, unless `near` allows more.
    pub runs: u64,
    /// The largest number of runs while the whole search is estimated to have no more runs than this.
    pub near: u64,
    /// Operations in all runs.
    pub operations: u64,
}

impl Share {
    /// A share of so many operations, in any number of runs.
    pub const fn of_operations(operations: u64) -> Share {
        Share { runs: u64::MAX, near: 0, operations }
    }

    /// Whether a search that has counted this has used its share up. `estimate` is the number of runs in all; it is
    /// called only if `near` may matter.
    #[inline]
    pub fn is_used(&self, counts: &Counts, estimate: impl FnOnce() -> Option<f64>) -> bool {
        let runs = counts.runs();
        let is_near = || runs < self.near && estimate().is_some_and(|total| total <= self.near as f64);
        counts.transitions >= self.operations || runs >= self.runs && !is_near()
    }
}

/// How much processor time a turn may take: a second bound beside its share, for programs whose operations are slow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TurnTime {
    /// The longest time, unless `near` allows more.
    pub most: Duration,
    /// The longest time while the whole search is estimated to take no more than this.
    pub near: Duration,
}

impl TurnTime {
    /// So much time, whatever the estimate is.
    pub const fn of(most: Duration) -> TurnTime {
        TurnTime { most, near: Duration::ZERO }
    }

    /// Whether the time of a search that has made so many runs in `elapsed` is over; `estimate` is their number in all.
    pub fn is_over(&self, elapsed: Duration, runs: u64, estimate: Option<f64>) -> bool {
        let in_all = |total: f64| total / runs as f64 * elapsed.as_secs_f64();
        let is_near = || elapsed < self.near && estimate.is_some_and(|total| in_all(total) <= self.near.as_secs_f64());
        elapsed >= self.most && !is_near()
    }
}

/// The parts of a portfolio.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PortfolioPart {
    /// Every interleaving, each class of equivalent ones once.
    Exhaustive,
    /// The search that ends a run in a state that was visited before.
    States,
    /// All that is within a bound on preemptions, with one bound after the other.
    Bounded,
    /// Runs drawn by chance.
    Sampled(Algorithm),
}

/// A search to be made next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Turn {
    /// The part that has its turn.
    pub part: PortfolioPart,
    /// The search.
    pub algorithm: Algorithm,
    /// The bound on preemptions, if it has one.
    pub preemptions: Option<u32>,
    /// The limit on the length of a run, in operations.
    pub max_steps: u32,
    /// How much it may do.
    pub share: Share,
    /// How long it may take.
    pub time: TurnTime,
    /// The number of the first run, if the search samples.
    pub first_run: u64,
}

/// How a turn ended that gave no final answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TurnEnd {
    /// Its share was used up, or its time.
    Share,
    /// Nothing was left to the search.
    Over {
        /// Whether the search has cut runs because of their length.
        cut: bool,
    },
    /// The program does not have what the search needs.
    Impossible,
}

/// The lengths of the turns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shares {
    /// The share of the exhaustive search with which a portfolio begins.
    pub start: Share,
    /// Operations of the search that compares states, and of each one that samples, in the first round.
    pub round: u64,
    /// Operations of the bounded searches together in the first round: with many threads, they take much longer for an
    /// operation.
    pub bounded: u64,
    /// Operations of the exhaustive search in the first round; it takes least time for an operation.
    pub exhaustive: u64,
    /// The limit on the length of a run in the first round, in operations, once some run was cut at the user's limit
    /// (`--max-steps`); until then the user's limit applies.
    pub steps: u32,
    /// How long the start may take.
    pub start_time: TurnTime,
    /// How long a turn of the first round may take, but for that of the exhaustive search.
    pub round_time: Duration,
    /// How long the exhaustive search may take in the first round.
    pub exhaustive_time: Duration,
}

impl Default for Shares {
    /// A start of some tenths of a second on common hardware, and a first round of some seconds.
    fn default() -> Self {
        Shares {
            start: Share { runs: 20_000, near: 100_000, operations: 10_000_000 },
            round: 1_000_000,
            bounded: 250_000,
            exhaustive: 50_000_000,
            steps: 4_000,
            start_time: TurnTime { most: Duration::from_secs(1), near: Duration::from_secs(3) },
            round_time: Duration::from_secs(1),
            exhaustive_time: Duration::from_secs(15),
        }
    }
}

impl Shares {
    /// Shares for runs that each take many times as long as usual, as those in a process of their own do.
    pub fn of_slow_runs() -> Self {
        const SLOWER: u64 = 10;
        let Shares { start, round, bounded, exhaustive, .. } = Shares::default();
        let start =
            Share { runs: start.runs / SLOWER, near: start.near / SLOWER, operations: start.operations / SLOWER };
        let (round, bounded, exhaustive) = (round / SLOWER, bounded / SLOWER, exhaustive / SLOWER);
        Shares { start, round, bounded, exhaustive, ..Shares::default() }
    }
}

/// The order of turns in a round.
const ORDER: [PortfolioPart; 7] = [
    PortfolioPart::States,
    PortfolioPart::Sampled(Algorithm::Pos),
    PortfolioPart::Sampled(Algorithm::Surw),
    PortfolioPart::Sampled(Algorithm::Pct),
    PortfolioPart::Sampled(Algorithm::Random),
    PortfolioPart::Bounded,
    PortfolioPart::Exhaustive,
];
/// Up to how many threads `cb-por` takes not much longer for an operation than other searches.
const FEW_THREADS: u32 = 8;
/// By how much the turns of a round are longer than those of the round before.
const GROWTH: u64 = 4;
/// How many rounds follow once the exhaustive search is over: it has cut executions for their length, and the other
/// parts find a bug in these only by chance.
const LAST_ROUNDS: u32 = 2;
/// How far the numbers of the runs sampled in a round are from those of the round before: what a turn samples does not
/// depend on how far the one before has come, as that may depend on time.
const RUNS_OF_TURN: u64 = 1 << 40;
/// Round after which there is no further one: its turns take days.
const MOST_ROUNDS: u32 = 12;

/// Which turns there were, and which one comes next.
#[derive(Clone, Debug)]
pub struct Portfolio {
    shares: Shares,
    max_steps: u32,
    /// 0 is the start.
    round: u32,
    last_round: u32,
    /// Whose turn it is, as a position in [`ORDER`].
    position: usize,
    /// Parts that have no further turn.
    over: [bool; ORDER.len()],
    /// The bound that comes next, and the operations that are left to bounded searches in this round.
    bound: u32,
    left: u64,
    /// Some run was cut at the largest length that the user allows.
    cut: bool,
    /// The largest number of threads of a run.
    threads: u32,
}

impl Portfolio {
    /// A portfolio that has not begun; runs have at most `max_steps` operations.
    pub fn new(shares: Shares, max_steps: u32) -> Self {
        Portfolio {
            shares,
            max_steps,
            round: 0,
            last_round: MOST_ROUNDS,
            position: ORDER.len() - 1,
            over: [false; ORDER.len()],
            bound: 0,
            left: 0,
            cut: false,
            threads: 0,
        }
    }

    /// A portfolio of the sampling parts of [`ORDER`] alone, for `inspect flaky`: it does not begin with an exhaustive
    /// search, and no part of it covers everything.
    pub fn of_samples(shares: Shares, max_steps: u32) -> Self {
        let over = ORDER.map(|part| !matches!(part, PortfolioPart::Sampled(_)));
        Portfolio { round: 1, position: 0, over, ..Portfolio::new(shares, max_steps) }
    }

    /// The next turn; None if no part has anything left to try.
    pub fn turn(&mut self) -> Option<Turn> {
        if self.round == 0 {
            let turn = self.described(PortfolioPart::Exhaustive, Algorithm::Optimal, self.shares.start);
            return Some(Turn { time: self.shares.start_time, ..turn });
        }
        while self.over[self.position] {
            if !self.pass_on() {
                return None;
            }
        }
        let (part, growth) = (ORDER[self.position], GROWTH.pow(self.round - 1));
        let grown = |operations: u64| Share::of_operations(operations * growth);
        Some(match part {
            PortfolioPart::Exhaustive => self.described(part, Algorithm::Optimal, grown(self.shares.exhaustive)),
            PortfolioPart::States => self.described(part, Algorithm::Stateful, grown(self.shares.round)),
            PortfolioPart::Sampled(algorithm) => self.described(part, algorithm, grown(self.shares.round)),
            PortfolioPart::Bounded => {
                // The number of prefixes that `cb-por` looks at in a run grows with a power of the run's length, whose
                // exponent is the number of threads.
                let large = self.cut || self.threads > FEW_THREADS;
                let algorithm = if large { Algorithm::Optimal } else { Algorithm::CbPor };
                let turn = self.described(part, algorithm, Share::of_operations(self.left));
                Turn { preemptions: Some(self.bound), ..turn }
            }
        })
    }

    fn described(&self, part: PortfolioPart, algorithm: Algorithm, share: Share) -> Turn {
        let (is_exhaustive, rounds) = (part == PortfolioPart::Exhaustive, self.round.saturating_sub(1));
        // The exhaustive search has seen the longest runs, and is to cover them.
        let max_steps = if is_exhaustive { self.max_steps } else { self.steps() };
        let first_time = if is_exhaustive { self.shares.exhaustive_time } else { self.shares.round_time };
        let time = TurnTime::of(first_time * GROWTH.pow(rounds) as u32);
        // No turn samples so many runs that it would come to those of the next round.
        let first_run = u64::from(rounds) * RUNS_OF_TURN;
        Turn { part, algorithm, preemptions: None, max_steps, share, time, first_run }
    }

    /// The longest run of this round.
    fn steps(&self) -> u32 {
        let grown = self.shares.steps.saturating_mul(GROWTH.pow(self.round.saturating_sub(1)) as u32);
        if self.cut { self.max_steps.min(grown) } else { self.max_steps }
    }

    /// Takes in how the last turn ended, what it has counted, and the largest number of threads of its runs.
    pub fn took(&mut self, end: TurnEnd, counts: &Counts, threads: u32) {
        self.threads = self.threads.max(threads);
        let part = ORDER[self.position];
        match (part, end) {
            (PortfolioPart::Exhaustive, TurnEnd::Over { cut }) => {
                self.cut |= cut;
                self.over[self.position] = true;
                self.last_round = self.round + LAST_ROUNDS;
            }
            (PortfolioPart::Bounded, TurnEnd::Over { .. }) if counts.transitions < self.left => {
                self.left -= counts.transitions;
                self.bound += 1;
                return;
            }
            (PortfolioPart::Bounded, TurnEnd::Over { .. }) => self.bound += 1,
            // Its runs may be longer in the next round.
            (PortfolioPart::States, TurnEnd::Over { cut: true }) if self.steps() < self.max_steps => {}
            (PortfolioPart::States | PortfolioPart::Sampled(_), TurnEnd::Over { .. }) | (_, TurnEnd::Impossible) => {
                self.over[self.position] = true;
            }
            (_, TurnEnd::Share) => {}
        }
        if !self.pass_on() {
            self.over = [true; ORDER.len()];
        }
    }

    /// Gives the turn to the next part; false if there is no further round.
    fn pass_on(&mut self) -> bool {
        self.position += 1;
        if self.position < ORDER.len() {
            return true;
        }
        self.position = 0;
        if self.round == self.last_round || self.over.iter().all(|over| *over) {
            return false;
        }
        self.round += 1;
        self.left = self.shares.bounded * GROWTH.pow(self.round - 1);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    const SHARES: Shares = Shares {
        start: Share { runs: 10, near: 20, operations: 1000 },
        round: 50,
        bounded: 100,
        exhaustive: 300,
        steps: 40,
        start_time: TurnTime { most: Duration::from_secs(2), near: Duration::from_secs(6) },
        round_time: Duration::from_secs(1),
        exhaustive_time: Duration::from_secs(3),
    };

    fn counts(executions: u64, transitions: u64) -> Counts {
        Counts { executions, transitions, ..Counts::default() }
    }

    /// The turns, each with its share of operations, until `most` of them were made; `end` says how each ends.
    fn turns(most: usize, end: impl Fn(&Turn) -> TurnEnd) -> Vec<Turn> {
        let mut portfolio = Portfolio::new(SHARES, 1000);
        let mut all = Vec::new();
        while let Some(turn) = portfolio.turn().filter(|_| all.len() < most) {
            all.push(turn);
            portfolio.took(end(&turn), &counts(3, 30), 2);
        }
        all
    }

    #[test]
    fn a_share_ends_with_its_operations_or_its_runs_unless_the_end_is_near() {
        let share = SHARES.start;
        assert!(!share.is_used(&counts(9, 999), || None) && share.is_used(&counts(1, 1000), || Some(2.0)));
        assert!(share.is_used(&counts(10, 1), || None) && share.is_used(&counts(10, 1), || Some(21.0)));
        assert!(!share.is_used(&counts(19, 1), || Some(20.0)) && share.is_used(&counts(20, 1), || Some(20.0)));
    }

    #[test]
    fn the_time_of_a_turn_is_over_at_its_most_unless_the_end_is_near() {
        let over = |seconds, runs, estimate| SHARES.start_time.is_over(Duration::from_secs(seconds), runs, estimate);
        assert!(!over(1, 10, None) && !over(1, 10, Some(1e9)) && over(2, 10, None) && over(2, 0, None));
        assert!(!over(2, 10, Some(30.0)) && over(2, 10, Some(31.0)) && over(6, 10, Some(10.0)), "six seconds in all");
        assert!(TurnTime::of(Duration::from_secs(1)).is_over(Duration::from_secs(1), 10, Some(10.0)));
    }

    #[test]
    fn after_the_start_each_part_has_a_turn_in_each_round_four_times_as_long_as_before() {
        let all = turns(15, |_| TurnEnd::Share);
        assert_eq!((all[0].part, all[0].share), (PortfolioPart::Exhaustive, SHARES.start));
        let parts = |turns: &[Turn]| turns.iter().map(|turn| turn.part).collect::<Vec<_>>();
        assert_eq!(parts(&all[1..8]), ORDER);
        assert_eq!(parts(&all[8..15]), ORDER);
        for (first, second) in all[1..8].iter().zip(&all[8..15]) {
            assert_eq!(first.share.operations * 4, second.share.operations, "{first:?}");
            assert_eq!(first.time.most * 4, second.time.most, "{first:?}");
        }
        assert_eq!(all[6].preemptions, Some(0));
        assert_eq!(all[13].preemptions, Some(0), "a bound that was not covered is searched again");
        assert_eq!((all[2].first_run, all[9].first_run), (0, RUNS_OF_TURN), "other runs than in the first round");
    }

    #[test]
    fn bounds_grow_until_the_share_of_the_round_is_used_up() {
        let covered = |turn: &Turn| match turn.part {
            PortfolioPart::Bounded => TurnEnd::Over { cut: false },
            _ => TurnEnd::Share,
        };
        let bounded: Vec<Turn> =
            turns(12, covered).into_iter().filter(|turn| turn.part == PortfolioPart::Bounded).collect();
        // 100 operations in the first round, of which each takes 30.
        let expected = [(0, 100), (1, 70), (2, 40), (3, 10)];
        assert_eq!(bounded.len(), 4);
        for (turn, (bound, operations)) in bounded.iter().zip(expected) {
            assert_eq!((turn.preemptions, turn.share.operations), (Some(bound), operations));
        }
    }

    #[test]
    fn two_rounds_follow_an_exhaustive_search_that_has_cut_runs_and_theirs_are_shorter() {
        let cut = |turn: &Turn| match turn.part {
            PortfolioPart::Exhaustive => TurnEnd::Over { cut: true },
            PortfolioPart::States => TurnEnd::Impossible,
            PortfolioPart::Bounded | PortfolioPart::Sampled(_) => TurnEnd::Share,
        };
        let all = turns(100, cut);
        let parts: Vec<PortfolioPart> = all.iter().map(|turn| turn.part).collect();
        let round = &ORDER[1..6];
        assert_eq!(parts[..2], [PortfolioPart::Exhaustive, PortfolioPart::States]);
        assert_eq!(
            [&parts[2..7], &parts[7..]],
            [round, round],
            "no state is compared again, nothing is exhausted again"
        );
        let lengths: Vec<u32> = all.iter().map(|turn| turn.max_steps).collect();
        assert_eq!((lengths[0], lengths[2], lengths[7]), (1000, 40, 160));
    }

    #[test]
    fn a_portfolio_of_samples_takes_turns_in_growing_rounds_with_other_runs_each_time() {
        let mut portfolio = Portfolio::of_samples(SHARES, 1000);
        let mut all = Vec::new();
        for _ in 0..8 {
            let turn = portfolio.turn().expect("there is always another run to draw");
            portfolio.took(TurnEnd::Share, &counts(3, 30), 2);
            all.push(turn);
        }
        assert!(all.iter().all(|turn| matches!(turn.part, PortfolioPart::Sampled(_))), "{all:?}");
        for (first, second) in all[..4].iter().zip(&all[4..]) {
            assert_eq!((first.algorithm, first.share.operations * 4), (second.algorithm, second.share.operations));
            assert_eq!((first.first_run, second.first_run), (0, RUNS_OF_TURN));
        }
    }

    #[test]
    fn a_portfolio_without_anything_left_to_try_ends() {
        assert_eq!(turns(100, |_| TurnEnd::Impossible).len(), 1 + 6, "the exhaustive search is over with the start");
    }
}
