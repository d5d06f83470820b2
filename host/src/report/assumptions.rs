//! What a verdict takes for granted, in the sentences that are printed with it. `docs/assumptions.md` has a heading for
//! each of them.

use crate::program::Image;
use crate::search::Searched;
use inspect_wire::message::{Heap, InconclusiveReason, Job, LocalStates, VolatileAccesses};
use std::path::Path;

/// Declares the assumptions with their sentences.
macro_rules! assumptions {
    ($($(#[$documentation:meta])* $name:ident $sentence:literal,)*) => {
        /// Something that a verdict takes for granted, other than what belongs to an algorithm (its row in the
        /// catalogue says that) and the data races that the user says to be harmless ([`harmless`]).
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        enum Assumption {
            $($(#[$documentation])* $name,)*
        }

        impl Assumption {
            /// All of them.
            #[cfg(test)]
            const ALL: &[Assumption] = &[$(Assumption::$name,)*];

            /// The sentence.
            fn sentence(self) -> &'static str {
                match self {
                    $(Assumption::$name => $sentence,)*
                }
            }
        }
    };
}

assumptions! {
    SequentialConsistency "sequential consistency",
    Inputs "inputs, files and environment as in this run",
    VirtualTime "virtual time and seeded random numbers",
    Output "the order of output of different threads does not matter",
    NoReuse "no freed heap block is reused in a run (--heap)",
    ReuseAtOnce "each freed heap block is reused at once, by the thread that freed it (--heap)",
    ReuseInTwoWays "no freed heap block is reused in a run or, where threads share atomic variables, each is at once, by the thread that freed it (--heap)",
    RelaxedVolatile "volatile accesses are relaxed atomic ones (--volatile)",
    AtomicVolatile "volatile accesses are sequentially consistent atomic ones (--volatile)",
    NoSpuriousWakeups "no spurious wake-ups (--spurious-wakeups explores them)",
    StrongExchanges "a weak compare-exchange fails only where the values differ",
    EarlySignals "a signal comes before the next operation of the thread that gets it",
    NoFatalTimers "no timer expires whose signal would end the process, unless the program expects it",
    EndsWithClients "the program is stopped when its last client has ended (--client)",
    FreshHandles "no thread handle and no mapped address is used again in a run",
    KnownVariables "local variables change by assignments to them and through pointers to them only (--local-states delta)",
    /// Among n states, two have the same hash with a probability of n^2 / 2^129.
    DistinctHashes "no two states of the search have the same hash of 128 bits",
    Endless "the program is meant to run for ever: from some states no execution comes to an end",
    OpaqueAddresses "addresses and thread handles are not computed with as numbers (--symmetry)",
}

/// That data races with this pattern are not counted.
fn harmless(pattern: &str) -> String {
    format!("data races in `{pattern}` are harmless (--races-in)")
}

/// Which blocks of the heap an allocation may get.
fn of_heap(heap: Heap) -> Assumption {
    match heap {
        Heap::Quarantine => Assumption::NoReuse,
        Heap::Reuse => Assumption::ReuseAtOnce,
        Heap::Both => Assumption::ReuseInTwoWays,
    }
}

fn of_volatile(volatile: VolatileAccesses) -> Option<Assumption> {
    match volatile {
        VolatileAccesses::Plain => None,
        VolatileAccesses::Relaxed => Some(Assumption::RelaxedVolatile),
        VolatileAccesses::Atomic => Some(Assumption::AtomicVolatile),
    }
}

/// What is assumed because of what a program uses.
fn of_program(program: &Path, threads: u32) -> impl Iterator<Item = Assumption> {
    let image = Image::read(program).ok();
    let uses = |kind: fn(&Image) -> bool| image.as_ref().is_some_and(kind);
    let exchanges = uses(|image| image.weak_exchanges).then_some(Assumption::StrongExchanges);
    let signals = uses(|image| image.handles_signals).then_some(Assumption::EarlySignals);
    let timers = uses(|image| image.sets_timers).then_some(Assumption::NoFatalTimers);
    let clients = uses(|image| image.has_clients).then_some(Assumption::EndsWithClients);
    // Main's handle lives as long as the process, so it takes a third thread to get the one of an ended thread.
    let reuse = (threads > 2 || uses(|image| image.unmaps)).then_some(Assumption::FreshHandles);
    [exchanges, signals, timers, clients, reuse].into_iter().flatten()
}

/// What every verdict of this job assumes.
pub(super) fn assumptions(searched: &Searched, job: &Job, program: &Path) -> Vec<String> {
    use Assumption::{
        DistinctHashes, Endless, Inputs, KnownVariables, NoSpuriousWakeups, OpaqueAddresses, Output,
        SequentialConsistency, VirtualTime,
    };
    let sentence = |assumption: Assumption| assumption.sentence().to_owned();
    let algorithm = job.algorithm.description();
    // First, what the algorithm does not claim to find.
    let mut assumptions: Vec<String> = algorithm.claims.exception().map(str::to_owned).into_iter().collect();
    let always = [SequentialConsistency, Inputs, VirtualTime, Output, of_heap(job.heap)];
    assumptions.extend(always.into_iter().chain(of_volatile(job.volatile)).map(sentence));
    let used = searched.harmless_races.iter().filter_map(|number| job.harmless_races.get(*number as usize));
    assumptions.extend(used.map(|pattern| harmless(&pattern.0)));
    assumptions.extend((!job.spurious_wakeups).then(|| sentence(NoSpuriousWakeups)));
    assumptions.extend(of_program(program, searched.threads).map(sentence));
    assumptions.extend(algorithm.assumptions.iter().map(|assumption| (*assumption).to_owned()));
    let of_search = [
        (job.local_states == LocalStates::Delta, KnownVariables),
        (algorithm.hashes_states(job.preemptions.is_some()), DistinctHashes),
        (searched.reported.contains(&InconclusiveReason::Endless), Endless),
        (job.symmetry.is_some(), OpaqueAddresses),
    ];
    assumptions.extend(of_search.into_iter().filter(|(holds, _)| *holds).map(|(_, assumption)| sentence(assumption)));
    assumptions
}

#[cfg(test)]
mod tests {
    use super::*;
    use inspect_core::explore::catalogue::CATALOGUE;
    use std::collections::BTreeSet;

    /// The headings are the sentences as they are printed: none is missing there, and none is left there.
    #[test]
    fn the_page_of_assumptions_has_a_heading_for_each_and_no_other() {
        let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/assumptions.md");
        let text = std::fs::read_to_string(page).unwrap();
        let headings: BTreeSet<String> =
            text.lines().filter_map(|line| line.strip_prefix("## ")).map(String::from).collect();
        let mut printed: BTreeSet<String> = Assumption::ALL.iter().map(|it| it.sentence().to_owned()).collect();
        printed.insert(harmless("PATTERN"));
        for row in CATALOGUE {
            printed.extend(row.assumptions.iter().map(|&assumption| assumption.to_owned()));
            // The page has the beginning of what is a list.
            let beginning = |exception: &str| format!("{}: ...", exception.split(':').next().unwrap());
            printed.extend(row.claims.exception().map(beginning));
        }
        printed.insert("What is not printed".into());
        assert_eq!(headings, printed);
    }
}
