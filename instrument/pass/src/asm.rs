//! What inline assembly does to memory, read from its template and its constraints.

/// A memory operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct MemoryOperand {
    /// Index among the call's arguments.
    pub(crate) argument: u32,
    /// Whether it is an output.
    pub(crate) written: bool,
}

/// How much of a piece of assembly is understood.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AssemblyEffect {
    /// It touches registers and its memory operands only.
    Operands,
    /// One interlocked instruction on its memory operands.
    Interlocked,
    /// A full memory fence.
    Fence,
    /// It may do anything: touch other memory, enter the kernel, read a clock.
    Opaque,
}

/// The summary of one piece of inline assembly.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Assembly {
    pub(crate) operands: Vec<MemoryOperand>,
    pub(crate) effect: AssemblyEffect,
}

/// Instructions that neither touch memory nor depend on anything outside of the program.
const HARMLESS: &[&str] = &["pause", "nop", "rep nop", "rep; nop", "rep;nop", "lfence", "sfence"];

/// Instructions whose result is not a function of the program's state, or that leave it.
const UNCONTROLLED: &[&str] = &[
    "syscall",
    "sysenter",
    "int",
    "rdtsc",
    "rdtscp",
    "rdpmc",
    "rdrand",
    "rdseed",
    "cpuid",
    "xgetbv",
    "rdpid",
    "sgdt",
    "sidt",
    "xbegin",
    "xend",
    "call",
    "jmp",
    "ret",
    "rep movsb",
    "rep stosb",
];

/// Reads template and constraints in LLVM's notation.
pub(crate) fn analyse(template: &str, constraints: &str) -> Assembly {
    let mut operands = Vec::new();
    let mut argument = 0;
    let mut clobbers_memory = false;
    for constraint in constraints.split(',').filter(|c| !c.is_empty()) {
        if let Some(clobber) = constraint.strip_prefix('~') {
            clobbers_memory |= clobber == "{memory}";
            continue;
        }
        let written = constraint.starts_with('=');
        let indirect = constraint.contains('*');
        if indirect {
            operands.push(MemoryOperand { argument, written });
        }
        // A direct output is a result of the call, not an argument.
        if !written || indirect {
            argument += 1;
        }
    }
    let effect = effect_of(template, clobbers_memory, !operands.is_empty());
    Assembly { operands, effect }
}

fn effect_of(template: &str, clobbers_memory: bool, has_operands: bool) -> AssemblyEffect {
    let text = template.to_ascii_lowercase().replace("\\0a", "\n").replace('\t', " ");
    let whole = text.trim().trim_end_matches(';').trim();
    if whole.is_empty() || HARMLESS.contains(&whole) {
        return AssemblyEffect::Operands;
    }
    let instructions: Vec<&str> = text.split(['\n', ';']).map(str::trim).filter(|i| !i.is_empty()).collect();
    if instructions.iter().all(|i| HARMLESS.contains(i) || i.starts_with('#')) {
        return AssemblyEffect::Operands;
    }
    let starts = |instruction: &str, word: &str| {
        instruction.strip_prefix(word).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '$', '0']))
    };
    if instructions.iter().any(|i| UNCONTROLLED.iter().any(|word| starts(i, word))) {
        return AssemblyEffect::Opaque;
    }
    if instructions == ["mfence"] {
        return AssemblyEffect::Fence;
    }
    // `lock; xadd` and `lock xadd` are one instruction; xchg locks by itself. A move that the compiler must not reorder
    // is how locks made of assembly are released and tested.
    let interlocked = match instructions.as_slice() {
        [one] => {
            one.starts_with("lock ")
                || one.starts_with("xchg")
                || (clobbers_memory && one.starts_with("mov") && has_operands)
        }
        ["lock", _] => true,
        _ => false,
    };
    if interlocked {
        return if has_operands { AssemblyEffect::Interlocked } else { AssemblyEffect::Opaque };
    }
    if clobbers_memory || instructions.iter().any(|i| starts(i, "lock")) {
        AssemblyEffect::Opaque
    } else {
        AssemblyEffect::Operands
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pause_and_compiler_barriers_touch_nothing() {
        for template in ["", "pause", "rep; nop", "pause\n\tpause"] {
            let assembly = analyse(template, "~{memory},~{dirflag},~{fpsr},~{flags}");
            assert_eq!(assembly, Assembly { operands: vec![], effect: AssemblyEffect::Operands }, "{template:?}");
        }
    }

    #[test]
    fn an_indirect_output_is_written_and_an_indirect_input_read() {
        // asm("addl $1, $0" : "=*m"(out) : "r"(register), "*m"(in)): arguments out, register, in.
        let assembly = analyse("addl $1, $0", "=*m,r,*m,~{flags}");
        assert_eq!(
            assembly.operands,
            [MemoryOperand { argument: 0, written: true }, MemoryOperand { argument: 2, written: false }]
        );
        assert_eq!(assembly.effect, AssemblyEffect::Operands);
    }

    #[test]
    fn a_direct_output_is_no_argument() {
        // asm("movl $1, $0" : "=r"(result) : "*m"(in)): the only argument is in.
        assert_eq!(analyse("movl $1, $0", "=r,*m").operands, [MemoryOperand { argument: 0, written: false }]);
    }

    #[test]
    fn a_locked_instruction_is_interlocked() {
        for template in ["lock; xaddl $0, $1", "lock xaddl $0, $1", "xchgl $0, $1", "lock\n\tincl $0"] {
            assert_eq!(analyse(template, "=r,=*m,0,*m,~{memory}").effect, AssemblyEffect::Interlocked, "{template:?}");
        }
    }

    #[test]
    fn a_move_between_barriers_is_atomic_and_another_move_is_not() {
        assert_eq!(analyse("movl $$0, $0", "=*m,~{memory}").effect, AssemblyEffect::Interlocked);
        assert_eq!(analyse("movl $1, $0", "=r,*m,~{memory}").effect, AssemblyEffect::Interlocked);
        assert_eq!(analyse("movl $$0, $0", "=*m").effect, AssemblyEffect::Operands);
    }

    #[test]
    fn what_may_do_anything_is_opaque() {
        for (template, constraints) in [
            ("syscall", "={ax},{ax},~{memory}"),
            ("rdtsc", "={ax},={dx}"),
            ("movl $$1, ($0)", "r,~{memory}"),
            ("lock incl ($0)", "r,~{memory}"),
            ("call helper", "~{memory}"),
        ] {
            assert_eq!(analyse(template, constraints).effect, AssemblyEffect::Opaque, "{template:?}");
        }
    }

    #[test]
    fn a_full_fence_is_a_fence() {
        assert_eq!(analyse("mfence", "~{memory}").effect, AssemblyEffect::Fence);
    }
}
