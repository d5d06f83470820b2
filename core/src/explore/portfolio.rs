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
//! search, which most small programs do not use up, then rounds in which each part has one turn, four times as long
//! in each round as in the one before. A search that covers everything has a small share, and a large one while its
//! [estimate](super::Estimate) says that it may end with that: elsewhere it only takes time from those that sample.
//! The exhaustive search goes on from where its last turn has ended, and one that samples with other runs; the other
//! parts begin anew with each turn, which at most adds a third to their effort. Where operations are slow, a turn
//! ends before that, after its [`TurnTime`], which only the host can tell. A part whose program is still being built
//! comes behind the next one, and so on ([`TurnEnd::Later`]). The exhaustive search comes second in the first round if
//! the start has made a quarter of the runs that it is estimated to have, and then makes no more than the others: an
//! estimate may be far too low. For the same reason a start that takes long is interrupted by short searches that
//! sample, even if its end seems near: often some runs show what the exhaustive search comes to last.

mod share;
mod start;

pub use share::{Effort, Reached, Share, TurnTime};

use super::{Algorithm, Counts};
use core::time::Duration;
use share::{ESTIMATE, nearly};

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
    /// Its share was used up.
    Share,
    /// Its time was over.
    Time,
    /// Nothing was left to the search.
    Over {
        /// Whether the search has cut runs because of their length.
        cut: bool,
    },
    /// The program does not have what the search needs.
    Impossible,
    /// What the search needs is not there yet: another part comes first.
    Later,
}

/// The lengths of the turns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shares {
    /// The share of the exhaustive search with which a portfolio begins.
    pub start: Share,
    /// Operations of each search that samples, in the first round; a random walk has fewer.
    pub round: u64,
    /// The share of the search that compares states, in the first round.
    pub states: Share,
    /// Operations of the bounded searches together in the first round: with many threads, they take much longer for an
    /// operation.
    pub bounded: u64,
    /// The share of the exhaustive search in the first round; it takes least time for an operation. What it has left
    /// over of `most`, as its end was not near, it may do in later rounds.
    pub exhaustive: Share,
    /// The limit on the length of a run in the first round, in operations, once some run was cut at the user's limit
    /// (`--max-steps`); until then the user's limit applies.
    pub steps: u32,
    /// How long the start may take. Searches that sample come after the least of it.
    pub start_time: TurnTime,
    /// Operations of each of these searches.
    pub brief: u64,
    /// How long each of them may take.
    pub brief_time: Duration,
    /// How long a turn of the first round may take that samples or has a bound.
    pub round_time: Duration,
    /// How long the search that compares states may take in the first round.
    pub states_time: TurnTime,
    /// How long the exhaustive search may take in the first round.
    pub exhaustive_time: TurnTime,
}

impl Default for Shares {
    /// A start of some tenths of a second on common hardware, and a first round of some seconds.
    fn default() -> Self {
        const SECOND: Duration = Duration::from_secs(1);
        let start = Share {
            least: Effort { runs: 20_000, operations: 4_000_000 },
            most: Effort { runs: 100_000, operations: 10_000_000 },
            near: Effort { runs: 100_000, operations: 10_000_000 * ESTIMATE as u64 },
            before: Reached::default(),
        };
        Shares {
            start,
            round: 1_000_000,
            states: nearly(250_000, 1_000_000),
            bounded: 250_000,
            exhaustive: nearly(2_000_000, 50_000_000),
            steps: 4_000,
            start_time: TurnTime { least: SECOND / 2, most: 3 * SECOND, near: 3 * SECOND },
            brief: 100_000,
            brief_time: SECOND / 10,
            round_time: SECOND,
            states_time: TurnTime { least: SECOND / 4, most: SECOND, near: ESTIMATE * SECOND },
            exhaustive_time: TurnTime { least: SECOND, most: 15 * SECOND, near: ESTIMATE * 15 * SECOND },
        }
    }
}

