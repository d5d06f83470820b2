//! Finds every access to memory in a function: loads, stores, atomics, memory intrinsics and the library calls that do
//! the same, arguments copied by the calling convention, memory operands of inline assembly.

use crate::asm::{self, Assembly, AssemblyEffect};
use crate::ir::{Module, Value};
use crate::shim;
use llvm_sys::{LLVMOpcode, LLVMTypeKind};

/// A number of bytes or the number of an ordering: known when the pass runs, or only when the program runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Number {
    Known(u64),
    Runtime(Value),
}

/// The value that a compare-exchange expects.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Expected {
    /// In a register.
    Value(Value),
    /// In memory, at this address.
    Memory(Value),
}

/// What an access does to the memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Read,
    Write,
    AtomicLoad {
        order: Number,
    },
    /// A store of a value, or of the low 8 bytes at an address.
    AtomicStore {
        value: Stored,
        order: Number,
    },
    AtomicRmw {
        order: Number,
    },
    AtomicCas {
        expected: Expected,
        success: Number,
        failure: Number,
    },
    Fence {
        order: Number,
    },
    Opaque,
}

/// The value that an atomic store writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stored {
    Value(Value),
    Memory(Value),
}

/// One access. A fence and opaque assembly have no address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Access {
    pub(crate) instruction: Value,
    pub(crate) function: Value,
    pub(crate) pointer: Option<Value>,
    pub(crate) size: Number,
    pub(crate) kind: Kind,
}

impl Kind {
    /// Whether the access reads the memory.
    pub(crate) fn reads(self) -> bool {
        match self {
            Kind::Read | Kind::AtomicLoad { .. } | Kind::AtomicRmw { .. } | Kind::AtomicCas { .. } => true,
            Kind::Write | Kind::AtomicStore { .. } | Kind::Fence { .. } | Kind::Opaque => false,
        }
    }

    /// Whether the access may write the memory.
    pub(crate) fn writes(self) -> bool {
        match self {
            Kind::Write | Kind::AtomicStore { .. } | Kind::AtomicRmw { .. } | Kind::AtomicCas { .. } => true,
            Kind::Read | Kind::AtomicLoad { .. } | Kind::Fence { .. } | Kind::Opaque => false,
        }
    }
}

/// Collects the accesses of one function in program order.
struct Collector<'a> {
    module: Module,
    function: Value,
    instruction: Value,
    out: &'a mut Vec<Access>,
}

/// Every access of a function.
pub(crate) fn accesses(module: Module, function: Value) -> Vec<Access> {
    let mut out = Vec::new();
    if let Some(first) = function.instructions().first().filter(|_| function.has_attribute("presplitcoroutine")) {
        // The variables of a coroutine move to a block that another thread may resume; that happens after this pass.
        Collector { module, function, instruction: *first, out: &mut out }.add_bare(Kind::Opaque);
    }
    for instruction in function.instructions() {
        Collector { module, function, instruction, out: &mut out }.visit();
    }
    out
}

