//! The tables of docs/performance.md: `make simulate` prints them.

use super::costs::{Costs, micros};
use super::graph::{Graph, buffer, conflicts, lockers};
use super::part::Counted;
use super::{Search, Simulated, simulate};
use std::rc::Rc;
use std::time::Duration;

/// A program, and the time of an execution.
struct Row {
    name: &'static str,
    graph: Graph,
    execution: Duration,
}

impl Row {
    fn new(name: &'static str, graph: Graph, execution_us: f64) -> Row {
        Row { name, graph, execution: micros(execution_us) }
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

/// Our times, and larger searches of the same kind.
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
        Row::new("indexer 22", conflicts(33), 17.0),
    ]
}

fn print(rows: Vec<Row>, clusters: &[(usize, u32)]) {
    for Row { name, graph, execution } in rows {
        let graph = Rc::new(graph);
        let executions = graph.executions(0);
        let one = Duration::from_nanos(execution.as_nanos() as u64 * executions);
        let search = Search {
            parts: Rc::new(move || Box::new(Counted::new(Rc::clone(&graph)))),
            execution,
            costs: Rc::new(Costs::measured()),
        };
        println!("{name}: {executions} executions, {:.1} s", one.as_secs_f64());
        for &(ranks, cores) in clusters {
            let workers = ranks * cores as usize;
            if one / (workers as u32) < Duration::from_millis(20) || one / (workers as u32) > Duration::from_secs(700) && workers > 1000 {
                continue;
            }
            let real = std::time::Instant::now();
            let simulated = simulate(&search, ranks, cores);
            let Simulated { time, traffic, leader, .. } = simulated;
            let messages = traffic.packages.messages + traffic.commits.messages + traffic.others.messages;
            println!(
                "| {ranks} x {cores} | {:.2} s | {:.1} | {:.3} | {} | {messages} | {:.2} | {:.1} s",
                time.as_secs_f64(),
                one.as_secs_f64() / time.as_secs_f64(),
                simulated.efficiency(one, workers),
                traffic.packages.messages,
                leader.as_secs_f64() / time.as_secs_f64(),
                real.elapsed().as_secs_f64()
            );
        }
    }
}

#[test]
#[ignore = "prints a table: make simulate"]
fn figures_of_the_dissertation() {
    print(dissertation(), &[(1, 1), (2, 1), (16, 1), (32, 1), (48, 1), (64, 1), (256, 1), (1024, 1)]);
}

#[test]
#[ignore = "prints a table: make simulate"]
fn larger_clusters() {
    print(ours(), &[(1, 1), (2, 1), (64, 1), (256, 1), (1024, 1), (64, 64), (256, 64)]);
}
