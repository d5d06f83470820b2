//! Interprets a [`Program`], driving a [`Run`] the way the guest does with native code.

use super::operation::{Waiters, operation};
use super::pipes::Pipes;
use super::statement::DataFlow;
use super::{Identities, Operand, Program, RECURSIVE, REGISTERS, Statement, Test};
use crate::event::{
    CancelOperation, Handle, LimitKind, MAX_THREADS, ObjectKind, Plan, Record, RecordKind, SiteId, ThreadId,
    ThreadOperation, Trace,
};
use crate::hash::Hasher128;
use crate::run::{Next, Options, Request, Run, StateKey, States};
use alloc::collections::BTreeSet;
use alloc::vec;
use alloc::vec::Vec;
use core::hash::Hash;
use futexes::{after_step, ask, found, futex_result, waiters};
use invisible::Hides;

mod futexes;
mod invisible;
mod memory;
mod signals;

#[derive(Clone, Copy, Debug)]
struct Thread {
    body: u8,
    at: u16,
    registers: [u64; REGISTERS],
    /// For a compare-exchange about to be performed: the variable and the value compared with.
    comparing: (usize, u64),
}

const IDLE: Thread = Thread { body: 0, at: 0, registers: [0; REGISTERS], comparing: (0, 0) };

impl Thread {
    /// Assigns whether a performed statement succeeded, if it assigns that. It moves no value otherwise.
    fn assign_outcome(&mut self, statement: Statement, succeeded: Option<bool>) {
        match statement.data_flow() {
            DataFlow::Outcome(register) => {
                let succeeded = succeeded.expect("an operation whose outcome is assigned has one");
                self.registers[register as usize] = u64::from(succeeded);
            }
            DataFlow::None => {}
            DataFlow::Reads(..)
            | DataFlow::Writes(..)
            | DataFlow::Adds(..)
            | DataFlow::Exchanges(..)
            | DataFlow::Computes(..) => unreachable!("{statement:?} moves values"),
        }
    }
}

/// The state at the end of a run: the variables, then the registers of every thread by number.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct FinalState(pub Vec<u64>);

/// The memory of the program and the state of its threads.
#[derive(Debug)]
struct Memory<'p> {
    program: &'p Program,
    variables: Vec<u64>,
    pipes: Pipes,
    threads: [Thread; MAX_THREADS],
    /// Thread number by body, once started.
    numbers: Vec<Option<ThreadId>>,
    /// If local states are compared by identities: those.
    identities: Option<Identities>,
}

impl Memory<'_> {
    /// A hash of everything; `local` hashes the registers of a thread.
    fn hash(&self, local: impl Fn(ThreadId, &mut Hasher128)) -> StateKey {
        let mut hasher = Hasher128::default();
        self.variables.hash(&mut hasher);
        self.pipes.hash(&mut hasher);
        for number in self.numbers.iter().flatten() {
            let thread = &self.threads[number.index()];
            (thread.body, thread.at).hash(&mut hasher);
            local(*number, &mut hasher);
        }
        hasher.key()
    }

    fn exact(&self) -> StateKey {
        self.hash(|thread, hasher| self.threads[thread.index()].registers.hash(hasher))
    }
}

/// A thread, its next statement and its registers.
pub type LocalState = (ThreadId, u16, [u64; REGISTERS]);

/// A hash of memory and registers before a step, the thread that took the step, and its choice.
pub type Transition = (StateKey, ThreadId, u32);

/// A program with everything needed to run it again and again.
#[derive(Debug)]
pub struct Machine<'p> {
    program: &'p Program,
    memory: Memory<'p>,
    run: Run,
    /// Whether a recursive mutex refuses to be unlocked by another thread than its owner, as POSIX says. Unless a mutex
    /// is initialised while in use, that depends on the thread's own operations only, so a refusal is no visible
    /// operation.
    refuses: bool,
    /// What a search sees of the waiters.
    waiters: Waiters,
    /// Whether the program may use the handle of a detached thread.
    uses_detached: bool,
    locals: BTreeSet<LocalState>,
    /// All transitions so far, if local states are compared by identities.
    transitions: BTreeSet<Transition>,
    records: Option<Records>,
    hides: Hides,
}

