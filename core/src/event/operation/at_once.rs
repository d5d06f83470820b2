//! Questions that take several properties of an operation to answer, with one look at which operation it is: they are
//! asked of every event.

use super::Operation;
use super::properties::Description;

impl Operation {
    /// Whether it begins or ends what may be left over at the end of a run: a thread, or the life of an object.
    #[inline(always)]
    pub(crate) fn begins_or_ends(&self) -> bool {
        fn of(group: impl Description) -> bool {
            group.lifecycle().is_some() || group.creates().is_some() || group.joins().is_some()
        }
        of_group!(*self, group => of(group))
    }

    /// Whether its thread may learn by it what others have done without synchronising with them, or others may learn so
    /// what its thread has done.
    #[inline(always)]
    pub(crate) fn may_communicate_unordered(&self) -> bool {
        fn of(group: impl Description) -> bool {
            group.is_relaxed() || group.is_failed_lock() || group.is_unordered_look() || !group.woken().is_empty()
        }
        of_group!(*self, group => of(group))
    }

    /// Whether the searches that compare states cover all orders of what it does to objects.
    #[inline]
    pub fn is_summarised(&self) -> bool {
        fn of(group: impl Description) -> bool {
            group.objects().iter().flatten().all(|(_, kind)| kind.is_summarised())
        }
        of_group!(*self, group => of(group))
    }

    /// Whether its thread does nothing after it.
    #[inline]
    pub fn is_last(&self) -> bool {
        fn of(group: impl Description) -> bool {
            group.exits() || group.ends_process().is_some()
        }
        of_group!(*self, group => of(group))
    }
}
