//! The instruction that asks the processor what it is. Its answer is the same each time, but for the parts that say on
//! which of a machine's processors the thread runs: these are made zeros, as if there were one processor.

use crate::ir::{Value, llvm};
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::{LLVMIntPredicate, LLVMOpcode, LLVMTypeKind};

/// The registers that the instruction writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Answer {
    Eax,
    Ebx,
    Ecx,
    Edx,
}

/// What is asked (the number in `eax`), a register, and the bits of it that do not say which processor it is.
const NUMBERS: [(u64, Answer, u64); 7] = [
    (0x1, Answer::Ebx, 0x00ff_ffff),
    (0xb, Answer::Edx, 0),
    (0x1a, Answer::Eax, 0),
    (0x1f, Answer::Edx, 0),
    (0x8000_001e, Answer::Eax, 0),
    (0x8000_001e, Answer::Ebx, 0),
    (0x8000_001e, Answer::Ecx, 0),
];

/// A piece of assembly that only asks the processor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ProcessorQuestion {
    /// The register of each result of the call.
    results: Vec<Answer>,
    /// The argument of the call that says what is asked.
    asked: u32,
}

/// Reads the template and the constraints, in LLVM's notation, of assembly; `None` if it does anything else.
pub(crate) fn question(template: &str, constraints: &str) -> Option<ProcessorQuestion> {
    let text = in_first_dialect(template);
    let words: Vec<&str> = text.split([' ', '\t', '\n', ';']).filter(|word| !word.is_empty()).collect();
    // The compiler's header keeps `rbx`, which position-independent code used for itself.
    let kept = match words[..] {
        ["cpuid"] => None,
        ["xchgq", first, "cpuid", "xchgq", second] if first == second => {
            Some(first.strip_prefix("%rbx,${")?.strip_suffix(":q}")?.parse::<usize>().ok()?)
        }
        _ => return None,
    };
    let operands: Vec<&str> = constraints.split(',').filter(|one| !one.is_empty() && !one.starts_with('~')).collect();
    let (outputs, inputs): (Vec<&str>, Vec<&str>) = operands.iter().partition(|one| one.starts_with('='));
    if operands.iter().any(|one| one.contains('*'))
        || !operands.iter().take(outputs.len()).all(|one| outputs.contains(one))
    {
        return None;
    }
    let register = |(at, one): (usize, &&str)| match *one {
        _ if kept == Some(at) => Some(Answer::Ebx),
        "={ax}" => Some(Answer::Eax),
        "={bx}" if kept.is_none() => Some(Answer::Ebx),
        "={cx}" => Some(Answer::Ecx),
        "={dx}" => Some(Answer::Edx),
        _ => None,
    };
    let results: Vec<Answer> = outputs.iter().enumerate().map(register).collect::<Option<_>>()?;
    let is_asked =
        |one: &&str| *one == "{ax}" || one.parse::<usize>().is_ok_and(|tied| results.get(tied) == Some(&Answer::Eax));
    let asked = inputs.iter().position(is_asked)?;
    Some(ProcessorQuestion { results, asked: u32::try_from(asked).ok()? })
}

/// A template without the alternatives for another syntax of the assembler, which it has as `$(this$|other$)`.
fn in_first_dialect(template: &str) -> String {
    let mut pieces = template.split("$(");
    let mut text = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (alternatives, rest) = piece.split_once("$)").unwrap_or((piece, ""));
        text.push_str(alternatives.split("$|").next().unwrap_or_default());
        text.push_str(rest);
    }
    text
}

/// The question of a call of inline assembly, if all of its values have 32 bits.
pub(crate) fn question_of(call: Value) -> Option<ProcessorQuestion> {
    let callee = (call.opcode() == Some(LLVMOpcode::LLVMCall)).then(|| call.callee())?;
    let (template, constraints) = callee.is_inline_asm().then(|| callee.asm_text())?;
    let question = question(&template, &constraints)?;
    let has_32_bits = |ty: LLVMTypeRef| {
        llvm!(LLVMGetTypeKind(ty)) == LLVMTypeKind::LLVMIntegerTypeKind && llvm!(LLVMGetIntTypeWidth(ty)) == 32
    };
    let ty = call.ty().0;
    let results = match llvm!(LLVMGetTypeKind(ty)) {
        LLVMTypeKind::LLVMStructTypeKind => {
            (0..llvm!(LLVMCountStructElementTypes(ty))).map(|at| llvm!(LLVMStructGetTypeAtIndex(ty, at))).collect()
        }
        _ => vec![ty],
    };
    let asked = *call.arguments().get(question.asked as usize)?;
    let fits = results.len() == question.results.len() && results.into_iter().all(has_32_bits);
    (fits && has_32_bits(asked.ty().0)).then_some(question)
}

