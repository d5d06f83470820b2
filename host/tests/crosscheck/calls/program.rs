//! Programs of calls that the model's programs do not have, as data: signals between threads, timers, descriptors and
//! requests to cancel threads.

use super::conditions::Condition;
use inspect_core::model::Random;

/// Threads of a program at most, main included.
pub(crate) const THREADS: usize = 3;
/// Atomic variables.
pub(crate) const ATOMICS: usize = 2;

/// A signal, as a place in [`SIGNALS`], which are in the order of their numbers.
pub(crate) type Signal = u8;
/// A set of signals, a bit each.
pub(crate) type Signals = u8;

/// The signals of the programs.
pub(crate) const SIGNALS: [&str; 4] = ["SIGUSR1", "SIGUSR2", "SIGALRM", "SIGRTMIN + 1"];
/// What `alarm` sends.
pub(crate) const ALARM: Signal = 2;
/// The only one that is queued.
pub(crate) const QUEUED: Signal = 3;

/// What the calls of a program are about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Topic {
    /// All threads block all signals, and take them by waits.
    Waits,
    /// Signals have handlers.
    Handlers,
    /// Timers send signals, or are descriptors.
    Timers,
    /// A counter and a pipe.
    Descriptors,
    /// A pipe with a name.
    Fifos,
    /// Threads are cancelled.
    Cancellation,
}

impl Topic {
    pub(crate) const ALL: [Topic; 6] =
        [Topic::Waits, Topic::Handlers, Topic::Timers, Topic::Descriptors, Topic::Fifos, Topic::Cancellation];
}

/// To whom a signal is sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Target {
    Thread(u8),
    Process,
}

/// How long a wait for signals waits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Patience {
    /// `sigwait`.
    Forever,
    /// `sigwaitinfo`, which tells the value.
    Informed,
    /// `sigtimedwait` with no time.
    None,
}

/// A call, or an access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Statement {
    /// Adds 1 to an atomic variable.
    Add(u8),
    /// Notes the value of an atomic variable.
    Load(u8),
    Post,
    Acquire,
    /// With a value, by `pthread_sigqueue` or `sigqueue`.
    Send(Target, Signal, Option<u8>),
    Wait(Patience, Signals),
    /// A read from the descriptor of signals.
    ReadSignal,
    Pending,
    Block(Signals),
    Unblock(Signals),
    /// `sigsuspend` with a mask that has all but these.
    Suspend(Signals),
    /// Sets the alarm, or calls it off; notes whether one was set.
    Alarm(bool),
    /// Sets a timer, or calls it off.
    SetTimer(u8, bool),
    /// Notes whether a timer is set.
    AskTimer(u8),
    /// The same for the descriptor.
    SetClock(bool),
    AskClock,
    ReadClock,
    WriteCounter(u8),
    ReadCounter,
    WritePipe(u8),
    ReadPipe,
    /// Closes an end, the one to write by if so.
    ClosePipe(bool),
    /// Polls the counter and the pipe, without waiting.
    Poll,
    /// Opens the pipe with a name, to write if so, without waiting if so.
    OpenFifo(bool, bool),
    WriteFifo(u8),
    ReadFifo,
    CloseFifo,
    Cancel(u8),
    TestCancel,
    /// `usleep`, a cancellation point.
    Sleep,
    /// Enables cancellation, or disables it.
    Cancellable(bool),
    /// Lets requests have their effect at any time, or at cancellation points only.
    Asynchronous(bool),
    /// Thread 2 joins thread 1, in place of main.
    Join,
    Condition(Condition),
}

/// A program: what main does between creating the other threads and joining them, and what those do.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub(crate) topic: Topic,
    pub(crate) threads: Vec<Vec<Statement>>,
    /// Units of the semaphore at the beginning.
    pub(crate) units: u8,
    /// What the counter begins with.
    pub(crate) count: u8,
    /// Whether it gives one unit each time.
    pub(crate) one_by_one: bool,
    /// Whether reads of the descriptors of signals, clocks, counters and pipes do not wait.
    pub(crate) nonblocking: bool,
}

