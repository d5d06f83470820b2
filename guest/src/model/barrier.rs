//! Barriers: POSIX.
//!
//! A wait is an operation of the thread that completes the round, and two of each other thread: it arrives, and it
//! passes when the round is complete. The serial thread is the one that completes the round, as in the C library.
//!
//! In the C library each thread of a round counts itself out of the barrier before its wait returns, and destroying the
//! barrier waits until all have done so: a thread *leaves* the barrier ([`leave`]).

use super::error::EINVAL;
use super::object::{Shape, all_have_left, leave};
use super::signal::some_are_sent;
use super::uses::Kind;
use super::{early, export, real};
use crate::engine::interruptions::note_looked;
use crate::engine::site::of_call;
use crate::engine::{last_event, visible, with};
use crate::hooks::argument_read;
use crate::platform::started;
use inspect_core::detect::FindingKind;
use inspect_core::event::{BarrierOperation, Object};
use inspect_core::run::Request;

export! {
    interpose_pthread_barrier_init / 3 => init;
    interpose_pthread_barrier_destroy / 1 => destroy;
    interpose_pthread_barrier_wait / 1 => wait;
}

/// `pthread_barrier_t`. The C library uses the first twenty bytes, and while the barrier is not in use two counts at
/// the beginning are zero.
const BARRIER: Kind =
    Kind { shape: Shape::without_initialiser(32, 20, 24, 0), misuse: FindingKind::BarrierMisuse, adopt };

/// `PTHREAD_BARRIER_SERIAL_THREAD`
const SERIAL: i32 = -1;

/// A round takes at most so many threads.
const LARGEST: u32 = u32::MAX / 2;

/// Where the C library keeps how many threads a round takes.
const COUNT: u64 = 8;

/// The count of a barrier that was initialised before main is where the C library has it.
fn adopt(barrier: u64) {
    // SAFETY: the C library has initialised it.
    let count = unsafe { ((barrier + COUNT) as *const u32).read_unaligned() };
    with(|engine| engine.run.note_count(Object(barrier), count));
    BARRIER.shape.after_adoption(barrier);
}

extern "C" fn init(barrier: u64, attributes: u64, count: u32, pc: u64) -> i32 {
    let real = real!("pthread_barrier_init" as fn(u64, u64, u32) -> i32);
    if !started() {
        early::note(barrier);
        return real(barrier, attributes, count);
    }
    argument_read(attributes, 4, of_call(pc));
    if !(1..=LARGEST).contains(&count) {
        return EINVAL;
    }
    let operation = BarrierOperation::Init(Object(barrier), count);
    BARRIER.initialise(barrier, operation, pc, || real(barrier, attributes, count))
}

extern "C" fn destroy(barrier: u64, pc: u64) -> i32 {
    if !started() {
        return real!("pthread_barrier_destroy" as fn(u64) -> i32)(barrier);
    }
    BARRIER.destroy(barrier, BarrierOperation::Destroy(Object(barrier)), pc);
    all_have_left(barrier, BARRIER.shape.size);
    0
}

extern "C" fn wait(barrier: u64, pc: u64) -> i32 {
    if !started() {
        return real!("pthread_barrier_wait" as fn(u64) -> i32)(barrier);
    }
    let site = of_call(pc);
    let used = BARRIER.begin_use(barrier, site);
    let arrive = BarrierOperation::Arrive { barrier: Object(barrier), last: false };
    BARRIER.perform(&used, barrier, arrive, site);
    if last_event().operation.succeeded() == Some(true) {
        leave(barrier, BARRIER.shape.size, site);
        return SERIAL;
    }
    // The thread has looked for signals before it arrived. A look here could come after the arrival that completes the
    // round, which enables the pass and nothing else.
    if some_are_sent() {
        note_looked(true);
    }
    // Once the round is complete, the barrier may be destroyed before every thread has passed.
    visible(Request::new(BarrierOperation::Pass(Object(barrier)).into(), site));
    leave(barrier, BARRIER.shape.size, site);
    0
}
