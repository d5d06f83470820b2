//! Runs `inspect check` on every program of `corpus/` and compares verdict, counts and findings with its `expect.toml`;
//! every finding is then replayed again and again in fresh processes and must show the same each time.
//!
//! Environment: `INSPECT` is the binary to test (default: `target/release/inspect`, which `make build` makes);
//! `INSPECT_REPLAYS` is how often a finding is replayed (default 2); `INSPECT_LONG=1` runs the
//! cases marked `long` as well, every small case a second time in fork mode, and compares `--symmetry` with the search
//! without it, the two kinds of local states with each other, how many preemptions a finding needs with bounded
//! searches (for `corpus/findings` always), searches with `--uninitialised` with those without it (for `corpus/cxx`
//! always), the time of `--algorithm auto` with that of each search alone, and makes
//! the cases that have `seeds` with each of them. `INSPECT_CFLAGS` are further flags of the compiler: whatever the
//! optimiser makes of the program after the hooks stand, verdicts, counts and findings are the same with `-O2`.

mod compare;
mod expect;
mod files;
mod local_states;
mod markers;
mod portfolio;
mod preemptions;
mod report;
mod run;
mod seeds;
mod symmetry;
mod uninitialised;

use expect::{Case, Expectations};
use libtest_mimic::{Arguments, Failed, Trial};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The settings of the whole test run, from the environment.
struct Settings {
    inspect: PathBuf,
    replays: u32,
    long: bool,
    /// Whether there is a rustc whose bitcode Inspect reads. Without one the programs of `rust/` are ignored.
    rust: bool,
}

impl Settings {
    fn from_environment() -> Self {
        let root = repository();
        let inspect = std::env::var_os("INSPECT").map_or_else(|| root.join("target/release/inspect"), PathBuf::from);
        let replays = std::env::var("INSPECT_REPLAYS").ok().and_then(|n| n.parse().ok()).unwrap_or(2);
        Settings { inspect, replays, long: std::env::var_os("INSPECT_LONG").is_some(), rust: has_rust() }
    }

    /// Whether the case can be run here, and is to be.
    fn runs(&self, program: &Program, case: &Case) -> bool {
        (self.long || !case.long) && (self.rust || !program.name.starts_with("rust/"))
    }
}

fn has_rust() -> bool {
    let said = std::process::Command::new("rustc").arg("-vV").output();
    let reads = said.is_ok_and(|said| String::from_utf8_lossy(&said.stdout).contains("LLVM version: 22."));
    if !reads {
        println!("skipped: rust/: no rustc with LLVM 22");
    }
    reads
}

/// One program of the corpus: a directory with sources and an `expect.toml`.
struct Program {
    /// The directory.
    directory: PathBuf,
    /// `topic/program`.
    name: String,
}

