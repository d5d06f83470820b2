//! The facts of a [`Program`]: what is known of its code without running it, as the compiler determines it for native
//! code.

use super::layout::{CONDITIONS, MUTEXES, SPACING};
use super::statement::DataFlow;
use super::{Expression, Operand, Program, REGISTERS, Statement};
use crate::event::{ByteRange, EffectKind};
use crate::explore::{Facts, LockChange, PathStep, Point, PointsTo, UntakenPath};
use alloc::collections::BTreeSet;
use alloc::vec;
use alloc::vec::Vec;

/// Number of the point of a statement.
pub(super) fn point(program: &Program, body: u8, at: u16) -> u32 {
    let before: usize = program.bodies[..body as usize].iter().map(Vec::len).sum();
    (before + at as usize) as u32
}

/// The statements that may come after this one, for a branch first the one after a fulfilled test. The end of a body
/// counts as a statement.
fn successors(body: &[Statement], at: usize) -> Vec<usize> {
    match body[at] {
        Statement::JumpUnless(_, target) => vec![at + 1, target as usize],
        Statement::Jump(target) => vec![target as usize],
        Statement::ExitProcess(_) => Vec::new(),
        _ => vec![at + 1],
    }
}

/// The statements that are reached from `from` without passing `until`.
fn reached(body: &[Statement], from: usize, until: Option<usize>) -> BTreeSet<usize> {
    let (mut all, mut left) = (BTreeSet::new(), vec![from]);
    while let Some(at) = left.pop() {
        if Some(at) != until && all.insert(at) && at < body.len() {
            left.extend(successors(body, at));
        }
    }
    all
}

/// The join point of a branch: the nearest statement that every path from the branch to the end passes.
pub(super) fn merge(body: &[Statement], at: usize) -> usize {
    let end = body.len();
    // A statement is on every path if without it the end is not reached.
    let passed = |m: usize| !successors(body, at).into_iter().any(|next| reached(body, next, Some(m)).contains(&end));
    let candidates = (0..end).filter(|&m| m != at && passed(m));
    // The nearest is the one from which all others are reached.
    let nearest = |m: &usize| candidates.clone().all(|other| other == *m || reached(body, *m, None).contains(&other));
    let first = candidates.clone().filter(nearest).min_by_key(|&m| reached(body, at, Some(m)).len());
    first.unwrap_or(end)
}

/// The variables that a place may be, as objects.
fn variables(program: &Program, place: Operand) -> PointsTo {
    let objects = match (place.index, place.part) {
        (Some(_), _) => (0..u32::from(program.variables)).collect(),
        (None, super::Part::Two) => vec![u32::from(place.base), u32::from(place.base) + 1],
        (None, _) => vec![u32::from(place.base)],
    };
    PointsTo::Objects(objects)
}

fn read_register(value: Expression) -> Option<u8> {
    match value {
        Expression::Constant(_) => None,
        Expression::Register(register, _) | Expression::Modulo(register, ..) => Some(register),
    }
}

/// Which values of a program influence each other: registers by body, then variables.
struct Flow<'p> {
    program: &'p Program,
    edges: Vec<BTreeSet<usize>>,
    /// By value: the points that it influences directly.
    sinks: Vec<BTreeSet<u32>>,
}

