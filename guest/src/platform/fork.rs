//! One run in a forked child: the slow way, which needs no snapshot. The oracle that restoring is tested against, and
//! what is left when something cannot be restored.

use super::global::Global;
use super::layout::{CHANNEL, Range};
use super::sys::{self, nr};
use super::{dispatch, files, syscalls};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// How a child ended that did not bring a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Died {
    /// It exited with this status.
    Exited(i32),
    /// A signal killed it.
    Killed(i32),
    /// There was none: the kernel refused to fork.
    NotStarted(i64),
    /// Its result did not fit, or cannot be decoded.
    NoResult,
}

static MAPPED: Global<bool> = Global::new(false);

fn map_channel() -> bool {
    if MAPPED.read() {
        return true;
    }
    let flags = nr::MAP_SHARED | nr::MAP_ANONYMOUS | nr::MAP_NORESERVE | nr::MAP_FIXED_NOREPLACE;
    let Range { start, .. } = CHANNEL;
    // SAFETY: a range of the engine's own.
    let got = unsafe { sys::call(nr::__NR_mmap, [start, CHANNEL.len(), sys::PROT_RW, flags.into(), u64::MAX, 0]) };
    MAPPED.write(got == start as i64);
    MAPPED.read()
}

/// Runs `work` in a child of this process and returns its result. What the child changes in memory, descriptors and
/// mappings is gone with it. On the engine stack, in the state a run starts from.
pub fn run<T: Serialize + DeserializeOwned>(work: impl FnOnce() -> T) -> Result<T, Died> {
    if !map_channel() {
        return Err(Died::NotStarted(0));
    }
    // SAFETY: the channel is mapped and shared with the child only; the first word is the length of the result.
    let (length, room) = unsafe {
        let room = core::slice::from_raw_parts_mut((CHANNEL.start + 8) as *mut u8, (CHANNEL.len() - 8) as usize);
        (&mut *(CHANNEL.start as *mut u64), room)
    };
    *length = 0;
    // SAFETY: a plain fork of a process with one thread.
    let child = unsafe { sys::call1(nr::__NR_fork, 0) };
    if sys::failed(child) {
        return Err(Died::NotStarted(child));
    }
    if child == 0 {
        if !dispatch::arm() {
            sys::exit(3);
        }
        let result = work();
        *length = postcard::to_slice(&result, room).map_or(0, |used| used.len() as u64);
        sys::exit(0);
    }
    let died = wait(child as u64);
    // File positions are shared with the child.
    files::note_change();
    syscalls::reset();
    // SAFETY: the child wrote it; the compiler must not remember the 0 from above.
    let length = unsafe { core::ptr::read_volatile(length) } as usize;
    match died {
        Some(died) => Err(died),
        None => postcard::from_bytes(&room[..length.min(room.len())]).map_err(|_| Died::NoResult),
    }
}

/// Waits for the child; None if it exited with status 0.
fn wait(child: u64) -> Option<Died> {
    const INTERRUPTED: i64 = -(sys::errno::EINTR as i64);
    let mut status = 0i32;
    // SAFETY: the kernel writes the status.
    while unsafe { sys::call4(nr::__NR_wait4, child, &raw mut status as u64, 0, 0) } == INTERRUPTED {}
    match (status & 0x7f, status >> 8 & 0xff) {
        (0, 0) => None,
        (0, exited) => Some(Died::Exited(exited)),
        (signal, _) => Some(Died::Killed(signal)),
    }
}
