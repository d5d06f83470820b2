//! The tables of docs/performance.md, which `make simulate` prints.

use super::costs::{Costs, micros};
use super::graph::{Graph, buffer, conflicts, lockers};
use super::part::{Counted, Modelled};
use super::{Search, Simulated, simulate};
use inspect_core::explore::{BacktrackSets, Ddpor, Explorer};
use inspect_core::model::{Program, examples};
use std::rc::Rc;
use std::time::Duration;

/// A program, and the time of an execution.
struct Row {
    name: &'static str,
    graph: Graph,
    execution: Duration,
}

impl Row {
    fn new(name: &'static str, graph: Graph, microseconds: f64) -> Row {
        Row { name, graph, execution: micros(microseconds) }
    }
}

/// The rows of table 6.1, with the dissertation's seconds for all executions.
fn dissertation() -> Vec<Row> {
    let row = |name, graph: Graph, seconds: f64| {
        let each = seconds * 1e6 / graph.executions(0) as f64;
        Row::new(name, graph, each)
    };
    vec![
        row("fsbench 26", conflicts(13), 291.32),
        row("indexer 16", conflicts(15), 1_188.73),
        row("aget 5x2", lockers(5, 2), 5_662.96),
        row("bbuf 4+4, first waiter", buffer(4, true), 39_710.43),
    ]
}

/// Our times of an execution, and larger searches of the same kind.
fn ours() -> Vec<Row> {
    vec![
        Row::new("fsbench 26", conflicts(13), 19.5),
        Row::new("indexer 17", conflicts(18), 17.0),
        Row::new("aget 5x2", lockers(5, 2), 3.5),
        Row::new("bbuf 4+4", buffer(4, false), 5.8),
        Row::new("indexer 20", conflicts(27), 17.0),
        Row::new("aget 5x3", lockers(5, 3), 3.5),
        Row::new("bbuf 5+5, first waiter", buffer(5, true), 5.8),
        Row::new("bbuf 5+5", buffer(5, false), 5.8),
        Row::new("aget 6x3", lockers(6, 3), 3.5),
    ]
}

/// Prints the rows for so many ranks of so many cores, as far as a core has work for between 20 ms and ten minutes.
fn print(rows: Vec<Row>, clusters: &[(usize, u32)]) {
    println!("| program | ranks x cores | time | speedup | efficiency | packages | messages | leader |");
    println!("|---|--:|--:|--:|--:|--:|--:|--:|");
    for Row { name, graph, execution } in rows {
        let graph = Rc::new(graph);
        let one = execution.as_secs_f64() * graph.executions(0) as f64;
        let parts = Rc::new(move || Box::new(Counted::new(Rc::clone(&graph))) as _);
        let search = Search { parts, execution, costs: Rc::new(Costs::measured()) };
        for &(ranks, cores) in clusters {
            let workers = ranks as f64 * f64::from(cores);
            if (0.02..700.0).contains(&(one / workers)) {
                print_row(
                    &format!("{name}, {one:.1} s | {ranks} x {cores}"),
                    one,
                    workers,
                    &simulate(&search, ranks, cores),
                );
            }
        }
    }
}

fn print_row(what: &str, one: f64, workers: f64, simulated: &Simulated) {
    let Simulated { time, traffic, leader, .. } = simulated;
    let time = time.as_secs_f64();
    let (packages, speedup) = (traffic.packages.messages, one / time);
    let messages = packages + traffic.commits.messages + traffic.others.messages;
    let (efficiency, busy) = (speedup / workers, leader.as_secs_f64() / time);
    println!("| {what} | {time:.2} s | {speedup:.1} | {efficiency:.3} | {packages} | {messages} | {busy:.2} |");
}

#[test]
#[ignore = "prints a table: make simulate"]
fn figures_of_the_dissertation() {
    let ranks = [1, 2, 16, 32, 48, 64, 256, 1_024];
    print(dissertation(), &ranks.map(|ranks| (ranks, 1)));
}

#[test]
#[ignore = "prints a table: make simulate"]
fn larger_clusters() {
    print(ours(), &[(1, 1), (2, 1), (4, 1), (64, 1), (256, 1), (1_024, 1), (64, 64), (256, 64), (1_024, 64)]);
}

/// The executions of `ddpor`, with figure 6.9's backtrack sets and with those of the sequential search.
#[test]
#[ignore = "prints a table: make simulate"]
fn redundancy_of_ddpor() {
    let all: [(&str, Program); 4] = [
        ("lockers 4x2", examples::lockers(4, 2)),
        ("lockers 3x3", examples::lockers(3, 3)),
        ("lastzero 6", examples::lastzero(6)),
        ("indexer 14", examples::indexer(14)),
    ];
    for (name, program) in all {
        // It lives as long as the process, as do the machines of guests.
        let program: &'static Program = Box::leak(Box::new(program));
        for (figure, sets) in [("6.9", BacktrackSets::Aggressive), ("2.1", BacktrackSets::Original)] {
            let explorer = move || Box::new(Ddpor::with_sets(sets)) as Box<dyn Explorer>;
            let parts = Rc::new(move || Box::new(Modelled::new(program, explorer())) as _);
            // The dissertation's time of an execution of bbuf.
            let search = Search { parts, execution: Duration::from_millis(20), costs: Rc::new(Costs::measured()) };
            let runs = [1, 2, 4, 8, 16, 32, 64].map(|ranks| simulate(&search, ranks, 1));
            let cells = runs.map(|run| format!("{} / {}", run.counts.executions, run.counts.blocked));
            let speedups = runs.map(|run| format!("{:.1}", runs[0].time.as_secs_f64() / run.time.as_secs_f64()));
            println!("| {name} | {figure} | {} | {} |", cells.join(" | "), speedups.join(", "));
        }
    }
}
