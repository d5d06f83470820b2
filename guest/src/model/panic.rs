//! Panics of Rust programs: exceptions of their own class, which the standard library raises with the unwinder of the
//! platform. The run goes on, so that a panic which the program catches, or looks at when it joins the thread, can be
//! allowed by its severity. Where the program is built to abort instead of unwinding, `abort` is what is reported.

use super::exception::{Function, announced, site_of};
use super::real;
use crate::engine::{note_finding, stack_walk};
use crate::platform::started;
use inspect_core::detect::FindingKind;

announced! {
    interpose__Unwind_RaiseException => raise;
}

/// The class of exceptions of Rust, with the vendor in its first half and the language in the second. Versions of the
/// standard library differ in the order of the bytes.
const RUST: [u64; 2] = [u64::from_ne_bytes(*b"MOZ\0RUST"), u64::from_be_bytes(*b"MOZ\0RUST")];

extern "C" fn raise(exception: u64, _: u64, pc: u64) -> Function {
    if started() && RUST.contains(&class_of(exception)) {
        let site = site_of(pc);
        stack_walk::access(site);
        note_finding(FindingKind::Panic, site);
    }
    real!("_Unwind_RaiseException" as fn(u64, u64))
}

/// What an exception begins with.
fn class_of(exception: u64) -> u64 {
    // SAFETY: the caller passes an exception; if not, it faults here as it would in the unwinder.
    unsafe { *(exception as *const u64) }
}
