// Initialisation by hand, with a look at a flag and then the work: two threads may do it at once.
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

static DONE: AtomicBool = AtomicBool::new(false);
static ONCE: Once = Once::new();
static mut VALUE: u64 = 0;

fn value() -> u64 {
    if cfg!(fixed) {
        ONCE.call_once(|| unsafe { VALUE = 42 });
    } else if !DONE.load(Ordering::Acquire) {
        unsafe { VALUE = 42 }; // BUG: data-race
        DONE.store(true, Ordering::Release);
    }
    unsafe { VALUE }
}

pub fn main() {
    let thread = thread::spawn(value);
    assert_eq!(value(), 42);
    assert_eq!(thread.join().unwrap(), 42);
}
