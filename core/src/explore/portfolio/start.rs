//! The start of a portfolio: the exhaustive search, with which most searches end.
//!
//! It takes long only where operations are slow, or runs many. Then short searches that sample come in between: an
//! estimate that the end is near may be far too low, and a bug in one of the last interleavings may be in many runs.

use super::{Algorithm, Duration, MOST_ROUNDS, Portfolio, PortfolioPart, RUNS_OF_TURN, Reached, Share, Shares};
use super::{Turn, TurnEnd, TurnTime};

/// A turn of the start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum StartTurn {
    /// The exhaustive search begins.
    First,
    /// A short search that samples.
    Brief(Algorithm),
    /// The exhaustive search goes on.
    Last,
}

/// The order of turns.
const ORDER: [StartTurn; 5] = [
    StartTurn::First,
    StartTurn::Brief(Algorithm::Pos),
    StartTurn::Brief(Algorithm::Surw),
    StartTurn::Brief(Algorithm::Pct),
    StartTurn::Last,
];
/// Turns follow the first one if that has made one in so many of the runs that it estimates, as the last one may take
/// that many times as long.
const NEAR_END: u64 = 5;

impl Portfolio {
    /// The next turn of the start.
    pub(super) fn turn_of_start(&self) -> Turn {
        let Shares { start, start_time, brief, brief_time, .. } = self.shares;
        let exhaustive = |share| self.described(PortfolioPart::Exhaustive, Algorithm::Optimal, share);
        match ORDER[self.started] {
            StartTurn::First => Turn { time: TurnTime { near: Duration::ZERO, ..start_time }, ..exhaustive(start) },
            StartTurn::Brief(algorithm) => {
                let turn = self.described(PortfolioPart::Sampled(algorithm), algorithm, Share::of_operations(brief));
                // No round has these runs.
                let first_run = u64::from(MOST_ROUNDS) * RUNS_OF_TURN;
                Turn { time: TurnTime::of(brief_time), first_run, ..turn }
            }
            StartTurn::Last => {
                let TurnTime { least, most, near } = start_time;
                let time = TurnTime { least: least / 2, most: most - least, near };
                Turn { time, ..exhaustive(start.after(self.reached)) }
            }
        }
    }

    /// Takes in how a turn of the start has ended; false if it was the last one.
    pub(super) fn goes_on_with_start(&mut self, end: TurnEnd) -> bool {
        let goes_on = match ORDER[self.started] {
            StartTurn::First => end == TurnEnd::Time && self.is_near_its_end(),
            StartTurn::Brief(_) => true,
            StartTurn::Last => false,
        };
        self.started += usize::from(goes_on);
        goes_on
    }

    fn is_near_its_end(&self) -> bool {
        let Reached { runs, estimate } = self.reached;
        estimate > 0 && runs.saturating_mul(NEAR_END) >= estimate
    }
}
