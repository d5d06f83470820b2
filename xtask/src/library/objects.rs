//! Programs made from the rows that concern objects of the library: streams, the entries of folders, locales, and what
//! it keeps behind the scenes.
//!
//! For every argument that is such an object there is a program in which it was closed before: a use after free. And
//! for every function of whose state the library takes care itself there is one in which two threads call it, each with
//! arguments of its own: no data race.

use super::programs::{Answer, Kind, Sample, TOGETHER, all, check};
use inspect_wire::library::{CallEffect, LibraryRow};

/// The arguments that are objects of the library, by the effects on them.
pub(super) fn handles(row: &LibraryRow) -> impl Iterator<Item = u8> {
    let arguments = 0..row.arguments.signature().count() as u8;
    arguments.filter(|&argument| handle(row, argument).is_some())
}

/// The variable of the programs that is such an object.
pub(super) fn handle(row: &LibraryRow, argument: u8) -> Option<&'static str> {
    use CallEffect::{
        AsksStream, ClosesFolder, ClosesStream, FlushesStreams, ReadsStream, UsesFolderStream, UsesLocale,
        UsesStreamUnlocked, WritesStream,
    };
    row.effects.iter().find_map(|effect| match *effect {
        ReadsStream(at) if at == argument => Some("input"),
        WritesStream(at) | FlushesStreams(at) | AsksStream(at) | ClosesStream(at) if at == argument => Some("output"),
        // What it does with the stream besides says which one.
        UsesStreamUnlocked(at) if at == argument && !row.effects.iter().any(|effect| effect.uses_stream()) => {
            Some("output")
        }
        UsesFolderStream(at) | ClosesFolder(at) if at == argument => Some("folder"),
        UsesLocale(at) if at == argument => Some("locale"),
        _ => None,
    })
}

/// Whether two threads that call the function at once race, whatever its arguments are: it uses state that the library
/// does not protect, or closes what both use.
fn races_with_itself(row: &LibraryRow) -> bool {
    use CallEffect::{
        Changes, ChangesIfNull, ClosesFolder, ClosesStream, SetsLocale, TakesToken, UsesFolderStream, UsesShiftState,
        UsesStandardUnlocked, UsesStreamUnlocked, WritesResult, WritesVariable,
    };
    row.effects.iter().any(|effect| {
        matches!(
            effect,
            Changes(_)
                | ChangesIfNull(..)
                | ClosesFolder(_)
                | ClosesStream(_)
                | SetsLocale
                | TakesToken { .. }
                | UsesFolderStream(_)
                | UsesShiftState(_)
                | UsesStandardUnlocked(_)
                | UsesStreamUnlocked(_)
                | WritesResult(_)
                | WritesVariable(..)
        )
    })
}

/// Builds and checks the programs of a kind for these samples.
fn answers(samples: &[&Sample], kind: Kind) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a directory");
    samples.chunks(TOGETHER).flat_map(|samples| check(samples, &[kind], folder.path())).collect()
}

#[test]
fn closed_objects_of_the_library_are_not_used() {
    let made = all();
    let chosen: Vec<&Sample> = made.handles.iter().collect();
    assert!(chosen.len() >= 157, "{}: there were as many when this was written", chosen.len());
    let wrong = answers(&chosen, ("closed", Answer::Finding("heap-use-after-free")));
    assert!(wrong.is_empty(), "{} of {}: {wrong:#?}", wrong.len(), chosen.len());
}

/// In a run of `make test`, one of so many.
const EVERY: usize = 9;

#[test]
fn what_the_library_protects_does_not_race() {
    let made = all();
    let every = if std::env::var_os("INSPECT_LONG").is_some() { 1 } else { EVERY };
    let chosen: Vec<&Sample> =
        made.calls.iter().filter(|sample| !races_with_itself(sample.row)).step_by(every).collect();
    assert!(chosen.len() >= 1_750 / every, "{}: there were 1,759 when this was written", chosen.len() * every);
    let wrong = answers(&chosen, ("twice", Answer::Without("data-race")));
    assert!(wrong.is_empty(), "{} of {}: {wrong:#?}", wrong.len(), chosen.len());
}
