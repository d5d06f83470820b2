// A reference count of the program's own, whose last user frees: the decrement does not order the uses before it.
use std::sync::atomic::{AtomicUsize, Ordering, fence};
use std::thread;

struct Shared {
    count: AtomicUsize,
    value: u64,
}

#[derive(Clone, Copy)]
struct Reference(*mut Shared);
unsafe impl Send for Reference {}

impl Reference {
    fn release(self) {
        let order = if cfg!(fixed) { Ordering::Release } else { Ordering::Relaxed };
        if unsafe { &*self.0 }.count.fetch_sub(1, order) == 1 {
            if cfg!(fixed) {
                fence(Ordering::Acquire);
            }
            let mut shared = unsafe { Box::from_raw(self.0) };
            shared.value = 0; // BUG: data-race
        }
    }
}

pub fn main() {
    let one = Reference(Box::into_raw(Box::new(Shared { count: AtomicUsize::new(2), value: 1 })));
    let thread = thread::spawn(move || {
        let own = one;
        assert_eq!(unsafe { (*own.0).value }, 1);
        own.release();
    });
    assert_eq!(unsafe { (*one.0).value }, 1);
    one.release();
    thread.join().unwrap();
}
