//! The command line: flags in, exit status out.

mod answer;
mod build;
mod check;
mod clients;
pub mod cluster;
mod combinations;
pub mod config;
mod confirm;
#[cfg(test)]
mod documents;
mod environment;
pub mod flags;
mod flaky;
mod print;
mod quantities;
mod replay;
pub mod restarts;
mod severities;
mod suppressions;

use crate::compile::{Language, ObjectTool, drop_in, object_tool};
use crate::error::ToolError;
use crate::report::progress::ProgressKind;
use config::{Config, Surroundings};
use flags::{Command, Flags};
use std::ffi::OsString;
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;

/// Exit status for wrong usage, a failed build and failures of the tool.
const FAILED: u8 = 2;

/// Runs the command `args`, whose first element is the name it was called by.
pub fn main(args: Vec<OsString>) -> ExitCode {
    match dispatch(args) {
        Ok(code) => code,
        Err(error) => {
            // Nothing is left to do if standard error is gone too.
            let _ = writeln!(std::io::stderr(), "inspect: {error}");
            ExitCode::from(FAILED)
        }
    }
}

fn dispatch(args: Vec<OsString>) -> Result<ExitCode, ToolError> {
    supported()?;
    if let Some(role) = called_as(&args) {
        return play(role, &args[1..]);
    }
    // The options of compilers and their tools are none of clap's business.
    if let Some(role) = args.get(1).and_then(|command| command.to_str()).and_then(role) {
        return play(role, &args[2..]);
    }
    match Flags::read(args).command {
        Command::Check(flags) => check::check(&Config::resolve(*flags, surroundings())?).map(ExitCode::from),
        Command::Flaky(flags) => check::check(&Config::of_flaky(*flags, surroundings())?).map(ExitCode::from),
        Command::Confirm(flags) => confirm::confirm(&confirm::Request::resolve(*flags, surroundings())?),
        Command::Replay(flags) => replay::replay(&flags, surroundings().colour),
        Command::Cc(flags) => play(Role::Compiler(Language::C), &flags.args),
        Command::Cxx(flags) => play(Role::Compiler(Language::Cxx), &flags.args),
        Command::Ar(flags) => play(Role::Tool(ObjectTool::Ar), &flags.args),
        Command::Ranlib(flags) => play(Role::Tool(ObjectTool::Ranlib), &flags.args),
        Command::Nm(flags) => play(Role::Tool(ObjectTool::Nm), &flags.args),
        Command::Env => environment::print(),
    }
}

/// A program of a toolchain, as which this one can be run.
enum Role {
    Compiler(Language),
    Tool(ObjectTool),
}

/// The role with this name of a subcommand.
fn role(command: &str) -> Option<Role> {
    let compilers = [Language::C, Language::Cxx].map(|language| (language.command(), Role::Compiler(language)));
    let tools = ObjectTool::ALL.map(|tool| (tool.command(), Role::Tool(tool)));
    compilers.into_iter().chain(tools).find(|(name, _)| *name == command).map(|(_, role)| role)
}

/// The role that the program's own name says.
fn called_as(args: &[OsString]) -> Option<Role> {
    Path::new(args.first()?).file_name()?.to_str()?.strip_prefix("inspect-").and_then(role)
}

fn play(role: Role, args: &[OsString]) -> Result<ExitCode, ToolError> {
    match role {
        Role::Compiler(language) => drop_in(args, language),
        Role::Tool(tool) => Err(object_tool(args, tool)),
    }
}

fn supported() -> Result<(), ToolError> {
    if cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        Ok(())
    } else {
        Err(ToolError::new("Inspect runs on x86-64 Linux only"))
    }
}

fn surroundings() -> Surroundings {
    let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let progress = if std::io::stderr().is_terminal() { ProgressKind::Terminal } else { ProgressKind::Hidden };
    Surroundings { colour: std::io::stdout().is_terminal() && !plain, progress }
}
