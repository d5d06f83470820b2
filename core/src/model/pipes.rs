//! Pipes that hold one or two values, and programs with them.

use super::{Expression, Operand, Program, REGISTERS, Statement};
use crate::event::{ChannelOperation, ChannelStep, Object, Offer, Wanted};
use crate::random::Random;
use alloc::vec;
use alloc::vec::Vec;
use core::hash::{Hash, Hasher};

/// What is written natively for one value, in one piece: it takes a whole buffer of the system's, of which a pipe has
/// as many as the model's pipe has places.
pub(super) const PIECE: u32 = 4096;
/// The bits of the statement that makes a pipe.
pub(super) const CAPACITY: u8 = 3;
pub(super) const READS_TRY: u8 = 4;
pub(super) const WRITES_TRY: u8 = 8;
/// More pipes than any program has.
const PIPES: usize = 8;

#[derive(Clone, Hash, Debug, Default)]
struct Pipe {
    capacity: u8,
    values: Vec<u64>,
}

/// The pipes of a program.
#[derive(Debug)]
pub(super) struct Pipes {
    pipes: Vec<Pipe>,
    /// A search sees all as one.
    joined: bool,
    /// There are some.
    any: bool,
    offer: Offer,
}

impl Hash for Pipes {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        if self.any {
            self.pipes.hash(hasher);
        }
    }
}

impl Pipes {
    /// Before the first run of a program.
    pub(super) fn of(program: &Program) -> Pipes {
        let polls = |statement: &Statement| matches!(statement, Statement::PipePoll(..));
        let makes = |statement: &Statement| matches!(statement, Statement::PipeInit(..));
        let [joined, any] =
            [polls as fn(&Statement) -> bool, makes].map(|kind| program.bodies.iter().flatten().any(kind));
        Pipes { pipes: vec![Pipe::default(); PIPES], joined, any, offer: Offer(0) }
    }

    /// Before a run.
    pub(super) fn begin(&mut self) {
        self.pipes.fill(Pipe::default());
        self.offer = Offer(0);
    }

    /// What pipes offer that are made with more room than they have later.
    pub(super) fn fresh(&self) -> impl Iterator<Item = (Object, Offer)> {
        let of = |number: usize| (Object::channel(number as u8), Offer::of_one(false, PIECE));
        (0..if self.any { PIPES } else { 0 }).map(of)
    }

    /// The operation of a statement; None if that is on no pipe.
    pub(super) fn operation(&self, statement: Statement, registers: &[u64; REGISTERS]) -> Option<ChannelOperation> {
        let joined = self.joined;
        let at = |place: Operand, step| ChannelOperation::new(place.number(registers) as u8, joined, step);
        let reads = |place: Operand| {
            let operation = at(place, ChannelStep::Read);
            let wanted = if joined { Wanted::joined(operation.channel, true, false, false) } else { Wanted::INPUT };
            ChannelOperation { wanted, ..operation }
        };
        let writes = |place: Operand| {
            let operation = at(place, ChannelStep::Write);
            let ample = || Wanted::joined(operation.channel, false, true, false);
            ChannelOperation { wanted: if joined { ample() } else { Wanted::room(PIECE) }, ..operation }
        };
        let awaited = |operation: ChannelOperation| operation.wanting(operation.wanted, true);
        Some(match statement {
            Statement::PipeInit(place, _) => at(place, ChannelStep::Resize),
            Statement::PipeWrite(place, _) => awaited(writes(place)),
            Statement::PipeTryWrite(place, ..) => writes(place),
            Statement::PipeRead(place, _) => awaited(reads(place)),
            Statement::PipeTryRead(place, _) => reads(place),
            Statement::PipePoll(waits, _) => {
                let input = |channel| Wanted::joined(channel, true, false, false);
                let wanted = if waits { input(0).or(input(1)) } else { Wanted::NOTHING };
                ChannelOperation::new(0, true, ChannelStep::Poll).wanting(wanted, waits)
            }
            _ => return None,
        })
    }