/// What a machine records between visible operations.
#[derive(Debug)]
struct Records {
    /// By body: the statements that are join points of branches.
    merges: Vec<BTreeSet<u16>>,
}

/// Whether a program cancels a thread that it detaches.
fn uses_detached(program: &Program) -> bool {
    let statements = || program.bodies.iter().flatten();
    let cancels = |body: u8| statements().any(|statement| *statement == Statement::Cancel(body));
    statements().any(|statement| matches!(*statement, Statement::Detach(body, _) if cancels(body)))
}

impl<'p> Machine<'p> {
    /// A machine for `program`.
    pub fn new(program: &'p Program, max_steps: u32) -> Self {
        let options = Options { max_steps, spurious_wakeups: program.spurious_wakeups };
        Machine {
            program,
            memory: Memory {
                program,
                variables: vec![0; program.variables as usize],
                pipes: Pipes::of(program),
                threads: [IDLE; MAX_THREADS],
                numbers: vec![None; program.bodies.len()],
                identities: None,
            },
            run: Run::new(options, &[]),
            locals: BTreeSet::new(),
            transitions: BTreeSet::new(),
            records: None,
            hides: Hides::Nothing,
            waiters: waiters(program),
            uses_detached: uses_detached(program),
            refuses: !program.bodies.iter().flatten().any(|s| matches!(s, Statement::Initialise(_))),
        }
    }

    /// A machine that compares states.
    pub fn with_states(program: &'p Program, max_steps: u32, states: States) -> Self {
        let mut machine = Machine::new(program, max_steps);
        machine.run.record_states(states);
        machine
    }

    /// A machine that compares states, and in them local states by identities.
    pub fn with_identities(program: &'p Program, max_steps: u32, states: States, identities: Identities) -> Self {
        let mut machine = Machine::with_states(program, max_steps, states);
        machine.memory.identities = Some(identities);
        machine
    }

    /// A machine that records what threads do between visible operations. With `hides_plain`, plain accesses are not
    /// visible operations.
    pub fn with_records(program: &'p Program, max_steps: u32, hides_plain: bool) -> Self {
        let mut machine = Machine::new(program, max_steps);
        let of_body = |body: &Vec<Statement>| {
            let branches = (0..body.len()).filter(|&at| matches!(body[at], Statement::JumpUnless(..)));
            branches.map(|at| super::facts::merge(body, at) as u16).collect()
        };
        machine.records = Some(Records { merges: program.bodies.iter().map(of_body).collect() });
        if hides_plain {
            machine.hides = Hides::Everything;
        }
        machine
    }

    /// A machine that records symmetric threads.
    pub fn with_symmetry(program: &'p Program, max_steps: u32) -> Self {
        let mut machine = Machine::new(program, max_steps);
        machine.run.record_symmetry();
        machine
    }

    /// Where each thread was at a visible operation or a hidden access, and what its registers held, in all runs so far
    /// of a machine that compares states.
    pub fn local_states(&self) -> &BTreeSet<LocalState> {
        &self.locals
    }

    /// Which steps were taken, and what memory and registers held before each, in all runs so far of a machine that
    /// compares local states by identities.
    pub fn transitions(&self) -> &BTreeSet<Transition> {
        &self.transitions
    }

    /// The identities, if local states are compared by them.
    pub fn identities(&self) -> Option<&Identities> {
        self.memory.identities.as_ref()
    }

