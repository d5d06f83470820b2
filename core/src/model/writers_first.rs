//! Programs whose read-write locks prefer waiting writers.

use super::{Operand, Program, Statement, Test};
use crate::event::{Side, WriterFirstStep};
use alloc::vec;
use alloc::vec::Vec;

/// The register in which a writer's lock keeps whether its first attempt succeeded.
const ATTEMPT: u8 = 3;

/// The steps of a writer's lock, which is one call: an attempt and, if it fails, the announcement and the wait. The
/// first of them is at this position.
fn lock_of_writer(lock: Operand, at: usize) -> Vec<Statement> {
    vec![
        Statement::WriterFirstTryLock(lock, Side::Writer, ATTEMPT),
        Statement::JumpUnless(Test { register: ATTEMPT, equals: 0 }, at as u16 + 4),
        Statement::WriterFirst(lock, WriterFirstStep::Announce),
        Statement::WriterFirst(lock, WriterFirstStep::Lock(Side::Writer)),
    ]
}

/// Whether these statements begin with a writer's lock.
pub(super) fn is_lock_of_writer(statements: &[Statement]) -> bool {
    matches!(statements.get(2), Some(Statement::WriterFirst(_, WriterFirstStep::Announce)))
}

/// The program with locks that prefer writers in place of its read-write locks. None if it has none, or if a thread may
/// lock one again that it has: what comes of that depends on who waits.
pub fn with_writers_first(program: &Program) -> Option<Program> {
    let is_lock = |s: &&Statement| matches!(s, Statement::RwlockLock(..) | Statement::RwlockTryLock(..));
    let has_locks = program.bodies.iter().flatten().any(|statement| is_lock(&statement));
    if !has_locks || program.bodies.iter().any(|body| locks_again(body)) {
        return None;
    }
    let bodies = program.bodies.iter().map(|body| replaced(body)).collect();
    Some(Program { bodies, ..program.clone() })
}

/// Whether a lock may come while another is held.
fn locks_again(body: &[Statement]) -> bool {
    let mut held = false;
    body.iter().any(|statement| match statement {
        Statement::RwlockLock(..) | Statement::RwlockTryLock(..) => core::mem::replace(&mut held, true),
        Statement::RwlockUnlock(_) => {
            held = false;
            false
        }
        _ => false,
    })
}

/// The statements in their new form; where they jump has moved.
fn replaced(body: &[Statement]) -> Vec<Statement> {
    let length = |s: &Statement| if matches!(s, Statement::RwlockLock(_, Side::Writer)) { 4 } else { 1 };
    let moved = |target: u16| body[..usize::from(target)].iter().map(length).sum::<usize>() as u16;
    let mut all = Vec::new();
    for statement in body {
        match *statement {
            Statement::RwlockLock(lock, Side::Writer) => all.extend(lock_of_writer(lock, all.len())),
            Statement::RwlockLock(lock, side) => all.push(Statement::WriterFirst(lock, WriterFirstStep::Lock(side))),
            Statement::RwlockTryLock(lock, side, register) => {
                all.push(Statement::WriterFirstTryLock(lock, side, register));
            }
            Statement::RwlockUnlock(lock) => {
                all.push(Statement::WriterFirst(lock, WriterFirstStep::Unlock(None)));
            }
            Statement::Jump(target) => all.push(Statement::Jump(moved(target))),
            Statement::JumpUnless(test, target) => all.push(Statement::JumpUnless(test, moved(target))),
            _ => all.push(*statement),
        }
    }
    all
}
