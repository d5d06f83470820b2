//! Records what threads do between visible operations, for a search that prunes what cannot lead to a race.

use super::code_facts::{FIXED, NOTES, POINTS, are_wanted};
use super::service_stack::on_service_stack;
use super::state::{RUNNING, with};
use super::threads::me;
use inspect_core::event::{ByteRange, Record, RecordKind};
use inspect_wire::facts;

const POINT: u64 = 0;
const READ: u64 = 1;
const WRITE: u64 = 2;
const BRANCH: u64 = 3;
const JOIN_POINT: u64 = 4;
const OPERATION: u64 = 5;

/// The running thread comes to a point. The record of an access names its point; a call may make no access, so its
/// point gets a record of its own.
#[inline(always)]
pub(crate) fn point(point: u32) {
    if !are_wanted() || !RUNNING.read() {
        return;
    }
    // SAFETY: one OS thread; no other reference is in use.
    let points = unsafe { POINTS.get() };
    points[me().index()] = point & !facts::CALL;
    if point & facts::CALL != 0 {
        push_on_service_stack(POINT, 0, 0);
    }
}

/// The running thread is about to perform a visible operation at its point.
#[inline(always)]
pub(super) fn operation() {
    push_on_service_stack(OPERATION, 0, 0);
}

/// The run is over: completes its records.
pub(crate) fn end() {
    if are_wanted() {
        // SAFETY: the run is over, and only hooks use it.
        with(|engine| unsafe { NOTES.get() }.end(&mut engine.run.trace_mut().records));
    }
}

/// The running thread makes a plain access that is no visible operation.
#[inline(always)]
pub(crate) fn access(range: ByteRange, write: bool) {
    if are_wanted() {
        push_on_service_stack(if write { WRITE } else { READ }, range.start, range.len.into());
    }
}

/// The running thread takes the side `path` of the branch at `point`, in the call `activation` of its function.
#[inline(always)]
pub(crate) fn branch(point: u32, path: u32, activation: u64) {
    if are_wanted() {
        push_on_service_stack(BRANCH, u64::from(point) << 32 | u64::from(path), activation);
    }
}

/// The running thread comes to a join point, where the sides of a branch meet, in the call `activation` of its
/// function.
#[inline(always)]
pub(crate) fn join_point(join_point: u32, activation: u64) {
    if are_wanted() {
        push_on_service_stack(JOIN_POINT, join_point.into(), activation);
    }
}

on_service_stack!(push_on_service_stack(code: u64, first: u64, second: u64) => push);

extern "C" fn push(code: u64, first: u64, second: u64) {
    if !RUNNING.read() {
        return;
    }
    let range = ByteRange { start: first, len: second as u32 };
    // SAFETY: one OS thread; no other reference is in use.
    let current = unsafe { POINTS.get() }[me().index()];
    let kind = match code {
        POINT | OPERATION => RecordKind::Point(current),
        READ | WRITE => RecordKind::Access { point: Some(current), range, write: code == WRITE },
        BRANCH => RecordKind::Branch { point: (first >> 32) as u32, taken: first as u32, activation: second },
        _ => RecordKind::Merge { merge: first as u32, activation: second },
    };
    with(|engine| {
        let trace = engine.run.trace_mut();
        let at = trace.events.len() as u32;
        // SAFETY: one OS thread; no other reference is in use.
        let (notes, fixed) = unsafe { (NOTES.get(), FIXED.get()) };
        let is_fixed = code == POINT && fixed.get(current as usize).is_some_and(|fixed| *fixed);
        if is_fixed {
            notes.end(&mut trace.records);
        }
        notes.add(&mut trace.records, Record { at, thread: me(), kind });
        if is_fixed || code == OPERATION {
            notes.end(&mut trace.records);
        }
    });
}
