//! What a search sees of the memory of a [`Machine`](super::Machine).

use super::{Memory, Thread};
use crate::event::{ByteRange, ThreadId, ThreadSet};
use crate::model::layout::VARIABLES;
use crate::model::{Program, Statement};
use crate::run::{StateKey, World};

impl World for Memory<'_> {
    fn value(&self, range: ByteRange) -> u64 {
        let offset = range.start - VARIABLES;
        let variable = self.variables[offset as usize / 8];
        match range.len {
            4 => variable >> (offset % 8 * 8) & 0xFFFF_FFFF,
            _ => variable,
        }
    }

    fn exchange_succeeds(&self, thread: ThreadId) -> bool {
        let (variable, expected) = self.threads[thread.index()].comparing;
        self.variables[variable] == expected
    }

    /// Programs of the model have no handlers.
    fn is_interrupted(&self, _: ThreadId) -> bool {
        false
    }

    fn value_before(&self, range: ByteRange) -> Option<u64> {
        (range.len <= 8).then(|| self.value(range))
    }

    fn compared(&self, thread: ThreadId) -> Option<u64> {
        Some(self.threads[thread.index()].comparing.1)
    }

    /// No address is stored in memory, and a join names a thread by its body.
    fn symmetric(&self, a: ThreadId, b: ThreadId) -> bool {
        let (one, other) = (&self.threads[a.index()], &self.threads[b.index()]);
        one.at == other.at
            && one.registers == other.registers
            && one.comparing == other.comparing
            && same_residual_code(self.program, one, other)
    }

    /// Threads that have ended are hashed as well: their registers are part of the final state.
    fn fingerprint(&self, _: ThreadSet) -> Option<StateKey> {
        let Some(identities) = &self.identities else { return Some(self.exact()) };
        let key = self.hash(|thread, hasher| identities.hash(thread, hasher));
        identities.tells(key, self.exact());
        Some(key)
    }
}

/// Whether two threads at the same statement number have the same code ahead of them.
fn same_residual_code(program: &Program, a: &Thread, b: &Thread) -> bool {
    let at = a.at as usize;
    let rest = |thread: &Thread| program.bodies[thread.body as usize].get(at..).unwrap_or_default();
    let goes_back = |statement: &Statement| match *statement {
        Statement::Jump(target) | Statement::JumpUnless(_, target) => usize::from(target) < at,
        _ => false,
    };
    let whole = || program.bodies[a.body as usize] == program.bodies[b.body as usize];
    rest(a) == rest(b) && (!rest(a).iter().any(goes_back) || whole())
}
