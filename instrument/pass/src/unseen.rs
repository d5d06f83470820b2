//! Parts of a module that consist of assembly, into which the pass does not see: naked functions, and assembly outside
//! of functions. A program with such parts is never verified.

use crate::ir::{Module, Value};

/// The names of these parts, for the list of what is not instrumented.
pub(crate) fn parts(module: Module) -> Vec<String> {
    let is_naked = |function: &Value| function.is_defined_function() && function.has_attribute("naked");
    let naked = module.functions().into_iter().filter(is_naked);
    let mut parts: Vec<String> = naked.map(|function| format!("the naked function `{}`", function.name())).collect();
    let assembly = module.assembly();
    parts.extend(first_code(&assembly).map(|code| format!("assembly outside of functions (`{code}`)")));
    parts
}

/// Directives that make neither code nor data.
const SILENT: &[&str] = &[
    ".symver",
    ".globl",
    ".global",
    ".weak",
    ".hidden",
    ".protected",
    ".internal",
    ".local",
    ".type",
    ".size",
    ".ident",
    ".file",
    ".align",
    ".balign",
    ".p2align",
];

/// Directives that make data without addresses, unless the section is one of code.
const DATA: &[&str] = &[".ascii", ".asciz", ".string", ".byte", ".zero", ".skip", ".space", ".fill", ".incbin"];

/// The first statement of a piece of assembly that may be code or hold addresses.
fn first_code(assembly: &str) -> Option<&str> {
    // Whether the present section, and those put aside by `.pushsection`, have code.
    let mut sections = vec![true];
    for line in assembly.lines() {
        for statement in line.split('#').next()?.split(';') {
            let statement = without_label(statement.trim());
            let (word, rest) = statement.split_once(char::is_whitespace).unwrap_or((statement, ""));
            let is_code = sections.last().copied().unwrap_or(true);
            match word {
                "" => {}
                ".text" => set(&mut sections, true),
                ".data" | ".bss" => set(&mut sections, false),
                ".section" => set(&mut sections, has_code(rest)),
                ".pushsection" => sections.push(has_code(rest)),
                ".popsection" => drop(sections.pop()),
                ".previous" => set(&mut sections, true),
                _ if SILENT.contains(&word) || (DATA.contains(&word) && !is_code) => {}
                _ => return Some(statement),
            }
        }
    }
    None
}

fn set(sections: &mut [bool], is_code: bool) {
    if let Some(last) = sections.last_mut() {
        *last = is_code;
    }
}

/// A statement without the labels before it.
fn without_label(mut statement: &str) -> &str {
    while let Some((label, rest)) = statement.split_once(':') {
        if label.contains(|c: char| c.is_whitespace() || c == '"') {
            break;
        }
        statement = rest.trim_start();
    }
    statement
}

/// Whether a section with this name and these flags has code.
fn has_code(arguments: &str) -> bool {
    let (name, flags) = arguments.split_once(',').unwrap_or((arguments, ""));
    let named = [".text", ".init", ".fini", ".plt"].iter().any(|beginning| name.trim().starts_with(beginning));
    named || flags.split(',').next().is_some_and(|flags| flags.contains('x'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_about_symbols_and_data_without_addresses_are_no_code() {
        for assembly in [
            "",
            ".symver f, f@V1\n.globl f ; .weak g # both\n",
            ".pushsection .rodata\nfile: .incbin \"a.b\"\n.popsection",
            ".section .note,\"a\"\nname:\n\t.asciz \"x\"\n\t.balign 4",
        ] {
            assert_eq!(first_code(assembly), None, "{assembly}");
        }
    }

    #[test]
    fn instructions_and_addresses_are_named() {
        for (assembly, code) in [
            (".globl f\nf: ret\n", "ret"),
            (".data\n.quad other", ".quad other"),
            (".text\n.byte 0xc3", ".byte 0xc3"),
            (".section .mine,\"ax\"\n.byte 0xc3", ".byte 0xc3"),
            (".pushsection .rodata\n.popsection\nmov %rax, (%rbx)", "mov %rax, (%rbx)"),
            (".set alias, variable", ".set alias, variable"),
        ] {
            assert_eq!(first_code(assembly), Some(code), "{assembly}");
        }
    }
}
