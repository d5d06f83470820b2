//! Random small programs, from a seed.

use super::mix::Mix;
use super::{Expression, Operand, Part, Program, RECURSIVE, Statement, Test};
use crate::event::{MemoryOrder, Side};
use crate::random::Random;
use alloc::vec;
use alloc::vec::Vec;

/// How large a generated program may be.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Threads, main included: at least 2.
    pub threads: u8,
    /// Statements of all bodies together. Creates and joins are not counted, nor those that a statement brings with it,
    /// such as the unlock of a lock.
    pub statements: u8,
}

struct Generator<'r> {
    random: &'r mut Random,
    mix: Mix,
    variables: u64,
    mutexes: u64,
    conditions: u64,
}

/// A program drawn from `random`.
pub fn generate(random: &mut Random, shape: Shape) -> Program {
    let mix = Mix::draw(random);
    let variables = 1 + random.below(3);
    let mutexes = 1 + random.below(2);
    let conditions = 1 + random.below(2);
    let mut generator = Generator { random, mix, variables, mutexes, conditions };
    let mut bodies: Vec<Vec<Statement>> = vec![Vec::new(); shape.threads as usize];
    let main_works = generator.random.once_in(2);
    for _ in 0..shape.statements {
        let first = u64::from(!main_works);
        let body = first + generator.random.below(u64::from(shape.threads) - first);
        generator.statement(&mut bodies[body as usize], 0);
    }
    generator.creation(&mut bodies);
    let spurious_wakeups = mix.wait + mix.futex_wait > 0 && random.once_in(4);
    // One variable more than used: the neighbour of the last.
    Program { bodies, variables: variables as u16 + 1, spurious_wakeups }
}

/// The program with orders of every kind for its atomic accesses. None if it has none.
pub fn with_orders(mut program: Program, random: &mut Random) -> Option<Program> {
    use MemoryOrder::{Acquire, AcquireRelease, Relaxed, Release, SequentiallyConsistent};
    let mut any = false;
    for statement in program.bodies.iter_mut().flatten() {
        let (place, orders): (_, &[MemoryOrder]) = match statement {
            Statement::Load(place, _) | Statement::Await(place, ..) => {
                (place, &[Relaxed, Relaxed, Acquire, SequentiallyConsistent])
            }
            Statement::Store(place, _) => (place, &[Relaxed, Relaxed, Release, SequentiallyConsistent]),
            Statement::FetchAdd(place, ..) | Statement::CompareExchange(place, ..) => {
                (place, &[Relaxed, Relaxed, Acquire, Release, AcquireRelease, SequentiallyConsistent])
            }
            _ => continue,
        };
        place.order = orders[random.below(orders.len() as u64) as usize];
        any = true;
    }
    any.then_some(program)
}

/// The program with bitsets in its waits for futexes and its wakes: of two bits one, both, or all that there are. None
/// if it has no such waits.
pub fn with_bitsets(mut program: Program, random: &mut Random) -> Option<Program> {
    let mut waits = false;
    for statement in program.bodies.iter_mut().flatten() {
        match statement {
            Statement::FutexWait { bits, .. } => {
                waits = true;
                *bits = random.below(4) as u32;
            }
            Statement::FutexWake { bits, .. } => *bits = random.below(4) as u32,
            _ => {}
        }
    }
    waits.then_some(program)
}