    /// Performs a statement; what is offered then, and where. None if it is on no pipe.
    pub(super) fn perform(
        &mut self,
        statement: Statement,
        registers: &mut [u64; REGISTERS],
    ) -> Option<(Object, Offer)> {
        let given = *registers;
        let number = |place: Operand| place.number(&given) as usize;
        let changed = match statement {
            Statement::PipeInit(place, capacity) => {
                self.pipes[number(place)].capacity = capacity & CAPACITY;
                number(place)
            }
            Statement::PipeWrite(place, value) => {
                self.pipes[number(place)].put(value.of(&given));
                number(place)
            }
            Statement::PipeTryWrite(place, value, register) => {
                registers[register as usize] = u64::from(self.pipes[number(place)].put(value.of(&given)));
                number(place)
            }
            Statement::PipeRead(place, register) | Statement::PipeTryRead(place, register) => {
                registers[register as usize] =
                    self.pipes[number(place)].take().map_or(0, |value| value.wrapping_add(1));
                number(place)
            }
            Statement::PipePoll(_, register) => {
                let has = |pipe: usize| u64::from(!self.pipes[pipe].values.is_empty());
                registers[register as usize] = has(0) + 2 * has(1);
                0
            }
            _ => return None,
        };
        Some(self.offer_of(changed))
    }

    fn offer_of(&mut self, changed: usize) -> (Object, Offer) {
        let pipe = &self.pipes[changed];
        let (input, room) = (!pipe.values.is_empty(), pipe.values.len() < pipe.capacity.into());
        if self.joined {
            self.offer = self.offer.with_joined(changed as u8, input, room, room);
            return (Object::ALL_CHANNELS, self.offer);
        }
        (Object::channel(changed as u8), Offer::of_one(input, if room { PIECE } else { 0 }))
    }
}

impl Pipe {
    fn put(&mut self, value: u64) -> bool {
        let room = self.values.len() < self.capacity.into();
        if room {
            self.values.push(value);
        }
        room
    }

    fn take(&mut self) -> Option<u64> {
        (!self.values.is_empty()).then(|| self.values.remove(0))
    }
}

/// The program with pipes in place of its semaphores: a post puts in a value, a wait takes one out. None if it has no
/// semaphores. In about half of the programs some operations look at the first two pipes; main then begins with such a
/// look, so that each execution shows one: native searches see the pipes as one from the first run that does.
pub fn with_pipes(mut program: Program, random: &mut Random) -> Option<Program> {
    let pipes = program.bodies[0].iter().filter(|statement| matches!(statement, Statement::SemaphoreInit(..))).count();
    let polls = pipes == 2 && random.once_in(2);
    // Whether an operation waits is a matter of the descriptor.
    let made: Vec<u8> = (0..pipes)
        .map(|_| {
            let [reads, writes] = [READS_TRY, WRITES_TRY].map(|bit| if random.once_in(3) { bit } else { 0 });
            1 + random.below(2) as u8 + reads + writes
        })
        .collect();
    let mut uses = 0;
    for statement in program.bodies.iter_mut().flatten() {
        let replaced = replaced(*statement, &made, polls, random);
        uses += usize::from(replaced != *statement);
        *statement = replaced;
    }
    if polls {
        let first = program.bodies[0].iter().rposition(|statement| matches!(statement, Statement::PipeInit(..)));
        insert(&mut program.bodies[0], first.map_or(0, |at| at + 1), Statement::PipePoll(false, 3));
    }
    (uses > pipes && pipes > 0).then_some(program)
}

/// The statement with a pipe in place of a semaphore; pipes are made as `made` says.
fn replaced(statement: Statement, made: &[u8], polls: bool, random: &mut Random) -> Statement {
    let value = Expression::Constant(random.below(3));
    let register = random.below(2) as u8;
    let has = |place: Operand, bit| made.get(usize::from(place.base)).is_some_and(|made| made & bit != 0);
    match statement {
        Statement::SemaphoreInit(place, _) => Statement::PipeInit(place, made[usize::from(place.base)]),
        Statement::SemaphorePost(place) if has(place, WRITES_TRY) => Statement::PipeTryWrite(place, value, register),
        Statement::SemaphorePost(place) => Statement::PipeWrite(place, value),
        Statement::SemaphoreWait(_) if polls && random.once_in(3) => Statement::PipePoll(true, register),
        Statement::SemaphoreTryWait(..) if polls && random.once_in(2) => Statement::PipePoll(false, register),
        Statement::SemaphoreWait(place)
        | Statement::SemaphoreTryWait(place, _)
        | Statement::SemaphoreCount(place, _) => match has(place, READS_TRY) {
            true => Statement::PipeTryRead(place, register),
            false => Statement::PipeRead(place, register),
        },
        other => other,
    }
}

/// Inserts a statement; where others jump moves with it.
fn insert(body: &mut Vec<Statement>, at: usize, statement: Statement) {
    for other in body.iter_mut() {
        if let Statement::JumpUnless(_, target) | Statement::Jump(target) = other
            && usize::from(*target) >= at
        {
            *target += 1;
        }
    }
    body.insert(at, statement);
}
