//! What a search that samples guarantees: how probable it is that one of its runs shows a bug, and under which
//! premises.

use inspect_core::explore::{Algorithm, SampledRuns};
use inspect_wire::message::Job;

/// The guarantee of a search of so many `runs` in sentences, from what they had in common. Every number that a premise
/// names is the largest that was seen.
pub(super) fn of(job: &Job, sampled: &SampledRuns, runs: u64, threads: u32) -> Vec<String> {
    let threads = threads.max(1);
    let ordered = sampled.expected.min(sampled.longest.max(1));
    let drawn = runs.saturating_sub(sampled.profiled);
    let mut sentences = of_strategy(job, sampled, threads, ordered, drawn);
    if !sentences.is_empty() && job.algorithm != Algorithm::Rff {
        sentences.push(
            "if the bug shows whatever else is drawn: the values of `inspect_choose`, the waiters that are woken, the heap"
                .to_owned(),
        );
    }
    sentences
}

/// What the strategy guarantees of the order of operations.
fn of_strategy(job: &Job, sampled: &SampledRuns, threads: u32, ordered: u32, drawn: u64) -> Vec<String> {
    let longest = sampled.longest.max(1);
    match job.algorithm {
        Algorithm::Random => vec![format!(
            "an order of k operations in which at most n threads can go on: at least 1 / n^k in a run; here n is at most \
             {threads} and k up to {longest}"
        )],
        Algorithm::Pct => of_pct(job.sampling.pct_depth, threads, ordered, drawn),
        Algorithm::Delay => of_delay(job.sampling.delays, ordered, drawn),
        Algorithm::Pos => vec![format!(
            "no partial order has the probability 0; the bound of the paper, of about 1 / k! for k operations, says nothing in \
             runs of {longest}"
        )],
        Algorithm::Surw => vec![
            "every order of the operations on the location that a run selects has the same probability".to_owned(),
            "if each thread always makes as many of them as were seen, and none of them waits for another".to_owned(),
        ],
        Algorithm::Rff => {
            vec!["no probability: what the executions before have shown decides what each of them tries".to_owned()]
        }
        Algorithm::Optimal
        | Algorithm::Source
        | Algorithm::Dpor
        | Algorithm::Flip
        | Algorithm::Stateful
        | Algorithm::Pdp
        | Algorithm::Ddpor
        | Algorithm::CbDfs
        | Algorithm::CbPorBasic
        | Algorithm::CbPor
        | Algorithm::Bpor
        | Algorithm::Predict
        | Algorithm::Dfs => Vec::new(),
    }
}

fn of_pct(depth: u32, threads: u32, ordered: u32, drawn: u64) -> Vec<String> {
    let places = depth - 1;
    let least = 1.0 / (f64::from(threads) * f64::from(ordered).powf(f64::from(places)));
    let what = format!("a bug of depth {depth}: at least 1 / ({threads} x {ordered}^{places})");
    let premise = format!(
        "if it shows in runs of {threads} threads and of at most {ordered} operations, none of them a yield, as were seen"
    );
    vec![probability(&what, least, drawn), premise]
}

fn of_delay(delays: u32, ordered: u32, drawn: u64) -> Vec<String> {
    let least = 1.0 / f64::from(ordered).powf(f64::from(delays));
    let what = format!("a bug that {delays} delays at certain operations show: at least 1 / {ordered}^{delays}");
    vec![
        probability(&what, least, drawn),
        format!("if it shows within the first {ordered} operations, as many as were seen"),
    ]
}

/// The least probability of something in one run, and in all of them.
fn probability(what: &str, least: f64, runs: u64) -> String {
    let missed = (runs as f64 * (-least).ln_1p()).exp();
    format!("{what} = {} in a run, {} in all {runs}", percent(least), percent(1.0 - missed))
}

fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    match percent {
        99.99.. => "more than 99.99 %".to_owned(),
        0.01.. => format!("{percent:.2} %"),
        _ => format!("{percent:.1e} %"),
    }
}