/// The program with requeues in place of about half of its wakes, with and without a comparison, of none, one, two or
/// all waiters. None if it has no waits for futexes, or no wake that became one. Main begins with a requeue that finds
/// nobody, so that each execution shows one: native searches see the queues as one from the first run that does.
pub fn with_requeues(mut program: Program, random: &mut Random) -> Option<Program> {
    let (mut waits, mut requeues) = (false, false);
    let variables = u64::from(program.variables) - 1;
    for statement in program.bodies.iter_mut().flatten() {
        match *statement {
            Statement::FutexWait { .. } => waits = true,
            Statement::FutexWake { place: from, register, .. } if random.once_in(2) => {
                requeues = true;
                let to = Operand::at(random.below(variables) as u16);
                let moves = [0, 1, 1, 2, 64, 64][random.below(6) as usize];
                let expected = [None, Some(0), Some(0), Some(1)][random.below(4) as usize];
                let wakes = [0, 0, 1, 1, 2, 2, 64][random.below(7) as usize];
                *statement = Statement::FutexRequeue { from, to, wakes, moves, expected, register };
            }
            _ => {}
        }
    }
    let first = Operand::at(0);
    let known = Statement::FutexRequeue { from: first, to: first, wakes: 0, moves: 0, expected: None, register: 3 };
    for statement in &mut program.bodies[0] {
        if let Statement::JumpUnless(_, target) | Statement::Jump(target) = statement {
            *target += 1;
        }
    }
    program.bodies[0].insert(0, known);
    (waits && requeues).then_some(program)
}

