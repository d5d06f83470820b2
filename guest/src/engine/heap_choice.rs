//! Whether a run uses freed blocks of the heap again (S17).
//!
//! With `--heap both` a search begins without reuse. When a run comes up in which reuse would make a difference, the
//! search begins anew, and main's first operation in each run is to choose.

use super::step::{last_event, visible};
use super::switches::Switch;
use super::visibility;
use crate::platform::arena;
use inspect_core::event::{ControlOperation, Operation, SiteId};
use inspect_core::run::Request;
use inspect_wire::message::Heap;

/// A run has come up in which reuse would make a difference.
pub(crate) fn come_up() {
    if visibility::heap() == Heap::Both {
        Switch::HeapChoice.come_up();
    }
}

/// Main begins: decides how this run uses the heap.
pub(crate) fn decide() {
    let reuses = match visibility::heap() {
        Heap::Quarantine => false,
        Heap::Reuse => true,
        Heap::Both => Switch::HeapChoice.is_on() && choose(),
    };
    if reuses {
        arena::begin_reuse();
    }
}

fn choose() -> bool {
    let mut request = Request::new(Operation::Control(ControlOperation::Choose), SiteId(0));
    request.count = 2;
    visible(request);
    last_event().choice == 1
}
