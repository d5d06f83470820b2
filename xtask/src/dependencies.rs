//! The crates that the project is built from: their licences, and crates of which several versions are used.
//!
//! `xtask/exceptions/licences.txt` lists the licences that are accepted, `xtask/exceptions/duplicates.txt` the crates
//! of which there are several versions, each with a reason.

use crate::tidy::exceptions::{self, Found};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

type Error = Box<dyn std::error::Error>;

/// The one platform that Inspect runs on: crates for others are not built.
const PLATFORM: &str = "x86_64-unknown-linux-gnu";

/// The manifests, of which each has a lock file of its own.
const MANIFESTS: &[&str] = &["Cargo.toml", "guest/Cargo.toml", "cluster/Cargo.toml"];

/// Checks the crates of the whole project; the error lists all that are wrong.
pub(crate) fn check(root: &Path) -> Result<(), Error> {
    let mut licences = BTreeMap::new();
    let mut versions = BTreeMap::new();
    for manifest in MANIFESTS {
        read(&metadata(&root.join(manifest))?, &mut licences, &mut versions)?;
    }
    let read = |name: &str| std::fs::read_to_string(root.join("xtask/exceptions").join(name));
    let mut wrong = unaccepted(&licences, &read("licences.txt")?);
    let duplicates = duplicates(&versions);
    wrong.extend(exceptions::check("duplicates.txt", &duplicates, &read("duplicates.txt")?, "versions"));
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}

fn metadata(manifest: &Path) -> Result<Value, Error> {
    let output = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["metadata", "--locked", "--format-version", "1", "--filter-platform", PLATFORM, "--manifest-path"])
        .arg(manifest)
        .output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// Adds every crate by others with its licence, and the versions of each.
fn read(
    metadata: &Value,
    licences: &mut BTreeMap<String, String>,
    versions: &mut BTreeMap<String, BTreeSet<String>>,
) -> Result<(), Error> {
    let packages = metadata["packages"].as_array().ok_or("cargo metadata lists no packages")?;
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    for package in packages.iter().filter(|package| !package["source"].is_null()) {
        let (name, version) = (text(&package["name"]), text(&package["version"]));
        licences.insert(format!("{name} {version}"), text(&package["license"]));
        versions.entry(name).or_default().insert(version);
    }
    Ok(())
}

fn duplicates(versions: &BTreeMap<String, BTreeSet<String>>) -> Found {
    let several = versions.iter().filter(|(_, versions)| versions.len() > 1);
    several.map(|(name, versions)| (name.clone(), versions.len())).collect()
}

/// The crates whose licence does not let us use them under an accepted one.
fn unaccepted(licences: &BTreeMap<String, String>, accepted: &str) -> Vec<String> {
    let accepted: BTreeSet<&str> = accepted.lines().map(str::trim).collect();
    let wrong = licences.iter().filter(|(_, licence)| !is_accepted(licence, &accepted));
    wrong
        .map(|(name, licence)| format!("{name} has the licence {licence:?}, which licences.txt does not accept"))
        .collect()
}

/// Whether an SPDX expression is satisfied by accepted licences. Older crates write `/` for `OR`.
fn is_accepted(expression: &str, accepted: &BTreeSet<&str>) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let mut words = spaced.split_whitespace().peekable();
    any(&mut words, accepted) && words.next().is_none()
}

type Words<'text> = std::iter::Peekable<std::str::SplitWhitespace<'text>>;

/// One of several terms joined by `OR`, which binds less than `AND`.
fn any(words: &mut Words<'_>, accepted: &BTreeSet<&str>) -> bool {
    let mut is_accepted = all(words, accepted);
    while words.next_if_eq(&"OR").is_some() {
        is_accepted |= all(words, accepted);
    }
    is_accepted
}

fn all(words: &mut Words<'_>, accepted: &BTreeSet<&str>) -> bool {
    let mut is_accepted = one(words, accepted);
    while words.next_if_eq(&"AND").is_some() {
        is_accepted &= one(words, accepted);
    }
    is_accepted
}

fn one(words: &mut Words<'_>, accepted: &BTreeSet<&str>) -> bool {
    if words.next_if_eq(&"(").is_some() {
        let inside = any(words, accepted);
        return words.next() == Some(")") && inside;
    }
    let Some(licence) = words.next() else { return false };
    if words.next_if_eq(&"WITH").is_some() {
        let exception = words.next().unwrap_or_default();
        return accepted.contains(format!("{licence} WITH {exception}").as_str());
    }
    accepted.contains(licence)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn licences_are_accepted_as_their_expressions_say() {
        let accepted = BTreeSet::from(["MIT", "Zlib", "Apache-2.0 WITH LLVM-exception"]);
        for (expression, expected) in [
            ("MIT", true),
            ("GPL-3.0", false),
            ("GPL-3.0 OR MIT", true),
            ("GPL-3.0/MIT", true),
            ("GPL-3.0 AND MIT", false),
            ("(GPL-3.0 OR MIT) AND Zlib", true),
            ("GPL-3.0 AND (MIT OR Zlib)", false),
            ("MIT OR GPL-3.0 AND Zlib", true),
            ("Apache-2.0 WITH LLVM-exception", true),
            ("Apache-2.0", false),
            ("", false),
            ("MIT OR", true),
            ("(MIT", false),
            ("MIT MIT", false),
        ] {
            assert_eq!(is_accepted(expression, &accepted), expected, "{expression}");
        }
    }

    #[test]
    fn crates_of_several_versions_and_of_other_licences_are_reported() {
        let package = |name: &str, version: &str, licence: &str| serde_json::json!({ "name": name, "version": version, "license": licence, "source": "registry" });
        let own = serde_json::json!({ "name": "own", "version": "1.0.0", "license": null, "source": null });
        let packages =
            [package("a", "1.0.0", "MIT"), package("a", "2.0.0", "MIT"), package("b", "1.0.0", "GPL-3.0"), own];
        let (mut licences, mut versions) = (BTreeMap::new(), BTreeMap::new());
        read(&serde_json::json!({ "packages": packages }), &mut licences, &mut versions).expect("packages");
        assert_eq!(duplicates(&versions), Found::from([("a".to_owned(), 2)]));
        let wrong = unaccepted(&licences, "MIT\nZlib\n");
        assert_eq!(wrong, ["b 1.0.0 has the licence \"GPL-3.0\", which licences.txt does not accept"]);
    }
}
