//! Generated programs some of whose threads run one function, natively with `--symmetry` and without: the same ends,
//! contents of memory and findings up to the names of threads.

use crate::batch::Batch;
use crate::brute::{Key, expected, key};
use crate::native::{self, Way};
use crate::translate::Translator;
use inspect_core::event::{Ending, Operation, ThreadId};
use inspect_core::explore::Algorithm;
use inspect_core::model::{Program, Random, Shape, Statement, generate, print};
use inspect_host::frames;
use inspect_host::run::RunOutput;
use inspect_wire::message::{Job, Mode, PlainAccesses};
use std::collections::BTreeSet;

/// A program in which some threads have one body, and what each thread gets as its argument.
struct Symmetric {
    program: Program,
    arguments: Vec<u64>,
}

fn names_threads(body: &[Statement]) -> bool {
    body.iter().any(|s| matches!(s, Statement::Create(_) | Statement::Join(_)))
}

fn program_of(seed: u64) -> Symmetric {
    let mut random = Random(seed);
    let threads = 3 + random.below(2) as u8;
    let shape = Shape { threads, statements: 2 + random.below(5) as u8 };
    let mut program = print::printable(&generate(&mut random, shape));
    let original = 1 + random.below(u64::from(threads) - 1) as usize;
    let mut arguments = vec![0; threads as usize];
    if !names_threads(&program.bodies[original]) {
        let body = program.bodies[original].clone();
        for (number, argument) in arguments.iter_mut().enumerate().skip(1) {
            if number != original && !names_threads(&program.bodies[number]) && !random.once_in(4) {
                program.bodies[number] = body.clone();
                *argument = u64::from(random.once_in(6));
            }
        }
    }
    Symmetric { program, arguments }
}

/// Changes the text so that threads with one body run one function, which gets its argument in its last register.
fn share_functions(text: &str, programs: &[&Symmetric]) -> String {
    let mut text = text.replace("r3 = 0;", "r3 = (word)unused;");
    for (number, Symmetric { program, arguments }) in programs.iter().enumerate() {
        for (child, argument) in arguments.iter().enumerate().skip(1) {
            let first = program.bodies.iter().position(|body| *body == program.bodies[child]).unwrap_or(child);
            let create = |body: usize, argument: &str| {
                format!("pthread_create(&thread{child}, 0, program{number}_body{body}, {argument});")
            };
            let shared = create(first.max(1), &format!("(void *){argument}ul"));
            text = text.replace(&create(child, "0"), &shared);
        }
    }
    text
}

/// How a run ended: the operations pending then without the names of threads, and the variables.
type End = (String, Vec<String>, Vec<u64>);

fn ends(output: &RunOutput) -> BTreeSet<End> {
    let nameless = |operation: &Operation| format!("{:?}", operation.renamed(|_| ThreadId::MAIN));
    let traces = output.earlier_traces.iter().chain(&output.trace);
    let complete = traces.filter(|trace| trace.ending != Ending::Blocked);
    complete
        .map(|trace| {
            let mut pending: Vec<String> = trace.pending.iter().map(|p| nameless(&p.operation)).collect();
            pending.sort();
            (format!("{:?}", trace.ending), pending, trace.contents.clone())
        })
        .collect()
}

fn found(batch: &Batch, number: usize, output: &RunOutput) -> BTreeSet<Key> {
    let mut translator = Translator::new(batch, number);
    translator.learn_sites(output);
    output.findings.iter().map(|reported| key(&reported.finding, |site| translator.site(site))).collect()
}

fn compare(batch: &Batch, number: usize, symmetric: &Symmetric) -> Result<(usize, usize), String> {
    let program = &symmetric.program;
    let mut runs = (0, 0);
    for algorithm in [Algorithm::Dpor, Algorithm::Source] {
        let way = Way { algorithm, plain: PlainAccesses::All, bound: None, fork: false };
        let job = native::job(batch, way, Mode::Restore, program.spurious_wakeups, program.variables);
        let all = native::explore(batch, number, &job);
        let map = frames::of_program(&batch.path);
        let some = native::explore(batch, number, &Job { symmetry: Some(map), ..job });
        let clean = |output: &RunOutput| {
            output.done.is_some_and(|(_, complete)| complete)
                && output.divergences.is_empty()
                && output.tool_errors.is_empty()
                && output.reasons.is_empty()
        };
        if !clean(&all) || !clean(&some) {
            return Err(format!("{algorithm:?}: {all:?}\n{some:?}"));
        }
        let (wanted, seen) = (ends(&all), ends(&some));
        if wanted != seen {
            let missed: Vec<_> = wanted.difference(&seen).collect();
            return Err(format!(
                "{algorithm:?}: {} of {} ends missed: {:?}",
                missed.len(),
                wanted.len(),
                missed.first()
            ));
        }
        let (wanted, seen) = (found(batch, number, &all), found(batch, number, &some));
        if wanted != seen {
            return Err(format!("{algorithm:?}: findings {wanted:?} became {seen:?}"));
        }
        let count = |output: &RunOutput| output.earlier_traces.len() + 1;
        runs = (runs.0 + count(&all), runs.1 + count(&some));
    }
    Ok(runs)
}

/// Compares this many programs that are small enough, and have something to explore.
pub(crate) fn check(first: u64, count: usize, batch_size: usize, traces: usize) {
    let small =
        |symmetric: &Symmetric| expected(&symmetric.program).is_some_and(|expected| expected.traces.len() >= traces);
    let chosen: Vec<(u64, Symmetric)> =
        (first..).map(|seed| (seed, program_of(seed))).filter(|(_, symmetric)| small(symmetric)).take(count).collect();
    let (mut all, mut some, mut reduced, mut failures) = (0, 0, 0, Vec::new());
    for part in chosen.chunks(batch_size) {
        let sources: Vec<Program> = part.iter().map(|(_, symmetric)| symmetric.program.clone()).collect();
        let symmetric_programs: Vec<&Symmetric> = part.iter().map(|(_, symmetric)| symmetric).collect();
        let batch = Batch::compile_changed(&sources, &|text| share_functions(text, &symmetric_programs));
        for (number, (seed, symmetric)) in part.iter().enumerate() {
            match compare(&batch, number, symmetric) {
                Ok(runs) => {
                    (all, some) = (all + runs.0, some + runs.1);
                    reduced += usize::from(runs.1 < runs.0);
                }
                Err(difference) => failures.push((*seed, difference)),
            }
        }
    }
    println!("{} programs, {reduced} reduced, {all} runs without and {some} with symmetry", chosen.len());
    for (seed, difference) in failures.iter().take(3) {
        println!("seed {seed}: {difference}");
        program_of(*seed).program.bodies.iter().enumerate().for_each(|(n, body)| println!("  {n}: {body:?}"));
    }
    assert!(failures.is_empty(), "{} programs differ", failures.len());
    assert!(reduced > 0, "the reduction shows");
}
