//! Predictions against runs: every run that is predicted can be made and shows what is predicted, the closed sets are
//! those of the definition, and what brute force finds within the definition is predicted.

use crate::common::MAX_STEPS;
use inspect_core::detect::{FindingKind, Observer, PagedShadow};
use inspect_core::event::{Ending, Event, FreeRun, Pending, Plan, SampledRun, Strategy, Trace};
use inspect_core::explore::{Dfs, Explorer};
use inspect_core::model::{Expression, Machine, Operand, Program, Random, Shape, Statement, generate};
use inspect_core::predict::{Closure, Keeps, Needs, PredictedKind, Prediction, Predictor};
use std::collections::{BTreeMap, BTreeSet};

/// A run drawn by chance.
fn drawn(machine: &mut Machine<'_>, seed: u64) -> Trace {
    let free_run = FreeRun::Sampled(SampledRun { strategy: Strategy::Random, seed, expected: u32::MAX });
    machine.run(&Plan { free_run, ..Plan::default() }).clone()
}

fn predicted(needs: &Needs<'_>) -> Vec<Prediction> {
    let mut predictor = Predictor::unbounded();
    let mut all = predictor.races(needs, Keeps::All);
    all.extend(predictor.deadlocks(needs, Keeps::All));
    all
}

/// Threads with two mutexes and two variables, in sections that often lie in each other.
fn locking(random: &mut Random) -> Program {
    let mut bodies = vec![Vec::new(); 3];
    for body in bodies.iter_mut().skip(1) {
        for _ in 0..2 {
            let (outer, inner) = (random.below(2) as u16, random.below(2) as u16);
            let access = |random: &mut Random| {
                let place = Operand::at(random.below(2) as u16);
                if random.once_in(2) {
                    Statement::Read(place, 0)
                } else {
                    Statement::Write(place, Expression::Constant(1))
                }
            };
            body.push(Statement::Lock(Operand::at(outer)));
            let nested = outer != inner && !random.once_in(3);
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
            if random.once_in(3) {
                body.push(access(random));
            }
        }
    }
    bodies[0] = vec![Statement::Create(1), Statement::Create(2), Statement::Join(1), Statement::Join(2)];
    Program { bodies, variables: 2, spurious_wakeups: false }
}

fn programs() -> impl Iterator<Item = (u64, Program)> {
    let locking = (0..300).map(|seed| (seed, locking(&mut Random(seed))));
    let mixed = (0..700).map(|seed| {
        let threads = 2 + (seed % 3) as u8;
        (1000 + seed, generate(&mut Random(seed), Shape { threads, statements: 8 + (seed % 12) as u8 }))
    });
    locking.chain(mixed)
}

/// Why the run of a prediction does not show it, if it does not.
fn refuted(machine: &mut Machine<'_>, events: &[Event], prediction: &Prediction) -> Option<String> {
    let plan = Plan { steps: prediction.steps.clone(), ..Plan::default() };
    let trace = machine.run(&plan).clone();
    if matches!(trace.ending, Ending::Diverged(_)) || trace.events.len() < plan.steps.len() {
        return Some(format!("{:?} after {} of {} steps", trace.ending, trace.events.len(), plan.steps.len()));
    }
    match prediction.kind {
        PredictedKind::Race => {
            let [.., one, other] = &trace.events[..plan.steps.len()] else { return Some("too short".into()) };
            let same = |event: &Event, at: usize| {
                let predicted = &events[prediction.events[at].index()];
                (event.thread, event.site) == (predicted.thread, predicted.site)
            };
            if !same(one, 0) || !same(other, 1) {
                return Some("other accesses".into());
            }
            let (mut observer, mut found) = (Observer::new(PagedShadow::new()), Vec::new());
            observer.begin();
            observer.end(machine.record(), &mut found);
            let is_race = found.iter().any(|finding| finding.kind == FindingKind::DataRace);
            (!is_race).then(|| "no race".into())
        }
        PredictedKind::Deadlock => {
            // Whatever the others do, these threads stand where they are.
            let stands = |pending: &Pending| {
                prediction.events.iter().any(|event| {
                    let event = &events[event.index()];
                    (event.thread, event.site) == (pending.thread, pending.site)
                })
            };
            let standing = trace.pending.iter().filter(|pending| stands(pending)).count();
            (standing != prediction.events.len()).then(|| format!("{standing} threads stand"))
        }
    }
}

/// The least closed set by its definition: what each event needs, and no mutex taken twice without being given back.
fn by_definition(needs: &Needs<'_>, keeps: Keeps, seeds: &BTreeSet<u32>, keeps_mutexes: bool) -> BTreeSet<u32> {
    let mut set = seeds.clone();
    loop {
        let mut larger = set.clone();
        for &event in &set {
            larger.extend(needs.before(event));
            larger.extend(needs.needed(event));
            larger.extend(needs.sources(event).iter().filter(|_| keeps == Keeps::All));
            let Some(hold) = needs.hold(event).filter(|_| keeps_mutexes) else { continue };
            let again =
                set.iter().any(|&other| other > event && needs.hold(other).is_some_and(|o| o.mutex == hold.mutex));
            larger.extend(hold.release.filter(|_| again));
        }
        if larger == set {
            return set;
        }
        set = larger;
    }
}