impl Generator<'_> {
    fn register(&mut self) -> u8 {
        self.random.below(2) as u8
    }

    fn variable(&mut self) -> Operand {
        Operand::at(self.random.below(self.variables) as u16)
    }

    fn bytes(&mut self) -> Operand {
        let place = self.variable();
        if self.mix.sized == 0 || !self.random.once_in(self.mix.sized) {
            return place;
        }
        let part = match self.random.below(3) {
            0 => Part::Low,
            1 => Part::High,
            _ => Part::Two,
        };
        Operand { part, ..place }
    }

    fn mutex(&mut self) -> Operand {
        let first = if self.mix.recursive { RECURSIVE } else { 0 };
        Operand::at(first + self.random.below(self.mutexes) as u16)
    }

    fn condition(&mut self) -> Operand {
        Operand::at(self.random.below(self.conditions) as u16)
    }

    fn value(&mut self) -> Expression {
        if self.random.once_in(4) {
            Expression::Register(self.register(), self.random.below(2))
        } else {
            Expression::Constant(self.random.below(3))
        }
    }

    fn test(&mut self) -> Test {
        Test { register: self.register(), equals: self.random.below(2) }
    }

    fn statement(&mut self, body: &mut Vec<Statement>, depth: u8) {
        let conditional = depth < 2 && self.random.once_in(6);
        let hole = body.len();
        if conditional {
            body.push(Statement::Jump(0));
        }
        self.unconditional(body, depth);
        if conditional {
            body[hole] = Statement::JumpUnless(self.test(), body.len() as u16);
        }
    }

    /// One statement, or a group of them. The arms have the numbers of the weights; the last arm is the last weight's.
    fn unconditional(&mut self, body: &mut Vec<Statement>, depth: u8) {
        let weights = self.mix.weights();
        let mut at = self.random.below(weights.iter().sum());
        let kind = weights.iter().position(|&weight| {
            let here = at < weight;
            at = at.wrapping_sub(weight);
            here
        });
        let one = match kind.expect("below the sum") {
            0 => self.plain(),
            1 => self.atomic(),
            2 => Statement::CompareExchange(self.variable(), self.value(), self.value(), self.register()),
            3 => return self.section(body, depth, None),
            4 => {
                let register = self.register();
                return self.section(body, depth, Some(register));
            }
            5 => return self.waiting(body, false),
            6 => return self.waiting(body, true),
            7 => return self.waking(body),
            8 => self.loose_lock(),
            9 => Statement::Choose(2 + self.random.below(2) as u32, self.register()),
            10 => Statement::Assume(self.test()),
            11 => Statement::Assert(self.test()),
            12 => Statement::ExitProcess(self.random.below(2) as i32),
            13 => return self.once(body),
            // Initialising a mutex that may be held is undefined, and which orders that makes possible is not modelled.
            14 => Statement::Destroy(self.mutex()),
            15 => self.futex_wait(),
            16 => self.futex_wake(),
            17 => self.semaphore(),
            18 => return self.rwlock(body, depth),
            19 => return self.barrier(body),
            _ => Statement::Await(self.variable(), self.random.below(2), self.register()),
        };
        body.push(one);
    }

    fn plain(&mut self) -> Statement {
        if self.random.once_in(2) {
            Statement::Read(self.bytes(), self.register())
        } else {
            Statement::Write(self.bytes(), self.value())
        }
    }

    fn atomic(&mut self) -> Statement {
        match self.random.below(3) {
            0 => Statement::Load(self.bytes(), self.register()),
            1 => Statement::Store(self.bytes(), self.value()),
            _ => Statement::FetchAdd(self.variable(), 1, self.register()),
        }
    }

    /// A wait for a word, mostly while it has the value with which it begins.
    fn futex_wait(&mut self) -> Statement {
        Statement::FutexWait {
            place: self.variable(),
            expected: u32::from(self.random.once_in(4)),
            timed: self.random.once_in(3),
            bits: 0,
            register: self.register(),
        }
    }

    fn futex_wake(&mut self) -> Statement {
        let (place, all) = (self.variable(), self.random.once_in(3));
        let most = if all { u32::MAX } else { 1 + u32::from(self.random.once_in(3)) };
        Statement::FutexWake { place, most, bits: 0, register: self.register() }
    }

    /// A lock or an unlock without the other. Unlocking a recursive mutex that another thread holds is a finding;
    /// whether the holder's next lock could have come before it is not known from the operations.
    fn loose_lock(&mut self) -> Statement {
        if !self.mix.recursive && self.random.once_in(3) {
            Statement::Unlock(self.mutex())
        } else if self.random.once_in(2) {
            Statement::TryLock(self.mutex(), self.register())
        } else {
            Statement::Lock(self.mutex())
        }
    }

    /// A critical section with at most two statements in it; entered by trylock if `register` is given.
    fn section(&mut self, body: &mut Vec<Statement>, depth: u8, register: Option<u8>) {
        let mutex = self.mutex();
        let hole = body.len() + 1;
        match register {
            None => body.push(Statement::Lock(mutex)),
            Some(register) => body.extend([Statement::TryLock(mutex, register), Statement::Jump(0)]),
        }
        if depth < 2 {
            for _ in 0..self.random.below(3) {
                self.statement(body, depth + 1);
            }
        }
        body.push(Statement::Unlock(mutex));
        if let Some(register) = register {
            body[hole] = Statement::JumpUnless(Test { register, equals: 1 }, body.len() as u16);
        }
    }

    fn once(&mut self, body: &mut Vec<Statement>) {
        let (once, register) = (self.condition(), self.register());
        body.push(Statement::OnceEnter(once, register));
        let hole = body.len();
        body.push(Statement::Jump(0));
        if self.random.once_in(2) {
            body.push(Statement::Write(self.variable(), self.value()));
        }
        if self.random.once_in(4) {
            let mutex = self.mutex();
            body.extend([Statement::Lock(mutex), Statement::Unlock(mutex)]);
        }
        body.push(Statement::OnceLeave(once));
        body[hole] = Statement::JumpUnless(Test { register, equals: 1 }, body.len() as u16);
    }

    fn semaphore(&mut self) -> Statement {
        let semaphore = self.condition();
        match self.random.below(7) {
            0..3 => Statement::SemaphorePost(semaphore),
            3..5 => Statement::SemaphoreWait(semaphore),
            5 => Statement::SemaphoreTryWait(semaphore, self.register()),
            _ => Statement::SemaphoreCount(semaphore, self.register()),
        }
    }

    /// A read-write lock with at most one statement under it. Sometimes the lock, or the unlock after it, is missing.
    fn rwlock(&mut self, body: &mut Vec<Statement>, depth: u8) {
        let rwlock = self.condition();
        let side = if self.random.once_in(3) { Side::Writer } else { Side::Reader };
        let tries = self.random.once_in(4);
        let hole = body.len() + 1;
        let register = self.register();
        if tries {
            body.extend([Statement::RwlockTryLock(rwlock, side, register), Statement::Jump(0)]);
        } else {
            body.push(Statement::RwlockLock(rwlock, side));
        }
        if depth < 2 && self.random.once_in(2) {
            self.statement(body, depth + 1);
        }
        if tries || !self.random.once_in(8) {
            body.push(Statement::RwlockUnlock(rwlock));
        }
        if tries {
            body[hole] = Statement::JumpUnless(Test { register, equals: 1 }, body.len() as u16);
        }
    }

    fn barrier(&mut self, body: &mut Vec<Statement>) {
        let (barrier, register) = (Operand::at(0), self.register());
        body.extend([Statement::BarrierArrive(barrier, register), Statement::BarrierPass(barrier, register)]);
    }

    /// Main initialises the objects that have no static initialiser before it creates threads.
    fn initialisations(&mut self, bodies: &mut [Vec<Statement>]) -> Vec<Statement> {
        let uses = |kind: fn(&Statement) -> bool| bodies.iter().flatten().any(kind);
        let mut all = Vec::new();
        let semaphores = uses(|statement| {
            matches!(
                statement,
                Statement::SemaphoreWait(_)
                    | Statement::SemaphoreTryWait(..)
                    | Statement::SemaphorePost(_)
                    | Statement::SemaphoreCount(..)
            )
        });
        if semaphores {
            for semaphore in 0..self.conditions {
                let count = self.random.below(3) as u32;
                all.push(Statement::SemaphoreInit(Operand::at(semaphore as u16), count));
            }
        }
        if uses(|statement| matches!(statement, Statement::BarrierArrive(..))) {
            let count = 1 + self.random.below(bodies.len() as u64) as u32;
            all.push(Statement::BarrierInit(Operand::at(0), count));
        }
        all
    }

    fn waiting(&mut self, body: &mut Vec<Statement>, timed: bool) {
        let (cond, mutex, flag, register) = (self.condition(), self.mutex(), self.variable(), self.register());
        body.push(Statement::Lock(mutex));
        let wait = if timed { Statement::TimedWait(cond, mutex, register) } else { Statement::Wait(cond, mutex) };
        if self.random.once_in(2) {
            body.push(Statement::Read(flag, register));
            let target = body.len() as u16 + 2;
            body.push(Statement::JumpUnless(Test { register, equals: 0 }, target));
        }
        body.push(wait);
        body.push(Statement::Unlock(mutex));
    }

    fn waking(&mut self, body: &mut Vec<Statement>) {
        let (cond, mutex, flag) = (self.condition(), self.mutex(), self.variable());
        let wake = if self.random.once_in(3) { Statement::Broadcast(cond) } else { Statement::Signal(cond) };
        match self.random.below(3) {
            0 => body.push(wake),
            1 => body.extend([
                Statement::Lock(mutex),
                Statement::Write(flag, Expression::Constant(1)),
                wake,
                Statement::Unlock(mutex),
            ]),
            _ => body.extend([
                Statement::Lock(mutex),
                Statement::Write(flag, Expression::Constant(1)),
                Statement::Unlock(mutex),
                wake,
            ]),
        }
    }

    /// Every thread is started by main or, sometimes, by the thread before it; some are joined.
    fn creation(&mut self, bodies: &mut [Vec<Statement>]) {
        let threads = bodies.len();
        let mut starts: Vec<Vec<Statement>> = vec![Vec::new(); threads];
        let mut ends: Vec<Vec<Statement>> = vec![Vec::new(); threads];
        for child in 1..threads {
            let creator = if child > 1 && self.random.once_in(4) { child - 1 } else { 0 };
            starts[creator].push(Statement::Create(child as u8));
            if self.random.once_in(3) {
                ends[creator].push(Statement::Join(child as u8));
            }
        }
        let initialisations = self.initialisations(bodies);
        starts[0].splice(0..0, initialisations);
        for (body, (start, end)) in bodies.iter_mut().zip(starts.into_iter().zip(ends)) {
            let shift = start.len() as u16;
            for statement in body.iter_mut() {
                if let Statement::JumpUnless(_, target) | Statement::Jump(target) = statement {
                    *target += shift;
                }
            }
            let middle = core::mem::take(body);
            body.extend(start.into_iter().chain(middle).chain(end));
        }
    }
}
