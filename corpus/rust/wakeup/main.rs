// A wait for a condition variable without a look at the state: the signal may have come already.
use std::sync::{Condvar, Mutex};
use std::thread;

static STATE: Mutex<bool> = Mutex::new(false);
static CHANGED: Condvar = Condvar::new();

pub fn main() {
    let thread = thread::spawn(|| {
        let mut state = STATE.lock().unwrap();
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
