// A ring for one writer and one reader, whose writer takes a full ring for one with room.
use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

const SIZE: usize = 2;
const FULL: usize = if cfg!(fixed) { SIZE } else { SIZE + 1 };

struct Ring {
    read: AtomicUsize,
    written: AtomicUsize,
    slots: [UnsafeCell<u32>; SIZE],
}
unsafe impl Sync for Ring {}

static RING: Ring =
    Ring { read: AtomicUsize::new(0), written: AtomicUsize::new(0), slots: [const { UnsafeCell::new(0) }; SIZE] };

impl Ring {
    fn push(&self, value: u32) -> bool {
        let written = self.written.load(Ordering::Relaxed);
        let room = written - self.read.load(Ordering::Acquire) < FULL;
        if room {
            unsafe { *self.slots[written % SIZE].get() = value }; // BUG: data-race
            self.written.store(written + 1, Ordering::Release);
        }
        room
    }

    fn pop(&self) -> Option<u32> {
        let read = self.read.load(Ordering::Relaxed);
        if read == self.written.load(Ordering::Acquire) {
            return None;
        }
        let value = unsafe { *self.slots[read % SIZE].get() };
        self.read.store(read + 1, Ordering::Release);
        Some(value)
    }
}

pub fn main() {
    let thread = thread::spawn(|| (1..=3).filter(|&value| RING.push(value)).count());
    let first = RING.pop();
    assert!(first.is_none_or(|value| value == 1));
    assert!(thread.join().unwrap() >= SIZE);
}
