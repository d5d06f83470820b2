//! The program's frame records ([`inspect_wire::hooks::Frame`]), which hold the live values and variables of each of
//! its functions, for searches that compare states.

use crate::platform::contents::{Mixer, hash_bytes};
use crate::platform::layout::Range;
use crate::platform::{Global, fiber};
use inspect_core::event::SiteId;
use inspect_wire::hooks::{CallSite, DeltaFrame, Frame, site};
use inspect_wire::message::Uncompared;

/// The address of the main thread's variable that holds the address of its innermost record; 0 if the program's
/// constructor has announced none.
static INNERMOST: Global<u64> = Global::new(0);
/// The program's records are [`DeltaFrame`]s.
static DELTAS: Global<bool> = Global::new(false);

/// Notes what the program's constructor announces: the address of the main thread's variable that holds the address of
/// its innermost record, and whether records are [`DeltaFrame`]s.
pub(super) fn announce(innermost: u64, deltas: bool) {
    INNERMOST.write(innermost);
    DELTAS.write(deltas);
}

/// What was announced; None in a program without records.
pub(super) fn announced() -> Option<(u64, bool)> {
    (INNERMOST.read() != 0).then(|| (INNERMOST.read(), DELTAS.read()))
}

/// How many states could not be compared, by reason, and where a thread stood in the first of them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct UncomparedStates([(u64, SiteId); Uncompared::ALL.len()]);

impl UncomparedStates {
    /// Counts one more state that could not be compared for this reason, where a thread stands at `site`.
    pub(super) fn count(&mut self, why: Uncompared, site: SiteId) {
        let (states, first) = &mut self.0[why as usize];
        if *states == 0 {
            *first = site;
        }
        *states += 1;
    }

    /// How many states could not be compared for this reason, and where a thread stood in the first of them.
    pub(crate) fn of(&self, why: Uncompared) -> (u64, SiteId) {
        self.0[why as usize]
    }
}

/// What is known of the program's frames, in a search that compares states.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StateRecorder {
    /// The distance from the thread pointer to the thread's variable that holds the address of its innermost record.
    pub(super) distance: u64,
    /// The program's image.
    pub(super) program: Range,
    /// The guest's image.
    pub(super) engine: Range,
    /// There may be C++ objects that are destroyed with their thread.
    pub(super) destroys: bool,
    /// Records hold identities of local states.
    pub(super) deltas: bool,
    /// What C11 orders is part of a state.
    pub(super) ordered: bool,
}

impl StateRecorder {
    /// The address of the variable in which the thread of a slot has the address of its innermost record.
    pub(super) fn innermost(&self, slot: usize) -> *mut u64 {
        fiber::thread_pointer(slot).wrapping_add(self.distance) as *mut u64
    }
}

/// The records of a thread, from the innermost one outwards.
pub(super) struct Frames<'a> {
    state_recorder: &'a StateRecorder,
    stack: Range,
    next: u64,
}

impl<'a> Frames<'a> {
    /// The records of the thread of a slot, from the innermost one outwards.
    pub(super) fn new(state_recorder: &'a StateRecorder, slot: usize) -> Frames<'a> {
        // SAFETY: the thread's own variable, which every thread of the program has.
        Frames::of(state_recorder, slot, unsafe { *state_recorder.innermost(slot) })
    }

    /// The records from the one at `next` outwards.
    pub(super) fn of(state_recorder: &'a StateRecorder, slot: usize, next: u64) -> Frames<'a> {
        Frames { state_recorder, stack: fiber::stack(slot), next }
    }

    /// Whether there is no record further out.
    pub(super) fn is_at_end(&self) -> bool {
        self.next == 0
    }

    /// The next record. None at the end, and where no record is found before the end: [`is_at_end`](Self::is_at_end).
    pub(super) fn next(&mut self) -> Option<*mut Frame> {
        let record = Range::new(self.next, size_of::<Frame>() as u64);
        let inside = self.next.is_multiple_of(8) && self.stack.contains(record.start) && record.end <= self.stack.end;
        if !inside {
            return None;
        }
        let frame = self.next as *mut Frame;
        // SAFETY: the record lies inside the thread's stack, which is mapped.
        let (caller, site) = unsafe { ((*frame).caller as u64, (*frame).site as u64) };
        if !self.state_recorder.program.contains(site) || !site.is_multiple_of(8) {
            return None;
        }
        // The caller's record lies above; so a wrong chain ends, too.
        self.stack.start = record.end;
        self.next = caller;
        Some(frame)
    }
}

/// Adds a record to a hash; returns where the function returns to. None if the function has something live that the
/// record does not hold.
///
/// # Safety
/// The record is one of the program's.
pub(super) unsafe fn hash_frame(frame: *const Frame, deltas: bool, mixer: &mut Mixer) -> Option<u64> {
    // SAFETY: as the pass lays out records: in a program built for deltas the identity follows; then addresses of
    // variables, then values; sizes follow the call's record.
    unsafe {
        let Frame { returns_to, site, operations, .. } = *frame;
        let CallSite { values, variables, complete, .. } = *site;
        if complete == 0 {
            return None;
        }
        mixer.pair(site as u64, operations);
        mixer.word(returns_to);
        let words = if deltas { frame.cast::<DeltaFrame>().add(1).cast() } else { frame.add(1).cast::<u64>() };
        let sizes = site.add(1).cast::<u64>();
        for at in 0..variables as usize {
            let size = *sizes.add(at);
            hash_bytes(mixer, *words.add(at), if size & site::BY_DELTA == 0 { size } else { 0 });
        }
        if deltas {
            mixer.words((*frame.cast::<DeltaFrame>()).identity.words());
        } else {
            mixer.words(core::slice::from_raw_parts(words.add(variables as usize), values as usize));
        }
        Some(returns_to)
    }
}
