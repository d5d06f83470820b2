//! Which registers a function still needs at each of its calls, from its code: what `--symmetry` compares of the frames
//! of a thread. A register that a call preserves, but that is written before it is read, holds a value that is not
//! needed.
//!
//! A backward analysis of each function in the symbol table, to a fixed point. Where code is not understood (a jump
//! through a table, a function without a symbol, landing pads of exceptions), all registers count as needed.

use iced_x86::{Code, Decoder, DecoderOptions, FlowControl, Instruction, InstructionInfoFactory, OpAccess, Register};
use inspect_wire::message::FrameMap;
use object::{Object, ObjectSection, ObjectSymbol, SymbolKind};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The registers that calls preserve, in the order of their bits.
const KEPT: [Register; 6] = [Register::RBX, Register::RBP, Register::R12, Register::R13, Register::R14, Register::R15];
const ALL: u8 = 0x3f;
/// The most calls of a program that are listed.
const MOST: usize = 1 << 16;

/// The map of a program; empty if nothing is known of it.
pub fn of_program(path: &Path) -> FrameMap {
    let Ok(bytes) = std::fs::read(path) else { return FrameMap::new() };
    let Ok(file) = object::File::parse(&*bytes) else { return FrameMap::new() };
    if file.section_by_name(".gcc_except_table").is_some() {
        return FrameMap::new();
    }
    let functions = || file.symbols().filter(|symbol| symbol.kind() == SymbolKind::Text && symbol.size() > 0);
    let starts: BTreeSet<u64> = functions().map(|symbol| symbol.address()).collect();
    let is_stub = |section: &object::Section<'_, '_>| section.name().is_ok_and(|name| name.starts_with(".plt"));
    let stubs: Vec<_> = file.sections().filter(is_stub).map(|s| s.address()..s.address() + s.size()).collect();
    let is_entry = |address: u64| starts.contains(&address) || stubs.iter().any(|range| range.contains(&address));
    let mut map = BTreeMap::new();
    for symbol in functions() {
        let section = symbol.section_index().and_then(|index| file.section_by_index(index).ok());
        let code = section.and_then(|section| section.data_range(symbol.address(), symbol.size()).ok().flatten());
        if let Some(code) = code {
            map.extend(of_function(code, symbol.address(), &is_entry));
        }
    }
    if map.len() > MOST { FrameMap::new() } else { map.into_iter().collect() }
}

/// What an instruction does with the preserved registers, and where it leads inside of its function.
struct Step {
    reads: u8,
    writes: u8,
    next: Vec<usize>,
    /// Leads somewhere that is not known.
    anywhere: bool,
    calls: bool,
}

/// The registers needed after each call of a function, by return address.
fn of_function(code: &[u8], start: u64, is_entry: &dyn Fn(u64) -> bool) -> Vec<(u64, u8)> {
    let instructions: Vec<Instruction> = Decoder::with_ip(64, code, start, DecoderOptions::NONE).into_iter().collect();
    let numbers: BTreeMap<u64, usize> = instructions.iter().enumerate().map(|(at, i)| (i.ip(), at)).collect();
    if instructions.iter().any(|instruction| instruction.code() == Code::INVALID) {
        return Vec::new();
    }
    let mut factory = InstructionInfoFactory::new();
    let steps: Vec<Step> = instructions.iter().map(|i| step(i, &numbers, is_entry, &mut factory)).collect();
    let mut needed = vec![0u8; steps.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for (at, step) in steps.iter().enumerate().rev() {
            let after = after(step, &needed);
            let before = step.reads | after & !step.writes;
            changed |= before != needed[at];
            needed[at] = before;
        }
    }
    let calls = instructions.iter().zip(&steps).filter(|(_, step)| step.calls);
    calls.map(|(instruction, step)| (instruction.next_ip(), after(step, &needed))).collect()
}

fn after(step: &Step, needed: &[u8]) -> u8 {
    let all = if step.anywhere { ALL } else { 0 };
    step.next.iter().fold(all, |all, &next| all | needed[next])
}

fn step(
    instruction: &Instruction,
    numbers: &BTreeMap<u64, usize>,
    is_entry: &dyn Fn(u64) -> bool,
    factory: &mut InstructionInfoFactory,
) -> Step {
    let (mut reads, mut writes) = (0, 0);
    for used in factory.info(instruction).used_registers() {
        let Some(kept) = KEPT.iter().position(|&kept| kept == used.register().full_register()) else { continue };
        // A write of 32 bits clears the rest; a smaller one leaves it.
        match used.access() {
            OpAccess::Write if used.register().size() >= 4 => writes |= 1 << kept,
            OpAccess::None | OpAccess::NoMemAccess => {}
            _ => reads |= 1 << kept,
        }
    }
    // A register that an instruction reads and writes is read first.
    let mut step = Step { reads, writes, next: Vec::new(), anywhere: false, calls: false };
    let mut lead_to = |address: u64, or_anywhere: bool| match numbers.get(&address) {
        Some(&next) => step.next.push(next),
        None => step.anywhere |= or_anywhere,
    };
    match instruction.flow_control() {
        FlowControl::Next => lead_to(instruction.next_ip(), true),
        FlowControl::Call | FlowControl::IndirectCall => {
            // A call that does not return may be the last instruction.
            lead_to(instruction.next_ip(), false);
            step.calls = true;
        }
        // To another function: a call in the place of a return, before which the caller's registers were brought back.
        FlowControl::UnconditionalBranch => {
            let target = instruction.near_branch_target();
            lead_to(target, !is_entry(target));
        }
        FlowControl::ConditionalBranch => {
            lead_to(instruction.next_ip(), true);
            let target = instruction.near_branch_target();
            lead_to(target, !is_entry(target));
        }
        FlowControl::Return | FlowControl::Exception => {}
        FlowControl::IndirectBranch | FlowControl::Interrupt | FlowControl::XbeginXabortXend => step.anywhere = true,
    }
    step
}

#[cfg(test)]
mod tests {
    use super::{ALL, FrameMap};

    fn of_function(code: &[u8], start: u64) -> FrameMap {
        super::of_function(code, start, &|_| false)
    }

    /// `push rbx; mov ebx, edi; call; mov eax, ebx; call; pop rbx; ret`: rbx is needed after the first call only.
    #[test]
    fn a_register_is_needed_until_it_is_read_for_the_last_time() {
        let code = [0x53, 0x89, 0xfb, 0xe8, 0, 0, 0, 0, 0x89, 0xd8, 0xe8, 0, 0, 0, 0, 0x5b, 0xc3];
        assert_eq!(of_function(&code, 0x1000), [(0x1008, 1), (0x100f, 0)]);
    }

    /// `call; jmp rax`: what is read after the jump is not known.
    #[test]
    fn a_jump_to_somewhere_needs_everything() {
        assert_eq!(of_function(&[0xe8, 0, 0, 0, 0, 0xff, 0xe0], 0), [(5, ALL)]);
    }

    /// `call; mov bl, 1; mov eax, ebx; ret`: the rest of the register is read.
    #[test]
    fn a_write_of_a_part_leaves_the_rest_needed() {
        assert_eq!(of_function(&[0xe8, 0, 0, 0, 0, 0xb3, 1, 0x89, 0xd8, 0xc3], 0), [(5, 1)]);
    }
}
