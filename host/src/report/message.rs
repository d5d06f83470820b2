//! A finding in words: what is wrong, which threads are concerned, where, and what to do about it.

use super::locks::Held;
use crate::search::CheckedFinding;
use crate::symbols::{Location, Symbols};
use crate::words;
use inspect_core::detect::{Finding, FindingKind, Place, Witness};
use inspect_core::event::{Awaited, ByteRange, Object, Pending, PendingStatus};

/// A finding in words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Description {
    /// One sentence.
    pub headline: String,
    /// One line for each place concerned.
    pub details: Vec<String>,
    /// What to do.
    pub advice: &'static str,
}

/// Describes a finding.
pub fn describe(checked: &CheckedFinding, symbols: &Symbols) -> Description {
    let finding = &checked.reported.finding;
    let pending = checked.context.trace.as_ref().map_or(&[][..], |trace| &trace.pending);
    let held = checked.context.trace.as_ref().map(|trace| Held::after(&trace.events)).unwrap_or_default();
    let mut details: Vec<String> =
        finding.places.iter().map(|place| detail(finding, place, pending, &held, symbols)).collect();
    if let (FindingKind::UninitialisedUse, [_, origin]) = (finding.kind, &finding.places[..]) {
        details[1] = taken_into_use(symbols.locate(origin.site));
    }
    match finding.witness {
        Some(Witness::CoPending) => details.push("in the run shown both accesses are about to happen at once".into()),
        Some(Witness::MemoryOrder) => {
            let order =
                "in the run shown one happens before the other, but nothing in the program guarantees that order";
            let weak = ": the operations between them have memory orders too weak for it";
            // Places after those of the two accesses are those of these operations.
            details.push(if finding.places.len() > 2 { format!("{order}{weak}") } else { order.to_owned() });
        }
        None => {}
    }
    let mut accesses = finding.places.iter().take(2);
    if finding.kind == FindingKind::DataRace && accesses.all(|place| symbols.locate(place.site).volatile) {
        let of_volatile =
            "both accesses are volatile: with --volatile atomic they are atomic ones, and this is no race";
        details.push(of_volatile.to_owned());
    }
    Description { headline: headline(finding, symbols), details, advice: advice(finding.kind) }
}

/// Where memory was taken into use that nobody has initialised.
fn taken_into_use(place: Location) -> String {
    let at = place.place().unwrap_or_else(|| "an unknown place".to_owned());
    let function = place.function.map(|name| format!(" in {name}")).unwrap_or_default();
    format!("the memory was taken into use at {at}{function}, and not initialised")
}

