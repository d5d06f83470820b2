//! Inclusion-based points-to analysis: the constraint solver, without any knowledge of the program's language.
//!
//! Paper: L. O. Andersen, "Program Analysis and Specialization for the C Programming Language", PhD thesis, DIKU 1994,
//! chapter 4.
//! Claims: the sets computed contain everything that the constraints imply; the least solution.
//! Departs from the paper: objects have no fields; nodes on a cycle of copies are merged (they have equal sets); the
//! outside world is one object, and the content of everything it can reach is merged into one node.

mod cycles;

/// A set of pointers: of a variable, or of the content of an object.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Node(pub(crate) u32);

/// Something that can be pointed to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct AbstractObject(pub(crate) u32);

/// All memory and code that the analysis does not see.
pub(crate) const UNKNOWN: AbstractObject = AbstractObject(0);

/// What a pointer leads to that was made of a number: a piece of what the analysis does not see, as [`UNKNOWN`]. As a
/// number again, such a pointer is what it was ([`Solver::copy_number`]).
pub(crate) const MADE_OF_NUMBER: AbstractObject = AbstractObject(1);

/// What the outside world can reach: the content of [`UNKNOWN`] and of everything that escapes to it.
pub(crate) const WORLD: Node = Node(0);

/// A set of small numbers.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(crate) struct Set(Vec<u64>);

impl Set {
    pub(crate) fn insert(&mut self, object: AbstractObject) -> bool {
        let (word, bit) = (object.0 as usize / 64, 1 << (object.0 % 64));
        if word >= self.0.len() {
            self.0.resize(word + 1, 0);
        }
        let new = self.0[word] & bit == 0;
        self.0[word] |= bit;
        new
    }

    fn remove(&mut self, object: AbstractObject) {
        if let Some(word) = self.0.get_mut(object.0 as usize / 64) {
            *word &= !(1 << (object.0 % 64));
        }
    }

    pub(crate) fn contains(&self, object: AbstractObject) -> bool {
        self.0.get(object.0 as usize / 64).is_some_and(|word| word & (1 << (object.0 % 64)) != 0)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = AbstractObject> + '_ {
        (0u32..).zip(&self.0).flat_map(|(index, word)| {
            let mut left = *word;
            std::iter::from_fn(move || {
                let bit = (left != 0).then(|| left.trailing_zeros())?;
                left &= left - 1;
                Some(AbstractObject(index * 64 + bit))
            })
        })
    }

    /// Adds the other set; returns whether anything was new.
    fn add_all(&mut self, other: &Set) -> bool {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        let mut grew = false;
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            grew |= *theirs & !*mine != 0;
            *mine |= theirs;
        }
        grew
    }

    fn without(&self, other: &Set) -> Set {
        let word = |i: usize| other.0.get(i).copied().unwrap_or(0);
        Set(self.0.iter().enumerate().map(|(i, mine)| mine & !word(i)).collect())
    }

    fn keep_common(&mut self, other: &Set) {
        for (i, mine) in self.0.iter_mut().enumerate() {
            *mine &= other.0.get(i).copied().unwrap_or(0);
        }
    }
}

/// What is known of a node and what depends on it.
#[derive(Default)]
struct State {
    /// What it points to.
    points_to: Set,
    /// The part of `points_to` that was passed on to `copies`, `loads`, `stores` and `watchers`.
    handled: Set,
    /// Nodes that include this one.
    copies: Vec<Node>,
    /// Nodes that include this one but for [`MADE_OF_NUMBER`].
    numbers: Vec<Node>,
    /// Nodes that include the content of what this one points to.
    loads: Vec<Node>,
    /// Nodes that the content of what this one points to includes.
    stores: Vec<Node>,
    /// Numbers of watchers: [`Solver::solve`] returns a [`NewObject`] for each of them and each object this node points
    /// to.
    watchers: Vec<u32>,
    queued: bool,
}

/// The node of a watcher was found to point to an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct NewObject {
    pub(crate) watcher: u32,
    pub(crate) object: AbstractObject,
}

