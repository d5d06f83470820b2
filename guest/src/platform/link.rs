//! The guest's end of the shared memory: the job comes in, messages and counters go out.

use super::global::Global;
use super::layout::{SHARED, STATE_TABLE};
use super::sys::{self, nr};
use super::{child, elf};
use core::hash::Hash;
use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use inspect_core::hash::Hasher128;
use inspect_core::run::StateTable;
use inspect_wire::message::{Job, Message, SharedTable};
use inspect_wire::shared::{self, SharedHeader, state};
use inspect_wire::work::{Commit, Package};

/// The header in shared memory. Only once [`open`] was called.
pub fn header() -> &'static SharedHeader {
    // SAFETY: `open` maps the region, which lasts as long as the process; the header consists of atomics.
    unsafe { &*(SHARED.start as *const SharedHeader) }
}

pub(super) fn open() {
    let flags = nr::MAP_SHARED | nr::MAP_FIXED_NOREPLACE;
    let fd = shared::DESCRIPTOR as u64;
    // SAFETY: maps the host's memory into a range of the engine's that nothing else uses.
    let got = unsafe { sys::call(nr::__NR_mmap, [SHARED.start, SHARED.len(), sys::PROT_RW, flags.into(), fd, 0]) };
    if got != SHARED.start as i64 {
        sys::fatal("cannot map the memory shared with the host");
    }
    if header().version.load(Relaxed) != shared::VERSION {
        sys::fatal(
            "the program runs with the library of another version of Inspect than the one that checks it; rebuild the \
             program with the inspect-cc that belongs to this inspect (in Inspect's sources: make build, which builds \
             both parts)",
        );
    }
    OPEN.write(true);
    sys::call_before_fatal(last_words);
}

fn bytes(offset: u64, len: u64) -> Option<&'static mut [u8]> {
    let end = offset.checked_add(len)?;
    // SAFETY: inside the mapped region; the host writes the job before the guest starts and nothing afterwards, and the
    // guest has one thread.
    (end <= SHARED.len())
        .then(|| unsafe { core::slice::from_raw_parts_mut((SHARED.start + offset) as *mut u8, len as usize) })
}

pub(super) fn job() -> Result<Job, &'static str> {
    let offset = header().job_offset.load(Acquire);
    let frame = bytes(offset, 4).ok_or("the job lies outside of the shared memory")?;
    let len = u32::from_le_bytes([frame[0], frame[1], frame[2], frame[3]]);
    let frame = bytes(offset + 4, len.into()).ok_or("the job lies outside of the shared memory")?;
    let job = postcard::from_bytes(frame).map_err(|_| "cannot decode the job")?;
    header().state.store(state::RUNNING, Release);
    Ok(job)
}

/// Maps the table of states that the job names, if it names one.
pub(super) fn open_state_table(job: &Job) {
    let Some(SharedTable { bytes, .. }) = job.state_table else { return };
    let flags = nr::MAP_SHARED | nr::MAP_NORESERVE | nr::MAP_FIXED_NOREPLACE;
    let fd = shared::TABLE_DESCRIPTOR as u64;
    let length = bytes.min(STATE_TABLE.len());
    // SAFETY: maps the host's memory into a range of the engine's that nothing else uses.
    let got = unsafe { sys::call(nr::__NR_mmap, [STATE_TABLE.start, length, sys::PROT_RW, flags.into(), fd, 0]) };
    if got != STATE_TABLE.start as i64 {
        sys::fatal("cannot map the states that processes share");
    }
    // SAFETY: the descriptor is the engine's, and is no longer needed.
    unsafe { sys::call1(nr::__NR_close, fd) };
    // SAFETY: mapped above for as long as the process lasts; the host has made the file as large as it says. Other
    // processes write there by atomic operations only.
    let words = unsafe { core::slice::from_raw_parts(STATE_TABLE.start as *const AtomicU64, length as usize / 8) };
    TABLE_LENGTH.write(length);
    TABLE.write(StateTable::new(words));
}

