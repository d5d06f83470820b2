// A spin lock of the program's own, whose unlock does not publish what was done under it.
use std::cell::UnsafeCell;
use std::hint;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

struct Spin {
    locked: AtomicBool,
    value: UnsafeCell<u32>,
}
unsafe impl Sync for Spin {}

static SPIN: Spin = Spin { locked: AtomicBool::new(false), value: UnsafeCell::new(0) };

#[cfg(fixed)]
const UNLOCK: Ordering = Ordering::Release;
#[cfg(not(fixed))]
const UNLOCK: Ordering = Ordering::Relaxed;

fn add() {
    while SPIN.locked.swap(true, Ordering::Acquire) {
        hint::spin_loop();
    }
    unsafe { *SPIN.value.get() += 1 }; // BUG: data-race
    SPIN.locked.store(false, UNLOCK);
}

pub fn main() {
    let thread = thread::spawn(add);
    add();
    thread.join().unwrap();
    assert_eq!(unsafe { *SPIN.value.get() }, 2);
}
