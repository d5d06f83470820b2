//! Cycles of copies: their nodes have equal sets and are merged.
//!
//! Paper: R. Tarjan, "Depth-First Search and Linear Graph Algorithms", SIAM Journal on Computing 1(2), 1972.
//! Departs from the paper: the recursion is a list of visits.

use super::{Node, Solver};

/// A depth-first search for strongly connected components. The vectors have one entry for each node.
struct ComponentSearch {
    /// How many nodes were visited.
    visited: u32,
    /// When a node was visited, from 1; 0 before.
    order: Vec<u32>,
    /// The earliest node on the path that is known to be reachable, by its `order`.
    low: Vec<u32>,
    on_path: Vec<bool>,
    /// The nodes that were visited and whose components are not complete.
    path: Vec<Node>,
    /// The nodes being visited, and how many of their copies were followed.
    visits: Vec<(Node, usize)>,
    /// The components found so far.
    cycles: Vec<Vec<Node>>,
}

impl ComponentSearch {
    fn new(nodes: usize) -> ComponentSearch {
        ComponentSearch {
            visited: 0,
            order: vec![0; nodes],
            low: vec![0; nodes],
            on_path: vec![false; nodes],
            path: Vec::new(),
            visits: Vec::new(),
            cycles: Vec::new(),
        }
    }

    fn is_new(&self, node: Node) -> bool {
        self.order[node.0 as usize] == 0
    }

    fn enter(&mut self, node: Node) {
        let at = node.0 as usize;
        self.visited += 1;
        (self.order[at], self.low[at], self.on_path[at]) = (self.visited, self.visited, true);
        self.path.push(node);
    }

    /// Follows a copy from `node` to `to`.
    fn follow(&mut self, node: Node, to: Node) {
        if self.is_new(to) {
            self.visits.push((to, 0));
        } else if self.on_path[to.0 as usize] {
            let low = &mut self.low[node.0 as usize];
            *low = (*low).min(self.order[to.0 as usize]);
        }
    }

    /// All copies from `node` were followed: if no earlier node on the path can be reached from it, the nodes of the
    /// path from it on are a component.
    fn leave(&mut self, node: Node) {
        let at = node.0 as usize;
        if self.low[at] == self.order[at] {
            let from = self.path.iter().rposition(|n| *n == node).unwrap_or(0);
            let cycle = self.path.split_off(from);
            for member in &cycle {
                self.on_path[member.0 as usize] = false;
            }
            self.cycles.push(cycle);
        }
        if let Some((parent, _)) = self.visits.last() {
            let parent = parent.0 as usize;
            self.low[parent] = self.low[parent].min(self.low[at]);
        }
    }
}

impl Solver {
    /// Merges the nodes of every cycle of copies.
    pub(super) fn collapse_cycles(&mut self) {
        let mut search = ComponentSearch::new(self.states.len());
        for start in (0..self.states.len() as u32).map(Node) {
            if self.root(start) == start && search.is_new(start) {
                search.visits.push((start, 0));
                self.visit(&mut search);
            }
        }
        for cycle in search.cycles {
            for member in &cycle[1..] {
                self.merge(*member, cycle[0]);
            }
        }
    }

    /// Visits everything that can be reached from the node that the search begins with.
    fn visit(&mut self, search: &mut ComponentSearch) {
        while let Some((node, followed)) = search.visits.pop() {
            if followed == 0 {
                search.enter(node);
            }
            match self.states[node.0 as usize].dependants.copies.get(followed).copied() {
                Some(to) => {
                    search.visits.push((node, followed + 1));
                    search.follow(node, self.find(to));
                }
                None => search.leave(node),
            }
        }
    }
}