impl Flow<'_> {
    fn register(body: usize, register: u8) -> usize {
        body * REGISTERS + register as usize
    }

    fn cells(&self, place: Operand) -> Vec<usize> {
        let first = self.program.bodies.len() * REGISTERS;
        match variables(self.program, place) {
            PointsTo::Objects(objects) => objects.into_iter().map(|object| first + object as usize).collect(),
            PointsTo::Anywhere => Vec::new(),
        }
    }

    /// The registers and variables that a statement sets, and those from which it computes them.
    fn transfer(&self, body: usize, statement: Statement) -> (Vec<usize>, Vec<usize>) {
        let own = |register: u8| Self::register(body, register);
        let index = |place: Operand| place.index.map(own);
        let value = |value: Expression| read_register(value).map(own);
        match statement.data_flow() {
            DataFlow::Reads(place, r) => (vec![own(r)], self.cells(place).into_iter().chain(index(place)).collect()),
            DataFlow::Writes(place, v) => (self.cells(place), value(v).into_iter().chain(index(place)).collect()),
            DataFlow::Adds(place, r) => {
                let cells = self.cells(place);
                (cells.iter().copied().chain([own(r)]).collect(), cells.iter().copied().chain(index(place)).collect())
            }
            DataFlow::Exchanges(place, values, r) => {
                let cells = self.cells(place);
                let from = cells.iter().copied().chain(index(place)).chain(values.into_iter().filter_map(value));
                let from = from.collect();
                (cells.into_iter().chain([own(r)]).collect(), from)
            }
            DataFlow::Computes(r, v) => (vec![own(r)], value(v).into_iter().collect()),
            DataFlow::Outcome(r) => (vec![own(r)], Vec::new()),
            DataFlow::None => (Vec::new(), Vec::new()),
        }
    }

    fn state(&mut self) {
        for (number, body) in self.program.bodies.iter().enumerate() {
            for (at, &statement) in body.iter().enumerate() {
                let (to, from) = self.transfer(number, statement);
                for &from in &from {
                    self.edges[from].extend(&to);
                }
                let here = point(self.program, number as u8, at as u16);
                let places = statement.places();
                for register in places.iter().filter_map(|place| place.index) {
                    self.sinks[Self::register(number, register)].insert(here);
                }
                if let Statement::JumpUnless(test, _) = statement {
                    let decided = Self::register(number, test.register);
                    self.sinks[decided].insert(here);
                    let end = merge(body, at);
                    for next in successors(body, at) {
                        for &inside in reached(body, next, Some(end)).iter().filter(|&&at| at < body.len()) {
                            let (to, _) = self.transfer(number, body[inside]);
                            self.edges[decided].extend(to);
                        }
                    }
                }
            }
        }
    }

    /// The points that may be influenced by the values that a statement gets from outside its thread.
    fn influenced(&self, body: usize, statement: Statement) -> Vec<u32> {
        let takes_in = !matches!(statement, Statement::Set(..) | Statement::Write(..) | Statement::Store(..));
        let mut left = if takes_in { self.transfer(body, statement).0 } else { Vec::new() };
        let (mut seen, mut points) = (BTreeSet::new(), BTreeSet::new());
        while let Some(value) = left.pop() {
            if seen.insert(value) {
                points.extend(&self.sinks[value]);
                left.extend(&self.edges[value]);
            }
        }
        points.into_iter().collect()
    }
}

fn object(base: u64, place: Operand) -> Option<u64> {
    place.index.is_none().then(|| base + SPACING * u64::from(place.base))
}

/// The mutexes acquired and released on an untaken path up to a statement.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Held {
    acquired: BTreeSet<u64>,
    released: BTreeSet<u64>,
}

impl Held {
    fn locks(&self) -> LockChange {
        LockChange {
            acquired: self.acquired.iter().copied().collect(),
            released: self.released.iter().copied().collect(),
        }
    }
}

/// The untaken path that begins at statement `from` and ends at `until`.
fn untaken(program: &Program, body: &[Statement], from: usize, until: usize) -> UntakenPath {
    let mut states: Vec<Option<Held>> = vec![None; body.len() + 1];
    states[from] = Some(Held::default());
    let mut left = vec![from];
    while let Some(at) = left.pop() {
        let Some(mut held) = states[at].clone().filter(|_| at != until && at < body.len()) else { continue };
        match body[at] {
            Statement::Lock(place) => held.acquired.extend(object(MUTEXES, place)),
            Statement::Unlock(place) => {
                if let Some(mutex) = object(MUTEXES, place)
                    && !held.acquired.remove(&mutex)
                {
                    held.released.insert(mutex);
                }
            }
            _ => {}
        }
        for next in successors(body, at) {
            let joined = match &states[next] {
                None => held.clone(),
                Some(old) => Held {
                    acquired: old.acquired.intersection(&held.acquired).copied().collect(),
                    released: old.released.union(&held.released).copied().collect(),
                },
            };
            if states[next].as_ref() != Some(&joined) {
                states[next] = Some(joined);
                left.push(next);
            }
        }
    }
    let mut untaken = UntakenPath { after: states[until].as_ref().map(Held::locks), ..UntakenPath::default() };
    for (at, held) in states.iter().enumerate().take(body.len()).filter(|(at, _)| *at != until) {
        if let Some(held) = held {
            step(program, body[at], held, &mut untaken);
        }
    }
    untaken
}

