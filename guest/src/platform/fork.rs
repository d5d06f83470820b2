//! One run in a forked child: the slow way, which needs no snapshot. The oracle that restoring is tested against, and
//! what is left when something cannot be restored.
//!
//! The child has a copy of everything, except the two mappings that it shares: the memory of the host, which it can
//! only read, and the channel in which it leaves its result, which it can touch only when the program's part is over.
//! So the worst it can do is to lose its own run.

use super::child::{self, become_child, channel, content, die_with_parent, map_channel, set_channel};
use super::layout::SHARED;
use super::sys::{self, nr};
use super::{arena, dispatch, files, link, outside};
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

/// Runs `work` in a child of this process and returns its result. What the child changes in memory, descriptors and
/// mappings is gone with it. Called on the engine stack, in the state that a run starts from.
pub fn run<T: Serialize + DeserializeOwned>(work: impl FnOnce() -> T) -> Result<T, Died> {
    if !map_channel() {
        return Err(Died::NotStarted(0));
    }
    channel().0[0] = content::NOTHING;
    let parent = process();
    // SAFETY: a plain fork of a process with one thread.
    let forked = unsafe { sys::call1(nr::__NR_fork, 0) };
    if sys::failed(forked) {
        return Err(Died::NotStarted(forked));
    }
    if forked == 0 {
        be_child(parent, work);
    }
    let died = wait(forked as u64);
    // File positions are shared with the child.
    files::note_change();
    outside::reset();
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

/// The whole life of a child.
fn be_child<T: Serialize>(parent: i64, work: impl FnOnce() -> T) -> ! {
    become_child();
    die_with_parent();
    let orphan = child::parent() != parent;
    // SAFETY: the engine's own range.
    let shielded = unsafe { sys::protect(SHARED.start, SHARED.len(), sys::PROT_READ) } && set_channel(sys::PROT_NONE);
    let shielded = shielded && link::shield_state_table();
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