fn headline(finding: &Finding, symbols: &Symbols) -> String {
    use FindingKind::*;
    let who = finding.places.first().map_or_else(|| "a thread".to_owned(), |place| words::thread(place.thread));
    let object = object(finding, symbols);
    let of = |what: &str| object.as_ref().map_or_else(|| format!("a {what}"), |name| format!("{what} `{name}`"));
    match finding.kind {
        DataRace => {
            let what = object.as_ref().map_or_else(|| "the same memory".to_owned(), |name| format!("`{name}`"));
            format!("two threads access {what} without synchronisation, and at least one of them writes")
        }
        Deadlock => "every thread that is left waits, and nobody can wake it".to_owned(),
        Livelock => "threads spin on memory that nobody is left to change".to_owned(),
        LostThread => format!("{who} waits forever although the rest of the program goes on or has ended"),
        Assertion => format!("an assertion fails in {who}"),
        Abort => format!("{who} calls abort"),
        Crash => format!("{who} crashes: {}", words::signal(finding.code)),
        Panic => format!("{who} panics"),
        UncaughtException => format!("{who} throws a C++ exception that nobody catches"),
        ExitStatus => format!("the program ends with status {}", finding.code),
        HeapUseAfterFree => format!("{who} uses a heap block after it was freed"),
        StackUseAfterReturn => format!("{who} uses a variable of another thread that has ended with its function"),
        HeapOverflow => format!("{who} accesses memory beside a heap block"),
        DoubleFree => format!("{who} frees a heap block that was freed before"),
        InvalidFree => format!("{who} frees something that is no heap block"),
        UninitialisedUse => format!("{who} decides by a value that was never initialised"),
        Leak => "a heap block is never freed and nobody can reach it any more".to_owned(),
        MutexUninitialized => format!("{who} uses {}, which is not initialised", of("mutex")),
        MutexZeroInitialized => format!("{who} uses {}, which has no initialiser", of("mutex")),
        MutexNotDestroyed => format!("{} was initialised and is never destroyed", of("mutex")),
        MutexDestroyedLocked => format!("{who} destroys {} while it is locked", of("mutex")),
        MutexRelock => format!("{who} locks {}, which it already holds", of("mutex")),
        UnlockNotOwner => format!("{who} unlocks {}, which it does not hold", of("mutex")),
        CondUninitialized => format!("{who} uses {}, which is not initialised", of("condition variable")),
        CondZeroInitialized => format!("{who} uses {}, which has no initialiser", of("condition variable")),
        CondNotDestroyed => format!("{} was initialised and is never destroyed", of("condition variable")),
        CondTwoMutexes => format!("threads wait on {} with different mutexes", of("condition variable")),
        CondWaitUnlocked => format!("{who} waits on a condition variable without holding {}", of("mutex")),
        MissingPthreadExit => "main returns while other threads are running, which ends them".to_owned(),
        JoinInvalid => format!("{who} {}", invalid_join(finding)),
        ThreadGone => format!("{who} names a thread that was joined, or has ended detached"),
        ThreadNotJoined => "a thread is neither joined nor detached".to_owned(),
        RwlockMisuse => format!("{who} misuses {}", of("read-write lock")),
        BarrierMisuse => format!("{who} misuses {}", of("barrier")),
        SemaphoreMisuse => format!("{who} misuses {}", of("semaphore")),
        DoubleInit => format!("{who} initialises {} a second time", of("synchronisation object")),
        DoubleDestroy => format!("{who} destroys {} a second time", of("synchronisation object")),
        Nonterminating => format!("{who} runs on without an end"),
    }
}

/// What is wrong with a call that joins or detaches a thread.
fn invalid_join(finding: &Finding) -> &'static str {
    let operation = finding.places.first().and_then(|place| place.operation);
    if operation.is_some_and(|operation| operation.detaches().is_some()) {
        "detaches a thread that was joined or detached before"
    } else {
        "joins a thread that cannot be joined"
    }
}

/// The name of the object concerned: the variable at the first place that has one, or the global.
fn object(finding: &Finding, symbols: &Symbols) -> Option<String> {
    let memory = finding.kind == FindingKind::DataRace;
    // Places after those of the two accesses of a race are those of the operations between them.
    let variable = finding.places.iter().take(2).find_map(|place| symbols.locate(place.site).variable);
    match variable {
        Some(variable) if memory => Some(variable),
        Some(_) | None => finding.object.map(|range| symbols.object(range)),
    }
}

fn detail(finding: &Finding, place: &Place, pending: &[Pending], held: &Held, symbols: &Symbols) -> String {
    let mut who = words::thread(place.thread);
    let position = symbols.locate_place(place.thread, place.site);
    if let Some(at) = position.own.place() {
        who.push_str(&format!(" at {at}"));
    }
    if let (Some(_), Some(function)) = (&position.own.file, &position.own.function) {
        who.push_str(&format!(" in {function}"));
    }
    if let Some(inner) = position.inner.as_ref().and_then(Location::place) {
        who.push_str(&format!(", inside {inner}"));
    }
    let stuck = match finding.kind {
        FindingKind::Deadlock | FindingKind::Livelock | FindingKind::LostThread => {
            pending.iter().find(|pending| pending.thread == place.thread)
        }
        // In findings of other kinds the operation of the place is what happened.
        _ => None,
    };
    match (stuck, &place.operation) {
        (Some(pending), _) => format!("{who} {}", waiting(pending, held, symbols)),
        (None, Some(operation)) => format!("{who}: {}", words::operation(operation, place.site, symbols, None)),
        (None, None) => who,
    }
}

