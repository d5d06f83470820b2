//! Predictions against their definition: of generated programs with plain and atomic accesses and nested critical
//! sections, all orders of a run's events are enumerated in which reads find what they found and critical sections keep
//! their order. The races and deadlocks of these orders are predicted, each of them and no other.

use crate::common::MAX_STEPS;
use inspect_core::event::{Event, FreeRun, Operation, Plan, SampledRun, SiteId, Strategy};
use inspect_core::model::{Expression, Machine, Operand, Program, Random, Statement};
use inspect_core::predict::{Keeps, Needs, PredictedKind, Predictor};
use std::collections::{BTreeMap, BTreeSet};

/// Three threads that access two variables, inside and outside of sections on three mutexes.
fn program(random: &mut Random) -> Program {
    let mut bodies = vec![Vec::new(); 4];
    for body in bodies.iter_mut().skip(1) {
        for _ in 0..1 + random.below(2) {
            section(random, body);
        }
    }
    let threads = 1..=3;
    bodies[0] = threads.clone().map(Statement::Create).chain(threads.map(Statement::Join)).collect();
    Program { bodies, variables: 2, spurious_wakeups: false }
}

fn section(random: &mut Random, body: &mut Vec<Statement>) {
    let (outer, inner) = (random.below(3) as u16, random.below(3) as u16);
    let nested = outer != inner && random.once_in(2);
    if random.once_in(2) {
        body.push(access(random));
    }
    body.push(Statement::Lock(Operand::at(outer)));
    if nested {
        body.push(Statement::Lock(Operand::at(inner)));
    }
    if random.once_in(2) {
        body.push(access(random));
    }
    if nested {
        body.push(Statement::Unlock(Operand::at(inner)));
    }
    body.push(Statement::Unlock(Operand::at(outer)));
}

fn access(random: &mut Random) -> Statement {
    let place = Operand::at(random.below(2) as u16);
    match random.below(8) {
        0..=2 => Statement::Read(place, 0),
        3..=4 => Statement::Write(place, Expression::Constant(1)),
        5 => Statement::Load(place, 0),
        6 => Statement::Store(place, Expression::Constant(1)),
        _ => Statement::FetchAdd(place, 1, 0),
    }
}

/// What an event is by the papers' definition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Act {
    Access { variable: u16, reads: bool, writes: bool, plain: bool },
    Lock(u16),
    Unlock(u16),
    Other,
}

fn act(program: &Program, event: &Event) -> Act {
    let statement =
        program.bodies.get((event.site.0 >> 16) as usize).and_then(|body| body.get((event.site.0 & 0xFFFF) as usize));
    let place = |operand: &Operand| (0..3).find(|&at| *operand == Operand::at(at)).expect("a constant place");
    let access = |operand, reads, writes, plain| Act::Access { variable: place(operand), reads, writes, plain };
    match statement {
        Some(Statement::Read(operand, _)) => access(operand, true, false, true),
        Some(Statement::Write(operand, _)) => access(operand, false, true, true),
        Some(Statement::Load(operand, _)) => access(operand, true, false, false),
        Some(Statement::Store(operand, _)) => access(operand, false, true, false),
        Some(Statement::FetchAdd(operand, ..)) => access(operand, true, true, false),
        Some(Statement::Lock(operand)) => Act::Lock(place(operand)),
        Some(Statement::Unlock(operand)) => Act::Unlock(place(operand)),
        _ => Act::Other,
    }
}

/// A part of a run's events in an order, as far as what can follow depends on it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
struct State {
    /// By thread: how many of its events.
    counts: Vec<usize>,
    /// By variable: the last write.
    written: BTreeMap<u16, usize>,
    /// By mutex: the last event that took it, and whether it is held.
    locked: BTreeMap<u16, (usize, bool)>,
}

/// All that is shown by the orders of a run's events that the definition allows.
struct Oracle<'t> {
    events: &'t [Event],
    acts: Vec<Act>,
    threads: Vec<Vec<usize>>,
    /// By event that reads: the write that it reads from.
    reads_from: Vec<Option<usize>>,
    seen: BTreeSet<State>,
    shown: BTreeSet<(PredictedKind, Vec<usize>)>,
}

impl<'t> Oracle<'t> {
    fn of(program: &Program, events: &'t [Event]) -> Self {
        let acts: Vec<Act> = events.iter().map(|event| act(program, event)).collect();
        let mut threads = vec![Vec::new(); 4];
        let (mut written, mut reads_from) = (BTreeMap::new(), Vec::new());
        for (at, event) in events.iter().enumerate() {
            threads[event.thread.index()].push(at);
            let variable = if let Act::Access { variable, .. } = acts[at] { Some(variable) } else { None };
            reads_from.push(variable.and_then(|variable| written.get(&variable).copied()));
            if let Act::Access { variable, writes: true, .. } = acts[at] {
                written.insert(variable, at);
            }
        }
        let mut oracle = Oracle { events, acts, threads, reads_from, seen: BTreeSet::new(), shown: BTreeSet::new() };
        oracle.explore(State { counts: vec![0; 4], ..State::default() });
        oracle
    }

