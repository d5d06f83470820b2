//! Identities of local states, for `--local-states delta`: figure 4.4 of the Inspect dissertation without its table. What
//! is the paper's and what is ours is told where deltas are made (`instrument/pass/src/frames/deltas.rs`).
//!
//! By which rules identities follow each other is [`inspect_core::run::Identity`]'s business; here the program says what has
//! changed.

use super::state::{Engine, with};
use super::states::{Frames, Teller};
use super::step::me;
use crate::platform::contents::Mixer;
use crate::platform::started;
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
extern "C" fn __inspect_delta(record: *mut DeltaFrame) {
    // SAFETY: the program's record of the running function, as the pass lays it out: addresses of variables, then values.
    unsafe {
        let place = (*record).frame.site;
        let CallSite { values, variables, flags, .. } = *place;
        let mut mixer = begin((*record).identity, if flags & site::TOTAL != 0 { Covers::Everything } else { Covers::Part });
        mixer.word(place as u64);
        let values_at = record.add(1).cast::<u64>().add(variables as usize);
        mixer.words(core::slice::from_raw_parts(values_at, values as usize));
        end(mixer, record);
    }
}

/// `__inspect_delta_variable`: a variable may have changed since the last call.
#[unsafe(no_mangle)]
extern "C" fn __inspect_delta_variable(record: *mut DeltaFrame, start: u64, size: u64) {
    // SAFETY: the program's record, and a variable of its function.
    unsafe {
        let mut mixer = begin((*record).identity, Covers::Part);
        mixer.bytes(start, size);
        end(mixer, record);
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
unsafe fn end(mixer: Mixer, record: *mut DeltaFrame) {
    // SAFETY: passed on.
    unsafe { (*record).identity = Identity::of(mixer.finish()) };
}

elsewhere!(unknown_elsewhere(record: u64) => note_unknown);

/// `__inspect_unknown_delta`: variables of this record's function or of its callers may have changed.
#[unsafe(no_mangle)]
extern "C" fn __inspect_unknown_delta(record: u64) {
    if started() {
        unknown_elsewhere(record);
    }
}

extern "C" fn note_unknown(record: u64) {
    with(|engine| {
        if let Some(teller) = engine.teller {
            unknown(engine, &teller, me(), record);
        }
    });
}

/// Gives fresh identities to the functions from `record` outwards that have variables which pointers may lead to.
pub(super) fn unknown(engine: &mut Engine, teller: &Teller, thread: ThreadId, record: u64) {
    let place = engine.place();
    let mut frames = Frames::of(teller, thread.index(), record);
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
        engine.threads[thread.index()].stand.lost = true;
    }
}
