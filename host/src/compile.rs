//! The one place that knows how the compiler driver is called.

use crate::error::ToolError;
pub use inspect_driver::Language;
use inspect_driver::ToolPaths;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Compiles and links `files` into the program `output`. The compiler's messages go to standard error as they come.
pub fn compile(files: &[PathBuf], cflags: &[String], output: &Path) -> Result<(), ToolError> {
    let tools = ToolPaths::find().map_err(ToolError::new)?;
    let flags: Vec<OsString> = cflags.iter().map(OsString::from).collect();
    inspect_driver::compile(files, &flags, output, &tools).map_err(|error| match error {
        inspect_driver::CompileError::Failed(_) => ToolError::new("the program does not build (messages above)"),
        inspect_driver::CompileError::Tool(message) => ToolError::new(message),
    })
}

/// Behaves as the compiler for this command line.
pub fn drop_in(args: &[OsString], language: Language) -> Result<ExitCode, ToolError> {
    let tools = ToolPaths::find().map_err(ToolError::new)?;
    let status = inspect_driver::run(args.to_vec(), language, &tools);
    Ok(ExitCode::from(u8::try_from(status).unwrap_or(1)))
}
