//! `pthread_once`, `call_once`, and the guards of C++ local statics.

use super::{export, real};
use crate::engine::site::of_call;
use crate::engine::{call_back, last_event, visible};
use crate::platform::started;
use inspect_core::event::{Object, Operation, SiteId};
use inspect_core::run::Request;

export! {
    interpose_pthread_once / 2 => once;
    interpose_call_once / 2 => c11_once;
}

/// What the C library leaves in a once object whose initialiser has run.
const DONE: u32 = 2;

extern "C" fn once(control: u64, initialise: u64, pc: u64) -> i32 {
    if !started() {
        return real!("pthread_once" as fn(u64, u64) -> i32)(control, initialise);
    }
    run_once(control, initialise, of_call(pc));
    0
}

extern "C" fn c11_once(flag: u64, initialise: u64, pc: u64) {
    if !started() {
        return real!("call_once" as fn(u64, u64))(flag, initialise);
    }
    run_once(flag, initialise, of_call(pc));
}

fn run_once(control: u64, initialise: u64, site: SiteId) {
    // SAFETY: the program passes a once object; if not, it faults here as it would there.
    if unsafe { (control as *const u32).read_volatile() } == DONE && is_unseen(control) {
        // Done by a constructor, before the engine took over.
        return;
    }
    visible(Request::new(Operation::OnceEnter { once: Object(control), runs: false }, site));
    if !matches!(last_event().operation, Operation::OnceEnter { runs: true, .. }) {
        return;
    }
    // SAFETY: the program's initialiser.
    let initialise: extern "C" fn() = unsafe { core::mem::transmute(initialise) };
    call_back(|| initialise());
    visible(Request::new(Operation::OnceLeave(Object(control)), site));
    // SAFETY: the program's once object.
    unsafe { (control as *mut u32).write_volatile(DONE) };
}

fn is_unseen(control: u64) -> bool {
    let state = super::mutex::state(control);
    state.once_runner.is_none() && !state.once_done
}