fn main() {
    let settings = Arc::new(Settings::from_environment());
    let mut trials = Vec::new();
    for program in programs(&repository().join("corpus")) {
        let program = Arc::new(program);
        match Expectations::read(&program.directory) {
            Ok(expectations) => {
                let mut subjects = BTreeSet::new();
                for case in expectations.cases {
                    if subjects.insert(symmetry::subject(&case)) && !case.long {
                        let comparisons: [(&str, Comparison, bool); 5] = [
                            ("portfolio", portfolio::check, settings.long && portfolio::is_compared(&case)),
                            ("symmetry", symmetry::check, settings.long),
                            ("local states", local_states::check, settings.long),
                            ("uninitialised", uninitialised::check, settings.long || program.name.starts_with("cxx/")),
                            ("preemptions", preemptions::check, settings.long || program.name.starts_with("findings/")),
                        ];
                        for compared in comparisons {
                            trials.push(comparison(compared, &settings, &program, case.clone()));
                        }
                    }
                    if case.seeds.is_some() && case.known_miss.is_none() {
                        let every_seed: (&str, Comparison, bool) = ("seeds", seeds::check, settings.long);
                        trials.push(comparison(every_seed, &settings, &program, case.clone()));
                    }
                    trials.push(trial(&settings, &program, case));
                }
            }
            Err(message) => {
                trials.push(Trial::test(program.name.clone(), move || Err(Failed::from(message.clone()))));
            }
        }
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

fn trial(settings: &Arc<Settings>, program: &Arc<Program>, case: Case) -> Trial {
    let miss = if case.known_miss.is_some() { "known_miss_" } else { "" };
    let name = match &case.name {
        Some(name) => format!("{miss}{} [{name}]", program.name),
        None => format!("{miss}{}", program.name),
    };
    let ignored = !settings.runs(program, &case);
    let (settings, program) = (settings.clone(), program.clone());
    Trial::test(name, move || check(&settings, &program, &case).map_err(Failed::from)).with_ignored_flag(ignored)
}

/// Compares searches of one program: the binary, the program's folder, a case.
type Comparison = fn(&Path, &Path, &Case) -> Result<(), String>;

/// A comparison of searches of one program, and whether it is made.
fn comparison(
    (what, check, is_made): (&str, Comparison, bool),
    settings: &Arc<Settings>,
    program: &Arc<Program>,
    case: Case,
) -> Trial {
    let name = format!("{what} of {} [{}]", program.name, case.name.as_deref().unwrap_or_default());
    let ignored = !(is_made && settings.runs(program, &case));
    let (settings, program) = (settings.clone(), program.clone());
    let check = move || check(&settings.inspect, &program.directory, &case).map_err(Failed::from);
    Trial::test(name, check).with_ignored_flag(ignored)
}

fn check(settings: &Settings, program: &Program, case: &Case) -> Result<(), String> {
    if !settings.inspect.is_file() {
        return Err(format!("{} does not exist: run `make build` first", settings.inspect.display()));
    }
    let scene = run::Scene::set(&program.directory, case)?;
    // Rust's library is most of a program that has it: but in the long form, it is built once for all.
    let scene = match program.name.strip_prefix("rust/") {
        Some(name) if !settings.long => scene.within(repository().join("corpus/rust/all.rs"), name),
        Some(_) | None => scene,
    };
    let case = &if case.seeds.is_some() { seeds::with_first_seed(case) } else { case.clone() };
    let outcome = scene.check(&settings.inspect, case, false)?;
    let markers = markers::read(&scene.sources)?;
    compare::outcome(case, &outcome, &markers)?;
    scene.untouched(case)?;
    // In fork mode each process makes one run and would not recognise the states of others: the option is refused.
    // A rare bug needs more executions than a second's worth of children.
    let forks = case.mode.is_none() && case.algorithm.as_deref() != Some("stateful") && case.seeds.is_none();
    if outcome.report.executions <= SMALL && settings.long && forks {
        let again = scene.check(&settings.inspect, case, true)?;
        compare::outcome(case, &again, &markers).map_err(|difference| format!("in fork mode: {difference}"))?;
    }
    for finding in &outcome.report.findings {
        run::replays(&settings.inspect, &scene, finding, settings.replays)?;
    }
    Ok(())
}

/// Cases with at most so many executions are repeated in fork mode.
const SMALL: u64 = 2_000;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the host's folder lies in the repository").to_path_buf()
}

/// Every directory below `corpus` that has an `expect.toml`, by name.
fn programs(corpus: &Path) -> Vec<Program> {
    let mut found = Vec::new();
    let mut open = vec![corpus.to_path_buf()];
    while let Some(directory) = open.pop() {
        let entries = std::fs::read_dir(&directory).expect("the corpus can be read");
        for entry in entries.map(|entry| entry.expect("the corpus can be read").path()) {
            if entry.is_dir() {
                open.push(entry);
            } else if entry.file_name().is_some_and(|name| name == "expect.toml") {
                let name = directory.strip_prefix(corpus).expect("below the corpus").display().to_string();
                found.push(Program { directory: directory.clone(), name });
            }
        }
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found
}
