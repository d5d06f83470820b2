//! The check that dependencies between the project's own crates, and between the modules inside of each, point one way
//! only (ARCHITECTURE.md).

use crate::tidy;
use crate::tidy::source::Crate;
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
    ("inspect-mpi", &["inspect"]),
    // Tools of the project itself, which no crate depends on.
    ("xtask", &["inspect-core", "inspect-wire", "inspect-driver"]),
    ("inspect-benches", &["inspect-core", "inspect-wire", "inspect-driver"]),
    ("inspect-fuzz", &["inspect-core", "inspect-wire", "inspect"]),
];

/// Crates that the tests of a crate may use beyond those of [`ALLOWED`], as tests are in no program: the pass is tested
/// on what the driver compiles, core with the features that only tests switch on.
const ALLOWED_IN_TESTS: &[(&str, &str)] = &[("inspect-pass", "inspect-driver"), ("inspect-core", "inspect-core")];

/// The modules of each crate, the lowest first: each may use those before it. The root of a crate may use all of them,
/// and no module may use the root.
const FLOORS: &[(&str, &[&str])] = &[
    (
        "core",
        &[
            "hash", "random", "event", "table", "ranges", "order", "sample", "run", "detect", "predict", "explore",
            "model",
        ],
    ),
    ("wire", &["shared", "facts", "work", "race_pattern", "message", "hooks", "library"]),
    ("guest", &["platform", "engine", "search", "hooks", "model", "intercept", "upcalls", "selftest"]),
    (
        "host",
        &[
            "error", "compile", "frames", "run", "symbols", "places", "foreign", "words", "verdict", "query",
            "program", "search", "report", "schedule", "cli",
        ],
    ),
    (
        "pass",
        &[
            "asm",
            "ir",
            "shim",
            "processor",
            "points_to",
            "access",
            "sharing",
            "unread",
            "loops",
            "sites",
            "strings",
            "tables",
            "hook",
            "uninitialised",
            "checks",
            "scopes",
            "unseen",
            "uses",
            "call_only",
            "facts",
            "frames",
        ],
    ),
    ("driver", &["arguments", "hints", "inputs", "tools", "binutils", "plan", "child", "rust", "cache", "steps"]),
];

/// The project's crates and what each depends on.
type Edges = BTreeMap<String, Vec<Edge>>;

#[derive(Clone, PartialEq, Eq, Debug)]
struct Edge {
    to: String,
    /// Whether it is a dependency of tests only.
    in_tests: bool,
}

/// Folders outside of the workspace with crates of the project.
const APART: &[&str] = &["guest", "cluster"];

type Error = Box<dyn std::error::Error>;

