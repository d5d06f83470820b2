//! With which mutexes threads wait for condition variables.
//!
//! Waits for one condition variable with different mutexes are a misuse if they are there at once. In a right program
//! the order in which waits begin and expire decides nothing, so it is not explored. Once runs have shown waits that
//! could be there at once if one of them expired later, the search begins anew with it ([`Switch::SeveralMutexes`]).

use super::switches::Switch;
use crate::platform::Global;
use alloc::vec::Vec;
use inspect_core::event::{Mutexes, Object, ThreadId};

/// The waits that runs have shown, in ascending order. Each child finds this out for its own run.
static SHOWN: Global<Vec<ShownWait>> = Global::new(Vec::new());

/// A wait that some run has shown.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ShownWait {
    pub(crate) cond: Object,
    pub(crate) mutex: Object,
    pub(crate) thread: ThreadId,
    /// Whether it may end without a signal.
    pub(crate) may_end_alone: bool,
}

/// What the search knows of the mutexes with which threads wait.
pub(crate) fn known() -> Mutexes {
    if Switch::SeveralMutexes.is_on() { Mutexes::Several } else { Mutexes::One }
}

/// A wait begins.
pub(crate) fn note(wait: ShownWait) {
    if Switch::SeveralMutexes.is_on() {
        return;
    }
    // SAFETY: one OS thread; the borrow ends with this function.
    let waits = unsafe { SHOWN.get() };
    let Err(at) = waits.binary_search(&wait) else { return };
    waits.insert(at, wait);
    let first = waits.partition_point(|other| other.cond < wait.cond);
    let clashes = |other: &ShownWait| {
        let may_end_alone = wait.may_end_alone || other.may_end_alone;
        other.mutex != wait.mutex && other.thread != wait.thread && may_end_alone
    };
    if waits[first..].iter().take_while(|other| other.cond == wait.cond).any(clashes) {
        Switch::SeveralMutexes.come_up();
    }
}
