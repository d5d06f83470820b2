// A value on the heap that is published by its address, with an order that is too weak.
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::thread;

static SHARED: AtomicPtr<u64> = AtomicPtr::new(ptr::null_mut());

#[cfg(fixed)]
const PUBLISH: Ordering = Ordering::Release;
#[cfg(not(fixed))]
const PUBLISH: Ordering = Ordering::Relaxed;

pub fn main() {
    let thread = thread::spawn(|| {
        let value = Box::into_raw(Box::new(42)); // BUG: data-race
        SHARED.store(value, PUBLISH);
    });
    let value = SHARED.load(Ordering::Acquire);
    if !value.is_null() {
        assert_eq!(unsafe { *value }, 42);
    }
    thread.join().unwrap();
    drop(unsafe { Box::from_raw(SHARED.load(Ordering::Relaxed)) });
}
