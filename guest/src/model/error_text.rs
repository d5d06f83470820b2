//! `strerror` and `strsignal`: the text for a number without a name is a block of the C library that belongs to the
//! thread. It is freed by the thread's next call, and at its end.

use super::{export, library_state, real};
use crate::engine::kept::{Keeper, KeptMemory};
use crate::engine::site::of_call;
use crate::engine::{me, with};
use crate::platform::upcalls::upcalls;
use crate::platform::{arena, started};
use inspect_wire::library::Hidden;

export! {
    interpose_strerror / 1 => strerror;
    interpose_strsignal / 1 => strsignal;
}

extern "C" fn strerror(number: i32, pc: u64) -> u64 {
    text_of(pc, || real!("strerror" as fn(i32) -> u64)(number))
}

extern "C" fn strsignal(number: i32, pc: u64) -> u64 {
    text_of(pc, || real!("strsignal" as fn(i32) -> u64)(number))
}

fn text_of(pc: u64, call: impl FnOnce() -> u64) -> u64 {
    if !started() {
        return call();
    }
    library_state::write(Hidden::ErrorText, of_call(pc));
    let text = call();
    if arena::block_of(text).is_some_and(|block| block.start == text) {
        let keeper = Keeper::ErrorText(me());
        with(|engine| engine.kept.keep(KeptMemory { keeper, start: text, len: 0 }));
    }
    text
}

/// The running thread ends, and its text with it.
pub(super) fn free_own() {
    let keeper = Keeper::ErrorText(me());
    let Some(text) = with(|engine| engine.kept.of(keeper).next()) else { return };
    with(|engine| engine.kept.forget(keeper));
    // No call of the program's does it.
    let pc = free_own as *const () as u64;
    upcalls().on_freeing(text.start, pc);
    if let Err(error) = arena::release(text.start, pc) {
        upcalls().on_heap_error(error, text.start, pc);
    }
}
