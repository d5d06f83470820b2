//! Small programs with loops that wait, as data.

use inspect_core::model::Random;

/// Shared atomic variables.
pub(crate) const VARIABLES: usize = 4;
/// Mutexes, each of which protects one plain variable.
pub(crate) const MUTEXES: usize = 2;
/// Registers of a thread. The first is its result.
pub(crate) const REGISTERS: usize = 7;

/// How the source spells an access.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Form {
    Direct,
    /// In a function.
    Function,
    /// In a function that is called through a pointer.
    Indirect,
    /// Through a pointer in a global structure.
    Pointer,
}

/// How the source counts what nobody reads.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Counter {
    Global,
    Local,
    Atomic,
    /// Stores 1 each time.
    Beat,
}

/// What is stored.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Operand {
    Constant(u8),
    Register(usize),
}

/// A condition: a register has the value, or it has another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Condition {
    pub(crate) register: usize,
    pub(crate) value: u8,
    pub(crate) equal: bool,
}

#[derive(Clone, Debug)]
pub(crate) enum Statement {
    Load(usize, usize, Form),
    Store(usize, Operand, Form),
    /// Adds 1; outside of loops only, so that a program has finitely many states.
    Add(usize),
    /// Stores a constant and loads the value before.
    Exchange(usize, usize, u8),
    Set(usize, u8),
    Count(Counter),
    Yield,
    If(Condition, Vec<Statement>),
    /// For ever, but for breaks.
    Loop(Vec<Statement>),
    /// So many rounds, but for breaks.
    Rounds(u8, Vec<Statement>),
    /// Leaves the innermost loop.
    Break(Condition),
    /// Holds the mutex.
    Locked(usize, Vec<Statement>),
    /// Sets the register to 1 and holds the mutex if it is free; else sets the register to 0.
    Tried(usize, usize, Vec<Statement>),
    /// Loads the variable that the mutex protects; the thread holds the mutex.
    Look(usize, usize),
    /// Stores to it.
    Change(usize, Operand),
}

/// A program: what main does between creating the other threads and joining them, and what those do.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub(crate) threads: Vec<Vec<Statement>>,
    /// What no thread writes is written nowhere in the source: accesses to it have no hooks. Each round of a loop makes
    /// an access that has one, as otherwise the loop is left to the watchdog.
    pub(crate) unwritten: bool,
}

impl Program {
    /// The program of a seed.
    pub(crate) fn of(seed: u64) -> Program {
        let unwritten = seed % 3 == 2;
        let mut maker = Maker { random: Random(seed ^ 0x9e37_79b9_7f4a_7c15), means: Means::All, unwritten };
        let pollers = 1 + usize::from(maker.one_in(3));
        let mut threads = vec![maker.setter()];
        threads.extend((0..pollers).map(|_| maker.poller()));
        Program { threads, unwritten }
    }
}

/// What the rounds of a loop use.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Means {
    Atomics,
    /// One mutex, always held for a look.
    Lock(usize),
    /// One mutex, if it is free.
    TryLock(usize),
    /// Everything: more than what can be parked.
    All,
}

struct Maker {
    random: Random,
    means: Means,
    unwritten: bool,
}

impl Maker {
    fn below(&mut self, limit: u64) -> u64 {
        self.random.below(limit)
    }

    fn one_in(&mut self, number: u64) -> bool {
        self.below(number) == 0
    }

    fn variable(&mut self) -> usize {
        self.below(VARIABLES as u64) as usize
    }

    fn mutex(&mut self) -> usize {
        usize::from(self.one_in(4))
    }

    fn register(&mut self) -> usize {
        self.below(REGISTERS as u64) as usize
    }

    fn value(&mut self) -> u8 {
        self.below(3) as u8
    }

    fn form(&mut self) -> Form {
        match self.below(6) {
            0 => Form::Function,
            1 => Form::Indirect,
            2 => Form::Pointer,
            _ => Form::Direct,
        }
    }

    fn operand(&mut self) -> Operand {
        if self.one_in(4) { Operand::Register(self.register()) } else { Operand::Constant(self.value()) }
    }

    fn condition(&mut self, register: usize) -> Condition {
        Condition { register, value: self.below(2) as u8, equal: self.one_in(2) }
    }

    /// What main does: changes what others wait for, waits now and then.
    fn setter(&mut self) -> Vec<Statement> {
        let count = 1 + self.below(4);
        let mut statements: Vec<Statement> = (0..count).map(|_| self.change()).collect();
        if self.one_in(4) {
            let at = self.below(statements.len() as u64 + 1) as usize;
            self.choose_means();
            let body = self.body(0);
            statements.insert(at, Statement::Loop(body));
        }
        // Most loops end when a variable is no longer 0.
        for variable in 0..VARIABLES {
            if !self.one_in(3) {
                statements.push(Statement::Store(variable, Operand::Constant(1), Form::Direct));
            }
        }
        statements
    }

