//! What operations choose when they are taken.

use crate::event::{Object, ThreadNumber};

/// What is chosen when an operation is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChoiceKind {
    /// Nothing.
    None,
    /// One of the waiters of this condition variable or queue, if there are some.
    Waiter(Object),
    /// This number of the waiters of this queue, if there are more ([`ThreadSet::subset`](crate::event::ThreadSet)).
    Waiters(Object, ThreadNumber),
    /// This number of those waiters of this queue that a bitset selects. The bits are not recorded, so what could be
    /// chosen after prefixes that the run did not go through is not known.
    SelectedWaiters(Object, ThreadNumber),
    /// Which waiters of this queue a requeue wakes and moves. How many, and who was moved, is not recorded.
    Requeued(Object),
    /// One of the waiters of the lock with this queue, if there are some. Which of them have left is not recorded.
    Owner(Object),
    /// Whether a wait with a time limit that nobody has ended has expired (0) or ends spuriously (1), where waits may.
    WaitEnd,
    /// A value.
    Value,
}

impl ChoiceKind {
    /// Whether the events of a run show what could be chosen after any prefix of their partial order, and not only
    /// after the prefixes that the run went through.
    pub fn is_foreseen(self) -> bool {
        match self {
            ChoiceKind::SelectedWaiters(..) | ChoiceKind::Requeued(_) | ChoiceKind::Owner(_) => false,
            ChoiceKind::None | ChoiceKind::Waiter(_) | ChoiceKind::Waiters(..) => true,
            ChoiceKind::WaitEnd | ChoiceKind::Value => true,
        }
    }
}
