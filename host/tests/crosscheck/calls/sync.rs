//! Objects that threads synchronise by: semaphores with names, a barrier, a once object, thread-specific data, and the
//! ends of threads; as data, as C, and as the model has them.

use super::errors::{EAGAIN, EBUSY, EEXIST, ENOENT, ETIMEDOUT};
use super::locks::{self, How, Lock};
use super::oracle::Oracle;
use super::program::{Program, THREADS};
use super::state::State;

/// A call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Sync {
    /// Takes a lock; data that an owner has left inconsistent are mended if so.
    Take(Lock, How, bool),
    Give(Lock),
    TryAcquire,
    /// `sem_getvalue`.
    Units,
    /// `sem_open`, to make the semaphore if so, and only if there is none if so.
    Open(bool, bool),
    PostNamed,
    AcquireNamed,
    TryNamed,
    CloseNamed,
    Unlink,
    Arrive,
    Once,
    /// Sets the thread's own value, of which a destructor makes the next lower one.
    SetSpecific(u8),
    /// Main joins a thread if it has ended; a timed join if so.
    TryJoin(u8, bool),
    Detach(u8),
}

/// Noted of a call.
const DONE: u64 = 1;
const SERIAL: u64 = 2;

/// How many threads make a round of the barrier.
const ROUND: u8 = 2;

/// Semaphores with names at most.
const NAMED: usize = 8;

/// The state of these objects.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Objects {
    /// What the name leads to, and the units of each semaphore that was made.
    name: Option<u8>,
    made: u8,
    counts: [u8; NAMED],
    open: [Option<u8>; THREADS],
    arrived: u8,
    rounds: u8,
    /// Whether the initialiser has begun, and has ended.
    begun: bool,
    ended: bool,
    specific: [u8; THREADS],
}

/// What main makes before it creates threads.
pub(super) fn objects(program: &Program) -> String {
    let mut made = String::new();
    let has = |wanted: fn(&Sync) -> bool| program.syncs().any(|call| wanted(&call));
    if has(|call| matches!(call, Sync::Take(Lock::Robust, ..))) {
        made += "    make_robust(&mutexes[3]);\n";
    }
    if has(|call| matches!(call, Sync::Take(Lock::Spin, ..))) {
        made += "    pthread_spin_init(&spin, 0);\n";
    }
    if has(|call| *call == Sync::Arrive) {
        made += &format!("    pthread_barrier_init(&barrier, 0, {ROUND});\n");
    }
    if has(|call| matches!(call, Sync::SetSpecific(_))) {
        made += "    pthread_key_create(&key, destroyed);\n";
    }
    made
}

/// A statement as C.
pub(super) fn source(call: Sync) -> String {
    let with_named = |call: &str| format!("    if (named != SEM_FAILED) {{\n        {call};\n    }}\n");
    let unless_over = |thread: u8, call: String| format!("    if (!over[{thread}]) {{\n        {call};\n    }}\n");
    match call {
        Sync::Take(lock, how, mends) => locks::take(lock, how, mends),
        Sync::Give(lock) => locks::give(lock),
        Sync::TryAcquire => "    got = sem_trywait(&semaphore);\n    note(self, done(got));\n".into(),
        Sync::Units => "    sem_getvalue(&semaphore, &got);\n    note(self, 1 + got);\n".into(),
        Sync::Open(creates, only) => {
            let flags = if creates { if only { "O_CREAT | O_EXCL, 0600, 1" } else { "O_CREAT, 0600, 1" } } else { "0" };
            format!(
                "    named = sem_open(\"/inspect\", {flags});\n    note(self, named == SEM_FAILED ? failed() : 1);\n"
            )
        }
        Sync::PostNamed => with_named("sem_post(named)"),
        Sync::AcquireNamed => with_named("got = sem_wait(named); note(self, done(got))"),
        Sync::TryNamed => with_named("got = sem_trywait(named); note(self, done(got))"),
        Sync::CloseNamed => with_named("sem_close(named); named = SEM_FAILED"),
        Sync::Unlink => "    got = sem_unlink(\"/inspect\");\n    note(self, done(got));\n".into(),
        Sync::Arrive => "    got = pthread_barrier_wait(&barrier);\n    note(self, got ? 2 : 1);\n".into(),
        Sync::Once => "    pthread_once(&once, initialised);\n".into(),
        Sync::SetSpecific(value) => format!("    pthread_setspecific(key, (void *){value});\n"),
        Sync::TryJoin(thread, timed) => {
            let (name, time) = if timed { ("timedjoin", ", &far") } else { ("tryjoin", "") };
            unless_over(
                thread,
                format!(
                    "got = pthread_{name}_np(threads[{thread}], 0{time}); over[{thread}] = !got; note(self, told(got))"
                ),
            )
        }
        Sync::Detach(thread) => unless_over(thread, format!("pthread_detach(threads[{thread}]); over[{thread}] = 1")),
    }
}

