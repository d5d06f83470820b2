// A barrier for three threads, of which only two come.
use std::sync::Barrier;
use std::thread;

#[cfg(fixed)]
static BARRIER: Barrier = Barrier::new(2);
#[cfg(not(fixed))]
static BARRIER: Barrier = Barrier::new(3);

pub fn main() {
    let thread = thread::spawn(|| BARRIER.wait().is_leader());
    let leads = BARRIER.wait().is_leader(); // BUG: deadlock
    assert!(leads != thread.join().unwrap());
}
