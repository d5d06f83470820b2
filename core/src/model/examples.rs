//! Programs of the literature whose number of Mazurkiewicz traces is known.

use super::{Expression, Operand, Program, Statement, Test};
use Statement::*;
use alloc::vec;
use alloc::vec::Vec;

const ONE: Expression = Expression::Constant(1);

/// Main starts every other body and ends; thread bodies as given.
fn started(threads: Vec<Vec<Statement>>, variables: u16) -> Program {
    let main = (1..=threads.len()).map(|body| Create(body as u8)).collect();
    let bodies = core::iter::once(main).chain(threads).collect();
    Program { bodies, variables, spurious_wakeups: false }
}

/// One thread writes a variable that `n` others read.
pub fn readers(n: usize) -> Program {
    let mut threads = vec![vec![Store(Operand::at(0), ONE)]];
    threads.extend((0..n).map(|_| vec![Load(Operand::at(0), 0)]));
    started(threads, 1)
}

/// Thread `i` of `n` sets `a[i] = a[i-1] + 1`; one more thread looks for the last zero from the end.
pub fn lastzero(n: usize) -> Program {
    let search = vec![
        Set(1, Expression::Constant(n as u64)),
        Load(Operand::indexed(0, 1), 0),
        JumpUnless(Test { register: 0, equals: 0 }, 4),
        Jump(6),
        Set(1, Expression::Register(1, u64::MAX)),
        Jump(1),
    ];
    let mut threads = vec![search];
    threads.extend(
        (1..=n).map(|i| {
            vec![Load(Operand::at(i as u16 - 1), 0), Store(Operand::at(i as u16), Expression::Register(0, 1))]
        }),
    );
    started(threads, n as u16 + 1)
}

/// `n` threads insert four messages each into a hash table of 128 entries by compare-exchange.
pub fn indexer(n: usize) -> Program {
    let threads = (0..n as u64).map(|id| {
        let mut body = Vec::new();
        for message in 1..=4 {
            let word = message * 11 + id;
            body.push(Set(1, Expression::Constant(word * 7 % 128)));
            let head = body.len() as u16;
            body.push(CompareExchange(Operand::indexed(0, 1), Expression::Constant(0), Expression::Constant(word), 0));
            body.push(JumpUnless(Test { register: 0, equals: 0 }, head + 4));
            body.push(Set(1, Expression::Modulo(1, 1, 128)));
            body.push(Jump(head));
        }
        body
    });
    started(threads.collect(), 128)
}

/// `n` threads allocate a block for their inode: 32 inodes, 26 blocks, each with a lock.
pub fn fsbench(n: usize) -> Program {
    const INODES: u16 = 32;
    const BLOCKS: u64 = 26;
    let threads = (0..n as u16).map(|id| {
        let inode = id % INODES;
        let busy = |register| Operand::indexed(INODES, register);
        let block_lock = |register| Operand::indexed(INODES, register);
        vec![
            Lock(Operand::at(inode)),
            Read(Operand::at(inode), 0),
            JumpUnless(Test { register: 0, equals: 0 }, 14),
            Set(1, Expression::Constant(u64::from(inode) * 2 % BLOCKS)),
            Lock(block_lock(1)),
            Read(busy(1), 0),
            JumpUnless(Test { register: 0, equals: 0 }, 11),
            Write(busy(1), ONE),
            Write(Operand::at(inode), Expression::Register(1, 1)),
            Unlock(block_lock(1)),
            Jump(14),
            Unlock(block_lock(1)),
            Set(1, Expression::Modulo(1, 1, BLOCKS)),
            Jump(4),
            Unlock(Operand::at(inode)),
        ]
    });
    started(threads.collect(), INODES + BLOCKS as u16)
}

/// `n` threads each lock one mutex `k` times, incrementing a variable.
pub fn lockers(n: usize, k: usize) -> Program {
    let section = [
        Lock(Operand::at(0)),
        Read(Operand::at(0), 0),
        Write(Operand::at(0), Expression::Register(0, 1)),
        Unlock(Operand::at(0)),
    ];
    started((0..n).map(|_| section.repeat(k)).collect(), 1)
}

