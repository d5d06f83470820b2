//! `pdp` natively: the verdict about races that `dpor` and brute force have, with and without facts that allow for
//! pruning.
//!
//! Half of the programs are those that the other algorithms are compared on. The other half are made of critical
//! sections, some of which stand on one side of a branch only, so that most programs have no race and there is
//! something to prune.

use crate::batch::Batch;
use crate::brute;
use crate::native::{self, Way};
use inspect_core::detect::FindingKind;
use inspect_core::explore::Algorithm;
use inspect_core::model::{Program, guarded, print};
use inspect_host::run::GuestEnd;
use inspect_wire::message::{Job, Mode, PlainAccesses};

/// Programs in one C file.
const BATCH: usize = 50;

/// The outcome of one search.
struct Said {
    race: bool,
    executions: u64,
    complete: bool,
}

fn search(batch: &Batch, number: usize, program: &Program, algorithm: Algorithm, mode: Mode) -> Said {
    let way = Way { algorithm, plain: PlainAccesses::Racy, bound: None, fork: false };
    let job = Job {
        report_traces: None,
        keep_going: false,
        ..native::job(batch, way, mode, program.spurious_wakeups, program.variables)
    };
    let output = native::explore(batch, number, &job);
    let race = output.findings.iter().any(|reported| reported.finding.kind == FindingKind::DataRace);
    let complete = output.end == GuestEnd::Done && output.reasons.is_empty();
    Said { race, executions: output.counters.executions, complete }
}

#[test]
fn pruning_gives_the_verdict_of_dpor_about_races() {
    check(15, 400);
}

#[test]
#[ignore = "long: make test-long runs it"]
fn pruning_gives_the_verdict_of_dpor_about_races_in_many_programs() {
    check(300, brute::INTERLEAVINGS);
}

/// `interleavings`: programs with more are left out. Most of those made of critical sections are far larger than brute
/// force allows, and it costs more to find that out than to search the others.
fn check(programs: usize, interleavings: u64) {
    let general = (50_000..).map(|seed| (seed, crate::program(seed)));
    let sections = (70_000..).map(|seed| (seed, print::printable(&guarded(seed))));
    let alternating = general.zip(sections).flat_map(|(one, other)| [one, other]);
    let small = alternating.filter_map(|(seed, program)| {
        let expected = brute::expected_within(&program, interleavings)?;
        // Other errors would end a search before it comes to the race.
        let only_races = expected.findings.keys().all(|(kind, ..)| *kind == FindingKind::DataRace);
        (only_races && expected.traces.len() > 1).then(|| (seed, program, expected.races()))
    });
    let chosen: Vec<(u64, Program, bool)> = small.take(programs).collect();
    let (mut racy, mut fewer, mut all, mut pruned) = (0, 0, 0, 0);
    for part in chosen.chunks(BATCH) {
        let sources: Vec<Program> = part.iter().map(|(_, program, _)| program.clone()).collect();
        let batch = Batch::compile_with_facts(&sources);
        for (number, (seed, program, race)) in part.iter().enumerate() {
            let dpor = search(&batch, number, program, Algorithm::Dpor, Mode::Restore);
            let pdp = search(&batch, number, program, Algorithm::Pdp, Mode::Restore);
            let forked = search(&batch, number, program, Algorithm::Pdp, Mode::Fork);
            for said in [&dpor, &pdp, &forked] {
                assert!(said.complete, "seed {seed}: {:#?}", program.bodies);
                assert_eq!(said.race, *race, "seed {seed}: {:#?}", program.bodies);
            }
            assert_eq!(pdp.executions, forked.executions, "seed {seed}: fork mode hands everything over");
            racy += usize::from(*race);
            if !race {
                fewer += usize::from(pdp.executions < dpor.executions);
                (all, pruned) = (all + dpor.executions, pruned + pdp.executions);
            }
        }
    }
    println!("{} programs, {racy} with a race; of {all} executions of the others {pruned}", chosen.len());
    assert!(racy * 5 > programs && (programs - racy) * 5 > programs, "of both kinds: {racy}");
    assert!(fewer * 10 > programs - racy, "there is something to prune: {fewer}");
}
