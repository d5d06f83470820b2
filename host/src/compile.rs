//! The one place that calls the compiler driver and the tools beside it.

use crate::error::ToolError;
pub use inspect_driver::Language;
pub use inspect_driver::is_rust_source;
use inspect_driver::{BuildCache, CompileError, ToolPaths};
pub use inspect_driver::{ObjectTool, Stop};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Compiles and links `files` into the program `output`, or takes it from the user's cache. The compiler's messages go
/// to standard error as they come. Once `stop` is set, nobody waits for the program.
pub fn compile(files: &[PathBuf], cflags: &[String], output: &Path, stop: Option<&Stop>) -> Result<(), ToolError> {
    let flags: Vec<OsString> = cflags.iter().map(OsString::from).collect();
    match inspect_driver::compile(files, &flags, output, &tools()?, BuildCache::of_user().as_ref(), stop) {
        Ok(()) => Ok(()),
        Err(CompileError::Failed(_)) => Err(ToolError::new("the program does not build (messages above)")),
        Err(CompileError::Tool(what)) => Err(ToolError::new(what)),
    }
}

/// Behaves as the compiler for this command line. Ends this process if all goes well.
pub fn drop_in(args: &[OsString], language: Language) -> Result<ExitCode, ToolError> {
    let status = inspect_driver::run(args.to_vec(), language, &tools()?);
    Ok(ExitCode::from(u8::try_from(status).unwrap_or(1)))
}

/// Behaves as the tool for objects and archives. Ends this process if all goes well.
pub fn object_tool(args: &[OsString], tool: ObjectTool) -> ToolError {
    ToolError::new(inspect_driver::run_object_tool(args, tool))
}

fn tools() -> Result<ToolPaths, ToolError> {
    ToolPaths::find().map_err(|what| ToolError::new(format!("Inspect is not completely installed: {what}")))
}
