//! Compiles the C++ part of the plugin against LLVM's headers and names the library its symbols come from.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The C++ files of the plugin.
const FILES: [&str; 6] = [
    "shim/begins.cpp",
    "shim/plugin.cpp",
    "shim/describe.cpp",
    "shim/blocks.cpp",
    "shim/loops.cpp",
    "shim/assemble.cpp",
];

/// The user's flags for C++ compilers.
const FLAGS: &str = "CXXFLAGS";

/// What they share.
const HEADER: &str = "shim/shim.h";

/// The archive that is made of them.
const ARCHIVE: &str = "libinspect_shim.a";

fn main() {
    let config = ["llvm-config-22", "/usr/lib/llvm-22/bin/llvm-config"]
        .into_iter()
        .find(|c| Command::new(c).arg("--version").output().is_ok_and(|o| o.status.success()))
        .expect("llvm-config of LLVM 22 is needed (Debian package llvm-22-dev)");
    let ask = |what: &str| {
        let output = Command::new(config).arg(what).output().expect("llvm-config runs");
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    };
    let output = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo names a folder for what is built"));
    let compiler = PathBuf::from(ask("--bindir")).join("clang++");
    let headers = ask("--includedir");
    // `make check` and `make test` build this crate for several profiles, and the archive is the same for all of them.
    let kept = archive_of(&output, &compiler, &headers);
    let archive = output.join(ARCHIVE);
    if std::fs::copy(&kept, &archive).is_err() {
        compile(&output, &compiler, &headers);
        keep(&archive, &kept);
    }
    for file in FILES.iter().chain(&[HEADER]) {
        println!("cargo:rerun-if-changed={file}");
    }
    println!("cargo:rerun-if-env-changed={FLAGS}");
    println!("cargo:rustc-link-search=native={}", output.display());
    println!("cargo:rustc-link-lib=static=inspect_shim");
    println!("cargo:rustc-link-lib=dylib=stdc++");
    println!("cargo:rustc-link-search={}", ask("--libdir"));
    println!("cargo:rustc-link-lib=dylib=LLVM-22");
}

/// Compiles the files as one unit: LLVM's headers, which all of them need, take most of the compiler's time. The
/// compiler of the same LLVM takes two thirds of the time of the system's.
fn compile(output: &Path, compiler: &Path, headers: &str) {
    let unit = output.join("shim.cpp");
    let includes: String = FILES.iter().map(|file| format!("#include \"{file}\"\n")).collect();
    std::fs::write(&unit, includes).expect("cargo's folder can be written to");
    cc::Build::new()
        .cpp(true)
        .compiler(compiler)
        .cargo_metadata(false)
        .std("c++17")
        .include(".")
        .include(headers)
        .flag("-fno-rtti")
        .flag("-fno-exceptions")
        .flag("-isystem")
        .flag(headers)
        .warnings(false)
        .opt_level(1)
        .debug(false)
        .file(unit)
        .compile("inspect_shim");
}

/// Where the archive is kept: in cargo's folder for all profiles, by what it is made of.
fn archive_of(output: &Path, compiler: &Path, headers: &str) -> PathBuf {
    let mut hash = DefaultHasher::new();
    for part in FILES.iter().chain(&[HEADER, "build.rs"]) {
        std::fs::read(part).unwrap_or_else(|error| panic!("{part}: {error}")).hash(&mut hash);
    }
    let version = Command::new(compiler).arg("--version").output();
    version.unwrap_or_else(|error| panic!("{}: {error}", compiler.display())).stdout.hash(&mut hash);
    headers.hash(&mut hash);
    std::env::var_os("TARGET").hash(&mut hash);
    std::env::var_os(FLAGS).hash(&mut hash);
    let profiles = output.ancestors().nth(4).unwrap_or(output);
    profiles.join(format!("shim-{:016x}.a", hash.finish()))
}

/// Keeps the archive. Where that is not possible, it is compiled again for the next profile.
fn keep(archive: &Path, kept: &Path) {
    let fresh = kept.with_extension(std::process::id().to_string());
    if std::fs::copy(archive, &fresh).is_ok() {
        let _ = std::fs::rename(&fresh, kept);
    }
}
