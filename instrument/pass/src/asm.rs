//! What inline assembly does to memory, read from its machine code: an instruction says which of its operands is an
//! address, how many bytes it touches there and whether it writes them.

mod code;

use code::{Code, Instruction};
use iced_x86::{
    Code as Opcode, FlowControl, InstructionInfoFactory, Mnemonic, OpAccess, OpKind, Register, UsedMemory, UsedRegister,
};
use std::collections::{HashMap, HashSet};

/// Bytes between the addresses that stand for what operands lead to (`shim/shim.h`).
const OPERAND_SPACING: i64 = 1 << 20;

/// The base of an address in the assembly.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Base {
    /// What this argument of the call leads to.
    Argument(u32),
    /// The symbol of this name.
    Symbol(String),
}

/// Memory that an instruction touches.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Touched {
    pub(crate) base: Base,
    pub(crate) offset: i64,
    pub(crate) size: u64,
    pub(crate) read: bool,
    pub(crate) written: bool,
}

/// How much of a piece of assembly is understood.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AssemblyEffect {
    /// It touches registers and the memory listed only.
    Touches,
    /// One interlocked instruction on the memory listed.
    Interlocked,
    /// A full memory fence.
    Fence,
    /// It may do anything: touch other memory, enter the kernel, read a clock.
    Opaque,
}

/// The summary of one piece of inline assembly.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Assembly {
    pub(crate) touched: Vec<Touched>,
    pub(crate) effect: AssemblyEffect,
}

impl Assembly {
    /// A piece of which nothing is known.
    const OPAQUE: Assembly = Assembly { touched: Vec::new(), effect: AssemblyEffect::Opaque };
    /// A piece that touches no memory.
    pub(crate) const REGISTERS: Assembly = Assembly { touched: Vec::new(), effect: AssemblyEffect::Touches };
}

/// Whether the template has no instruction: a barrier that names what it orders.
pub(crate) fn is_barrier(template: &str) -> bool {
    template.trim().is_empty()
}

/// Reads the object that the assembly compiles to (`None` if it does not), its template and its constraints in LLVM's
/// notation.
pub(crate) fn analyse(object: Option<&[u8]>, template: &str, constraints: &str) -> Assembly {
    let switches = [".section", ".pushsection", ".popsection", ".text", ".data", ".previous", ".subsection"];
    if switches.iter().any(|directive| template.contains(directive)) {
        return Assembly::OPAQUE;
    }
    let Some(code) = object.and_then(Code::read) else { return Assembly::OPAQUE };
    let mut reader = Reader::new(&code, template, constraints);
    for instruction in &code.body {
        reader.instruction(instruction);
    }
    let clobbers: Vec<&str> = constraints.split(',').filter(|c| !c.is_empty()).collect();
    // Assembly without operands orders memory as if it had said so.
    let orders_memory = clobbers.contains(&"~{memory}") || clobbers.iter().all(|c| c.starts_with('~'));
    reader.summary(orders_memory)
}

/// Indices of the arguments that are memory operands, and whether each is an output, by the constraints.
pub(crate) fn memory_operands(constraints: &str) -> Vec<(u32, bool)> {
    let mut operands = Vec::new();
    let mut argument = 0;
    for constraint in constraints.split(',').filter(|c| !c.is_empty() && !c.starts_with('~') && !c.starts_with('!')) {
        let (written, indirect) = (constraint.starts_with('='), constraint.contains('*'));
        if indirect {
            operands.push((argument, written));
        }
        // A direct output is a result of the call, not an argument.
        if !written || indirect {
            argument += 1;
        }
    }
    operands
}

/// What the instructions read so far do.
struct Reader<'a> {
    code: &'a Code,
    /// Pointers in registers, by the argument of the call that each is.
    pointers: HashMap<Register, u32>,
    changed: HashSet<Register>,
    /// Whether the assembly names the stack pointer: else what is on the stack was put there by the compiler.
    names_stack: bool,
    touched: Vec<Touched>,
    /// How many instructions touch memory.
    touching: usize,
    locked: bool,
    /// Whether all instructions that touch memory move one value of at most 8 bytes.
    moves: bool,
    branches: bool,
    fence: bool,
    opaque: bool,
}