impl Program {
    /// Whether two threads may close one end. Which operations the later one makes depends on whether the number was in
    /// use already as it came to the call, so traces that differ by steps that do not depend on each other are not the
    /// same.
    pub(crate) fn closes_again(&self) -> bool {
        let closes = |writes| {
            let of_end = |body: &&Vec<Statement>| body.contains(&Statement::ClosePipe(writes));
            self.threads.iter().filter(of_end).count()
        };
        closes(false) > 1 || closes(true) > 1
    }
}

/// The program of a seed.
pub(crate) fn program(topic: Topic, seed: u64) -> Program {
    let mut random = Random(seed ^ 0x5851_f42d_4c95_7f2d);
    let threads = 2 + random.below(THREADS as u64 - 1) as usize;
    let mut maker = Maker { random, topic, threads, joins: false };
    maker.joins = threads == THREADS && topic == Topic::Cancellation && maker.random.once_in(4);
    // Each setting of a timer is one more thread.
    let most = if topic == Topic::Timers { 3 } else { 4 };
    let statements = 2 + maker.random.below(most) as usize;
    let mut bodies = vec![Vec::new(); threads];
    for _ in 0..statements {
        let thread = maker.random.below(threads as u64) as usize;
        maker.statement(thread, &mut bodies[thread]);
    }
    Program {
        topic,
        threads: bodies,
        units: maker.random.below(2) as u8,
        count: maker.random.below(3) as u8,
        one_by_one: maker.random.once_in(2),
        nonblocking: maker.random.once_in(2),
    }
}

struct Maker {
    random: Random,
    topic: Topic,
    threads: usize,
    /// Whether thread 2 is to join thread 1.
    joins: bool,
}

