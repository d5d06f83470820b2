//! Thread-specific data. Values stay in the C library's thread descriptors, one for each slot; what the model adds are
//! the destructors at the end of a thread, and that creating and deleting keys is visible, since the numbers of keys
//! depend on its order.

use super::error::EAGAIN;
use super::library_state::{self, Use};
use super::{c11, export, real};
use crate::engine::call_back;
use crate::engine::keys::{set_destructor, table};
use crate::engine::site::of_call;
use crate::hooks::argument_write;
use crate::platform::started;
use inspect_core::event::SiteId;
use inspect_wire::library::Hidden;

export! {
    interpose_pthread_key_create / 2 => create;
    interpose_pthread_key_delete / 1 => delete;
    interpose_tss_create / 2 => c11_create;
    interpose_tss_delete / 1 => c11_delete;
}

extern "C" fn create(key: u64, destructor: u64, pc: u64) -> i32 {
    if started() {
        argument_write(key, 4, of_call(pc));
        library_state::update(Hidden::Keys, of_call(pc));
        argument_write(key, 4, of_call(pc));
    }
    // Destructors are run by the model, so the C library does not get to know them.
    let result = real!("pthread_key_create" as fn(u64, u64) -> i32)(key, if started() { 0 } else { destructor });
    if result == 0 {
        // SAFETY: the C library has written the key there.
        set_destructor(unsafe { (key as *const u32).read_unaligned() }, destructor);
    }
    debug_assert!(result == 0 || result == EAGAIN);
    result
}

extern "C" fn delete(key: u32, pc: u64) -> i32 {
    if started() {
        let site = of_call(pc);
        library_state::use_key(key, true, site);
        library_state::order_destructor(key, Use::Change, site);
    }
    // Each operation comes right before what it stands for: here that threads which end do not run the destructor,
    // below that the number may be given to another key.
    set_destructor(key, 0);
    if started() {
        library_state::update(Hidden::Keys, of_call(pc));
    }
    real!("pthread_key_delete" as fn(u32) -> i32)(key)
}

extern "C" fn c11_create(key: u64, destructor: u64, pc: u64) -> i32 {
    c11::result(create(key, destructor, pc))
}

extern "C" fn c11_delete(key: u32, pc: u64) {
    delete(key, pc);
}

/// Runs the destructors of the running thread's values, as POSIX says: again while they set values anew, four times at
/// most.
pub(super) fn run_destructors() {
    const ROUNDS: usize = 4;
    let get = real!("pthread_getspecific" as fn(u32) -> u64);
    let set = real!("pthread_setspecific" as fn(u32, u64) -> i32);
    for _ in 0..ROUNDS {
        let mut any = false;
        let mut key = 0;
        // The table may change while a destructor runs.
        while key < table().len() {
            if table()[key] != 0 && get(key as u32) != 0 {
                library_state::order_destructor(key as u32, Use::Look, SiteId(0));
            }
            let destructor = table()[key];
            let value = if destructor == 0 { 0 } else { get(key as u32) };
            if value != 0 {
                set(key as u32, 0);
                // SAFETY: the program's destructor for values of this key.
                let destructor: extern "C" fn(u64) = unsafe { core::mem::transmute(destructor) };
                call_back(|| destructor(value));
                any = true;
            }
            key += 1;
        }
        if !any {
            return;
        }
    }
}
