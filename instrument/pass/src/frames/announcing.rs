//! The hooks that tell deltas, inserted after a call's record is up to date and before the call itself.

use super::deltas::{self, Delta, Locals};
use super::{Body, Changes, Writer};
use crate::access::Number;
use crate::hook::{self, declare};
use crate::ir::{Value, llvm};
use inspect_wire::hooks::{Hook, names, site};
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::{LLVMTailCallKind, LLVMValueKind};

fn is_argument(value: Value) -> bool {
    value.kind() == LLVMValueKind::LLVMArgumentValueKind
}

/// What is told of a call.
pub(super) struct Told {
    /// Values that may have changed.
    pub(super) values: Vec<Value>,
    /// Positions of the variables that may have.
    variables: Vec<usize>,
    /// Of each variable: how much of it is told by its contents.
    pub(super) sizes: Vec<u64>,
    /// Of the static record.
    pub(super) flags: u32,
    unknown: bool,
    through: bool,
}

impl Writer<'_> {
    /// What is told of a call after which, or in whose arguments, these values are used.
    pub(super) fn told(&self, changes: &Changes<'_>, body: &Body<'_>, call: Value, living: &[Value]) -> Told {
        let none = Delta::default();
        let delta = changes.deltas.get(&call).unwrap_or(&none);
        let locals = &changes.locals;
        let private = || (0..body.variables.len()).filter(|number| !locals.is_shared(*number));
        // What an argument is does not change while the function runs, so it can be told whenever that helps.
        let changed = |value: &Value| delta.values.contains(value);
        let total = living.iter().all(|value| changed(value) || is_argument(*value))
            && private().all(|number| delta.variables.contains(&number));
        let (writes, inside) = locals.inside(call);
        let size = |(number, (_, size)): (usize, &(Value, u64))| {
            if locals.is_shared(number) || inside.contains(&number) { *size } else { *size | site::BY_DELTA }
        };
        Told {
            values: living.iter().copied().filter(|value| total || changed(value)).collect(),
            variables: private().filter(|number| delta.variables.contains(number)).collect(),
            sizes: body.variables.iter().enumerate().map(size).collect(),
            flags: writes
                | if total { site::TOTAL } else { 0 }
                | if locals.is_vulnerable() { site::VULNERABLE } else { 0 },
            unknown: delta.unknown,
            through: delta.through,
        }
    }

    /// Tells a delta, if there is one, and where the call may write.
    pub(super) fn tell_delta(&self, body: &Body<'_>, told: &Told, call: Value) {
        if told.through {
            self.hook(&names::__inspect_delta_returned, &mut [body.record]);
        }
        if told.unknown {
            self.hook(&names::__inspect_unknown_delta, &mut [body.record]);
        }
        if !told.values.is_empty() || !told.variables.is_empty() {
            self.hook(&names::__inspect_delta, &mut [body.record]);
            for number in &told.variables {
                let (variable, size) = body.variables[*number];
                self.hook(&names::__inspect_delta_variable, &mut [body.record, variable.0, self.number(size)]);
            }
        } else if told.flags & site::TOTAL != 0 {
            self.forget(body);
        }
        for (pointer, _) in body.changes.iter().flat_map(|changes| changes.locals.through(call)) {
            let pointer = self.address(pointer);
            self.hook(&names::__inspect_delta_called, &mut [body.record, pointer]);
        }
    }

    /// The bits of an address.
    fn address(&self, pointer: Value) -> LLVMValueRef {
        if pointer.ty().is_pointer() {
            llvm!(LLVMBuildPtrToInt(self.builder, pointer.0, self.long, c"".as_ptr()))
        } else {
            pointer.0
        }
    }

    /// Tells after each of these what it has written through pointers that may lead to variables of other functions.
    pub(super) fn tell_writes(&self, instructions: &[Value], locals: &Locals<'_>, caller: impl Fn() -> LLVMValueRef) {
        for instruction in instructions.iter().filter(|instruction| !super::is_call(**instruction)) {
            for (pointer, size) in locals.through(*instruction) {
                let next = llvm!(LLVMGetNextInstruction(instruction.0));
                self.stand_before(Value(next));
                let size = match size {
                    Number::Known(bytes) => self.number(bytes),
                    Number::Runtime(value) => {
                        llvm!(LLVMBuildIntCast2(self.builder, value.0, self.long, 0, c"".as_ptr()))
                    }
                };
                let (caller, pointer) = (caller(), self.address(pointer));
                self.hook(&names::__inspect_delta_through, &mut [caller, pointer, size]);
            }
        }
    }

    /// Nothing lives in the function.
    pub(super) fn forget(&self, body: &Body<'_>) {
        for word in [4, 5] {
            self.store(self.number(0), body.record, word);
        }
    }

    /// A call in whose place the function is left.
    pub(super) fn tell_tail_call(&self, body: &Body<'_>, call: Value) {
        let Some(changes) = &body.changes else { return };
        if changes.locals.inside(call) != (0, Vec::new()) || !changes.locals.through(call).is_empty() {
            // Nobody is there afterwards to tell what it has written.
            let nobody = llvm!(LLVMConstIntToPtr(LLVMConstAllOnes(self.long), self.pointer));
            self.hook(&names::__inspect_unknown_delta, &mut [nobody]);
        }
        let delta = changes.deltas.get(&call);
        if delta.is_some_and(|delta| delta.through) {
            self.hook(&names::__inspect_delta_returned, &mut [body.record]);
        }
        if delta.is_some_and(|delta| delta.unknown) {
            let caller = self.caller(body);
            self.hook(&names::__inspect_unknown_delta, &mut [caller]);
        }
    }

    pub(super) fn caller(&self, body: &Body<'_>) -> LLVMValueRef {
        let slot = self.slot(body.record, 0);
        llvm!(LLVMBuildLoad2(self.builder, self.pointer, slot, c"".as_ptr()))
    }

    /// Tells the callers of a function what it has written since its last call.
    pub(super) fn tell_ends(&self, function: Value, body: &Body<'_>) {
        let Some(changes) = &body.changes else { return };
        self.at_ends(function, changes, Some(body.record), || self.caller(body));
    }

    /// The same for a function without calls, and so without a record.
    pub(super) fn without_record(&self, function: Value) {
        let Some(effects) = self.effects else { return };
        let (variables, _) = self.variables(function);
        let locals = Locals::new(effects, function, &variables);
        let changes = Changes { deltas: locals.deltas(), locals };
        let caller = || llvm!(LLVMBuildLoad2(self.builder, self.pointer, self.innermost, c"".as_ptr()));
        self.tell_writes(&function.instructions(), &changes.locals, caller);
        self.at_ends(function, &changes, None, caller);
    }

    fn at_ends(
        &self,
        function: Value,
        changes: &Changes<'_>,
        own: Option<LLVMValueRef>,
        caller: impl Fn() -> LLVMValueRef,
    ) {
        for block in function.blocks() {
            let instructions = block.instructions();
            let Some(&last) = instructions.last().filter(|last| deltas::ends(**last)) else { continue };
            // Nothing may come between such a call and the end.
            let tail = |call: Value| {
                super::is_call(call) && llvm!(LLVMGetTailCallKind(call.0)) == LLVMTailCallKind::LLVMTailCallKindMustTail
            };
            if instructions.iter().any(|instruction| tail(*instruction)) {
                continue;
            }
            let delta = changes.deltas.get(&last);
            if let (Some(own), true) = (own, delta.is_some_and(|delta| delta.through)) {
                self.stand_before(last);
                self.hook(&names::__inspect_delta_returned, &mut [own]);
            }
            if delta.is_some_and(|delta| delta.unknown) {
                self.stand_before(last);
                let caller = caller();
                self.hook(&names::__inspect_unknown_delta, &mut [caller]);
            }
        }
    }

    fn hook(&self, hook: &Hook, arguments: &mut [LLVMValueRef]) {
        hook::call(self.builder, declare(self.module, hook), arguments);
    }
}
