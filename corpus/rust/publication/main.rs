// Data that unsafe code publishes by a flag, with an order that is too weak.
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

static READY: AtomicBool = AtomicBool::new(false);
static mut DATA: u64 = 0;

#[cfg(fixed)]
const ORDER: (Ordering, Ordering) = (Ordering::Release, Ordering::Acquire);
#[cfg(not(fixed))]
const ORDER: (Ordering, Ordering) = (Ordering::Relaxed, Ordering::Relaxed);

pub fn main() {
    let thread = thread::spawn(|| {
        unsafe { DATA = 42 }; // BUG: data-race
        READY.store(true, ORDER.0);
    });
    if READY.load(ORDER.1) {
        let data = unsafe { DATA };
        assert_eq!(data, 42);
    }
    thread.join().unwrap();
}