#[test]
fn closed_sets_are_those_of_the_definition() {
    let (mut kept, mut smaller) = (0, 0);
    for (seed, program) in programs() {
        let trace = drawn(&mut Machine::new(&program, MAX_STEPS), seed);
        let needs = Needs::new(&trace.events);
        let mut random = Random(seed);
        for _ in 0..8 {
            let seeds: BTreeSet<u32> = (0..2).map(|_| random.below(trace.events.len() as u64) as u32).collect();
            let mut sets = Vec::new();
            for keeps in [Keeps::All, Keeps::Sections] {
                let mut closure = Closure::new(&needs, keeps);
                seeds.iter().for_each(|&event| closure.add(event));
                let all: Vec<u32> = by_definition(&needs, keeps, &seeds, true).into_iter().collect();
                assert_eq!(closure.events(), all, "program {seed}");
                kept += u64::from(all != by_definition(&needs, keeps, &seeds, false).into_iter().collect::<Vec<_>>());
                sets.push(all);
            }
            smaller += u64::from(sets[0] != sets[1]);
        }
    }
    assert!(kept > 50, "the order of critical sections matters in {kept} sets");
    assert!(smaller > 50, "what reads find matters in {smaller} sets");
}

#[test]
fn what_is_predicted_is_real() {
    let mut shown: BTreeMap<PredictedKind, u32> = BTreeMap::new();
    for (seed, program) in programs() {
        let mut machine = Machine::new(&program, MAX_STEPS);
        for run in 0..4 {
            let trace = drawn(&mut machine, seed * 4 + run);
            let needs = Needs::new(&trace.events);
            for prediction in predicted(&needs) {
                let refuted = refuted(&mut machine, &trace.events, &prediction);
                assert_eq!(refuted, None, "program {seed}: {prediction:?}\n{program:?}\n{:#?}", trace.events);
                *shown.entry(prediction.kind).or_default() += 1;
            }
        }
    }
    println!("{shown:?}");
    assert!(shown[&PredictedKind::Race] > 500 && shown[&PredictedKind::Deadlock] > 100, "{shown:?}");
}

/// The test above can fail: without the order of critical sections, many sets are no runs.
#[test]
fn sets_that_do_not_keep_critical_sections_are_often_no_runs() {
    let mut diverged = 0;
    for (seed, program) in programs() {
        let mut machine = Machine::new(&program, MAX_STEPS);
        let trace = drawn(&mut machine, seed);
        let needs = Needs::new(&trace.events);
        for event in 0..trace.events.len() as u32 {
            let set = by_definition(&needs, Keeps::All, &BTreeSet::from([event]), false);
            let step = |&event: &u32| {
                let Event { thread, choice, .. } = trace.events[event as usize];
                inspect_core::event::Step { thread, choice }
            };
            let steps: Vec<_> = set.iter().map(step).collect();
            let again = machine.run(&Plan { steps, ..Plan::default() });
            diverged += u32::from(matches!(again.ending, Ending::Diverged(_)));
        }
    }
    assert!(diverged > 100, "{diverged}");
}

/// Deadlocks by brute force: of a program whose threads only lock and unlock, every interleaving of the events of a run
/// keeps the run's order of critical sections or not; those that do and deadlock are predicted.
#[test]
fn no_deadlock_that_keeps_critical_sections_is_missed() {
    let (mut with, mut without) = (0, 0);
    for seed in 0..300 {
        let program = locking(&mut Random(seed));
        let mut machine = Machine::new(&program, MAX_STEPS);
        let trace = drawn(&mut machine, seed);
        if trace.ending != Ending::Completed {
            continue;
        }
        let needs = Needs::new(&trace.events);
        let sites = |events: Vec<inspect_core::event::SiteId>| events.into_iter().collect::<BTreeSet<_>>();
        let predicted: BTreeSet<_> = Predictor::unbounded()
            .deadlocks(&needs, Keeps::All)
            .into_iter()
            .map(|one| sites(one.events.iter().map(|event| trace.events[event.index()].site).collect()))
            .collect();
        let (mut dfs, mut plan, mut real) = (Dfs::new(), Plan::default(), BTreeSet::new());
        while dfs.next_plan(&mut plan) {
            let run = machine.run(&plan).clone();
            dfs.learn(&run);
            if run.ending == Ending::Deadlocked && keeps(&trace.events, &run.events) {
                let locks = run.pending.iter().filter(|pending| pending.operation.joins().is_none());
                real.insert(sites(locks.map(|pending| pending.site).collect()));
            }
        }
        assert!(real.is_subset(&predicted), "program {seed}: {real:?} {predicted:?}");
        if real.is_empty() { without += 1 } else { with += 1 }
    }
    assert!(with > 20 && without > 20, "{with} {without}");
}

/// Whether a run is a part of another one, with the same order of critical sections on each mutex and of accesses.
fn keeps(whole: &[Event], part: &[Event]) -> bool {
    let key = |event: &Event| (event.thread, event.operation, event.site);
    let objects: BTreeSet<_> =
        part.iter().flat_map(|event| event.operation.footprint().iter()).map(|(range, _)| range.start).collect();
    objects.into_iter().all(|object| {
        let on = |event: &&Event| event.operation.footprint().iter().any(|(range, _)| range.start == object);
        let mut rest = whole.iter().filter(on);
        part.iter().filter(on).all(|event| rest.any(|other| key(other) == key(event)))
    })
}
