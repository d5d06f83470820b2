// A write to the value of an `Arc` whose count is one: reading the count does not wait for what other owners did.
use std::sync::Arc;
use std::thread;

pub fn main() {
    let mut own = Arc::new(1);
    let other = own.clone();
    let thread = thread::spawn(move || {
        assert_eq!(*other, 1);
    });
    if cfg!(fixed) {
        if let Some(value) = Arc::get_mut(&mut own) {
            *value = 2;
        }
    } else if Arc::strong_count(&own) == 1 {
        unsafe { *Arc::as_ptr(&own).cast_mut() = 2 }; // BUG: data-race
    }
    thread.join().unwrap();
}
