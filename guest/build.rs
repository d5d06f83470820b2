//! Writes the entry points of the functions whose rows say that the guest announces what they do, or refuses them
//! (`inspect_wire::library`): each hands its number to `inspect_pass_through` (src/model/calls.rs). Behind them come
//! those for functions without a row, which are told apart when the program is loaded (src/model/unknown.rs).

use inspect_wire::library::{ALL, Guest};
use std::fmt::Write;
use std::path::Path;

/// How many functions without a row have an entry point; calls of any more are not noticed one by one.
const UNKNOWN: usize = 256;
/// Bytes from one of these to the next.
const SPACING: usize = 16;

fn main() {
    let mut stubs = String::from(".text\n");
    for (number, row) in ALL.iter().enumerate() {
        if matches!(row.guest, Guest::Announces | Guest::Refuses) {
            let symbol = format!("interpose_{}", row.name);
            writeln!(stubs, ".globl {symbol}\n.type {symbol}, @function\n{symbol}:").expect("memory is written");
            writeln!(stubs, "mov r10d, {number}\njmp inspect_pass_through").expect("memory is written");
            writeln!(stubs, ".size {symbol}, . - {symbol}").expect("memory is written");
        }
    }
    // Behind the number of a futex operation.
    let first = ALL.len() + 1;
    write!(stubs, ".p2align 4\n.globl inspect_unknown\n.hidden inspect_unknown\ninspect_unknown:\n")
        .expect("memory is written");
    for number in first..first + UNKNOWN {
        writeln!(stubs, ".balign {SPACING}\nmov r10d, {number}\njmp inspect_pass_through").expect("memory is written");
    }
    let folder = std::env::var_os("OUT_DIR").expect("cargo says where generated files go");
    std::fs::write(Path::new(&folder).join("stubs.s"), stubs).expect("the folder can be written to");
    let constants =
        format!("const FIRST: usize = {first};\nconst ENTRIES: usize = {UNKNOWN};\nconst SPACING: u64 = {SPACING};\n");
    std::fs::write(Path::new(&folder).join("unknown.rs"), constants).expect("the folder can be written to");
    println!("cargo::rerun-if-changed=build.rs");
}