/// The constraints and their solution so far.
pub(crate) struct Solver {
    states: Vec<State>,
    /// The node that a merged node became part of; itself for others.
    merged_into: Vec<Node>,
    contents: Vec<Node>,
    queue: Vec<Node>,
    edges: std::collections::HashSet<(Node, Node)>,
    edges_at_collapse: usize,
}

impl Solver {
    /// A solver that knows the outside world only.
    pub(crate) fn new() -> Solver {
        let mut solver = Solver {
            states: Vec::new(),
            merged_into: Vec::new(),
            contents: Vec::new(),
            queue: Vec::new(),
            edges: std::collections::HashSet::new(),
            edges_at_collapse: 0,
        };
        let world = solver.node();
        debug_assert_eq!(world, WORLD);
        // The contents of both objects that stand for what is not seen.
        solver.contents.extend([world, world]);
        solver.address(world, UNKNOWN);
        solver
    }

    pub(crate) fn node(&mut self) -> Node {
        let node = Node(self.states.len() as u32);
        self.states.push(State::default());
        self.merged_into.push(node);
        node
    }

    pub(crate) fn object(&mut self) -> AbstractObject {
        let content = self.node();
        self.contents.push(content);
        AbstractObject(self.contents.len() as u32 - 1)
    }

    pub(crate) fn content(&self, object: AbstractObject) -> Node {
        self.contents[object.0 as usize]
    }

    /// What the node points to.
    pub(crate) fn points_to(&self, node: Node) -> &Set {
        &self.state(node).points_to
    }

    fn root(&self, mut node: Node) -> Node {
        while self.merged_into[node.0 as usize] != node {
            node = self.merged_into[node.0 as usize];
        }
        node
    }

    /// [`Solver::root`], and shortens the way there.
    fn find(&mut self, node: Node) -> Node {
        let root = self.root(node);
        let mut at = node;
        while at != root {
            at = std::mem::replace(&mut self.merged_into[at.0 as usize], root);
        }
        root
    }

    fn state(&self, node: Node) -> &State {
        &self.states[self.root(node).0 as usize]
    }

    fn state_mut(&mut self, node: Node) -> &mut State {
        let root = self.find(node);
        &mut self.states[root.0 as usize]
    }

    fn enqueue(&mut self, node: Node) {
        let root = self.find(node);
        let state = &mut self.states[root.0 as usize];
        if !state.queued {
            state.queued = true;
            self.queue.push(root);
        }
    }

    /// The node points to the object.
    pub(crate) fn address(&mut self, node: Node, object: AbstractObject) {
        if self.state_mut(node).points_to.insert(object) {
            self.enqueue(node);
        }
    }

    /// `to` includes `from`.
    pub(crate) fn copy(&mut self, from: Node, to: Node) {
        let (from, to) = (self.find(from), self.find(to));
        if from == to || !self.edges.insert((from, to)) {
            return;
        }
        self.states[from.0 as usize].copies.push(to);
        let set = self.states[from.0 as usize].points_to.clone();
        if self.states[to.0 as usize].points_to.add_all(&set) {
            self.enqueue(to);
        }
    }

    /// `to` includes `from` but for [`MADE_OF_NUMBER`].
    pub(crate) fn copy_number(&mut self, from: Node, to: Node) {
        self.state_mut(from).numbers.push(to);
        self.start_over(from);
    }

    /// `to` includes the content of everything `pointer` points to.
    pub(crate) fn load(&mut self, pointer: Node, to: Node) {
        self.state_mut(pointer).loads.push(to);
        self.start_over(pointer);
    }

    /// The content of everything `pointer` points to includes `from`.
    pub(crate) fn store(&mut self, pointer: Node, from: Node) {
        self.state_mut(pointer).stores.push(from);
        self.start_over(pointer);
    }

    /// Has [`Solver::solve`] return a [`NewObject`] with this watcher for every object that the node points to, now or
    /// later, at least once each.
    pub(crate) fn watch(&mut self, node: Node, watcher: u32) {
        self.state_mut(node).watchers.push(watcher);
        self.start_over(node);
    }

    fn start_over(&mut self, node: Node) {
        let state = self.state_mut(node);
        state.handled = Set::default();
        if !state.points_to.is_empty() {
            self.enqueue(node);
        }
    }

