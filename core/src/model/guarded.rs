//! Random small programs in which most accesses are protected, but not on every path: for searches that look for races
//! only.

use super::{Expression, Operand, Program, Random, Statement, Test};
use alloc::vec;
use alloc::vec::Vec;

/// The first of two mutexes, one of which is chosen by the value of a register.
const CHOSEN: u16 = 4;

/// A program of critical sections, some of them on one side of a branch only: what one thread writes decides which side
/// another one takes. Most sections hold the mutex that protects their variable.
pub fn guarded(seed: u64) -> Program {
    let mut random = Random(seed);
    let threads = 2 + random.below(2) as u8;
    let sections = 2 + random.below(2);
    let mut bodies = vec![Vec::new(); threads as usize + 1];
    for body in bodies.iter_mut().skip(1) {
        for _ in 0..sections {
            section(body, &mut random, 0);
        }
    }
    bodies[0].extend((1..=threads).map(Statement::Create));
    if random.once_in(2) {
        bodies[0].extend((1..=threads).map(Statement::Join));
        section(&mut bodies[0], &mut random, 1);
    }
    Program { bodies, variables: 4, spurious_wakeups: false }
}

/// Reads or writes a variable under its own mutex, another one, none, or one chosen by the value of a register.
fn section(body: &mut Vec<Statement>, random: &mut Random, depth: u8) {
    let register = random.below(2) as u8;
    let hole = body.len();
    let conditional = depth < 2 && random.once_in(3);
    if conditional {
        body.push(Statement::Jump(0));
    }
    let variable = random.below(3) as u16;
    let mutex = match random.below(16) {
        0 if random.once_in(3) => Some(Operand::at((variable + 1) % 3)),
        1 if random.once_in(3) => None,
        2 if random.once_in(2) => Some(Operand::indexed(CHOSEN, register)),
        _ => Some(Operand::at(variable)),
    };
    body.extend(mutex.map(Statement::Lock));
    for _ in 0..1 + random.below(2) {
        match random.below(5) {
            0 | 1 => body.push(Statement::Read(Operand::at(variable), register)),
            2 => body.push(Statement::Write(Operand::at(variable), Expression::Modulo(register, 1, 2))),
            3 if depth < 2 => section(body, random, depth + 1),
            _ => body.push(Statement::Write(Operand::at(variable), Expression::Constant(random.below(2)))),
        }
    }
    // If the section has changed the register, this may unlock another mutex than the one that it has locked.
    body.extend(mutex.filter(|mutex| mutex.index.is_none() || depth > 0).map(Statement::Unlock));
    if conditional {
        body[hole] = Statement::JumpUnless(Test { register, equals: random.below(2) }, body.len() as u16);
    }
}
