//! Calls of library functions, read from a program's code: the accesses of these are announced when they are made, and
//! have no static record.

use super::sites::Access;
use iced_x86::{Code, Decoder, DecoderOptions, FlowControl, Instruction, OpKind};
use inspect_wire::library;
use object::{Object, ObjectSection, ObjectSymbol, ObjectSymbolTable, RelocationTarget, Section, SectionKind};
use std::collections::BTreeMap;
use std::path::Path;

/// Bytes of an entry of a table of stubs.
const STUB: u64 = 16;

/// The lines at which a program or a library calls library functions whose accesses are announced.
pub(super) fn announced(path: &Path, bytes: &[u8]) -> Vec<Access> {
    let (Ok(file), Ok(loader)) = (object::File::parse(bytes), addr2line::Loader::new(path)) else { return Vec::new() };
    let pointers = pointers(&file);
    let is_stubs = |section: &Section| section.name().is_ok_and(|name| name.starts_with(".plt"));
    let stubs: BTreeMap<u64, u64> = file.sections().filter(is_stubs).flat_map(|section| stubs(&section)).collect();
    let code = file.sections().filter(|section| section.kind() == SectionKind::Text && !is_stubs(section));
    let calls = code.flat_map(|section| instructions(&section)).filter(|instruction| {
        let pointer = through(instruction).or_else(|| stubs.get(&leads_to(instruction)?).copied());
        pointer.is_some_and(|pointer| pointers.get(&pointer).is_some_and(|name| has_accesses(name)))
    });
    let place = |call: Instruction| {
        let location = loader.find_location(call.ip()).ok()??;
        Some((location.file?.to_owned(), location.line?, location.column.unwrap_or(0)))
    };
    calls.filter_map(place).collect()
}

fn has_accesses(function: &str) -> bool {
    library::row(function).is_some_and(library::LibraryRow::announces_accesses)
}

/// The functions that the dynamic linker finds, by where it writes their addresses.
fn pointers(file: &object::File) -> BTreeMap<u64, String> {
    let Some(symbols) = file.dynamic_symbol_table() else { return BTreeMap::new() };
    let name = |target| {
        let RelocationTarget::Symbol(index) = target else { return None };
        symbols.symbol_by_index(index).ok()?.name().ok().map(str::to_owned)
    };
    let all = file.dynamic_relocations().into_iter().flatten();
    all.filter_map(|(at, relocation)| Some((at, name(relocation.target())?))).collect()
}

/// The stubs in a table of them: where each begins, and where the address is that it jumps to.
fn stubs(section: &Section) -> Vec<(u64, u64)> {
    let start = |at: u64| at - (at - section.address()) % STUB;
    instructions(section).into_iter().filter_map(|jump| Some((start(jump.ip()), through(&jump)?))).collect()
}

fn instructions(section: &Section) -> Vec<Instruction> {
    let bytes = section.data().unwrap_or_default();
    Decoder::with_ip(64, bytes, section.address(), DecoderOptions::NONE).into_iter().collect()
}

/// Where the address is to which an instruction leads, if it reads that from a place known by itself.
fn through(instruction: &Instruction) -> Option<u64> {
    let reads = matches!(instruction.code(), Code::Call_rm64 | Code::Jmp_rm64);
    (reads && instruction.is_ip_rel_memory_operand()).then(|| instruction.ip_rel_memory_address())
}

/// Where a call or a jump leads, if it says so itself.
fn leads_to(instruction: &Instruction) -> Option<u64> {
    let leads = matches!(instruction.flow_control(), FlowControl::Call | FlowControl::UnconditionalBranch);
    (leads && instruction.op0_kind() == OpKind::NearBranch64).then(|| instruction.near_branch_target())
}
