//! What `inspect confirm` is asked: flags in, races in question and a configuration of searches out.

use crate::cli::config::{Config, Surroundings};
use crate::cli::flags::{CheckFlags, ConfirmFlags};
use crate::error::{ToolError, plain};
use crate::foreign::{self, ForeignReport};
use crate::places::GivenPlace;
use inspect_core::detect::FindingKind;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Where the races in question are.
pub(in crate::cli) enum Asked {
    /// At these places.
    Places(GivenPlace, GivenPlace),
    /// In what another tool has written to the file of this name.
    Report(String, ForeignReport),
}

/// A resolved `inspect confirm`.
pub(in crate::cli) struct Request {
    pub(super) asked: Asked,
    /// The search that is to cover everything; it goes on after other errors.
    pub(super) config: Config,
}

impl Request {
    /// Checks the flags, and reads the report if there is one.
    pub(in crate::cli) fn resolve(flags: ConfirmFlags, surroundings: Surroundings) -> Result<Request, ToolError> {
        let ConfirmFlags { mut check, report } = flags;
        refuse(&check)?;
        let (places, inputs): (Vec<_>, Vec<_>) =
            std::mem::take(&mut check.inputs).into_iter().map(place_or_input).partition(|input| input.is_ok());
        let places: Vec<GivenPlace> = places.into_iter().flatten().collect();
        check.inputs = inputs.into_iter().filter_map(Result::err).collect();
        if check.inputs.is_empty() {
            return Err(ToolError::new("inspect confirm needs a program: C files, or one built with inspect-cc"));
        }
        let asked = match (report, places.as_slice()) {
            (Some(path), []) => read(&path)?,
            (None, [first, second]) => Asked::Places(first.clone(), second.clone()),
            (Some(_), _) => {
                return Err(ToolError::new(
                    "the places of the race come from --report or from the command line, not both",
                ));
            }
            (None, _) => {
                return Err(ToolError::new(format!(
                    "inspect confirm needs the two places of a race, as FILE:LINE, or --report FILE; places given: {}",
                    places.len()
                )));
            }
        };
        let flags = CheckFlags { keep_going: true, ..check };
        Ok(Request { asked, config: Config::resolve(flags, surroundings)? })
    }
}

/// A place, if an argument is written like one and no file has that name.
fn place_or_input(argument: PathBuf) -> Result<GivenPlace, PathBuf> {
    let place = argument.to_str().and_then(GivenPlace::parse).filter(|_| !argument.exists());
    place.ok_or(argument)
}

/// Refuses options of `inspect check` that would leave out races, or are for another answer than this one's.
fn refuse(flags: &CheckFlags) -> Result<(), ToolError> {
    let race = FindingKind::DataRace.name();
    let softened = flags.warn.iter().chain(&flags.ignore).any(|kind| kind == race);
    let refused = [
        ("--races-in", flags.races_in.is_some(), "it would pass over the race in question"),
        ("--warn data-race and --ignore data-race", softened, "a data race is what it looks for"),
        (
            "--junit and --sarif",
            flags.junit.is_some() || flags.sarif.is_some(),
            "its answer is no verdict; --json has it",
        ),
    ];
    match refused.iter().find(|(_, given, _)| *given) {
        Some((option, _, why)) => Err(ToolError::new(format!("{option} cannot be given to inspect confirm: {why}"))),
        None => Ok(()),
    }
}

/// The report in a file; `-` is standard input.
fn read(path: &Path) -> Result<Asked, ToolError> {
    let (name, bytes) = if path == Path::new("-") {
        let mut bytes = Vec::new();
        ("standard input".to_owned(), std::io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes))
    } else {
        (path.display().to_string(), std::fs::read(path))
    };
    let bytes = bytes.map_err(|error| ToolError::new(format!("{name}: {}", plain(&error))))?;
    let report = foreign::read(&String::from_utf8_lossy(&bytes));
    if report.races.is_empty() {
        let others: Vec<&str> = report.others.keys().map(String::as_str).collect();
        let others = match others.as_slice() {
            [] => String::new(),
            _ => format!("; it has reports of other kinds, which are not read: {}", others.join(", ")),
        };
        return Err(ToolError::new(format!("{name}: no data race reported by ThreadSanitizer or Helgrind{others}")));
    }
    Ok(Asked::Report(name, report))
}
