//! Addresses that are computed from a base and numbers.

use super::{AbstractObjectKind, Analysis};
use crate::ir::Value;
use crate::points_to::solver::Node;

/// An address computed from a base and a number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Offset {
    base: Node,
    number: Node,
    result: Node,
}

impl Analysis {
    /// States what an address leads to that is computed from a base and numbers.
    pub(super) fn state_offsets(&mut self, i: Value) {
        self.copy(i.operand(0), i);
        let (base, result) = (self.node(i.operand(0)), self.node(i));
        for number in i.operands().into_iter().skip(1) {
            let number = self.node(number);
            if base == self.nothing {
                self.solver.copy(number, result);
            } else if number != self.nothing {
                self.offsets.push(Offset { base, number, result });
            }
        }
    }

    /// Follows the numbers that lead from a base to another object: such a number is a difference of two addresses, so
    /// it was computed from the base's as well. Returns whether there was a new one.
    pub(super) fn follow_offsets(&mut self) -> bool {
        let leads_away = |analysis: &Analysis, offset: &Offset| {
            let (base, number) = (analysis.solver.points_to(offset.base), analysis.solver.points_to(offset.number));
            let is_unseen = |object| analysis.kind(object) == AbstractObjectKind::Unknown;
            number.iter().any(|object| is_unseen(object) || base.contains(object))
                || (!number.is_empty() && base.iter().any(is_unseen))
        };
        let (found, left) = std::mem::take(&mut self.offsets).into_iter().partition(|offset| leads_away(self, offset));
        self.offsets = left;
        let found: Vec<Offset> = found;
        found.iter().for_each(|offset| self.solver.copy(offset.number, offset.result));
        !found.is_empty()
    }
}
