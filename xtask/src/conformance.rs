//! Tests that others have of the threads API, run under `inspect check`: `cargo xtask conformance` fetches Debian's
//! source packages, builds each program of `corpus/conformance/programs.txt` against the small test support beside it,
//! compares the verdict with the one given there. `cargo xtask conformance --write` makes docs/conformance.md of the
//! list.

mod programs;

use programs::{Expected, Program};
use serde_json::Value;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

type Error = Box<dyn std::error::Error>;

/// The document, below the root.
const DOCUMENT: &str = "docs/conformance.md";
/// A folder of tests in one of Debian's source packages.
struct Folder {
    package: &'static str,
    /// Where it is in the package.
    path: &'static str,
    /// Where its files are copied to, beside the test support in the place where they look for it.
    copy: &'static str,
    /// How the names of the files begin.
    prefix: &'static str,
    /// The file of the test support that they include, and by which name below `copy`.
    support: (&'static str, &'static str),
}

const FOLDERS: [Folder; 3] = [
    Folder {
        package: "glibc",
        path: "sysdeps/pthread",
        copy: "sysdeps/pthread",
        prefix: "",
        support: ("test-skeleton.c", "../test-skeleton.c"),
    },
    Folder {
        package: "glibc",
        path: "nptl",
        copy: "nptl",
        prefix: "tst-",
        support: ("test-skeleton.c", "../test-skeleton.c"),
    },
    Folder {
        package: "mingw-w64",
        path: "mingw-w64-libraries/winpthreads/tests_pthread",
        copy: "winpthreads",
        prefix: "",
        support: ("winpthreads.h", "test.h"),
    },
];
/// The list of programs.
const LIST: &str = include_str!("../../corpus/conformance/programs.txt");
/// What a program may take.
const TIME_LIMIT: &str = "10s";

/// Where things are.
struct Paths {
    inspect: PathBuf,
    /// The test support.
    support: PathBuf,
    /// Copies of the packages' tests.
    tests: PathBuf,
}

/// Runs the programs whose names contain `filter`. An answer that is not that of the list is an error.
pub(crate) fn run(root: &Path, filter: &str) -> Result<(), Error> {
    let support = root.join("corpus/conformance");
    let paths = Paths {
        inspect: std::env::var_os("INSPECT").map_or_else(|| root.join("target/release/inspect"), PathBuf::from),
        tests: root.join("target/conformance/tests"),
        support,
    };
    let programs = programs::parse(LIST)?;
    prepare(root, &paths)?;
    let mut different = Vec::new();
    for program in programs.iter().filter(|program| program.name.contains(filter)) {
        let answer = answer(&paths, program)?;
        println!("{}: {answer}", program.name);
        if !program.expected.fits(&answer) {
            different.push(format!("{}: {answer}, expected {}", program.name, program.expected.words()));
        }
    }
    if !different.is_empty() {
        return Err(different.join("\n").into());
    }
    Ok(())
}

/// Writes the document.
pub(crate) fn write(root: &Path) -> Result<(), Error> {
    Ok(std::fs::write(root.join(DOCUMENT), document(&programs::parse(LIST)?))?)
}

/// Fetches the packages, and copies their tests and the support.
fn prepare(root: &Path, paths: &Paths) -> Result<(), Error> {
    let sources = root.join("target/conformance");
    let mut fetch = Command::new("sh");
    fetch.arg(root.join("scripts/fetch-real-program.sh")).arg(&sources);
    succeed(fetch.args(FOLDERS.iter().map(|folder| folder.package)))?;
    if paths.tests.exists() {
        std::fs::remove_dir_all(&paths.tests)?;
    }
    for folder in &FOLDERS {
        let copy = paths.tests.join(folder.copy);
        std::fs::create_dir_all(&copy)?;
        for entry in std::fs::read_dir(sources.join(folder.package).join(folder.path))? {
            let (path, name) = entry.map(|entry| (entry.path(), entry.file_name()))?;
            let is_source = path.extension().is_some_and(|extension| extension == "c" || extension == "h");
            if is_source && name.to_string_lossy().starts_with(folder.prefix) {
                std::fs::copy(&path, copy.join(name))?;
            }
        }
        std::fs::copy(paths.support.join(folder.support.0), copy.join(folder.support.1))?;
    }
    Ok(())
}

