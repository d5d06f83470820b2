//! `stateful` by several guests that share the states that they have explored: what one of them alone reaches, all of
//! them together reach.

use crate::batch::Batch;
use inspect_core::event::ThreadOrder;
use inspect_host::run::{Local, RunOutput, Target, Transport, Worker};
use inspect_wire::message::{Job, SharedTable};
use std::time::Duration;

/// Bytes of the table: more than these programs have states.
const TABLE: u64 = 4 << 20;

/// How guests make a search.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Guests {
    /// So many at a time.
    AtOnce(u32),
    /// One after the other; all but the last make some runs only, and are killed then or end by themselves.
    InTurn(u32),
}

/// What has come of one attempt.
enum Attempt {
    /// Some guest has covered everything.
    Over(Vec<RunOutput>),
    /// A guest began anew, and has reported this by then.
    Anew(Box<RunOutput>),
}

/// Has guests explore the program with this number; returns what they have reported together.
pub(crate) fn explore(batch: &Batch, number: usize, job: &Job, guests: Guests) -> RunOutput {
    let target = Target::new(batch.path.clone(), vec![number.to_string().into()]);
    let mut transport = Local::new(&target);
    let mut job = job.clone();
    for pass in 0.. {
        let attempt = match guests {
            Guests::AtOnce(guests) => at_once(&mut transport, &job, pass, guests),
            Guests::InTurn(guests) => in_turn(&mut transport, &job, pass, guests),
        };
        match attempt {
            Attempt::Over(outputs) => return together(outputs),
            Attempt::Anew(output) => {
                (job.promoted, job.watch_sets) = (output.promoted, output.watch_sets);
                job.promoted_in = output.modules;
            }
        }
    }
    unreachable!("a search begins anew as often as there is something to find out")
}

fn start(transport: &mut Local<'_>, job: &Job, pass: u32, order: u32) -> Box<dyn Worker> {
    let table = SharedTable { pass, bytes: TABLE, order: ThreadOrder(order) };
    transport.start(&Job { state_table: Some(table), ..job.clone() }).expect("it starts")
}

/// Whether the guest has ended or begun anew.
fn is_over(worker: &mut dyn Worker) -> bool {
    let ended = worker.poll().expect("readable").end.is_some();
    ended || worker.output().passes > 0
}

fn ended(mut worker: Box<dyn Worker>) -> RunOutput {
    worker.kill().expect("it can be killed");
    while worker.poll().expect("readable").end.is_none() {}
    worker.take_output()
}

fn at_once(transport: &mut Local<'_>, job: &Job, pass: u32, guests: u32) -> Attempt {
    let mut workers: Vec<_> = (0..guests).map(|order| start(transport, job, pass, order)).collect();
    while !workers.iter_mut().any(|worker| is_over(&mut **worker)) {
        std::thread::sleep(Duration::from_micros(100));
    }
    let mut outputs: Vec<RunOutput> = workers.into_iter().map(ended).collect();
    match outputs.iter().position(|output| output.passes > 0) {
        Some(anew) => Attempt::Anew(Box::new(outputs.swap_remove(anew))),
        None => Attempt::Over(outputs),
    }
}

fn in_turn(transport: &mut Local<'_>, job: &Job, pass: u32, guests: u32) -> Attempt {
    let mut outputs = Vec::new();
    for turn in (0..guests).rev() {
        let runs = if turn == 0 { u64::MAX } else { 3 + 2 * u64::from(turn) };
        let mut worker = start(transport, &Job { max_executions: runs, ..job.clone() }, pass, turn);
        while !is_over(&mut *worker) {
            std::thread::sleep(Duration::from_micros(100));
        }
        let output = ended(worker);
        if output.passes > 0 {
            return Attempt::Anew(Box::new(output));
        }
        let complete = output.done.is_some_and(|(_, complete)| complete);
        outputs.push(output);
        if complete {
            break;
        }
    }
    Attempt::Over(outputs)
}

/// What the guest that has covered everything has reported, with what the others have reported up to then.
fn together(mut outputs: Vec<RunOutput>) -> RunOutput {
    let complete = |output: &RunOutput| output.done.is_some_and(|(_, complete)| complete);
    let at = outputs.iter().position(complete).unwrap_or(0);
    let mut all = outputs.swap_remove(at);
    for output in outputs {
        all.findings.extend(output.findings);
        all.sites.extend(output.sites);
        all.reasons.extend(output.reasons);
        all.tool_errors.extend(output.tool_errors);
        all.divergences.extend(output.divergences);
        all.earlier_traces.extend(output.earlier_traces.into_iter().chain(output.trace));
    }
    all
}
