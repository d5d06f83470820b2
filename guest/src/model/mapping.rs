//! What changes of mappings mean for the accesses of others to that memory.

use super::descriptors;
use super::library_state::{Use, change_page_rights};
use crate::engine::has_other_threads;
use crate::hooks::{argument_read, argument_write};
use crate::platform::{PAGE, Rights, rights_of_mappings};
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
    if !address.is_multiple_of(PAGE) || len == 0 {
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
    change_page_rights(address, len, site);
}

/// What is there goes away.
pub(super) fn go_away(address: u64, len: u64, site: SiteId) {
    argument_write(address, mapped(len), site);
}

/// A new mapping, by `mmap` with these flags: what is at a fixed address goes away, and the file of the descriptor is
/// looked at if there is one.
pub(super) fn map(address: u64, len: u64, flags: u64, fd: u64, site: SiteId) {
    const FIXED: u64 = 0x10;
    const ANONYMOUS: u64 = 0x20;
    if flags & FIXED != 0 {
        go_away(address, len, site);
    }
    if flags & ANONYMOUS == 0 {
        descriptors::use_descriptor(fd, Use::Look, site);
    }
}

/// Advice, of which only one kind lets contents go.
pub(super) fn advise(address: u64, len: u64, advice: u64, site: SiteId) {
    const DONT_NEED: u32 = 4;
    if advice as u32 == DONT_NEED {
        go_away(address, len, site);
    }
}
