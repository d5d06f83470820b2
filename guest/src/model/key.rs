//! Thread-specific data. Values stay in the C library's thread descriptors, one for each slot; what the model adds are
//! the destructors at the end of a thread, and that creating and deleting keys is visible, since the numbers of keys
//! depend on its order.

use super::error::EAGAIN;
use super::library_state;
use super::{c11, export, real};
use crate::engine::call_back;
use crate::engine::site::of_call;
use crate::platform::{Global, started};
use inspect_wire::library::Hidden;

export! {
    interpose_pthread_key_create / 2 => create;
    interpose_pthread_key_delete / 1 => delete;
    interpose_tss_create / 2 => c11_create;
    interpose_tss_delete / 1 => c11_delete;
}

/// `PTHREAD_KEYS_MAX`.
const MAX: usize = 1024;

#[derive(Clone, Copy)]
struct Keys {
    /// Destructor by key; 0 for none.
    destructors: [u64; MAX],
    /// No key from here on has a destructor.
    end: usize,
}

/// The table at present, and as it was when main began: every run starts from there.
static KEYS_NOW: Global<Keys> = Global::new(Keys { destructors: [0; MAX], end: 0 });
static KEYS_AT_MAIN: Global<Keys> = Global::new(Keys { destructors: [0; MAX], end: 0 });

/// Before the first run: keys that constructors made stay.
pub(crate) fn remember() {
    KEYS_AT_MAIN.write(KEYS_NOW.read());
}

/// A run begins.
pub(crate) fn reset() {
    // SAFETY: between two runs nobody else uses the tables.
    let (now, start) = unsafe { (KEYS_NOW.get(), KEYS_AT_MAIN.get()) };
    let end = now.end.max(start.end);
    now.destructors[..end].copy_from_slice(&start.destructors[..end]);
    now.end = start.end;
}

/// The table in the middle of a run.
pub(crate) fn table() -> &'static [u64] {
    // SAFETY: the caller drops the reference before the program goes on.
    let keys = unsafe { KEYS_NOW.get() };
    &keys.destructors[..keys.end]
}

/// Brings the table back.
pub(crate) fn load(destructors: &[u64]) {
    // SAFETY: between two runs nobody else uses the table.
    let keys = unsafe { KEYS_NOW.get() };
    let end = keys.end.max(destructors.len());
    keys.destructors[..end].fill(0);
    keys.destructors[..destructors.len()].copy_from_slice(destructors);
    keys.end = destructors.len();
}

fn set_destructor(key: u32, destructor: u64) {
    // SAFETY: the borrow ends here.
    let keys = unsafe { KEYS_NOW.get() };
    if let Some(slot) = keys.destructors.get_mut(key as usize) {
        *slot = destructor;
        keys.end = keys.end.max(key as usize + 1);
    }
}

extern "C" fn create(key: u64, destructor: u64, pc: u64) -> i32 {
    if started() {
        library_state::update(Hidden::Keys, of_call(pc));
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
        library_state::update(Hidden::Keys, of_call(pc));
    }
    set_destructor(key, 0);
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
        while key < end() {
            let destructor = destructor_of(key);
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

fn end() -> usize {
    // SAFETY: a plain read.
    unsafe { (*KEYS_NOW.as_ptr()).end }
}

fn destructor_of(key: usize) -> u64 {
    // SAFETY: a plain read.
    unsafe { (*KEYS_NOW.as_ptr()).destructors[key] }
}
