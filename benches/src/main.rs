//! Measures `inspect check` on programs of the corpus and prints the table that `make bench` shows.
//!
//! Each program is compiled once and then checked several times; the median counts. Times are those of the whole
//! `inspect check` process, its start and the confirmation of findings included, compilation excluded; on a machine
//! that is not quiet the processor time is the better measure. A count that is not the one derived in the corpus makes
//! the whole measurement fail, as a rate of wrong executions means nothing.
//!
//! Usage: `inspect-benches [--runs N] [--jobs N] [ROW...]`, where `--jobs` shares each search among N guests, or
//! `inspect-benches --first-bug [PROGRAM...]`, a table of its own, of all of `corpus/rare` or of the programs named
//! there; `INSPECT` names the binary (default: `target/release/inspect`).
#![forbid(unsafe_code)]

mod first_bug;
mod measure;
mod rows;

use measure::{Checked, CompiledProgram};
use rows::{ROWS, Row};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

struct Settings {
    inspect: PathBuf,
    corpus: PathBuf,
    runs: usize,
    jobs: Option<String>,
    only: Vec<String>,
    first_bug: bool,
}

fn main() -> ExitCode {
    match settings().and_then(|settings| table(&settings)) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("inspect-benches: {message}");
            ExitCode::FAILURE
        }
    }
}

fn settings() -> Result<Settings, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate lies in the repository");
    let inspect = std::env::var_os("INSPECT").map_or_else(|| root.join("target/release/inspect"), PathBuf::from);
    if !inspect.is_file() {
        return Err(format!("{} does not exist: run `make build` first", inspect.display()));
    }
    let mut settings =
        Settings { inspect, corpus: root.join("corpus"), runs: 5, jobs: None, only: Vec::new(), first_bug: false };
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        if arg == "--runs" {
            let runs = args.next().and_then(|n| n.parse().ok()).filter(|&n| n > 0);
            settings.runs = runs.ok_or("--runs wants a number from 1")?;
        } else if arg == "--first-bug" {
            settings.first_bug = true;
        } else if arg == "--jobs" {
            settings.jobs = Some(args.next().ok_or("--jobs wants a number")?);
        } else if settings.first_bug || ROWS.iter().any(|row| row.name == arg) {
            settings.only.push(arg);
        } else {
            let names: Vec<&str> = ROWS.iter().map(|row| row.name).collect();
            return Err(format!("no row {arg:?}; there are {names:?}"));
        }
    }
    Ok(settings)
}

/// Prints the table. False if a count was wrong.
fn table(settings: &Settings) -> Result<bool, String> {
    if settings.first_bug {
        return first_bug::table(&settings.inspect, &settings.corpus, &settings.only).map(|()| true);
    }
    println!(
        "| program | executions | seconds | processor seconds | executions/s | goal | best peer | factor | guest MiB | host MiB |"
    );
    println!("|---|--:|--:|--:|--:|---|--:|--:|--:|--:|");
    let mut right = true;
    let mut factors = Vec::new();
    for row in ROWS {
        // Of the searches that the rows name, none can be shared.
        let shared = settings.jobs.is_none() || !row.flags.contains(&"--algorithm");
        if !shared || !settings.only.is_empty() && !settings.only.iter().any(|name| name == row.name) {
            continue;
        }
        match measured(settings, row) {
            Ok(checked) => {
                right &= show(row, &checked);
                factors.extend(row.peer_seconds.map(|peer| peer / checked.seconds));
            }
            Err(message) => {
                right = false;
                println!("| {} | {message} | | | | | | | | |", row.name);
            }
        }
    }
    if !factors.is_empty() {
        let mean = (factors.iter().map(|factor| factor.ln()).sum::<f64>() / factors.len() as f64).exp();
        let least = factors.iter().copied().fold(f64::INFINITY, f64::min);
        println!("\nfactor to the best peer: {mean:.1} in the geometric mean, at least {least:.1}");
    }
    if settings.only.is_empty() {
        right &= extras(settings)?;
    }
    Ok(right)
}

/// The median of several checks of a row's program.
fn measured(settings: &Settings, row: &Row) -> Result<Checked, String> {
    let program =
        CompiledProgram::compile(&settings.inspect, &settings.corpus.join(row.source), row.defines, row.build)?;
    let runs = if row.long { 1 } else { settings.runs };
    let jobs = settings.jobs.iter().flat_map(|jobs| ["-j", jobs]);
    let flags: Vec<&str> = row.flags.iter().copied().chain(jobs).collect();
    let mut all = Vec::new();
    for _ in 0..runs {
        all.push(program.check(&settings.inspect, &flags)?);
    }
    all.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
    Ok(all.swap_remove(runs / 2))
}

fn show(row: &Row, checked: &Checked) -> bool {
    let right = row.executions == checked.executions && checked.blocked == 0;
    let count = if right {
        checked.executions.to_string()
    } else {
        format!("WRONG: {} and {} blocked, not {}", checked.executions, checked.blocked, row.executions)
    };
    let rate = checked.executions as f64 / checked.seconds;
    let peer = row.peer_seconds.map_or(String::new(), |seconds| format!("{seconds} s"));
    let factor = row.peer_seconds.map_or(String::new(), |seconds| format!("{:.1}", seconds / checked.seconds));
    println!(
        "| {} | {count} | {:.3} | {:.3} | {rate:.0} | {} | {peer} | {factor} | {} | {} |",
        row.name,
        checked.seconds,
        checked.cpu_seconds,
        row.goal,
        mebibytes(checked.guest_kib),
        mebibytes(checked.host_kib)
    );
    right
}

fn mebibytes(kib: Option<u64>) -> String {
    kib.map_or("?".to_string(), |kib| format!("{:.1}", kib as f64 / 1024.0))
}

/// Prints the two figures that have no rows: restore against fork, and the time of a small check with its compilation.
fn extras(settings: &Settings) -> Result<bool, String> {
    let source = settings.corpus.join("bench/fifty/prog.c");
    let program = CompiledProgram::compile(&settings.inspect, &source, &["ROUNDS=3"], &[])?;
    let fork = program.check(&settings.inspect, &["--mode", "fork"])?;
    let large = CompiledProgram::compile(&settings.inspect, &source, &[], &[])?.check(&settings.inspect, &[])?;
    let rate = |checked: &Checked| checked.executions as f64 / checked.own_seconds;
    println!(
        "\nrestore {:.0}/s, fork {:.0}/s: {:.0} times (goal: 40)",
        rate(&large),
        rate(&fork),
        rate(&large) / rate(&fork)
    );
    let mut seconds = Vec::new();
    for _ in 0..settings.runs {
        seconds.push(measure::check_source(&settings.inspect, &settings.corpus.join("papers/philosophers/prog.c"))?);
    }
    seconds.sort_by(f64::total_cmp);
    println!("check of a program of 50 lines, compilation included: {:.2} s (goal: 1 s)", seconds[seconds.len() / 2]);
    Ok(fork.executions == 560)
}