/// What a thread that does not go on is waiting for.
pub fn waiting(pending: &Pending, held: &Held, symbols: &Symbols) -> String {
    let what = words::operation(&pending.operation, pending.site, symbols, None);
    match pending.status {
        PendingStatus::Enabled => format!("was about to: {what}"),
        PendingStatus::Parked if pending.operation.awaits_signal() => "waits for a signal".to_owned(),
        PendingStatus::Parked => format!("spins: {what}"),
        PendingStatus::AssumeFailed | PendingStatus::ChosenOtherwise => "is stuck in a failed assumption".to_owned(),
        PendingStatus::Blocked => match words::awaited(pending) {
            Awaited::Release(mutex) => match held.holder(mutex) {
                Some(holder) if holder == pending.thread => {
                    format!("waits for `{}`, which it holds itself", name(mutex, symbols))
                }
                Some(holder) => format!("waits for `{}`, held by {}", name(mutex, symbols), words::thread(holder)),
                None => format!("waits for `{}`", name(mutex, symbols)),
            },
            Awaited::ReleaseByAll(rwlock) => format!("waits for `{}`{}", name(rwlock, symbols), holders(rwlock, held)),
            Awaited::End(other) => format!("waits for the end of {}", words::thread(other)),
            Awaited::Change(object, what) | Awaited::Enabling(object, what) => {
                format!("waits for {what} `{}`", name(object, symbols))
            }
            Awaited::Nothing | Awaited::Never => format!("waits: {what}"),
        },
    }
}

/// Who holds a read-write lock that a writer waits for.
fn holders(rwlock: Object, held: &Held) -> String {
    let writer = held.holder(rwlock).map(words::thread);
    let readers: Vec<String> = held.readers(rwlock).map(words::thread).collect();
    match (writer, readers.is_empty()) {
        (Some(writer), _) => format!(", held by {writer}"),
        (None, false) => format!(", held for reading by {}", readers.join(", ")),
        (None, true) => String::new(),
    }
}

fn name(object: Object, symbols: &Symbols) -> String {
    symbols.object(ByteRange { start: object.0, len: 1 })
}

/// What to do about a kind of finding.
fn advice(kind: FindingKind) -> &'static str {
    use FindingKind::*;
    match kind {
        DataRace => "protect both accesses with the same lock, or make the variable atomic",
        Deadlock => "take locks in the same order everywhere, and signal after the change that others wait for",
        Livelock => "check who is to change the memory, and that this comes before that thread ends or waits",
        LostThread => {
            "check that the signal cannot come before the wait, and that every path to the end wakes the waiters"
        }
        Assertion | Abort | ExitStatus => "follow the trace below: it is the order in which the threads made it happen",
        Crash => "follow the pointer in the trace below back to where another thread changed it",
        Panic => "follow the trace below: it is the order in which the threads made it happen",
        UncaughtException => "catch it inside the thread: it ends the whole process",
        HeapUseAfterFree => "let the last user free the block: count references, or join the users first",
        StackUseAfterReturn => "let the function wait for the users of its variables, or put these on the heap",
        HeapOverflow => "check the index or length against the size of the block",
        DoubleFree => "make one thread the owner, who frees",
        InvalidFree => "free only what malloc and its kin returned",
        UninitialisedUse => "initialise the memory where it is taken into use, or wait for the thread that does",
        Leak => "free the block before its last pointer goes away",
        MutexUninitialized => "call pthread_mutex_init first, or use PTHREAD_MUTEX_INITIALIZER",
        MutexZeroInitialized | CondZeroInitialized => "give it an initialiser: that zeros are one is not portable",
        CondUninitialized => "call pthread_cond_init first, or use PTHREAD_COND_INITIALIZER",
        MutexNotDestroyed => "call pthread_mutex_destroy when nobody uses it any more",
        CondNotDestroyed => "call pthread_cond_destroy when nobody uses it any more",
        MutexDestroyedLocked => "unlock it first, and make sure that nobody can lock it again",
        MutexRelock => "unlock it first, or make it recursive",
        UnlockNotOwner => "unlock in the thread that locked; hand work over with a condition variable or a semaphore",
        CondTwoMutexes => "use one mutex for each condition variable",
        CondWaitUnlocked => "lock the mutex before the wait and check the condition under it",
        MissingPthreadExit => "join the threads before main returns, or end main with pthread_exit",
        JoinInvalid => "join or detach each joinable thread, exactly once",
        ThreadGone => "use the handle of a thread only before it is joined, and not at all once it is detached",
        ThreadNotJoined => "join the thread, or detach it",
        RwlockMisuse | BarrierMisuse | SemaphoreMisuse => "see the manual page of the call at this place",
        DoubleInit => "initialise once, before the threads start (pthread_once helps)",
        DoubleDestroy => "destroy once, after the last user has ended",
        Nonterminating => "check what is to end the loop",
    }
}
