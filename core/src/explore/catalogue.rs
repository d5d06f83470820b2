//! The catalogue of algorithms: what there is to know of each search without running it.
//!
//! The command line takes names and help from here, the check of option combinations the refusals, the report claims
//! and assumptions, the guest the constructor; a test compares `docs/algorithms.md` and the README with it. A new
//! algorithm is a row of this table and a file in this folder; that of a sampling strategy is in `core/src/sample/`.

use super::{
    BacktrackSets, Bounded, Bpor, CbPor, Ddpor, Deepening, Dfs, Dpor, Explorer, Facts, Flip, Optimal, Pdp, Predicting,
    Sampling, SamplingOptions, Source, StateSharing, Stateful,
};
use crate::event::Strategy;
use alloc::boxed::Box;

mod claim;
mod sharing;

pub use claim::Claim;
pub use sharing::SearchSharing;

/// Whether an option can be combined with an algorithm; if not, the reason, as a clause that the message ends with.
pub type Combination = Result<(), &'static str>;

/// What a program has to contain, beside its hooks, to be searched by an algorithm.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Requirement {
    /// Nothing: any instrumented program will do.
    Hooks,
    /// The table of facts about paths that a run did not take (`-finspect-facts`), and one instrumented module only.
    Facts,
    /// A record in each function of what its frame holds.
    FrameRecords,
}

/// Which states a search identifies by a hash of 128 bits: it takes two states with equal hashes for the same state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HashedStates {
    /// None.
    Never,
    /// Those of a search with a bound on preemptions; a search without one recognises none.
    WithBound,
    /// All states.
    Always,
}

/// Makes a search within a number of preemptions.
pub type BoundedSearch = fn(u32) -> Box<dyn Explorer>;
/// Makes a search without a bound on preemptions.
pub type UnboundedSearch = fn(&mut SearchSetup<'_>) -> Box<dyn Explorer>;

/// The forms of an algorithm: without a bound on preemptions, with one, or both.
#[derive(Clone, Copy, Debug)]
pub enum Construction {
    /// There is no form with a bound, for this reason.
    Unbounded(UnboundedSearch, &'static str),
    /// `--preemptions` may be given.
    Either(UnboundedSearch, BoundedSearch),
    /// `--preemptions` has to be given.
    Bounded(BoundedSearch),
}

/// What a search is made from.
pub struct SearchSetup<'a> {
    /// The first and the last bound on preemptions, if there is a bound; each is searched in turn.
    pub preemptions: Option<(u32, u32)>,
    /// Of symmetric threads, only one is tried.
    pub symmetry: bool,
    /// Memory for visited states, in bytes.
    pub state_memory: u64,
    /// `--backtrack-sets`.
    pub backtrack_sets: BacktrackSets,
    /// What it shares with other searches that compare states, if it does.
    pub states: Option<StateSharing>,
    /// What the random numbers of a search that samples start from.
    pub seed: u64,
    /// The options of a search that samples (`--runs`, `--pct-depth`, `--delays`).
    pub sampling: SamplingOptions,
    /// Reads the program's table of facts.
    pub facts: &'a mut dyn FnMut() -> Facts,
}

/// A row of the catalogue.
#[derive(Clone, Copy, Debug)]
pub struct AlgorithmRow {
    /// The value of `--algorithm`.
    pub name: &'static str,
    /// One line for `--help`.
    pub summary: &'static str,
    /// Authors, title and venue of the papers it follows; empty for the exhaustive search.
    pub paper: &'static str,
    /// Its file in `core/src`.
    pub file: &'static str,
    /// What the program has to contain.
    pub requires: Requirement,
    /// What its `verified` means.
    pub claims: Claim,
    /// Which states it recognises by hashes.
    pub hashed_states: HashedStates,
    /// What its verdicts assume beyond what all verdicts assume, in the words of the report.
    pub assumptions: &'static [&'static str],
    /// How it is made, and whether `--preemptions` goes with it.
    pub construction: Construction,
    /// How several processes can make it.
    pub sharing: SearchSharing,
    /// Whether `--symmetry` goes with it.
    pub symmetry: Combination,
    /// Whether `--mode fork` goes with it.
    pub fork: Combination,
    /// Whether `--plain-accesses sync` goes with it.
    pub sync: Combination,
    /// Whether `--local-states` goes with it.
    pub local_states: Combination,
    /// Whether the default of `--plain-accesses` is `all` with this algorithm.
    pub all_accesses: bool,
}