/// Adds to an untaken path what one of its statements may do.
fn step(program: &Program, statement: Statement, held: &Held, untaken: &mut UntakenPath) {
    let mut push = |what, exact: Option<ByteRange>, places| {
        untaken.steps.push(PathStep { what, exact, places, locks: held.locks() });
    };
    let registers = [0; REGISTERS];
    let range = |place: Operand| place.index.is_none().then(|| place.range(&registers));
    let one = |start: Option<u64>| start.map(|start| ByteRange { start, len: 1 });
    let mut given_up = None;
    match statement {
        Statement::Read(place, _) => push(EffectKind::Read, range(place), variables(program, place)),
        Statement::Write(place, _) => push(EffectKind::Write, range(place), variables(program, place)),
        Statement::Load(place, _) => push(EffectKind::AtomicRead, range(place), variables(program, place)),
        Statement::Store(place, _) | Statement::FetchAdd(place, ..) | Statement::CompareExchange(place, ..) => {
            push(EffectKind::AtomicWrite, range(place), variables(program, place));
        }
        Statement::Lock(place) => push(EffectKind::Lock, one(object(MUTEXES, place)), PointsTo::Anywhere),
        Statement::TryLock(place, _) => push(EffectKind::TryLock, one(object(MUTEXES, place)), PointsTo::Anywhere),
        Statement::Unlock(place) => {
            push(EffectKind::Unlock, one(object(MUTEXES, place)), PointsTo::Anywhere);
            given_up = Some(place);
        }
        Statement::Wait(cond, mutex) | Statement::TimedWait(cond, mutex, _) => {
            push(EffectKind::Wait, one(object(CONDITIONS, cond)), PointsTo::Anywhere);
            push(EffectKind::Expire, one(object(CONDITIONS, cond)), PointsTo::Anywhere);
            push(EffectKind::Unlock, one(object(MUTEXES, mutex)), PointsTo::Anywhere);
            push(EffectKind::Lock, one(object(MUTEXES, mutex)), PointsTo::Anywhere);
            given_up = Some(mutex);
        }
        Statement::Signal(place) | Statement::Broadcast(place) => {
            push(EffectKind::Wake, one(object(CONDITIONS, place)), PointsTo::Anywhere);
        }
        Statement::Join(_)
        | Statement::Choose(..)
        | Statement::Assume(_)
        | Statement::Assert(_)
        | Statement::ExitProcess(_)
        | Statement::Set(..)
        | Statement::JumpUnless(..)
        | Statement::Jump(_) => {}
        // What is not described may do anything.
        _ => untaken.opaque = true,
    }
    if let Some(place) = given_up {
        match object(MUTEXES, place) {
            None => untaken.opaque = true,
            Some(mutex) if !held.acquired.contains(&mutex) => untaken.given_up.push(mutex),
            Some(_) => {}
        }
    }
}

/// Whether what comes of a statement depends on more than the values that it reads.
fn varies(statement: Statement) -> bool {
    matches!(
        statement,
        Statement::TryLock(..)
            | Statement::TimedWait(..)
            | Statement::Choose(..)
            | Statement::FutexWait { .. }
            | Statement::FutexWake { .. }
            | Statement::FutexRequeue { .. }
            | Statement::FutexStep { .. }
            | Statement::SignalTake(..)
            | Statement::SignalAwait(..)
            | Statement::SignalLook(..)
            | Statement::PipeRead(..)
            | Statement::PipeTryWrite(..)
            | Statement::PipeTryRead(..)
            | Statement::PipePoll(..)
    )
}

/// The facts of a program.
pub fn facts(program: &Program) -> Facts {
    let values = program.bodies.len() * REGISTERS + program.variables as usize;
    let mut flow = Flow { program, edges: vec![BTreeSet::new(); values], sinks: vec![BTreeSet::new(); values] };
    flow.state();
    let mut facts = Facts::default();
    for (number, body) in program.bodies.iter().enumerate() {
        for (at, &statement) in body.iter().enumerate() {
            let mut one = Point { influences: flow.influenced(number, statement), ..Point::default() };
            one.varies = varies(statement);
            one.opaque =
                matches!(statement, Statement::Await(..) | Statement::SignalAwait(..) | Statement::FutexStep { .. });
            one.places = match statement.places()[..] {
                [place] => match statement {
                    Statement::Read(..)
                    | Statement::Write(..)
                    | Statement::Load(..)
                    | Statement::Store(..)
                    | Statement::FetchAdd(..)
                    | Statement::CompareExchange(..) => variables(program, place),
                    _ => PointsTo::Anywhere,
                },
                _ => PointsTo::Anywhere,
            };
            if let Statement::JumpUnless(..) = statement {
                let end = merge(body, at);
                one.merge = point(program, number as u8, end as u16);
                let ways = successors(body, at);
                one.untaken_paths = (0..2).map(|taken| untaken(program, body, ways[1 - taken], end)).collect();
            }
            facts.points.push(one);
        }
        // The end of a body may be a join point. It has the number of the next body's first statement.
    }
    facts
}
