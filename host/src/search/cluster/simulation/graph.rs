//! Searches whose executions are counted, not made: each state of a small graph stands for all that is left below it.
//!
//! In each of the four programs of the dissertation's table 6.1, what can follow depends on little: which conflicts are
//! still to come, or who has taken the mutex how often. So the number of executions below a state is a sum over the
//! states after it, as in `corpus/derive/buffer.py`. A part of a search is a state. Its first execution takes the first
//! step in each state on its way; the other steps are parts of their own.

use std::collections::BTreeMap;

/// States, of which the first is the whole search.
pub(super) struct Graph {
    /// By state: the executions below it.
    executions: Vec<u64>,
    /// By state: the states that its steps lead to.
    steps: Vec<Vec<u32>>,
}

impl Graph {
    /// The states that `steps` leads to from `first`.
    pub(super) fn new<S: Ord + Clone>(first: S, steps: impl Fn(&S) -> Vec<S>) -> Graph {
        let mut numbers = BTreeMap::from([(first.clone(), 0)]);
        let (mut states, mut all) = (vec![first], Vec::new());
        while let Some(state) = states.get(all.len()).cloned() {
            let mut number = |next: S| {
                *numbers.entry(next.clone()).or_insert_with(|| {
                    states.push(next);
                    states.len() as u32 - 1
                })
            };
            let next: Vec<u32> = steps(&state).into_iter().map(&mut number).collect();
            all.push(next);
        }
        let mut graph = Graph { executions: vec![0; all.len()], steps: all };
        graph.count(0);
        graph
    }

    fn count(&mut self, state: u32) -> u64 {
        if self.executions[state as usize] == 0 {
            let next = self.steps[state as usize].clone();
            let below: u64 = next.iter().map(|&next| self.count(next)).sum();
            self.executions[state as usize] = below.max(1);
        }
        self.executions[state as usize]
    }

    /// The executions below a state.
    pub(super) fn executions(&self, state: u32) -> u64 {
        self.executions[state as usize]
    }

    /// Makes the first execution below `state`: adds the parts that it leaves open, those of the first step first.
    pub(super) fn execute(&self, mut state: u32, parts: &mut Vec<u32>) {
        while let Some((&first, others)) = self.steps[state as usize].split_first() {
            parts.extend(others.iter().rev());
            state = first;
        }
    }
}

/// So many conflicts, each of which goes one way or the other: indexer and fsbench.
pub(super) fn conflicts(count: u32) -> Graph {
    Graph::new(count, |&left| if left == 0 { Vec::new() } else { vec![left - 1; 2] })
}

/// So many threads that lock one mutex so often: aget.
pub(super) fn lockers(threads: usize, times: u32) -> Graph {
    Graph::new(vec![times; threads], |left| {
        let lock = |at: usize| {
            let mut after = left.clone();
            after[at] -= 1;
            after
        };
        (0..left.len()).filter(|&at| left[at] > 0).map(lock).collect()
    })
}

/// Of producers or consumers: how many are about to lock the mutex, and how many wait. The others are over.
type Side = (u32, u32);

/// A bounded buffer with so many producers, as many consumers, and two places; a signal wakes any waiter, or always the
/// first one.
pub(super) fn buffer(each: u32, only_first: bool) -> Graph {
    const PLACES: u32 = 2;
    let first = ([(each, 0), (each, 0)], 0);
    Graph::new(first, |&(sides, count): &([Side; 2], u32)| {
        let mut steps = Vec::new();
        for own in 0..2 {
            let (mut next, other) = (sides, 1 - own);
            let choices = sides[own].0 as usize;
            let must_wait = count == if own == 0 { PLACES } else { 0 };
            next[own].0 = next[own].0.saturating_sub(1);
            if must_wait {
                next[own].1 += 1;
                steps.extend(std::iter::repeat_n((next, count), choices));
                continue;
            }
            let woken = if only_first { sides[other].1.min(1) } else { sides[other].1 };
            if woken > 0 {
                next[other] = (next[other].0 + 1, next[other].1 - 1);
            }
            let after = if own == 0 { count + 1 } else { count - 1 };
            let times = choices * woken.max(1) as usize;
            steps.extend(std::iter::repeat_n((next, after), times));
        }
        steps
    })
}

/// The counts of the corpus: 2^k, the multinomial coefficients of `corpus/counts/mutex`, and those that
/// `corpus/derive/buffer.py` prints, the last of which is the dissertation's.
#[test]
fn the_graphs_have_as_many_executions_as_the_programs() {
    let counts = |graph: Graph| graph.executions(0);
    assert_eq!([conflicts(13), conflicts(18)].map(counts), [8_192, 262_144]);
    assert_eq!([lockers(3, 3), lockers(5, 2)].map(counts), [1_680, 113_400]);
    assert_eq!([buffer(2, false), buffer(4, false), buffer(4, true)].map(counts), [60, 10_020_672, 1_938_816]);
}

/// However a search is divided into parts, they have all of its executions: one is made, the others are below the parts
/// that it leaves open.
#[test]
fn an_execution_and_the_parts_that_it_leaves_open_are_the_whole() {
    for graph in [conflicts(10), lockers(4, 2), buffer(3, false)] {
        for state in 0..graph.steps.len() as u32 {
            let mut parts = Vec::new();
            graph.execute(state, &mut parts);
            let open: u64 = parts.iter().map(|&part| graph.executions(part)).sum();
            assert_eq!(1 + open, graph.executions(state));
        }
    }
}
