//! What the platform holds of the threads of the program: what the system would keep of each of its own.

use super::Outside;
use crate::platform::{affinity, thread_attributes};
use inspect_wire::message::Uncompared;

/// Which processors threads may run on.
pub(super) struct Affinity;

impl Outside for Affinity {
    type Saved = alloc::vec::Vec<(u64, affinity::Mask)>;

    fn remember() {
        affinity::remember();
    }

    fn reset() {
        affinity::reset();
    }

    fn can_be_saved() -> bool {
        true
    }

    fn save() -> Self::Saved {
        affinity::save()
    }

    fn load(saved: &Self::Saved) {
        affinity::load(saved);
    }

    fn hash(_slots: usize, hash: u64) -> Result<u64, Uncompared> {
        Ok(affinity::hash(hash))
    }
}

/// Names and priorities of threads.
pub(super) struct Attributes;

impl Outside for Attributes {
    type Saved = alloc::vec::Vec<(u64, thread_attributes::Attributes)>;

    fn remember() {
        thread_attributes::remember();
    }

    fn reset() {
        thread_attributes::reset();
    }

    fn can_be_saved() -> bool {
        true
    }

    fn save() -> Self::Saved {
        thread_attributes::save()
    }

    fn load(saved: &Self::Saved) {
        thread_attributes::load(saved);
    }

    fn hash(_slots: usize, hash: u64) -> Result<u64, Uncompared> {
        Ok(thread_attributes::hash(hash))
    }
}