impl Oracle<'_> {
    pub(super) fn sync(&self, state: &State, thread: usize, call: Sync) -> Vec<State> {
        let mut next = state.clone();
        match call {
            Sync::Take(lock, how, mends) => self.take_lock(state, thread, lock, how, mends),
            Sync::Give(lock) => self.give_lock(state, thread, lock),
            Sync::TryAcquire if state.units == 0 => vec![next.noting(thread, EAGAIN)],
            Sync::TryAcquire => {
                next.units -= 1;
                vec![next.noting(thread, DONE)]
            }
            Sync::Units => vec![next.noting(thread, 1 + u64::from(state.units))],
            Sync::Arrive => arrived(state, thread),
            Sync::Once => once(state, thread),
            Sync::SetSpecific(value) => {
                next.objects.specific[thread] = value;
                vec![next.next(thread)]
            }
            Sync::TryJoin(other, _) | Sync::Detach(other) if state.over[usize::from(other)] => {
                vec![next.next(thread)]
            }
            Sync::TryJoin(other, timed) => {
                let has_ended = self.has_ended(state, usize::from(other));
                next.over[usize::from(other)] = has_ended;
                let not_yet = if timed { ETIMEDOUT } else { EBUSY };
                vec![next.noting(thread, if has_ended { DONE } else { not_yet })]
            }
            Sync::Detach(other) => {
                next.over[usize::from(other)] = true;
                vec![next.next(thread)]
            }
            _ => named(state, thread, call),
        }
    }

    /// The end of a thread: destructors of its own value, then of what it leaves locked.
    pub(super) fn end_with_objects(&self, state: &State, thread: usize) -> Vec<State> {
        let mut next = state.clone();
        if state.objects.specific[thread] > 0 {
            next.objects.specific[thread] -= 1;
            next.atomics[1] += 1;
            return vec![next];
        }
        vec![locks::given_at_end(state, thread).unwrap_or_else(|| next.next(thread))]
    }
}

fn arrived(state: &State, thread: usize) -> Vec<State> {
    let mut next = state.clone();
    let objects = &mut next.objects;
    if state.phase[thread] > 0 {
        let is_over = objects.rounds != state.kept[thread];
        return if is_over { vec![next.noting(thread, DONE)] } else { Vec::new() };
    }
    objects.arrived += 1;
    if objects.arrived == ROUND {
        (objects.arrived, objects.rounds) = (0, objects.rounds + 1);
        return vec![next.noting(thread, SERIAL)];
    }
    next.kept[thread] = state.objects.rounds;
    vec![next.in_phase(thread, 1)]
}

fn once(state: &State, thread: usize) -> Vec<State> {
    let mut next = state.clone();
    match state.phase[thread] {
        0 if state.objects.ended => vec![next.next(thread)],
        0 if state.objects.begun => Vec::new(),
        0 => {
            next.objects.begun = true;
            vec![next.in_phase(thread, 1)]
        }
        1 => {
            next.atomics[0] += 1;
            vec![next.in_phase(thread, 2)]
        }
        _ => {
            next.objects.ended = true;
            vec![next.next(thread)]
        }
    }
}

/// A call on the semaphore with a name.
fn named(state: &State, thread: usize, call: Sync) -> Vec<State> {
    let mut next = state.clone();
    let objects = &mut next.objects;
    match (call, objects.open[thread], objects.name) {
        (Sync::Open(_, true), _, Some(_)) => vec![next.noting(thread, EEXIST)],
        (Sync::Open(false, _), _, None) => vec![next.noting(thread, ENOENT)],
        (Sync::Open(..), _, there) => {
            let this = there.unwrap_or(objects.made);
            if there.is_none() {
                objects.counts[usize::from(this)] = 1;
                (objects.name, objects.made) = (Some(this), this + 1);
            }
            objects.open[thread] = Some(this);
            vec![next.noting(thread, DONE)]
        }
        (Sync::Unlink, _, there) => {
            objects.name = None;
            vec![next.noting(thread, if there.is_some() { DONE } else { ENOENT })]
        }
        (_, None, _) => vec![next.next(thread)],
        (Sync::CloseNamed, ..) => {
            objects.open[thread] = None;
            vec![next.next(thread)]
        }
        (Sync::PostNamed, Some(this), _) => {
            objects.counts[usize::from(this)] += 1;
            vec![next.next(thread)]
        }
        (_, Some(this), _) if objects.counts[usize::from(this)] > 0 => {
            objects.counts[usize::from(this)] -= 1;
            vec![next.noting(thread, DONE)]
        }
        (Sync::TryNamed, ..) => vec![next.noting(thread, EAGAIN)],
        _ => Vec::new(),
    }
}
