//! Whether a run uses freed blocks of the heap again (S17).
//!
//! With `--heap both` a search begins without reuse. When a run shows that reuse would make a difference, the search
//! begins anew, and main's first operation in each run is to choose between the two. That is done in programs with
//! shared atomic variables only, where a compare-and-swap may take an address that has come back for the same block
//! (ABA). In others a lock protects what compares addresses, and each search of a program that allocates and frees
//! would make twice the executions.

use super::step::{last_event, visible};
use super::switches::Switch;
use super::visibility;
use crate::platform::{Global, arena, elf};
use inspect_core::event::{ControlOperation, Operation, SiteId};
use inspect_core::run::Request;
use inspect_wire::message::Heap;

/// The present run shows that reuse would make a difference.
pub(crate) fn come_up() {
    if visibility::heap() == Heap::Both && has_atomic_accesses() {
        Switch::HeapChoice.come_up();
    }
}

/// Whether the program or one of its instrumented libraries has atomic accesses to memory that threads may share: to
/// other memory the pass leaves out the hooks.
fn has_atomic_accesses() -> bool {
    static HAS: Global<Option<bool>> = Global::new(None);
    let any =
        || elf::imports().iter().flat_map(|object| &object.names).any(|name| name.starts_with("__inspect_atomic"));
    // SAFETY: one OS thread; the borrow ends here.
    *unsafe { HAS.get() }.get_or_insert_with(any)
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
