// Two mutexes in opposite orders.
use std::sync::Mutex;
use std::thread;

static FIRST: Mutex<u32> = Mutex::new(0);
static SECOND: Mutex<u32> = Mutex::new(0);

pub fn main() {
    let thread = thread::spawn(|| {
        let first = FIRST.lock().unwrap();
        let mut second = SECOND.lock().unwrap();
        *second += *first;
    });
    {
        #[cfg(not(fixed))]
        let (second, mut first) = (SECOND.lock().unwrap(), FIRST.lock().unwrap()); // BUG: deadlock
        #[cfg(fixed)]
        let (mut first, second) = (FIRST.lock().unwrap(), SECOND.lock().unwrap());
        *first += *second;
    }
    thread.join().unwrap();
}