    /// Makes one node of two.
    pub(crate) fn merge(&mut self, a: Node, b: Node) {
        let (mut a, mut b) = (self.find(a), self.find(b));
        if a == b {
            return;
        }
        if a == self.find(WORLD) {
            std::mem::swap(&mut a, &mut b);
        }
        self.merged_into[a.0 as usize] = b;
        let gone = std::mem::take(&mut self.states[a.0 as usize]);
        let state = &mut self.states[b.0 as usize];
        state.points_to.add_all(&gone.points_to);
        // An object that only one of the two has handled was not passed on to the dependants of the other.
        state.handled.keep_common(&gone.handled);
        state.copies.extend(gone.copies);
        state.numbers.extend(gone.numbers);
        state.loads.extend(gone.loads);
        state.stores.extend(gone.stores);
        state.watchers.extend(gone.watchers);
        self.enqueue(b);
    }

    /// Solves the constraints that are there and returns what is new to the watchers. The caller may add constraints
    /// for it and calls this again, until it returns nothing.
    pub(crate) fn solve(&mut self) -> Vec<NewObject> {
        let mut news = Vec::new();
        while let Some(node) = self.queue.pop() {
            self.states[node.0 as usize].queued = false;
            if self.find(node) != node {
                continue;
            }
            if self.edges.len() > self.edges_at_collapse + self.edges_at_collapse / 8 + 1000 {
                self.collapse_cycles();
                self.edges_at_collapse = self.edges.len();
                if self.find(node) != node {
                    continue;
                }
            }
            self.handle(node, &mut news);
        }
        news
    }

