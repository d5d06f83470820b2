//! All that a program can do: every reachable state, one shared operation after the other. A loop that goes round
//! without end is a circle of finitely many states here, so nothing is parked and nothing is cut.

use crate::program::{Condition, MUTEXES, Operand, Program, REGISTERS, Statement, VARIABLES};
use std::collections::{BTreeSet, HashMap};

/// More states than this are too many for a test.
const MAX_STATES: usize = 300_000;

/// What a program can do.
#[derive(Debug)]
pub(crate) struct Behaviour {
    /// The results that it can end with.
    pub(crate) results: BTreeSet<u8>,
    /// Whether it can come to a state from which no end can be reached.
    pub(crate) sticks: bool,
}

#[derive(Clone, Copy)]
enum Step {
    Load(usize, usize),
    Store(usize, Operand),
    Add(usize),
    Exchange(usize, usize, u8),
    Lock(usize),
    Unlock(usize),
    /// Goes to the second if the mutex is not free.
    Try(usize, usize, usize),
    Look(usize, usize),
    Change(usize, Operand),
    Set(usize, Operand),
    Less(usize, usize),
    Jump(usize),
    JumpUnless(Condition, usize),
    End,
}

/// A hidden register that counts rounds, one for each nesting.
const COUNTERS: usize = 3;
const WIDTH: usize = REGISTERS + COUNTERS;

struct Compiler {
    steps: Vec<Step>,
    /// By loop: the jumps that leave it.
    breaks: Vec<Vec<usize>>,
}

impl Compiler {
    fn all(&mut self, statements: &[Statement]) {
        statements.iter().for_each(|statement| self.one(statement));
    }

    fn one(&mut self, statement: &Statement) {
        match statement {
            Statement::Load(register, variable, _) => self.steps.push(Step::Load(*register, *variable)),
            Statement::Store(variable, operand, _) => self.steps.push(Step::Store(*variable, *operand)),
            Statement::Add(variable) => self.steps.push(Step::Add(*variable)),
            Statement::Exchange(to, variable, value) => self.steps.push(Step::Exchange(*to, *variable, *value)),
            Statement::Set(register, value) => self.steps.push(Step::Set(*register, Operand::Constant(*value))),
            Statement::Look(register, mutex) => self.steps.push(Step::Look(*register, *mutex)),
            Statement::Change(mutex, operand) => self.steps.push(Step::Change(*mutex, *operand)),
            Statement::Count(_) | Statement::Yield => {}
            Statement::Break(condition) => self.leave_unless(Condition { equal: !condition.equal, ..*condition }),
            Statement::Rounds(rounds, body) => self.rounds(*rounds, body),
            Statement::If(..) | Statement::Loop(_) | Statement::Locked(..) | Statement::Tried(..) => {
                self.around(statement);
            }
        }
    }

    fn leave_unless(&mut self, condition: Condition) {
        let jump = self.place();
        self.steps[jump] = Step::JumpUnless(condition, 0);
        self.breaks.last_mut().expect("in a loop").push(jump);
    }

    /// A statement with others inside.
    fn around(&mut self, statement: &Statement) {
        match statement {
            Statement::If(condition, inside) => {
                let jump = self.place();
                self.all(inside);
                self.steps[jump] = Step::JumpUnless(*condition, self.steps.len());
            }
            Statement::Loop(body) => {
                let head = self.steps.len();
                self.breaks.push(Vec::new());
                self.all(body);
                self.steps.push(Step::Jump(head));
                self.leave();
            }
            Statement::Locked(mutex, inside) => {
                self.steps.push(Step::Lock(*mutex));
                self.all(inside);
                self.steps.push(Step::Unlock(*mutex));
            }
            Statement::Tried(register, mutex, inside) => {
                let jump = self.place();
                self.all(inside);
                self.steps.push(Step::Unlock(*mutex));
                self.steps[jump] = Step::Try(*register, *mutex, self.steps.len());
            }
            _ => unreachable!("it has none"),
        }
    }

    fn rounds(&mut self, rounds: u8, body: &[Statement]) {
        let counter = REGISTERS + self.breaks.len();
        self.steps.push(Step::Set(counter, Operand::Constant(rounds)));
        let head = self.steps.len();
        self.breaks.push(Vec::new());
        let over = self.place();
        self.breaks.last_mut().expect("just pushed").push(over);
        self.all(body);
        self.steps.push(Step::Jump(head));
        self.leave();
        self.steps[over] = Step::Less(counter, self.steps.len());
    }

    /// A step to be filled in.
    fn place(&mut self) -> usize {
        self.steps.push(Step::End);
        self.steps.len() - 1
    }

    fn leave(&mut self) {
        let end = self.steps.len();
        for jump in self.breaks.pop().expect("in a loop") {
            if let Step::JumpUnless(_, to) = &mut self.steps[jump] {
                *to = end;
            }
        }
    }
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    at: Vec<u16>,
    registers: Vec<[u8; WIDTH]>,
    variables: [u8; VARIABLES],
    guarded: [u8; MUTEXES],
    owner: [u8; MUTEXES],
}

const NOBODY: u8 = u8::MAX;

struct Explorer {
    code: Vec<Vec<Step>>,
}

