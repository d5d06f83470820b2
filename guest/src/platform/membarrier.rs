//! `membarrier`. Under sequential consistency a barrier changes nothing, so what is left of the call is which commands
//! there are, and that some of them need a registration of the process first, which belongs to the run.

use super::global::Global;
use super::sys::{self, error, nr};
use sys::errno::{EINVAL, EPERM};

const QUERY: u64 = 0;
const GLOBAL: u64 = 1;
const GLOBAL_EXPEDITED: u64 = 1 << 1;
const REGISTER_GLOBAL_EXPEDITED: u64 = 1 << 2;
const PRIVATE_EXPEDITED: u64 = 1 << 3;
const REGISTER_PRIVATE_EXPEDITED: u64 = 1 << 4;
const SYNC_CORE: u64 = 1 << 5;
const REGISTER_SYNC_CORE: u64 = 1 << 6;

/// All commands but those of restartable sequences, which are not offered either.
const OFFERED: u64 = 0x7f;

/// The commands that the process has registered for: in this run, and before main.
static REGISTERED: Global<u64> = Global::new(0);
static BEFORE_MAIN: Global<u64> = Global::new(0);

/// Serves the call; returns what the system call returns.
pub(super) fn call(command: u64, flags: u64) -> i64 {
    if flags as u32 != 0 {
        return error(EINVAL);
    }
    match command & 0xffff_ffff {
        QUERY => OFFERED as i64,
        GLOBAL | GLOBAL_EXPEDITED | REGISTER_GLOBAL_EXPEDITED => 0,
        register @ (REGISTER_PRIVATE_EXPEDITED | REGISTER_SYNC_CORE) => {
            REGISTERED.write(REGISTERED.read() | register >> 1);
            0
        }
        barrier @ (PRIVATE_EXPEDITED | SYNC_CORE) if REGISTERED.read() & barrier != 0 => 0,
        PRIVATE_EXPEDITED | SYNC_CORE => error(EPERM),
        _ => error(EINVAL),
    }
}

/// Finds out for which commands the process has registered before main: the kernel performs these.
pub(super) fn remember() {
    // SAFETY: a barrier changes no memory.
    let works = |command: u64| unsafe { sys::call2(nr::__NR_membarrier, command, 0) } == 0;
    let registered = [PRIVATE_EXPEDITED, SYNC_CORE].into_iter().filter(|&command| works(command)).sum();
    BEFORE_MAIN.write(registered);
    reset();
}

/// Undoes what the run did.
pub(super) fn reset() {
    REGISTERED.write(BEFORE_MAIN.read());
}

/// What the process has registered for so far.
pub(super) fn save() -> u64 {
    REGISTERED.read()
}

/// Brings back what [`save`] has returned.
pub(super) fn load(saved: u64) {
    REGISTERED.write(saved);
}
