//! The call stack of a suspended thread, from the unwind tables of the objects in memory (DWARF call frame information,
//! as the System V ABI for x86-64 prescribes it): where a frame ends, and where the registers that belong to its caller
//! are. What is not understood is an end of the walk, never a guess.

use super::elf;
use super::fiber::FiberContext;
use super::global::Global;
use super::layout::Range;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

/// The registers that a call preserves, in the order of [`Registers::preserved`].
const PRESERVED: [u64; 6] = [3, 6, 12, 13, 14, 15];
const STACK_POINTER: u64 = 7;
const RETURN_ADDRESS: u64 = 16;

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
    /// The frame ends so far from the stack pointer or, if not, from this preserved register.
    base: Option<usize>,
    offset: i64,
    /// Where the caller's registers are, from the end of the frame.
    saved: [Option<i64>; 6],
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

    /// The caller's registers; `None` if the frame does not lie on one of the two stacks, the thread's own and the one the
    /// engine serves it on, or leads from one back to itself.
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

/// An object with unwind tables: its addresses, and that of its search table.
struct Tables {
    image: Range,
    search: u64,
}

static TABLES: Global<Option<Vec<Tables>>> = Global::new(None);
static ROWS: Global<BTreeMap<u64, Option<UnwindRow>>> = Global::new(BTreeMap::new());

/// The row for a return address.
pub fn row(pc: u64) -> Option<UnwindRow> {
    // SAFETY: one OS thread; nobody else uses the map.
    let rows = unsafe { ROWS.get() };
    *rows.entry(pc).or_insert_with(|| read_row(pc - 1))
}

fn tables() -> &'static [Tables] {
    // SAFETY: set once; one OS thread.
    let tables = unsafe { TABLES.get() };
    tables.get_or_insert_with(|| {
        let own = elf::image();
        let mut images: Vec<Range> = elf::modules().iter().map(|m| Range { start: m.start, end: m.end }).collect();
        images.retain(|image| !image.contains(own.start));
        images.push(own);
        images.into_iter().filter_map(|image| Some(Tables { image, search: search_table(image.start)? })).collect()
    })
}

/// The address of `.eh_frame_hdr` of the image at `base`.
fn search_table(base: u64) -> Option<u64> {
    const LOAD: u32 = 1;
    const EH_FRAME: u32 = 0x6474_e550;
    // SAFETY: images in memory begin with their ELF header, which the program headers follow in the same mapping.
    unsafe {
        if *(base as *const u32) != 0x464c_457f {
            return None;
        }
        let offset = *((base + 32) as *const u64);
        let (size, count) = (*((base + 54) as *const u16), *((base + 56) as *const u16));
        let header = |number: u16| base + offset + u64::from(number) * u64::from(size);
        let find = |kind: u32| (0..count).map(header).find(|&at| *(at as *const u32) == kind);
        let address = |at: u64| *((at + 16) as *const u64);
        let bias = base.wrapping_sub(address(find(LOAD)?) & !0xfff);
        Some(bias.wrapping_add(address(find(EH_FRAME)?)))
    }
}

/// Reads the tables, which are constant memory of loaded objects.
#[derive(Clone, Copy)]
struct Reader {
    at: u64,
}

impl Reader {
    fn byte(&mut self) -> u8 {
        self.at += 1;
        // SAFETY: the tables are complete, as the linker made them.
        unsafe { *((self.at - 1) as *const u8) }
    }

    fn word16(&mut self) -> u16 {
        u16::from_le_bytes([self.byte(), self.byte()])
    }

    fn word32(&mut self) -> u32 {
        u32::from(self.word16()) | u32::from(self.word16()) << 16
    }

    fn unsigned(&mut self) -> u64 {
        let (mut value, mut shift) = (0, 0);
        loop {
            let byte = self.byte();
            value |= u64::from(byte & 0x7f).checked_shl(shift).unwrap_or(0);
            shift += 7;
            if byte & 0x80 == 0 {
                return value;
            }
        }
    }

    fn signed(&mut self) -> i64 {
        let start = self.at;
        let value = self.unsigned();
        let bits = 7 * (self.at - start) as u32;
        if bits < 64 && value >> (bits - 1) & 1 == 1 { value as i64 | -1 << bits } else { value as i64 }
    }

    /// An address relative to where it stands; other encodings are not used on this platform.
    fn relative(&mut self) -> u64 {
        let at = self.at;
        at.wrapping_add_signed(i64::from(self.word32() as i32))
    }
}

const RELATIVE: u8 = 0x1b;

/// The function's entry in the tables: the address of its frame description.
fn description(pc: u64) -> Option<u64> {
    let search = tables().iter().find(|tables| tables.image.contains(pc))?.search;
    let mut header = Reader { at: search };
    // Version, encodings: relative, 32-bit count, 32-bit offsets from the table's start.
    if (header.byte(), header.byte(), header.byte(), header.byte()) != (1, RELATIVE, 0x03, 0x3b) {
        return None;
    }
    header.relative();
    let count = u64::from(header.word32());
    let entry = |number: u64| {
        let mut entry = Reader { at: header.at + 8 * number };
        let offset = |word: u32| search.wrapping_add_signed(i64::from(word as i32));
        (offset(entry.word32()), offset(entry.word32()))
    };
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = (low + high) / 2;
        if entry(middle).0 <= pc { low = middle + 1 } else { high = middle }
    }
    low.checked_sub(1).map(|number| entry(number).1)
}