impl Reader<'_> {
    fn new<'a>(code: &'a Code, template: &str, constraints: &str) -> Reader<'a> {
        let pointers = code.operands.iter().filter_map(|instruction| {
            let argument = argument_at(instruction.decoded.memory_displacement64() as i64)?.0;
            Some((instruction.decoded.op1_register().full_register(), argument))
        });
        let named = format!("{template} {constraints}").to_ascii_lowercase();
        Reader {
            pointers: pointers.collect(),
            code,
            changed: HashSet::new(),
            names_stack: ["rsp", "esp", "rbp", "ebp"].iter().any(|name| named.contains(name)),
            touched: Vec::new(),
            touching: 0,
            locked: false,
            moves: true,
            branches: false,
            fence: false,
            opaque: false,
        }
    }

    fn instruction(&mut self, one: &Instruction) {
        let decoded = &one.decoded;
        let mut factory = InstructionInfoFactory::new();
        let info = factory.info(decoded);
        self.opaque |= decoded.code() == Opcode::INVALID
            || decoded.is_privileged()
            || decoded.is_string_instruction()
            || is_uncontrolled(decoded.mnemonic())
            || reaches_by_bit_number(decoded)
            || is_masked(decoded.mnemonic());
        match decoded.flow_control() {
            FlowControl::Next => {}
            FlowControl::ConditionalBranch | FlowControl::UnconditionalBranch => {
                self.branches = true;
                self.opaque |= one.symbol.is_some() || !self.code.is_inside(decoded.near_branch_target());
            }
            FlowControl::IndirectBranch
            | FlowControl::Return
            | FlowControl::Call
            | FlowControl::IndirectCall
            | FlowControl::Interrupt
            | FlowControl::XbeginXabortXend
            | FlowControl::Exception => self.opaque = true,
        }
        self.fence |= decoded.mnemonic() == Mnemonic::Mfence;
        let before = self.touched.len();
        for memory in info.used_memory() {
            self.memory(one, memory);
        }
        if self.touched.len() > before {
            self.touching += 1;
            self.locked |= is_interlocked(decoded);
            self.moves &= matches!(
                decoded.mnemonic(),
                Mnemonic::Mov | Mnemonic::Movzx | Mnemonic::Movsx | Mnemonic::Movsxd | Mnemonic::Movd | Mnemonic::Movq
            );
        }
        self.changed
            .extend(info.used_registers().iter().filter(|used| is_write(used)).map(|u| u.register().full_register()));
    }

    /// Adds what an instruction does to one piece of memory.
    fn memory(&mut self, one: &Instruction, memory: &UsedMemory) {
        let (read, written) = match memory.access() {
            OpAccess::None | OpAccess::NoMemAccess => return,
            OpAccess::Read => (true, false),
            OpAccess::Write => (false, true),
            // A compare-exchange that fails writes back what is there.
            OpAccess::ReadWrite | OpAccess::ReadCondWrite => (true, true),
            // A flag or a mask in a register says whether, or which of the bytes.
            OpAccess::CondRead | OpAccess::CondWrite => {
                self.opaque = true;
                return;
            }
        };
        let base = memory.base().full_register();
        if matches!(memory.segment(), Register::FS | Register::GS) {
            // The thread's own block, which holds its address and the guard of its stack.
            self.opaque |= written || one.symbol.is_some() || base != Register::None;
            return;
        }
        let is_operand = self.pointers.contains_key(&base);
        if matches!(base, Register::RSP | Register::RBP) && !is_operand {
            // A locked instruction on the top of the stack is there to be a fence.
            self.fence |= is_interlocked(&one.decoded);
            self.opaque |= self.names_stack && !is_interlocked(&one.decoded) && !one.decoded.is_stack_instruction();
            return;
        }
        let size = memory.memory_size().size() as u64;
        let place = self.place(one, memory, base);
        match place {
            Some((base, offset)) if size > 0 && memory.index() == Register::None => {
                self.touched.push(Touched { base, offset, size, read, written });
            }
            _ => self.opaque = true,
        }
    }

    fn place(&self, one: &Instruction, memory: &UsedMemory, base: Register) -> Option<(Base, i64)> {
        if let Some((name, offset)) = &one.symbol {
            let direct = matches!(base, Register::None | Register::RIP);
            return direct.then(|| (Base::Symbol(name.clone()), *offset));
        }
        let offset = memory.displacement() as i64;
        if base == Register::None {
            let (argument, offset) = argument_at(offset)?;
            return Some((Base::Argument(argument), offset));
        }
        let argument = self.pointers.get(&base).filter(|_| !self.changed.contains(&base))?;
        Some((Base::Argument(*argument), offset))
    }

    fn summary(self, orders_memory: bool) -> Assembly {
        let is_atomic = self.touching == 1;
        let effect = match () {
            // Which instructions run, and how often, is not known.
            () if self.opaque || (self.branches && (self.touching > 0 || self.fence)) => AssemblyEffect::Opaque,
            () if self.touching == 0 && self.fence => AssemblyEffect::Fence,
            () if self.touching == 0 => AssemblyEffect::Touches,
            // A move that the compiler must not reorder is how locks made of assembly are released and tested.
            () if is_atomic && (self.locked || (orders_memory && self.moves)) => AssemblyEffect::Interlocked,
            () if self.locked || orders_memory => AssemblyEffect::Opaque,
            () => AssemblyEffect::Touches,
        };
        Assembly { touched: self.touched, effect }
    }
}

