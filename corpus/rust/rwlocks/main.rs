// Two read-write locks in opposite orders. Main takes its first one before there is another thread.
use std::sync::RwLock;
use std::thread;

static LEFT: RwLock<u32> = RwLock::new(1);
static RIGHT: RwLock<u32> = RwLock::new(1);

pub fn main() {
    #[cfg(not(fixed))]
    let right = RIGHT.read().unwrap();
    #[cfg(fixed)]
    let left = LEFT.read().unwrap();
    let thread = thread::spawn(|| {
        let left = LEFT.write().unwrap();
        *RIGHT.write().unwrap() += *left;
    });
    #[cfg(not(fixed))]
    let left = LEFT.read().unwrap(); // BUG: deadlock
    #[cfg(fixed)]
    let right = RIGHT.read().unwrap();
    assert_eq!(*left + *right, 2);
    drop(right);
    drop(left);
    thread.join().unwrap();
}