fn succeed(command: &mut Command) -> Result<(), Error> {
    if command.status()?.success() { Ok(()) } else { Err(format!("{command:?} failed").into()) }
}

/// The verdict, and of a violation the kinds of errors.
fn answer(paths: &Paths, program: &Program) -> Result<String, Error> {
    let source = paths.tests.join(format!("{}.c", program.name));
    let sized = paths.tests.join(format!("{}-sized.c", program.name));
    let text = std::fs::read_to_string(&source)?;
    std::fs::write(&sized, program.sized(&text)?)?;
    let include = |folder: &Path| format!("--cflag=-I{}", folder.display());
    let output = Command::new(&paths.inspect)
        .args(["check", "--json", "--no-minimise", "--error", "exit-status", "--time-limit", TIME_LIMIT])
        .args(["--cflag=-D_GNU_SOURCE", "--cflag=-w", "--cflag=-O1"])
        .args([include(&paths.support), include(&paths.tests), include(&paths.tests.join(FOLDERS[0].copy))])
        .arg(format!("--out={}", paths.tests.join("out").display()))
        .arg(&sized)
        .output()?;
    let Ok(report) = serde_json::from_slice::<Value>(&output.stdout) else {
        return Err(format!("{}: {}", program.name, String::from_utf8_lossy(&output.stderr)).into());
    };
    let errors = report["findings"].as_array().into_iter().flatten().filter(|finding| finding["severity"] == "error");
    let kinds: Vec<&str> = errors.filter_map(|finding| finding["kind"].as_str()).collect();
    Ok([report["verdict"].as_str().unwrap_or("no verdict")].into_iter().chain(kinds).collect::<Vec<_>>().join(" "))
}

/// Which answers a section of the document has.
type Wanted = fn(&Expected) -> bool;

fn document(programs: &[Program]) -> String {
    let mut text = format!("{}\n", include_str!("conformance/introduction.md").trim_end());
    let right = programs.iter().filter(|program| program.expected.is_right()).count();
    let _ = writeln!(
        text,
        "\n{} programs: {right} have the verdict that they should have, {} do not.\n",
        programs.len(),
        programs.len() - right
    );
    let sections: [(&str, Wanted); 4] = [
        ("Verified", |expected| matches!(expected, Expected::Verified)),
        ("Violated, as they should be", |expected| matches!(expected, Expected::Violated { .. })),
        ("Inconclusive", |expected| matches!(expected, Expected::Inconclusive(_))),
        ("Violated, and should not be", |expected| matches!(expected, Expected::Wrong { .. })),
    ];
    for (title, wanted) in sections {
        section(&mut text, title, programs, wanted);
    }
    text
}

fn section(text: &mut String, title: &str, programs: &[Program], wanted: Wanted) {
    let _ = writeln!(text, "## {title}: {}\n", programs.iter().filter(|program| wanted(&program.expected)).count());
    let _ = writeln!(text, "| program | sizes | answer and reason |\n|---|---|---|");
    for program in programs.iter().filter(|program| wanted(&program.expected)) {
        let _ = writeln!(text, "| {} | {} | {} |", program.name, program.sizes(), program.expected.words());
    }
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_document_is_what_the_list_says() {
        let written = std::fs::read_to_string(crate::guest::root().join(DOCUMENT)).unwrap_or_default();
        let programs = programs::parse(LIST).expect("every line fits");
        assert!(written == document(&programs), "{DOCUMENT} is out of date: cargo xtask conformance --write");
    }
}
