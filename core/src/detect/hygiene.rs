//! What is left over at the end of a run: objects initialised and never destroyed, threads never joined.
//!
//! Only for runs that ended regularly: the process exited with status 0 or the last thread ended, and no assumption
//! failed. Objects with static initialisers need not be destroyed.
//!
//! - **mutex-not-destroyed**, **cond-not-destroyed**: at the call that initialised the object.
//! - **thread-not-joined**: neither joined nor detached, while no thread is about to join it, and its creator was not
//!   cut short by a thread that ended the process; at its creation.
//! - **missing-pthread-exit**: main ended the process although some thread had not been joined, which main's exit can
//!   cut short. Whether that thread had ended in this run does not matter: nothing but a join orders its end, so in an
//!   equivalent run it had not. At main's exit; the creations of the threads follow.

use super::collect::Collector;
use super::end::assumption_failed;
use super::finding::Finding;
use crate::event::{
    ByteRange, EndKind, Ending, Event, FindingKind, LifecycleChange, Object, Pending, Place, ThreadId, Trace,
};
use crate::run::Run;
use alloc::vec::Vec;

/// Counts during a run which threads and objects are left over, so that the end of a run without any costs nothing.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Balance {
    /// Threads created less threads joined.
    threads: u32,
    /// The sum of numbers of the objects initialised, less that of the objects destroyed; each object has its own
    /// number.
    objects: u64,
}

impl Balance {
    /// Counts what an event begins or ends.
    #[inline]
    pub(super) fn on_event(&mut self, event: &Event) {
        if event.operation.begins_or_ends() {
            self.count(event);
        }
    }

    #[cold]
    fn count(&mut self, event: &Event) {
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

/// Reports what a run has left over.
pub(super) fn look(run: &Run, collector: &mut Collector, out: &mut Vec<Finding>) {
    let trace = run.trace();
    let ended_well = trace.ending == Ending::Completed
        && matches!(trace.process_end(), None | Some((_, EndKind::Exit(0) | EndKind::LastThread)))
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
    // The creations of threads that were not joined and that no thread is about to join. Timers, and the threads that
    // they begin, cannot be joined, and end with the process.
    let left = || {
        trace.events.iter().filter(|event| !event.operation.starts_timer()).filter_map(|event| {
            let child = event.operation.creates()?;
            let info = run.thread_info(child);
            let is_left = !info.joined && !awaited(trace, child) && !is_timer(trace, event.thread);
            is_left.then_some((event, info.detached))
        })
    };
    for (event, _) in left().filter(|&(event, detached)| !detached && !was_cut_short(trace, event.thread)) {
        collector.start().push(place(event));
        collector.report(FindingKind::ThreadNotJoined, None, 0, run, out);
    }
    let end_by_main = trace.process_end().filter(|&(who, how)| who == ThreadId::MAIN && how != EndKind::LastThread);
    if let (Some(_), Some(end), Some(_)) = (end_by_main, trace.events.last(), left().next()) {
        let places = collector.start();
        places.push(place(end));
        places.extend(left().map(|(event, _)| place(event)));
        collector.report(FindingKind::MissingPthreadExit, None, 0, run, out);
    }
}

/// Whether a thread is the expiry of a timer.
fn is_timer(trace: &Trace, thread: ThreadId) -> bool {
    let starts = |event: &Event| event.operation.starts_timer() && event.operation.creates() == Some(thread);
    trace.events.iter().any(starts)
}

/// Whether another thread ended the process before `creator` was done: it may have been going to join its threads.
fn was_cut_short(trace: &Trace, creator: ThreadId) -> bool {
    let is_its = |pending: &Pending| pending.thread == creator && !pending.operation.is_last();
    trace.process_end().is_some_and(|(who, _)| who != creator) && trace.pending.iter().any(is_its)
}

/// Whether a thread is about to join `child`.
fn awaited(trace: &Trace, child: ThreadId) -> bool {
    trace.pending.iter().any(|pending| pending.operation.joins() == Some(child))
}

fn place(event: &Event) -> Place {
    Place { thread: event.thread, site: event.site, operation: Some(event.operation) }
}
