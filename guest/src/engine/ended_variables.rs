//! Memory on the stacks of threads in which a variable has ended. It may lie in a frame that its thread has now;
//! another thread that accesses it uses a variable that is gone all the same, even if the end happens before the
//! access.
//!
//! The pass announces the end of each variable that other threads may reach, and where the memory is used for one
//! again.
//!
//! It is no part of a program state: of what follows a state, only findings depend on it, and whether an access comes
//! after the end of a variable is a matter of the run, like the races that the observer finds.

use super::run_data::RunData;
use crate::platform::fiber;
use alloc::vec::Vec;
use core::ops::Range;
use inspect_core::event::{ByteRange, ThreadId, ThreadSet};
use inspect_core::run::Run;

/// A piece of a stack in which a variable has ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ended {
    start: u64,
    end: u64,
    /// There is a variable in the memory again. It is kept for the next end of the same variable, which comes with the
    /// next call in most cases.
    lives: bool,
}

/// The memory of one stack, which does not overlap, the highest first: the stack grows downwards, so that most changes
/// are at the end of the list.
type Stack = Vec<Ended>;

/// The memory on stacks whose variables have ended, by the slot of the stack.
#[derive(Default)]
pub(crate) struct EndedVariables {
    stacks: Vec<Stack>,
    /// The slots whose lists need not be empty.
    used: ThreadSet,
}

/// The memory that this overlaps.
fn overlapped(stack: &[Ended], range: ByteRange) -> Range<usize> {
    let first = match stack.last() {
        Some(lowest) if lowest.start >= range.end() => stack.len(),
        _ => stack.partition_point(|ended| ended.start >= range.end()),
    };
    let count = stack[first..].iter().take_while(|ended| ended.end > range.start).count();
    first..first + count
}

/// Notes that the memory has ended, or that there is a variable in it again.
fn note(stack: &mut Stack, range: ByteRange, lives: bool) {
    let (start, end) = (range.start, range.end());
    let within = overlapped(stack, range);
    if let [known] = &mut stack[within.clone()]
        && (known.start, known.end) == (start, end)
    {
        known.lives = lives;
        return;
    }
    let above = stack[within.clone()].first().map(|highest| Ended { start: end, ..*highest });
    let below = stack[within.clone()].last().map(|lowest| Ended { end: start, ..*lowest });
    let new = (!lives).then_some(Ended { start, end, lives });
    let parts = [above, new, below].into_iter().flatten().filter(|part| part.start < part.end);
    let first = within.start;
    stack.drain(within);
    parts.enumerate().for_each(|(at, part)| stack.insert(first + at, part));
}

impl EndedVariables {
    /// The variables in this memory have ended.
    pub(super) fn add(&mut self, range: ByteRange) {
        let Some(slot) = fiber::slot_of_address(range.start) else { return };
        note(self.stack(slot), range, false);
    }

    /// There is a variable in this memory again.
    pub(super) fn remove(&mut self, range: ByteRange) {
        if let Some(stack) = fiber::slot_of_address(range.start).and_then(|slot| self.stacks.get_mut(slot)) {
            note(stack, range, true);
        }
    }

    /// Whether no variable has ended in this run.
    pub(super) fn is_empty(&self) -> bool {
        self.used.is_empty()
    }

    /// Whether a variable has ended in a byte of this memory, and none has begun there since.
    pub(crate) fn touches(&self, range: ByteRange) -> bool {
        let stack = fiber::slot_of_address(range.start).and_then(|slot| self.stacks.get(slot));
        stack.is_some_and(|stack| stack[overlapped(stack, range)].iter().any(|ended| !ended.lives))
    }

    fn stack(&mut self, slot: usize) -> &mut Stack {
        if self.stacks.len() <= slot {
            self.stacks.resize_with(slot + 1, Stack::new);
        }
        self.used.insert(ThreadId::at(slot));
        &mut self.stacks[slot]
    }

    fn clear(&mut self) {
        for thread in core::mem::take(&mut self.used).iter() {
            self.stacks[thread.index()].clear();
        }
    }
}

impl RunData for EndedVariables {
    type Saved = Vec<Ended>;
    type Left = ();

    fn begin(&mut self, _run: &Run) {
        self.clear();
    }

    fn save(&mut self, _run: &Run, saved: &mut Vec<Ended>) -> bool {
        saved.clear();
        saved.extend(self.used.iter().flat_map(|thread| &self.stacks[thread.index()]));
        true
    }

    fn restore(&mut self, _run: &Run, saved: &Vec<Ended>) {
        self.clear();
        for ended in saved {
            if let Some(slot) = fiber::slot_of_address(ended.start) {
                self.stack(slot).push(*ended);
            }
        }
    }

    fn leave(&mut self) {}

    fn adopt(&mut self, (): ()) {}
}