fn read_row(pc: u64) -> Option<UnwindRow> {
    let mut fde = Reader { at: description(pc)? };
    let length = u64::from(fde.word32());
    let end = fde.at + length;
    let here = fde.at;
    let mut cie = Reader { at: here - u64::from(fde.word32()) };
    let function = fde.relative();
    let size = u64::from(fde.word32());
    if length >= 0xffff_fff0 || !(function..function + size).contains(&pc) {
        return None;
    }
    let cie_length = u64::from(cie.word32());
    let cie_end = cie.at + cie_length;
    let (identifier, version) = (cie.word32(), cie.byte());
    let mut augmentation = Vec::new();
    loop {
        match cie.byte() {
            0 => break,
            letter => augmentation.push(letter),
        }
    }
    let (code, data, return_address) = (cie.unsigned(), cie.signed(), cie.unsigned());
    if identifier != 0 || version != 1 || return_address != RETURN_ADDRESS || augmentation.first() != Some(&b'z') {
        return None;
    }
    let instructions = cie.unsigned() + cie.at;
    for letter in &augmentation[1..] {
        match letter {
            b'R' if cie.byte() == RELATIVE => {}
            b'L' => _ = cie.byte(),
            b'P' => {
                let encoding = cie.byte();
                if encoding & 0x0f != 0x0b {
                    return None;
                }
                cie.word32();
            }
            _ => return None,
        }
    }
    cie.at = instructions;
    let skipped = fde.unsigned();
    fde.at += skipped;
    let mut machine = Machine {
        pc: function,
        code,
        data,
        row: UnwindRow::at(function),
        initial: UnwindRow::at(function),
        stack: Vec::new(),
    };
    machine.run(cie, cie_end, u64::MAX)?;
    machine.initial = machine.row;
    machine.run(fde, end, pc)?;
    Some(machine.row)
}

impl UnwindRow {
    fn at(function: u64) -> UnwindRow {
        UnwindRow { function, base: None, offset: 0, saved: [None; 6] }
    }
}

/// Makes the row for an address from the instructions of the tables.
struct Machine {
    pc: u64,
    code: u64,
    data: i64,
    row: UnwindRow,
    initial: UnwindRow,
    stack: Vec<UnwindRow>,
}

impl Machine {
    /// Runs the instructions up to `end`, or to the one that goes beyond `pc`.
    fn run(&mut self, mut reader: Reader, end: u64, pc: u64) -> Option<()> {
        while reader.at < end {
            let operation = reader.byte();
            let low = u64::from(operation & 0x3f);
            let advance = match (operation >> 6, operation) {
                (1, _) => low,
                (0, 0x02) => u64::from(reader.byte()),
                (0, 0x03) => u64::from(reader.word16()),
                (0, 0x04) => u64::from(reader.word32()),
                _ => {
                    self.step(&mut reader, operation)?;
                    continue;
                }
            };
            self.pc += advance * self.code;
            if self.pc > pc {
                return Some(());
            }
        }
        Some(())
    }

    fn step(&mut self, reader: &mut Reader, operation: u8) -> Option<()> {
        let low = u64::from(operation & 0x3f);
        match (operation >> 6, operation) {
            (2, _) => {
                let offset = reader.unsigned() as i64 * self.data;
                self.save(low, Some(offset));
            }
            (3, _) => self.restore(low),
            (0, 0x00) => {}
            (0, 0x05) => {
                let register = reader.unsigned();
                let offset = reader.unsigned() as i64 * self.data;
                self.save(register, Some(offset));
            }
            (0, 0x06) => {
                let register = reader.unsigned();
                self.restore(register);
            }
            (0, 0x08) => {
                let register = reader.unsigned();
                self.save(register, None);
            }
            (0, 0x0a) => self.stack.push(self.row),
            (0, 0x0b) => self.row = self.stack.pop()?,
            (0, 0x0c) => {
                self.row.base = base(reader.unsigned())?;
                self.row.offset = reader.unsigned() as i64;
            }
            (0, 0x0d) => self.row.base = base(reader.unsigned())?,
            (0, 0x0e) => self.row.offset = reader.unsigned() as i64,
            // The size of pushed arguments, of use to exceptions only.
            (0, 0x2e) => _ = reader.unsigned(),
            _ => return None,
        }
        Some(())
    }

    fn save(&mut self, register: u64, offset: Option<i64>) {
        if let Some(preserved) = PRESERVED.iter().position(|&preserved| preserved == register) {
            self.row.saved[preserved] = offset;
        }
    }

    fn restore(&mut self, register: u64) {
        if let Some(preserved) = PRESERVED.iter().position(|&preserved| preserved == register) {
            self.row.saved[preserved] = self.initial.saved[preserved];
        }
    }
}

/// The register a frame's end is counted from: the stack pointer, or a preserved one.
fn base(register: u64) -> Option<Option<usize>> {
    if register == STACK_POINTER {
        return Some(None);
    }
    PRESERVED.iter().position(|&preserved| preserved == register).map(Some)
}
