//! The one place that knows how the compiler driver is called.

use crate::error::ToolError;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// Language of a drop-in compiler.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    /// `inspect cc`
    C,
    /// `inspect c++`
    Cxx,
}

/// Compiles and links `files` into the program `output`. The compiler's messages go to standard error as they come.
pub fn compile(files: &[PathBuf], cflags: &[String], output: &Path) -> Result<(), ToolError> {
    let language = if files.iter().any(|file| is_cxx(file)) { Language::Cxx } else { Language::C };
    let mut command = compiler(language);
    command.args(files).args(cflags).arg("-o").arg(output).arg("-pthread");
    let status = command.status().map_err(|error| ToolError::new(format!("cannot start the compiler: {error}")))?;
    if status.success() { Ok(()) } else { Err(ToolError::new("the program does not build (messages above)")) }
}

/// Behaves as the compiler for this command line.
pub fn drop_in(args: &[OsString], language: Language) -> Result<ExitCode, ToolError> {
    let status = compiler(language)
        .args(args)
        .status()
        .map_err(|error| ToolError::new(format!("cannot start the compiler: {error}")))?;
    // A compiler that was killed by a signal has no status.
    Ok(ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1)))
}

fn compiler(language: Language) -> Command {
    Command::new(match language {
        Language::C => "clang-22",
        Language::Cxx => "clang++-22",
    })
}

fn is_cxx(file: &Path) -> bool {
    const EXTENSIONS: &[&str] = &["cc", "cp", "cxx", "cpp", "CPP", "c++", "C", "ii", "hh", "hpp"];
    file.extension().and_then(|extension| extension.to_str()).is_some_and(|extension| EXTENSIONS.contains(&extension))
}
