//! What several system calls need to be served.

use crate::platform::call::Call;
use crate::platform::sys::errno::EFAULT;
use crate::platform::sys::{self, error, nr};
use crate::platform::upcalls::upcalls;
use crate::platform::{fiber, random as numbers, recover, snapshot};

/// Passes a call on to the kernel. The kernel does not fault on write-protected pages but fails: then every page that
/// an argument points to is made writable and the call repeated. For calls that would do half of their work instead of
/// failing, the caller of this function first makes the range writable that they write to.
pub(super) fn pass(call: &Call) -> i64 {
    // SAFETY: the program's own call, and one of those that are undone or change nothing.
    let result = unsafe { sys::call(call.number, call.args) };
    if result != error(EFAULT) {
        return result;
    }
    const LARGEST_STRUCTURE: u64 = 8192;
    for address in call.args {
        snapshot::heat_range(address, LARGEST_STRUCTURE);
    }
    // SAFETY: as above.
    unsafe { sys::call(call.number, call.args) }
}

/// Writes a value to the program; 0, or the error of a bad address.
pub(super) fn deliver<T: Copy>(address: u64, value: &T) -> i64 {
    if recover::write_value(address, value) { 0 } else { error(EFAULT) }
}

/// Fills memory of the program with seeded random bytes.
pub(super) fn random(address: u64, len: u64) -> i64 {
    const LARGEST: u64 = 1 << 20;
    upcalls().note_changing_input();
    let len = len.min(LARGEST);
    let slot = fiber::current_slot();
    for at in (0..len).step_by(8) {
        let bytes = numbers::draw(slot).to_le_bytes();
        if !recover::write(address + at, &bytes[..(len - at).min(8) as usize]) {
            return error(EFAULT);
        }
    }
    len as i64
}

/// [`random`] for several buffers.
pub(super) fn random_pieces(buffers: &[(u64, u64)]) -> i64 {
    let mut total = 0;
    for &(address, len) in buffers {
        match random(address, len) {
            failed if failed < 0 => return if total > 0 { total } else { failed },
            got => total += got,
        }
    }
    total
}

/// Whether Linux refuses a call because of flags that it does not know, or sizes of signal sets.
pub(super) fn is_refused(call: &Call) -> bool {
    const SIGNAL_SET: u64 = 8;
    /// Of the sources of random numbers a call names one at most.
    const RANDOM: u64 = 2;
    const INSECURE: u64 = 4;
    const ALL: u64 = 7;
    let [_, second, third, fourth, ..] = call.args;
    match call.number {
        nr::__NR_getrandom => third & !ALL != 0 || third & ALL >= RANDOM | INSECURE,
        nr::__NR_rt_sigaction | nr::__NR_rt_sigprocmask => fourth != SIGNAL_SET,
        nr::__NR_rt_sigpending => second > SIGNAL_SET,
        _ => false,
    }
}
