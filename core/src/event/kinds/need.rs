//! What operations wait for.

use super::{Flow, Side};
use crate::event::{Object, ThreadId};

/// What an operation waits for before it can be taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Need {
    /// Nothing: it can always be taken.
    Nothing,
    /// This mutex has to be free, or to be the thread's own if it is recursive.
    Mutex(Object),
    /// No thread may be running the initialiser of this once object.
    Once(Object),
    /// This semaphore has to have a unit.
    Unit(Object),
    /// This read-write lock has to be available to a thread of that side.
    Rwlock(Object, Side),
    /// This read-write lock, which prefers waiting writers, has to be available to a thread of that side.
    WriterFirst(Object, Side),
    /// The round of the barrier at which the thread has arrived has to be complete.
    Round(Object),
    /// This thread has to have ended.
    EndOf(ThreadId),
    /// The cancellation of this thread has to have been requested.
    RequestTo(ThreadId),
    /// Its thread has to have been woken at a futex word whose waiters it has joined; that with this queue is one.
    Wake(Object),
    /// This channel, or one of those that are looked at with it, has to offer what the operation wants.
    Channel(Object, Flow),
    /// No other thread may be able to go on.
    OthersStopped,
    /// It is never taken.
    Never,
}

impl Need {
    /// Whether the operation waits until another thread gives something back: a mutex, the right to run an initialiser,
    /// a unit of a semaphore.
    #[inline]
    pub fn is_end_of_hold(self) -> bool {
        match self {
            Need::Mutex(_)
            | Need::Once(_)
            | Need::Unit(_)
            | Need::Rwlock(..)
            | Need::WriterFirst(..)
            | Need::Channel(..) => true,
            Need::Nothing
            | Need::Round(_)
            | Need::EndOf(_)
            | Need::RequestTo(_)
            | Need::Wake(_)
            | Need::OthersStopped
            | Need::Never => false,
        }
    }

    /// Whether several operations together may meet the need, so that which of them could be left out depends on all of
    /// them.
    #[inline]
    pub fn is_met_by_several(self) -> bool {
        match self {
            Need::Unit(_) | Need::Rwlock(_, Side::Writer) | Need::WriterFirst(..) | Need::Channel(..) => true,
            Need::Nothing
            | Need::Mutex(_)
            | Need::Once(_)
            | Need::Rwlock(_, Side::Reader)
            | Need::Round(_)
            | Need::EndOf(_)
            | Need::RequestTo(_)
            | Need::Wake(_)
            | Need::OthersStopped
            | Need::Never => false,
        }
    }

    /// Whether the events of a run show when the need is met after any prefix of their partial order, and not only
    /// after the prefixes that the run went through.
    pub fn is_foreseen(self) -> bool {
        match self {
            Need::WriterFirst(..) | Need::Channel(..) => false,
            Need::Nothing
            | Need::Mutex(_)
            | Need::Once(_)
            | Need::Unit(_)
            | Need::Rwlock(..)
            | Need::Round(_)
            | Need::EndOf(_)
            | Need::RequestTo(_)
            | Need::Wake(_)
            | Need::OthersStopped
            | Need::Never => true,
        }
    }

    /// The mutex that has to be free.
    #[inline]
    pub fn mutex(self) -> Option<Object> {
        match self {
            Need::Mutex(mutex) => Some(mutex),
            Need::Nothing
            | Need::Once(_)
            | Need::Unit(_)
            | Need::Rwlock(..)
            | Need::WriterFirst(..)
            | Need::Round(_)
            | Need::EndOf(_)
            | Need::RequestTo(_)
            | Need::Wake(_)
            | Need::Channel(..)
            | Need::OthersStopped
            | Need::Never => None,
        }
    }

    /// Whether it is that its thread was woken.
    #[inline]
    pub fn is_wake(self) -> bool {
        matches!(self, Need::Wake(_))
    }

    /// What others have to do before the need is met.
    #[inline]
    pub fn awaited(self) -> Awaited {
        match self {
            Need::Nothing => Awaited::Nothing,
            Need::Mutex(mutex) => Awaited::Release(mutex),
            Need::Once(once) => Awaited::Change(once, "the initialiser of"),
            Need::Unit(semaphore) => Awaited::Change(semaphore, "a post of"),
            Need::Rwlock(rwlock, Side::Reader) => Awaited::Release(rwlock),
            Need::Rwlock(rwlock, Side::Writer) => Awaited::ReleaseByAll(rwlock),
            Need::WriterFirst(rwlock, Side::Reader) => Awaited::Change(rwlock, "the writers that have or want"),
            Need::WriterFirst(rwlock, Side::Writer) => Awaited::Change(rwlock, "those who have"),
            Need::Round(barrier) => Awaited::Enabling(barrier, "more threads at"),
            Need::EndOf(thread) => Awaited::End(thread),
            Need::RequestTo(thread) => Awaited::Enabling(Object::cancellation(thread), "a request for"),
            Need::Wake(queue) => Awaited::Enabling(queue, "a futex wake of"),
            Need::Channel(channel, Flow::Input) => Awaited::Change(channel, "data in"),
            Need::Channel(channel, Flow::Room) => Awaited::Change(channel, "room in"),
            Need::Channel(channel, Flow::Connection) => Awaited::Change(channel, "a connection at"),
            Need::Channel(channel, Flow::Place) => Awaited::Change(channel, "room in the queue of"),
            Need::Channel(channel, Flow::Events) => Awaited::Change(channel, "events of"),
            Need::Channel(channel, Flow::Either) => Awaited::Change(channel, "what it polls for of"),
            Need::OthersStopped | Need::Never => Awaited::Never,
        }
    }
}

/// What others have to do before an operation can be taken, as far as the events of a run show it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Awaited {
    /// Nothing.
    Nothing,
    /// Whoever holds this object has to give it back, if that is another thread ([`Touch::hold`](super::Touch::hold)).
    Release(Object),
    /// Whoever holds this object for writing has to give it back, if that is another thread, and so does everybody who
    /// has it for reading.
    ReleaseByAll(Object),
    /// Another thread has to touch this object, if the last touch keeps others waiting
    /// ([`Touch::keeps_waiting`](super::Touch::keeps_waiting)); one that was not touched yet is available. The words
    /// say what is waited for, before the object's name.
    Change(Object, &'static str),
    /// Another thread has to make the operation possible, by an event that is its enabling edge. The words are as those
    /// of a change.
    Enabling(Object, &'static str),
    /// This thread has to end.
    End(ThreadId),
    /// What others do does not help: the operation is taken when nobody else can go on, or never.
    Never,
}

impl Awaited {
    /// The object at which the operation waits.
    pub fn object(self) -> Option<Object> {
        match self {
            Awaited::Release(object)
            | Awaited::ReleaseByAll(object)
            | Awaited::Change(object, _)
            | Awaited::Enabling(object, _) => Some(object),
            Awaited::Nothing | Awaited::End(_) | Awaited::Never => None,
        }
    }
}
