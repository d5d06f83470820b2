//! Runs until the first bug: how many executions each strategy that samples draws before it shows a bug of
//! `corpus/rare`.
//!
//! Of each program the last case that has seeds is measured, the hardest one that is expected to be found.

use crate::measure::CompiledProgram;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The columns.
const STRATEGIES: [&str; 6] = ["random", "pct", "pos", "surw", "delay", "rff"];
/// The table has the median of the searches with so many seeds.
const SEEDS: u64 = 3;
/// What a search may take.
const LIMITS: [&str; 4] = ["--runs", "20000", "--time-limit", "3s"];

#[derive(Deserialize)]
struct Expectations {
    case: Vec<Case>,
}

/// What is read here of a case of `expect.toml`.
#[derive(Deserialize)]
struct Case {
    name: String,
    sources: Vec<String>,
    #[serde(default)]
    defines: BTreeMap<String, toml::Value>,
    #[serde(default)]
    cflags: Vec<String>,
    seeds: Option<u32>,
    known_miss: Option<toml::Value>,
}

/// Prints the table: the rows of `only`, or all of them if that names none.
pub(crate) fn table(inspect: &Path, corpus: &Path, only: &[String]) -> Result<(), String> {
    println!("| case | {} |\n|---|{}|", STRATEGIES.join(" | "), ["--:"; STRATEGIES.len()].join("|"));
    let entries = std::fs::read_dir(corpus.join("rare")).map_err(|error| error.to_string())?;
    let mut folders: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    folders.sort();
    let name = |folder: &Path| folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    if let Some(unknown) = only.iter().find(|only| !folders.iter().any(|folder| name(folder) == **only)) {
        return Err(format!("no program {unknown:?} in corpus/rare"));
    }
    folders.retain(|folder| only.is_empty() || only.contains(&name(folder)));
    for folder in folders.iter().filter(|folder| folder.join("expect.toml").is_file()) {
        if let Some(case) = hardest(folder)? {
            let name = name(folder);
            println!("| `{name}` {} | {} |", words(&case), cells(inspect, folder, &case)?.join(" | "));
        }
    }
    Ok(())
}

fn hardest(folder: &Path) -> Result<Option<Case>, String> {
    let path = folder.join("expect.toml");
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let all: Expectations = toml::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))?;
    let measured = |case: &Case| case.seeds.is_some() && case.known_miss.is_none();
    Ok(all.case.into_iter().rfind(measured))
}

fn words(case: &Case) -> &str {
    case.name.trim_start_matches("bad").trim_start_matches(", ").trim_end_matches(", auto")
}

/// By strategy: the median number of runs up to the first bug, or a dash where most searches found none.
fn cells(inspect: &Path, folder: &Path, case: &Case) -> Result<Vec<String>, String> {
    let defines: Vec<String> = case.defines.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let defines: Vec<&str> = defines.iter().map(String::as_str).collect();
    let cflags: Vec<&str> = case.cflags.iter().map(String::as_str).collect();
    let program = CompiledProgram::compile(inspect, &folder.join(&case.sources[0]), &defines, &cflags)?;
    STRATEGIES.iter().map(|strategy| cell(inspect, &program, strategy)).collect()
}

fn cell(inspect: &Path, program: &CompiledProgram, strategy: &str) -> Result<String, String> {
    let mut runs = Vec::new();
    for seed in 0..SEEDS {
        runs.push(runs_to_bug(inspect, program, strategy, seed)?.unwrap_or(u64::MAX));
    }
    runs.sort_unstable();
    let median = runs[runs.len() / 2];
    Ok(if median == u64::MAX { "-".to_owned() } else { median.to_string() })
}

fn runs_to_bug(inspect: &Path, program: &CompiledProgram, strategy: &str, seed: u64) -> Result<Option<u64>, String> {
    let mut command = Command::new(inspect);
    command.args(["check", "--json", "--quiet", "--no-minimise", "--algorithm", strategy, "--seed", &seed.to_string()]);
    command.args(LIMITS).arg("--out").arg(program.folder()).arg(program.path());
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    let report: serde_json::Value =
        serde_json::from_slice(&output.stdout).map_err(|error| format!("{error}: {command:?}"))?;
    if report["verdict"] != "violated" {
        return Ok(None);
    }
    let number =
        report["reason"].as_str().and_then(|reason| reason.strip_prefix("sampled ")?.split(' ').next()?.parse().ok());
    number.map(Some).ok_or_else(|| format!("{report} does not say how many runs were sampled"))
}
