//! The tools beside the compilers: those of LLVM that read objects and archives.
//!
//! Objects are bitcode of the LLVM that the pass is built for. An archiver of another version, which a build system may
//! find first, does not read it and writes an archive without an index of symbols, or fails.

use crate::tools::llvm;
use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;

/// A tool for objects and archives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ObjectTool {
    /// `inspect ar`
    Ar,
    /// `inspect ranlib`
    Ranlib,
    /// `inspect nm`
    Nm,
}

impl ObjectTool {
    /// All of them.
    pub const ALL: [ObjectTool; 3] = [ObjectTool::Ar, ObjectTool::Ranlib, ObjectTool::Nm];

    /// The name of the subcommand.
    pub fn command(self) -> &'static str {
        match self {
            ObjectTool::Ar => "ar",
            ObjectTool::Ranlib => "ranlib",
            ObjectTool::Nm => "nm",
        }
    }

    fn path(self) -> PathBuf {
        llvm(&format!("llvm-{}", self.command()))
    }
}

/// Runs the tool with these arguments (without its own name) in place of this process. Returns only if that was not
/// possible, with the reason.
pub fn run_object_tool(arguments: &[OsString], tool: ObjectTool) -> String {
    let path = tool.path();
    let error = Command::new(&path).args(arguments).exec();
    format!("cannot start {}: {error} (Debian package llvm-22)", path.display())
}
