//! The ways to touch an object: one row for each, with all that is true of it.
//!
//! Which touches of semaphores and read-write locks conflict, and which of these pairs can be reversed, is derived in
//! `event/operation/semaphore.rs`, `event/operation/rwlock.rs`, `event/operation/writer_first.rs` and
//! `event/operation/channel.rs`.

mod ordering;

use self::ordering::{ONLY_READING, ORDERING_ALL, ORDERING_RIVALS};
use super::{HoldChange, UnitChange, Waiting};
use crate::event::EffectKind;

/// What is true of a touch, beside which others it commutes with. A row of the list [`touches!`] says what differs from
/// [`ONLY_LOOKS`].
#[derive(Clone, Copy)]
struct Row {
    /// How it changes which thread holds the object: a mutex, or a read-write lock for writing.
    hold: Option<HoldChange>,
    /// By how many it changes the number of holds for reading.
    readers: i8,
    /// What it waits for.
    waiting: Waiting,
    /// How it changes the units of a semaphore.
    units: UnitChange,
    /// Whether it may make an object that threads wait for unavailable to them, or available.
    changes_availability: bool,
    /// Whether the next touch of the object has to wait for another one.
    keeps_waiting: bool,
    /// Next touches that had to wait until it was made.
    enables: Set,
    /// What the touch is just before one of these, if a rival stands there.
    before_with_rival: Option<(Set, Touch)>,
    /// As what static facts describe it.
    effect: Option<EffectKind>,
}

/// The row of a touch that looks at its object, changes nothing and waits for nothing.
const ONLY_LOOKS: Row = Row {
    hold: None,
    readers: 0,
    waiting: Waiting::No,
    units: UnitChange::None,
    changes_availability: false,
    keeps_waiting: false,
    enables: 0,
    before_with_rival: None,
    effect: None,
};

/// A set of touches, one bit each.
type Set = u64;