impl AlgorithmRow {
    /// Whether `--preemptions` can be given.
    pub fn bound(&self) -> Combination {
        match self.construction {
            Construction::Unbounded(_, why) => Err(why),
            Construction::Either(..) | Construction::Bounded(_) => Ok(()),
        }
    }

    /// Whether `--preemptions` has to be given.
    pub fn needs_bound(&self) -> bool {
        matches!(self.construction, Construction::Bounded(_))
    }

    /// Whether the search ends a run in a program state that was visited before. Such a search also reports how many
    /// states it could not compare.
    pub fn compares_states(&self) -> bool {
        self.requires == Requirement::FrameRecords
    }

    /// Whether the search draws its runs by chance, and so never covers everything.
    pub fn samples(&self) -> bool {
        self.claims == Claim::Nothing
    }

    /// Whether the search recognises states by hashes, if it has a bound on preemptions (`bounded`) or has none.
    pub fn hashes_states(&self, bounded: bool) -> bool {
        match self.hashed_states {
            HashedStates::Never => false,
            HashedStates::WithBound => bounded,
            HashedStates::Always => true,
        }
    }
}

/// A search that samples.
fn sampling(setup: &SearchSetup<'_>, strategy: Strategy) -> Box<dyn Explorer> {
    Box::new(Sampling::new(strategy, setup.seed, &setup.sampling))
}

const NO_BOUND: &str = "it has no form with a bound";

/// What most algorithms have in common; each row says where it differs.
const COMMON: AlgorithmRow = AlgorithmRow {
    name: "",
    summary: "",
    paper: "",
    file: "",
    requires: Requirement::Hooks,
    claims: Claim::EveryFinding,
    hashed_states: HashedStates::Never,
    assumptions: &[],
    construction: Construction::Unbounded(|_| Box::new(Dfs::new()), NO_BOUND),
    sharing: SearchSharing::Alone("its search cannot be divided"),
    symmetry: Err(
        "for searches without backtrack sets, or with a bound, it is not proved that no interleaving is lost",
    ),
    fork: Ok(()),
    sync: Ok(()),
    local_states: Err("it does not compare local states"),
    all_accesses: false,
};

/// What the searches that sample have in common.
const SAMPLING: AlgorithmRow = AlgorithmRow {
    claims: Claim::Nothing,
    construction: Construction::Unbounded(|_| Box::new(Dfs::new()), DRAWN),
    sharing: SearchSharing::Divided,
    symmetry: Err(DRAWN),
    ..COMMON
};

const SHOWN: &str = "what its earlier runs have shown is not handed on to other processes";
const DRAWN: &str = "it draws its executions by chance and leaves out any";

/// Declares [`Algorithm`] and [`CATALOGUE`], so that each algorithm has its row.
macro_rules! catalogue {
    ($($variant:ident: $row:expr,)*) => {
        /// Which search to run.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        pub enum Algorithm {
            $(
                #[allow(missing_docs, reason = "its row of the catalogue describes it")]
                $variant,
            )*
        }

        impl Algorithm {
            /// All algorithms, in the order of the catalogue.
            pub const ALL: &'static [Algorithm] = &[$(Algorithm::$variant,)*];
        }

        /// The rows, in the order of [`Algorithm::ALL`], which is that of `--help`.
        pub const CATALOGUE: &[AlgorithmRow] = &[$($row,)*];
    };
}