    fn handle(&mut self, node: Node, news: &mut Vec<NewObject>) {
        let state = &mut self.states[node.0 as usize];
        let fresh = state.points_to.without(&state.handled);
        if fresh.is_empty() {
            return;
        }
        state.handled.add_all(&fresh);
        let (loads, stores, copies) = (state.loads.clone(), state.stores.clone(), state.copies.clone());
        news.extend(
            fresh.iter().flat_map(|object| state.watchers.iter().map(move |w| NewObject { watcher: *w, object })),
        );
        for to in copies {
            let to = self.find(to);
            if to != node && self.states[to.0 as usize].points_to.add_all(&fresh) {
                self.enqueue(to);
            }
        }
        let numbers = self.states[node.0 as usize].numbers.clone();
        let mut plain = fresh.clone();
        plain.remove(MADE_OF_NUMBER);
        for to in numbers {
            let to = self.find(to);
            if to != node && self.states[to.0 as usize].points_to.add_all(&plain) {
                self.enqueue(to);
            }
        }
        let is_world = node == self.find(WORLD);
        for object in fresh.iter() {
            let content = self.content(object);
            for to in &loads {
                self.copy(content, *to);
            }
            for from in &stores {
                self.copy(*from, content);
            }
            if is_world {
                self.merge(content, WORLD);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn objects(solver: &Solver, node: Node) -> Vec<AbstractObject> {
        solver.points_to(node).iter().collect()
    }

    #[test]
    fn copies_loads_and_stores() {
        // p = &a; q = &b; *p = q; r = p; s = *r
        let mut solver = Solver::new();
        let [p, q, r, s] = [(); 4].map(|()| solver.node());
        let (a, b) = (solver.object(), solver.object());
        solver.load(r, s);
        solver.copy(p, r);
        solver.store(p, q);
        solver.address(q, b);
        solver.address(p, a);
        assert!(solver.solve().is_empty());
        assert_eq!((objects(&solver, r), objects(&solver, s)), (vec![a], vec![b]));
    }

    #[test]
    fn what_escapes_takes_all_it_reaches_with_it_and_may_hold_anything() {
        // *p = &b with p = &a; p escapes.
        let mut solver = Solver::new();
        let [p, q, back] = [(); 3].map(|()| solver.node());
        let (a, b) = (solver.object(), solver.object());
        solver.address(p, a);
        solver.address(q, b);
        solver.store(p, q);
        solver.copy(p, WORLD);
        solver.load(q, back);
        solver.solve();
        assert_eq!(objects(&solver, WORLD), [UNKNOWN, a, b]);
        assert_eq!(objects(&solver, back), [UNKNOWN, a, b], "the world may have stored anything into b");
    }

    #[test]
    fn watchers_hear_of_objects_that_come_later() {
        let mut solver = Solver::new();
        let (p, q) = (solver.node(), solver.node());
        let (a, b) = (solver.object(), solver.object());
        solver.address(p, a);
        solver.watch(q, 7);
        solver.copy(p, q);
        assert_eq!(solver.solve(), [NewObject { watcher: 7, object: a }]);
        solver.address(p, b);
        assert_eq!(solver.solve(), [NewObject { watcher: 7, object: b }]);
        assert!(solver.solve().is_empty());
    }

    #[test]
    fn merging_a_cycle_changes_no_set() {
        let mut solver = Solver::new();
        let nodes: Vec<Node> = (0..50).map(|_| solver.node()).collect();
        let outside = solver.node();
        let target = solver.object();
        let held = solver.object();
        for (i, node) in nodes.iter().enumerate() {
            solver.copy(*node, nodes[(i + 1) % nodes.len()]);
        }
        solver.copy(nodes[30], outside);
        let loaded = solver.node();
        solver.load(nodes[20], loaded);
        solver.collapse_cycles();
        assert_eq!(solver.root(nodes[3]), solver.root(nodes[40]));
        solver.address(nodes[10], target);
        let content = solver.content(target);
        solver.address(content, held);
        solver.solve();
        for node in nodes.iter().chain([&outside]) {
            assert_eq!(objects(&solver, *node), [target]);
        }
        assert_eq!(objects(&solver, loaded), [held]);
    }

    /// A constraint: its kind (the address of the object with the second number, copy, load, store) and two nodes.
    type Constraint = (u32, u32, u32);

    /// The sets of the nodes and then those of the contents of the objects, computed by going round until nothing
    /// changes.
    fn naive_fixpoint(constraints: &[Constraint], nodes: usize, objects: usize) -> Vec<BTreeSet<usize>> {
        let content = |o: usize| nodes + o;
        let mut sets = vec![BTreeSet::new(); nodes + objects];
        loop {
            let before = sets.clone();
            for (kind, a, b) in constraints {
                let (a, b) = (*a as usize, *b as usize);
                match kind {
                    0 => drop(sets[a].insert(b % objects)),
                    1 => sets[b] = &sets[b] | &sets[a],
                    2 => sets[a].clone().into_iter().for_each(|o| sets[b] = &sets[b] | &sets[content(o)]),
                    _ => sets[a].clone().into_iter().for_each(|o| sets[content(o)] = &sets[content(o)] | &sets[b]),
                }
            }
            if sets == before {
                return sets;
            }
        }
    }

    #[test]
    fn equals_the_naive_fixpoint_on_random_constraints() {
        let mut seed = 12345_u64;
        let mut random = move |below: u32| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as u32 % below
        };
        for _ in 0..200 {
            let (nodes, things) = (8, 4);
            let mut solver = Solver::new();
            let all: Vec<Node> = (0..nodes).map(|_| solver.node()).collect();
            let objects: Vec<AbstractObject> = (0..things).map(|_| solver.object()).collect();
            let constraints: Vec<Constraint> = (0..14).map(|_| (random(4), random(nodes), random(nodes))).collect();
            for (kind, a, number) in &constraints {
                let (a, b) = (all[*a as usize], all[*number as usize]);
                match kind {
                    0 => solver.address(a, objects[*number as usize % objects.len()]),
                    1 => solver.copy(a, b),
                    2 => solver.load(a, b),
                    _ => solver.store(a, b),
                }
            }
            solver.collapse_cycles();
            solver.solve();
            let sets = naive_fixpoint(&constraints, all.len(), objects.len());
            for (i, node) in all.iter().enumerate() {
                let solved: BTreeSet<usize> = solver.points_to(*node).iter().map(|o| o.0 as usize - 2).collect();
                assert_eq!(solved, sets[i], "node {i} of {constraints:?}");
            }
        }
    }
}
