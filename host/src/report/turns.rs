//! What searches that took turns have covered, where the first of them did not settle the matter.

use super::text::{counted, percentage, share};
use crate::search::{InTurns, Turned};
use inspect_core::explore::{Algorithm, Counts, PortfolioPart};
use serde::Serialize;
use std::fmt::Write;

/// The figures.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct TurnFigures {
    /// The largest bound on preemptions all of which was covered.
    covered_preemptions: Option<u32>,
    /// At least so many classes of equivalent executions were seen.
    partial_orders: u64,
    /// Why no search compared states, if none could.
    #[serde(skip_serializing_if = "Option::is_none")]
    without_states: Option<String>,
    /// What let them take turns.
    #[serde(skip)]
    asked_by: &'static str,
    /// Each part in the order in which they first had a turn.
    parts: Vec<PartFigures>,
}

/// The turns of one part.
#[derive(Clone, PartialEq, Debug, Serialize)]
struct PartFigures {
    algorithm: &'static str,
    #[serde(skip)]
    kind: Kind,
    turns: u64,
    /// Executions of all turns, and those cut by a limit.
    executions: u64,
    cut: u64,
    /// The last turn went on from where the one before had ended.
    #[serde(skip)]
    goes_on: bool,
    /// Executions of the last turn that were not cut, with those it went on from, and the estimate of how many it would
    /// have made.
    #[serde(skip)]
    last: u64,
    #[serde(skip)]
    estimated_total: Option<f64>,
    /// The last turn came to its end.
    over: bool,
}

/// What is said of a part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Complete,
    Bounded,
    Sampled,
}

impl TurnFigures {
    /// The figures of these turns; `asked_by` is the option or command that let them be taken.
    pub fn of(made: &InTurns, asked_by: &'static str) -> TurnFigures {
        let mut parts: Vec<PartFigures> = Vec::new();
        for turned in &made.turns {
            let algorithm = turned.turn.algorithm.name();
            let kind = kind(turned.turn.part);
            let known = parts.iter().position(|part| part.algorithm == algorithm && part.kind == kind);
            let at = known.unwrap_or_else(|| {
                parts.push(PartFigures::none(algorithm, kind));
                parts.len() - 1
            });
            parts[at].add(turned);
        }
        let bounded = made.turns.iter().filter(|turned| turned.covers_its_bound());
        // Both visit no class of equivalent executions twice; turns repeat each other.
        let once = made.turns.iter().filter(|turned| match turned.turn.part {
            PortfolioPart::Exhaustive => true,
            PortfolioPart::Bounded => turned.turn.algorithm == Algorithm::CbPor,
            PortfolioPart::States | PortfolioPart::Sampled(_) => false,
        });
        TurnFigures {
            covered_preemptions: bounded.filter_map(|turned| turned.job.preemptions).max(),
            partial_orders: once.map(|turned| turned.searched.counts.executions).max().unwrap_or(0),
            without_states: made.impossible.clone(),
            asked_by,
            parts,
        }
    }

    /// The figures in lines.
    pub(super) fn text(&self) -> String {
        let mut text = format!("  searches took turns ({}):\n", self.asked_by);
        for part in &self.parts {
            let _ = writeln!(text, "    {}: {}", part.algorithm, part.words());
        }
        if let Some(why) = &self.without_states {
            let first = why.lines().next().unwrap_or_default();
            let _ = writeln!(text, "    stateful: not possible: {first}");
        }
        if let Some(bound) = self.covered_preemptions {
            let _ = writeln!(text, "    all that at most {} can show was covered", counted(bound.into(), "preemption"));
        }
        if self.partial_orders > 0 {
            let _ = writeln!(text, "    at least {} seen", counted(self.partial_orders, "different partial order"));
        }
        text
    }
}

impl PartFigures {
    fn none(algorithm: &'static str, kind: Kind) -> PartFigures {
        let (turns, executions, cut, last) = (0, 0, 0, 0);
        PartFigures {
            algorithm,
            kind,
            turns,
            executions,
            cut,
            goes_on: false,
            last,
            estimated_total: None,
            over: false,
        }
    }

    fn add(&mut self, turned: &Turned) {
        let Counts { executions, limited, .. } = turned.counts();
        self.turns += 1;
        self.executions += executions;
        self.cut += limited;
        (self.last, self.estimated_total) = (turned.searched.counts.executions, turned.searched.estimated_total);
        self.goes_on = self.turns == 1 || turned.searched.before != Counts::default();
        self.over = turned.searched.complete;
    }

    fn words(&self) -> String {
        let mut words = counted(self.executions, "execution");
        if self.turns > 1 {
            let _ = write!(words, " in {} turns", self.turns);
        }
        if self.cut > 0 {
            let _ = write!(words, ", {} cut by a limit", self.cut);
        }
        match self.kind {
            Kind::Complete if self.over && self.cut == 0 => words.push_str(", came to its end"),
            Kind::Complete if self.over => {}
            Kind::Complete => {
                let share = self.estimated_total.and_then(|total| Some((share(self.last, total)?, total)));
                let last = if self.goes_on { "" } else { " in the last turn" };
                words.push_str(&share.map_or_else(
                    || String::from(", not at its end"),
                    |(percent, total)| format!(", about {} of an estimated {total:.0}{last}", percentage(percent)),
                ));
            }
            Kind::Bounded => words.push_str(", within bounds on preemptions"),
            Kind::Sampled if self.algorithm == Algorithm::Predict.name() => words.push_str(", drawn or predicted"),
            Kind::Sampled => words.push_str(", drawn by chance"),
        }
        words
    }
}

fn kind(part: PortfolioPart) -> Kind {
    match part {
        PortfolioPart::Exhaustive | PortfolioPart::States => Kind::Complete,
        PortfolioPart::Bounded => Kind::Bounded,
        PortfolioPart::Sampled(_) => Kind::Sampled,
    }
}
