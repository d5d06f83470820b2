//! Initials: the threads that can begin a continuation which reverses a race.
//!
//! Paper: Abdulla, Aronis, Jonsson, Sagonas, "Optimal dynamic partial order reduction", POPL 2014, definition 4.1.

use crate::event::ThreadSet;
use crate::order::{EventId, Path};

/// The initials of the continuation from position `at` that reverses the race of the event there with `later`: the
/// events of the path that do not happen after the earlier event, then the later one. A thread is an initial if no
/// event of the continuation happens before the thread's first one. `past` is a clock: it counts what happens before
/// `later` even without the dependence of `later` on the earlier event.
pub(super) fn initials(path: &Path, at: u32, later: EventId, past: &[u32]) -> ThreadSet {
    let (mut initials, seen) = known_initials(path, at);
    let own = path.node(later).thread;
    if !seen.contains(own) && is_minimal(path, at, later, past, seen) {
        initials.insert(own);
    }
    initials
}

/// The initials of the continuation from position `at` that reverses the race of the event there with one beyond the
/// end of the path, as far as the path shows them: the threads of minimal events of the path, and the thread of
/// `beginning` if no event of the continuation happens before it. `beginning` is a minimal one of the events beyond the
/// path that happen before the later event of the race.
pub(super) fn initials_beyond(path: &Path, at: u32, beginning: EventId, past: &[u32]) -> ThreadSet {
    let (mut initials, seen) = known_initials(path, at);
    let thread = path.node(beginning).thread;
    if !seen.contains(thread) && is_minimal(path, at, beginning, past, seen) {
        initials.insert(thread);
    }
    initials
}

/// The initials of a continuation that begins with the events of the path which do not happen after the one at `at`,
/// whatever follows; and all threads with an event among these.
pub(super) fn known_initials(path: &Path, at: u32) -> (ThreadSet, ThreadSet) {
    let earlier = path.events()[at as usize];
    let (mut initials, mut seen) = (ThreadSet::EMPTY, ThreadSet::EMPTY);
    for &event in &path.events()[at as usize + 1..] {
        let thread = path.node(event).thread;
        let clock = path.clock(event);
        if path.counts(clock, earlier) {
            continue;
        }
        if !seen.contains(thread) && is_minimal(path, at, event, clock, seen) {
            initials.insert(thread);
        }
        seen.insert(thread);
    }
    (initials, seen)
}

/// Whether no event between position `at` and `event`, by the threads `seen` in the continuation, happens before
/// `event`, which has this clock.
fn is_minimal(path: &Path, at: u32, event: EventId, clock: &[u32], seen: ThreadSet) -> bool {
    let end = (path.node(event).position as usize).min(path.len());
    path.events()[at as usize + 1..end].iter().all(|&other| {
        let thread = path.node(other).thread;
        !(seen.contains(thread) && path.counts(clock, other))
    })
}
