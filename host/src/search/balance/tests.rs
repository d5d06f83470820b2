//! The balancer with workers that follow a script.

use super::*;
use crate::error::ToolError;
use crate::run::{News, RunOutput};
use inspect_core::explore::Item;
use inspect_wire::message::{Algorithm, CHECKPOINT_EVERY, LocalStates, Mode, PlainAccesses};
use std::collections::VecDeque;

/// Says it has nothing left each time it is looked at, having taken so many packages; then it ends.
struct Scripted {
    packages: VecDeque<u32>,
    output: RunOutput,
    stopped: bool,
}

fn nothing_left(packages: u32) -> Commit {
    Commit {
        pass: 0,
        answers: 0,
        packages,
        counts: Counts::default(),
        lost: 0,
        covered: 0.0,
        given: Bundle::default(),
        left: Bundle::default(),
    }
}

impl Worker for Scripted {
    fn poll(&mut self) -> std::io::Result<News> {
        let commit = self.packages.pop_front().map(nothing_left);
        let end = self.stopped.then(|| {
            self.output.done = Some((Counts::default(), false));
            GuestEnd::Done
        });
        Ok(News { commit, end, killed: false })
    }

    fn assign(&mut self, _: &Bundle) -> std::io::Result<()> {
        Ok(())
    }

    fn ask(&mut self, _: u32) -> std::io::Result<u32> {
        Ok(1)
    }

    fn stop(&mut self) -> std::io::Result<()> {
        self.stopped = true;
        Ok(())
    }

    fn kill(&mut self) -> std::io::Result<()> {
        self.stopped = true;
        Ok(())
    }

    fn output(&self) -> &RunOutput {
        &self.output
    }

    fn take_output(&mut self) -> RunOutput {
        std::mem::take(&mut self.output)
    }
}

struct Scripts(VecDeque<u32>);

impl Transport for Scripts {
    fn start(&mut self, _: &Job) -> Result<Box<dyn Worker>, ToolError> {
        Ok(Box::new(Scripted { packages: std::mem::take(&mut self.0), output: RunOutput::new(), stopped: false }))
    }
}

fn job() -> Job {
    Job {
        task: Task::Work,
        algorithm: Algorithm::Optimal,
        plain_accesses: PlainAccesses::Racy,
        promoted: Vec::new(),
        promoted_in: Vec::new(),
        groups: Vec::new(),
        mode: Mode::Restore,
        preemptions: None,
        first_preemptions: None,
        symmetry: None,
        spurious_wakeups: false,
        max_executions: u64::MAX,
        max_steps: 1000,
        checkpoint_every: CHECKPOINT_EVERY,
        memory_limit: 1 << 30,
        state_memory: 0,
        local_states: LocalStates::Exact,
        seed: 0,
        keep_going: true,
        severities: Vec::new(),
        tell_traces: None,
    }
}

/// How many items were left whenever the state could be kept, for a worker that says these times that nothing is left to
/// it, and whether the search was complete.
fn left_over_time(says: impl Into<VecDeque<u32>>) -> (Vec<usize>, bool) {
    let mut transport = Scripts(says.into());
    let limits = Limits { deadline: None, standstill: None, lingers: false };
    let balancer = Balancer { transport: &mut transport, job: job(), workers: 1, limits, keep_every: Duration::ZERO };
    let mut left = Vec::new();
    let mut keep = |state: &Progressed, _: &[&RunOutput]| left.push(state.work.len());
    let state = Progressed { work: Bundle::of([Item::everything()]), ..Progressed::nothing() };
    let shared = balancer.run(state, &Interrupt::default(), &mut |_| (), &mut keep).expect("nothing fails");
    (left, shared.complete)
}

/// A worker whose answer to a request is that nothing is left says so a second time when it begins to wait, and does not
/// know then of what it was given in between.
#[test]
fn what_was_put_down_for_a_worker_is_left_until_it_has_taken_it() {
    let (left, complete) = left_over_time([0, 0, 0, 1]);
    assert!(complete);
    // The worker is hired; it waits and is given the item; twice it does not know of that; then it is done with it.
    assert_eq!(left, [1, 1, 1, 1]);
}
