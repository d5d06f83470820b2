//! Finds every access to memory in a function: loads, stores, atomics, memory intrinsics and the library calls that do
//! the same, arguments copied by the calling convention, memory operands of inline assembly.

use crate::asm::{self, AssemblyEffect, Base, Touched};
use crate::ir::{Module, Value};
use crate::processor;
use crate::shim;
use llvm_sys::LLVMOpcode;

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
    /// A variable ends, or several of which this is one: all of it is written.
    End {
        variable: Value,
    },
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

/// Bytes of a `va_list` on x86-64.
const ARGUMENT_LIST: u64 = 24;

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
            Kind::Write | Kind::End { .. } | Kind::AtomicStore { .. } | Kind::Fence { .. } | Kind::Opaque => false,
        }
    }

    /// Whether the access may write the memory.
    pub(crate) fn writes(self) -> bool {
        match self {
            Kind::Write
            | Kind::End { .. }
            | Kind::AtomicStore { .. }
            | Kind::AtomicRmw { .. }
            | Kind::AtomicCas { .. } => true,
            Kind::Read | Kind::AtomicLoad { .. } | Kind::Fence { .. } | Kind::Opaque => false,
        }
    }
}

impl Access {
    /// The address by which reports name what is accessed.
    pub(crate) fn named(&self) -> Option<Value> {
        if let Kind::End { variable } = self.kind { Some(variable) } else { self.pointer }
    }

    /// Whether the access stands for the end of a variable.
    pub(crate) fn is_end(&self) -> bool {
        matches!(self.kind, Kind::End { .. })
    }

    /// Whether it is a plain access by a load or store that the source makes through a `volatile` type, of a size for
    /// which there are atomic accesses.
    pub(crate) fn is_volatile(&self) -> bool {
        let is_one = matches!(self.instruction.opcode(), Some(LLVMOpcode::LLVMLoad | LLVMOpcode::LLVMStore));
        is_one
            && matches!(self.kind, Kind::Read | Kind::Write)
            && matches!(self.size, Number::Known(1 | 2 | 4 | 8))
            && self.instruction.is_volatile()
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
        // The hooks know of no segments.
        if pointer.ty().is_segment_address() {
            return self.add_bare(Kind::Opaque);
        }
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
            self.visit_intrinsic(intrinsic, callee, &arguments);
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

    fn visit_intrinsic(&mut self, name: &str, intrinsic: Value, a: &[Value]) {
        let starts = |prefixes: &[&str]| prefixes.iter().any(|p| name.starts_with(p));
        if starts(&["memcpy.", "memmove.", "memcpy.inline."]) {
            let size = Number::of(a[2]);
            self.add(a[1], size, Kind::Read);
            self.add(a[0], size, Kind::Write);
        } else if starts(&["memset."]) {
            self.add(a[0], Number::of(a[2]), Kind::Write);
        } else if starts(&["va_start"]) {
            self.add_plain(a[0], ARGUMENT_LIST, Kind::Write);
        } else if starts(&["va_copy"]) {
            self.add_plain(a[1], ARGUMENT_LIST, Kind::Read);
            self.add_plain(a[0], ARGUMENT_LIST, Kind::Write);
        } else if starts(&["masked.load."]) {
            let size = self.module.store_size(self.instruction.ty());
            self.add_plain(a[0], size, Kind::Read);
        } else if starts(&["masked.store."]) {
            let size = self.module.store_size(a[0].ty());
            self.add_plain(a[1], size, Kind::Write);
        } else if is_uncontrolled_intrinsic(name)
            || (!is_silent_intrinsic(name) && (touches_memory(name, a) || intrinsic.may_reach_memory()))
        {
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
        if asm::is_barrier(&template) {
            return;
        }
        let summary = match processor::question_of(call) {
            Some(_) => asm::Assembly::REGISTERS,
            None => asm::analyse(shim::assemble(call).as_deref(), &template, &constraints),
        };
        match summary.effect {
            AssemblyEffect::Fence => self.add_bare(Kind::Fence { order: Number::Known(5) }),
            AssemblyEffect::Opaque => {
                self.add_bare(Kind::Opaque);
                self.add_operands(&constraints);
            }
            AssemblyEffect::Touches | AssemblyEffect::Interlocked => {
                let atomic = summary.effect == AssemblyEffect::Interlocked;
                summary.touched.iter().for_each(|touched| self.add_touched(touched, atomic));
            }
        }
    }

    /// Adds what an instruction of inline assembly does to memory.
    fn add_touched(&mut self, touched: &Touched, atomic: bool) {
        let base = match &touched.base {
            Base::Argument(index) => self.instruction.arguments().get(*index as usize).copied(),
            Base::Symbol(name) => self.module.named_variable(name).filter(|variable| !variable.is_thread_local()),
        };
        let Some(base) = base.filter(|base| base.ty().is_pointer()) else { return self.add_bare(Kind::Opaque) };
        let pointer = if touched.offset == 0 { base } else { base.offset_before(self.instruction, touched.offset) };
        if atomic && matches!(touched.size, 1 | 2 | 4 | 8 | 16) {
            self.add_plain(pointer, touched.size, atomic_kind(touched.written));
            return;
        }
        if touched.read {
            self.add_plain(pointer, touched.size, Kind::Read);
        }
        if touched.written {
            self.add_plain(pointer, touched.size, Kind::Write);
        }
    }

    /// Adds what the constraints of assembly that is not understood say of its memory operands. It may be a lock:
    /// accesses to its operands are no evidence of a race.
    fn add_operands(&mut self, constraints: &str) {
        let arguments = self.instruction.arguments();
        let operands = asm::memory_operands(constraints);
        let pointer = |index: u32| arguments.get(index as usize).copied();
        let written: Vec<Value> =
            operands.iter().filter(|(_, w)| *w).filter_map(|(index, _)| pointer(*index)).collect();
        for (index, writes) in operands {
            let Some(pointer) = pointer(index) else { continue };
            // The input half of `+m`: the read-modify-write of the output covers it.
            if !writes && written.contains(&pointer) {
                continue;
            }
            let size = shim::asm_operand_size(self.instruction, index);
            match size {
                1 | 2 | 4 | 8 | 16 => self.add_plain(pointer, size, atomic_kind(writes)),
                0 => {}
                _ => self.add_plain(pointer, size, if writes { Kind::Write } else { Kind::Read }),
            }
        }
    }
}

/// What an instruction does that is one step for all processors.
fn atomic_kind(written: bool) -> Kind {
    let order = Number::Known(5);
    if written { Kind::AtomicRmw { order } } else { Kind::AtomicLoad { order } }
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

/// Intrinsics that touch none of the program's memory, or only what belongs to the running call, although they have
/// address arguments or the compiler assumes that they may.
pub(crate) fn is_silent_intrinsic(name: &str) -> bool {
    [
        "dbg.",
        "lifetime.",
        "invariant.",
        "launder.",
        "strip.",
        "assume",
        "va_end",
        "prefetch",
        "stacksave",
        "stackrestore",
        "objectsize",
        "threadlocal.address",
        "eh.typeid.",
        "eh.recoverfp",
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
        "x86.sse.sfence",
        "x86.sse2.clflush",
        "x86.clflushopt",
        "x86.xgetbv",
        "clear_cache",
        "x86.sse2.lfence",
        "x86.sse2.mfence",
        "x86.sse2.pause",
        "x86.mmx.emms",
        "x86.avx.vzero",
        "experimental.constrained.",
        "set.rounding",
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
    name.starts_with("masked.") || arguments.iter().any(|a| a.ty().holds_addresses() && !a.is_null_or_undef())
}
