//! Circles of imports: modules that need each other, directly or by way of others.
//!
//! They are looked for on each level among sibling modules, where a module counts as one with all that is below it: a
//! file and the folder with its parts may need each other. The circles that are still there are listed in
//! `xtask/exceptions/circles.txt`, which may only get shorter.

use super::source::{Crate, Edge};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Modules that all need each other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Circle {
    /// The module whose children they are; the crate at the top.
    pub(crate) scope: String,
    /// In alphabetical order.
    pub(crate) members: BTreeSet<String>,
    /// The shortest circle among them, with the paths by which one module needs the next.
    pub(crate) example: String,
}

/// For each node the nodes that it needs, each with a path by which it does.
type Graph = BTreeMap<String, BTreeMap<String, String>>;

/// All circles of a crate.
pub(crate) fn circles(found: &Crate) -> Vec<Circle> {
    let edges = found.edges();
    let mut circles = Vec::new();
    for (position, module) in found.modules.iter().enumerate() {
        let scope = std::iter::once(found.name.clone()).chain(module.path.iter().cloned()).collect::<Vec<_>>();
        circles.extend(in_graph(&scope.join("::"), &siblings(found, &edges, position)));
    }
    circles
}

/// The modules of one module, each with all that is below it.
fn siblings(found: &Crate, edges: &[Edge], parent: usize) -> Graph {
    let depth = found.modules[parent].path.len();
    let child = |module: usize| {
        let path = &found.modules[module].path;
        (path.len() > depth && path.starts_with(&found.modules[parent].path)).then(|| path[depth].clone())
    };
    let mut graph = Graph::new();
    for edge in edges {
        if let (Some(from), Some(to)) = (child(edge.from), child(edge.to))
            && from != to
        {
            let path = format!("{} in {}", edge.path, found.modules[edge.from].file);
            graph.entry(from).or_default().entry(to).or_insert(path);
        }
    }
    graph
}

fn in_graph(scope: &str, graph: &Graph) -> Vec<Circle> {
    let reach: BTreeMap<&String, BTreeSet<&String>> = graph.keys().map(|node| (node, reachable(graph, node))).collect();
    let mut circles = Vec::new();
    let mut done = BTreeSet::new();
    for node in graph.keys().filter(|node| reach[node].contains(node)) {
        if done.contains(node) {
            continue;
        }
        let mutual = |other: &&String| reach[node].contains(*other) && reach[*other].contains(node);
        let members: BTreeSet<&String> = graph.keys().filter(mutual).collect();
        done.extend(members.iter().copied());
        let example = members.iter().map(|member| around(graph, member)).min_by_key(Vec::len).unwrap_or_default();
        let members = members.into_iter().cloned().collect();
        circles.push(Circle { scope: scope.to_owned(), members, example: example.join("\n    ") });
    }
    circles
}

/// All nodes that can be reached from `start`; `start` itself only if there is a circle.
fn reachable<'graph>(graph: &'graph Graph, start: &'graph String) -> BTreeSet<&'graph String> {
    let mut seen = BTreeSet::new();
    let mut open = vec![start];
    while let Some(node) = open.pop() {
        open.extend(graph.get(node).into_iter().flat_map(BTreeMap::keys).filter(|next| seen.insert(*next)));
    }
    seen
}

/// The shortest way from `start` back to itself, a line for each step.
fn around(graph: &Graph, start: &String) -> Vec<String> {
    let mut before: BTreeMap<&String, &String> = BTreeMap::new();
    let mut open = VecDeque::from([start]);
    while let Some(node) = open.pop_front() {
        for next in graph.get(node).into_iter().flat_map(BTreeMap::keys) {
            if !before.contains_key(next) {
                before.insert(next, node);
                open.push_back(next);
            }
        }
    }
    let mut steps = Vec::new();
    let mut to = start;
    while let Some(from) = before.get(to) {
        steps.push(format!("{from} needs {to}: {}", graph[*from][to]));
        to = from;
        if to == start {
            break;
        }
    }
    steps.reverse();
    steps
}

/// The errors, given the list of known circles, a line each: `SCOPE: MEMBER MEMBER...`.
pub(crate) fn check(found: &[Circle], listed: &str) -> Vec<String> {
    let listed: Vec<(String, BTreeSet<String>)> = listed.lines().filter_map(parse).collect();
    let mut wrong = Vec::new();
    for circle in found {
        let known =
            |(scope, members): &(String, BTreeSet<String>)| *scope == circle.scope && circle.members.is_subset(members);
        if !listed.iter().any(known) {
            wrong.push(format!("a new circle of imports in {}:\n    {}", line(circle), circle.example));
        }
    }
    for (scope, members) in listed {
        if !found.iter().any(|circle| circle.scope == scope && circle.members == members) {
            let members = members.len();
            wrong.push(format!(
                "the listed circle of {members} in {scope} got smaller: run `cargo xtask tidy --shrink`"
            ));
        }
    }
    wrong
}

/// The list of the circles that were found.
pub(crate) fn shrunk(found: &[Circle]) -> String {
    found.iter().map(|circle| line(circle) + "\n").collect()
}

/// A circle as the list has it.
fn line(circle: &Circle) -> String {
    let members: Vec<&str> = circle.members.iter().map(String::as_str).collect();
    format!("{}: {}", circle.scope, members.join(" "))
}

fn parse(line: &str) -> Option<(String, BTreeSet<String>)> {
    let (scope, members) = line.split_once(": ")?;
    Some((scope.to_owned(), members.split_whitespace().map(str::to_owned).collect()))
}