impl Collector<'_> {
    fn add(&mut self, pointer: Value, size: Number, kind: Kind) {
        let (instruction, function) = (self.instruction, self.function);
        self.out.push(Access { instruction, function, pointer: Some(pointer), size, kind });
    }

    fn add_plain(&mut self, pointer: Value, bytes: u64, kind: Kind) {
        self.add(pointer, Number::Known(bytes), kind);
    }

    fn add_bare(&mut self, kind: Kind) {
        let (instruction, function) = (self.instruction, self.function);
        self.out.push(Access { instruction, function, pointer: None, size: Number::Known(0), kind });
    }

    fn visit(&mut self) {
        let i = self.instruction;
        let order = || Number::Known(u64::from(i.ordering()));
        match i.opcode() {
            Some(LLVMOpcode::LLVMLoad) => {
                let size = self.module.store_size(i.ty());
                let kind = if i.is_atomic() { Kind::AtomicLoad { order: order() } } else { Kind::Read };
                self.add_plain(i.operand(0), size, kind);
            }
            Some(LLVMOpcode::LLVMStore) => {
                let value = i.operand(0);
                let size = self.module.store_size(value.ty());
                let kind = if i.is_atomic() {
                    Kind::AtomicStore { value: Stored::Value(value), order: order() }
                } else {
                    Kind::Write
                };
                self.add_plain(i.operand(1), size, kind);
            }
            Some(LLVMOpcode::LLVMAtomicRMW) => {
                let size = self.module.store_size(i.ty());
                self.add_plain(i.operand(0), size, Kind::AtomicRmw { order: order() });
            }
            Some(LLVMOpcode::LLVMAtomicCmpXchg) => {
                let size = self.module.store_size(i.operand(1).ty());
                let (success, failure) = i.exchange_orderings();
                let (success, failure) = (Number::Known(success.into()), Number::Known(failure.into()));
                let expected = Expected::Value(i.operand(1));
                self.add_plain(i.operand(0), size, Kind::AtomicCas { expected, success, failure });
            }
            Some(LLVMOpcode::LLVMFence) if !i.is_single_thread() => self.add_bare(Kind::Fence { order: order() }),
            // The list of arguments is this function's own; what it leads to is not.
            Some(LLVMOpcode::LLVMVAArg) => self.add_bare(Kind::Opaque),
            Some(LLVMOpcode::LLVMCall | LLVMOpcode::LLVMInvoke | LLVMOpcode::LLVMCallBr) => self.visit_call(),
            _ => {}
        }
    }

    fn visit_call(&mut self) {
        let call = self.instruction;
        let callee = call.callee();
        if callee.is_inline_asm() {
            return self.visit_asm(callee);
        }
        let arguments = call.arguments();
        for (index, argument) in (0_u32..).zip(&arguments) {
            let size = shim::byval_size(call, index);
            if size > 0 {
                self.add_plain(*argument, size, Kind::Read);
            }
        }
        if !callee.is_function() || !callee.is_declaration() {
            return;
        }
        let name = callee.name();
        if let Some(intrinsic) = name.strip_prefix("llvm.") {
            self.visit_intrinsic(intrinsic, &arguments);
        } else if let Some(rest) = name.strip_prefix("__atomic_") {
            self.visit_libatomic(rest, &arguments);
        } else if let Some(rest) = name.strip_prefix("__sync_") {
            // Only what LLVM cannot do in place is left as a call.
            if let Some(bytes) = trailing_size(rest).filter(|_| !arguments.is_empty()) {
                self.add_plain(arguments[0], bytes, Kind::AtomicRmw { order: Number::Known(5) });
            }
        } else {
            self.visit_library(&name, &arguments);
        }
    }

    /// Memory functions that the source calls although they are built-in (`-fno-builtin`).
    fn visit_library(&mut self, name: &str, a: &[Value]) {
        match (name, a) {
            (
                "memcpy" | "memmove" | "mempcpy" | "__memcpy_chk" | "__memmove_chk" | "__mempcpy_chk",
                [to, from, size, ..],
            ) => {
                self.add(*from, Number::Runtime(*size), Kind::Read);
                self.add(*to, Number::Runtime(*size), Kind::Write);
            }
            ("memset" | "__memset_chk", [to, _, size, ..]) => self.add(*to, Number::Runtime(*size), Kind::Write),
            _ => {}
        }
    }

    fn visit_intrinsic(&mut self, name: &str, a: &[Value]) {
        let starts = |prefixes: &[&str]| prefixes.iter().any(|p| name.starts_with(p));
        if starts(&["memcpy.", "memmove.", "memcpy.inline."]) {
            let size = Number::of(a[2]);
            self.add(a[1], size, Kind::Read);
            self.add(a[0], size, Kind::Write);
        } else if starts(&["memset."]) {
            self.add(a[0], Number::of(a[2]), Kind::Write);
        } else if starts(&["masked.load."]) {
            let size = self.module.store_size(self.instruction.ty());
            self.add_plain(a[0], size, Kind::Read);
        } else if starts(&["masked.store."]) {
            let size = self.module.store_size(a[0].ty());
            self.add_plain(a[1], size, Kind::Write);
        } else if is_uncontrolled_intrinsic(name) || (!is_silent_intrinsic(name) && touches_memory(name, a)) {
            self.add_bare(Kind::Opaque);
        }
    }

    /// Calls of libatomic: generic ones (`__atomic_load`, size first, values in memory) and sized ones
    /// (`__atomic_load_16`).
    fn visit_libatomic(&mut self, name: &str, a: &[Value]) {
        let sized = trailing_size(name);
        let operation = if sized.is_some() { name.rsplit_once('_').map_or(name, |(front, _)| front) } else { name };
        match sized {
            Some(bytes) => self.visit_sized_libatomic(operation, bytes, a),
            None => self.visit_generic_libatomic(operation, a),
        }
    }

    fn visit_sized_libatomic(&mut self, operation: &str, bytes: u64, a: &[Value]) {
        match (operation, a) {
            ("load", [at, order]) => self.add_plain(*at, bytes, Kind::AtomicLoad { order: Number::of(*order) }),
            ("store", [at, value, order]) => {
                let kind = Kind::AtomicStore { value: Stored::Value(*value), order: Number::of(*order) };
                self.add_plain(*at, bytes, kind);
            }
            ("compare_exchange", [at, expected, _, success, failure]) => {
                self.add_exchange(*at, Number::Known(bytes), *expected, *success, *failure);
            }
            (_, [at, _, order]) => self.add_plain(*at, bytes, Kind::AtomicRmw { order: Number::of(*order) }),
            (_, _) => self.add_bare(Kind::Opaque),
        }
    }

    fn visit_generic_libatomic(&mut self, operation: &str, a: &[Value]) {
        match (operation, a) {
            ("load", [size, at, result, order]) => {
                self.add(*at, Number::of(*size), Kind::AtomicLoad { order: Number::of(*order) });
                self.add(*result, Number::of(*size), Kind::Write);
            }
            ("store", [size, at, value, order]) => {
                self.add(*value, Number::of(*size), Kind::Read);
                let kind = Kind::AtomicStore { value: Stored::Memory(*value), order: Number::of(*order) };
                self.add(*at, Number::of(*size), kind);
            }
            ("exchange", [size, at, value, result, order]) => {
                self.add(*value, Number::of(*size), Kind::Read);
                self.add(*at, Number::of(*size), Kind::AtomicRmw { order: Number::of(*order) });
                self.add(*result, Number::of(*size), Kind::Write);
            }
            ("compare_exchange", [size, at, expected, desired, success, failure]) => {
                self.add(*desired, Number::of(*size), Kind::Read);
                self.add_exchange(*at, Number::of(*size), *expected, *success, *failure);
            }
            ("is_lock_free" | "test_and_set" | "clear", _) => {}
            (_, _) => self.add_bare(Kind::Opaque),
        }
    }

    fn add_exchange(&mut self, at: Value, size: Number, expected: Value, success: Value, failure: Value) {
        self.add(expected, size, Kind::Read);
        let (success, failure) = (Number::of(success), Number::of(failure));
        self.add(at, size, Kind::AtomicCas { expected: Expected::Memory(expected), success, failure });
    }

    fn visit_asm(&mut self, assembly: Value) {
        let call = self.instruction;
        let (template, constraints) = assembly.asm_text();
        let summary = asm::analyse(&template, &constraints);
        let arguments = call.arguments();
        let is_operand = |index: u32| summary.operands.iter().any(|o| o.argument == index);
        let pointer_in_register =
            (0_u32..).zip(&arguments).any(|(index, argument)| argument.ty().is_pointer() && !is_operand(index));
        // A template without instructions is a barrier that names what it orders.
        let is_barrier = template.trim().is_empty();
        match summary.effect {
            AssemblyEffect::Fence => self.add_bare(Kind::Fence { order: Number::Known(5) }),
            AssemblyEffect::Opaque => self.add_bare(Kind::Opaque),
            AssemblyEffect::Operands if pointer_in_register && !is_barrier => self.add_bare(Kind::Opaque),
            AssemblyEffect::Operands | AssemblyEffect::Interlocked => {}
        }
        if !is_barrier {
            self.add_operands(&summary, &arguments);
        }
    }

    /// Adds what inline assembly does to its memory operands, given the arguments of its call.
    fn add_operands(&mut self, summary: &Assembly, arguments: &[Value]) {
        // Assembly that is not understood may be a lock: accesses to its operands are no evidence of a race.
        let interlocked = matches!(summary.effect, AssemblyEffect::Interlocked | AssemblyEffect::Opaque);
        let written: Vec<Value> = summary
            .operands
            .iter()
            .filter(|o| o.written)
            .filter_map(|o| arguments.get(o.argument as usize).copied())
            .collect();
        for operand in &summary.operands {
            let Some(pointer) = arguments.get(operand.argument as usize) else { continue };
            let size = shim::asm_operand_size(self.instruction, operand.argument);
            if size == 0 {
                self.add_bare(Kind::Opaque);
                continue;
            }
            let atomic = interlocked && matches!(size, 1 | 2 | 4 | 8 | 16);
            let kind = match (atomic, operand.written) {
                (true, true) => Kind::AtomicRmw { order: Number::Known(5) },
                // The input half of `+m`: the read-modify-write above covers it.
                (true, false) if written.contains(pointer) => continue,
                (true, false) => Kind::AtomicLoad { order: Number::Known(5) },
                (false, true) => Kind::Write,
                (false, false) => Kind::Read,
            };
            self.add_plain(*pointer, size, kind);
        }
    }
}

