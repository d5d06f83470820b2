//! The command line: flags in, exit status out.

mod answer;
mod build;
mod check;
mod combinations;
pub mod config;
mod confirm;
#[cfg(test)]
mod documents;
pub mod flags;
mod flaky;
mod print;
mod quantities;
mod replay;
mod severities;
mod suppressions;

use crate::compile::{Language, drop_in};
use crate::error::ToolError;
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
    if let Some(language) = called_as_compiler(&args) {
        return drop_in(&args[1..], language);
    }
    // Compilers' options are none of clap's business.
    match args.get(1).and_then(|command| command.to_str()) {
        Some("cc") => return drop_in(&args[2..], Language::C),
        Some("c++") => return drop_in(&args[2..], Language::Cxx),
        _ => {}
    }
    match Flags::read(args).command {
        Command::Check(flags) => check::check(&Config::resolve(*flags, surroundings())?),
        Command::Flaky(flags) => check::check(&Config::of_flaky(*flags, surroundings())?),
        Command::Confirm(flags) => confirm::confirm(&confirm::Request::resolve(*flags, surroundings())?),
        Command::Replay(flags) => replay::replay(&flags, surroundings().colour),
        Command::Cc(flags) => drop_in(&flags.args, Language::C),
        Command::Cxx(flags) => drop_in(&flags.args, Language::Cxx),
    }
}

fn called_as_compiler(args: &[OsString]) -> Option<Language> {
    let name = Path::new(args.first()?).file_name()?.to_str()?;
    match name {
        "inspect-cc" => Some(Language::C),
        "inspect-c++" => Some(Language::Cxx),
        _ => None,
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
    Surroundings { colour: std::io::stdout().is_terminal() && !plain, progress: std::io::stderr().is_terminal() }
}
