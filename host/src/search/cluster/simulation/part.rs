//! What a simulated guest explores: parts of a search whose executions are counted, or made in the model.

use super::graph::Graph;
use inspect_core::event::{Ending, Plan};
use inspect_core::explore::{Counts, Explorer, Item};
use inspect_core::model::{Machine, Program};
use std::rc::Rc;
use std::time::Duration;

/// The most steps of an execution in the model.
const MAX_STEPS: u32 = 10_000;

/// The parts of a search that a guest has, and what it has counted.
pub(super) trait Parts {
    /// Begins with an item, as all before are over or given away.
    fn begin(&mut self, item: Item);
    /// Makes executions of this length as long as they begin within that time. Returns how long they took.
    fn explore(&mut self, time: Duration, execution: Duration) -> Duration;
    /// Whether nothing is left.
    fn is_over(&self) -> bool;
    /// How many parts could be given away.
    fn open(&mut self) -> usize;
    /// Gives one away that can be expected to be large.
    fn give(&mut self) -> Option<Item>;
    /// All that is left, which is still explored.
    fn left(&mut self) -> Vec<Item>;
    /// What was counted.
    fn counts(&self) -> Counts;
}

/// Parts of a search that are states of a graph.
pub(super) struct Counted {
    graph: Rc<Graph>,
    /// The states, the one of the whole path first.
    parts: Vec<u32>,
    /// The first execution of the item was made.
    is_begun: bool,
    counts: Counts,
}

impl Counted {
    pub(super) fn new(graph: Rc<Graph>) -> Counted {
        Counted { graph, parts: Vec::new(), is_begun: false, counts: Counts::default() }
    }

    fn item(state: u32) -> Item {
        Item { block: state, ..Item::everything() }
    }
}

impl Parts for Counted {
    fn begin(&mut self, item: Item) {
        self.parts.push(if item.block == Item::everything().block { 0 } else { item.block });
        self.is_begun = false;
    }

    fn explore(&mut self, time: Duration, execution: Duration) -> Duration {
        let most = (time.as_nanos() / execution.as_nanos().max(1)) as u64 + 1;
        let mut made = 0;
        while made < most
            && let Some(state) = self.parts.pop()
        {
            let all = self.graph.executions(state);
            if made + all <= most {
                made += all;
            } else {
                self.graph.execute(state, &mut self.parts);
                made += 1;
            }
        }
        self.is_begun = true;
        self.counts.executions += made;
        Duration::from_nanos(execution.as_nanos() as u64 * made)
    }

    fn is_over(&self) -> bool {
        self.parts.is_empty()
    }

    fn open(&mut self) -> usize {
        if self.is_begun { self.parts.len() } else { 0 }
    }

    fn give(&mut self) -> Option<Item> {
        (self.is_begun && !self.parts.is_empty()).then(|| Counted::item(self.parts.remove(0)))
    }

    fn left(&mut self) -> Vec<Item> {
        self.parts.iter().rev().map(|&state| Counted::item(state)).collect()
    }

    fn counts(&self) -> Counts {
        self.counts
    }
}

/// Parts that an explorer of `core` explores in the model.
pub(super) struct Modelled {
    machine: Machine<'static>,
    explorer: Box<dyn Explorer>,
    plan: Plan,
    /// The explorer has an item that is not over.
    is_busy: bool,
    counts: Counts,
}

impl Modelled {
    /// The program lives as long as the simulation's process.
    pub(super) fn new(program: &'static Program, explorer: Box<dyn Explorer>) -> Modelled {
        let machine = Machine::new(program, MAX_STEPS);
        Modelled { machine, explorer, plan: Plan::default(), is_busy: false, counts: Counts::default() }
    }
}

impl Parts for Modelled {
    fn begin(&mut self, item: Item) {
        self.explorer.divisible().expect("it can be divided").begin(item);
        self.is_busy = true;
    }

    fn explore(&mut self, time: Duration, execution: Duration) -> Duration {
        let mut spent = Duration::ZERO;
        while self.is_busy && spent <= time {
            self.is_busy = self.explorer.next_plan(&mut self.plan);
            if !self.is_busy {
                break;
            }
            let trace = self.machine.run(&self.plan);
            self.explorer.learn(trace);
            if trace.ending == Ending::Blocked {
                self.counts.blocked += 1;
            } else {
                self.counts.executions += 1;
            }
            spent += execution;
        }
        spent
    }

    fn is_over(&self) -> bool {
        !self.is_busy
    }

    fn open(&mut self) -> usize {
        if self.is_busy { self.explorer.divisible().map_or(0, |search| search.open()) } else { 0 }
    }

    fn give(&mut self) -> Option<Item> {
        if self.is_busy { self.explorer.divisible()?.give() } else { None }
    }

    fn left(&mut self) -> Vec<Item> {
        let mut left = Vec::new();
        if self.is_busy {
            self.explorer.divisible().expect("it can be divided").save(&mut |item| left.push(item));
        }
        left
    }

    fn counts(&self) -> Counts {
        self.counts
    }
}
