//! Values and memory that nobody uses: a counter of a loop's rounds that no code looks at, neither in the loop nor
//! after it. A value is *used* if something the program does depends on it: a branch, a call, an address, a return, or
//! a store to memory that is used. Memory is used if a value loaded from it is. So a variable that is only loaded to be
//! stored again, one more each time, is not used.
//!
//! An iteration of a waiting loop that differs from the last one in nothing but such values is a repetition of it
//! (S14). The accesses keep their hooks: they may race.

use crate::access::Access;
use crate::ir::Value;
use crate::points_to::{AbstractObject, AbstractObjectKind, Analysis, Set};
use llvm_sys::LLVMOpcode;
use std::collections::{HashMap, HashSet};

/// The memory that nobody uses.
pub(crate) struct Unread<'a> {
    analysis: &'a Analysis,
    objects: Set,
}

impl<'a> Unread<'a> {
    /// Nothing is known: all memory counts as used.
    pub(crate) fn nothing(analysis: &'a Analysis) -> Unread<'a> {
        Unread { analysis, objects: Set::default() }
    }

    /// Finds it, given every access of the program: the largest set such that no value loaded from it is used.
    pub(crate) fn new(analysis: &'a Analysis, accesses: &[Access]) -> Unread<'a> {
        let candidates = candidates(analysis);
        let reads = accesses.iter().filter(|access| access.kind.reads());
        let mut by_object: HashMap<AbstractObject, Vec<Value>> = HashMap::new();
        for access in reads {
            let Some(objects) = access.pointer.and_then(|pointer| analysis.points_to(pointer)) else {
                // It may read anything.
                return Unread::nothing(analysis);
            };
            for object in objects.common(&candidates).iter() {
                by_object.entry(object).or_default().push(access.instruction);
            }
        }
        let mut unread = Unread { analysis, objects: candidates };
        loop {
            let is_read = |object: &AbstractObject| {
                by_object.get(object).into_iter().flatten().any(|read| unread.is_used_reading(*read))
            };
            let read: Vec<AbstractObject> = unread.objects.iter().filter(is_read).collect();
            if read.is_empty() {
                return unread;
            }
            for object in read {
                unread.objects.remove(object);
            }
        }
    }

    /// Whether nobody uses what the address leads to.
    pub(crate) fn contains(&self, pointer: Value) -> bool {
        let objects = self.analysis.points_to(pointer);
        objects.is_some_and(|objects| objects.without(&self.objects).is_empty())
    }

    /// Whether the value that an instruction reads is used.
    fn is_used_reading(&self, read: Value) -> bool {
        match read.opcode() {
            Some(LLVMOpcode::LLVMLoad | LLVMOpcode::LLVMAtomicRMW) => self.is_used(read),
            // Calls and assembly may do anything with it; a compare-exchange says what it has found.
            _ => true,
        }
    }

    /// Whether something that the program does depends on the value.
    pub(crate) fn is_used(&self, value: Value) -> bool {
        let mut left = vec![value];
        let mut reached = HashSet::from([value]);
        while let Some(next) = left.pop() {
            for user in next.users() {
                if computes_only(user) {
                    if reached.insert(user) {
                        left.push(user);
                    }
                } else if !self.is_stored_unread(next, user) {
                    return true;
                }
            }
        }
        false
    }

    /// Whether the instruction stores the value to memory that nobody uses, and does nothing else with it.
    fn is_stored_unread(&self, value: Value, instruction: Value) -> bool {
        let (stored, to) = match instruction.opcode() {
            Some(LLVMOpcode::LLVMStore) => (instruction.operand(0), instruction.operand(1)),
            Some(LLVMOpcode::LLVMAtomicRMW) => (instruction.operand(1), instruction.operand(0)),
            _ => return false,
        };
        stored == value && to != value && self.contains(to)
    }
}

/// The variables all of whose accesses are seen.
fn candidates(analysis: &Analysis) -> Set {
    let mut given = Set::default();
    analysis.given_to_libraries().for_each(|(_, objects)| _ = given.add_all(&objects));
    given.add_all(analysis.escaped());
    let mut candidates = Set::default();
    let is_candidate = |object: &AbstractObject| is_variable(analysis.kind(*object)) && !given.contains(*object);
    analysis.objects().filter(is_candidate).for_each(|object| _ = candidates.insert(object));
    candidates
}

/// Whether the object is a variable, all of whose accesses are seen unless it escapes.
fn is_variable(kind: AbstractObjectKind) -> bool {
    match kind {
        AbstractObjectKind::Global | AbstractObjectKind::ThreadLocal | AbstractObjectKind::Local => true,
        AbstractObjectKind::Unknown
        | AbstractObjectKind::Constant
        | AbstractObjectKind::Heap
        | AbstractObjectKind::Function => false,
    }
}

/// Whether the instruction does nothing but compute a value: it cannot trap, and touches no memory.
fn computes_only(instruction: Value) -> bool {
    matches!(
        instruction.opcode(),
        Some(
            LLVMOpcode::LLVMPHI
                | LLVMOpcode::LLVMSelect
                | LLVMOpcode::LLVMAdd
                | LLVMOpcode::LLVMSub
                | LLVMOpcode::LLVMMul
                | LLVMOpcode::LLVMShl
                | LLVMOpcode::LLVMLShr
                | LLVMOpcode::LLVMAShr
                | LLVMOpcode::LLVMAnd
                | LLVMOpcode::LLVMOr
                | LLVMOpcode::LLVMXor
                | LLVMOpcode::LLVMFAdd
                | LLVMOpcode::LLVMFSub
                | LLVMOpcode::LLVMFMul
                | LLVMOpcode::LLVMFNeg
                | LLVMOpcode::LLVMICmp
                | LLVMOpcode::LLVMFCmp
                | LLVMOpcode::LLVMZExt
                | LLVMOpcode::LLVMSExt
                | LLVMOpcode::LLVMTrunc
                | LLVMOpcode::LLVMFPExt
                | LLVMOpcode::LLVMFPTrunc
                | LLVMOpcode::LLVMSIToFP
                | LLVMOpcode::LLVMUIToFP
                | LLVMOpcode::LLVMBitCast
                | LLVMOpcode::LLVMPtrToInt
                | LLVMOpcode::LLVMGetElementPtr
                | LLVMOpcode::LLVMFreeze
        )
    )
}
