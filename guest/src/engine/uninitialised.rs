//! Uses of uninitialised memory: branches and addresses that depend on it.

use super::detection::note;
use super::me;
use super::site::of_call;
use crate::platform::poison::{self, PoisonOrigin};
use inspect_core::detect::FindingKind;
use inspect_core::event::{EventIndex, Object, Place, SiteId, ThreadId};
use inspect_core::run::Misuse;

/// The running thread uses, at this place, a value that depends on uninitialised memory.
pub(crate) fn note_use(site: SiteId, origin: PoisonOrigin) {
    let (kind, thread) = (FindingKind::UninitialisedUse, me());
    let other = poison::place_of(origin).map(|(slot, pc)| Place {
        thread: ThreadId::at(slot),
        site: of_call(pc),
        operation: None,
    });
    note(Misuse { kind, thread, site, operation: None, object: Object(0), at: EventIndex(0), other });
}
