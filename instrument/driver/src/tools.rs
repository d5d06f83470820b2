//! Where the parts of the toolchain are.

use inspect_wire::GUEST_LIBRARY;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// The parts of Inspect and the compilers.
#[derive(Clone, Debug)]
pub struct ToolPaths {
    /// The linker plugin.
    pub pass: PathBuf,
    /// The runtime that instrumented programs are linked with.
    pub guest: PathBuf,
    /// The headers of Inspect, the one that shadows `pthread.h` among them.
    pub include: PathBuf,
    /// The C compiler.
    pub clang: PathBuf,
    /// The C++ compiler.
    pub clang_cxx: PathBuf,
    /// The linker.
    pub lld: PathBuf,
    /// Compiler, linker and pass in one program that starts sooner; None if there is none of this very compiler and
    /// pass.
    pub quick: Option<PathBuf>,
}

/// The version of LLVM that the pass is built for, whose bitcode it and the linker read.
pub(crate) const LLVM: &str = "22";

const PASS: &str = "libinspect_pass.so";

impl ToolPaths {
    /// Looks around the running executable: `../lib/inspect` (installed), its own folder (a build tree) and, for the
    /// headers, the source tree around that.
    pub fn find() -> Result<ToolPaths, String> {
        let executable =
            std::env::current_exe().map_err(|error| format!("cannot find out where this program is: {error}"))?;
        let executable = executable.canonicalize().unwrap_or(executable);
        ToolPaths::around(executable.parent().unwrap_or(Path::new("/")))
    }

    /// The same, for an executable in `folder`.
    pub fn around(folder: &Path) -> Result<ToolPaths, String> {
        let installed = folder.join("../lib/inspect");
        let find = |name: &str, places: &[PathBuf]| {
            places
                .iter()
                .map(|place| place.join(name))
                .find_map(|path| path.canonicalize().ok())
                .ok_or_else(|| format!("{name} is missing; looked in {}", list(places)))
        };
        let places = [installed.clone(), folder.to_owned()];
        let header_places =
            [installed.join("include"), folder.join("include"), folder.join("../../instrument/include")];
        let header = find("inspect.h", &header_places)?;
        let mut tools = ToolPaths {
            pass: find(PASS, &places)?,
            guest: find(GUEST_LIBRARY, &places)?,
            include: header.parent().unwrap_or(folder).to_owned(),
            clang: llvm("clang"),
            clang_cxx: llvm("clang++"),
            lld: llvm("ld.lld"),
            quick: None,
        };
        let quick = tools.pass.with_file_name(ToolPaths::QUICK);
        let parts = std::fs::read_to_string(quick.with_extension(ToolPaths::PARTS)).ok();
        tools.quick = (parts.is_some() && parts == ToolPaths::parts_with(&tools.pass)).then_some(quick);
        Ok(tools)
    }

    /// The name of the program that is [`quick`](Self::quick).
    pub const QUICK: &str = "inspect-llvm";
    /// The extension of the file beside it, which has the [`parts`](Self::parts_with) that it was made of.
    pub const PARTS: &str = "parts";

    /// What tells this pass, and the compiler that is found, from others. None if one of them is not there.
    pub fn parts_with(pass: &Path) -> Option<String> {
        let part = |path: &Path| {
            let about = path.canonicalize().and_then(std::fs::metadata).ok()?;
            let made = about.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
            Some(format!("{} bytes of {}\n", about.len(), made.as_nanos()))
        };
        Some(part(pass)? + &part(&llvm("clang"))?)
    }
}

fn list(places: &[PathBuf]) -> String {
    places.iter().map(|p| p.display().to_string()).collect::<Vec<_>>().join(", ")
}

/// A program of the LLVM that the pass is built for: with its version in its name in the usual folders, in LLVM's own
/// folder, or where the search path has it.
pub(crate) fn llvm(name: &str) -> PathBuf {
    let versioned = format!("{name}-{LLVM}");
    [Path::new("/usr/bin").join(&versioned), PathBuf::from(format!("/usr/lib/llvm-{LLVM}/bin")).join(name)]
        .into_iter()
        .find(|path| path.exists())
        .unwrap_or_else(|| PathBuf::from(versioned))
}
