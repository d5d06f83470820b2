// A thread that is unparked before the flag is set: it may look at the flag, use up the token, and park for ever.
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

static READY: AtomicBool = AtomicBool::new(false);

pub fn main() {
    let thread = thread::spawn(|| {
        while !READY.load(Ordering::SeqCst) {
            thread::park(); // BUG: deadlock
        }
    });
    if cfg!(fixed) {
        READY.store(true, Ordering::SeqCst);
        thread.thread().unpark();
    } else {
        thread.thread().unpark();
        READY.store(true, Ordering::SeqCst);
    }
    thread.join().unwrap();
}
