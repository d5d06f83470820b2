// A counter on the stack that two threads of a scope share by its address.
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

#[derive(Clone, Copy)]
struct Counter(*mut u32);
unsafe impl Send for Counter {}

impl Counter {
    fn add(self) {
        if cfg!(fixed) {
            unsafe { AtomicU32::from_ptr(self.0) }.fetch_add(1, Ordering::Relaxed);
        } else {
            unsafe { *self.0 += 1 }; // BUG: data-race
        }
    }
}

pub fn main() {
    let mut count = 0;
    let counter = Counter(&mut count);
    thread::scope(|scope| {
        let thread = scope.spawn(move || counter.add());
        counter.add();
        thread.join().unwrap();
    });
    assert_eq!(count, 2);
}
