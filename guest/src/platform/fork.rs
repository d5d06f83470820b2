//! One run in a forked child: the slow way, which needs no snapshot. The oracle that restoring is tested against, and
//! what is left when something cannot be restored.
//!
//! The child has a copy of everything, except the two mappings that it shares: the memory of the host, which it can
//! only read, and the channel in which it leaves its result, which it can touch only when the program's part is over.
//! So the worst it can do is to lose its own run.

use super::global::Global;
use super::layout::{CHANNEL, Range, SHARED};
use super::sys::{self, nr};
use super::{arena, dispatch, files, syscalls};
use alloc::string::String;
use core::{fmt, ptr};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// How a child ended that did not bring a result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Died {
    /// It exited with this status.
    Exited(i32),
    /// A signal killed it.
    Killed(i32),
    /// There was none: the kernel refused to fork.
    NotStarted(i64),
    /// Its result did not fit, or cannot be decoded.
    NoResult,
    /// It gave up, for this reason: a defect of the engine, or something it cannot do without.
    GaveUp(String),
}

impl fmt::Display for Died {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Died::Exited(status) => write!(f, "it exited with status {status}"),
            Died::Killed(signal) => write!(f, "signal {signal} killed it"),
            Died::NotStarted(error) => write!(f, "it could not be started (error {})", -error),
            Died::NoResult => write!(f, "it left no readable result"),
            Died::GaveUp(why) => write!(f, "{why}"),
        }
    }
}

static MAPPED: Global<bool> = Global::new(false);
static IN_CHILD: Global<bool> = Global::new(false);

/// What the first word of the channel says.
mod content {
    /// The child has left nothing.
    pub(super) const NOTHING: u64 = 0;
    /// The encoded result.
    pub(super) const RESULT: u64 = 1;
    /// Why the child gave up.
    pub(super) const EXCUSE: u64 = 2;
}
/// Content and length, then the bytes.
const HEAD: u64 = 16;

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

/// What the channel holds: its two words, and the rest.
fn channel() -> (&'static mut [u64; 2], &'static mut [u8]) {
    // SAFETY: the channel is mapped, and shared with a child that either has not been started or has ended.
    unsafe {
        let room = core::slice::from_raw_parts_mut((CHANNEL.start + HEAD) as *mut u8, (CHANNEL.len() - HEAD) as usize);
        (&mut *(CHANNEL.start as *mut [u64; 2]), room)
    }
}

fn set_channel(protection: u64) -> bool {
    // SAFETY: the engine's own range.
    unsafe { sys::protect(CHANNEL.start, CHANNEL.len(), protection) }
}

/// Runs `work` in a child of this process and returns its result. What the child changes in memory, descriptors and
/// mappings is gone with it. On the engine stack, in the state a run starts from.
pub fn run<T: Serialize + DeserializeOwned>(work: impl FnOnce() -> T) -> Result<T, Died> {
    if !map_channel() {
        return Err(Died::NotStarted(0));
    }
    channel().0[0] = content::NOTHING;
    let parent = process();
    // SAFETY: a plain fork of a process with one thread.
    let child = unsafe { sys::call1(nr::__NR_fork, 0) };
    if sys::failed(child) {
        return Err(Died::NotStarted(child));
    }
    if child == 0 {
        be_child(parent, work);
    }
    let died = wait(child as u64);
    // File positions are shared with the child.
    files::note_change();
    syscalls::reset();
    let ([content, length], room) = channel();
    // SAFETY: the child wrote it; the compiler must not remember what was there before.
    let (content, length) = unsafe { (ptr::read_volatile(content), ptr::read_volatile(length) as usize) };
    let bytes = &room[..length.min(room.len())];
    match (content, died) {
        (content::EXCUSE, _) => Err(Died::GaveUp(String::from_utf8_lossy(bytes).into_owned())),
        (_, Some(died)) => Err(died),
        (content::RESULT, None) => postcard::from_bytes(bytes).map_err(|_| Died::NoResult),
        (_, None) => Err(Died::NoResult),
    }
}

fn process() -> i64 {
    // SAFETY: asks for a number.
    unsafe { sys::call1(nr::__NR_getpid, 0) }
}

/// The process that started this one, or its stand-in once that has ended.
pub fn parent() -> i64 {
    // SAFETY: asks for a number.
    unsafe { sys::call1(nr::__NR_getppid, 0) }
}

/// The whole life of a child.
fn be_child<T: Serialize>(parent: i64, work: impl FnOnce() -> T) -> ! {
    IN_CHILD.write(true);
    die_with_parent();
    let orphan = self::parent() != parent;
    // SAFETY: the engine's own range.
    let shielded = unsafe { sys::protect(SHARED.start, SHARED.len(), sys::PROT_READ) } && set_channel(sys::PROT_NONE);
    if orphan || !shielded || !dispatch::arm() {
        sys::exit(3);
    }
    arena::close_untaken();
    let result = work();
    if !set_channel(sys::PROT_RW) {
        sys::exit(3);
    }
    let ([content, length], room) = channel();
    if let Ok(used) = postcard::to_slice(&result, room) {
        *length = used.len() as u64;
        *content = content::RESULT;
    }
    sys::exit(0)
}

/// Whether this process is the child that makes one run.
pub fn in_child() -> bool {
    IN_CHILD.read()
}

/// Ends the child and tells its parent why.
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