impl Number {
    fn of(value: Value) -> Number {
        value.constant_integer().map_or(Number::Runtime(value), Number::Known)
    }
}

/// The size that ends the name of a sized libatomic function.
fn trailing_size(name: &str) -> Option<u64> {
    name.rsplit_once('_')?.1.parse().ok().filter(|size| matches!(size, 1 | 2 | 4 | 8 | 16))
}

/// Intrinsics whose result is not a function of the program's state.
fn is_uncontrolled_intrinsic(name: &str) -> bool {
    [
        "readcyclecounter",
        "readsteadycounter",
        "x86.rdtsc",
        "x86.rdrand",
        "x86.rdseed",
        "x86.rdpmc",
        "x86.rdpid",
        "x86.xbegin",
    ]
    .iter()
    .any(|p| name.starts_with(p))
}

/// Intrinsics with address arguments that touch none of the program's memory, or only what belongs to the running call.
pub(crate) fn is_silent_intrinsic(name: &str) -> bool {
    [
        "dbg.",
        "lifetime.",
        "invariant.",
        "launder.",
        "strip.",
        "assume",
        "va_start",
        "va_end",
        "va_copy",
        "prefetch",
        "stacksave",
        "stackrestore",
        "objectsize",
        "threadlocal.address",
        "eh.",
        "annotation",
        "var.annotation",
        "ptr.annotation",
        "ptrmask",
        "experimental.noalias",
        "returnaddress",
        "frameaddress",
        "addressofreturnaddress",
        "localescape",
        "sideeffect",
        "is.constant",
        "expect",
        "coro.",
        "instrprof.",
        "donothing",
        "trap",
        "debugtrap",
        "ubsantrap",
        "type.test",
        "load.relative",
        "preserve.",
        "init.trampoline",
        "adjust.trampoline",
        "fake.use",
        "pseudoprobe",
        "x86.sse.ldmxcsr",
        "x86.sse.stmxcsr",
        "stackprotector",
        "stackguard",
        "call.preallocated",
    ]
    .iter()
    .any(|p| name.starts_with(p))
}

/// Whether the intrinsic may reach memory: it has an address among its arguments, or a vector of addresses.
fn touches_memory(name: &str, arguments: &[Value]) -> bool {
    name.starts_with("masked.")
        || arguments.iter().any(|a| matches!(a.ty().kind(), LLVMTypeKind::LLVMPointerTypeKind) && !a.is_null_or_undef())
}
