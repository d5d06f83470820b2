//! Addresses that are computed from a base and numbers.

use super::pointers::is_number_of_pointer;
use super::{AbstractObjectKind, Analysis};
use crate::ir::Value;
use crate::points_to::Set;
use crate::points_to::solver::{Node, Solver, UNKNOWN};
use llvm_sys::LLVMOpcode;
use std::collections::BTreeMap;

/// An address computed from a base and a number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Offset {
    base: Node,
    number: Node,
    result: Node,
    /// The number leads from the base to another object.
    leads_away: bool,
    /// The node of [`Meetings`] that includes the number, if it carries an address.
    adds_to: Option<Node>,
}

/// A difference of two addresses as a number.
#[derive(Clone, Debug)]
pub(super) struct Difference {
    ends: [Node; 2],
    result: Node,
    /// The result is as good as its ends: they may be of several objects.
    carries: bool,
    /// Its ends lie in objects that are not the same.
    leads_on: bool,
    /// The nodes of [`Meetings`] that the result includes: what was added to addresses of what its ends lead to.
    includes: [Option<Node>; 2],
}

/// What was added to addresses: by what the sums lead to, and by what the ends of differences lead to. Few sets of
/// objects are different, so each has one node, and two sets that meet have one copy from the sums to the ends.
#[derive(Default, Debug)]
pub(super) struct Meetings {
    /// Their nodes include the numbers that were added.
    sums: BTreeMap<Set, Node>,
    /// Their nodes include those of the sums that they meet.
    ends: BTreeMap<Set, Node>,
}

impl Meetings {
    /// The node of the sums that lead to these objects.
    fn sum(&mut self, solver: &mut Solver, objects: Set) -> Node {
        let Meetings { sums, ends } = self;
        let states = |solver: &mut Solver, node, other| solver.copy(node, other);
        Meetings::node_of(sums, ends, solver, objects, states)
    }

    /// The node of the ends that lead to these objects.
    fn end(&mut self, solver: &mut Solver, objects: Set) -> Node {
        let Meetings { sums, ends } = self;
        let states = |solver: &mut Solver, node, other| solver.copy(other, node);
        Meetings::node_of(ends, sums, solver, objects, states)
    }

    /// The node of a set, which is new the first time: then `state` has it copied to or from each other that it meets.
    fn node_of(
        own: &mut BTreeMap<Set, Node>,
        others: &BTreeMap<Set, Node>,
        solver: &mut Solver,
        objects: Set,
        state: impl Fn(&mut Solver, Node, Node),
    ) -> Node {
        if let Some(node) = own.get(&objects) {
            return *node;
        }
        let node = solver.node();
        others.iter().filter(|(other, _)| objects.meets(other)).for_each(|(_, other)| state(solver, node, *other));
        own.insert(objects, node);
        node
    }
}

/// Whether a number is computed from the bits of an address. Numbers from memory are not looked at: what is stored
/// beside pointers would count as one.
fn is_of_address(value: Value) -> bool {
    match value.opcode() {
        Some(LLVMOpcode::LLVMPtrToInt | LLVMOpcode::LLVMPtrToAddr) => true,
        Some(
            LLVMOpcode::LLVMAdd
            | LLVMOpcode::LLVMSub
            | LLVMOpcode::LLVMMul
            | LLVMOpcode::LLVMSDiv
            | LLVMOpcode::LLVMAShr
            | LLVMOpcode::LLVMShl
            | LLVMOpcode::LLVMTrunc
            | LLVMOpcode::LLVMSExt
            | LLVMOpcode::LLVMZExt
            | LLVMOpcode::LLVMFreeze,
        ) => value.operands().into_iter().any(is_of_address),
        _ => false,
    }
}

/// Whether it is the difference of two numbers that are computed from addresses.
pub(super) fn is_difference(value: Value) -> bool {
    value.opcode() == Some(LLVMOpcode::LLVMSub) && value.operands().into_iter().all(is_of_address)
}

