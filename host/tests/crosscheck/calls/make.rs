//! Programs of calls, from a seed.

use super::conditions::Condition;
use super::locks::{How, Lock};
use super::program::*;
use super::sync::Sync;
use inspect_core::model::Random;

/// The program of a seed.
pub(crate) fn program(topic: Topic, seed: u64) -> Program {
    let mut random = Random(seed ^ 0x5851_f42d_4c95_7f2d);
    let threads = 2 + random.below(THREADS as u64 - 1) as usize;
    let mut maker = Maker {
        random,
        topic,
        threads,
        joins: false,
        polls: false,
        handling: Handling::default(),
        subjects: [Subject::Named; 2],
    };
    maker.joins = threads == THREADS && topic == Topic::Cancellation && maker.random.once_in(4);
    maker.polls = topic == Topic::Waits && maker.random.once_in(3);
    maker.handling = maker.handling();
    maker.subjects = maker.subjects();
    let sets = maker.one_of(&[[0b1011, 0b1011], [0b1001, 0b0010], [0b0001, 0b1011], [0b1000, 0b0001]]);
    // Each setting of a timer is one more thread.
    let most = if topic == Topic::Timers { 3 } else { 4 };
    let statements = 2 + maker.random.below(most) as usize;
    let mut bodies = vec![Vec::new(); threads];
    for _ in 0..statements {
        let thread = maker.random.below(threads as u64) as usize;
        maker.statement(thread, &mut bodies[thread]);
    }
    if topic == Topic::Sync {
        bodies.iter_mut().enumerate().for_each(|(thread, body)| maker.give_all(thread, body));
    }
    Program {
        topic,
        threads: bodies,
        units: maker.random.below(2) as u8,
        count: maker.random.below(3) as u8,
        one_by_one: maker.random.once_in(2),
        nonblocking: maker.random.once_in(2),
        handling: maker.handling,
        sets,
    }
}

struct Maker {
    random: Random,
    topic: Topic,
    threads: usize,
    /// Whether thread 2 is to join thread 1.
    joins: bool,
    /// Whether descriptors of signals are polled.
    polls: bool,
    handling: Handling,
    subjects: [Subject; 2],
}

/// What a program of the last topic is about.
#[derive(Clone, Copy)]
enum Subject {
    Lock(Lock),
    Semaphore,
    Named,
    Barrier,
    Once,
    Joins,
}

