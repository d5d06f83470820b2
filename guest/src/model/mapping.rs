//! What changes of mappings mean for the accesses of others to that memory, and for their calls on it.
//!
//! An access conflicts with what a call announces of the bytes. Another call on the mapping conflicts with it by the
//! rights of pages, a byte of each page, whether it is mapped or not: what a call does to a page, and whether it fails,
//! depends on them. They come last, right before the call takes effect.

use super::descriptors;
use super::imports::imports_one_of;
use super::library_state::{Use, use_page_rights};
use crate::engine::{has_other_threads, note_uncontrolled};
use crate::hooks::{argument_read, argument_write};
use crate::platform::{ADDRESSES, Global, PAGE, Rights, rights_of_mappings};
use inspect_core::event::SiteId;

/// Of a mapping that is unmapped so many bytes are announced at most while there are no other threads: the beginning
/// stands for the rest.
const LARGEST_UNMAPPED: u64 = 1 << 20;
/// The same while there are.
const LARGEST_UNMAPPED_BESIDE_OTHERS: u64 = 1 << 30;

/// How many bytes of a mapping are announced if it is so long.
fn mapped(len: u64) -> u64 {
    len.min(if has_other_threads() { LARGEST_UNMAPPED_BESIDE_OTHERS } else { LARGEST_UNMAPPED })
}

/// Taking away or granting the right to read counts as a write, and the same with the right to write as a read: these
/// conflict with the accesses that need the right. The rights themselves are a byte of each page, which the call
/// changes: what they are in the end depends on the order of such calls.
pub(super) fn protect(address: u64, len: u64, rights: u64, site: SiteId) {
    const READ: u64 = 1;
    const WRITE: u64 = 2;
    if is_impossible(address, len) || len == 0 {
        return;
    }
    let wanted = Rights { read: rights & READ != 0, write: rights & WRITE != 0 };
    let announce = |address: u64, len: u64, before: Rights| {
        if wanted.read != before.read {
            argument_write(address, len, site);
        } else if wanted.write != before.write {
            argument_read(address, len, site);
        }
    };
    let len = mapped(len);
    if !has_other_threads() {
        return announce(address, len, Rights::ALL);
    }
    for (start, len, before) in rights_of_mappings(address, len) {
        announce(start, len, before);
    }
    use_page_rights(address, len, Use::Change, site);
}

/// A call that depends on which pages are mapped.
pub(super) fn look(address: u64, len: u64, site: SiteId) {
    if has_other_threads() {
        use_page_rights(address, mapped(len), Use::Look, site);
    }
}

fn change(address: u64, len: u64, site: SiteId) {
    if has_other_threads() {
        use_page_rights(address, mapped(len), Use::Change, site);
    }
}

/// The pages of which `mincore` says something: none of a range that is longer than what a process can have mapped, for
/// which it fails.
pub(super) fn pages(len: u64) -> u64 {
    const LARGEST: u64 = 1 << 36;
    if len > LARGEST { 0 } else { len.div_ceil(PAGE) }
}

/// Whether a call on a range of pages fails whatever is mapped there: the range begins within a page, or goes beyond
/// the addresses of a process.
fn is_impossible(address: u64, len: u64) -> bool {
    !address.is_multiple_of(PAGE) || address.checked_add(len).is_none_or(|end| end > ADDRESSES)
}

/// What is there goes away.
pub(super) fn go_away(address: u64, len: u64, site: SiteId) {
    if is_impossible(address, len) {
        return;
    }
    argument_write(address, mapped(len), site);
    change(address, len, site);
}

/// What is there goes to another place, if it is of one kind: locking a part of it makes that another one.
pub(super) fn remap(address: u64, len: u64, site: SiteId) {
    if !is_impossible(address, len) && locks_memory() {
        note_uncontrolled("mremap of memory that may be locked".into(), site);
    }
    go_away(address, len, site);
}

/// Something is mapped where nothing is, or the call fails: another thread may map or unmap memory there meanwhile, so
/// the call is announced until it does what was announced.
fn map_new(address: u64, len: u64, site: SiteId) {
    let is_free = || rights_of_mappings(address, len).is_empty();
    loop {
        let was_free = is_free();
        if was_free {
            argument_write(address, mapped(len), site);
        }
        change(address, len, site);
        if is_free() == was_free {
            return;
        }
    }
}

/// A new mapping, by `mmap` with these flags: what is at a fixed address goes away, and the file of the descriptor is
/// looked at if there is one.
pub(super) fn map(address: u64, len: u64, flags: u64, fd: u64, site: SiteId) {
    const FIXED: u64 = 0x10;
    const ANONYMOUS: u64 = 0x20;
    const NO_REPLACE: u64 = 0x10_0000;
    if flags & ANONYMOUS == 0 {
        descriptors::use_descriptor(fd, Use::Look, site);
    }
    if flags & NO_REPLACE != 0 {
        map_new(address, len, site);
    } else if flags & FIXED != 0 {
        go_away(address, len, site);
    }
}

/// Advice, of which some kinds let contents go.
pub(super) fn advise(address: u64, len: u64, advice: u64, site: SiteId) {
    const DONT_NEED: u32 = 4;
    const FREE: u32 = 8;
    const REMOVE: u32 = 9;
    const DONT_NEED_LOCKED: u32 = 24;
    if is_impossible(address, len) {
        return;
    }
    let advice = advice as u32;
    if fails_if_locked(advice) && locks_memory() {
        note_uncontrolled("madvise of memory that may be locked".into(), site);
    }
    if matches!(advice, DONT_NEED | FREE | REMOVE | DONT_NEED_LOCKED) {
        go_away(address, len, site);
    } else {
        look(address, len, site);
    }
}

/// Whether the advice is refused for memory that is locked, which the run does not keep track of.
fn fails_if_locked(advice: u32) -> bool {
    const DONT_NEED: u32 = 4;
    const FREE: u32 = 8;
    const REMOVE: u32 = 9;
    const COLD: u32 = 20;
    const PAGE_OUT: u32 = 21;
    matches!(advice, DONT_NEED | FREE | REMOVE | COLD | PAGE_OUT)
}

/// Whether the program locks or unlocks memory. By `syscall` it does what is not known.
fn locks_memory() -> bool {
    static LOCKS: Global<Option<bool>> = Global::new(None);
    // SAFETY: one OS thread; the borrow ends here.
    *unsafe { LOCKS.get() }
        .get_or_insert_with(|| imports_one_of(&["mlock", "mlock2", "mlockall", "munlock", "munlockall"]))
}