/// From the list of touches makes [`Touch`] and the tables of what is true of each.
macro_rules! touches {
    ($($(#[$about:meta])* $touch:ident of $family:ident, commutes with [$($other:ident)*], { $($row:tt)* })*) => {
        /// In which way an operation touches an object.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[repr(u8)]
        pub enum Touch {
            $($(#[$about])* $touch,)*
        }

        /// All touches.
        const ALL: [Touch; [$(Touch::$touch),*].len()] = [$(Touch::$touch),*];

        /// The kinds of objects that are touched.
        const FAMILIES: [u8; ALL.len()] = [$($family),*];

        /// The touches of the same object with which each commutes.
        const COMMUTING: [Set; ALL.len()] = [$(of(&[$(Touch::$other),*])),*];

        /// What else is true of each.
        const ROWS: [Row; ALL.len()] = [$(Row { $($row)* ..ONLY_LOOKS }),*];
    };
}

// Kinds of objects, one bit each. Any synchronisation object has a life cycle.
const MEMORY: u8 = 1;
const MUTEX: u8 = 2;
const WAITERS: u8 = 4;
const ONCE: u8 = 8;
const SEMAPHORE: u8 = 16;
const RWLOCK: u8 = 32;
const BARRIER: u8 = 64;
const CANCELLATION: u8 = 128;
const CHANNEL: u8 = CANCELLATION; // No object is both.
const THREAD: u8 = WAITERS; // Nor are claims of a thread and waiters.
const ANY: u8 = 0;

const fn of(touches: &[Touch]) -> Set {
    let (mut set, mut at) = (0, 0);
    while at < touches.len() {
        set |= 1 << touches[at] as u8;
        at += 1;
    }
    set
}

const fn has(set: Set, touch: Touch) -> bool {
    set >> touch as u8 & 1 == 1
}

/// The locks for reading, and those for writing, that wait at a read-write lock that prefers waiting writers.
const READERS_WAIT: Set =
    of(&[Touch::ReaderWaitsForAll, Touch::ReaderJoins, Touch::ReaderWaitsForWriters, Touch::ReaderEnters]);
const WRITERS_WAIT: Set =
    of(&[Touch::WriterWaitsForAll, Touch::WriterWaitsForReaders, Touch::WriterFollows, Touch::WriterEnters]);

touches! {
    /// Reads the bytes of a range.
    Read of MEMORY, commutes with [Read Compare], {}
    /// Writes the bytes of a range.
    Write of MEMORY, commutes with [], {}
    /// A compare-exchange that fails: reads, and might have written.
    Compare of MEMORY, commutes with [Read Compare], {}

    /// Changes the life cycle of a synchronisation object: init, destroy.
    Lifecycle of ANY, commutes with [], {
        hold: Some(HoldChange::Clears),
        units: UnitChange::Ends,
        changes_availability: true,
    }

    /// Takes a mutex, waiting until it is free (lock, the end of a wait).
    Acquire of MUTEX, commutes with [], {
        hold: Some(HoldChange::Takes),
        waiting: Waiting::ForRelease,
        changes_availability: true,
        effect: Some(EffectKind::Lock),
    }
    /// Takes a mutex without having had to wait for it (successful trylock). With a rival, which is a failed trylock,
    /// this one would have failed as well, unless the mutex is destroyed, which does not change who holds it.
    TryAcquire of MUTEX, commutes with [], {
        hold: Some(HoldChange::Takes),
        changes_availability: true,
        before_with_rival: Some((!of(&[Touch::Lifecycle]), Touch::Probe)),
        effect: Some(EffectKind::TryLock),
    }
    /// Gives a mutex up. A blocking lock had to wait for it.
    Release of MUTEX, commutes with [], {
        hold: Some(HoldChange::Gives),
        changes_availability: true,
        enables: of(&[Touch::Acquire]),
        effect: Some(EffectKind::Unlock),
    }
    /// Looks at a mutex without changing it (failed trylock). The mutex was held, so a blocking lock had to wait.
    Probe of MUTEX, commutes with [Probe], {
        enables: of(&[Touch::Acquire]),
        effect: Some(EffectKind::TryLock),
    }

    /// Joins the waiters of a condition variable or of a futex word. Waiters form a set: the order in which they join
    /// and leave it is not visible, as a signal may choose any of them.
    Enqueue of WAITERS, commutes with [Enqueue Dequeue], { effect: Some(EffectKind::Wait), }
    /// Leaves the waiters of a condition variable or of a futex word without a signal.
    Dequeue of WAITERS, commutes with [Enqueue Dequeue], { effect: Some(EffectKind::Expire), }
    /// Joins the waiters of a condition variable in a program that waits for it with several mutexes. Waits that are
    /// there at once with different mutexes are a misuse, so the order of a beginning and an end is visible.
    EnqueueAmongOthers of WAITERS, commutes with [EnqueueAmongOthers], { effect: Some(EffectKind::Wait), }
    /// Leaves the waiters of a condition variable without a signal, in such a program. It stands for the beginning of
    /// the wait as well (`explore::pdp`), so it commutes with no more than that does.
    DequeueAmongOthers of WAITERS, commutes with [], { effect: Some(EffectKind::Expire), }
    /// Wakes waiters of a condition variable or of a futex word. With a rival, which is a lost signal, this one would
    /// have been lost as well.
    Wake of WAITERS, commutes with [], {
        before_with_rival: Some((!0, Touch::WakeNobody)),
        effect: Some(EffectKind::Wake),
    }
    /// A signal or broadcast that found no waiter.
    WakeNobody of WAITERS, commutes with [WakeNobody], { effect: Some(EffectKind::Wake), }
    /// Wakes those waiters of a futex word that a bitset selects, if there are some.
    WakeSelected of WAITERS, commutes with [], { effect: Some(EffectKind::Wake), }

    /// Enters a once object as the one who runs the initialiser.
    OnceRun of ONCE, commutes with [], {
        waiting: Waiting::ForEnabling,
        changes_availability: true,
        keeps_waiting: true,
    }
    /// Passes a once object whose initialiser has run.
    OncePass of ONCE, commutes with [OncePass], { waiting: Waiting::ForEnabling, }
    /// Leaves the initialiser of a once object, which is done or, if it failed, as at first. A thread that passes, or
    /// tries again, waited for it.
    OnceDone of ONCE, commutes with [], {
        changes_availability: true,
        enables: of(&[Touch::OncePass, Touch::OnceRun]),
    }

    /// Initialises a semaphore with a count of zero.
    InitEmpty of SEMAPHORE, commutes with [], {
        units: UnitChange::Begins,
        changes_availability: true,
        keeps_waiting: true,
    }
    /// Adds a unit to a semaphore.
    Post of SEMAPHORE, commutes with [Post], {
        units: UnitChange::Gives,
        changes_availability: true,
    }
    /// Adds a unit, or fails to, where another post may fail.
    PostNearLimit of SEMAPHORE, commutes with [], {
        units: UnitChange::Gives,
        changes_availability: true,
    }
    /// Takes a unit, which it may have had to wait for, and leaves others.
    Take of SEMAPHORE, commutes with [], {
        waiting: Waiting::ForUnit(2),
        units: UnitChange::Takes,
        changes_availability: true,
    }
    /// Takes the only unit, which it may have had to wait for.
    TakeLast of SEMAPHORE, commutes with [], {
        waiting: Waiting::ForUnit(1),
        units: UnitChange::Takes,
        changes_availability: true,
        keeps_waiting: true,
    }
    /// Waits for a unit at the end of a run.
    Await of SEMAPHORE, commutes with [], {
        waiting: Waiting::ForUnit(0),
        units: UnitChange::Looks,
        keeps_waiting: true,
    }
    /// Takes a unit without having had to wait for it, and leaves others (trywait).
    TryTake of SEMAPHORE, commutes with [], { units: UnitChange::Takes, changes_availability: true, }
    /// Takes the only unit without having had to wait for it (trywait). Just before the post that gave the unit, it
    /// finds none.
    TryTakeLast of SEMAPHORE, commutes with [], {
        units: UnitChange::Takes,
        changes_availability: true,
        keeps_waiting: true,
        before_with_rival: Some((of(&[Touch::Post, Touch::PostNearLimit]), Touch::TryFindNone)),
    }
    /// Looks at a count above zero.
    FindSome of SEMAPHORE, commutes with [FindSome FindNone TryFindNone], { units: UnitChange::Looks, }
    /// Looks at a count of zero.
    FindNone of SEMAPHORE, commutes with [FindSome FindNone TryFindNone], {
        units: UnitChange::Looks,
        keeps_waiting: true,
    }
    /// Finds no unit to take (failed trywait). Just before the last unit was taken, it takes that unit.
    TryFindNone of SEMAPHORE, commutes with [FindSome FindNone TryFindNone], {
        units: UnitChange::Looks,
        keeps_waiting: true,
        before_with_rival: Some((of(&[Touch::TakeLast, Touch::TryTakeLast]), Touch::TryTakeLast)),
    }

    /// Takes a read-write lock for reading, waiting until no writer has it.
    ReadLock of RWLOCK, commutes with [FailedReadLock ReadUnlock], {
        readers: 1,
        waiting: Waiting::ForRelease,
        changes_availability: true,
    }
    /// Takes a read-write lock for writing, waiting until nobody has it.
    WriteLock of RWLOCK, commutes with [], {
        hold: Some(HoldChange::Takes),
        waiting: Waiting::ForReleaseByAll,
        changes_availability: true,
    }
    /// Takes a read-write lock for reading without having had to wait. Just before a writer's unlock it fails.
    TryReadLock of RWLOCK, commutes with [FailedReadLock ReadUnlock], {
        readers: 1,
        changes_availability: true,
        before_with_rival: Some((of(&[Touch::WriteUnlock]), Touch::FailedReadLock)),
    }
    /// Takes a read-write lock for writing without having had to wait. Just before an unlock it fails.
    TryWriteLock of RWLOCK, commutes with [], {
        hold: Some(HoldChange::Takes),
        changes_availability: true,
        before_with_rival: Some((of(&[Touch::ReadUnlock, Touch::WriteUnlock]), Touch::FailedWriteLock)),
    }
    /// Finds that a writer has a read-write lock. Just before that writer takes the lock, this finds it free.
    FailedReadLock of RWLOCK, commutes with [FailedReadLock FailedWriteLock ReadLock TryReadLock ReadUnlock], {
        before_with_rival: Some((of(&[Touch::WriteLock, Touch::TryWriteLock]), Touch::TryReadLock)),
    }
    /// Finds that somebody has a read-write lock. Just before a writer takes the lock, this finds it free.
    FailedWriteLock of RWLOCK, commutes with [FailedReadLock FailedWriteLock], {
        before_with_rival: Some((of(&[Touch::WriteLock, Touch::TryWriteLock]), Touch::TryWriteLock)),
    }
    /// Gives a read-write lock back after reading.
    ReadUnlock of RWLOCK, commutes with [FailedReadLock ReadLock TryReadLock ReadUnlock], {
        readers: -1,
        changes_availability: true,
    }
    /// Gives a read-write lock back after writing.
    WriteUnlock of RWLOCK, commutes with [], {
        hold: Some(HoldChange::Gives),
        changes_availability: true,
    }

    /// Waits as a reader for a lock that prefers waiting writers and is available to nobody.
    ReaderWaitsForAll of RWLOCK, commutes with [], {
        waiting: Waiting::ForEnabling, changes_availability: true, enables: READERS_WAIT | WRITERS_WAIT,
    }
    /// Takes a lock that prefers waiting writers as one more reader.
    ReaderJoins of RWLOCK, commutes with [], {
        waiting: Waiting::ForEnabling, changes_availability: true, enables: WRITERS_WAIT,
    }
    /// Waits as a reader for a lock that prefers waiting writers and is available to writers only.
    ReaderWaitsForWriters of RWLOCK, commutes with [], {
        waiting: Waiting::ForEnabling, changes_availability: true, enables: READERS_WAIT,
    }
    /// Takes a lock that prefers waiting writers as its only reader.
    ReaderEnters of RWLOCK, commutes with [], {
        waiting: Waiting::ForEnabling, changes_availability: true,
    }
    /// Waits as a writer for a lock that prefers waiting writers and is available to nobody.
    WriterWaitsForAll of RWLOCK, commutes with [], {
        waiting: Waiting::ForEnabling, changes_availability: true, enables: READERS_WAIT | WRITERS_WAIT,
    }
    /// Waits as a writer for a lock that prefers waiting writers while readers have it.
    WriterWaitsForReaders of RWLOCK, commutes with [], {
        waiting: Waiting::ForEnabling, changes_availability: true, enables: WRITERS_WAIT,
    }
    /// Takes a lock that prefers waiting writers as a writer, where readers would have to wait.
    WriterFollows of RWLOCK, commutes with [], {
        waiting: Waiting::ForEnabling, changes_availability: true, enables: READERS_WAIT,
    }
    /// Takes a lock that prefers waiting writers as a writer, where a reader could have taken it.
    WriterEnters of RWLOCK, commutes with [], { waiting: Waiting::ForEnabling, changes_availability: true, }
    /// Any other step at a lock that prefers waiting writers, while the lock is available to nobody.
    StepWhileClosed of RWLOCK, commutes with [], {
        changes_availability: true, enables: READERS_WAIT | WRITERS_WAIT,
    }
    /// Any other step at a lock that prefers waiting writers, while the lock is available to readers only.
    StepAmongReaders of RWLOCK, commutes with [], { changes_availability: true, enables: WRITERS_WAIT, }
    /// Any other step at a lock that prefers waiting writers, while the lock is available to writers only.
    StepAmongWriters of RWLOCK, commutes with [], { changes_availability: true, enables: READERS_WAIT, }
    /// Any other step at a lock that prefers waiting writers, while the lock is available to both sides.
    StepWhileOpen of RWLOCK, commutes with [], { changes_availability: true, }

    /// Arrives at a barrier.
    Arrive of BARRIER, commutes with [], {}

    /// Requests that a thread be cancelled.
    RequestCancellation of CANCELLATION, commutes with [], {}
    /// Finds out whether the cancellation of a thread was requested.
    LookForRequest of CANCELLATION, commutes with [LookForRequest], {}

    /// Joins or detaches a thread, which can be done once: one of two such operations is a misuse.
    Claim of THREAD, commutes with [End], {}
    /// Uses the handle of a thread, which is a misuse if the thread was joined, in a program that does so with no
    /// thread that was detached.
    UseHandle of THREAD, commutes with [UseHandle UseHandleOfDetached End], {}
    /// Uses the handle of a thread, which is a misuse if the thread was joined, or was detached and has ended.
    UseHandleOfDetached of THREAD, commutes with [UseHandle UseHandleOfDetached], {}
    /// Ends the thread. What makes its handle invalid is that it is detached as well, or joined.
    End of THREAD, commutes with [Claim UseHandle], {}

    /// Uses a channel without having to wait.
    UseChannel of CHANNEL, commutes with [], { changes_availability: true, }
    /// Waits for something that a channel offers, and takes it.
    WaitAtChannel of CHANNEL, commutes with [], { waiting: Waiting::ForOffer, changes_availability: true, }
}

impl Touch {
    /// How a signal or broadcast touches what its waiters wait at, if there are `any`.
    pub fn of_wake(any: bool) -> Touch {
        if any { Touch::Wake } else { Touch::WakeNobody }
    }

    /// Whether the order of two touches of one object matters. Symmetric.
    #[inline]
    pub fn conflicts(self, other: Touch) -> bool {
        !has(COMMUTING[self as usize], other)
    }

    /// Whether the order of two touches of overlapping ranges matters.
    ///
    /// A failed compare-exchange counts as a read only among accesses of exactly its own bytes. Otherwise its outcome,
    /// which other accesses decide, would decide whether it conflicts with an overlapping access. A search that finds
    /// races in one path at a time cannot take that into account.
    #[inline]
    pub fn conflicts_in(self, other: Touch, same_range: bool) -> bool {
        self.conflicts(other) || (!same_range && (self == Touch::Compare || other == Touch::Compare))
    }

    /// Whether this mode conflicts with every mode, so that it is ordered with all other touches of the object.
    #[inline]
    pub fn orders_all(self) -> bool {
        has(ORDERING_ALL, self)
    }

    /// Whether this mode conflicts with every mode with which `other` conflicts: what was before a touch in this mode,
    /// and conflicts with one in the mode `other`, happens before it.
    #[inline]
    pub fn orders_rivals_of(self, other: Touch) -> bool {
        has(ORDERING_RIVALS[other as usize], self)
    }

    /// Whether this mode, among the modes of touching one range as one kind of object, conflicts only with modes that
    /// [order all](Self::orders_all), and is none of these.
    #[inline]
    pub fn only_reads(self) -> bool {
        has(ONLY_READING, self)
    }

    /// The kind of object that is touched in this mode, as one bit. No bit if it may be any synchronisation object.
    #[inline]
    pub(crate) fn family(self) -> u8 {
        FAMILIES[self as usize]
    }

    /// How a touch in this mode changes which thread holds a mutex, at most: a change of the life cycle may clear it.
    #[inline]
    pub fn hold(self) -> Option<HoldChange> {
        ROWS[self as usize].hold
    }

    /// Whether a touch in this mode may make an object that threads wait for unavailable to them, or available.
    #[inline]
    pub fn changes_availability(self) -> bool {
        ROWS[self as usize].changes_availability
    }

    /// Whether an object touched in this mode was necessarily unavailable just before for an operation that touches it
    /// next as `later`. If so, the first operation enables the second, and the two do not race.
    pub fn enables(self, later: Touch) -> bool {
        has(ROWS[self as usize].enables, later)
    }

    /// Whether an operation that touches an object in this mode waits until the object is available.
    #[inline]
    pub fn waiting(self) -> Waiting {
        ROWS[self as usize].waiting
    }

    /// Whether an operation that waits for a [change](super::Awaited::Change) of an object has to wait for another
    /// touch if the last touch of the object was in this mode.
    pub fn keeps_waiting(self) -> bool {
        ROWS[self as usize].keeps_waiting
    }

    /// By how many a touch in this mode changes the number of holds for reading.
    #[inline]
    pub fn change_of_readers(self) -> i32 {
        i32::from(ROWS[self as usize].readers)
    }

    /// For an operation that waits for a unit of a semaphore, and an earlier touch in this mode, after which the
    /// semaphore has `units` (two standing for more): whether the operation could have been taken just before that
    /// touch; and the `units` with which to ask the same about the touch before. Whether there was a semaphore before
    /// an initialisation is not known here.
    pub fn wait_before(self, units: u8) -> (bool, u8) {
        match ROWS[self as usize].units {
            UnitChange::Gives if units < 2 => (false, 0),
            UnitChange::Gives | UnitChange::Takes | UnitChange::None => (true, units),
            UnitChange::Looks => (units > 0, units),
            UnitChange::Begins => (false, 0),
            UnitChange::Ends => (false, units),
        }
    }

    /// How an operation that touches an object in this mode would touch it just before an `earlier` touch, in an order
    /// in which a *rival* stands there: another operation that conflicts with the `earlier` touch as well, but not with
    /// this operation. If nothing that would change the rival comes between, this operation finds what the rival finds.
    /// What the earlier touch took was there to be taken. For a compare-exchange, values decide.
    pub fn before_with_rival(self, earlier: Touch) -> Touch {
        match ROWS[self as usize].before_with_rival {
            Some((before, instead)) if has(before, earlier) => instead,
            Some(_) | None => self,
        }
    }

    /// The effect by which static facts describe a touch in this mode. `None` for objects whose kind they do not
    /// [describe](super::ObjectKind::is_described), and for accesses and changes of a life cycle, which the mode of the
    /// access or the kind of the object describes.
    pub fn effect(self) -> Option<EffectKind> {
        ROWS[self as usize].effect
    }
}

#[cfg(test)]
mod tests;