/// Checks the whole project below `root`; the error lists every edge that is not allowed.
pub(crate) fn check(root: &Path) -> Result<(), Error> {
    let mut edges = edges(&metadata(root)?)?;
    for folder in APART.iter().map(|folder| root.join(folder)).filter(|folder| folder.join("Cargo.toml").exists()) {
        edges.extend(self::edges(&metadata(&folder)?)?);
    }
    let mut wrong = wrong(&edges);
    for found in tidy::crates(root)? {
        if let Some((_, floors)) = FLOORS.iter().find(|(name, _)| *name == found.name) {
            wrong.extend(unlisted(&found, floors));
            wrong.extend(upwards(&found, floors));
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}

/// The modules of a crate that are on no floor.
fn unlisted(found: &Crate, floors: &[&str]) -> Vec<String> {
    let modules = found.modules.iter().filter(|module| module.path.len() == 1).map(|module| &module.path[0]);
    let unlisted = modules.filter(|name| !floors.contains(&name.as_str()));
    unlisted.map(|name| format!("the module {name} of {} is on no floor (xtask/src/layers.rs)", found.name)).collect()
}

/// The modules of a crate that use one that is not below them, each with the first path by which it does.
fn upwards(found: &Crate, floors: &[&str]) -> Vec<String> {
    let name = |module: usize| found.modules[module].path.first().map_or("root", String::as_str);
    let floor = |name: &str| floors.iter().position(|floor| *floor == name).unwrap_or(floors.len());
    let mut upwards = BTreeMap::new();
    for edge in found.edges() {
        let (from, to) = (name(edge.from), name(edge.to));
        if floor(to) > floor(from) {
            let path = format!("{} in {}", edge.path, found.modules[edge.from].file);
            upwards.entry((from, to)).or_insert(path);
        }
    }
    let in_words = |((from, to), path)| format!("used upwards: {}: {from} {to}, by {path}", found.name);
    upwards.into_iter().map(in_words).collect()
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
fn edges(metadata: &Value) -> Result<Edges, Error> {
    let packages = metadata["packages"].as_array().ok_or("cargo metadata lists no packages")?;
    let name = |value: &Value| value["name"].as_str().unwrap_or_default().to_owned();
    Ok(packages
        .iter()
        .map(|package| {
            let dependencies = package["dependencies"].as_array().into_iter().flatten();
            let edge = |value: &Value| Edge { to: name(value), in_tests: value["kind"] == "dev" };
            (name(package), dependencies.map(edge).collect())
        })
        .collect())
}

/// The edges that are not allowed, in words.
fn wrong(edges: &Edges) -> Vec<String> {
    let is_ours = |name: &str| ALLOWED.iter().any(|(known, _)| *known == name);
    let mut wrong = Vec::new();
    for (name, dependencies) in edges {
        let Some((_, allowed)) = ALLOWED.iter().find(|(known, _)| known == name) else {
            wrong.push(format!("{name} has no place in the architecture (xtask/src/layers.rs)"));
            continue;
        };
        for Edge { to, in_tests } in dependencies.iter().filter(|edge| is_ours(&edge.to)) {
            let for_tests = *in_tests && ALLOWED_IN_TESTS.contains(&(name.as_str(), to.as_str()));
            if !allowed.contains(&to.as_str()) && !for_tests {
                wrong.push(format!("{name} must not depend on {to}"));
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
    #[ignore = "make check does this"]
    fn dependencies_point_one_way() {
        check(&root()).expect("the layering holds");
    }

    /// The crates in the guest must not use the standard library, which the guest does not have, and core and host have
    /// no unsafe code at all. Every build of the guest shows that core builds without a standard library.
    #[test]
    fn the_attributes_that_hold_the_layers_up_are_there() {
        let read = |file: &str| std::fs::read_to_string(root().join(file)).expect("readable");
        assert!(read("core/src/lib.rs").contains("#![cfg_attr(not(test), no_std)]"));
        assert!(read("wire/src/lib.rs").contains("no_std"));
        assert!(read("guest/src/lib.rs").contains("#![no_std]"));
        for file in ["core/src/lib.rs", "host/src/lib.rs", "fuzz/src/lib.rs", "cluster/src/main.rs"] {
            assert!(read(file).contains("#![forbid(unsafe_code)]"), "{file}");
        }
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
        let edge = |to: &str, in_tests| Edge { to: to.to_owned(), in_tests };
        assert!(found["inspect"].contains(&edge("inspect-wire", false)), "edges are seen");
        assert!(found["inspect-pass"].contains(&edge("inspect-driver", true)), "so are those of tests");
    }

    #[test]
    fn a_wrong_edge_and_an_unknown_crate_are_reported() {
        let edge = |name: &str, to: &str, in_tests| {
            BTreeMap::from([(name.to_owned(), vec![Edge { to: to.to_owned(), in_tests }])])
        };
        let edges = |name: &str, to: &str| edge(name, to, false);
        assert_eq!(wrong(&edges("inspect-core", "inspect-wire")), ["inspect-core must not depend on inspect-wire"]);
        assert_eq!(wrong(&edges("inspect-guest", "inspect")), ["inspect-guest must not depend on inspect"]);
        assert_eq!(wrong(&edges("misc", "serde")).len(), 1);
        assert_eq!(wrong(&edges("inspect", "serde")), [""; 0]);
        assert_eq!(wrong(&edges("inspect-pass", "inspect-driver")).len(), 1);
        assert_eq!(wrong(&edge("inspect-pass", "inspect-driver", true)), [""; 0]);
        assert_eq!(wrong(&edge("inspect-core", "inspect-wire", true)).len(), 1, "tests are no excuse for everything");
    }

    #[test]
    fn a_module_that_uses_a_higher_one_and_one_on_no_floor_are_reported() {
        let folder = tempfile::tempdir().expect("a directory");
        std::fs::create_dir(folder.path().join("src")).expect("created");
        for (name, text) in [
            ("lib.rs", "mod high; mod low; mod other; fn f() { low::f(); high::g() }"),
            ("low.rs", "pub fn f() { crate::high::g() }"),
            ("high.rs", "pub fn g() { crate::low::f() }"),
            ("other.rs", ""),
        ] {
            std::fs::write(folder.path().join("src").join(name), text).expect("written");
        }
        let found = Crate::load(folder.path(), "c", "src").expect("it can be read");
        assert_eq!(unlisted(&found, &["low", "high", "other"]), [""; 0]);
        assert_eq!(unlisted(&found, &["low", "high"]).len(), 1);
        let expected = ["used upwards: c: low high, by crate::high::g in src/low.rs"];
        assert_eq!(upwards(&found, &["low", "high", "other"]), expected);
    }
}
