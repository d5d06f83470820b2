//! Accesses to memory, plain and atomic.

use super::Operation;
use super::properties::{AccessMode, Acquires, Description, MemoryOrder, Releases, none, none_of};
use crate::event::{ByteRange, Footprint, Object, ThreadId, Touch};

/// An access to memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum MemoryOperation {
    /// A plain read that is visible (`--plain-accesses all`, or promoted after a race).
    Read(ByteRange),
    /// A plain write that is visible.
    Write(ByteRange),
    /// An atomic load.
    AtomicLoad(ByteRange, MemoryOrder),
    /// An atomic store.
    AtomicStore(ByteRange, MemoryOrder),
    /// An atomic read-modify-write; a compare-exchange that failed has `wrote: false` and counts as a read.
    AtomicUpdate {
        /// The bytes read and, if `wrote`, written.
        range: ByteRange,
        /// The memory order of the actual outcome: a failed compare-exchange has its own.
        order: MemoryOrder,
        /// False for a failed compare-exchange.
        wrote: bool,
    },
}

impl Description for MemoryOperation {
    fn name(self) -> &'static str {
        match self {
            MemoryOperation::Read(_) => "read",
            MemoryOperation::Write(_) => "write",
            MemoryOperation::AtomicLoad(..) => "atomic load",
            MemoryOperation::AtomicStore(..) => "atomic store",
            MemoryOperation::AtomicUpdate { wrote: true, .. } => "atomic update",
            MemoryOperation::AtomicUpdate { wrote: false, .. } => "failed compare-exchange",
        }
    }

    #[inline]
    fn access(self) -> Option<(ByteRange, AccessMode)> {
        Some(match self {
            MemoryOperation::Read(range) => (range, AccessMode::Read),
            MemoryOperation::Write(range) => (range, AccessMode::Write),
            MemoryOperation::AtomicLoad(range, _) => (range, AccessMode::AtomicRead),
            MemoryOperation::AtomicStore(range, _) | MemoryOperation::AtomicUpdate { range, wrote: true, .. } => {
                (range, AccessMode::AtomicWrite)
            }
            MemoryOperation::AtomicUpdate { range, wrote: false, .. } => (range, AccessMode::AtomicCompare),
        })
    }

    fn seen_at(self, bytes: ByteRange) -> Self {
        match self {
            MemoryOperation::Read(_) => MemoryOperation::Read(bytes),
            MemoryOperation::Write(_) => MemoryOperation::Write(bytes),
            MemoryOperation::AtomicLoad(_, order) => MemoryOperation::AtomicLoad(bytes, order),
            MemoryOperation::AtomicStore(_, order) => MemoryOperation::AtomicStore(bytes, order),
            MemoryOperation::AtomicUpdate { order, wrote, .. } => {
                MemoryOperation::AtomicUpdate { range: bytes, order, wrote }
            }
        }
    }

    #[inline]
    fn memory_order(self) -> Option<MemoryOrder> {
        match self {
            MemoryOperation::Read(_) | MemoryOperation::Write(_) => None,
            MemoryOperation::AtomicLoad(_, order)
            | MemoryOperation::AtomicStore(_, order)
            | MemoryOperation::AtomicUpdate { order, .. } => Some(order),
        }
    }

    #[inline]
    fn footprint(self) -> Footprint {
        match self {
            MemoryOperation::Read(range) | MemoryOperation::AtomicLoad(range, _) => {
                Footprint::bytes(range, Touch::Read)
            }
            MemoryOperation::Write(range) | MemoryOperation::AtomicStore(range, _) => {
                Footprint::bytes(range, Touch::Write)
            }
            MemoryOperation::AtomicUpdate { range, wrote, .. } => {
                Footprint::bytes(range, if wrote { Touch::Write } else { Touch::Compare })
            }
        }
    }

    #[inline]
    fn acquires(self) -> Acquires {
        match self {
            MemoryOperation::AtomicLoad(range, order) | MemoryOperation::AtomicUpdate { range, order, .. } => {
                Acquires::Memory(range, order)
            }
            MemoryOperation::Read(_) | MemoryOperation::Write(_) | MemoryOperation::AtomicStore(..) => {
                Acquires::Nothing
            }
        }
    }

    #[inline]
    fn releases(self) -> Releases {
        match self {
            MemoryOperation::AtomicStore(range, order) => Releases::Memory { range, order, update: false },
            MemoryOperation::AtomicUpdate { range, order, wrote: true } => {
                Releases::Memory { range, order, update: true }
            }
            MemoryOperation::Read(_)
            | MemoryOperation::Write(_)
            | MemoryOperation::AtomicLoad(..)
            | MemoryOperation::AtomicUpdate { wrote: false, .. } => Releases::Nothing,
        }
    }

    fn is_relaxed(self) -> bool {
        match self {
            MemoryOperation::Read(_) | MemoryOperation::Write(_) => false,
            MemoryOperation::AtomicLoad(_, order) => !order.acquires(),
            MemoryOperation::AtomicStore(_, order) => !order.releases(),
            MemoryOperation::AtomicUpdate { order, wrote, .. } => !order.acquires() || wrote && !order.releases(),
        }
    }

    #[inline]
    fn has_outcome(self) -> bool {
        match self {
            MemoryOperation::AtomicUpdate { .. } => true,
            MemoryOperation::Read(_)
            | MemoryOperation::Write(_)
            | MemoryOperation::AtomicLoad(..)
            | MemoryOperation::AtomicStore(..) => false,
        }
    }

    #[inline]
    fn succeeded(self) -> Option<bool> {
        match self {
            MemoryOperation::AtomicUpdate { wrote, .. } => Some(wrote),
            MemoryOperation::Read(_)
            | MemoryOperation::Write(_)
            | MemoryOperation::AtomicLoad(..)
            | MemoryOperation::AtomicStore(..) => None,
        }
    }

    /// Plain accesses go first: unless another thread is about to access the same bytes, they are independent of all
    /// pending operations.
    #[inline]
    fn goes_first(self) -> bool {
        match self {
            MemoryOperation::Read(_) | MemoryOperation::Write(_) => true,
            MemoryOperation::AtomicLoad(..)
            | MemoryOperation::AtomicStore(..)
            | MemoryOperation::AtomicUpdate { .. } => false,
        }
    }

    fn with_full_effect(self) -> Operation {
        Operation::Memory(match self {
            MemoryOperation::AtomicUpdate { range, order, .. } => {
                MemoryOperation::AtomicUpdate { range, order, wrote: true }
            }
            MemoryOperation::Read(_)
            | MemoryOperation::Write(_)
            | MemoryOperation::AtomicLoad(..)
            | MemoryOperation::AtomicStore(..) => self,
        })
    }

    fn relocated(self, bytes: impl Fn(ByteRange) -> ByteRange, _: impl Fn(Object) -> Object) -> Self {
        self.access().map_or(self, |(range, _)| self.seen_at(bytes(range)))
    }

    // Accesses can always be taken, and concern neither synchronisation objects nor other threads.
    none! { at_channel }
    none! { concerns_signals awaits_signal }
    none! { need objects lifecycle hold ends_hold wait signals woken choice_kind is_failed_lock expiry }
    none! { creates starts_timer joins detaches handle cancels gives_way is_idle rests exits ends_process is_unordered_look }

    fn renamed(self, _: impl Fn(ThreadId) -> ThreadId) -> Self {
        self
    }
}

impl Operation {
    /// The bytes that an atomic store writes. It ends the release sequences of other threads there (C11 5.1.2.4p10),
    /// which an update continues.
    pub fn stored(&self) -> Option<ByteRange> {
        let Operation::Memory(operation) = *self else { return None };
        match operation {
            MemoryOperation::AtomicStore(range, _) => Some(range),
            MemoryOperation::Read(_)
            | MemoryOperation::Write(_)
            | MemoryOperation::AtomicLoad(..)
            | MemoryOperation::AtomicUpdate { .. } => None,
        }
    }
}
