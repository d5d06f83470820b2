//! Builds the guest library, and tests its platform.
//!
//! Cargo makes a static library; the linker turns it into a shared one that needs nothing. Functions written as
//! `interpose_NAME` are renamed to `NAME` in between: so the guest can export a `memcpy` for the program, and calls of
//! `memcpy` that the compiler generates in the guest still lead to its private one.

mod platform_test;

pub(crate) use platform_test::test;

use inspect_wire::hooks::CALLED_BY_COMPILED_CODE;
use inspect_wire::{GUEST_LIBRARY, MANY_THREADS_LIBRARY, MANY_THREADS_NAME, MANY_THREADS_NAME_ROOM};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Which form of the guest is built.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum GuestEngine {
    /// The one that explores.
    Real,
    /// The same with room for many threads.
    ManyThreads,
    /// The engine that tests the platform.
    SelfTest,
}

type Error = Box<dyn std::error::Error>;

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map_or_else(|| PathBuf::from("."), Path::to_path_buf)
}

fn run(command: &mut Command) -> Result<String, Error> {
    let output = command.output().map_err(|error| format!("{}: {error}", command.get_program().display()))?;
    if !output.status.success() {
        return Err(format!("{command:?} failed:\n{}", String::from_utf8_lossy(&output.stderr)).into());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

impl GuestEngine {
    /// Where it is built, in `target`.
    fn folder(self) -> &'static str {
        match self {
            GuestEngine::Real | GuestEngine::SelfTest => "guest",
            GuestEngine::ManyThreads => "guest-many",
        }
    }

    /// What the files are called that are made on the way.
    fn suffix(self) -> &'static str {
        match self {
            GuestEngine::Real => "real",
            GuestEngine::ManyThreads => "many",
            GuestEngine::SelfTest => "selftest",
        }
    }

    /// The file of the library.
    fn library(self) -> &'static str {
        match self {
            GuestEngine::Real | GuestEngine::SelfTest => GUEST_LIBRARY,
            GuestEngine::ManyThreads => MANY_THREADS_LIBRARY,
        }
    }

    /// The name that the library bears. The one that programs are linked with has none: they name it by its path.
    fn name(self) -> Option<String> {
        match self {
            GuestEngine::Real | GuestEngine::SelfTest => None,
            GuestEngine::ManyThreads => Some(format!("{MANY_THREADS_NAME:-<MANY_THREADS_NAME_ROOM$}")),
        }
    }
}

/// Builds both forms of the guest library that programs run with.
pub(crate) fn build_all() -> Result<(), Error> {
    for engine in [GuestEngine::Real, GuestEngine::ManyThreads] {
        println!("{}", build(engine)?.display());
    }
    Ok(())
}

/// Builds the guest library and returns where it is.
pub(crate) fn build(engine: GuestEngine) -> Result<PathBuf, Error> {
    let target = root().join("target");
    let (place, features) = match engine {
        GuestEngine::Real => (target.join("release"), ""),
        GuestEngine::ManyThreads => (target.join("release"), "many-threads"),
        GuestEngine::SelfTest => (target.join("guest-selftest"), "platform-selftest"),
    };
    let work = target.join(engine.folder());
    fs::create_dir_all(&place)?;
    fs::create_dir_all(&work)?;
    let status = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["build", "--release", "--features", features, "--manifest-path"])
        .arg(root().join("guest/Cargo.toml"))
        .arg("--target-dir")
        .arg(&work)
        .status()?;
    if !status.success() {
        return Err("the guest does not compile".into());
    }
    let suffix = engine.suffix();
    let archive = work.join(format!("libinspect_guest_{suffix}.a"));
    let exports = rename(&work.join("release/libinspect_guest.a"), &archive, &work.join(format!("rename_{suffix}")))?;
    if engine != GuestEngine::SelfTest {
        if let Some(hook) = missing_hook(&exports) {
            return Err(format!("the guest lacks the hook {hook}").into());
        }
        crate::library::check_exports(&exports)?;
    }
    let script = work.join(format!("exports_{suffix}.map"));
    fs::write(&script, format!("{{ global: {}; local: *; }};\n", exports.join("; ")))?;
    let library = place.join(engine.library());
    link(&archive, &script, engine.name(), &library)?;
    let undefined = run(Command::new("llvm-nm-22").args(["-D", "--undefined-only"]).arg(&library))?;
    if !undefined.trim().is_empty() {
        return Err(format!("the guest needs symbols of others:\n{undefined}").into());
    }
    Ok(library)
}

/// Gives interposers their names; returns the names to export.
fn rename(from: &Path, to: &Path, list: &Path) -> Result<Vec<String>, Error> {
    const MARK: &str = "interpose_";
    let symbols = run(Command::new("llvm-nm-22").args(["--defined-only", "--format=just-symbols"]).arg(from))?;
    let mut exports = Vec::new();
    let mut renames = String::new();
    for symbol in symbols.lines() {
        if let Some(name) = symbol.strip_prefix(MARK) {
            // A function that the guest itself defines under this name (one of its memory functions) is renamed first.
            renames += &format!("{name} inspect_own_{name}\n{symbol} {name}\n");
            exports.push(name.to_owned());
        } else if CALLED_BY_COMPILED_CODE.iter().any(|prefix| symbol.starts_with(prefix)) {
            exports.push(symbol.to_owned());
        }
    }
    exports.sort();
    exports.dedup();
    if exports.is_empty() {
        return Err("the guest exports nothing".into());
    }
    fs::write(list, renames)?;
    let mut redefine = std::ffi::OsString::from("--redefine-syms=");
    redefine.push(list);
    run(Command::new("llvm-objcopy-22").arg(redefine).arg(from).arg(to))?;
    Ok(exports)
}

fn link(archive: &Path, script: &Path, name: Option<String>, library: &Path) -> Result<(), Error> {
    let mut version_script = std::ffi::OsString::from("-Wl,--version-script=");
    version_script.push(script);
    run(Command::new("clang-22")
        .args(["-shared", "-nostdlib", "-fuse-ld=lld-22", "-Wl,-z,now", "-Wl,-z,relro", "-Wl,--gc-sections"])
        .args(["-Wl,--no-undefined", "-Wl,--hash-style=gnu", "-Wl,--build-id"])
        .args(["-Wl,-z,nodelete", "-Wl,-z,separate-code"])
        .arg(version_script)
        .args(name.map(|name| format!("-Wl,-soname,{name}")))
        .arg("-o")
        .arg(library)
        .arg("-Wl,--whole-archive")
        .arg(archive))?;
    Ok(())
}

/// A hook of the contract that is not among the exported functions. That those that are have the signature of the
/// contract is checked when the guest is compiled.
fn missing_hook(exports: &[String]) -> Option<&'static str> {
    let exported = |name: &str| exports.iter().any(|export| export == name);
    inspect_wire::hooks::HOOKS.iter().map(|hook| hook.name).find(|name| !exported(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_guest_must_export_every_hook() {
        let mut exports: Vec<String> = inspect_wire::hooks::HOOKS.iter().map(|hook| hook.name.to_owned()).collect();
        assert_eq!(missing_hook(&exports), None);
        exports.retain(|name| name != "__inspect_delta_called");
        assert_eq!(missing_hook(&exports), Some("__inspect_delta_called"));
    }
}