catalogue! {
    Optimal: AlgorithmRow {
        name: "optimal",
        summary: "One execution for each class of equivalent interleavings",
        paper: "Abdulla, Atig, Das, Jonsson, Sagonas: Parsimonious Optimal Dynamic Partial Order Reduction, CAV 2024",
        file: "explore/optimal.rs",
        hashed_states: HashedStates::WithBound,
        construction: Construction::Either(|_| Box::new(Optimal::new()), |bound| Box::new(Bounded::new(bound))),
        sharing: SearchSharing::Divided,
        ..COMMON
    },
    Source: AlgorithmRow {
        name: "source",
        summary: "Source sets with sleep sets",
        paper: "Abdulla, Aronis, Jonsson, Sagonas: Optimal Dynamic Partial Order Reduction, POPL 2014, algorithm 1",
        file: "explore/source.rs",
        construction: Construction::Unbounded(
            |setup| Box::new(if setup.symmetry { Source::with_symmetry() } else { Source::new() }),
            NO_BOUND,
        ),
        symmetry: Ok(()),
        ..COMMON
    },
    Dpor: AlgorithmRow {
        name: "dpor",
        summary: "Flanagan-Godefroid persistent sets with sleep sets",
        paper: "Flanagan, Godefroid: Dynamic Partial-Order Reduction for Model Checking Software, POPL 2005",
        file: "explore/dpor.rs",
        construction: Construction::Unbounded(
            |setup| Box::new(if setup.symmetry { Dpor::with_symmetry() } else { Dpor::new() }),
            NO_BOUND,
        ),
        symmetry: Ok(()),
        ..COMMON
    },
    Flip: AlgorithmRow {
        name: "flip",
        summary: "Sen's race flipping: postponed and delayed sets",
        paper: "Sen, Agha: A Race-Detection and Flipping Algorithm for Automated Testing of Multi-Threaded Programs, HVC 2006",
        file: "explore/flip.rs",
        construction: Construction::Unbounded(|_| Box::new(Flip::new()), NO_BOUND),
        ..COMMON
    },
    Pdp: AlgorithmRow {
        name: "pdp",
        summary: "Property-driven pruning: leaves out what cannot lead to a data race, and claims nothing else",
        paper: "Wang, Yang, Gupta, Gopalakrishnan: Dynamic Model Checking with Property Driven Pruning to Detect Race Conditions, ATVA 2008",
        file: "explore/pdp.rs",
        requires: Requirement::Facts,
        claims: Claim::DataRaces,
        construction: Construction::Unbounded(
            |setup| Box::new(Pdp::new((setup.facts)())),
            "what is pruned is not counted in preemptions",
        ),
        ..COMMON
    },
    Ddpor: AlgorithmRow {
        name: "ddpor",
        summary: "Persistent sets as the dissertation distributes them: for -j, some executions are repeated",
        paper: "Yang, Chen, Gopalakrishnan, Kirby: Distributed Dynamic Partial Order Reduction Based Verification of Threaded Software, SPIN 2007",
        file: "explore/ddpor.rs",
        construction: Construction::Unbounded(|setup| Box::new(Ddpor::with_sets(setup.backtrack_sets)), NO_BOUND),
        sharing: SearchSharing::Divided,
        ..COMMON
    },
    CbDfs: AlgorithmRow {
        name: "cb-dfs",
        summary: "Every interleaving with at most N preemptions (--preemptions N)",
        paper: "Musuvathi, Qadeer: Partial-Order Reduction for Context-Bounded State Exploration, MSR-TR-2007-12, table 1",
        file: "explore/bounded.rs",
        construction: Construction::Bounded(|bound| Box::new(Bounded::every(bound))),
        ..COMMON
    },
    CbPorBasic: AlgorithmRow {
        name: "cb-por-basic",
        summary: "Musuvathi and Qadeer: every state within N preemptions",
        paper: "Musuvathi, Qadeer: Partial-Order Reduction for Context-Bounded State Exploration, MSR-TR-2007-12, algorithm 1",
        file: "explore/cb_por.rs",
        hashed_states: HashedStates::Always,
        construction: Construction::Bounded(|bound| Box::new(CbPor::basic(bound))),
        ..COMMON
    },
    CbPor: AlgorithmRow {
        name: "cb-por",
        summary: "Musuvathi and Qadeer: one execution for each class of equivalent interleavings one of which has at most N \
                  preemptions",
        paper: "Musuvathi, Qadeer: Partial-Order Reduction for Context-Bounded State Exploration, MSR-TR-2007-12, algorithm 2",
        file: "explore/cb_por.rs",
        hashed_states: HashedStates::Always,
        construction: Construction::Bounded(|bound| Box::new(CbPor::new(bound))),
        ..COMMON
    },
    Bpor: AlgorithmRow {
        name: "bpor",
        summary: "Bounded DPOR: everything within N preemptions, some of it more than once, without remembering states",
        paper: "Coons, Musuvathi, McKinley: Bounded Partial-Order Reduction, OOPSLA 2013",
        file: "explore/bpor.rs",
        construction: Construction::Bounded(|bound| Box::new(Bpor::new(bound))),
        ..COMMON
    },
    Stateful: AlgorithmRow {
        name: "stateful",
        summary: "Stateful DPOR: an execution ends in a state that was visited before",
        paper: "Yang, Chen, Gopalakrishnan, Kirby: Efficient Stateful Dynamic Partial Order Reduction, SPIN 2008",
        file: "explore/stateful.rs",
        requires: Requirement::FrameRecords,
        hashed_states: HashedStates::Always,
        assumptions: &[
            "local variables to which the program gives no value hold zeros, and none is used when its function has returned",
        ],
        construction: Construction::Unbounded(
            |setup| Box::new(Stateful::within(setup.state_memory).sharing(setup.states)),
            "how many preemptions are left depends on how a state was reached",
        ),
        sharing: SearchSharing::States,
        fork: Err("there no process sees more than one execution, and none could know a state again"),
        sync: Err(
            "it needs --plain-accesses all or racy: whether accesses that are no scheduling points race depends on how a \
             state was reached",
        ),
        local_states: Ok(()),
        ..COMMON
    },
    Random: AlgorithmRow {
        name: "random",
        summary: "Samples: any thread that can go on takes the next step",
        paper: "Thomson, Donaldson, Betts: Concurrency Testing Using Controlled Schedulers: An Empirical Study, TOPC 2016",
        file: "sample/random.rs",
        construction: Construction::Unbounded(|setup| sampling(setup, Strategy::Random), DRAWN),
        ..SAMPLING
    },
    Pct: AlgorithmRow {
        name: "pct",
        summary: "Samples: random priorities of threads, lowered at a few random places (--pct-depth)",
        paper: "Burckhardt, Kothari, Musuvathi, Nagarakatte: A Randomized Scheduler with Probabilistic Guarantees of Finding \
                Bugs, ASPLOS 2010",
        file: "sample/pct.rs",
        construction: Construction::Unbounded(
            |setup| sampling(setup, Strategy::Priorities { changes: setup.sampling.pct_depth - 1 }),
            DRAWN,
        ),
        ..SAMPLING
    },
    Pos: AlgorithmRow {
        name: "pos",
        summary: "Samples: random priorities of operations, drawn anew after a race",
        paper: "Yuan, Yang, Gu: Partial Order Aware Concurrency Sampling, CAV 2018",
        file: "sample/pos.rs",
        construction: Construction::Unbounded(|setup| sampling(setup, Strategy::PartialOrder), DRAWN),
        ..SAMPLING
    },
    Surw: AlgorithmRow {
        name: "surw",
        summary: "Samples: all orders of the operations on one location with the same probability",
        paper: "Zhao, Wolff, Mathur, Roychoudhury: Selectively Uniform Concurrency Testing, ASPLOS 2025",
        file: "sample/surw.rs",
        construction: Construction::Unbounded(|setup| sampling(setup, Strategy::Uniform { selected: None }), DRAWN),
        ..SAMPLING
    },
    Rff: AlgorithmRow {
        name: "rff",
        summary: "Samples: what earlier executions showed of who reads whose writes decides what is tried",
        paper: "Wolff, Shi, Duck, Mathur, Roychoudhury: Greybox Fuzzing for Concurrency Testing, ASPLOS 2024",
        file: "sample/rff.rs",
        construction: Construction::Unbounded(|setup| sampling(setup, Strategy::ReadsFrom), DRAWN),
        sharing: SearchSharing::Alone(SHOWN),
        ..SAMPLING
    },
    Delay: AlgorithmRow {
        name: "delay",
        summary: "Samples: no preemption but for a few random delays (--delays)",
        paper: "Emmi, Qadeer, Rakamaric: Delay-Bounded Scheduling, POPL 2011",
        file: "sample/delay.rs",
        construction: Construction::Unbounded(|of| sampling(of, Strategy::Delays { number: of.sampling.delays }), DRAWN),
        ..SAMPLING
    },
    Predict: AlgorithmRow {
        name: "predict",
        summary: "Samples, predicts races and deadlocks of other orders from each run, and tries these",
        paper: "Mathur, Pavlogiannis, Viswanathan: Optimal Prediction of Synchronization-Preserving Races, POPL 2021; Tunç, \
                Mathur, Pavlogiannis, Viswanathan: Sound Dynamic Deadlock Prediction in Linear Time, PLDI 2023",
        file: "explore/predicting.rs",
        construction: Construction::Unbounded(|setup| Box::new(Predicting::new(setup.seed, &setup.sampling)), DRAWN),
        sharing: SearchSharing::Alone(SHOWN),
        sync: Err("races are predicted of accesses that are operations"),
        all_accesses: true,
        ..SAMPLING
    },
    Dfs: AlgorithmRow {
        name: "dfs",
        summary: "Every interleaving",
        paper: "",
        file: "explore/dfs.rs",
        construction: Construction::Unbounded(|_| Box::new(Dfs::new()), NO_BOUND),
        ..COMMON
    },
}

