//! What a forked child knows of itself, and the channel in which it leaves its result (see [`super::fork`]).

use super::global::Global;
use super::layout::{CHANNEL, Range};
use super::sys::{self, nr};

static MAPPED: Global<bool> = Global::new(false);
static IN_CHILD: Global<bool> = Global::new(false);

/// What the first word of the channel says.
pub(super) mod content {
    /// The child has left nothing.
    pub(in crate::platform) const NOTHING: u64 = 0;
    /// The encoded result.
    pub(in crate::platform) const RESULT: u64 = 1;
    /// Why the child gave up.
    pub(in crate::platform) const EXCUSE: u64 = 2;
}
/// Content and length, then the bytes.
const HEAD: u64 = 16;

/// Makes the channel exist; false if the kernel refuses.
pub(super) fn map_channel() -> bool {
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

/// What the channel holds: its two words, and the rest.
pub(super) fn channel() -> (&'static mut [u64; 2], &'static mut [u8]) {
    // SAFETY: the channel is mapped, and shared with a child that either has not been started or has ended.
    unsafe {
        let room = core::slice::from_raw_parts_mut((CHANNEL.start + HEAD) as *mut u8, (CHANNEL.len() - HEAD) as usize);
        (&mut *(CHANNEL.start as *mut [u64; 2]), room)
    }
}

/// Sets who may use the channel; false if the kernel refuses.
pub(super) fn set_channel(protection: u64) -> bool {
    // SAFETY: the engine's own range.
    unsafe { sys::protect(CHANNEL.start, CHANNEL.len(), protection) }
}

/// The process that started this one, or the one that has adopted it after that one's end.
pub fn parent() -> i64 {
    // SAFETY: asks for a number.
    unsafe { sys::call1(nr::__NR_getppid, 0) }
}

/// This process is the child that makes one run.
pub(super) fn become_child() {
    IN_CHILD.write(true);
}

/// Whether this process is the child that makes one run.
pub fn in_child() -> bool {
    IN_CHILD.read()
}

/// Ends the child and leaves its parent the reason.
pub fn give_up(why: &str) -> ! {
    if set_channel(sys::PROT_RW) {
        let ([content, length], room) = channel();
        room[..why.len()].copy_from_slice(why.as_bytes());
        *length = why.len() as u64;
        *content = content::EXCUSE;
    }
    sys::exit(4)
}

/// Has the kernel kill this process when the one that started it ends, however it ends.
pub fn die_with_parent() {
    const PR_SET_PDEATHSIG: u64 = 1;
    const SIGKILL: u64 = 9;
    // SAFETY: a setting of this process.
    unsafe { sys::call2(nr::__NR_prctl, PR_SET_PDEATHSIG, SIGKILL) };
}
