//! Inclusion-based points-to analysis: the constraint solver, without any knowledge of the program's language.
//!
//! Paper: L. O. Andersen, "Program Analysis and Specialization for the C Programming Language", PhD thesis, DIKU 1994,
//! chapter 4.
//! Claims: the sets computed contain everything that the constraints imply; the least solution.
//! Departs from the paper: objects have no fields; nodes on a cycle of copies are merged (they have equal sets); the
//! outside world is one object, and the content of everything it can reach is merged into one node. A set is passed on
//! to what depends on its node once: each node remembers how much of it was.

mod cycles;
#[cfg(test)]
mod tests;

use super::set::{AbstractObject, Set};
use hashbrown::HashSet;

/// A set of pointers: of a variable, or of the content of an object.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Node(pub(crate) u32);

/// All memory and code that the analysis does not see.
pub(crate) const UNKNOWN: AbstractObject = AbstractObject(0);

/// What a pointer leads to that was made of a number: a piece of what the analysis does not see, as [`UNKNOWN`]. As a
/// number again, such a pointer is what it was ([`Solver::copy_number`]).
pub(crate) const MADE_OF_NUMBER: AbstractObject = AbstractObject(1);

/// What the outside world can reach: the content of [`UNKNOWN`] and of everything that escapes to it.
pub(crate) const WORLD: Node = Node(0);

/// What depends on the set of a node.
#[derive(Clone, Default, Debug)]
struct Dependants {
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
}

impl Dependants {
    fn add(&mut self, others: Dependants) {
        self.copies.extend(others.copies);
        self.numbers.extend(others.numbers);
        self.loads.extend(others.loads);
        self.stores.extend(others.stores);
        self.watchers.extend(others.watchers);
    }
}

/// What is known of a node.
#[derive(Default)]
struct State {
    /// What it points to.
    points_to: Set,
    /// The part of `points_to` that was passed on to all dependants.
    handled: Set,
    dependants: Dependants,
    /// How many nodes had been merged when the dependants were last reduced to one for each node that there still is.
    reduced_at: usize,
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
    /// The objects whose content was merged into [`WORLD`].
    of_world: Set,
    queue: Vec<Node>,
    /// What watchers have not been told yet.
    news: Vec<NewObject>,
    /// How many nodes were merged into others.
    merged: usize,
    /// The copies, by the nodes that they had when they were stated.
    edges: HashSet<(Node, Node)>,
    edges_at_collapse: usize,
}

impl Solver {
    /// A solver that knows the outside world only.
    pub(crate) fn new() -> Solver {
        let mut solver = Solver {
            states: Vec::new(),
            merged_into: Vec::new(),
            contents: Vec::new(),
            of_world: Set::default(),
            queue: Vec::new(),
            news: Vec::new(),
            merged: 0,
            edges: HashSet::new(),
            edges_at_collapse: 0,
        };
        let world = solver.node();
        debug_assert_eq!(world, WORLD);
        // The contents of both objects that stand for what is not seen.
        solver.contents.extend([world, world]);
        solver.of_world.insert(UNKNOWN);
        solver.of_world.insert(MADE_OF_NUMBER);
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
        self.states[from.0 as usize].dependants.copies.push(to);
        let set = std::mem::take(&mut self.states[from.0 as usize].points_to);
        if self.states[to.0 as usize].points_to.add_all(&set) {
            self.enqueue(to);
        }
        self.states[from.0 as usize].points_to = set;
    }

    /// `to` includes `from` but for [`MADE_OF_NUMBER`].
    pub(crate) fn copy_number(&mut self, from: Node, to: Node) {
        self.depend(from, Dependants { numbers: vec![to], ..Dependants::default() });
    }

    /// `to` includes the content of everything `pointer` points to.
    pub(crate) fn load(&mut self, pointer: Node, to: Node) {
        self.depend(pointer, Dependants { loads: vec![to], ..Dependants::default() });
    }

    /// The content of everything `pointer` points to includes `from`.
    pub(crate) fn store(&mut self, pointer: Node, from: Node) {
        self.depend(pointer, Dependants { stores: vec![from], ..Dependants::default() });
    }

    /// Has [`Solver::solve`] return a [`NewObject`] with this watcher for every object that the node points to, now or
    /// later, at least once each.
    pub(crate) fn watch(&mut self, node: Node, watcher: u32) {
        self.depend(node, Dependants { watchers: vec![watcher], ..Dependants::default() });
    }

