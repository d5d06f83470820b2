//! Uses of uninitialised memory: branches and addresses that depend on it.

use super::detection::note;
use super::me;
use super::service_stack::on_service_stack;
use super::site::of_call;
use crate::platform::layout::SERVICE_STACK;
use crate::platform::poison::{self, PoisonOrigin};
use inspect_core::detect::FindingKind;
use inspect_core::event::{EventIndex, Object, Place, SiteId};
use inspect_core::run::Misuse;

/// The running thread uses, at this place, a value that depends on uninitialised memory.
pub(crate) fn note_use(site: SiteId, origin: PoisonOrigin) {
    let here = 0u64;
    let noted = if SERVICE_STACK.contains(&raw const here as u64) { note_at } else { note_on_service_stack };
    noted(site.0, origin);
}

on_service_stack!(note_on_service_stack(site: u64, origin: PoisonOrigin) => note_at);

extern "C" fn note_at(site: u64, origin: PoisonOrigin) {
    let (kind, thread) = (FindingKind::UninitialisedUse, me());
    // Of where the memory was taken into use the place is known, not the thread.
    let other = poison::place_of(origin).map(|pc| Place { thread, site: of_call(pc), operation: None });
    note(Misuse { kind, thread, site: SiteId(site), operation: None, object: Object(0), at: EventIndex(0), other });
}
