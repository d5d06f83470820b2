//! The call stack of a suspended thread, from the unwind tables of the objects in memory (DWARF call frame information,
//! as the System V ABI for x86-64 prescribes it): where a frame ends, and where the registers that belong to its caller
//! are. What is not understood is an end of the walk, never a guess.

mod tables;

use super::elf;
use super::fiber::FiberContext;
use super::global::Global;
use super::layout::Range;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use tables::Tables;

/// Where a frame stands, and what the registers hold that a call leaves alone: rbx, rbp, r12 to r15.
#[derive(Clone, Copy, Debug, Default)]
pub struct Registers {
    /// Where it goes on.
    pub pc: u64,
    /// The stack pointer there.
    pub stack: u64,
    /// rbx, rbp, r12, r13, r14, r15.
    pub preserved: [u64; 6],
}

/// How to leave a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UnwindRow {
    /// First address of the function.
    pub function: u64,
    /// Whence the end of the frame is counted: from the stack pointer or, if not, from this preserved register.
    pub base: Option<usize>,
    /// How far from there the frame ends.
    pub offset: i64,
    /// Where the caller's preserved registers are, from the end of the frame; `None`: the register still holds it.
    pub saved: [Option<i64>; 6],
}

impl UnwindRow {
    /// The address after the frame's last byte, which is that of its return address.
    pub fn end(&self, registers: &Registers) -> u64 {
        self.base.map_or(registers.stack, |preserved| registers.preserved[preserved]).wrapping_add_signed(self.offset)
    }

    /// Whether the word at `address` holds a register of the caller, or the return address.
    pub fn is_saved(&self, end: u64, address: u64) -> bool {
        address == end - 8 || self.saved.iter().flatten().any(|&offset| end.wrapping_add_signed(offset) == address)
    }

    /// The caller's registers; `None` if the frame does not lie on one of the two stacks, the thread's own and the one
    /// the engine serves it on, or leads from one back to itself.
    pub fn leave(&self, registers: &Registers, stacks: [Range; 2]) -> Option<Registers> {
        let end = self.end(registers);
        let stack_of = |address: u64| stacks.iter().position(|stack| stack.contains(address));
        let goes_back = end <= registers.stack && stack_of(end - 8) == stack_of(registers.stack);
        if goes_back || !end.is_multiple_of(8) {
            return None;
        }
        let word = |offset: i64| {
            let address = end.wrapping_add_signed(offset);
            // SAFETY: inside a stack, which is mapped.
            stack_of(address).map(|_| unsafe { *(address as *const u64) })
        };
        let mut caller = Registers { pc: word(-8)?, stack: end, preserved: registers.preserved };
        for (preserved, saved) in caller.preserved.iter_mut().zip(self.saved) {
            if let Some(offset) = saved {
                *preserved = word(offset)?;
            }
        }
        Some(caller)
    }
}

impl Registers {
    /// Those of a suspended thread, where [`switch`](super::fiber::switch) goes on.
    pub fn of(context: &FiberContext) -> Registers {
        // SAFETY: a suspended context has its saved registers at its stack pointer.
        let words = unsafe { &*(context.stack as *const [u64; 8]) };
        let [_, r15, r14, r13, r12, rbx, rbp, pc] = *words;
        Registers { pc, stack: context.stack + 64, preserved: [rbx, rbp, r12, r13, r14, r15] }
    }

    /// Those of this very moment, in a frame that the walk leaves at once.
    #[inline(never)]
    pub fn here() -> Registers {
        let mut words = [0u64; 8];
        capture(&mut words);
        let [rbx, rbp, r12, r13, r14, r15, stack, pc] = words;
        Registers { pc, stack, preserved: [rbx, rbp, r12, r13, r14, r15] }
    }
}

/// Writes the preserved registers, the stack pointer after the return and the return address.
#[unsafe(naked)]
extern "C" fn capture(words: &mut [u64; 8]) {
    core::arch::naked_asm!(
        ".cfi_startproc",
        "mov [rdi], rbx",
        "mov [rdi + 8], rbp",
        "mov [rdi + 16], r12",
        "mov [rdi + 24], r13",
        "mov [rdi + 32], r14",
        "mov [rdi + 40], r15",
        "lea rax, [rsp + 8]",
        "mov [rdi + 48], rax",
        "mov rax, [rsp]",
        "mov [rdi + 56], rax",
        "ret",
        ".cfi_endproc",
    )
}

static TABLES: Global<Option<Vec<Tables>>> = Global::new(None);
static ROWS: Global<BTreeMap<u64, Option<UnwindRow>>> = Global::new(BTreeMap::new());

/// The row for a return address. A row is read once: walks over the same calls, of which a search makes many, find it
/// in a map.
pub fn row(pc: u64) -> Option<UnwindRow> {
    // SAFETY: one OS thread; nobody else uses the map.
    let rows = unsafe { ROWS.get() };
    *rows.entry(pc).or_insert_with(|| row_at(pc.wrapping_sub(1)))
}

/// The row for the instruction at an address, read from the tables.
pub fn row_at(address: u64) -> Option<UnwindRow> {
    tables().iter().find(|tables| tables.image.contains(address))?.row(address)
}

fn tables() -> &'static [Tables] {
    // SAFETY: set once; one OS thread.
    let tables = unsafe { TABLES.get() };
    tables.get_or_insert_with(|| {
        let own = elf::image();
        let mut images: Vec<Range> = elf::modules().iter().map(|m| Range { start: m.start, end: m.end }).collect();
        images.retain(|image| !image.contains(own.start));
        images.push(own);
        images.into_iter().filter_map(Tables::of).collect()
    })
}
