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

/// A constraint: its kind (the address of the object with the second number, copy, load, store, copy of a number) and
/// two nodes.
type Constraint = (u32, u32, u32);

/// Objects of the program in the random tests; two more stand for what is not seen.
const THINGS: usize = 4;
/// Nodes in the random tests; the first is the outside world.
const NODES: usize = 8;

/// The sets of the nodes, computed by going round until nothing changes. Objects have the numbers of the solver.
fn naive_fixpoint(constraints: &[Constraint]) -> Vec<BTreeSet<usize>> {
    let content = |object: usize| if object < 2 { 0 } else { NODES + object - 2 };
    let mut sets = vec![BTreeSet::new(); NODES + THINGS];
    sets[0].insert(UNKNOWN.0 as usize);
    loop {
        let before = sets.clone();
        for (kind, a, b) in constraints {
            let (a, b) = (*a as usize, *b as usize);
            match kind {
                0 => drop(sets[a].insert(b % (THINGS + 2))),
                1 => sets[b] = &sets[b] | &sets[a],
                2 => sets[a].clone().into_iter().for_each(|o| sets[b] = &sets[b] | &sets[content(o)]),
                3 => sets[a].clone().into_iter().for_each(|o| sets[content(o)] = &sets[content(o)] | &sets[b]),
                _ => {
                    let mut plain = sets[a].clone();
                    plain.remove(&(MADE_OF_NUMBER.0 as usize));
                    sets[b] = &sets[b] | &plain;
                }
            }
        }
        for escaped in sets[0].clone() {
            let both = &sets[0] | &sets[content(escaped)];
            (sets[0], sets[content(escaped)]) = (both.clone(), both);
        }
        if sets == before {
            return sets;
        }
    }
}

/// States some constraints, and watches each node from the start. Returns the numbers of the constraints' objects that
/// watchers were told of, by node.
fn solve_in_turns(solver: &mut Solver, nodes: &[Node], turns: &[&[Constraint]]) -> Vec<BTreeSet<usize>> {
    let mut told = vec![BTreeSet::new(); nodes.len()];
    for (turn, constraints) in turns.iter().enumerate() {
        // Half of the nodes are watched only after they may point to something.
        (0..nodes.len())
            .filter(|node| node % turns.len() == turn)
            .for_each(|node| solver.watch(nodes[node], node as u32));
        for (kind, a, number) in *constraints {
            let (a, b) = (nodes[*a as usize], nodes[*number as usize]);
            match kind {
                0 => solver.address(a, AbstractObject(*number % (THINGS as u32 + 2))),
                1 => solver.copy(a, b),
                2 => solver.load(a, b),
                3 => solver.store(a, b),
                _ => solver.copy_number(a, b),
            }
        }
        solver.collapse_cycles();
        for NewObject { watcher, object } in solver.solve() {
            told[watcher as usize].insert(object.0 as usize);
        }
    }
    told
}

#[test]
fn equals_the_naive_fixpoint_on_random_constraints() {
    let mut seed = 12345_u64;
    let mut random = move |below: u32| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as u32 % below
    };
    for _ in 0..2000 {
        let mut solver = Solver::new();
        let nodes: Vec<Node> = std::iter::once(WORLD).chain((1..NODES).map(|_| solver.node())).collect();
        (0..THINGS).for_each(|_| _ = solver.object());
        let number = NODES as u32;
        let constraints: Vec<Constraint> = (0..16).map(|_| (random(5), random(number), random(number))).collect();
        let (first, second) = constraints.split_at(8);
        let told = solve_in_turns(&mut solver, &nodes, &[first, second]);
        let sets = naive_fixpoint(&constraints);
        for (node, told) in told.iter().enumerate() {
            let solved: BTreeSet<usize> =
                solver.points_to(nodes[node]).iter().map(|object| object.0 as usize).collect();
            assert_eq!(solved, sets[node], "node {node} of {constraints:?}");
            assert_eq!(*told, solved, "what the watcher of node {node} of {constraints:?} was told");
        }
    }
}
