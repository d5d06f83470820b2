//! Checks of the shape of the source that no compiler makes: `cargo xtask tidy`.
//!
//! Each check but that of the names of types has a list of exceptions in `xtask/exceptions/`; an exception that is no
//! longer needed fails too, so the lists only get shorter.

mod circles;
pub(crate) mod exceptions;
mod limits;
mod operations;
mod owners;
pub(crate) mod source;
#[cfg(test)]
mod tests;
mod types;

use exceptions::Found;
use source::{Crate, Error};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The crates by the names of their folders, and the folders of their sources.
pub(crate) const CRATES: &[(&str, &str)] = &[
    ("core", "core/src"),
    ("wire", "wire/src"),
    ("guest", "guest/src"),
    ("host", "host/src"),
    ("cluster", "cluster/src"),
    ("pass", "instrument/pass/src"),
    ("driver", "instrument/driver/src"),
    ("benches", "benches/src"),
    ("fuzz", "fuzz/src"),
    ("xtask", "xtask/src"),
];

/// Reads all crates below `root`.
pub(crate) fn crates(root: &Path) -> Result<Vec<Crate>, Error> {
    CRATES.iter().map(|(name, folder)| Crate::load(root, name, folder)).collect()
}

fn list_file(root: &Path, name: &str) -> PathBuf {
    root.join("xtask/exceptions").join(name)
}

fn listed(root: &Path, name: &str) -> Result<String, Error> {
    let path = list_file(root, name);
    Ok(std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?)
}

/// The name of a list of exceptions, the findings of its check, and the plural noun for their numbers.
type Counted = (&'static str, Found, &'static str);

fn counted(root: &Path, crates: &[Crate]) -> Result<Vec<Counted>, Error> {
    let mut silent = Found::new();
    let mut owners = Found::new();
    for found in crates {
        operations::silent_places(found, &mut silent);
        owners::owners_that_operate(found, &mut owners);
    }
    Ok(vec![
        ("owners.txt", owners, "values of the engine's heap live across a visible operation"),
        ("long.txt", too_long(root)?, "lines"),
        ("operations.txt", silent, "places silent about new operations (matches!, or an arm for all others)"),
    ])
}

/// Makes all checks; the error lists everything that is wrong.
pub(crate) fn check(root: &Path) -> Result<(), Error> {
    let crates = crates(root)?;
    let circles: Vec<_> = crates.iter().flat_map(circles::circles).collect();
    let mut wrong = circles::check(&circles, &listed(root, "circles.txt")?);
    let mut types = BTreeMap::new();
    crates.iter().for_each(|found| types::public_types(found, &mut types));
    wrong.extend(types::ambiguous(&types));
    for (list, found, what) in counted(root, &crates)? {
        wrong.extend(exceptions::check(list, &found, &listed(root, list)?, what));
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}

/// Removes from the lists the exceptions that are no longer needed. Fails if there is a new circle.
pub(crate) fn shrink(root: &Path) -> Result<(), Error> {
    let crates = crates(root)?;
    let circles: Vec<_> = crates.iter().flat_map(circles::circles).collect();
    if let Some(new) =
        circles::check(&circles, &listed(root, "circles.txt")?).iter().find(|wrong| wrong.contains("new"))
    {
        return Err(new.clone().into());
    }
    std::fs::write(list_file(root, "circles.txt"), circles::shrunk(&circles))?;
    for (list, found, _) in counted(root, &crates)? {
        let text = exceptions::shrunk(&found, &listed(root, list)?);
        std::fs::write(list_file(root, list), text)?;
    }
    Ok(())
}

fn too_long(root: &Path) -> Result<Found, Error> {
    let mut found = Found::new();
    for path in crate::sources::files(root, &["rs"])? {
        let text = std::fs::read_to_string(root.join(&path))?;
        let parsed = syn::parse_file(&text).map_err(|error| format!("{}: {error}", path.display()))?;
        limits::too_long(&path.display().to_string(), &text, &parsed, &mut found);
        limits::wide_comments(&path.display().to_string(), &text, &mut found);
        limits::code_in_documentation(&path.display().to_string(), &text, &mut found);
    }
    Ok(found)
}