    /// Runs the program once along `plan`.
    pub fn run(&mut self, plan: &Plan) -> &Trace {
        self.memory.variables.fill(0);
        self.memory.pipes.begin();
        self.memory.threads[..self.run.paths().len()].fill(IDLE);
        self.memory.numbers.fill(None);
        self.memory.numbers[0] = Some(ThreadId::MAIN);
        self.memory.identities.iter_mut().for_each(Identities::begin);
        self.run.begin(plan);
        self.memory.pipes.fresh().for_each(|(channel, offer)| self.run.note_offer(channel, offer));
        self.hides.begin(&self.run);
        let mut cut = self.advance(ThreadId::MAIN);
        loop {
            let next = match cut {
                Some(limit) => self.run.cut(limit),
                None => self.run.next(&self.memory),
            };
            self.hides.take_in(&self.run);
            cut = match next {
                Next::Execute(thread) => self.perform(thread),
                Next::Resume(thread) => self.advance(thread),
                Next::End => return self.run.trace(),
            };
        }
    }

    /// The scheduler, with the record of the last run.
    pub fn record(&self) -> &Run {
        &self.run
    }

    /// The values of the variables in memory.
    pub fn variables(&self) -> &[u64] {
        &self.memory.variables
    }

    /// The state at the end of the last run.
    pub fn final_state(&self) -> FinalState {
        // Other runs may have started more threads.
        let started = self.memory.numbers.iter().flatten().map(|thread| thread.index() + 1).max();
        let threads = &self.memory.threads[..started.unwrap_or(0)];
        let registers = threads.iter().flat_map(|thread| thread.registers);
        FinalState(self.memory.variables.iter().copied().chain(registers).collect())
    }

    /// Runs invisible statements of `thread` up to its next visible operation and arrives there.
    fn advance(&mut self, thread: ThreadId) -> Option<LimitKind> {
        let request = loop {
            self.note(thread);
            if self.does_hidden(thread) {
                continue;
            }
            let slot = &mut self.memory.threads[thread.index()];
            let body = &self.program.bodies[slot.body as usize];
            let Some(&statement) = body.get(slot.at as usize) else {
                break self.end_of(thread);
            };
            let holds = |test: Test| slot.registers[test.register as usize] == test.equals;
            match statement {
                Statement::Set(register, value) => {
                    let place = (slot.body, slot.at);
                    slot.registers[register as usize] = value.of(&slot.registers);
                    slot.at += 1;
                    self.memory.identities.iter_mut().for_each(|i| i.assigns(thread, place, &statement));
                }
                Statement::JumpUnless(test, target) => slot.at = if holds(test) { slot.at + 1 } else { target },
                Statement::Jump(target) => slot.at = target,
                Statement::Unlock(place) if self.refuses && place.base >= RECURSIVE => {
                    let mutex = place.object(ObjectKind::Mutex, &slot.registers);
                    if self.run.object(mutex).owner == Some(thread) {
                        break self.request(thread, statement).expect("an unlock is no create");
                    }
                    slot.at += 1;
                }
                Statement::Assume(test) | Statement::Assert(test) if holds(test) => slot.at += 1,
                Statement::BarrierPass(_, register) if slot.registers[register as usize] == 1 => slot.at += 1,
                _ => match self.request(thread, statement) {
                    Some(request) => break request,
                    None => return Some(LimitKind::Threads),
                },
            }
        };
        if self.run.states().is_some() {
            let slot = &self.memory.threads[thread.index()];
            self.locals.insert((thread, slot.at, slot.registers));
        }
        self.arrives(thread);
        self.run.arrive(thread, request);
        None
    }

    /// The request of a thread that has come to the end of its body.
    fn end_of(&self, thread: ThreadId) -> Request {
        let own = self.uses_detached.then_some(thread);
        Request::new(ThreadOperation::Exit(own).into(), SiteId(u64::MAX))
    }

    /// Updates the identities of a thread that has reached its next visible operation.
    fn arrives(&mut self, thread: ThreadId) {
        let Thread { body, registers, .. } = self.memory.threads[thread.index()];
        if let Some(identities) = &mut self.memory.identities {
            identities.arrives(thread, body, &registers, self.run.events());
        }
    }