    /// The next event of each thread, if what enabled it has happened.
    fn next(&self, state: &State) -> Vec<usize> {
        let next = (0..4).filter_map(|thread| self.threads[thread].get(state.counts[thread]).copied());
        let is_enabled = |&at: &usize| {
            self.events[at].enabled_by.is_none_or(|by| {
                let thread = self.events[by.index()].thread.index();
                self.threads[thread][..state.counts[thread]].contains(&by.index())
            })
        };
        next.filter(is_enabled).collect()
    }

    fn explore(&mut self, state: State) {
        if !self.seen.insert(state.clone()) {
            return;
        }
        let next = self.next(&state);
        self.races(&next);
        self.deadlocks(&next, &state);
        for at in next {
            self.explore_after(at, state.clone());
        }
    }

    fn explore_after(&mut self, at: usize, mut state: State) {
        match self.acts[at] {
            Act::Access { variable, reads, writes, .. } => {
                if reads && state.written.get(&variable).copied() != self.reads_from[at] {
                    return;
                }
                if writes {
                    state.written.insert(variable, at);
                }
            }
            Act::Lock(mutex) => {
                // Critical sections come in their order, those that are left out aside.
                if state.locked.get(&mutex).is_some_and(|&(last, held)| held || last > at) {
                    return;
                }
                state.locked.insert(mutex, (at, true));
            }
            Act::Unlock(mutex) => state.locked.get_mut(&mutex).expect("it is held").1 = false,
            Act::Other => {}
        }
        state.counts[self.events[at].thread.index()] += 1;
        self.explore(state);
    }

    fn races(&mut self, next: &[usize]) {
        for (one, other) in next.iter().flat_map(|one| next.iter().map(move |other| (*one, *other))) {
            let (Act::Access { variable, writes, plain, .. }, Act::Access { variable: v, writes: w, plain: p, .. }) =
                (self.acts[one], self.acts[other])
            else {
                continue;
            };
            if one < other && variable == v && (writes || w) && (plain || p) {
                self.shown.insert((PredictedKind::Race, vec![one, other]));
            }
        }
    }

    /// Cycles of threads, each about to take what the next one holds.
    fn deadlocks(&mut self, next: &[usize], state: &State) {
        let thread = |at: usize| self.events[at].thread;
        let waits_for = |at: usize| {
            let Act::Lock(mutex) = self.acts[at] else { return None };
            let (holder, held) = state.locked.get(&mutex)?;
            next.iter().copied().find(|&other| *held && thread(other) == thread(*holder))
        };
        let mut cycles = BTreeSet::new();
        for &first in next {
            let (mut cycle, mut at) = (vec![first], first);
            while let Some(other) = waits_for(at).filter(|_| cycle.len() <= 4) {
                if other == first {
                    cycle.sort_unstable();
                    cycles.insert((PredictedKind::Deadlock, cycle));
                    break;
                }
                cycle.push(other);
                at = other;
            }
        }
        self.shown.extend(cycles.into_iter().filter(|(_, cycle)| cycle.len() > 1));
    }
}

/// What is shown, by the source locations of the events.
fn by_site(
    events: &[Event],
    shown: impl Iterator<Item = (PredictedKind, Vec<usize>)>,
) -> BTreeSet<(PredictedKind, Vec<SiteId>)> {
    let mut all = BTreeSet::new();
    for (kind, together) in shown {
        let mut sites: Vec<SiteId> = together.into_iter().map(|at| events[at].site).collect();
        sites.sort();
        all.insert((kind, sites));
    }
    all
}

fn predicted(events: &[Event]) -> BTreeSet<(PredictedKind, Vec<SiteId>)> {
    let (needs, mut predictor) = (Needs::new(events), Predictor::unbounded());
    let mut all = predictor.races(&needs, Keeps::All);
    all.extend(predictor.deadlocks(&needs, Keeps::All));
    let events_of = |one: inspect_core::predict::Prediction| one.events.iter().map(|event| event.index()).collect();
    by_site(events, all.into_iter().map(|one| (one.kind, events_of(one))))
}

fn drawn(program: &Program, seed: u64) -> Vec<Event> {
    let free_run = FreeRun::Sampled(SampledRun { strategy: Strategy::Random, seed, expected: u32::MAX });
    Machine::new(program, MAX_STEPS).run(&Plan { free_run, ..Plan::default() }).events.clone()
}

