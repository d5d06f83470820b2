//! Builds a program of a Rust source: rustc leaves the program and its standard library as one module of bitcode
//! (`-Clto=fat -Clinker-plugin-lto`), which the pass instruments at the link, as it does with those of C.

use crate::child::{CompilerRun, Stop, run_with_hints};
use crate::tools::LLVM;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Whether the file's name ends as those of Rust sources do.
pub fn is_source(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "rs")
}

/// A Rust program to be built.
pub(crate) struct RustBuild<'a> {
    source: &'a Path,
    /// rustc's flags, and those of the driver for the link (`-finspect-...`).
    flags: &'a [OsString],
    /// What rustc says of itself.
    version: String,
}

impl<'a> RustBuild<'a> {
    /// `Err` says why rustc is not run.
    pub(crate) fn plan(sources: &'a [PathBuf], flags: &'a [OsString]) -> Result<RustBuild<'a>, String> {
        let [source] = sources else {
            return Err("a Rust program is given as the one file of its crate's root".into());
        };
        Ok(RustBuild { source, flags, version: checked_version()? })
    }

    /// Compiles and links the program. What is read for that, rustc says in a file of this name, and the linker by this
    /// flag.
    pub(crate) fn run(
        &self,
        output: &Path,
        reports: Option<(&Path, OsString)>,
        stop: Option<&Stop>,
    ) -> Result<CompilerRun, String> {
        let linker = linker()?;
        let mut command = Command::new("rustc");
        // The optimisations come behind the pass, which must see every access as the user wrote it.
        command.args(["-g", "-Cno-prepopulate-passes", "-Clto=fat", "-Clinker-plugin-lto", "-Cembed-bitcode=yes"]);
        command.arg(joined("-Clinker=", linker.as_os_str()));
        let mut emitted = joined("--emit=link=", output.as_os_str());
        if let Some((of_compiler, of_linker)) = reports {
            emitted.push(",dep-info=");
            emitted.push(of_compiler);
            command.arg("-Clink-arg=-Xlinker").arg(joined("-Clink-arg=", &of_linker));
        }
        command.arg(emitted);
        // Else its intermediate files lie in the working directory, and stay there if it is stopped.
        command.arg(joined("--out-dir=", output.parent().unwrap_or(Path::new(".")).as_os_str()));
        for flag in self.flags {
            command.arg(match flag.as_encoded_bytes() {
                b"-w" => "-Awarnings".into(),
                [b'-', b'O', level @ b'0'..=b'3'] => format!("-Copt-level={}", char::from(*level)).into(),
                own if own.starts_with(b"-finspect-") => joined("-Clink-arg=", flag),
                _ => flag.clone(),
            });
        }
        command.arg(self.source);
        run_with_hints(&mut command, stop).map_err(|error| not_started(&error))
    }

    /// Words that name the build, beside the files that it reads.
    pub(crate) fn words(&self) -> Vec<&[u8]> {
        let mut words = vec![self.version.as_bytes(), self.source.as_os_str().as_bytes()];
        words.extend(self.flags.iter().map(|flag| flag.as_bytes()));
        words
    }

    /// Whether no flag names further files, so that rustc and the linker report all that they read.
    pub(crate) fn reports_all(&self) -> bool {
        const WITH_REST: [&str; 8] = [
            "-finspect-",
            "--cfg=",
            "-Copt-level=",
            "-Cpanic=",
            "-Coverflow-checks",
            "-Cdebug-assertions",
            "-O",
            "--edition=",
        ];
        let is_known = |flag: &OsString| {
            flag == "-w"
                || flag == "-g"
                || flag.to_str().is_some_and(|flag| WITH_REST.iter().any(|known| flag.starts_with(known)))
        };
        self.flags.iter().all(is_known)
    }
}

fn joined(option: &str, value: &OsStr) -> OsString {
    let mut word = OsString::from(option);
    word.push(value);
    word
}

/// The compiler's driver under its own name, which is how rustc can run it.
fn linker() -> Result<PathBuf, String> {
    let own = std::env::current_exe().map_err(|error| format!("cannot find out where this program is: {error}"))?;
    let beside = own.with_file_name("inspect-cc");
    if beside.exists() { Ok(beside) } else { Err(format!("{} is missing", beside.display())) }
}

/// What rustc says of itself. What it writes is read by no other version of LLVM.
fn checked_version() -> Result<String, String> {
    let said = Command::new("rustc").arg("-vV").output().map_err(|error| not_started(&error))?;
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    match version_of_llvm(&said) {
        Some(version) if version.split('.').next() == Some(LLVM) => Ok(said),
        Some(version) => Err(format!(
            "rustc is built with LLVM {version}, and Inspect reads the bitcode of LLVM {LLVM}: \
             `rustup toolchain install` one that is, as 1.95, and choose it by RUSTUP_TOOLCHAIN"
        )),
        None => Err("rustc -vV does not say which LLVM it is built with".into()),
    }
}

fn version_of_llvm(said: &str) -> Option<&str> {
    said.lines().find_map(|line| line.strip_prefix("LLVM version: ")).map(str::trim)
}

fn not_started(error: &std::io::Error) -> String {
    format!("cannot start rustc: {error} (https://rustup.rs installs it)")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_of_llvm_is_read_from_what_rustc_says_of_itself() {
        assert_eq!(version_of_llvm("rustc 1.95.0\nhost: x\nLLVM version: 22.1.2\n"), Some("22.1.2"));
        assert_eq!(version_of_llvm("rustc 1.95.0\n"), None);
    }

    #[test]
    fn sources_of_rust_are_known_by_their_names() {
        assert!(is_source(Path::new("a/b.rs")) && !is_source(Path::new("a/rs")));
    }
}
