//! Programs that wait for several futex words, or lock words with priority inheritance: each of these calls is several
//! statements.

use super::{FutexStep, Operand, Part, Program, Random, Statement, Test};
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

/// The registers in which a call keeps what has come of its steps, which the rest of a program does not use.
const KEPT: [u8; 2] = [2, 3];

/// How many statements a call is that waits for two words, and one that locks a word.
const WAIT: usize = 12;
const LOCK: usize = 3;

fn step(place: Operand, step: FutexStep, register: u8) -> Statement {
    Statement::FutexStep { place, step, register }
}

fn unless(register: u8, equals: u64, target: usize) -> Statement {
    Statement::JumpUnless(Test { register, equals }, target as u16)
}

/// The steps of a wait for two words with these values, at this position. Where the thread was woken at both, it is
/// told of either.
pub fn wait_for_two(places: [Operand; 2], expected: [u32; 2], timed: bool, at: usize) -> Vec<Statement> {
    let ([one, other], [first, second], end) = (places, KEPT, at + WAIT);
    let (rest, leave) = (FutexStep::Rest { owns: false }, FutexStep::Leave { owns: false });
    vec![
        step(one, FutexStep::Join(expected[0]), second),
        unless(second, 1, end),
        step(other, FutexStep::Join(expected[1]), second),
        unless(second, 1, at + 11),
        // A thread that waits for some time only is woken in that time or not: it leaves sooner or later.
        if timed { Statement::Jump(at as u16 + 5) } else { step(one, rest, second) },
        step(one, leave, first),
        step(other, leave, second),
        unless(first, 1, end),
        unless(second, 1, end),
        Statement::Choose(2, first),
        Statement::Jump(end as u16),
        step(one, leave, first),
    ]
}

/// The steps of a lock, which may give up if it is timed, at this position.
pub fn lock_of_owner(place: Operand, timed: bool, at: usize) -> Vec<Statement> {
    let waits = if timed { FutexStep::Leave { owns: true } } else { FutexStep::Rest { owns: true } };
    let [result, found] = KEPT;
    vec![step(place, FutexStep::Lock, found), unless(found, 1, at + LOCK), step(place, waits, result)]
}

/// How many statements the call is with which these begin, if it is one of several.
pub(super) fn length_of_call(statements: &[Statement]) -> Option<usize> {
    match statements.first() {
        Some(Statement::FutexStep { step: FutexStep::Lock, .. }) => Some(LOCK),
        Some(Statement::FutexStep { step: FutexStep::Join(_), .. }) => {
            matches!(statements.get(WAIT - 1)?, Statement::FutexStep { .. }).then_some(WAIT)
        }
        _ => None,
    }
}

/// The first statement of the call to which this statement of a body belongs.
pub(super) fn start_of_call(statements: &[Statement], at: usize) -> usize {
    let mut start = 0;
    loop {
        let next = start + length_of_call(&statements[start..]).unwrap_or(1);
        if at < next {
            return start;
        }
        start = next;
    }
}

/// A call, or a step that is one, in C.
pub(super) fn text(statements: &[Statement], variable: impl Fn(Operand) -> String) -> String {
    let word = |place| variable(Operand { part: Part::Low, ..place });
    let Some(&Statement::FutexStep { place, step, .. }) = statements.first() else { unreachable!("a step") };
    match step {
        FutexStep::Lock => {
            let timed = matches!(statements.get(2), Some(Statement::FutexStep { step: FutexStep::Leave { .. }, .. }));
            let limit = if timed { "&far" } else { "(void *)0" };
            format!("syscall(SYS_futex, &{}, FUTEX_LOCK_PI_PRIVATE, 0, {limit}, (void *)0, 0);", word(place))
        }
        FutexStep::Unlock => {
            format!("syscall(SYS_futex, &{}, FUTEX_UNLOCK_PI_PRIVATE, 0, (void *)0, (void *)0, 0);", word(place))
        }
        FutexStep::Join(expected) => {
            let Some(&Statement::FutexStep { place: other, step: FutexStep::Join(of_other), .. }) = statements.get(2)
            else {
                unreachable!("a wait for two words")
            };
            let limit = if matches!(statements.get(4), Some(Statement::Jump(_))) { "&far" } else { "(void *)0" };
            let one = |place, value| format!("{{{value}u, (word)&{}, FUTEX_32 | FUTEX_PRIVATE_FLAG, 0}}", word(place));
            format!(
                "{{ static const struct futex_waitv both[2] = {{{}, {}}}; \
                 syscall(SYS_futex_waitv, both, 2, 0, {limit}, CLOCK_MONOTONIC); }}",
                one(place, expected),
                one(other, of_other),
            )
        }
        FutexStep::Rest { .. } | FutexStep::Leave { .. } => unreachable!("belongs to a call"),
    }
}

