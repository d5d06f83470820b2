// A thread that parks without looking whether there is something to do: the token may be taken already.
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex};
use std::thread;

static STATE: Mutex<bool> = Mutex::new(false);
static CHANGED: Condvar = Condvar::new();
static STARTED: AtomicBool = AtomicBool::new(false);

fn main() {
    let thread = thread::spawn(|| {
        let mut state = STATE.lock().unwrap();
        STARTED.store(true, Ordering::Relaxed);
        if cfg!(fixed) {
            while !*state {
                state = CHANGED.wait(state).unwrap();
            }
        } else {
            state = CHANGED.wait(state).unwrap(); // BUG: deadlock
        }
        *state = false;
    });
    *STATE.lock().unwrap() = true;
    CHANGED.notify_one();
    thread.join().unwrap();
}
