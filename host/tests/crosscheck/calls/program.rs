//! Programs of calls that the model's programs do not have, as data: signals between threads, timers, descriptors and
//! requests to cancel threads.

use super::conditions::Condition;
use super::sync::Sync;

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
/// The timer whose expiry begins a thread, which posts the semaphore.
pub(crate) const BEGINS_THREAD: u8 = 2;
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
    /// Locks, semaphores with names, barriers, ends of threads.
    Sync,
}

impl Topic {
    pub(crate) const ALL: [Topic; 7] = [
        Topic::Waits,
        Topic::Handlers,
        Topic::Timers,
        Topic::Descriptors,
        Topic::Fifos,
        Topic::Cancellation,
        Topic::Sync,
    ];
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

/// What a timer is set to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) enum Setting {
    #[default]
    Off,
    Once,
    /// With an interval.
    Periodic,
}

/// How signals are handled.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Handling {
    pub(crate) restarts: bool,
    /// Whether a signal is handled once, and ends the process the next time.
    pub(crate) once: bool,
    /// Whether a handler does not block its own signal.
    pub(crate) nests: bool,
    /// Whether a handler blocks the second signal.
    pub(crate) masks: bool,
    /// Whether a handler posts the semaphore.
    pub(crate) posts: bool,
    /// Whether the handler makes no operation that others may notice, if it does not post.
    pub(crate) quiet: bool,
    /// Whether the second signal is handled as well.
    pub(crate) two: bool,
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
    /// `sem_timedwait`.
    AcquireSoon,
    /// A read from a descriptor of signals, the first or the second.
    ReadSignal(u8),
    /// Polls both descriptors, and waits if so.
    PollSignals(bool),
    /// The same by `epoll_wait`.
    WatchSignals(bool),
    Pending,
    Block(Signals),
    Unblock(Signals),
    /// `sigsuspend` with a mask that has all but these.
    Suspend(Signals),
    /// Sets the alarm, or calls it off; notes whether one was set.
    Alarm(bool),
    /// The same by `setitimer`.
    SetAlarm(Setting),
    AskAlarm,
    /// Sets a timer, or calls it off.
    SetTimer(u8, Setting),
    /// Notes whether a timer is set.
    AskTimer(u8),
    Overrun(u8),
    /// The same for the descriptor.
    SetClock(Setting),
    AskClock,
    ReadClock,
    /// Polls the descriptor, and waits if so.
    PollClock(bool),
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
    Sync(Sync),
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
    pub(crate) handling: Handling,
    /// What the descriptors of signals take.
    pub(crate) sets: [Signals; 2],
}

impl Program {
    /// Whether some statement of the program is one of these.
    pub(crate) fn has(&self, wanted: fn(&Statement) -> bool) -> bool {
        self.threads.iter().flatten().any(wanted)
    }

    /// The calls of that kind.
    pub(crate) fn syncs(&self) -> impl Iterator<Item = Sync> {
        self.threads.iter().flatten().filter_map(|statement| match statement {
            Statement::Sync(call) => Some(*call),
            _ => None,
        })
    }

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
