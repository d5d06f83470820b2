//! The check that dependencies between the project's own crates point one way only (ARCHITECTURE.md).

use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// Every crate of the project and the crates of the project that it may depend on.
const ALLOWED: &[(&str, &[&str])] = &[
    ("inspect-core", &[]),
    ("inspect-wire", &["inspect-core"]),
    ("inspect-pass", &["inspect-wire"]),
    ("inspect-driver", &["inspect-wire"]),
    ("inspect-guest", &["inspect-core", "inspect-wire"]),
    ("inspect", &["inspect-core", "inspect-wire", "inspect-driver"]),
    // Tools of the project itself, which nobody depends on.
    ("xtask", &["inspect-core", "inspect-wire", "inspect-driver"]),
    ("inspect-benches", &["inspect-core", "inspect-wire", "inspect-driver"]),
    ("inspect-fuzz", &["inspect-core", "inspect-wire"]),
];

/// Folders outside of the workspace that hold crates of the project.
const APART: &[&str] = &["guest", "fuzz"];

type Error = Box<dyn std::error::Error>;

/// Checks the whole project below `root`; the error lists every edge that is not allowed.
pub(crate) fn check(root: &Path) -> Result<(), Error> {
    let mut edges = edges(&metadata(root)?)?;
    for folder in APART.iter().map(|folder| root.join(folder)).filter(|folder| folder.join("Cargo.toml").exists()) {
        edges.extend(self::edges(&metadata(&folder)?)?);
    }
    let wrong = wrong(&edges);
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}

fn metadata(folder: &Path) -> Result<Value, Error> {
    let output = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1", "--manifest-path"])
        .arg(folder.join("Cargo.toml"))
        .output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// For each crate its dependencies of every sort, those for building and testing included.
fn edges(metadata: &Value) -> Result<BTreeMap<String, Vec<String>>, Error> {
    let packages = metadata["packages"].as_array().ok_or("cargo metadata lists no packages")?;
    let name = |value: &Value| value["name"].as_str().unwrap_or_default().to_owned();
    Ok(packages
        .iter()
        .map(|package| {
            let dependencies = package["dependencies"].as_array().into_iter().flatten();
            (name(package), dependencies.map(name).collect())
        })
        .collect())
}

/// The edges that are not allowed, in words.
fn wrong(edges: &BTreeMap<String, Vec<String>>) -> Vec<String> {
    let is_ours = |name: &str| ALLOWED.iter().any(|(known, _)| *known == name);
    let mut wrong = Vec::new();
    for (name, dependencies) in edges {
        let Some((_, allowed)) = ALLOWED.iter().find(|(known, _)| known == name) else {
            wrong.push(format!("{name} has no place in the architecture (xtask/src/layers.rs)"));
            continue;
        };
        for dependency in dependencies.iter().filter(|dependency| is_ours(dependency)) {
            if !allowed.contains(&dependency.as_str()) {
                wrong.push(format!("{name} must not depend on {dependency}"));
            }
        }
    }
    wrong
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn root() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
    }

    #[test]
    fn dependencies_point_one_way() {
        check(&root()).expect("the layering holds");
    }

    #[test]
    fn every_part_of_the_architecture_is_looked_at() {
        let mut found = edges(&metadata(&root()).expect("readable")).expect("packages");
        found.extend(edges(&metadata(&root().join("guest")).expect("readable")).expect("packages"));
        for name in
            ["inspect-core", "inspect-wire", "inspect-pass", "inspect-driver", "inspect-guest", "inspect", "xtask"]
        {
            assert!(found.contains_key(name), "{name} is missing");
        }
        assert!(found["inspect"].contains(&"inspect-wire".to_owned()), "edges are seen");
    }

    #[test]
    fn a_wrong_edge_and_an_unknown_crate_are_told() {
        let edges = |name: &str, to: &str| BTreeMap::from([(name.to_owned(), vec![to.to_owned()])]);
        assert_eq!(wrong(&edges("inspect-core", "inspect-wire")), ["inspect-core must not depend on inspect-wire"]);
        assert_eq!(wrong(&edges("inspect-guest", "inspect")), ["inspect-guest must not depend on inspect"]);
        assert_eq!(wrong(&edges("misc", "serde")).len(), 1);
        assert_eq!(wrong(&edges("inspect", "serde")), [""; 0]);
    }
}