impl Maker {
    fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.random.below(choices.len() as u64) as usize]
    }

    fn statement(&mut self, thread: usize, body: &mut Vec<Statement>) {
        let statement = match self.topic {
            Topic::Waits => self.wait(thread),
            Topic::Handlers => self.handler(thread),
            Topic::Timers => self.timer(),
            Topic::Descriptors => self.descriptor(),
            Topic::Fifos => return self.fifo(body),
            Topic::Cancellation => self.cancellation(thread, body),
        };
        body.push(statement);
    }

    fn access(&mut self) -> Statement {
        let variable = self.random.below(ATOMICS as u64) as u8;
        if self.random.once_in(2) { Statement::Add(variable) } else { Statement::Load(variable) }
    }

    /// A thread that a thread has the handle of as long as it can be used: main, itself, or one created before it; main
    /// joins those created last first.
    fn other(&mut self, thread: usize) -> u8 {
        let known = if thread == 0 { self.threads } else { thread + 1 };
        self.random.below(known as u64) as u8
    }

    fn target(&mut self, thread: usize) -> Target {
        if self.random.once_in(3) { Target::Process } else { Target::Thread(self.other(thread)) }
    }

    fn value(&mut self) -> Option<u8> {
        let value = 1 + self.random.below(2) as u8;
        self.random.once_in(2).then_some(value)
    }

    fn wait(&mut self, thread: usize) -> Statement {
        let signals = self.one_of(&[0b0001, 0b0010, 0b0011, 0b1000, 0b1001, 0b1011]);
        match self.random.below(12) {
            0..=4 => {
                let signal = self.one_of(&[0, 0, 1, QUEUED]);
                Statement::Send(self.target(thread), signal, self.value())
            }
            5 | 6 => Statement::Wait(Patience::Forever, signals),
            7 => Statement::Wait(Patience::Informed, signals),
            8 => Statement::Wait(Patience::None, signals),
            9 => Statement::Pending,
            10 => Statement::ReadSignal,
            _ => self.access(),
        }
    }

    fn handler(&mut self, thread: usize) -> Statement {
        match self.random.below(12) {
            0..=3 => Statement::Send(self.target(thread), 0, None),
            4 | 5 => Statement::Unblock(1),
            6 => Statement::Block(1),
            7 => Statement::Suspend(1),
            8 => Statement::Wait(self.one_of(&[Patience::Forever, Patience::None]), 1),
            9 => Statement::Pending,
            10 => self.one_of(&[Statement::Post, Statement::Acquire]),
            _ => self.access(),
        }
    }

    fn timer(&mut self) -> Statement {
        let (timer, on) = (self.random.below(2) as u8, !self.random.once_in(4));
        let signals = self.one_of(&[0b0001, 0b0100, 0b1000, 0b1101]);
        match self.random.below(12) {
            0 | 1 => Statement::Alarm(on),
            2..=4 => Statement::SetTimer(timer, on),
            5 => self.one_of(&[Statement::AskTimer(timer), Statement::AskClock]),
            6 => Statement::SetClock(on),
            7 => Statement::ReadClock,
            8 => Statement::Wait(Patience::Forever, signals),
            9 => Statement::Wait(self.one_of(&[Patience::None, Patience::Informed]), signals),
            10 => Statement::Pending,
            _ => self.access(),
        }
    }

    fn descriptor(&mut self) -> Statement {
        let value = 1 + self.random.below(2) as u8;
        match self.random.below(12) {
            0 | 1 => Statement::WriteCounter(value),
            2 | 3 => Statement::ReadCounter,
            4 | 5 => Statement::WritePipe(value),
            6 | 7 => Statement::ReadPipe,
            8 => Statement::ClosePipe(!self.random.once_in(4)),
            9 | 10 => Statement::Poll,
            _ => self.access(),
        }
    }

    fn fifo(&mut self, body: &mut Vec<Statement>) {
        let (writes, patient) = (self.random.once_in(2), !self.random.once_in(3));
        let open = Statement::OpenFifo(writes, !patient);
        let last = body.iter().rev().find(|s| matches!(s, Statement::OpenFifo(..) | Statement::CloseFifo));
        let is_open = matches!(last, Some(Statement::OpenFifo(..)));
        let use_of_it = if matches!(last, Some(Statement::OpenFifo(true, _))) {
            Statement::WriteFifo(1 + self.random.below(2) as u8)
        } else {
            Statement::ReadFifo
        };
        match self.random.below(6) {
            0 => body.push(self.access()),
            1 if is_open => body.push(Statement::CloseFifo),
            _ if is_open => body.push(use_of_it),
            _ => body.push(open),
        }
    }

    /// Where thread 2 joins thread 1, only it knows how long the handle can be used.
    fn cancellation(&mut self, thread: usize, body: &[Statement]) -> Statement {
        let statement = if is_asynchronous(body) {
            self.computation(thread)
        } else if self.joins && thread == 2 && self.random.once_in(2) {
            Statement::Join
        } else {
            self.cancellation_point(thread)
        };
        let (joined, is_known) = (body.contains(&Statement::Join), !self.joins || thread == 1);
        match statement {
            Statement::Join if joined => self.access(),
            Statement::Cancel(1) | Statement::Send(Target::Thread(1), ..) if joined || !(is_known || thread == 2) => {
                self.access()
            }
            other => other,
        }
    }

    /// What a thread may do that can be cancelled at any time.
    fn computation(&mut self, thread: usize) -> Statement {
        match self.random.below(8) {
            0 => Statement::TestCancel,
            1 => Statement::Cancellable(self.random.once_in(2)),
            2 => Statement::Cancel(self.other(thread).max(1)),
            3 => Statement::Asynchronous(false),
            _ => self.access(),
        }
    }

    fn cancellation_point(&mut self, thread: usize) -> Statement {
        match self.random.below(20) {
            // Nobody has the handle of main.
            0..=4 if thread != 1 || self.random.once_in(3) => Statement::Cancel(self.other(thread).max(1)),
            0..=5 => Statement::Acquire,
            6 => Statement::TestCancel,
            7 => Statement::Sleep,
            8 => Statement::Cancellable(self.random.once_in(2)),
            9 => Statement::Wait(Patience::Forever, 1),
            10 => Statement::Send(self.target(thread), 0, None),
            11 => Statement::Post,
            12 | 13 => Statement::Condition(Condition::Wait(self.random.once_in(2))),
            14 => Statement::Condition(self.one_of(&[Condition::Signal, Condition::Broadcast, Condition::Announce])),
            15 => Statement::Condition(Condition::Count),
            16 => Statement::ReadPipe,
            17 => Statement::WritePipe(1),
            18 if thread > 0 => Statement::Asynchronous(true),
            _ => self.access(),
        }
    }
}

/// Whether a thread may be cancelled at any time behind these statements.
fn is_asynchronous(body: &[Statement]) -> bool {
    let last = body.iter().rev().find(|statement| matches!(statement, Statement::Asynchronous(_)));
    last == Some(&Statement::Asynchronous(true))
}
