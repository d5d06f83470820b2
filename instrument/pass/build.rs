//! Compiles the C++ part of the plugin against LLVM's headers and names the library its symbols come from.

use std::path::PathBuf;
use std::process::Command;

fn main() {
    let config = ["llvm-config-22", "/usr/lib/llvm-22/bin/llvm-config"]
        .into_iter()
        .find(|c| Command::new(c).arg("--version").output().is_ok_and(|o| o.status.success()))
        .expect("llvm-config of LLVM 22 is needed (Debian package llvm-22-dev)");
    let ask = |what: &str| {
        let output = Command::new(config).arg(what).output().expect("llvm-config runs");
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    };
    let files = ["shim/plugin.cpp", "shim/describe.cpp", "shim/blocks.cpp", "shim/loops.cpp", "shim/assemble.cpp"];
    // One unit: LLVM's headers, which all of them need, take most of the compiler's time.
    let output = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo names a folder for what is built"));
    let unit = output.join("shim.cpp");
    let includes: String = files.iter().map(|file| format!("#include \"{file}\"\n")).collect();
    std::fs::write(&unit, includes).expect("cargo's folder can be written to");
    cc::Build::new()
        .cpp(true)
        .std("c++17")
        .include(".")
        .include(ask("--includedir"))
        .flag("-fno-rtti")
        .flag("-fno-exceptions")
        .flag("-isystem")
        .flag(ask("--includedir"))
        .warnings(false)
        .opt_level(1)
        .debug(false)
        .file(unit)
        .compile("inspect_shim");
    for file in files.iter().chain(&["shim/shim.h"]) {
        println!("cargo:rerun-if-changed={file}");
    }
    println!("cargo:rustc-link-search={}", ask("--libdir"));
    println!("cargo:rustc-link-lib=dylib=LLVM-22");
}