/// The table of states, if the guest shares one.
pub fn state_table() -> Option<StateTable> {
    let table = TABLE.read()?;
    // Which modules there are is known once the program is loaded.
    let mut layout = Hasher128::default();
    for module in elf::modules() {
        (module.bias, module.start, module.end).hash(&mut layout);
    }
    Some(table.with_layout(layout.key()))
}

/// The guest no longer shares the table of states: it sees other operations than those that the table is about.
pub fn leave_state_table() {
    TABLE.write(None);
}

/// Takes from this process the right to change the table; false if that fails.
pub(super) fn shield_state_table() -> bool {
    // SAFETY: the engine's own range, all of it or nothing of it mapped.
    TABLE.read().is_none() || unsafe { sys::protect(STATE_TABLE.start, TABLE_LENGTH.read(), sys::PROT_READ) }
}

static TABLE_LENGTH: Global<u64> = Global::new(0);
static TABLE: Global<Option<StateTable>> = Global::new(None);

/// Appends a message for the host; false if the shared memory is full or the message cannot be encoded.
#[must_use]
pub fn send(message: &Message) -> bool {
    let header = header();
    let offset = header.messages_end.load(Relaxed).max(header.messages_offset.load(Relaxed));
    let Some(room) = shared::PACKAGE_OFFSET.checked_sub(offset + 4) else { return false };
    let Some(frame) = bytes(offset + 4, room) else { return false };
    header.in_engine.store(1, Relaxed);
    let written = postcard::to_slice(message, frame).map(|used| used.len() as u32);
    let sent = match (written, bytes(offset, 4)) {
        (Ok(len), Some(prefix)) => {
            prefix.copy_from_slice(&len.to_le_bytes());
            header.messages_end.store(offset + 4 + u64::from(len), Release);
            true
        }
        _ => false,
    };
    header.in_engine.store(0, Relaxed);
    sent
}

/// The package that the host has put down.
pub fn package() -> Option<Package> {
    let frame = bytes(shared::PACKAGE_OFFSET, 4)?;
    let len = u64::from(u32::from_le_bytes([frame[0], frame[1], frame[2], frame[3]]));
    if len > shared::COMMIT_OFFSET - shared::PACKAGE_OFFSET - 4 {
        return None;
    }
    postcard::from_bytes(bytes(shared::PACKAGE_OFFSET + 4, len)?).ok()
}

/// Writes a commit for the host, which has read the one before; false if there is no room for it.
#[must_use]
pub fn commit(commit: &Commit) -> bool {
    let room = shared::SIZE - shared::COMMIT_OFFSET - 4;
    let Some(frame) = bytes(shared::COMMIT_OFFSET + 4, room) else { return false };
    let header = header();
    header.in_engine.store(1, Relaxed);
    let written = postcard::to_slice(commit, frame).map(|used| used.len() as u32);
    let made = match (written, bytes(shared::COMMIT_OFFSET, 4)) {
        (Ok(len), Some(prefix)) => {
            prefix.copy_from_slice(&len.to_le_bytes());
            header.commits.store(header.commits.load(Relaxed).wrapping_add(1), Release);
            true
        }
        _ => false,
    };
    header.in_engine.store(0, Relaxed);
    made
}

/// Leaves the processor to others for about so many nanoseconds.
pub fn pause(nanoseconds: u64) {
    let time = [0, nanoseconds];
    // SAFETY: the kernel reads the time; an early return does no harm.
    unsafe { sys::call2(nr::__NR_nanosleep, time.as_ptr() as u64, 0) };
}

static OPEN: Global<bool> = Global::new(false);

/// Reports to the host why the process ends.
fn last_words(message: &str) {
    if child::in_child() {
        child::give_up(message);
    }
    if !OPEN.read() {
        return;
    }
    OPEN.write(false);
    let _ = send(&Message::ToolError(message.into()));
    header().state.store(state::DONE, Release);
}

/// Says to the host that nothing more will come, and ends the process.
pub fn finish() -> ! {
    header().state.store(state::DONE, Release);
    sys::exit(0)
}
