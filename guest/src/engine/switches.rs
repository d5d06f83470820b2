//! What a search does only once a run has shown that it is needed. The search then begins anew with it.
//!
//! That something is switched on is recorded as a promoted location at an address that no program uses, so workers and
//! replays know of it as they know of locations.

use super::state::with;
use super::{expected_signals, interruptions, visibility};
use crate::platform::{ARENAS, Global};
use alloc::vec::Vec;
use inspect_core::event::ByteRange;

/// Something that a search does only once a run has shown that it is needed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Switch {
    /// Main chooses whether the run uses freed blocks of the heap again (S17).
    HeapChoice,
    /// Uses of synchronisation objects with static storage are accesses, as plain accesses touch their memory (S10).
    StaticObjects,
    /// A thread asks on which processors another one may run, or changes that: the ends of threads and what looks at
    /// processors are operations.
    OthersProcessors,
    /// What is written to standard output and error depends on whether these are open.
    ClosedOutputs,
    /// The queues of all futex words are one, as waiters are moved from one to another (S18).
    OneQueue,
    /// All channels are one, as a call looks at several of them (S21).
    OneChannel,
    /// Who waits for events of an instance of `epoll` may go on as soon as its list has a descriptor, also one without
    /// events, as the order in which events are taken depends on that (S21).
    EventLists,
    /// All files are one, as some file has several names (S8).
    OneFile,
    /// Several threads ask for the lock of a file through one open description (S21).
    SharedLocks,
    /// Threads wait for one condition variable with several mutexes: in which order waits begin and expire matters.
    SeveralMutexes,
    /// The handle of a detached thread is used (S19): the end of a thread is ordered with uses of its handle.
    HandlesOfDetached,
    /// It changes which signals a descriptor takes (`signalfd`): reads look at that in an operation of their own (S20).
    SignalSets,
    /// A call looks at a descriptor of signals: what is pending for the process is a channel (S20).
    PolledSignals,
    /// Threads communicate by operations that C11 does not order: what it orders is part of the states that a search
    /// compares.
    OrderedStates,
}

const ALL: [Switch; 14] = [
    Switch::HeapChoice,
    Switch::StaticObjects,
    Switch::OthersProcessors,
    Switch::ClosedOutputs,
    Switch::OneQueue,
    Switch::OneChannel,
    Switch::EventLists,
    Switch::OneFile,
    Switch::SharedLocks,
    Switch::SeveralMutexes,
    Switch::HandlesOfDetached,
    Switch::SignalSets,
    Switch::PolledSignals,
    Switch::OrderedStates,
];

impl Switch {
    /// The location that stands for it, in the arenas' own records.
    fn location(self) -> ByteRange {
        let place = match self {
            Switch::HeapChoice => 0,
            Switch::StaticObjects => 1,
            Switch::OthersProcessors => 2,
            Switch::ClosedOutputs => 3,
            Switch::OneQueue => 4,
            Switch::OneChannel => 5,
            Switch::EventLists => 6,
            Switch::OneFile => 7,
            Switch::SharedLocks => 8,
            Switch::SeveralMutexes => 9,
            Switch::HandlesOfDetached => 10,
            Switch::SignalSets => 11,
            Switch::PolledSignals => 12,
            Switch::OrderedStates => 13,
        };
        ByteRange { start: ARENAS.start + 8 * place, len: 1 }
    }

    /// Whether it is switched on.
    #[inline(always)]
    pub(crate) fn is_on(self) -> bool {
        ON.read()[self as usize]
    }

    /// Switches it on, for a search that begins anew.
    pub(crate) fn turn_on(self) {
        visibility::promote(alloc::vec![self.location()]);
        take_over();
    }

    /// The present run shows that it is needed: the search begins anew with it.
    #[cold]
    pub(crate) fn come_up(self) {
        with(|engine| {
            if !self.is_on() && !engine.racing.contains(&self.location()) {
                engine.racing.push(self.location());
            }
        });
    }
}

static ON: Global<[bool; ALL.len()]> = Global::new([false; ALL.len()]);

/// Brings the switches, and the signals that interrupt threads or are expected, up to date with the promoted locations.
/// Called whenever these have changed.
pub(crate) fn take_over() {
    ON.write(ALL.map(|switch| visibility::promoted().contains(&switch.location())));
    interruptions::take_over();
    expected_signals::take_over();
}

/// Takes the locations that stand for switches or signals out of `found`, which a run has found racing, and switches
/// them on. Returns whether one of them was off.
pub(crate) fn promote(found: &mut Vec<ByteRange>) -> bool {
    let is_switch = |range: &ByteRange| {
        let is_signal = interruptions::is_location(*range) || expected_signals::is_location(*range);
        is_signal || ALL.iter().any(|switch| switch.location() == *range)
    };
    let switched: Vec<ByteRange> = found.extract_if(.., |range| is_switch(range)).collect();
    if switched.is_empty() {
        return false;
    }
    let changed = visibility::promote(switched);
    take_over();
    changed
}
