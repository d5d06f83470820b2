//! Questions that take several properties of one operation to answer: its group is looked at once for all of them.

use super::Operation;
use super::properties::Description;

/// A question that takes several properties of one operation to answer.
pub(crate) trait Question<T> {
    /// The answer, given the operation as one of its group.
    fn ask(self, group: impl Description) -> T;
}

impl Operation {
    /// Answers a question, with one look at which group the operation belongs to.
    #[inline(always)]
    pub(crate) fn answer<T>(&self, question: impl Question<T>) -> T {
        #[cold]
        fn of_other_group<T>(operation: &Operation, question: impl Question<T>) -> T {
            of_group!(*operation, group => question.ask(group))
        }
        of_common_group!(*self, group => question.ask(group), others => of_other_group(self, question))
    }
}
