//! Identities of local states, for `--local-states delta`: figure 4.4 of the Inspect dissertation without its table. What
//! is the paper's and what is ours is said where deltas are made (`instrument/pass/src/frames/deltas.rs`).
//!
//! By which rules identities follow each other is [`inspect_core::run::Identity`]'s business; here the program says what has
//! changed.

use super::frames::{Frames, StateRecorder};
use super::service_stack::on_service_stack;
use super::state::{Engine, with};
use super::threads::me;
use crate::platform::contents::{Mixer, hash_bytes};
use crate::platform::{fiber, started};
use inspect_core::event::ThreadId;
use inspect_core::run::{Covers, Identity, Linking};
use inspect_wire::hooks::{CallSite, DeltaFrame, site};

impl Engine {
    /// Where in the search tree the run is.
    fn place(&mut self) -> u128 {
        self.places.here(self.run.events())
    }
}

/// `__inspect_delta`: values or variables may have changed since the last call.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn __inspect_delta(record: *mut DeltaFrame) {
    // SAFETY: the program's record of the running function, as the pass lays it out: addresses of variables, then values.
    unsafe {
        let place = (*record).frame.site;
        let CallSite { values, variables, flags, .. } = *place;
        let mut mixer =
            begin((*record).identity, if flags & site::TOTAL != 0 { Covers::Everything } else { Covers::Part });
        mixer.word(place as u64);
        let values_at = record.add(1).cast::<u64>().add(variables as usize);
        mixer.words(core::slice::from_raw_parts(values_at, values as usize));
        end_of(mixer, record);
    }
}

/// `__inspect_delta_variable`: a variable may have changed since the last call.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn __inspect_delta_variable(record: *mut DeltaFrame, start: u64, size: u64) {
    // SAFETY: the program's record, and a variable of its function.
    unsafe {
        let mut mixer = begin((*record).identity, Covers::Part);
        hash_bytes(&mut mixer, start, size);
        end_of(mixer, record);
    }
}

fn begin(identity: Identity, covers: Covers) -> Mixer {
    let [low, high] = identity.start(covers, Linking::Sound);
    let mut mixer = Mixer::new(low);
    mixer.word(high);
    mixer
}

/// # Safety
/// The record can be written.
unsafe fn end_of(mixer: Mixer, record: *mut DeltaFrame) {
    // SAFETY: passed on.
    unsafe { (*record).identity = Identity::of(mixer.finish()) };
}

on_service_stack!(unknown_on_service_stack(record: u64) => note_unknown);

/// `__inspect_unknown_delta`: variables of this record's function or of its callers may have changed.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn __inspect_unknown_delta(record: *mut DeltaFrame) {
    if started() {
        unknown_on_service_stack(record as u64);
    }
}

extern "C" fn note_unknown(record: u64) {
    with(|engine| {
        if let Some(state_recorder) = *engine.state_recorder {
            unknown(engine, &state_recorder, me(), record);
        }
    });
}

/// Gives fresh identities to the functions from `record` outwards that have variables which pointers may lead to.
pub(super) fn unknown(engine: &mut Engine, state_recorder: &StateRecorder, thread: ThreadId, record: u64) {
    let place = engine.place();
    let mut frames = Frames::of(state_recorder, thread.index(), record);
    while let Some(frame) = frames.next() {
        // SAFETY: a record of the thread's own in a program whose records have identities, with the program's own site.
        unsafe {
            if (*(*frame).site).flags & site::VULNERABLE != 0 {
                let identity = &mut (*frame.cast::<DeltaFrame>()).identity;
                *identity = identity.unknown(frame as u64, place, Linking::Sound);
            }
        }
    }
    // Somebody out there may have been missed.
    if !frames.is_at_end() {
        engine.threads[thread.index()].program_point.lost = true;
    }
}

/// [`DeltaFrame::written`]: more than one address.
const SEVERAL: u64 = u64::MAX;

/// Whether an address lies in the running thread's stack. Deltas are made for variables that belong to one thread alone.
fn is_own(address: u64) -> bool {
    fiber::slot_of_address(address) == Some(fiber::current_slot())
}

on_service_stack!(through_on_service_stack(record: u64, start: u64, size: u64) => note_through);

