//! Every interleaving, without any reduction: the oracle the other algorithms are compared with.

use super::Explorer;
use super::depth_first::{self, DepthFirst, Stack};
use super::estimate::Estimate;
use crate::event::{Plan, Step, ThreadSet, Trace};

/// Depth-first search over all interleavings and all choices.
#[derive(Debug, Default)]
pub struct Dfs {
    /// By state: the enabled threads that have not been tried there.
    stack: Stack<ThreadSet>,
    estimate: Estimate,
}

impl Dfs {
    /// A search that has not begun.
    pub fn new() -> Self {
        Dfs::default()
    }
}

impl DepthFirst for Dfs {
    type State = ThreadSet;

    fn stack(&mut self) -> &mut Stack<ThreadSet> {
        &mut self.stack
    }

    fn next_step(&mut self) -> Option<Step> {
        if let Some(step) = self.stack.next_choice() {
            return Some(step);
        }
        let untried = self.stack.last_mut()?;
        let thread = untried.first()?;
        untried.remove(thread);
        Some(Step { thread, choice: Step::FIRST })
    }

    fn leave(&mut self) {
        self.stack.pop();
        self.estimate.leave();
    }

    fn extend(&mut self, trace: &Trace, position: usize) -> bool {
        if position == self.stack.states().len() {
            let event = &trace.events[position];
            let untried = event.enabled.minus(ThreadSet::only(event.thread));
            self.estimate.enter(1 + untried.len() as u64 + event.alternatives.left_after(event.choice));
            self.stack.push(untried, event);
        }
        true
    }
}

impl Explorer for Dfs {
    fn next_plan(&mut self, plan: &mut Plan) -> bool {
        depth_first::next_plan(self, plan)
    }

    fn learn(&mut self, trace: &Trace) {
        depth_first::learn(self, trace);
        self.estimate.reached();
    }

    fn lose(&mut self) {
        depth_first::lose(&mut self.stack);
        self.estimate.reached();
    }

    fn estimated_total(&self) -> Option<f64> {
        self.estimate.total()
    }
}