impl Explorer {
    /// Lets the thread come to its next shared operation.
    fn settle(&self, state: &mut State, thread: usize) {
        loop {
            let at = state.at[thread] as usize;
            let registers = &mut state.registers[thread];
            let next = match self.code[thread][at] {
                Step::Set(register, operand) => {
                    registers[register] = value_of(operand, registers);
                    at + 1
                }
                Step::Jump(to) => to,
                Step::JumpUnless(condition, to) => {
                    let holds = (registers[condition.register] == condition.value) == condition.equal;
                    if holds { at + 1 } else { to }
                }
                Step::Less(counter, to) => {
                    if registers[counter] == 0 {
                        to
                    } else {
                        registers[counter] -= 1;
                        at + 1
                    }
                }
                _ => return,
            };
            state.at[thread] = next as u16;
        }
    }

    /// The state after the thread's operation, if it can go on.
    fn step(&self, state: &State, thread: usize) -> Option<State> {
        let mut next = state.clone();
        let at = state.at[thread] as usize;
        let registers = &mut next.registers[thread];
        let mut to = at + 1;
        match self.code[thread][at] {
            Step::Load(register, variable) => registers[register] = next.variables[variable],
            Step::Store(variable, operand) => next.variables[variable] = value_of(operand, registers),
            Step::Add(variable) => next.variables[variable] += 1,
            Step::Exchange(register, variable, value) => {
                registers[register] = std::mem::replace(&mut next.variables[variable], value);
            }
            Step::Lock(mutex) if next.owner[mutex] == NOBODY => next.owner[mutex] = thread as u8,
            Step::Unlock(mutex) => next.owner[mutex] = NOBODY,
            Step::Try(register, mutex, otherwise) => {
                let free = next.owner[mutex] == NOBODY;
                registers[register] = u8::from(free);
                if free {
                    next.owner[mutex] = thread as u8;
                } else {
                    to = otherwise;
                }
            }
            Step::Look(register, mutex) => registers[register] = next.guarded[mutex],
            Step::Change(mutex, operand) => next.guarded[mutex] = value_of(operand, registers),
            _ => return None,
        }
        next.at[thread] = to as u16;
        self.settle(&mut next, thread);
        Some(next)
    }

    /// All states that can be reached, and for each those before it; `None` if they are too many.
    fn reachable(&self) -> Option<(Vec<State>, Vec<Vec<usize>>)> {
        let threads = self.code.len();
        let mut first = State {
            at: vec![0; threads],
            registers: vec![[0; WIDTH]; threads],
            variables: [0; VARIABLES],
            guarded: [0; MUTEXES],
            owner: [NOBODY; MUTEXES],
        };
        (0..threads).for_each(|thread| self.settle(&mut first, thread));
        let mut numbers = HashMap::from([(first.clone(), 0)]);
        let (mut states, mut before) = (vec![first], vec![Vec::new()]);
        let mut at = 0;
        while at < states.len() {
            for next in (0..threads).filter_map(|thread| self.step(&states[at], thread)).collect::<Vec<_>>() {
                let number = *numbers.entry(next.clone()).or_insert(states.len());
                if number == states.len() {
                    states.push(next);
                    before.push(Vec::new());
                }
                before[number].push(at);
            }
            at += 1;
            if states.len() > MAX_STATES {
                return None;
            }
        }
        Some((states, before))
    }

    fn is_over(&self, state: &State) -> bool {
        (0..self.code.len()).all(|thread| matches!(self.code[thread][state.at[thread] as usize], Step::End))
    }
}

fn value_of(operand: Operand, registers: &[u8; WIDTH]) -> u8 {
    match operand {
        Operand::Constant(value) => value,
        Operand::Register(register) => registers[register],
    }
}

/// What main returns at the end: results of the threads and of a variable, and never 0.
pub(crate) fn result(results: &[u8], variables: &[u8]) -> u8 {
    let digit = |value: u8| value & 3;
    let third = results.get(2).copied().unwrap_or(variables[1]);
    1 + digit(results[1]) + 4 * digit(third) + 16 * digit(variables[0])
}

/// All that the program can do; `None` if it has too many states.
pub(crate) fn behaviour(program: &Program) -> Option<Behaviour> {
    let code = program.threads.iter().map(|statements| {
        let mut compiler = Compiler { steps: Vec::new(), breaks: Vec::new() };
        compiler.all(statements);
        compiler.steps.push(Step::End);
        compiler.steps
    });
    let explorer = Explorer { code: code.collect() };
    let (states, before) = explorer.reachable()?;
    let over: Vec<usize> = (0..states.len()).filter(|number| explorer.is_over(&states[*number])).collect();
    let results = over.iter().map(|number| {
        let state = &states[*number];
        let results: Vec<u8> = state.registers.iter().map(|registers| registers[0]).collect();
        result(&results, &state.variables)
    });
    Some(Behaviour { results: results.collect(), sticks: lead_to(over, &before).contains(&false) })
}

/// From which states one of these can be reached.
fn lead_to(mut left: Vec<usize>, before: &[Vec<usize>]) -> Vec<bool> {
    let mut reached = vec![false; before.len()];
    while let Some(number) = left.pop() {
        if !std::mem::replace(&mut reached[number], true) {
            left.extend(&before[number]);
        }
    }
    reached
}