/// The body with other statements in place of some; `replace` says which, given where they will be, and `length` how
/// many.
fn replaced(
    body: &[Statement],
    length: impl Fn(&Statement) -> usize,
    mut replace: impl FnMut(&Statement, usize) -> Option<Vec<Statement>>,
) -> Vec<Statement> {
    let moved = |target: u16| body[..usize::from(target)].iter().map(&length).sum::<usize>() as u16;
    let mut all = Vec::new();
    for statement in body {
        match *statement {
            Statement::Jump(target) => all.push(Statement::Jump(moved(target))),
            Statement::JumpUnless(test, target) => all.push(Statement::JumpUnless(test, moved(target))),
            _ => match replace(statement, all.len()) {
                Some(statements) => all.extend(statements),
                None => all.push(*statement),
            },
        }
    }
    all
}

/// The program with waits for two words in place of its waits for futexes. None if it has none. Main begins with a wait
/// that finds another value than expected, so that each execution shows one: native searches see the queues as one from
/// the first run that does.
pub fn with_waits_for_two(program: &Program, random: &mut Random) -> Option<Program> {
    let is_wait = |statement: &Statement| matches!(statement, Statement::FutexWait { .. });
    if !program.bodies.iter().flatten().any(is_wait) {
        return None;
    }
    let variables = u64::from(program.variables) - 1;
    let length = |statement: &Statement| if is_wait(statement) { WAIT } else { 1 };
    let mut wait = |statement: &Statement, at: usize| match *statement {
        Statement::FutexWait { place, expected, timed, .. } => {
            // Another one than the first, which may be the neighbour of all that the program uses.
            let other = Operand::at(((u64::from(place.base) + 1 + random.below(variables)) % (variables + 1)) as u16);
            Some(wait_for_two([place, other], [expected, random.below(4) as u32 / 3], timed, at))
        }
        Statement::FutexWake { place, most, register, .. } => {
            Some(vec![Statement::FutexWake { place, most, bits: 0, register }])
        }
        _ => None,
    };
    let mut bodies: Vec<_> = program.bodies.iter().map(|body| replaced(body, length, &mut wait)).collect();
    for statement in &mut bodies[0] {
        if let Statement::JumpUnless(_, target) | Statement::Jump(target) = statement {
            *target += WAIT as u16;
        }
    }
    let known = wait_for_two([Operand::at(0), Operand::at(1)], [u32::MAX; 2], true, 0);
    bodies[0].splice(0..0, known);
    Some(Program { bodies, ..program.clone() })
}

/// The program with locks with priority inheritance in place of its mutexes, some of them timed, some of its loads
/// looking at the words of these, and some of its stores unlocking them. A thread ends by unlocking what it may own, as
/// native runs end otherwise. None if it locks no mutexes, or does more with them.
pub fn with_owned_locks(program: &Program, random: &mut Random) -> Option<Program> {
    let mutexes = |statement: &Statement| match *statement {
        Statement::Lock(place) => Some(place.base < super::RECURSIVE),
        Statement::TryLock(..)
        | Statement::Wait(..)
        | Statement::TimedWait(..)
        | Statement::CancellableWait(..)
        | Statement::Initialise(_)
        | Statement::Destroy(_) => Some(false),
        _ => None,
    };
    let uses: Vec<bool> = program.bodies.iter().flatten().filter_map(mutexes).collect();
    if uses.is_empty() || uses.contains(&false) {
        return None;
    }
    let first = program.variables;
    let of = |mutex: Operand| Operand { base: first + mutex.base, ..mutex };
    let length = |statement: &Statement| if matches!(statement, Statement::Lock(_)) { LOCK } else { 1 };
    let mut replace = |statement: &Statement, at: usize| match *statement {
        Statement::Lock(place) => Some(lock_of_owner(of(place), random.once_in(3), at)),
        Statement::Unlock(place) => Some(vec![step(of(place), FutexStep::Unlock, KEPT[0])]),
        Statement::Load(_, register) if random.once_in(3) => {
            Some(vec![Statement::Load(Operand::at(first + random.below(2) as u16), register)])
        }
        Statement::Store(..) if random.once_in(6) => {
            let place = Operand::at(first + random.below(2) as u16);
            Some(vec![step(place, FutexStep::Unlock, KEPT[0])])
        }
        _ => None,
    };
    let mut bodies: Vec<_> = program.bodies.iter().map(|body| replaced(body, length, &mut replace)).collect();
    bodies.iter_mut().for_each(give_back);
    Some(Program { bodies, variables: first + 2, ..program.clone() })
}

/// Lets a thread end by unlocking what it may own.
fn give_back(body: &mut Vec<Statement>) {
    let owned = |statement: &Statement| match *statement {
        Statement::FutexStep { place, step: FutexStep::Lock, .. } => Some(place.base),
        _ => None,
    };
    let owned: BTreeSet<u16> = body.iter().filter_map(owned).collect();
    body.extend(owned.into_iter().map(|base| step(Operand::at(base), FutexStep::Unlock, KEPT[0])));
}