#[test]
fn exactly_the_races_and_deadlocks_of_the_definition_are_predicted() {
    let (mut races, mut deadlocks, mut longer, mut ordered) = (0, 0, 0, 0);
    for seed in 0..2000 {
        let program = program(&mut Random(seed));
        let mut events = drawn(&program, seed);
        let shown = Oracle::of(&program, &events).shown;
        let expected = by_site(&events, shown.iter().cloned());
        assert_eq!(predicted(&events), expected, "program {seed}: {program:?}");
        races += expected.iter().filter(|(kind, _)| *kind == PredictedKind::Race).count();
        deadlocks += expected.iter().filter(|(kind, _)| *kind == PredictedKind::Deadlock).count();
        longer += expected.iter().filter(|(_, sites)| sites.len() > 2).count();
        ordered += usize::from(expected.is_empty());
        // The same with few source locations, so that each is one of many events.
        for event in &mut events {
            event.site = SiteId(event.site.0 % 2);
        }
        assert_eq!(predicted(&events), by_site(&events, shown.into_iter()), "program {seed}, merged: {program:?}");
    }
    println!("{races} races, {deadlocks} deadlocks, {longer} of three threads, {ordered} without any");
    assert!(races > 1000 && deadlocks > 100 && longer > 0 && ordered > 100, "{races} {deadlocks} {longer} {ordered}");
}

/// Eight threads one after the other, each with 60 accesses of one variable, which nothing but joins orders; in the two
/// last ones, `racing` of them race.
fn ordered_by_joins(racing: u16) -> Program {
    let mut bodies = vec![Vec::new(); 11];
    let write = |variable| Statement::Write(Operand::at(variable), Expression::Constant(1));
    bodies[1..9].iter_mut().for_each(|body| body.extend(core::iter::repeat_n(write(0), 60)));
    bodies[9..].iter_mut().for_each(|body| body.extend((0..racing).map(|_| write(1))));
    bodies[0] = (1..9).flat_map(|thread| [Statement::Create(thread), Statement::Join(thread)]).collect();
    bodies[0].extend([Statement::Create(9), Statement::Create(10)]);
    Program { bodies, variables: 2, spurious_wakeups: false }
}

/// There are 8 * 7 / 2 * 60 * 60 = 100,800 pairs of accesses that do not race, each with up to 1,000 events before it:
/// more than a bounded analysis looks at. It has time for some of each variable.
#[test]
fn many_candidates_of_one_location_do_not_keep_others_from_being_looked_at() {
    let program = ordered_by_joins(1);
    let mut predictor = Predictor::new();
    let events = drawn_long(&program, 0);
    let needs = Needs::new(&events);
    let all = predictor.predict(&needs);
    assert_eq!(all.len(), 1, "{all:?}");
    assert_eq!(all[0].kind, PredictedKind::Race);
}

/// Of 14 by 14 pairs of source locations that all race, each is predicted once: no run predicts what another one has.
#[test]
fn nothing_is_predicted_twice() {
    let program = ordered_by_joins(14);
    let mut predictor = Predictor::new();
    let mut shown = Vec::new();
    for seed in 0..40 {
        let events = drawn_long(&program, seed);
        let all = predictor.predict(&Needs::new(&events));
        let together = |one: &inspect_core::predict::Prediction| one.events.iter().map(|event| event.index()).collect();
        shown.extend(all.iter().flat_map(|one| by_site(&events, core::iter::once((one.kind, together(one))))));
    }
    let distinct: BTreeSet<_> = shown.iter().cloned().collect();
    assert_eq!((shown.len(), distinct.len()), (14 * 14, 14 * 14));
}

fn drawn_long(program: &Program, seed: u64) -> Vec<Event> {
    let free_run = FreeRun::Sampled(SampledRun { strategy: Strategy::Random, seed, expected: u32::MAX });
    Machine::new(program, 10_000).run(&Plan { free_run, ..Plan::default() }).events.clone()
}

/// What an analysis takes is linear in the run: twice the run, twice the steps at most, and a bit.
#[test]
fn the_needs_of_a_run_on_one_object_are_linear_in_its_length() {
    let needs_of = |rounds: usize| {
        let mut bodies = vec![Vec::new(); 9];
        for body in bodies.iter_mut().skip(1) {
            for _ in 0..rounds {
                body.extend([Statement::TryLock(Operand::at(0), 0), Statement::FetchAdd(Operand::at(0), 1, 0)]);
            }
        }
        bodies[0] = (1..9).map(Statement::Create).collect();
        let program = Program { bodies, variables: 1, spurious_wakeups: false };
        let free_run = FreeRun::Sampled(SampledRun { strategy: Strategy::Random, seed: 1, expected: u32::MAX });
        let trace = Machine::new(&program, 10_000).run(&Plan { free_run, ..Plan::default() }).clone();
        let needs = Needs::new(&trace.events);
        assert!(trace.events.iter().any(|event: &Event| !matches!(event.operation, Operation::Thread(_))));
        (0..trace.events.len() as u32)
            .map(|event| needs.needed(event).len() + needs.sources(event).len())
            .sum::<usize>()
    };
    // Eight threads, each with one successful and one failed trylock as the last of its kind: 16 at most.
    let (once, twice) = (needs_of(100), needs_of(200));
    assert!(once <= 8 * 200 * 17 && twice <= 2 * once + 8 * 17, "{once} {twice}");
}
