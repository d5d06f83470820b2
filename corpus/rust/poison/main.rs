// A thread panics while it holds a mutex: who takes the mutex later and unwraps the result panics as well.
use std::sync::{Mutex, PoisonError};
use std::thread;

static VALUE: Mutex<u32> = Mutex::new(0);

pub fn main() {
    let thread = thread::spawn(|| {
        let mut value = VALUE.lock().unwrap();
        *value += 1;
        assert!(*value > 1); // BUG: panic(first)
    });
    let _panicked = thread.join();
    let lock = VALUE.lock();
    let value = if cfg!(fixed) {
        lock.unwrap_or_else(PoisonError::into_inner)
    } else {
        lock.unwrap() // BUG: panic(second)
    };
    assert!(*value == 1);
}
