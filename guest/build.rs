//! Writes the entry points of the functions whose rows say that the guest announces what they do, or refuses them
//! (`inspect_wire::library`): each hands its number to `inspect_pass_through` (src/model/calls.rs).

use inspect_wire::library::{ALL, Guest};
use std::fmt::Write;
use std::path::Path;

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
    let folder = std::env::var_os("OUT_DIR").expect("cargo says where generated files go");
    std::fs::write(Path::new(&folder).join("stubs.s"), stubs).expect("the folder can be written to");
    println!("cargo::rerun-if-changed=build.rs");
}
