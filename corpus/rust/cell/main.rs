// A cache that is declared to be for several threads, and is a cell that orders nothing.
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

struct Cache {
    plain: Cell<u64>,
    atomic: AtomicU64,
}
unsafe impl Sync for Cache {}

static CACHE: Cache = Cache { plain: Cell::new(0), atomic: AtomicU64::new(0) };

impl Cache {
    fn get(&self) -> u64 {
        if cfg!(fixed) {
            self.atomic.store(42, Ordering::Relaxed);
            return self.atomic.load(Ordering::Relaxed);
        }
        self.plain.set(42); // BUG: data-race
        self.plain.get()
    }
}

pub fn main() {
    let thread = thread::spawn(|| CACHE.get());
    assert_eq!(CACHE.get(), 42);
    assert_eq!(thread.join().unwrap(), 42);
}
