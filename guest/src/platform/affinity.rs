//! Which processors each thread of the program may run on. All of them share one thread of the system, for which it
//! makes no difference, so what the program asks for is remembered and answered. A run begins with the processors that
//! the process has at main.

use super::fiber::{self, PROCESS};
use super::global::Global;
use super::recover;
use super::sys::{self, error, nr};
use super::upcalls::upcalls;
use alloc::vec::Vec;
use sys::errno::{EFAULT, EINVAL, ESRCH};

const WORDS: usize = 16;

/// A set of processors, a bit each.
pub type Mask = [u64; WORDS];

/// All processors that a mask has room for.
pub const EVERYWHERE: Mask = [u64::MAX; WORDS];

/// What the kernel says of the process at main: its processors, and how many bytes of a mask mean something.
static AT_MAIN: Global<(Mask, u64)> = Global::new(([0; WORDS], 0));

/// Slots of threads whose processors the run has changed.
static CHANGED: Global<Vec<(u64, Mask)>> = Global::new(Vec::new());

fn changed() -> &'static mut Vec<(u64, Mask)> {
    // SAFETY: one OS thread; the borrow ends in the statement of the caller.
    unsafe { CHANGED.get() }
}

/// The processors that the process can be given: those of its group, of which it may start with some.
static POSSIBLE: Global<Mask> = Global::new([0; WORDS]);

/// Remembers what runs start with.
pub(super) fn remember() {
    let (mask, size) = ask();
    AT_MAIN.write((mask, size));
    let give = |mask: &Mask| {
        // SAFETY: the kernel reads a mask of this size.
        unsafe { sys::call3(nr::__NR_sched_setaffinity, 0, size_of::<Mask>() as u64, mask.as_ptr() as u64) }
    };
    // The kernel says which these are to a process that asks for all.
    let possible = if sys::failed(give(&EVERYWHERE)) { mask } else { ask().0 };
    give(&mask);
    POSSIBLE.write(possible);
    reset();
}

/// The processors that the process has now, and how many bytes of a mask mean something.
fn ask() -> (Mask, u64) {
    let mut mask = [0; WORDS];
    // SAFETY: the kernel writes a mask of at most this size.
    let size = unsafe { sys::call3(nr::__NR_sched_getaffinity, 0, size_of::<Mask>() as u64, mask.as_mut_ptr() as u64) };
    (mask, size.max(0) as u64)
}

/// Undoes what the run did.
pub(super) fn reset() {
    changed().clear();
}

/// What the run has changed so far.
pub(super) fn save() -> Vec<(u64, Mask)> {
    changed().clone()
}

/// Brings back what [`save`] has returned.
pub(super) fn load(saved: &[(u64, Mask)]) {
    let changed = changed();
    changed.clear();
    changed.extend_from_slice(saved);
}

/// Adds to a hash what the run has changed.
pub(super) fn hash(hash: u64) -> u64 {
    if changed().is_empty() {
        return hash;
    }
    let words = changed().iter().flat_map(|(slot, mask)| core::iter::once(*slot).chain(*mask));
    words.fold(hash, |hash, word| (hash ^ word).wrapping_mul(0x100_0000_01b3).rotate_left(23))
}

fn mask_of(slot: usize) -> Mask {
    changed().iter().find(|(of, _)| *of == slot as u64).map_or(AT_MAIN.read().0, |(_, mask)| *mask)
}

fn set_mask(slot: usize, mask: Mask) {
    let changed = changed();
    changed.retain(|(of, _)| *of != slot as u64);
    if mask != AT_MAIN.read().0 {
        changed.push((slot as u64, mask));
        changed.sort_unstable_by_key(|(of, _)| *of);
    }
}

/// A new thread may run where its creator may, or where it is asked to; false if the process can have none of these
/// processors.
pub fn begin(child: usize, creator: usize, asked: Option<Mask>) -> bool {
    let possible = POSSIBLE.read();
    let asked = asked.map(|asked| core::array::from_fn(|at| asked[at] & possible[at]));
    if asked == Some([0; WORDS]) {
        return false;
    }
    if asked.is_some() || !changed().is_empty() {
        set_mask(child, asked.unwrap_or_else(|| mask_of(creator)));
    }
    true
}

/// The lowest of the running thread's processors: the one that it is told it runs on.
pub(super) fn present() -> u32 {
    let mask = mask_of(fiber::current_slot());
    let word = mask.iter().position(|word| *word != 0).unwrap_or(0);
    64 * word as u32 + mask[word].trailing_zeros() % 64
}

/// What stands for the processors of a thread that has ended.
const ENDED: Mask = [0; WORDS];

/// The thread in this slot has ended: its number is none of a thread any more.
pub fn end(slot: usize) {
    set_mask(slot, ENDED);
}

/// Whether the number of the thread in this slot is none of a thread any more. That of main is one for good.
pub fn has_ended(slot: usize) -> bool {
    slot != 0 && (mask_of(slot) == ENDED || !upcalls().lives(slot))
}

/// The slot of the thread that has or had this number, 0 for the running one.
pub fn slot_of_number(thread: u64) -> Option<usize> {
    let thread = u64::from(thread as u32);
    let slot = if thread == 0 { fiber::current_slot() } else { thread.checked_sub(PROCESS)? as usize };
    (slot < fiber::ready_slots() && upcalls().exists(slot)).then_some(slot)
}

/// The slot of the thread that has this number.
fn present_slot(thread: u64) -> Option<usize> {
    slot_of_number(thread).filter(|&slot| !has_ended(slot))
}

/// Serves `sched_getaffinity`.
pub(super) fn get(thread: u64, len: u64, address: u64) -> i64 {
    let size = AT_MAIN.read().1;
    let Some(slot) = present_slot(thread) else { return error(ESRCH) };
    if len < size || !len.is_multiple_of(8) {
        return error(EINVAL);
    }
    let mask = mask_of(slot);
    let bytes = mask.map(u64::to_le_bytes);
    if recover::write(address, &bytes.as_flattened()[..size as usize]) { size as i64 } else { error(EFAULT) }
}

/// Serves `sched_setaffinity`.
pub(super) fn set(thread: u64, len: u64, address: u64) -> i64 {
    let Some(slot) = present_slot(thread) else { return error(ESRCH) };
    match read_mask(len, address) {
        Some(mask) if mask == [0; WORDS] => error(EINVAL),
        Some(mask) => {
            set_mask(slot, mask);
            0
        }
        None => error(EFAULT),
    }
}

/// A mask of the program's, without the processors that the process cannot have.
fn read_mask(len: u64, address: u64) -> Option<Mask> {
    let mut bytes = [0u8; size_of::<Mask>()];
    let len = (len as usize).min(bytes.len());
    if recover::read(address, &mut bytes[..len]) != len {
        return None;
    }
    let possible = POSSIBLE.read();
    Some(core::array::from_fn(|at| {
        let mut word = [0; 8];
        word.copy_from_slice(&bytes[8 * at..8 * at + 8]);
        u64::from_le_bytes(word) & possible[at]
    }))
}