    /// Records that `thread` is about to do its next statement.
    fn note(&mut self, thread: ThreadId) {
        let Some(records) = &self.records else { return };
        let slot = &self.memory.threads[thread.index()];
        let here = super::facts::point(self.program, slot.body, slot.at);
        let trace = self.run.trace_mut();
        let at = trace.events.len() as u32;
        let mut push = |kind| trace.records.push(Record { at, thread, kind });
        if records.merges[slot.body as usize].contains(&slot.at) {
            push(RecordKind::Merge { merge: here, activation: 0 });
        }
        match self.program.bodies[slot.body as usize].get(slot.at as usize) {
            Some(&Statement::JumpUnless(test, _)) => {
                let taken = u32::from(slot.registers[test.register as usize] != test.equals);
                push(RecordKind::Branch { point: here, taken, activation: 0 });
            }
            Some(_) => push(RecordKind::Point(here)),
            None => {}
        }
    }

    /// What `thread` requests for a statement; None if it is a creation and there are too many threads.
    fn request(&mut self, thread: ThreadId, statement: Statement) -> Option<Request> {
        let slot = &mut self.memory.threads[thread.index()];
        let site = SiteId(u64::from(slot.body) << 16 | u64::from(slot.at));
        let started = |body: u8| self.memory.numbers[body as usize].expect("the body was started");
        let operation = match statement {
            Statement::Create(_) => ThreadOperation::Create(self.run.child_of(thread)?).into(),
            Statement::TimerStart(_) => ThreadOperation::StartTimer(self.run.child_of(thread)?).into(),
            Statement::Join(body) | Statement::CancellableJoin(body) => ThreadOperation::Join(started(body)).into(),
            Statement::Detach(body, _) => ThreadOperation::Detach(started(body)).into(),
            Statement::Cancel(body) => {
                CancelOperation::Request(Handle { thread: started(body), of_detached: self.uses_detached }).into()
            }
            Statement::CancelPoint(_) => CancelOperation::Look { thread, requested: false }.into(),
            Statement::CancelAccept(_) => CancelOperation::Accept(thread).into(),
            _ => operation(statement, &slot.registers, self.waiters, &self.memory.pipes),
        };
        let mut request = Request::new(operation, site);
        match statement {
            Statement::CompareExchange(place, expected, ..) => {
                request.conditional = true;
                slot.comparing = (place.number(&slot.registers) as usize, expected.of(&slot.registers));
            }
            Statement::Lock(place) | Statement::TryLock(place, _) => request.recursive = place.base >= RECURSIVE,
            Statement::TimedWait(..) => request.timed = true,
            Statement::FutexWait { .. } | Statement::FutexWake { .. } => ask(thread, &mut request, statement),
            Statement::FutexRequeue { .. } | Statement::FutexStep { .. } => {
                self.run.expose();
                ask(thread, &mut request, statement);
            }
            Statement::Choose(count, _) => request.count = count,
            Statement::SignalTake(_, signals, _) | Statement::SignalAwait(_, signals, _) => {
                request = request.with_signals(signals);
            }
            Statement::CancelChoice => request.count = 2,
            Statement::CancellableWait(_, _, timed) => (request.timed, request.cancellable) = (timed, true),
            Statement::CancellableSemaphoreWait(_) | Statement::CancellableJoin(_) => request.cancellable = true,
            _ => {}
        }
        Some(request)
    }

    /// Performs the step at a futex just executed by `thread`.
    fn end_step(&mut self, thread: ThreadId, variable: usize, register: u8) {
        let cell = &mut self.memory.variables[variable];
        let (result, word) = after_step(thread, &self.run.last_event().operation, *cell as u32);
        *cell = *cell >> 32 << 32 | u64::from(word);
        if let Some(result) = result {
            self.memory.threads[thread.index()].registers[register as usize] = result;
        }
    }

