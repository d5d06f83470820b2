//! Source locations: static records of the instrumentation, or code addresses.
//!
//! Both are named by a [`SiteId`]. Records are aligned, so their addresses are even; code addresses are made odd, which
//! is possible without leaving the instruction: a call is at least two bytes long, and of the last two bytes before its
//! return address one is odd. The guest reports the text of a record before its first use; a site without a text is a
//! code address that the host looks up in the module.

use crate::platform::Global;
use crate::platform::layout::Range;
use alloc::string::String;
use alloc::vec::Vec;
use core::ffi::{CStr, c_char};
use inspect_core::event::SiteId;
use inspect_wire::hooks::{Site, UNREAD, VOLATILE};
use inspect_wire::message::{LoadedModule, ResolvedSite};

/// The site of a call with this return address.
#[inline(always)]
pub(crate) fn of_call(return_address: u64) -> SiteId {
    SiteId(return_address.wrapping_sub(2) | 1)
}

/// The site of an instruction that did not complete.
pub(crate) fn of_instruction(address: u64) -> SiteId {
    SiteId(address | 1)
}

/// The program and the libraries that are loaded before the first run. What a run loads itself (`dlopen`) is gone after
/// it.
static LASTING: Global<Vec<Range>> = Global::new(Vec::new());

/// Notes the program and the libraries that are loaded before the first run.
pub(crate) fn note_modules(modules: &[LoadedModule]) {
    // SAFETY: one OS thread; the borrow ends here.
    *unsafe { LASTING.get() } = modules.iter().map(|module| Range { start: module.start, end: module.end }).collect();
}

/// Whether nobody uses the contents of the memory that is accessed at this site, at which the running thread is now.
pub(crate) fn is_unread(site: SiteId) -> bool {
    if site.0 & 1 == 1 || site.0 == 0 {
        return false;
    }
    // SAFETY: an even site was passed to a hook by instrumented code, which passes the address of a static record, and
    // the code is loaded as long as a thread is in it.
    unsafe { (*(site.0 as *const Site)).flags & UNREAD != 0 }
}

/// The text of a static record; `None` for a code address or an unknown place.
pub(crate) fn resolve(site: SiteId) -> Option<ResolvedSite> {
    // SAFETY: one OS thread; the borrow ends with this statement.
    let lasts = unsafe { LASTING.get() }.iter().any(|module| module.contains(site.0));
    if site.0 & 1 == 1 || !lasts {
        return None;
    }
    // SAFETY: an even site was passed to a hook by instrumented code, which passes the address of a static record, and
    // it lies in the program or a library that stays loaded.
    let record = unsafe { &*(site.0 as *const Site) };
    Some(ResolvedSite {
        site,
        file: text(record.file),
        function: text(record.function),
        variable: text(record.variable),
        line: record.line,
        column: record.column,
        volatile: record.flags & VOLATILE != 0,
    })
}

fn text(pointer: *const c_char) -> String {
    if pointer.is_null() {
        return String::new();
    }
    // SAFETY: the strings of a record are NUL-terminated and live as long as the program.
    unsafe { CStr::from_ptr(pointer) }.to_string_lossy().into_owned()
}