/// The example of dissertation 2.3.1: `x = 1; x = 2` beside `y = 1; x = 3`.
pub fn figure() -> Program {
    let (x, y) = (Operand::at(0), Operand::at(1));
    let first = vec![Write(x, ONE), Write(x, Expression::Constant(2))];
    let second = vec![Write(y, ONE), Write(x, Expression::Constant(3))];
    started(vec![first, second], 2)
}

/// A work-stealing queue with Cilk's THE protocol (Frigo, Leiserson, Randall, PLDI 1998): main pushes `size` items and
/// pops until the queue is empty, a thief tries to steal `steals` times. Visible are head (variable 0), tail (variable
/// 1) and the lock; main waits for the thief in the end.
pub fn deque(size: u64, steals: u64) -> Program {
    let mut main = vec![Create(1)];
    main.extend((1..=size).map(|tail| Write(Operand::at(1), Expression::Constant(tail))));
    let mut ends = Vec::new();
    for tail in (1..=size).rev() {
        pop(&mut main, tail, size, &mut ends);
    }
    let end = main.len() as u16;
    for hole in ends {
        main[hole] = Jump(end);
    }
    main.push(Join(1));
    let mut thief = Vec::new();
    steal(&mut thief, 0, steals);
    Program { bodies: vec![main, thief], variables: 2, spurious_wakeups: false }
}

/// Compares register 0 with each of `values`, and goes on after these comparisons if it is none of them. Returns the
/// positions of the jumps for the others, whose targets are to be filled in.
fn one_of(body: &mut Vec<Statement>, values: core::ops::RangeInclusive<u64>) -> Vec<usize> {
    let mut holes = Vec::new();
    for value in values {
        let next = body.len() as u16 + 2;
        body.push(JumpUnless(Test { register: 0, equals: value }, next));
        holes.push(body.len());
        body.push(Jump(0));
    }
    holes
}

fn fill(body: &mut [Statement], holes: Vec<usize>, target: usize) {
    for hole in holes {
        body[hole] = Jump(target as u16);
    }
}

/// Main takes the item below `tail`, or fails and jumps to the end: the positions of jumps to the end are added to
/// `ends`.
fn pop(body: &mut Vec<Statement>, tail: u64, size: u64, ends: &mut Vec<usize>) {
    let (head, set) = (Operand::at(0), |value| Write(Operand::at(1), Expression::Constant(value)));
    body.extend([set(tail - 1), Read(head, 0)]);
    let conflict = one_of(body, tail..=size + 1);
    let done = body.len();
    body.push(Jump(0));
    let slow = body.len();
    fill(body, conflict, slow);
    body.extend([set(tail), Lock(Operand::at(0)), set(tail - 1), Read(head, 0)]);
    let empty = one_of(body, tail..=size + 1);
    body.push(Unlock(Operand::at(0)));
    let taken = body.len();
    body.push(Jump(0));
    let lost = body.len();
    fill(body, empty, lost);
    body.extend([set(tail), Unlock(Operand::at(0))]);
    ends.push(body.len());
    body.push(Jump(0));
    let next = body.len();
    fill(body, vec![done, taken], next);
}

/// The thief, which has moved the head to `head`, tries this often.
fn steal(body: &mut Vec<Statement>, head: u64, tries: u64) {
    if tries == 0 {
        return;
    }
    let set = |value| Write(Operand::at(0), Expression::Constant(value));
    body.extend([Lock(Operand::at(0)), set(head + 1), Read(Operand::at(1), 0)]);
    let empty = one_of(body, 0..=head);
    body.push(Unlock(Operand::at(0)));
    steal(body, head + 1, tries - 1);
    let done = body.len();
    body.push(Jump(0));
    let lost = body.len();
    fill(body, empty, lost);
    body.extend([set(head), Unlock(Operand::at(0))]);
    steal(body, head, tries - 1);
    let end = body.len();
    fill(body, vec![done], end);
}
