//! The compiler driver behind `inspect cc` and `inspect c++`: takes the command line of a C or C++ compiler and runs
//! clang so that objects are whole-program bitcode and every link goes through the pass.
//!
//! A build system must not notice: [`arguments`] reads a command line as clang does, [`plan`] turns it into the one
//! that is run, [`inputs`] finds the inputs of a link that carry no instrumentation, [`tools`] finds the parts of
//! Inspect and the compilers, [`cache`] the programs that were built before,
//! [`steps`] builds a program that is not among them, [`rust`] one of a Rust source, and [`child`] runs a compiler and
//! passes its messages on.
//! [`binutils`] runs the tools that build systems use beside a compiler.

mod arguments;
mod binutils;
mod cache;
mod child;
mod hints;
mod inputs;
mod plan;
mod rust;
mod steps;
mod tools;

use cache::CachedBuild;
use child::{COLORS, CompilerRun, colored, command, run_with_hints};
use rust::RustBuild;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use steps::Steps;

pub use arguments::Language;
pub use binutils::{ObjectTool, run_object_tool};
pub use cache::BuildCache;
pub use child::Stop;
pub use plan::FACTS_FLAG;
pub use rust::is_source as is_rust_source;
pub use tools::ToolPaths;

/// Status of a driver that could not do its work.
const FAILED: i32 = 2;

/// Runs the compiler with a command line (without the program's own name). Replaces this process; returns the exit
/// status only if that was not possible.
pub fn run(arguments: Vec<OsString>, language: Language, tools: &ToolPaths) -> i32 {
    let (mut command, notices) = match prepare(arguments, language, tools) {
        Ok(prepared) => prepared,
        Err(message) => {
            eprintln!("inspect {}: error: {message}", language.command());
            return FAILED;
        }
    };
    for notice in &notices {
        eprintln!("inspect {}: note: {notice}", language.command());
    }
    let error = command.exec();
    eprintln!("inspect {}: error: {}", language.command(), start_failure(command.get_program(), &error));
    FAILED
}

/// The command that [`run`] runs, and the notices that it shows first. `Err` is the reason why the command line is
/// refused.
pub fn prepare(
    arguments: Vec<OsString>,
    language: Language,
    tools: &ToolPaths,
) -> Result<(Command, Vec<String>), String> {
    let planned = plan::make(arguments, language, tools)?;
    Ok((command(&planned), planned.notices))
}

fn start_failure(program: &OsStr, error: &std::io::Error) -> String {
    format!("cannot start {}: {error} (Debian packages clang-22 and lld-22)", program.to_string_lossy())
}

/// Why [`compile`] did not make a program.
#[derive(Debug)]
pub enum CompileError {
    /// The compiler failed; its messages are on standard error already.
    Failed(ExitStatus),
    /// The compiler could not be run, or an argument is refused.
    Tool(String),
}

impl fmt::Display for CompileError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CompileError::Failed(status) => match status.signal() {
                Some(signal) => write!(formatter, "the compiler was killed by signal {signal}"),
                None => write!(formatter, "compilation failed"),
            },
            CompileError::Tool(message) => formatter.write_str(message),
        }
    }
}

impl std::error::Error for CompileError {}

/// Compiles and links source files into a program. The compiler's messages go to standard error. Without an `-O` among
/// `flags`, `-O1` is used; `-pthread` is always on. A program that `cache` has is not built again. With `stop` the
/// compiler does not belong to the terminal's foreground, so that a signal from there reaches the caller alone.
pub fn compile(
    sources: &[PathBuf],
    flags: &[OsString],
    output: &Path,
    tools: &ToolPaths,
    cache: Option<&BuildCache>,
    stop: Option<&Stop>,
) -> Result<(), CompileError> {
    if sources.iter().any(|source| rust::is_source(source)) {
        let build = RustBuild::plan(sources, flags).map_err(CompileError::Tool)?;
        let known = cache.filter(|_| build.reports_all());
        let known = known.and_then(|cache| CachedBuild::of_rust(cache, &build.words(), output, tools));
        let reports = known.as_ref().map(|known| (known.compiler_record(), known.linker_flag()));
        return built(known.as_ref(), output, || build.run(output, reports, stop));
    }
    let mut all_flags: Vec<OsString> = vec!["-O1".into(), "-pthread".into()];
    all_flags.extend(flags.iter().cloned());
    let named: Vec<OsString> = sources.iter().map(|source| absolute_if_dashed(source)).collect();
    let arguments = all_flags.iter().cloned().chain(["-o".into(), output.into()]).chain(named.iter().cloned());
    let language = if sources.iter().any(|s| arguments::is_cxx_source(s)) { Language::Cxx } else { Language::C };
    let planned = plan::make(arguments.collect(), language, tools).map_err(CompileError::Tool)?;
    for notice in &planned.notices {
        eprintln!("inspect: note: {notice}");
    }
    let user = arguments::parse(flags.to_vec()).map_err(CompileError::Tool)?;
    let known = cache.and_then(|cache| CachedBuild::new(cache, &planned, &user, sources, output, tools));
    let not_started = |error: std::io::Error| start_failure(planned.compiler.as_os_str(), &error);
    built(known.as_ref(), output, || match (&known, <[OsString; 1]>::try_from(named)) {
        (Some(known), Ok([source])) => {
            let steps = Steps::plan(&all_flags, source, output, language, tools)?;
            steps.run(known, tools, stop).map_err(not_started)
        }
        (None, _) | (_, Err(_)) => run_with_hints(colored(&mut command(&planned), COLORS), stop).map_err(not_started),
    })
}

/// Takes the program from the cache, or has it built: `run` says why the compiler was not run if so.
fn built(
    known: Option<&CachedBuild>,
    output: &Path,
    run: impl FnOnce() -> Result<CompilerRun, String>,
) -> Result<(), CompileError> {
    if known.is_some_and(|known| known.fetch(output)) {
        return Ok(());
    }
    finish(run().map_err(CompileError::Tool)?, known, output)
}

/// Shows what helps against the compiler's errors; keeps the program in the cache if that is possible.
fn finish(run: CompilerRun, known: Option<&CachedBuild>, output: &Path) -> Result<(), CompileError> {
    for hint in &run.hints {
        eprintln!("inspect: note: {hint}");
    }
    if !run.status.success() {
        return Err(CompileError::Failed(run.status));
    }
    if let Some(known) = known.filter(|_| run.silent) {
        known.keep(output);
    }
    Ok(())
}

/// A file whose name looks like an option is given with its folder.
fn absolute_if_dashed(source: &Path) -> OsString {
    let text = source.as_os_str();
    if text.as_encoded_bytes().starts_with(b"-") || text.as_encoded_bytes().starts_with(b"@") {
        Path::new(".").join(source).into_os_string()
    } else {
        text.to_owned()
    }
}
