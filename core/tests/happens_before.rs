//! What C11 orders, the exploration orders as well. Otherwise whether a data race is found would depend on the
//! interleaving that stands for a trace.

use crate::common::MAX_STEPS;
use inspect_core::event::{Event, Plan};
use inspect_core::explore::{Dfs, Explorer};
use inspect_core::model::{Machine, Operand, Program, Random, Shape, Statement, generate};
use inspect_core::order::c11::{C11, Stamp};
use inspect_core::order::{EventId, Path};

/// A pair of events that C11 orders and the exploration does not.
fn difference(events: &[Event]) -> Option<(usize, usize)> {
    let (mut c11, mut path) = (C11::new(), Path::new());
    c11.begin();
    let mut known: Vec<(Stamp, EventId)> = Vec::new();
    let mut conflicts = Vec::new();
    for (at, event) in events.iter().enumerate() {
        c11.before(event.thread, event.operation.acquires(), event.enabled_by);
        let id = path.draft(event.thread, event.operation, event.enabled_by);
        conflicts.clear();
        path.conflicts(id, &mut conflicts);
        path.settle(id, &conflicts);
        path.push(id);
        let wrong = known
            .iter()
            .position(|(stamp, earlier)| c11.knows(event.thread, *stamp) && !path.counts(path.clock(id), *earlier));
        if let Some(earlier) = wrong {
            return Some((earlier, at));
        }
        known.push((c11.now(event.thread), id));
        c11.after(event.thread, event.operation.releases());
    }
    None
}

/// Makes up to `limit` runs of a program.
fn compare(program: &Program, limit: u32) {
    let (mut machine, mut plan, mut search) = (Machine::new(program, MAX_STEPS), Plan::default(), Dfs::new());
    for _ in 0..limit {
        if !search.next_plan(&mut plan) {
            break;
        }
        let trace = machine.run(&plan).clone();
        search.learn(&trace);
        if let Some((earlier, later)) = difference(&trace.events) {
            let events = &trace.events[..=later];
            let lines: Vec<_> =
                events.iter().map(|event| format!("{:?} {:?}", event.thread, event.operation)).collect();
            panic!("event {earlier} happens before event {later} by C11 only: {lines:#?}");
        }
    }
}

#[test]
fn what_c11_orders_the_exploration_orders_in_generated_programs() {
    for seed in 0..3_000 {
        let mut random = Random(seed);
        let shape = Shape { threads: 2 + random.below(3) as u8, statements: 2 + random.below(9) as u8 };
        compare(&generate(&mut random, shape), 40);
    }
}

/// Of more threads than a round takes, one may pass long after it was let through.
#[test]
fn what_c11_orders_the_exploration_orders_at_a_barrier_of_many_rounds() {
    let barrier = Operand::at(0);
    let wait = [Statement::BarrierArrive(barrier, 0), Statement::BarrierPass(barrier, 0)];
    for count in 1..4 {
        let main = (1..4).map(Statement::Create);
        let main = core::iter::once(Statement::BarrierInit(barrier, count)).chain(main).collect();
        let bodies = vec![main, wait.repeat(2), wait.repeat(2), wait.repeat(2)];
        compare(&Program { bodies, variables: 1, spurious_wakeups: false }, 10_000);
    }
}
