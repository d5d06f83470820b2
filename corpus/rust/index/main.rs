// A counter that is checked and then read again as an index: it may have grown in between.
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

static ITEMS: [u32; 1] = [7];
static NEXT: AtomicUsize = AtomicUsize::new(0);

fn take() -> Option<u32> {
    if cfg!(fixed) {
        ITEMS.get(NEXT.fetch_add(1, Ordering::Relaxed)).copied()
    } else if NEXT.load(Ordering::Relaxed) < ITEMS.len() {
        Some(ITEMS[NEXT.fetch_add(1, Ordering::Relaxed)]) // BUG: panic
    } else {
        None
    }
}

pub fn main() {
    let thread = thread::spawn(take);
    let own = take();
    let other = thread.join().unwrap();
    assert!(own.is_some() != other.is_some());
}