impl Algorithm {
    /// The algorithm's row of the catalogue.
    pub fn description(self) -> &'static AlgorithmRow {
        &CATALOGUE[self as usize]
    }

    /// The value of `--algorithm` that stands for this algorithm.
    pub fn name(self) -> &'static str {
        self.description().name
    }

    /// The algorithm of this name.
    pub fn named(name: &str) -> Option<Algorithm> {
        Algorithm::ALL.iter().copied().find(|algorithm| algorithm.name() == name)
    }

    /// A new search. An algorithm that needs a bound and has none is bounded by 0 preemptions; one that has no form
    /// with a bound ignores it. (The command line refuses both.)
    pub fn explorer(self, setup: &mut SearchSetup<'_>) -> Box<dyn Explorer> {
        let within = |search: BoundedSearch, (first, last): (u32, u32)| -> Box<dyn Explorer> {
            if first == last { search(last) } else { Box::new(Deepening::new(search, first, last)) }
        };
        match (self.description().construction, setup.preemptions) {
            (Construction::Unbounded(search, _), _) | (Construction::Either(search, _), None) => search(setup),
            (Construction::Either(_, search) | Construction::Bounded(search), Some(bounds)) => within(search, bounds),
            (Construction::Bounded(search), None) => search(0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeSet;

    #[test]
    fn every_row_says_what_it_is_and_names_are_distinct() {
        let names: BTreeSet<&str> = CATALOGUE.iter().map(|row| row.name).collect();
        assert_eq!(names.len(), Algorithm::ALL.len());
        for algorithm in Algorithm::ALL {
            let row = algorithm.description();
            assert!(!row.name.is_empty() && !row.summary.is_empty() && row.file.ends_with(".rs"), "{row:?}");
            assert_eq!(Algorithm::named(row.name), Some(*algorithm));
            // The exhaustive search is older than its papers.
            assert_eq!(row.paper.is_empty(), *algorithm == Algorithm::Dfs, "{row:?}");
        }
    }

    #[test]
    fn what_the_catalogue_says_of_dividing_is_true_of_the_search_it_makes() {
        for algorithm in Algorithm::ALL {
            let row = algorithm.description();
            let preemptions = row.needs_bound().then_some((1, 1));
            let mut setup = SearchSetup {
                preemptions,
                symmetry: false,
                state_memory: 1 << 20,
                backtrack_sets: BacktrackSets::Aggressive,
                states: None,
                seed: 0,
                sampling: SamplingOptions::default(),
                facts: &mut Facts::default,
            };
            let divisible = algorithm.explorer(&mut setup).divisible().is_some();
            assert_eq!(divisible, row.sharing == SearchSharing::Divided, "{}", row.name);
        }
    }
}