/// `__inspect_delta_through`: bytes were written, perhaps in variables of this record's function or of its callers.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn __inspect_delta_through(record: *mut DeltaFrame, start: u64, size: u64) {
    if is_own(start) && size > 0 && started() {
        through_on_service_stack(record as u64, start, size);
    }
}

extern "C" fn note_through(record: u64, start: u64, size: u64) {
    with(|engine| {
        if let Some(state_recorder) = *engine.state_recorder {
            changed(engine, &state_recorder, me(), record, (start, size));
        }
    });
}

/// `__inspect_delta_called`: the library that is called next may write at an address.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn __inspect_delta_called(record: *mut DeltaFrame, address: u64) {
    if is_own(address) {
        // SAFETY: the program's record of the running function.
        let written = unsafe { &mut (*record).written };
        *written = if [0, address].contains(written) { address } else { SEVERAL };
    }
}

on_service_stack!(returned_on_service_stack(record: u64) => note_returned);

/// `__inspect_delta_returned`: it has come back.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn __inspect_delta_returned(record: *mut DeltaFrame) {
    // SAFETY: the program's record of the running function.
    if unsafe { (*record).written } != 0 {
        if started() {
            returned_on_service_stack(record as u64);
        }
        // SAFETY: as above.
        unsafe { (*record).written = 0 };
    }
}

extern "C" fn note_returned(record: u64) {
    with(|engine| {
        if let Some(state_recorder) = *engine.state_recorder {
            // SAFETY: passed on.
            unsafe { called(engine, &state_recorder, me(), record as *const DeltaFrame) };
        }
    });
}

/// A thread has come to a visible operation in what this function has called, which may have written to variables of the
/// function's callers: `anywhere`, or at the address that the call was given.
///
/// # Safety
/// The record is one of the thread's.
pub(super) unsafe fn arrived(
    engine: &mut Engine,
    state_recorder: &StateRecorder,
    thread: ThreadId,
    record: *const DeltaFrame,
    anywhere: bool,
) {
    if anywhere {
        unknown(engine, state_recorder, thread, record as u64);
    } else {
        // SAFETY: passed on.
        unsafe { called(engine, state_recorder, thread, record) };
    }
}

/// # Safety
/// As for [`arrived`].
unsafe fn called(engine: &mut Engine, state_recorder: &StateRecorder, thread: ThreadId, record: *const DeltaFrame) {
    // SAFETY: passed on.
    let (written, caller) = unsafe { ((*record).written, (*record).frame.caller as u64) };
    match written {
        0 => {}
        SEVERAL => unknown(engine, state_recorder, thread, caller),
        address => changed(engine, state_recorder, thread, caller, (address, 0)),
    }
}

/// Links the identities of the functions from `record` outwards with the contents of those of their variables to which
/// something was written: so many bytes, or 0 for any number of a variable's.
fn changed(
    engine: &mut Engine,
    state_recorder: &StateRecorder,
    thread: ThreadId,
    record: u64,
    (start, size): (u64, u64),
) {
    let end = start.saturating_add(size.max(1));
    let mut frames = Frames::of(state_recorder, thread.index(), record);
    while let Some(frame) = frames.next() {
        // SAFETY: a record of the thread's own with the program's own site, as the pass lays both out; its variables are
        // alive, as the function has not returned.
        unsafe {
            let record = frame.cast::<DeltaFrame>();
            let place = (*frame).site;
            let (addresses, sizes) = (record.add(1).cast::<u64>(), place.add(1).cast::<u64>());
            for at in 0..(*place).variables as usize {
                let (variable, bytes) = (*addresses.add(at), *sizes.add(at));
                let bytes = if bytes & site::BY_DELTA == 0 { 0 } else { bytes & !site::BY_DELTA };
                if start >= variable.saturating_add(bytes) || end <= variable {
                    continue;
                }
                let mut mixer = begin((*record).identity, Covers::Part);
                // Which of the function's variables it is: where they lie may be anywhere in the frame.
                mixer.word(at as u64);
                if size == 0 {
                    hash_bytes(&mut mixer, variable, bytes);
                } else {
                    let from = start.max(variable);
                    hash_bytes(&mut mixer, from, end.min(variable + bytes) - from);
                }
                end_of(mixer, record);
            }
        }
    }
    if !frames.is_at_end() {
        engine.threads[thread.index()].program_point.lost = true;
    }
}
