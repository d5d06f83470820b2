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

/// The steps of a writer's lock with a time limit: an attempt and, if it fails, the announcement, the last attempt, and
/// the end of the announcement.
fn timed_lock_of_writer(lock: Operand, register: u8, at: usize) -> Vec<Statement> {
    vec![
        Statement::WriterFirstTryLock(lock, Side::Writer, register),
        Statement::JumpUnless(Test { register, equals: 0 }, at as u16 + 5),
        Statement::WriterFirst(lock, WriterFirstStep::Announce),
        Statement::WriterFirstTryLock(lock, Side::Writer, register),
        Statement::WriterFirst(lock, WriterFirstStep::Withdraw),
    ]
}

/// A writer's call of several steps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum WriterCall {
    Lock,
    TimedLock,
}

impl WriterCall {
    /// The call that begins with the first of these statements.
    pub(super) fn at(statements: &[Statement]) -> Option<WriterCall> {
        match (statements.get(2)?, statements.get(3)?) {
            (Statement::WriterFirst(_, WriterFirstStep::Announce), Statement::WriterFirstTryLock(..)) => {
                Some(WriterCall::TimedLock)
            }
            (Statement::WriterFirst(_, WriterFirstStep::Announce), _) => Some(WriterCall::Lock),
            _ => None,
        }
    }

    /// Its number of statements.
    pub(super) fn length(self) -> usize {
        match self {
            WriterCall::Lock => 4,
            WriterCall::TimedLock => 5,
        }
    }
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

/// The call of several steps that comes in the place of a statement: every second attempt of a writer has a time limit.
fn call_in_place_of(at: usize, statement: &Statement) -> Option<WriterCall> {
    match statement {
        Statement::RwlockLock(_, Side::Writer) => Some(WriterCall::Lock),
        Statement::RwlockTryLock(_, Side::Writer, _) if at.is_multiple_of(2) => Some(WriterCall::TimedLock),
        _ => None,
    }
}

/// The statements in their new form; where they jump has moved.
fn replaced(body: &[Statement]) -> Vec<Statement> {
    let length = |(at, s)| call_in_place_of(at, s).map_or(1, WriterCall::length);
    let moved = |target: u16| body[..usize::from(target)].iter().enumerate().map(length).sum::<usize>() as u16;
    let mut all = Vec::new();
    for (at, statement) in body.iter().enumerate() {
        match *statement {
            Statement::RwlockLock(lock, Side::Writer) => all.extend(lock_of_writer(lock, all.len())),
            Statement::RwlockLock(lock, side) => all.push(Statement::WriterFirst(lock, WriterFirstStep::Lock(side))),
            Statement::RwlockTryLock(lock, _, register)
                if call_in_place_of(at, statement) == Some(WriterCall::TimedLock) =>
            {
                all.extend(timed_lock_of_writer(lock, register, all.len()));
            }
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
