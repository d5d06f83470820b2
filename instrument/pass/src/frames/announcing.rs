//! The hooks that announce deltas to the guest, inserted after a call's record is up to date and before the call
//! itself.

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

/// What a call's record says of the delta before it, and what the hooks between the two announce.
pub(super) struct DeltaRecord {
    /// Values that may have changed since the function's last call.
    pub(super) values: Vec<Value>,
    /// Positions of the variables that may have changed.
    variables: Vec<usize>,
    /// The size of each variable, with the flag for those whose contents are in the identity.
    pub(super) sizes: Vec<u64>,
    /// The flags of the call's static record.
    pub(super) flags: u32,
    /// As in [`Delta`].
    unknown: bool,
    /// As in [`Delta`].
    through: bool,
}

impl Writer<'_> {
    /// The delta's part of the record of a call; `living` are the values that are used after the call or in its
    /// arguments.
    pub(super) fn delta_record(
        &self,
        changes: &Changes<'_>,
        body: &Body<'_>,
        call: Value,
        living: &[Value],
    ) -> DeltaRecord {
        let none = Delta::default();
        let delta = changes.deltas.get(&call).unwrap_or(&none);
        let locals = &changes.locals;
        let private = || (0..body.variables.len()).filter(|number| !locals.is_shared(*number));
        // An argument keeps its value while the function runs, so a delta may include it without having to.
        let changed = |value: &Value| delta.values.contains(value);
        let total = living.iter().all(|value| changed(value) || is_argument(*value))
            && private().all(|number| delta.variables.contains(&number));
        let (writes, inside) = locals.inside(call);
        let size = |(number, (_, size)): (usize, &(Value, u64))| {
            if locals.is_shared(number) || inside.contains(&number) { *size } else { *size | site::BY_DELTA }
        };
        DeltaRecord {
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

    /// Announces the delta before a call, if there is one, and the addresses at which the call may write.
    pub(super) fn announce_delta(&self, body: &Body<'_>, delta: &DeltaRecord, call: Value) {
        if delta.through {
            self.hook(&names::__inspect_delta_returned, &mut [body.record]);
        }
        if delta.unknown {
            self.hook(&names::__inspect_unknown_delta, &mut [body.record]);
        }
        if !delta.values.is_empty() || !delta.variables.is_empty() {
            self.hook(&names::__inspect_delta, &mut [body.record]);
            for number in &delta.variables {
                let (variable, size) = body.variables[*number];
                self.hook(&names::__inspect_delta_variable, &mut [body.record, variable.0, self.number(size)]);
            }
        } else if delta.flags & site::TOTAL != 0 {
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

    /// Announces after each instruction what it has written through pointers that may lead to variables of other
    /// functions.
    pub(super) fn announce_writes(
        &self,
        instructions: &[Value],
        locals: &Locals<'_>,
        caller: impl Fn() -> LLVMValueRef,
    ) {
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

    /// Sets the identity to zeros, as nothing lives in the function.
    pub(super) fn forget(&self, body: &Body<'_>) {
        for word in [4, 5] {
            self.store(self.number(0), body.record, word);
        }
    }

    /// Announces the delta before a tail call, which leaves the function.
    pub(super) fn announce_tail_call(&self, body: &Body<'_>, call: Value) {
        let Some(changes) = &body.changes else { return };
        if changes.locals.inside(call) != (0, Vec::new()) || !changes.locals.through(call).is_empty() {
            // The function is left before the call writes, so no hook can announce the writes after them.
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

    /// Announces at the ends of a function what it has written to variables of its callers since its last call.
    pub(super) fn announce_ends(&self, function: Value, body: &Body<'_>) {
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
        self.announce_writes(&function.instructions(), &changes.locals, caller);
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
            // No hook may come between such a call and the end of the function.
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
