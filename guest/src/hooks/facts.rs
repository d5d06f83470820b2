//! Where a thread is in the code, in a program built with facts about it (`inspect_wire::facts`).

use crate::engine::{code_facts, pruning_log};
use crate::platform::started;

/// `__inspect_facts`: a module announces its table of facts, before main.
#[unsafe(no_mangle)]
pub(super) extern "C" fn __inspect_facts(words: u64, count: u64) {
    code_facts::note_facts(words, count);
}

/// `__inspect_point`: an access or a call of a library comes next.
#[unsafe(no_mangle)]
pub(super) extern "C" fn __inspect_point(point: u32) {
    if started() {
        pruning_log::point(point);
    }
}

/// `__inspect_branch`: a branch is about to be taken.
#[unsafe(no_mangle)]
pub(super) extern "C" fn __inspect_branch(point: u32, path: u32, activation: u64) {
    if started() {
        pruning_log::branch(point, path, activation);
    }
}

/// `__inspect_join_point`: the paths from a branch have met.
#[unsafe(no_mangle)]
pub(super) extern "C" fn __inspect_join_point(join_point: u32, activation: u64) {
    if started() {
        pruning_log::join_point(join_point, activation);
    }
}