    fn change(&mut self) -> Statement {
        match self.below(8) {
            0 => Statement::Add(self.variable()),
            1 => Statement::Exchange(self.register(), self.variable(), 1),
            2 | 3 => {
                let mutex = self.mutex();
                Statement::Locked(mutex, vec![Statement::Change(mutex, Operand::Constant(1))])
            }
            4 => Statement::Load(self.register(), self.variable(), Form::Direct),
            _ => Statement::Store(self.variable(), Operand::Constant(self.below(2) as u8), Form::Direct),
        }
    }

    fn choose_means(&mut self) {
        let mutex = self.mutex();
        self.means = match self.below(12) {
            0 => Means::All,
            1 | 2 => Means::Lock(mutex),
            3 => Means::TryLock(mutex),
            _ => Means::Atomics,
        };
    }

    fn poller(&mut self) -> Vec<Statement> {
        self.choose_means();
        let mut statements = Vec::new();
        if self.one_in(3) {
            statements.push(self.change());
        }
        let body = self.body(0);
        statements.push(if self.one_in(6) { Statement::Rounds(2, body) } else { Statement::Loop(body) });
        if self.one_in(3) {
            statements.push(Statement::Load(0, self.variable(), Form::Direct));
        }
        statements
    }

    /// A round of a loop: looks at some locations, does a little, leaves the loop.
    fn body(&mut self, depth: u32) -> Vec<Statement> {
        let looks = if self.one_in(8) { 3 + self.below(4) } else { 1 + self.below(2) };
        let mut body: Vec<Statement> = (0..looks).map(|_| self.look()).collect();
        for _ in 0..self.below(3) {
            let at = self.below(body.len() as u64 + 1) as usize;
            let extra = self.extra(depth);
            body.insert(at, extra);
        }
        let read: Vec<usize> = body.iter().filter_map(register_of).collect();
        let breaks = 1 + usize::from(self.one_in(3));
        for _ in 0..breaks {
            let register = read[self.below(read.len() as u64) as usize];
            let condition = Condition { register, value: 0, equal: self.one_in(5) };
            let last = body.iter().rposition(|statement| register_of(statement) == Some(register)).unwrap_or(0);
            let at = last + 1 + self.below((body.len() - last) as u64) as usize;
            body.insert(at, Statement::Break(condition));
        }
        // Where a loop does nothing that the scheduler sees, the watchdog ends the execution, which takes its time.
        if self.unwritten && !self.one_in(5) {
            let beats = if self.one_in(2) { Counter::Beat } else { Counter::Atomic };
            body.insert(0, Statement::Count(beats));
        }
        body
    }

    fn look(&mut self) -> Statement {
        let means = match (self.means, self.below(10)) {
            (Means::All, 0) => Means::Lock(self.mutex()),
            (Means::All, 1) => Means::TryLock(self.mutex()),
            (Means::All, _) => Means::Atomics,
            (means, _) => means,
        };
        let register = self.register();
        match means {
            Means::Lock(mutex) => Statement::Locked(mutex, vec![Statement::Look(register, mutex)]),
            Means::TryLock(mutex) => {
                let inside = if self.one_in(2) { vec![Statement::Look(0, mutex)] } else { Vec::new() };
                Statement::Tried(register, mutex, inside)
            }
            Means::Atomics | Means::All => Statement::Load(register, self.variable(), self.form()),
        }
    }

    fn extra(&mut self, depth: u32) -> Statement {
        match self.below(9) {
            0 => Statement::Count(Counter::Global),
            1 => Statement::Count(Counter::Local),
            2 if matches!(self.means, Means::Atomics | Means::All) => Statement::Count(Counter::Atomic),
            2 | 3 => Statement::Yield,
            4 | 5 => {
                let register = self.register();
                let inside = vec![self.store()];
                Statement::If(self.condition(register), inside)
            }
            6 => self.store(),
            7 if depth == 0 => {
                let inner = self.body(1);
                if self.one_in(2) { Statement::Rounds(2, inner) } else { Statement::Loop(inner) }
            }
            _ => Statement::Set(self.register(), self.below(2) as u8),
        }
    }

    fn store(&mut self) -> Statement {
        match (self.means, self.below(5)) {
            (Means::Lock(mutex), _) => Statement::Locked(mutex, vec![Statement::Change(mutex, self.operand())]),
            (Means::TryLock(_), _) => Statement::Set(self.register(), 1),
            (Means::All, 1) => {
                let mutex = self.mutex();
                Statement::Locked(mutex, vec![Statement::Change(mutex, self.operand())])
            }
            (_, 0) => Statement::Exchange(self.register(), self.variable(), self.below(2) as u8),
            _ => Statement::Store(self.variable(), self.operand(), self.form()),
        }
    }
}

/// The register that a statement of a round sets.
fn register_of(statement: &Statement) -> Option<usize> {
    match statement {
        Statement::Load(register, ..) | Statement::Tried(register, ..) => Some(*register),
        Statement::Locked(_, inside) => inside.iter().find_map(|statement| match statement {
            Statement::Look(register, _) => Some(*register),
            _ => None,
        }),
        _ => None,
    }
}
