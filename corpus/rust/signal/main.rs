// A flag that is set without the lock: the signal may come between the waiter's look at the flag and its wait.
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex};
use std::thread;

static READY: AtomicBool = AtomicBool::new(false);
static LOCK: Mutex<()> = Mutex::new(());
static CHANGED: Condvar = Condvar::new();

pub fn main() {
    let thread = thread::spawn(|| {
        let mut guard = LOCK.lock().unwrap();
        while !READY.load(Ordering::SeqCst) {
            guard = CHANGED.wait(guard).unwrap(); // BUG: deadlock
        }
    });
    if cfg!(fixed) {
        let _guard = LOCK.lock().unwrap();
        READY.store(true, Ordering::SeqCst);
    } else {
        READY.store(true, Ordering::SeqCst);
    }
    CHANGED.notify_one();
    thread.join().unwrap();
}