/// The argument whose memory operand an address stands for, and the bytes from its beginning.
fn argument_at(address: i64) -> Option<(u32, i64)> {
    let nearest = (address + OPERAND_SPACING / 2).div_euclid(OPERAND_SPACING);
    let argument = u32::try_from(nearest - 1).ok()?;
    Some((argument, address - nearest * OPERAND_SPACING))
}

/// Whether it is one step for all processors: with a lock prefix, or an exchange with memory.
fn is_interlocked(instruction: &iced_x86::Instruction) -> bool {
    instruction.has_lock_prefix() || instruction.mnemonic() == Mnemonic::Xchg
}

/// Whether the instruction takes the number of a bit from a register: the bit may lie anywhere beyond the operand.
fn reaches_by_bit_number(instruction: &iced_x86::Instruction) -> bool {
    matches!(instruction.mnemonic(), Mnemonic::Bt | Mnemonic::Bts | Mnemonic::Btr | Mnemonic::Btc)
        && instruction.op0_kind() == OpKind::Memory
        && instruction.op1_kind() == OpKind::Register
}

/// Whether a mask in a register says which bytes the instruction touches.
fn is_masked(mnemonic: Mnemonic) -> bool {
    use Mnemonic::*;
    matches!(mnemonic, Vmaskmovps | Vmaskmovpd | Vpmaskmovd | Vpmaskmovq | Maskmovq | Maskmovdqu | Vmaskmovdqu)
}

fn is_write(used: &UsedRegister) -> bool {
    match used.access() {
        OpAccess::None | OpAccess::NoMemAccess | OpAccess::Read | OpAccess::CondRead => false,
        OpAccess::Write | OpAccess::CondWrite | OpAccess::ReadWrite | OpAccess::ReadCondWrite => true,
    }
}

/// Instructions whose result is not a function of the program's state, or that change what the rest of it rests on.
fn is_uncontrolled(mnemonic: Mnemonic) -> bool {
    use Mnemonic::*;
    matches!(
        mnemonic,
        Rdtsc
            | Rdtscp
            | Rdpmc
            | Rdrand
            | Rdseed
            | Cpuid
            | Xgetbv
            | Rdpid
            | Sgdt
            | Sidt
            | Sldt
            | Smsw
            | Str
            | Rdfsbase
            | Rdgsbase
            | Wrfsbase
            | Wrgsbase
            | Wrpkru
            | Umonitor
            | Umwait
            | Tpause
            | Monitorx
            | Mwaitx
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_memory_operand_is_an_argument_and_a_direct_output_is_none() {
        // asm("..." : "=*m"(out) : "r"(register), "*m"(in)): arguments out, register, in.
        assert_eq!(memory_operands("=*m,r,*m,~{flags}"), [(0, true), (2, false)]);
        assert_eq!(memory_operands("=r,*m"), [(0, false)]);
    }

    #[test]
    fn addresses_near_that_of_an_operand_belong_to_it() {
        assert_eq!(argument_at(OPERAND_SPACING), Some((0, 0)));
        assert_eq!(argument_at(2 * OPERAND_SPACING - 8), Some((1, -8)));
        assert_eq!(argument_at(3 * OPERAND_SPACING + 16), Some((2, 16)));
        assert_eq!(argument_at(0), None);
    }

    #[test]
    fn what_cannot_be_compiled_alone_is_opaque() {
        assert_eq!(analyse(None, "nop", ""), Assembly::OPAQUE);
    }
}
