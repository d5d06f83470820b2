//! The preemptions of a run, and an equivalent order of its events with few of them.
//!
//! Jeff Huang, Charles Zhang: "An Efficient Static Trace Simplification Technique for Debugging Concurrent Programs",
//! SAS 2011. Claim: any order of a trace's events that respects their dependences shows the same bug, so a trace can
//! be made simpler without running the program again; the fewest switches of such an order are hard to find, and to go
//! on with the thread that ran last as long as its next event may come next finds an order with few.
//! Departures: the paper counts switches, and merges events of a thread in a graph of dependences. Here the order is
//! built from its beginning by the same preference. Where the thread that ran last cannot go on, a thread follows whose
//! events come before that thread's next event. What matters in the end are preemptions, as a switch away from a thread
//! that cannot go on costs nothing; they are counted in a run that was made in the new order.

use super::{EventId, Recorded};
use crate::event::{Event, Step, ThreadId, Trace};
use alloc::vec;
use alloc::vec::Vec;

/// How many times a run switches away from a thread that could have gone on. A switch away from a thread that waits
/// with a timeout, has asked to wait for a futex word (whether it waits or not), or has yielded, is no preemption.
pub fn preemptions(events: &[Event]) -> u32 {
    let is_preempted = |before: &Event, next: &Event| {
        before.thread != next.thread && !before.operation.gives_way() && next.enabled.contains(before.thread)
    };
    events.windows(2).filter(|pair| is_preempted(&pair[0], &pair[1])).count() as u32
}

/// The steps of an equivalent order with few switches.
pub fn simplified(trace: &Trace) -> Vec<Step> {
    let mut recorded = Recorded::new();
    trace.events.iter().for_each(|event| {
        recorded.append(event);
    });
    let mut prefix = vec![0; recorded.path().stride()];
    let mut steps = Vec::with_capacity(trace.events.len());
    let mut thread = ThreadId::MAIN;
    while let Some(event) = next(&recorded, thread, &prefix) {
        thread = recorded.path().node(event).thread;
        prefix[thread.index()] += 1;
        steps.push(Step { thread, choice: recorded.choice(event) });
    }
    steps
}

/// The event that comes next after a prefix whose last step was taken by `thread`. None after the last one.
fn next(recorded: &Recorded, thread: ThreadId, prefix: &[u32]) -> Option<EventId> {
    let own = recorded.following(thread, prefix);
    // An end of the process depends on nothing and comes last all the same.
    let ends = |event: EventId| recorded.path().operation(event).ends_process().is_some();
    if let Some(event) = own.filter(|&event| recorded.is_ready(event, prefix) && !ends(event)) {
        return Some(event);
    }
    let is_needed = |other: ThreadId| {
        own.is_some_and(|event| {
            recorded.path().clock(event).get(other.index()).is_some_and(|&c| c > prefix[other.index()])
        })
    };
    let threads = (0..prefix.len()).map(ThreadId::at);
    let ready = threads.filter_map(|other| Some((other, recorded.following(other, prefix)?)));
    let ready = ready.filter(|&(_, event)| recorded.is_ready(event, prefix));
    // Those that the thread has to wait for, then in the order of the trace.
    ready.min_by_key(|&(other, event)| (ends(event), !is_needed(other), event)).map(|(_, event)| event)
}
