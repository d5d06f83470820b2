//! Threads that have joined the waiters of futex words and are not blocked yet: those that will wait for several words,
//! and those that will wait for a lock with priority inheritance. (`pthread_join` is not meant.)

use super::effect::After;
use super::{Request, Run, Status, World};
use crate::event::{EventIndex, FutexOperation, Object, Ownership, ThreadId, ThreadSet};

/// The bits of a lock's word that hold the number of its owner (`FUTEX_TID_MASK`).
const OWNER: u32 = 0x3fff_ffff;

impl Request {
    /// A request to lock or unlock a lock with priority inheritance by the thread with this number. It is kept in a
    /// field that such an operation does not use.
    pub fn by_owner(mut self, number: u32) -> Self {
        self.expected = number;
        self
    }
}

impl Run {
    /// The first event that has woken a thread since it joined the waiters of a futex word.
    pub(super) fn woken_by(&self, thread: ThreadId) -> Option<EventIndex> {
        self.woken.iter().find(|(woken, _)| *woken == thread).map(|(_, by)| *by)
    }

    /// Whether a thread that has joined the waiters of a word was woken there.
    pub(super) fn has_left(&self, thread: ThreadId, word: Object) -> bool {
        !self.objects.peek(Object::futex(word.0)).waiters.contains(thread)
    }

    /// Whose a lock is, for a thread that has requested to lock or unlock it.
    pub(super) fn ownership(&self, thread: ThreadId, word: Object, world: &impl World) -> Ownership {
        let number = self.threads[thread.index()].request.expected;
        match world.value(FutexOperation::bytes_of(word)) as u32 & OWNER {
            0 => Ownership::Free,
            owner if owner == number => Ownership::Own,
            _ => Ownership::Others,
        }
    }

    #[inline(never)]
    pub(super) fn apply_to_joined(&mut self, thread: ThreadId, operation: FutexOperation, world: &impl World) -> After {
        match operation {
            FutexOperation::Join { word, joined: true, .. }
            | FutexOperation::Lock { word, found: Ownership::Others, .. } => {
                self.objects.get(Object::futex(word.0)).waiters.insert(thread);
            }
            FutexOperation::Rest { .. } => self.woken.retain(|(woken, _)| *woken != thread),
            FutexOperation::Leave { word, .. } => {
                self.objects.get(Object::futex(word.0)).waiters.remove(thread);
                self.woken.retain(|(woken, _)| *woken != thread);
            }
            FutexOperation::Unlock { word, woken, .. } => {
                self.wake_waiters(woken.into_iter().collect(), Object::futex(word.0), world);
            }
            FutexOperation::Join { joined: false, .. }
            | FutexOperation::Lock { found: Ownership::Free | Ownership::Own, .. }
            | FutexOperation::Wait { .. }
            | FutexOperation::Expire { .. }
            | FutexOperation::Resume { .. } => {}
        }
        After::RunsOn
    }

    /// Wakes a thread that has joined the waiters of a word: if it rests, it can go on.
    pub(super) fn wake_joined(&mut self, thread: ThreadId, queue: Object, by: EventIndex) {
        self.objects.get(queue).waiters.remove(thread);
        if self.woken_by(thread).is_some() {
            return;
        }
        self.woken.push((thread, by));
        let slot = &mut self.threads[thread.index()];
        if slot.status == Status::Arrived && slot.need().is_wake() {
            slot.enabled_by = Some(by);
            self.enabled.insert(thread);
        }
    }

    /// Notes that a requeue moves these threads.
    pub(super) fn note_moved(&mut self, threads: ThreadSet) {
        let has_joined = |thread: ThreadId| self.threads[thread.index()].status != Status::Waiting;
        self.moved_joined |= threads.iter().any(has_joined);
    }

    /// Whether a requeue has moved a thread that had joined the waiters of a futex word. The run does not know at which
    /// word such a thread is woken, so the driver ends the run.
    pub fn has_moved_joined(&self) -> bool {
        self.moved_joined
    }
}
