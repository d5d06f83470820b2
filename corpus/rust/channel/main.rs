// A receiver that goes on until all senders are gone, and a sender that is kept.
use std::sync::mpsc::channel;
use std::thread;

pub fn main() {
    let (sender, receiver) = channel();
    let other = sender.clone();
    let thread = thread::spawn(move || {
        other.send(1).unwrap();
    });
    if cfg!(fixed) {
        drop(sender);
        assert_eq!(receiver.iter().sum::<u32>(), 1);
    } else {
        assert_eq!(receiver.iter().sum::<u32>(), 1); // BUG: deadlock
        drop(sender);
    }
    thread.join().unwrap();
}