impl Maker {
    fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.random.below(choices.len() as u64) as usize]
    }

    fn statement(&mut self, thread: usize, body: &mut Vec<Statement>) {
        let statement = match self.topic {
            Topic::Waits if self.polls => self.poll(thread),
            Topic::Waits => self.wait(thread),
            Topic::Handlers => self.handler(thread),
            Topic::Timers => self.timer(),
            Topic::Descriptors => self.descriptor(),
            Topic::Fifos => return self.fifo(body),
            Topic::Cancellation => self.cancellation(thread, body),
            Topic::Sync => self.sync(thread, body),
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
            10 => Statement::ReadSignal(self.random.below(2) as u8),
            _ => self.access(),
        }
    }

    /// Where descriptors of signals are polled, signals are sent to the process, and taken by reading only. A thread
    /// may send itself some.
    fn poll(&mut self, thread: usize) -> Statement {
        match self.random.below(12) {
            0..=4 => {
                let signal = self.one_of(&[0, 0, 1, QUEUED]);
                let own = self.random.once_in(8);
                let target = if own { Target::Thread(thread as u8) } else { Target::Process };
                Statement::Send(target, signal, self.value())
            }
            5 | 6 => Statement::PollSignals(self.random.once_in(2)),
            7 | 8 => Statement::WatchSignals(self.random.once_in(2)),
            9 | 10 => Statement::ReadSignal(self.random.below(2) as u8),
            _ => self.access(),
        }
    }

    fn handling(&mut self) -> Handling {
        let mut sometimes = |number| self.random.once_in(number);
        Handling {
            restarts: sometimes(2),
            once: sometimes(6),
            nests: sometimes(4),
            masks: sometimes(3),
            posts: sometimes(3),
            quiet: sometimes(3),
            two: sometimes(2),
        }
    }

    fn handler(&mut self, thread: usize) -> Statement {
        let signal = if self.handling.two { self.random.below(2) as u8 } else { 0 };
        let signals = if self.handling.two { self.one_of(&[0b1, 0b10, 0b11]) } else { 1 };
        match self.random.below(16) {
            0..=3 => Statement::Send(self.target(thread), signal, None),
            4..=6 => Statement::Unblock(signals),
            7 => Statement::Block(signals),
            8 => Statement::Suspend(signals),
            9 => Statement::Wait(self.one_of(&[Patience::Forever, Patience::None]), 1),
            10 => Statement::Pending,
            11 => Statement::Post,
            12 | 13 => self.one_of(&[Statement::Acquire, Statement::AcquireSoon, Statement::Sleep]),
            14 => self.one_of(&[Statement::ReadPipe, Statement::WritePipe(1), Statement::Acquire]),
            _ => self.access(),
        }
    }

    fn setting(&mut self) -> Setting {
        self.one_of(&[Setting::Off, Setting::Once, Setting::Once, Setting::Periodic])
    }

    fn timer(&mut self) -> Statement {
        let (timer, on, waits) = (self.random.below(2) as u8, !self.random.once_in(4), self.random.once_in(2));
        let signals = self.one_of(&[0b0001, 0b0100, 0b1000, 0b1101]);
        match self.random.below(18) {
            0 => Statement::Alarm(on),
            1 => Statement::SetAlarm(self.setting()),
            2..=4 => Statement::SetTimer(timer, self.setting()),
            5 => self.one_of(&[
                Statement::AskTimer(timer),
                Statement::AskClock,
                Statement::AskAlarm,
                Statement::Overrun(timer),
            ]),
            6 | 7 => Statement::SetClock(self.setting()),
            8 => Statement::ReadClock,
            9 => Statement::PollClock(waits),
            10 => Statement::Wait(Patience::Forever, signals),
            11 => Statement::Wait(self.one_of(&[Patience::None, Patience::Informed]), signals),
            12 => Statement::Pending,
            13 => Statement::SetTimer(BEGINS_THREAD, if on { Setting::Once } else { Setting::Off }),
            14 => self.one_of(&[Statement::AskTimer(BEGINS_THREAD), Statement::Overrun(BEGINS_THREAD)]),
            15 => self.one_of(&[Statement::Acquire, Statement::AcquireSoon]),
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

    fn subjects(&mut self) -> [Subject; 2] {
        let locks = [Lock::Mutex, Lock::Checking, Lock::Recursive, Lock::Robust, Lock::Spin, Lock::Write, Lock::Stream];
        let mut locks = || Subject::Lock(locks[self.random.below(7) as usize]);
        let (one, other) = (locks(), locks());
        let others = [Subject::Semaphore, Subject::Named, Subject::Barrier, Subject::Once, Subject::Joins];
        if self.random.once_in(3) {
            [one, other]
        } else {
            [self.one_of(&others), self.one_of(&[one, others[4], others[0]])]
        }
    }

    fn sync(&mut self, thread: usize, body: &[Statement]) -> Statement {
        let (coin, subject) = (self.random.once_in(2), self.one_of(&self.subjects.clone()));
        let call = match subject {
            _ if self.random.once_in(6) => return self.access(),
            Subject::Lock(lock) => return self.lock(lock, body),
            Subject::Semaphore => match self.random.below(6) {
                0 => return Statement::Acquire,
                1 => return Statement::AcquireSoon,
                2 | 3 => return Statement::Post,
                4 => Sync::TryAcquire,
                _ => Sync::Units,
            },
            Subject::Named => self.named(body),
            Subject::Barrier => Sync::Arrive,
            Subject::Once if coin => Sync::Once,
            Subject::Once => Sync::SetSpecific(1 + self.random.below(2) as u8),
            Subject::Joins if thread > 0 => return self.access(),
            Subject::Joins => {
                let other = 1 + self.random.below(self.threads as u64 - 1) as u8;
                if self.random.once_in(4) { Sync::Detach(other) } else { Sync::TryJoin(other, coin) }
            }
        };
        Statement::Sync(call)
    }

    /// Takes a lock, or gives it back. A thread does not ask again for one that it would wait for itself for.
    fn lock(&mut self, lock: Lock, body: &[Statement]) -> Statement {
        let lock = if lock == Lock::Write { self.one_of(&[Lock::Read, Lock::Write]) } else { lock };
        let held = held(body, lock);
        if held > 0 && (!lock.can_be_taken_again() || self.random.once_in(2)) {
            return Statement::Sync(Sync::Give(lock));
        }
        let how = self.one_of(&[How::Wait, How::Wait, How::Try, if lock.has_timed() { How::Timed } else { How::Try }]);
        Statement::Sync(Sync::Take(lock, how, lock == Lock::Robust && self.random.once_in(2)))
    }

    /// Gives all locks back at the end, but for some robust ones.
    fn give_all(&mut self, thread: usize, body: &mut Vec<Statement>) {
        let locks = [Lock::Mutex, Lock::Checking, Lock::Recursive, Lock::Robust, Lock::Spin, Lock::Write, Lock::Stream];
        for lock in locks {
            if lock == Lock::Robust && thread > 0 && self.random.once_in(2) {
                continue;
            }
            (0..held(body, lock)).for_each(|_| body.push(Statement::Sync(Sync::Give(lock))));
        }
        if is_open(body) {
            body.push(Statement::Sync(Sync::CloseNamed));
        }
    }

    fn named(&mut self, body: &[Statement]) -> Sync {
        match self.random.below(10) {
            0 => Sync::Unlink,
            1 if is_open(body) => Sync::CloseNamed,
            2..=4 if is_open(body) => Sync::PostNamed,
            5 | 6 if is_open(body) => Sync::AcquireNamed,
            _ if is_open(body) => Sync::TryNamed,
            number => Sync::Open(number != 1, number == 2),
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

/// How often a thread may have a lock behind these statements.
fn held(body: &[Statement], lock: Lock) -> usize {
    let number = |wanted: fn(&Sync) -> Option<Lock>| {
        let of_lock = |statement: &&Statement| match statement {
            Statement::Sync(call) => wanted(call).is_some_and(|other| other.number() == lock.number()),
            _ => false,
        };
        body.iter().filter(of_lock).count()
    };
    let taken = number(|call| if let Sync::Take(lock, ..) = call { Some(*lock) } else { None });
    taken - number(|call| if let Sync::Give(lock) = call { Some(*lock) } else { None })
}

/// Whether a thread may have the semaphore with a name open.
fn is_open(body: &[Statement]) -> bool {
    let last = body.iter().rev().find_map(|statement| match statement {
        Statement::Sync(call @ (Sync::Open(..) | Sync::CloseNamed)) => Some(*call),
        _ => None,
    });
    matches!(last, Some(Sync::Open(..)))
}
