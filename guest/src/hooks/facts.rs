//! Where a thread is in the code, in a program built with facts about it (`inspect_wire::facts`).

use crate::engine::records;
use crate::platform::started;

/// `__inspect_facts`: a module tells what is known of its code, before main.
#[unsafe(no_mangle)]
extern "C" fn __inspect_facts(words: u64, count: u64) {
    records::tell_facts(words, count);
}

/// `__inspect_point`: an access or a call of a library comes next.
#[unsafe(no_mangle)]
extern "C" fn __inspect_point(point: u32) {
    if started() {
        records::point(point);
    }
}

/// `__inspect_branch`: a branch is about to be taken.
#[unsafe(no_mangle)]
extern "C" fn __inspect_branch(point: u32, way: u32, activation: u64) {
    if started() {
        records::branch(point, way, activation);
    }
}

/// `__inspect_meeting`: the ways from some branch have met.
#[unsafe(no_mangle)]
extern "C" fn __inspect_meeting(meeting: u32, activation: u64) {
    if started() {
        records::meeting(meeting, activation);
    }
}