impl Shares {
    /// Shares for runs that each take many times as long as usual, as those in a process of their own do.
    pub fn of_slow_runs() -> Self {
        const SLOWER: u64 = 10;
        // No limit stays none.
        let slower = |number: u64| if number == u64::MAX { number } else { number / SLOWER };
        let Shares { start, brief, round, states, bounded, exhaustive, .. } = Shares::default();
        let [start, states, exhaustive] = [start, states, exhaustive].map(|share| share.map(slower, slower));
        let [brief, round, bounded] = [brief, round, bounded].map(slower);
        Shares { start, brief, round, states, bounded, exhaustive, ..Shares::default() }
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
/// The exhaustive search is near its end once it has made one in so many of the runs that it is estimated to have.
const NEAR_END: u64 = 4;
/// Up to how many threads `cb-por` takes not much longer for an operation than other searches.
const FEW_THREADS: u32 = 8;
/// By how much the turns of a round are longer than those of the round before.
const GROWTH: u64 = 4;
/// How many times less a random walk has than other searches that sample: of the bugs of `corpus/rare` hardly any shows
/// sooner by it (docs/performance.md), and each turn of the others begins with some random walks.
const LESS: u64 = 4;
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
    /// Whose turn it is in the start, as a position in its order.
    started: usize,
    /// The order of turns in this round, as positions in [`ORDER`].
    order: [usize; ORDER.len()],
    /// Whose turn it is, as a position in `order`; the last one during the start.
    position: usize,
    /// Parts that have no further turn, by their positions in [`ORDER`].
    over: [bool; ORDER.len()],
    /// The bound that comes next, and the operations that are left to bounded searches in this round.
    bound: u32,
    left: u64,
    /// Operations that the exhaustive search has used of its shares, the start's apart.
    exhausted: u64,
    /// How far the exhaustive search has come.
    reached: Reached,
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
            started: 0,
            order: core::array::from_fn(|at| at),
            position: ORDER.len() - 1,
            over: [false; ORDER.len()],
            bound: 0,
            left: 0,
            exhausted: 0,
            reached: Reached::default(),
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
            return Some(self.turn_of_start());
        }
        while self.over[self.place()] {
            if !self.pass_on() {
                return None;
            }
        }
        let part = ORDER[self.place()];
        let growth = GROWTH.pow(self.round - 1);
        Some(match part {
            PortfolioPart::Exhaustive => self.described(part, Algorithm::Optimal, self.share_of_exhaustive()),
            PortfolioPart::States => self.described(part, Algorithm::Stateful, self.shares.states.times(growth)),
            PortfolioPart::Sampled(algorithm) => {
                let round = self.shares.round / if algorithm == Algorithm::Random { LESS } else { 1 };
                self.described(part, algorithm, Share::of_operations(round * growth))
            }
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

    /// Whether the first turn has not ended yet: most searches end with it.
    pub fn is_at_start(&self) -> bool {
        self.round == 0 && self.started == 0
    }

    /// What the exhaustive search may do in this round: all that it has left over of the rounds before, if it may end
    /// with that. Where it comes before others, as its end seems near, it may do what is left by its estimate.
    fn share_of_exhaustive(&self) -> Share {
        let growth = GROWTH.pow(self.round - 1);
        // The sum of the shares of all rounds up to this one, for a share of 1 in the first one.
        let so_far = (growth * GROWTH - 1) / (GROWTH - 1);
        let Share { least, .. } = self.shares.exhaustive.times(growth);
        let Share { most, near, .. } = self.shares.exhaustive.times(so_far);
        let left = most.operations.saturating_sub(self.exhausted);
        let comes_early = self.position + 1 < ORDER.len();
        let runs = if comes_early { self.reached.estimate.saturating_sub(self.reached.runs) } else { u64::MAX };
        Share { least, most: Effort { runs, operations: left }, near, before: self.reached }
    }

    /// Takes in how far the exhaustive search has come, after a turn of it.
    pub fn note_reached(&mut self, reached: Reached) {
        self.reached = reached;
    }

    fn described(&self, part: PortfolioPart, algorithm: Algorithm, share: Share) -> Turn {
        let (is_exhaustive, rounds) = (part == PortfolioPart::Exhaustive, self.round.saturating_sub(1));
        // The exhaustive search has seen the longest runs, and is to cover them.
        let max_steps = if is_exhaustive { self.max_steps } else { self.steps() };
        let first_time = match part {
            PortfolioPart::Exhaustive => self.shares.exhaustive_time,
            PortfolioPart::States => self.shares.states_time,
            PortfolioPart::Bounded | PortfolioPart::Sampled(_) => TurnTime::of(self.shares.round_time),
        };
        let time = first_time.times(GROWTH.pow(rounds) as u32);
        // No turn samples so many runs that it would come to those of the next round.
        let first_run = u64::from(rounds) * RUNS_OF_TURN;
        Turn { part, algorithm, preemptions: None, max_steps, share, time, first_run }
    }

    /// The longest run of this round.
    fn steps(&self) -> u32 {
        let grown = self.shares.steps.saturating_mul(GROWTH.pow(self.round.saturating_sub(1)) as u32);
        if self.cut { self.max_steps.min(grown) } else { self.max_steps }
    }

    /// The place in [`ORDER`] of the part whose turn it is.
    fn place(&self) -> usize {
        self.order[self.position]
    }

    /// Whether no part but the one whose turn it is has anything left to try.
    pub fn is_last_part(&self) -> bool {
        (0..ORDER.len()).all(|place| place == self.place() || self.over[place])
    }

    /// Takes in how the last turn ended, what it has counted, and the largest number of threads of its runs.
    pub fn took(&mut self, end: TurnEnd, counts: &Counts, threads: u32) {
        self.threads = self.threads.max(threads);
        if self.round == 0 && self.goes_on_with_start(end) {
            return;
        }
        let part = ORDER[self.place()];
        if part == PortfolioPart::Exhaustive && self.round > 0 {
            self.exhausted += counts.transitions;
        }
        match (part, end) {
            (PortfolioPart::Exhaustive, TurnEnd::Over { cut }) => {
                self.cut |= cut;
                self.over[self.place()] = true;
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
                self.over[self.place()] = true;
            }
            (_, TurnEnd::Later) if self.position + 1 < ORDER.len() => {
                self.order.swap(self.position, self.position + 1);
                return;
            }
            (_, TurnEnd::Share | TurnEnd::Time | TurnEnd::Later) => {}
        }
        if !self.pass_on() {
            self.over = [true; ORDER.len()];
        }
    }

    /// Where the start has come near the end of the exhaustive search, that goes on soon in the first round. In other
    /// rounds it comes last.
    fn order_of_next_round(&self) -> [usize; ORDER.len()] {
        const FIRST: usize = 1;
        let mut order = core::array::from_fn(|at| at);
        let Reached { runs, estimate } = self.reached;
        if self.round == 0 && estimate > 0 && runs.saturating_mul(NEAR_END) >= estimate {
            order[FIRST..].rotate_right(1);
        }
        order
    }

    /// Gives the turn to the next part; false if there is no further round.
    fn pass_on(&mut self) -> bool {
        self.position += 1;
        if self.position < ORDER.len() {
            return true;
        }
        self.position = 0;
        self.order = self.order_of_next_round();
        if self.round == self.last_round || self.over.iter().all(|over| *over) {
            return false;
        }
        self.round += 1;
        self.left = self.shares.bounded * GROWTH.pow(self.round - 1);
        true
    }
}

#[cfg(test)]
mod tests;
