//! Records what threads do between visible operations, for a search that prunes what cannot lead to a race, and reads what
//! the program's own table tells of its code ([`inspect_wire::facts`]).

use super::state::{RUNNING, with};
use super::step::me;
use crate::platform::Global;
use alloc::vec::Vec;
use inspect_core::event::MAX_THREADS;
use inspect_core::event::{ByteRange, Record, RecordKind};
use inspect_core::explore::{Facts, RecordCompactor};
use inspect_wire::facts;

/// Whether records are wanted.
static WANTED: Global<bool> = Global::new(false);

/// The table: its address and the number of its words.
static TABLE: Global<(u64, u64)> = Global::new((0, 0));

/// How many modules have told their tables.
static TABLES: Global<u32> = Global::new(0);

/// By thread: the point it is at. Another one is told before anything is done there.
static POINTS: Global<[u32; MAX_THREADS]> = Global::new([0; MAX_THREADS]);

static NOTES: Global<RecordCompactor> = Global::new(RecordCompactor::new());

/// By point: whether it matters on which ways it lies (`inspect_core::explore::Point::fixed`).
static FIXED: Global<Vec<bool>> = Global::new(Vec::new());

/// From now on there are records.
pub(super) fn want() {
    WANTED.write(true);
}

/// Whether records are wanted.
#[inline(always)]
pub(crate) fn are_wanted() -> bool {
    WANTED.read()
}

/// A module tells what is known of its code.
pub(crate) fn note_facts(words: u64, count: u64) {
    TABLE.write((words, count));
    TABLES.write(TABLES.read() + 1);
}

/// What is known of the code; nothing if it is in several modules, whose points would be mixed up.
pub(super) fn facts() -> Facts {
    let (words, count) = TABLE.read();
    if TABLES.read() != 1 || words == 0 {
        return Facts::default();
    }
    // SAFETY: the pass hands over the address of a constant of so many words, which lives as long as the program.
    let words: Vec<u64> = unsafe { core::slice::from_raw_parts(words as *const u64, count as usize) }.to_vec();
    let facts = facts::decode(&words).unwrap_or_default();
    // SAFETY: no run is in progress.
    *unsafe { FIXED.get() } = facts.points.iter().map(|point| point.fixed).collect();
    facts
}

const POINT: u64 = 0;
const READ: u64 = 1;
const WRITE: u64 = 2;
const BRANCH: u64 = 3;
const JOIN_POINT: u64 = 4;
const OPERATION: u64 = 5;

/// The running thread comes to a point. An access there tells it by itself, a call may do nothing that would.
#[inline(always)]
pub(crate) fn point(point: u32) {
    if !are_wanted() || !RUNNING.read() {
        return;
    }
    // SAFETY: one OS thread; no other reference is in use.
    let points = unsafe { POINTS.get() };
    points[me().index()] = point & !facts::CALL;
    if point & facts::CALL != 0 {
        push_elsewhere(POINT, 0, 0);
    }
}

/// The running thread is about to perform a visible operation at its point.
#[inline(always)]
pub(super) fn operation() {
    push_elsewhere(OPERATION, 0, 0);
}

/// A run begins.
pub(super) fn begin() {
    // SAFETY: no run is in progress.
    unsafe { NOTES.get() }.forget();
}

/// The run is over: what was noted since the last operation is written down.
pub(super) fn end() {
    if are_wanted() {
        // SAFETY: no run is in progress.
        with(|engine| unsafe { NOTES.get() }.end(&mut engine.run.trace_mut().records));
    }
}

/// The run goes on from a checkpoint: threads are where their last records say.
pub(super) fn resumed() {
    if !are_wanted() {
        return;
    }
    begin();
    with(|engine| {
        // SAFETY: no run is in progress.
        let points = unsafe { POINTS.get() };
        for record in &engine.run.trace().records {
            if let RecordKind::Point(point) = record.kind {
                points[record.thread.index()] = point;
            }
        }
    });
}

/// The running thread makes a plain access that is no visible operation.
#[inline(always)]
pub(crate) fn access(range: ByteRange, write: bool) {
    if are_wanted() {
        push_elsewhere(if write { WRITE } else { READ }, range.start, range.len.into());
    }
}

/// The running thread takes a way from a branch.
#[inline(always)]
pub(crate) fn branch(point: u32, way: u32, activation: u64) {
    if are_wanted() {
        push_elsewhere(BRANCH, u64::from(point) << 32 | u64::from(way), activation);
    }
}

/// The running thread comes to where ways meet.
#[inline(always)]
pub(crate) fn join_point(join_point: u32, activation: u64) {
    if are_wanted() {
        push_elsewhere(JOIN_POINT, join_point.into(), activation);
    }
}

elsewhere!(push_elsewhere(code: u64, first: u64, second: u64) => push);

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
