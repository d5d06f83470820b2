use super::costs::{Costs, micros};
use super::graph::{buffer, conflicts, lockers};
use super::part::{Counted, Modelled};
use super::{Search, simulate};
use inspect_core::explore::Optimal;
use inspect_core::model::{Program, examples};
use std::rc::Rc;
use std::time::Duration;

fn counted(graph: super::graph::Graph, execution: Duration, costs: Costs) -> Search {
    let graph = Rc::new(graph);
    Search { parts: Rc::new(move || Box::new(Counted::new(Rc::clone(&graph)))), execution, costs: Rc::new(costs) }
}

#[test]
fn every_execution_is_counted_once() {
    for (ranks, cores) in [(1, 1), (1, 4), (2, 1), (5, 3), (64, 1), (16, 8)] {
        for (graph, executions) in [(conflicts(12), 4_096), (lockers(4, 2), 2_520), (buffer(3, false), 10_584)] {
            let simulated = simulate(&counted(graph, micros(500.0), Costs::measured()), ranks, cores);
            assert_eq!(simulated.counts.executions, executions, "{ranks} ranks of {cores}");
        }
    }
}

/// 8! / 2!^4 traces, by the explorer that guests have.
#[test]
fn the_optimal_search_itself_makes_every_execution_once() {
    let program: &'static Program = Box::leak(Box::new(examples::lockers(4, 2)));
    let parts = Rc::new(move || Box::new(Modelled::new(program, Box::new(Optimal::new()))) as _);
    let search = Search { parts, execution: micros(500.0), costs: Rc::new(Costs::measured()) };
    for (ranks, cores) in [(1, 1), (4, 2), (32, 1)] {
        let counts = simulate(&search, ranks, cores).counts;
        assert_eq!((counts.executions, counts.blocked), (2_520, 0), "{ranks} ranks of {cores}");
    }
}

/// Without other costs the executions of one guest take all of the time, but for a few rounds of the two balancers, a
/// millisecond each: until the guest has work, and until it is known that nothing is left.
#[test]
fn one_rank_takes_the_sum_of_its_executions() {
    let simulated = simulate(&counted(conflicts(12), micros(500.0), Costs::none()), 1, 1);
    let sum = micros(500.0) * 4_096;
    let rounds = simulated.time.checked_sub(sum).expect("no execution takes less than its time");
    assert!(rounds < Duration::from_millis(15), "{rounds:?}");
}

#[test]
fn two_ranks_take_half_of_the_time_and_a_little() {
    // 8.192 s of executions.
    let times = [1, 2].map(|ranks| simulate(&counted(conflicts(14), micros(500.0), Costs::measured()), ranks, 1).time);
    let speedup = times[0].as_secs_f64() / times[1].as_secs_f64();
    assert!((1.9..=2.0).contains(&speedup), "{speedup}");
}

#[test]
fn a_simulation_is_a_function_of_its_input() {
    let of = |latency_us: f64| {
        let mut costs = Costs::measured();
        costs.network.latency_us = latency_us;
        simulate(&counted(buffer(3, false), micros(500.0), costs), 7, 3)
    };
    assert_eq!(of(50.0), of(50.0));
    assert!(of(50_000.0).time > of(50.0).time, "messages that take 50 ms are waited for");
}
