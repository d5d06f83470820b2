//! Identities of local states, for `--local-states delta`: the hooks by which the program announces what has changed in
//! its functions.
//!
//! [`inspect_core::run::Identity`] has the rules by which an identity follows from the one before, and names the
//! dissertation that they are from; `instrument/pass/src/frames/deltas.rs` says how Inspect departs from it.

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
    /// The place of the run in the search tree.
    fn place(&mut self) -> u128 {
        self.places.here(self.run.events())
    }
}

/// `__inspect_delta`: values in the record may have changed since the function's last call.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn __inspect_delta(record: *mut DeltaFrame) {
    // SAFETY: the program's record of the running function, as the pass lays it out: addresses of variables, then
    // values.
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

/// `__inspect_delta_variable`: a variable of the function may have changed since its last call.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn __inspect_delta_variable(record: *mut DeltaFrame, start: u64, size: u64) {
    // SAFETY: the program's record, and a variable of its function.
    unsafe {
        let mut mixer = begin((*record).identity, Covers::Part);
        hash_bytes(&mut mixer, start, size);
        end_of(mixer, record);
    }
}

/// The hash of a delta, begun with the identity that the delta is linked with.
fn begin(identity: Identity, covers: Covers) -> Mixer {
    let [low, high] = identity.start(covers, Linking::Sound);
    let mut mixer = Mixer::new(low);
    mixer.word(high);
    mixer
}

/// Makes the hash of a delta the identity of the record's function.
///
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

/// Gives a fresh identity to each function from `record` outwards that has variables which pointers may lead to.
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
    // Without a record, a function further out keeps an identity that may be wrong.
    if !frames.is_at_end() {
        engine.threads[thread.index()].program_point.lost = true;
    }
}

/// The value of [`DeltaFrame::written`] for more than one address.
const SEVERAL: u64 = u64::MAX;

/// Whether an address lies in the running thread's stack. Identities cover only variables that no other thread reaches.
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

/// `__inspect_delta_returned`: the library that was called has returned.
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

/// A thread has come to a visible operation inside a call made by the function of `record`. The callee may have written
/// to variables of that function's callers: `anywhere`, or through the address that it was given
/// ([`DeltaFrame::written`]).
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

/// The function of `record` has called a library, which may have written where [`DeltaFrame::written`] says.
///
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

/// `size` bytes were written at `start`; 0 stands for any number of bytes of the variable there. Links the identity of
/// each function from `record` outwards with the contents of those of its variables that may have been written to.
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
        // SAFETY: a record of the thread's own with the program's own site, as the pass lays both out; its variables
        // are alive, as the function has not returned.
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
                // Which of the function's variables it is; the address alone need not say so.
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