impl Analysis {
    /// States that a number is the difference of two addresses.
    pub(super) fn state_difference(&mut self, i: Value) {
        let ends = [self.node(i.operand(0)), self.node(i.operand(1))];
        let result = self.node(i);
        // Numbers that are computed further may have an address in them more than once: their difference may be one.
        let carries = !i.operands().into_iter().all(is_number_of_pointer);
        if carries {
            ends.into_iter().for_each(|end| self.solver.copy(end, result));
        }
        self.differences.push(Difference { ends, result, carries, leads_on: false, includes: [None; 2] });
    }

    /// Follows differences of addresses. Within one object a difference is a number like any other, and says nothing of
    /// where the object is. One of addresses of several objects carries both; and where the objects differ, added to an
    /// address it leads anywhere, as others may follow that lead to an object in the end. Returns whether there was a
    /// new one.
    fn follow_differences(&mut self) -> bool {
        let mut differences = std::mem::take(&mut self.differences);
        let mut any = false;
        for difference in differences.iter_mut().filter(|difference| !difference.leads_on) {
            let [one, other] = difference.ends.map(|end| self.solver.points_to(end));
            let same = one.iter().eq(other.iter());
            let leads_on = !same && one.iter().next().is_some() && other.iter().next().is_some();
            let of_several = |objects: &Set| {
                let is_unseen = |object| self.kind(object) == AbstractObjectKind::Unknown;
                objects.iter().nth(1).is_some() || objects.iter().any(is_unseen)
            };
            let carries = !same || of_several(one);
            if carries && !difference.carries {
                (difference.carries, any) = (true, true);
                difference.ends.into_iter().for_each(|end| self.solver.copy(end, difference.result));
            }
            if leads_on {
                (difference.leads_on, any) = (true, true);
                self.solver.address(difference.result, UNKNOWN);
            }
        }
        self.differences = differences;
        any
    }

    /// States what an address leads to that is computed from a base and numbers.
    pub(super) fn state_offsets(&mut self, i: Value) {
        self.copy(i.operand(0), i);
        let (base, result) = (self.node(i.operand(0)), self.node(i));
        for number in i.operands().into_iter().skip(1) {
            let number = self.node(number);
            if base == self.nothing {
                self.solver.copy(number, result);
            } else if number != self.nothing {
                self.offsets.push(Offset { base, number, result, leads_away: false, adds_to: None });
            }
        }
    }

    /// Follows numbers that were added to an address. A number that carries an address is no part of the sum as long as
    /// the sum is an address, but the difference of the sum and the address is the number again. Returns whether there
    /// was a new one.
    fn follow_sums(&mut self) -> bool {
        let Analysis { solver, meetings, offsets, differences, .. } = self;
        let mut any = false;
        for Offset { number, result, adds_to, .. } in offsets {
            if solver.points_to(*number).is_empty() {
                continue;
            }
            let node = meetings.sum(solver, solver.points_to(*result).trimmed());
            if adds_to.replace(node) != Some(node) {
                any = true;
                solver.copy(*number, node);
            }
        }
        for Difference { ends, result, includes, .. } in differences {
            for (end, included) in ends.iter().zip(includes) {
                let node = meetings.end(solver, solver.points_to(*end).trimmed());
                if included.replace(node) != Some(node) {
                    any = true;
                    solver.copy(node, *result);
                }
            }
        }
        any
    }

    /// Follows the numbers that lead from a base to another object: such a number is a difference of two addresses, so
    /// it was computed from the base's as well. Returns whether there was a new one.
    pub(super) fn follow_offsets(&mut self) -> bool {
        if self.follow_differences() || self.follow_sums() {
            return true;
        }
        let leads_away = |analysis: &Analysis, offset: &Offset| {
            let (base, number) = (analysis.solver.points_to(offset.base), analysis.solver.points_to(offset.number));
            let is_unseen = |object| analysis.kind(object) == AbstractObjectKind::Unknown;
            number.iter().any(|object| is_unseen(object) || base.contains(object))
                || (!number.is_empty() && base.iter().any(is_unseen))
        };
        let mut offsets = std::mem::take(&mut self.offsets);
        let mut any = false;
        for offset in offsets.iter_mut().filter(|offset| !offset.leads_away) {
            if leads_away(self, offset) {
                (offset.leads_away, any) = (true, true);
                self.solver.copy(offset.number, offset.result);
            }
        }
        self.offsets = offsets;
        any
    }
}