    /// Adds dependants of a node, which get what was already passed on to the others.
    fn depend(&mut self, node: Node, dependants: Dependants) {
        let root = self.find(node);
        let handled = self.states[root.0 as usize].handled.clone();
        self.pass_on(root, &handled, &dependants);
        self.states[root.0 as usize].dependants.add(dependants);
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
        self.merged += 1;
        let gone = std::mem::take(&mut self.states[a.0 as usize]);
        let state = &mut self.states[b.0 as usize];
        state.points_to.add_all(&gone.points_to);
        let missed = state.handled.without(&gone.handled);
        self.pass_on(b, &missed, &gone.dependants);
        self.states[b.0 as usize].dependants.add(gone.dependants);
        self.enqueue(b);
    }

    /// Solves the constraints that are there and returns what is new to the watchers. The caller may add constraints
    /// for it and calls this again, until it returns nothing.
    pub(crate) fn solve(&mut self) -> Vec<NewObject> {
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
            self.handle(node);
        }
        std::mem::take(&mut self.news)
    }

    /// Passes on what is new in the set of a node.
    fn handle(&mut self, node: Node) {
        let state = &self.states[node.0 as usize];
        let fresh = state.points_to.without(&state.handled);
        if fresh.is_empty() {
            return;
        }
        if node == self.find(WORLD) {
            for object in fresh.without(&self.of_world).iter() {
                self.of_world.insert(object);
                self.merge(self.content(object), WORLD);
            }
        }
        self.reduce(node);
        let state = &mut self.states[node.0 as usize];
        state.handled.add_all(&fresh);
        let dependants = std::mem::take(&mut state.dependants);
        self.pass_on(node, &fresh, &dependants);
        let added = std::mem::replace(&mut self.states[node.0 as usize].dependants, dependants);
        self.states[node.0 as usize].dependants.add(added);
    }

    /// Keeps of the dependants of a node one for each node that there still is.
    fn reduce(&mut self, node: Node) {
        let state = &mut self.states[node.0 as usize];
        if state.reduced_at == self.merged {
            return;
        }
        state.reduced_at = self.merged;
        let mut dependants = std::mem::take(&mut state.dependants);
        let Dependants { copies, numbers, loads, stores, watchers: _ } = &mut dependants;
        for nodes in [copies, numbers, loads, stores] {
            nodes.iter_mut().for_each(|dependant| *dependant = self.find(*dependant));
            nodes.sort_unstable();
            nodes.dedup();
        }
        self.states[node.0 as usize].dependants = dependants;
    }

    /// Passes objects that a node points to on to some of its dependants.
    fn pass_on(&mut self, node: Node, objects: &Set, dependants: &Dependants) {
        if objects.is_empty() {
            return;
        }
        let Dependants { copies, numbers, loads, stores, watchers } = dependants;
        self.news
            .extend(objects.iter().flat_map(|object| watchers.iter().map(move |w| NewObject { watcher: *w, object })));
        copies.iter().for_each(|to| self.include(node, *to, objects));
        if !numbers.is_empty() {
            let mut plain = objects.clone();
            plain.remove(MADE_OF_NUMBER);
            numbers.iter().for_each(|to| self.include(node, *to, &plain));
        }
        if loads.is_empty() && stores.is_empty() {
            return;
        }
        for content in self.contents_of(objects) {
            loads.iter().for_each(|to| self.copy(content, *to));
            stores.iter().for_each(|from| self.copy(*from, content));
        }
    }

    /// `to`, which depends on `node`, includes the objects.
    fn include(&mut self, node: Node, to: Node, objects: &Set) {
        let to = self.find(to);
        if to != node && self.states[to.0 as usize].points_to.add_all(objects) {
            self.enqueue(to);
        }
    }

    /// What the node points to, and what that holds.
    pub(crate) fn points_to_and_content(&self, node: Node) -> Set {
        let mut all = self.points_to(node).clone();
        let contents = self.points_to(node).without(&self.of_world);
        if all.meets(&self.of_world) {
            all.add_all(self.points_to(WORLD));
        }
        contents.iter().for_each(|object| _ = all.add_all(self.points_to(self.content(object))));
        all
    }

    /// The nodes that are the contents of the objects, each once.
    fn contents_of(&mut self, objects: &Set) -> Vec<Node> {
        let others = objects.without(&self.of_world);
        let mut contents: Vec<Node> = others.iter().map(|object| self.content(object)).collect();
        if objects.meets(&self.of_world) {
            contents.push(WORLD);
        }
        contents.iter_mut().for_each(|content| *content = self.find(*content));
        contents.sort_unstable();
        contents.dedup();
        contents
    }
}
