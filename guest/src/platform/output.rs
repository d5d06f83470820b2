//! What the program writes to the descriptors it was started with. It is captured, so that a search shows nothing; a
//! replay passes it on.

use super::global::Global;
use super::sys::{self, nr};
use alloc::vec::Vec;

/// One write.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    /// The descriptor, 1 or 2 mostly.
    pub descriptor: u32,
    /// The slot that wrote.
    pub slot: u32,
    /// Length in [`Output::bytes`], in order.
    pub len: u32,
}

/// Everything written in this run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Output {
    /// The writes, in order.
    pub pieces: Vec<Piece>,
    /// Their bytes.
    pub bytes: Vec<u8>,
}

/// More output than this in one run is counted but not stored.
const STORED: usize = 1 << 20;

static OUTPUT: Global<Output> = Global::new(Output { pieces: Vec::new(), bytes: Vec::new() });

/// Output that goes to the real descriptors as well.
#[derive(Clone, Copy)]
struct Live {
    on: bool,
    /// How much the present attempt at the run has written.
    written: usize,
    /// How much all attempts have shown. One that begins the run again, with more threads or more patience, writes the
    /// same again first.
    shown: usize,
}

static LIVE: Global<Live> = Global::new(Live { on: false, written: 0, shown: 0 });

/// Makes output go to the real descriptors as well, or not.
pub fn set_live(live: bool) {
    LIVE.write(Live { on: live, written: 0, shown: 0 });
}

/// Whether output goes to the real descriptors as well.
pub(super) fn is_live() -> bool {
    LIVE.read().on
}

/// What this run has written so far.
pub fn captured() -> &'static Output {
    // SAFETY: callers on the engine's side drop the reference before the program goes on.
    unsafe { OUTPUT.get() }
}

pub(super) fn reset() {
    truncate((0, 0));
    LIVE.write(Live { written: 0, ..LIVE.read() });
}

/// How much output there is, for a checkpoint.
pub(super) fn position() -> (usize, usize) {
    let output = captured();
    (output.pieces.len(), output.bytes.len())
}

/// Drops what was written after a position.
pub(super) fn truncate(position: (usize, usize)) {
    // SAFETY: one OS thread; no code that runs while the borrow lasts uses this global.
    let output = unsafe { OUTPUT.get() };
    output.pieces.truncate(position.0);
    output.bytes.truncate(position.1);
}

pub(super) fn write(descriptor: u32, bytes: &[u8]) {
    if is_live() {
        show(descriptor, bytes);
    }
    // SAFETY: one OS thread; no code that runs while the borrow lasts uses this global.
    let output = unsafe { OUTPUT.get() };
    let stored = &bytes[..bytes.len().min(STORED.saturating_sub(output.bytes.len()))];
    output.bytes.extend_from_slice(stored);
    output.pieces.push(Piece { descriptor, slot: super::fiber::current_slot() as u32, len: stored.len() as u32 });
}

/// Writes what no attempt at the run has shown yet.
fn show(descriptor: u32, bytes: &[u8]) {
    let Live { on, written, shown } = LIVE.read();
    let new = &bytes[shown.saturating_sub(written).min(bytes.len())..];
    // SAFETY: the kernel reads `new`.
    unsafe { sys::call3(nr::__NR_write, descriptor.into(), new.as_ptr() as u64, new.len() as u64) };
    let written = written + bytes.len();
    LIVE.write(Live { on, written, shown: shown.max(written) });
}
