//! Every interleaving, without any reduction: the oracle the other algorithms are compared with.

use super::Explorer;
use super::estimate::Estimate;
use crate::event::{Alternatives, Event, Plan, Step, ThreadSet, Trace};
use alloc::vec::Vec;

/// One state of the present path and what has been tried in it.
#[derive(Clone, Copy, Debug)]
struct Node {
    step: Step,
    alternatives: Alternatives,
    /// Enabled threads that have not been tried here.
    untried: ThreadSet,
}

impl Node {
    fn of(event: &Event) -> Self {
        let step = Step { thread: event.thread, choice: event.choice };
        let untried = event.enabled.minus(ThreadSet::only(event.thread));
        Node { step, alternatives: event.alternatives, untried }
    }

    /// Branches not yet taken, as far as they are known.
    fn left(&self) -> u64 {
        self.untried.len() as u64 + self.alternatives.left_after(self.step.choice)
    }

    /// Goes on to the next branch; false if there is none left.
    fn advance(&mut self) -> bool {
        if let Some(choice) = self.alternatives.after(self.step.choice) {
            self.step.choice = choice;
            return true;
        }
        let Some(thread) = self.untried.first() else { return false };
        self.untried.remove(thread);
        self.step = Step { thread, choice: Step::FIRST };
        true
    }
}

/// Depth-first search over all interleavings and all choices.
#[derive(Debug, Default)]
pub struct Dfs {
    nodes: Vec<Node>,
    started: bool,
    estimate: Estimate,
}

impl Dfs {
    /// A search that has not begun.
    pub fn new() -> Self {
        Dfs::default()
    }
}

impl Explorer for Dfs {
    fn next_plan(&mut self, plan: &mut Plan) -> bool {
        plan.clear();
        if !self.started {
            self.started = true;
            return true;
        }
        while let Some(node) = self.nodes.last_mut() {
            if node.advance() {
                plan.steps.extend(self.nodes.iter().map(|node| node.step));
                return true;
            }
            self.nodes.pop();
            self.estimate.leave();
        }
        false
    }

    fn learn(&mut self, trace: &Trace) {
        let known = self.nodes.len();
        if let (Some(node), Some(event)) = (self.nodes.last_mut(), trace.events.get(known.wrapping_sub(1))) {
            // What could be chosen in a step is known only once it has been run.
            node.step = Step { thread: event.thread, choice: event.choice };
            node.alternatives = event.alternatives;
        }
        for event in trace.events.iter().skip(known) {
            let node = Node::of(event);
            self.estimate.enter(node.left() + 1);
            self.nodes.push(node);
        }
        self.estimate.reached();
    }

    fn lose(&mut self) {
        if let Some(node) = self.nodes.last_mut() {
            // Alternatives of the lost step are not known, so there are none to try.
            node.step.choice = 0;
            node.alternatives = Alternatives::None;
        }
        self.estimate.reached();
    }

    fn estimated_total(&self) -> Option<f64> {
        self.estimate.total()
    }
}
