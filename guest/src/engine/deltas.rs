//! Identities of local states, for `--local-states delta`: figure 4.4 of the Inspect dissertation without its table. What
//! is the paper's and what is ours is told where deltas are made (`instrument/pass/src/frames/deltas.rs`).
//!
//! The identity after a delta is a hash of the one before and the delta. After an unknown one it is a hash of all choices
//! made so far, which is different at each state of the search tree and the same whenever a run comes by there again.

use super::state::{Engine, with};
use super::states::{Frames, Teller};
use super::step::me;
use crate::platform::contents::Mixer;
use crate::platform::started;
use core::hash::Hash;
use inspect_core::event::ThreadId;
use inspect_core::run::StateHasher;
use inspect_wire::hooks::{CallSite, DeltaFrame, site};

/// The choices of the present run, hashed as far as somebody has asked.
#[derive(Debug, Default)]
pub(crate) struct Choices {
    taken: usize,
    hasher: StateHasher,
}

impl Engine {
    /// An identity that nothing else has at any other state.
    fn fresh(&mut self) -> u128 {
        let events = self.run.events();
        for event in &events[self.choices.taken..] {
            (event.thread, event.choice).hash(&mut self.choices.hasher);
        }
        self.choices.taken = events.len();
        self.choices.hasher.key()
    }
}

/// `__inspect_delta`: values or variables may have changed since the last call.
#[unsafe(no_mangle)]
extern "C" fn __inspect_delta(record: *mut DeltaFrame) {
    // SAFETY: the program's record of the running function, as the pass lays it out: addresses of variables, then values.
    unsafe {
        let place = (*record).frame.site;
        let CallSite { values, variables, flags, .. } = *place;
        let mut mixer = begin(if flags & site::TOTAL != 0 { [0, 0] } else { (*record).identity });
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
        let mut mixer = begin((*record).identity);
        mixer.bytes(start, size);
        end(mixer, record);
    }
}

fn begin([low, high]: [u64; 2]) -> Mixer {
    let mut mixer = Mixer::new(low);
    mixer.word(high);
    mixer
}

/// # Safety
/// The record can be written.
unsafe fn end(mixer: Mixer, record: *mut DeltaFrame) {
    let identity = mixer.finish();
    // SAFETY: passed on.
    unsafe { (*record).identity = [identity as u64, (identity >> 64) as u64] };
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
    let fresh = engine.fresh();
    let mut frames = Frames::of(teller, thread.index(), record);
    while let Some(frame) = frames.next() {
        // SAFETY: a record of the thread's own in a program whose records have identities, with the program's own site.
        unsafe {
            if (*(*frame).site).flags & site::VULNERABLE != 0 {
                let mut mixer = Mixer::new(frame as u64);
                mixer.pair(fresh as u64, (fresh >> 64) as u64);
                end(mixer, frame.cast::<DeltaFrame>());
            }
        }
    }
    // Somebody out there may have been missed.
    if !frames.is_at_end() {
        engine.threads[thread.index()].stand.lost = true;
    }
}
