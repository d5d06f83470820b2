//! Calls that use a file and the table of descriptors in one step.
//!
//! # The pairs
//! A call that makes a descriptor takes the lowest number that is free in the process: which one that is depends on all
//! that was opened and closed before. A call that closes a descriptor gives its number back. The *table* is an object
//! of a byte for each number.
//!
//! | | take | give back | use |
//! |---|---|---|---|
//! | take | dependent | dependent | dependent |
//! | give back | dependent | of one number | of one number |
//! | use | dependent | of one number | |
//!
//! All of them also depend on what stands for the file, as a relaxed atomic access to that does, and all dependent
//! pairs are reversible. It is one step, as another thread's call between a step on the table and one on the file would
//! come before the effect of a call whose operation it follows.
//!
//! This gives up some reduction: a take and a give-back of a higher number commute. Which number is taken cannot be
//! part of the operation, since every take before it changes it.
//!
//! # Happens-before of C11
//! There is none: a descriptor is a number, and what hands it over to another thread synchronises the two.

use super::Operation;
use super::properties::{AccessMode, Description, none, none_of};
use crate::event::{ByteRange, Footprint, MADE_UP_FOR_ARGUMENTS, Object, ThreadId, Touch};

/// The table of descriptors: a byte for which number is the next one, and one for each number.
const TABLE: u64 = MADE_UP_FOR_ARGUMENTS | 1 << 57;
/// The bytes of the table; there are fewer numbers.
const BYTES: u32 = 1 << 17;

/// A call that uses a file and the table of descriptors.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum DescriptorOperation {
    /// Takes the lowest free number.
    Take {
        /// What stands for the file.
        file: ByteRange,
        /// Whether it changes the file.
        changes: bool,
    },
    /// Gives a number back, or makes it one for another file.
    GiveBack {
        /// What stands for the file.
        file: ByteRange,
        /// Whether it changes the file.
        changes: bool,
        /// The number.
        number: u16,
    },
    /// Uses a number, and depends on whether it is taken, and for what.
    Use {
        /// What stands for the file, or for the number if that is not taken.
        file: ByteRange,
        /// Whether it changes the file.
        changes: bool,
        /// The number.
        number: u16,
    },
}

impl DescriptorOperation {
    /// The lowest free number, as an object: it is touched by those that take it.
    pub const LOWEST_FREE: Object = Object(TABLE);

    fn file(self) -> (ByteRange, bool) {
        match self {
            DescriptorOperation::Take { file, changes }
            | DescriptorOperation::GiveBack { file, changes, .. }
            | DescriptorOperation::Use { file, changes, .. } => (file, changes),
        }
    }

    /// What it touches of the table.
    fn entries(self) -> Footprint {
        let entry = |number: u16| ByteRange { start: TABLE + 1 + u64::from(number), len: 1 };
        match self {
            DescriptorOperation::Take { .. } => Footprint::bytes(ByteRange { start: TABLE, len: BYTES }, Touch::Write),
            DescriptorOperation::GiveBack { number, .. } => Footprint::bytes(entry(number), Touch::Write),
            DescriptorOperation::Use { number, .. } => Footprint::bytes(entry(number), Touch::Read),
        }
    }
}

impl Description for DescriptorOperation {
    fn name(self) -> &'static str {
        match self {
            DescriptorOperation::Take { .. } => "open a descriptor for",
            DescriptorOperation::GiveBack { .. } => "close a descriptor of",
            DescriptorOperation::Use { .. } => "use a descriptor of",
        }
    }

    fn access(self) -> Option<(ByteRange, AccessMode)> {
        let (file, changes) = self.file();
        Some((file, if changes { AccessMode::AtomicWrite } else { AccessMode::AtomicRead }))
    }

    fn is_relaxed(self) -> bool {
        true
    }

    fn footprint(self) -> Footprint {
        let (file, changes) = self.file();
        Footprint::bytes(file, if changes { Touch::Write } else { Touch::Read }).and(self.entries())
    }

    fn with_full_effect(self) -> Operation {
        Operation::Descriptor(self)
    }

    fn seen_at(self, bytes: ByteRange) -> Self {
        match self {
            DescriptorOperation::Take { changes, .. } => DescriptorOperation::Take { file: bytes, changes },
            DescriptorOperation::GiveBack { changes, number, .. } => {
                DescriptorOperation::GiveBack { file: bytes, changes, number }
            }
            DescriptorOperation::Use { changes, number, .. } => {
                DescriptorOperation::Use { file: bytes, changes, number }
            }
        }
    }

    fn relocated(self, bytes: impl Fn(ByteRange) -> ByteRange, _: impl Fn(Object) -> Object) -> Self {
        self.seen_at(bytes(self.file().0))
    }

    fn renamed(self, _: impl Fn(ThreadId) -> ThreadId) -> Self {
        self
    }

    // Such a call can be made at any time and has one outcome: the number is no part of it.
    none! { at_channel }
    none! { concerns_signals awaits_signal }
    none! { memory_order objects lifecycle hold ends_hold is_failed_lock is_unordered_look wait expiry signals woken }
    none! { need choice_kind has_outcome succeeded acquires releases creates starts_timer joins detaches handle cancels exits }
    none! { ends_process gives_way goes_first is_idle rests }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::dependent;

    const FILE: ByteRange = ByteRange { start: MADE_UP_FOR_ARGUMENTS, len: 1 };
    const OTHER: ByteRange = ByteRange { start: MADE_UP_FOR_ARGUMENTS + 8, len: 1 };

    fn operations(file: ByteRange, changes: bool, number: u16) -> [Operation; 3] {
        [
            DescriptorOperation::Take { file, changes },
            DescriptorOperation::GiveBack { file, changes, number },
            DescriptorOperation::Use { file, changes, number },
        ]
        .map(Operation::Descriptor)
    }

    /// The table at the head of the file: of one number, and of two.
    #[test]
    fn takes_depend_on_all_and_the_others_on_those_of_their_number() {
        let [one, two] = [[true, true, true], [true, true, true]];
        let expected = [(7, [one, two, [true, true, false]]), (8, [one, [true, false, false], [true, false, false]])];
        for (number, expected) in expected {
            let (first, second) = (operations(FILE, false, 7), operations(OTHER, false, number));
            let seen = first.map(|a| second.map(|b| dependent(&a, &b)));
            assert_eq!(seen, expected, "numbers 7 and {number}");
            let reversed = second.map(|b| first.map(|a| dependent(&b, &a)));
            assert_eq!(reversed, seen, "symmetric, as the table is");
        }
    }

    #[test]
    fn what_changes_a_file_depends_on_what_looks_at_it() {
        let [_, gives_back, uses] = operations(FILE, true, 7);
        let look = operations(FILE, false, 8)[2];
        assert!(dependent(&gives_back, &look) && dependent(&uses, &look));
        assert!(!dependent(&operations(FILE, false, 7)[2], &look));
    }
}