/// Makes the answers in these functions the same on all processors; gives the functions back.
pub(crate) fn settled(functions: Vec<Value>) -> Vec<Value> {
    for call in functions.iter().flat_map(|function| function.instructions()) {
        if let (Some(question), Some(next)) = (question_of(call), call.next()) {
            settle(call, &question, next);
        }
    }
    functions
}

fn settle(call: Value, question: &ProcessorQuestion, next: Value) {
    let users = call.users();
    let context = llvm!(LLVMGetTypeContext(call.ty().0));
    let builder = llvm!(LLVMCreateBuilderInContext(context));
    llvm!(LLVMPositionBuilderBefore(builder, next.0));
    let number = |value: u64| llvm!(LLVMConstInt(LLVMInt32TypeInContext(context), value, 0));
    let asked = call.arguments()[question.asked as usize].0;
    let is_struct = llvm!(LLVMGetTypeKind(call.ty().0)) == LLVMTypeKind::LLVMStructTypeKind;
    let name = c"".as_ptr();
    let mut whole = call.0;
    for (at, register) in (0u32..).zip(&question.results) {
        let mut answer = if is_struct { llvm!(LLVMBuildExtractValue(builder, call.0, at, name)) } else { call.0 };
        for (which, _, kept) in NUMBERS.iter().filter(|(_, named, _)| named == register) {
            let same = llvm!(LLVMBuildICmp(builder, LLVMIntPredicate::LLVMIntEQ, asked, number(*which), name));
            let masked = llvm!(LLVMBuildAnd(builder, answer, number(*kept), name));
            answer = llvm!(LLVMBuildSelect(builder, same, masked, answer, name));
        }
        whole = if is_struct { llvm!(LLVMBuildInsertValue(builder, whole, answer, at, name)) } else { answer };
    }
    llvm!(LLVMDisposeBuilder(builder));
    for user in users {
        for at in (0..user.operand_count()).filter(|at| user.operand(*at) == call) {
            llvm!(LLVMSetOperand(user.0, at, whole));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(template: &str, constraints: &str) -> Option<(Vec<Answer>, u32)> {
        question(template, constraints).map(|question| (question.results, question.asked))
    }

    #[test]
    fn what_the_compilers_header_and_others_write() {
        use Answer::{Eax, Ebx, Ecx, Edx};
        let exchange = "  xchg$(q$|$)  $(%$|$)rbx,${1:q}\n";
        let header = format!("{exchange}  cpuid\n{exchange}");
        let all = Some((vec![Eax, Ebx, Ecx, Edx], 0));
        assert_eq!(read(&header, "={ax},=r,={cx},={dx},0,~{dirflag},~{fpsr},~{flags}"), all);
        assert_eq!(read("cpuid", "={ax},={bx},={cx},={dx},0,2"), all);
        assert_eq!(read("cpuid\n\t", "={ax},={bx},={cx},={dx},{cx},{ax}"), Some((vec![Eax, Ebx, Ecx, Edx], 1)));
        assert_eq!(read("cpuid", "={ax},{ax},~{ebx},~{ecx},~{edx}"), Some((vec![Eax], 0)));
    }

    #[test]
    fn anything_else_is_no_question() {
        assert_eq!(read("cpuid; nop", "={ax},={bx},={cx},={dx},0"), None);
        assert_eq!(read("cpuid", "=*m,={bx},{ax}"), None, "memory");
        assert_eq!(read("cpuid", "={ax},={si},{ax}"), None, "a register that it does not write");
        assert_eq!(read("cpuid", "={ax},={bx},{cx}"), None, "nobody says what is asked");
        assert_eq!(read("xchgq %rbx,${1:q} cpuid xchgq %rbx,${2:q}", "={ax},=r,=r,0"), None);
        assert_eq!(read("", ""), None);
    }
}
