//! What a run leaves behind: objects initialised and never destroyed, threads nobody waits for.
//!
//! Looked at only when the program ended as it meant to: the process exited with status 0 or the last thread ended, and
//! no assumption failed. Static initialisers need no destroy.
//!
//! - **mutex-not-destroyed**, **cond-not-destroyed**: at the call that initialised the object.
//! - **thread-not-joined**: neither joined nor detached, nor is anybody waiting to join it, nor was its creator cut short
//!   by an end of the process that is another thread's; at its creation.
//! - **missing-pthread-exit**: main ended the process although nobody had waited for some thread, which its exit can cut
//!   short. Whether that thread was quicker in this run does not matter: nothing but a join orders its end, so an
//!   equivalent run exists in which it was not. At main's exit; the creations of the threads follow.

use super::collect::Collector;
use super::end::assumption_failed;
use super::finding::Finding;
use crate::event::{
    ByteRange, EndKind, Ending, Event, FindingKind, LifecycleChange, Object, Pending, Place, ThreadId, Trace,
};
use crate::run::Run;
use alloc::vec::Vec;

/// Counts what is open while a run goes on, so that a run that leaves nothing behind costs nothing at its end.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Balance {
    /// Threads created less threads joined.
    threads: u32,
    /// Sum over objects initialised less objects destroyed, each by a number of its own.
    objects: u64,
}

impl Balance {
    pub(super) fn on_event(&mut self, event: &Event) {
        let number = |object: Object| (object.0 | 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        match event.operation.lifecycle() {
            Some(LifecycleChange::Begins(object, _)) => self.objects = self.objects.wrapping_add(number(object)),
            Some(LifecycleChange::Ends(object, _)) => self.objects = self.objects.wrapping_sub(number(object)),
            None => {}
        }
        let (created, joined) = (event.operation.creates().is_some(), event.operation.joins().is_some());
        self.threads = self.threads.wrapping_add(u32::from(created)).wrapping_sub(u32::from(joined));
    }

    /// Whether every object initialised was destroyed and every thread joined. (Objects that only look so because their
    /// numbers happen to cancel: one in 2^64.)
    pub(super) fn is_even(&self) -> bool {
        self.threads == 0 && self.objects == 0
    }
}

/// Looks through a run that left something behind.
pub(super) fn look(run: &Run, collector: &mut Collector, out: &mut Vec<Finding>) {
    let trace = run.trace();
    let ended_well = trace.ending == Ending::Completed
        && matches!(trace.process_end(), None | Some((_, EndKind::Exit(0))))
        && !assumption_failed(trace);
    if !ended_well {
        return;
    }
    objects(run, collector, out);
    threads(run, collector, out);
}

fn objects(run: &Run, collector: &mut Collector, out: &mut Vec<Finding>) {
    let mut open = core::mem::take(&mut collector.open);
    open.clear();
    for (at, event) in run.events().iter().enumerate() {
        let (object, kind) = match event.operation.lifecycle() {
            Some(LifecycleChange::Begins(object, kind)) => (object, kind.left_behind()),
            Some(LifecycleChange::Ends(object, _)) => (object, None),
            None => continue,
        };
        open.retain(|&(known, ..)| known != object);
        open.extend(kind.map(|kind| (object, kind, at)));
    }
    for &(object, kind, at) in &open {
        collector.start().push(place(&run.events()[at]));
        collector.report(kind, Some(ByteRange { start: object.0, len: 1 }), 0, run, out);
    }
    collector.open = open;
}

fn threads(run: &Run, collector: &mut Collector, out: &mut Vec<Finding>) {
    let trace = run.trace();
    // The creations of threads that nobody has joined, nor is about to.
    let left = || {
        trace.events.iter().filter_map(|event| {
            let child = event.operation.creates()?;
            let info = run.thread_info(child);
            (!info.joined && !awaited(trace, child)).then_some((event, info.detached))
        })
    };
    for (event, _) in left().filter(|&(event, detached)| !detached && !was_cut_short(trace, event.thread)) {
        collector.start().push(place(event));
        collector.report(FindingKind::ThreadNotJoined, None, 0, run, out);
    }
    if let (Some((ThreadId::MAIN, _)), Some(end), Some(_)) = (trace.process_end(), trace.events.last(), left().next()) {
        let places = collector.start();
        places.push(place(end));
        places.extend(left().map(|(event, _)| place(event)));
        collector.report(FindingKind::MissingPthreadExit, None, 0, run, out);
    }
}

/// Whether another thread ended the process before `creator` was done: it may have been going to join its threads.
fn was_cut_short(trace: &Trace, creator: ThreadId) -> bool {
    let is_its = |pending: &Pending| pending.thread == creator && !pending.operation.is_last();
    trace.process_end().is_some_and(|(who, _)| who != creator) && trace.pending.iter().any(is_its)
}

/// Whether a thread stands in the join of `child`.
fn awaited(trace: &Trace, child: ThreadId) -> bool {
    trace.pending.iter().any(|pending| pending.operation.joins() == Some(child))
}

fn place(event: &Event) -> Place {
    Place { thread: event.thread, site: event.site, operation: Some(event.operation) }
}
