//! The word of a synchronisation object that says whether the object is in use (S10): a mutex that is held, a condition
//! variable at which threads wait.
//!
//! The models write it for the running thread. Where an operation of a thread that does not run changes it (a wait that
//! gives its mutex back, or that expires), the scheduler says so, and it is written here.
//!
//! It is not written for objects that the program uses for nothing but calls: nobody can copy or overwrite them, and
//! their pages need not be brought back after each run.

use crate::platform::arena::{self, BlockState};
use crate::platform::{ARENAS, Global, Range, memory_is_gone, recover};
use inspect_core::event::{ByteRange, Object};

/// Offset of the word in a mutex: where the C library links the robust mutexes that a thread holds.
pub(crate) const IN_MUTEX: u64 = 24;
/// Offset of the word in a condition variable: where the C library counts its first group of waiters.
pub(crate) const IN_COND: u64 = 8;

/// The upper two bytes of the word of an object in use, with which the word is no valid address. Below them is the
/// address of the word itself, so that a copy of the word at another place is recognised ([`Says::OtherInUse`]).
const TAG: u64 = 0x4e55;

/// The sections of call-only objects that modules have announced.
static CALL_ONLY: Global<[Range; CALL_ONLY_SECTIONS]> = Global::new([Range::new(0, 0); CALL_ONLY_SECTIONS]);
/// How many sections there can be; the objects of further modules are treated as all others.
const CALL_ONLY_SECTIONS: usize = 4;

/// A module announces its section of call-only objects.
pub(crate) fn note_call_only(section: Range) {
    // SAFETY: constructors run one at a time, and the borrow ends with this statement.
    let sections = unsafe { CALL_ONLY.get() };
    if let Some(free) = sections.iter_mut().find(|known| known.len() == 0) {
        *free = section;
    }
}

/// Whether the program uses the object for nothing but calls, so that no access of the program reaches it.
#[inline(always)]
pub(crate) fn is_call_only(object: u64) -> bool {
    CALL_ONLY.read().iter().any(|section| section.contains(object))
}

/// What the word of an object says of the object's use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Says {
    /// The object is not in use.
    Free,
    /// This object is in use.
    InUse,
    /// The word is a copy of another object's, which was in use.
    OtherInUse,
}

/// Reads the word at this address.
#[inline(always)]
pub(crate) fn says(word: u64) -> Says {
    // SAFETY: inside an object that the program passes, so it can be read; if not, it faults here as it would there.
    said(word, unsafe { (word as *const u64).read_unaligned() })
}

/// What a value says in the word at this address.
#[inline(always)]
fn said(word: u64, value: u64) -> Says {
    if value == in_use(word) {
        Says::InUse
    } else if value >> 48 == TAG {
        Says::OtherInUse
    } else {
        Says::Free
    }
}

fn in_use(word: u64) -> u64 {
    TAG << 48 | word
}

/// Writes the word at this address. Returns the range that was written to.
#[inline(always)]
pub(super) fn set_in_use(word: u64, is_in_use: bool) -> ByteRange {
    // SAFETY: inside an object of the program that is about to change.
    unsafe { (word as *mut u64).write_unaligned(if is_in_use { in_use(word) } else { 0 }) };
    ByteRange { start: word, len: 8 }
}

/// Writes the word's own value to it: if the word cannot be written, that faults now, on the running thread's stack.
pub(crate) fn probe(word: u64) {
    let word = word as *mut u64;
    // SAFETY: the program passes the object to a call that changes it.
    unsafe { word.write_unaligned(word.read_unaligned()) };
}

/// Writes the word on behalf of the scheduler. Nothing is written for a call-only object, to a block of the heap that
/// is not allocated, or if the word says so already. Returns what was written to, if anything was.
pub(super) fn change(object: Object, offset: u64, is_in_use: bool) -> Option<ByteRange> {
    let word = object.0 + offset;
    if is_call_only(object.0) || !is_in_live_block(word) {
        return None;
    }
    if memory_is_gone() {
        return change_if_any(word, is_in_use);
    }
    // As the object came into use in this run, its memory was there, and none was taken away since.
    ((says(word) == Says::InUse) != is_in_use).then(|| set_in_use(word, is_in_use))
}

/// The same for a word whose memory the run may have taken away.
#[cold]
fn change_if_any(word: u64, is_in_use: bool) -> Option<ByteRange> {
    let before = recover::read_value(word)?;
    let differs = (said(word, before) == Says::InUse) != is_in_use;
    let after = if is_in_use { in_use(word) } else { 0 };
    (differs && recover::write_value(word, &after)).then_some(ByteRange { start: word, len: 8 })
}

/// False for a word on the heap that does not lie in an allocated block.
fn is_in_live_block(word: u64) -> bool {
    let live = |block: arena::BlockInfo| block.state == BlockState::Live && word + 8 <= block.start + block.size;
    !ARENAS.contains(word) || arena::block_of(word).is_none_or(live)
}
