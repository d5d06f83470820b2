//! The machine code of a piece of inline assembly, taken out of the object that it was compiled to.

use iced_x86::{Decoder, DecoderOptions};
use object::{Object, ObjectSection, ObjectSymbol, Relocation, RelocationKind, RelocationTarget};

/// One instruction.
pub(super) struct Instruction {
    pub(super) decoded: iced_x86::Instruction,
    /// The symbol that its displacement or its target is computed from, and the offset from that. The name is empty if
    /// the symbol has none, or is not used as an address.
    pub(super) symbol: Option<(String, i64)>,
}

/// The code between the marks.
pub(super) struct Code {
    /// Instructions that say which register holds which pointer.
    pub(super) operands: Vec<Instruction>,
    /// The assembly itself.
    pub(super) body: Vec<Instruction>,
    begin: u64,
    end: u64,
}

impl Code {
    /// Reads an object that [`assemble`](crate::shim::assemble) has made.
    pub(super) fn read(object: &[u8]) -> Option<Code> {
        let file = object::File::parse(object).ok()?;
        let mark = |name: &str| {
            let symbol = file.symbols().find(|symbol| symbol.name() == Ok(name))?;
            Some((symbol.section_index()?, symbol.address()))
        };
        let marks = ["inspect_operands", "inspect_begin", "inspect_end"].map(mark);
        let [Some((section, operands)), Some((second, begin)), Some((third, end))] = marks else { return None };
        if section != second || section != third {
            return None;
        }
        let section = file.section_by_index(section).ok()?;
        let bytes = section.data().ok()?;
        let relocations: Vec<(u64, Relocation)> = section.relocations().collect();
        let decode = |from: u64, to: u64| {
            let part = bytes.get(usize::try_from(from).ok()?..usize::try_from(to).ok()?)?;
            let mut decoder = Decoder::with_ip(64, part, from, DecoderOptions::NONE);
            let mut instructions = Vec::new();
            while decoder.can_decode() {
                let decoded = decoder.decode();
                let symbol = symbol(&file, &relocations, &decoded);
                instructions.push(Instruction { decoded, symbol });
            }
            Some(instructions)
        };
        Some(Code { operands: decode(operands, begin)?, body: decode(begin, end)?, begin, end })
    }

    /// Whether an address is one of the assembly's own, or just behind it.
    pub(super) fn is_inside(&self, address: u64) -> bool {
        (self.begin..=self.end).contains(&address)
    }
}

/// The symbol that the linker puts into an instruction.
fn symbol(
    file: &object::File<'_>,
    relocations: &[(u64, Relocation)],
    instruction: &iced_x86::Instruction,
) -> Option<(String, i64)> {
    let (at, relocation) = relocations.iter().find(|(at, _)| (instruction.ip()..instruction.next_ip()).contains(at))?;
    let name = match relocation.target() {
        RelocationTarget::Symbol(index) => {
            file.symbol_by_index(index).ok().and_then(|s| s.name().ok().map(String::from))
        }
        _ => None,
    };
    let (name, offset) = match relocation.kind() {
        RelocationKind::Absolute => (name, relocation.addend()),
        // The processor counts from the end of the instruction, the linker from the field.
        RelocationKind::Relative => (name, relocation.addend() + (instruction.next_ip() - at) as i64),
        _ => (None, 0),
    };
    Some((name.unwrap_or_default(), offset))
}
