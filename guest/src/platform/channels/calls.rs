//! Which threads are in the middle of a call through a description.

use super::state;
use crate::platform::fiber;

/// The running thread begins a call through a description.
pub fn begin_call(description: u16) {
    state().calls.push((fiber::current_slot(), description));
}

/// The running thread has ended its call.
pub fn end_call() {
    let own = fiber::current_slot();
    state().calls.retain(|(slot, _)| *slot != own);
}

/// Whether another thread is in the middle of a call through a description.
pub fn is_used_by_others(description: u16) -> bool {
    let own = fiber::current_slot();
    state().calls.iter().any(|&(slot, used)| slot != own && used == description)
}
