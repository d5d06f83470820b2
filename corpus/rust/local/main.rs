// A count that is meant for all threads, and that each has of its own.
use std::cell::Cell;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

thread_local! {
    static OWN: Cell<u32> = const { Cell::new(0) };
}
static COUNT: AtomicU32 = AtomicU32::new(0);

fn add() -> u32 {
    if cfg!(fixed) {
        COUNT.fetch_add(1, Ordering::Relaxed) + 1
    } else {
        OWN.with(|count| count.replace(count.get() + 1) + 1)
    }
}

pub fn main() {
    let thread = thread::spawn(add);
    let own = add();
    let other = thread.join().unwrap();
    assert!(own != other); // BUG: panic
}
