//! Prints what the optimal search costs an execution on model programs: `cargo run --release -p inspect-core
//! --features model --example speed [name]`. The model's own interpretation is not counted.

use inspect_core::event::Plan;
use inspect_core::explore::{Explorer, Optimal};
use inspect_core::model::{Expression, Machine, Operand, Program, Statement, examples};
use std::time::{Duration, Instant};

/// Three threads with about 50 visible operations: sections of a mutex among private work.
fn fifty() -> Program {
    let body = |own: u16| {
        let mut body = Vec::new();
        for _ in 0..3 {
            body.push(Statement::Write(Operand::at(own), Expression::Constant(1)));
            body.push(Statement::Lock(Operand::at(0)));
            body.push(Statement::Read(Operand::at(0), 0));
            body.push(Statement::Write(Operand::at(0), Expression::Register(0, 1)));
            body.push(Statement::Unlock(Operand::at(0)));
        }
        body
    };
    let main = vec![Statement::Create(1), Statement::Create(2), Statement::Create(3)];
    Program { bodies: vec![main, body(1), body(2), body(3)], variables: 4, spurious_wakeups: false }
}

fn measure(name: &str, program: &Program) {
    if std::env::args().nth(1).is_some_and(|wanted| !name.starts_with(&wanted)) {
        return;
    }
    let mut machine = Machine::new(program, 10_000);
    let mut explorer = Optimal::new();
    let mut plan = Plan::default();
    let (mut runs, mut events, mut spent) = (0u64, 0, Duration::ZERO);
    let begin = Instant::now();
    loop {
        let start = Instant::now();
        let more = explorer.next_plan(&mut plan);
        spent += start.elapsed();
        if !more {
            break;
        }
        let trace = machine.run(&plan);
        let start = Instant::now();
        explorer.learn(trace);
        spent += start.elapsed();
        events += trace.events.len() as u64;
        runs += 1;
    }
    let total = begin.elapsed();
    println!(
        "{name:16} {runs:>8} executions, {:>5.1} events each, explorer {:>6.0} ns an execution, with model {:>6.0} ns",
        events as f64 / runs as f64,
        spent.as_nanos() as f64 / runs as f64,
        total.as_nanos() as f64 / runs as f64,
    );
}

fn main() {
    let start = Instant::now();
    let mut calls = 0u32;
    while calls < 1_000_000 {
        std::hint::black_box(start.elapsed());
        calls += 1;
    }
    let clock = start.elapsed().as_nanos() as f64 / 1e6;
    println!("reading the clock takes {clock:.0} ns; four readings an execution are included below");
    measure("fifty", &fifty());
    measure("readers 16", &examples::readers(16));
    measure("lastzero 15", &examples::lastzero(15));
    measure("indexer 15", &examples::indexer(15));
    measure("fsbench 26", &examples::fsbench(26));
    measure("lockers 5x2", &examples::lockers(5, 2));
}
