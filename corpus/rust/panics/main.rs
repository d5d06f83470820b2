// A counter that is read and written in two steps: the assertion at the end fails in some orders.
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

static COUNT: AtomicUsize = AtomicUsize::new(0);

fn count() {
    if cfg!(fixed) {
        COUNT.fetch_add(1, Ordering::SeqCst);
    } else {
        let count = COUNT.load(Ordering::SeqCst);
        COUNT.store(count + 1, Ordering::SeqCst);
    }
}

pub fn main() {
    let thread = thread::spawn(count);
    count();
    thread.join().unwrap();
    assert_eq!(COUNT.load(Ordering::SeqCst), 2); // BUG: panic
}