    /// Performs the operation just executed by `thread` and runs it (or the child it created) on.
    fn perform(&mut self, thread: ThreadId) -> Option<LimitKind> {
        let event = *self.run.last_event();
        let slot = &self.memory.threads[thread.index()];
        let statement = self.program.bodies[slot.body as usize][slot.at as usize];
        let place = (slot.body, slot.at);
        if self.memory.identities.is_some() {
            self.transitions.insert((self.memory.exact(), thread, event.choice));
        }
        self.memory.identities.iter_mut().for_each(|i| i.assigns(thread, place, &statement));
        let slot = &mut self.memory.threads[thread.index()];
        slot.at += 1;
        let registers = slot.registers;
        if let Some((channel, offer)) = self.memory.pipes.perform(statement, &mut slot.registers) {
            self.run.note_offer(channel, offer);
            return self.advance(thread);
        }
        let variable = |place: Operand| place.number(&registers) as usize;
        match statement {
            Statement::Read(place, register) | Statement::Load(place, register) => {
                slot.registers[register as usize] = place.read(&self.memory.variables[variable(place)..]);
            }
            Statement::Write(place, value) | Statement::Store(place, value) => {
                place.write(&mut self.memory.variables[variable(place)..], value.of(&registers));
            }
            Statement::Await(place, wanted, register) => {
                let value = place.read(&self.memory.variables[variable(place)..]);
                slot.registers[register as usize] = value;
                if value != wanted {
                    slot.at -= 1;
                    self.arrives(thread);
                    let request = Request::new(event.operation, event.site);
                    self.run.park(thread, request, &[(place.range(&registers), value)], None);
                    return None;
                }
            }
            Statement::SignalSend(..)
            | Statement::SignalTake(..)
            | Statement::SignalAwait(..)
            | Statement::SignalLook(..)
            | Statement::TimerSet(..)
            | Statement::TimerExpire(..) => {
                if self.perform_on_signals(thread, statement) {
                    return None;
                }
            }
            Statement::FetchAdd(place, add, register) => {
                let cell = &mut self.memory.variables[variable(place)];
                slot.registers[register as usize] = *cell;
                *cell = cell.wrapping_add(add);
            }
            Statement::CompareExchange(place, _, new, register) => {
                if event.operation.succeeded() == Some(true) {
                    self.memory.variables[variable(place)] = new.of(&registers);
                }
                slot.registers[register as usize] = u64::from(event.operation.succeeded() == Some(true));
            }
            Statement::TimedWait(_, _, register) => {
                slot.registers[register as usize] = (event.enabled_by.is_none() && self.run.has_expired(thread)).into();
            }
            Statement::FutexWait { timed, register, .. } => {
                slot.registers[register as usize] = futex_result(&event, timed) as u64;
            }
            Statement::FutexWake { register, .. } => {
                slot.registers[register as usize] = event.operation.woken().len() as u64;
            }
            Statement::FutexRequeue { register, .. } => slot.registers[register as usize] = found(&event.operation),
            Statement::FutexStep { place, register, .. } => self.end_step(thread, variable(place), register),
            Statement::Choose(_, register) => slot.registers[register as usize] = u64::from(event.choice),
            Statement::Create(body) | Statement::TimerStart(body) => {
                let child = event.operation.creates().expect("a create creates");
                self.memory.numbers[body as usize] = Some(child);
                self.memory.threads[child.index()] = Thread { body, ..IDLE };
                return self.advance(child);
            }
            Statement::Detach(_, register) => {
                slot.registers[register as usize] = u64::from(self.run.thread_info(thread).refused);
            }
            Statement::CancelPoint(target) if event.operation.succeeded() == Some(true) => slot.at = target,
            Statement::CancelPoint(_) | Statement::CancellableSemaphoreWait(_) | Statement::CancellableJoin(_) => {}
            Statement::CancelChoice if event.choice == 0 => slot.at += 1,
            Statement::CancelChoice => {}
            Statement::CancelAccept(target) => slot.at = target,
            Statement::CancellableWait(..) if event.enabled_by.is_some() => slot.at += 1,
            Statement::CancellableWait(..) => {}
            other => slot.assign_outcome(other, event.operation.succeeded()),
        }
        self.advance(thread)
    }
}
