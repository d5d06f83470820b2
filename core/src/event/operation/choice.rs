//! What operations choose when they are taken.

use crate::event::Object;

/// What is chosen when an operation is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChoiceKind {
    /// Nothing.
    None,
    /// One of the waiters of this condition variable or queue, if there are some.
    Waiter(Object),
    /// So many of the waiters of this queue, if there are more ([`ThreadSet::subset`](crate::event::ThreadSet)).
    Waiters(Object, u8),
    /// The same among those waiters that a bitset selects. The bits are not recorded, so what could be chosen after
    /// another prefix than that of the run is not known.
    SelectedWaiters(Object, u8),
    /// Which waiters of this queue a requeue wakes and moves. How many is not recorded, nor who was moved.
    Requeued(Object),
    /// One of the waiters of the lock with this queue, if there are some. Which of them have left is not recorded.
    Owner(Object),
    /// A value.
    Value,
}

impl ChoiceKind {
    /// Whether the events of a run say what could be chosen after other prefixes than that of the run.
    pub fn is_foreseen(self) -> bool {
        match self {
            ChoiceKind::SelectedWaiters(..) | ChoiceKind::Requeued(_) | ChoiceKind::Owner(_) => false,
            ChoiceKind::None | ChoiceKind::Waiter(_) | ChoiceKind::Waiters(..) | ChoiceKind::Value => true,
        }
    }
}
