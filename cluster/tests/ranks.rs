//! `inspect-mpi` with several ranks on this machine: its answers are those of `inspect check`, whatever happens on the
//! way.
//!
//! `make test-cluster` builds what these tests run, `target/release/inspect` and `target/release/inspect-mpi`.
//! `INSPECT_LONG=1` repeats the tests with kills more often, and makes larger searches.

mod common;

use common::*;
use serde_json::Value;
use std::path::Path;
use std::process::{Child, Command, Output};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Locations are promoted in two of these programs, by whichever rank comes to a race first.
#[test]
fn ranks_find_what_one_process_finds() {
    let indexer = if is_long() { "N=17" } else { "N=15" };
    let four = ["PRODUCERS=4", "CONSUMERS=4", "SIZE=2"];
    let two = ["PRODUCERS=2", "CONSUMERS=2", "SIZE=2", "ITEMS=2"];
    let programs: [(&str, &[&str], &[&str]); 7] = [
        ("corpus/papers/indexer/prog.c", &[indexer], &[]),
        ("corpus/papers/boundedbuffer/prog.c", if is_long() { &four } else { &two }, &[]),
        ("corpus/papers/philosophers/prog.c", &[], &["--keep-going"]),
        ("corpus/sync/treiber/prog.c", &["OPERATIONS=\"uo\", \"uo\", \"uo\""], &["--keep-going"]),
        ("corpus/sync/peterson/prog.c", &[], &["--keep-going"]),
        ("host/tests/programs/late_races.c", &["ROUNDS=4"], &["--keep-going"]),
        // More threads than there is room for at first.
        ("corpus/semantics/crowd/prog.c", &["PAIR=1"], &[]),
    ];
    for (source, defines, options) in programs {
        let program = Program::compile(source, defines);
        let alone = program.alone(options);
        assert!(alone["executions"].as_u64() > Some(0), "{alone}");
        for ranks in [1, 2, 4, 8] {
            let shared = program.shared(ranks, options);
            assert_eq!(result(&shared), result(&alone), "{source} {defines:?}, {ranks} ranks: {shared}");
        }
    }
}

/// What one rank explores another one may explore again, so there may be more executions.
#[test]
fn ddpor_is_shared_and_each_trace_visited() {
    let program = Program::compile("corpus/counts/lastzero/prog.c", &["N=8"]);
    // (N + 3) * 2^(N - 2).
    let traces = 704;
    for ranks in [1, 2, 4] {
        let shared = program.shared(ranks, &["--algorithm", "ddpor"]);
        assert_eq!((&shared["verdict"], &shared["algorithm"]), (&"verified".into(), &"ddpor".into()), "{shared}");
        assert!(shared["executions"].as_u64() >= Some(traces), "{shared}");
    }
}

/// Each run is made by one of the ranks.
#[test]
fn a_search_that_samples_is_shared() {
    let four = ["PRODUCERS=2", "CONSUMERS=2", "SIZE=2", "ITEMS=2"];
    let program = Program::compile("corpus/papers/boundedbuffer/prog.c", &four);
    for strategy in ["random", "pct", "surw"] {
        let options = ["--algorithm", strategy, "--runs", "60000"];
        let alone = program.check(&options);
        assert_eq!(alone["executions"], 60_000, "{alone}");
        for ranks in [1, 2, 4] {
            let shared = program.shared(ranks, &options);
            assert_eq!(result(&shared), result(&alone), "{strategy}, {ranks} ranks: {shared}");
            assert_eq!(shared["guarantee"], alone["guarantee"], "{strategy}, {ranks} ranks");
        }
    }
}

#[test]
fn the_exit_status_is_that_of_inspect_check() {
    let wrong = Program::compile("corpus/papers/database/bad.c", &[]);
    let found = wrong.output(2, &[]);
    assert_eq!((report(&found)["verdict"].as_str(), found.status.code()), (Some("violated"), Some(1)), "{found:?}");
    assert!(!wrong.path("inspect-out/program.checkpoint").exists(), "a settled search leaves no checkpoint");
    let replay = report(&found)["findings"][0]["replay"].as_str().expect("a schedule").to_owned();
    let replayed = Command::new(tool("inspect")).arg("replay").arg(replay).current_dir(wrong.folder.path()).output();
    assert_eq!(replayed.expect("inspect starts").status.code(), Some(1));
    let long = Program::compile("corpus/papers/indexer/prog.c", &["N=17"]);
    let cut = long.output(2, &["--time-limit", "300ms"]);
    let (verdict, code) = (report(&cut)["verdict"].clone(), cut.status.code());
    assert_eq!((verdict.as_str(), code), (Some("inconclusive"), Some(3)), "{cut:?}");
    assert!(long.path("inspect-out/program.checkpoint").exists(), "an unsettled search leaves its checkpoint");
}

#[test]
fn what_the_ranks_cannot_share_is_refused_by_name() {
    let program = Program::compile("corpus/papers/indexer/prog.c", &["N=12"]);
    for (options, expected) in [
        (&["--algorithm", "dfs"][..], "--algorithm dfs is not for inspect-mpi"),
        (&["--algorithm", "stateful"], "algorithms that it goes with: optimal, ddpor"),
        (&["--preemptions", "2"], "--preemptions is not for inspect-mpi"),
        (&["--no-such-option"], "--no-such-option"),
    ] {
        let refused = program.output(2, options);
        assert_eq!(refused.status.code(), Some(2), "{refused:?}");
        assert!(errors(&refused).contains(expected), "{refused:?}");
    }
    let missing = mpirun(&[(2, tool("inspect-mpi"))], &[], Path::new("no-such-program")).output().expect("it ends");
    assert!(errors(&missing).contains("no-such-program: No such file"), "{missing:?}");
}

/// Starts rank 0 in one folder and another rank in a second one, where a name leads to other files.
fn in_two_folders(here: &Path, there: &Path) -> Output {
    let script = TempDir::new().expect("a temporary directory");
    let elsewhere = script.path().join("elsewhere");
    let text = format!("#!/bin/sh\ncd {}\nexec {} \"$@\"\n", there.display(), tool("inspect-mpi").display());
    std::fs::write(&elsewhere, text).expect("it can be written");
    let mut command = mpirun(&[], &[], Path::new(""));
    command.args(["-n", "1"]).arg(tool("inspect-mpi")).args(["check", "--json", "--quiet", "program"]);
    command.args([":", "-n", "1", "/bin/sh"]).arg(elsewhere).args(["check", "program"]);
    command.current_dir(here).output().expect("it ends")
}

/// By its name the second rank does find a program, but another one.
#[test]
fn a_rank_where_the_program_differs_is_named() {
    let here = Program::compile("corpus/papers/indexer/prog.c", &["N=12"]);
    let there = Program::compile("corpus/papers/indexer/prog.c", &["N=13"]);
    let refused = in_two_folders(here.folder.path(), there.folder.path());
    assert_eq!(refused.status.code(), Some(2), "{refused:?}");
    assert!(errors(&refused).contains("inspect-mpi: rank 1 on "), "{refused:?}");
    assert!(errors(&refused).contains("./program: not the file that rank 0 has there"), "{refused:?}");
}

/// Without a common file system the program is sent.
#[test]
fn a_rank_without_the_program_is_sent_it() {
    let alone = Program::compile("corpus/papers/indexer/prog.c", &["N=15"]);
    let empty = TempDir::new().expect("a temporary directory");
    let shared = report(&in_two_folders(alone.folder.path(), empty.path()));
    assert_eq!(result(&shared), result(&alone.alone(&[])), "{shared}");
    let wrong = Program::compile("corpus/papers/database/bad.c", &[]);
    let found = report(&in_two_folders(wrong.folder.path(), empty.path()));
    let replay = found["findings"][0]["replay"].as_str().expect("a schedule").to_owned();
    let replayed = Command::new(tool("inspect")).arg("replay").arg(replay).current_dir(wrong.folder.path()).output();
    assert_eq!(replayed.expect("inspect starts").status.code(), Some(1), "it replays where the program is");
    let left = std::fs::read_dir("/tmp").expect("readable").flatten().map(|entry| entry.file_name());
    let left: Vec<_> = left.filter(|name| name.to_string_lossy().starts_with("inspect-mpi-")).collect();
    assert!(left.is_empty(), "{left:?}");
}

/// Whichever process is killed: a guest, a rank, or what has started the ranks.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Victim {
    Guest,
    Rank,
    Job,
}

impl Victim {
    /// Kills one, at a random moment. Returns whether there was one.
    fn kill(self, job: &mut Child) -> bool {
        std::thread::sleep(Duration::from_millis(300 + chance(700)));
        let ranks = ranks_of(job.id(), None);
        let guests: Vec<u32> = ranks.iter().flat_map(|&rank| children(rank)).collect();
        let victims = match self {
            Victim::Guest => guests,
            Victim::Rank => ranks,
            Victim::Job => vec![job.id()],
        };
        if victims.is_empty() || job.try_wait().expect("it is our child").is_some() {
            return false;
        }
        signal(victims[chance(victims.len() as u64) as usize], "-KILL");
        true
    }
}

/// Kills processes of a search while it lasts, resumes it with another number of ranks if it does not survive that, and
/// returns its report and the number of kills.
fn disturbed(program: &Program, victim: Victim, options: &[&str]) -> (Value, u32) {
    let every = ["--checkpoint-interval", "50ms", "--checkpoint", "search.checkpoint"];
    let _ = std::fs::remove_file(program.path("search.checkpoint"));
    let mut killed = 0;
    loop {
        let is_kept = program.path("search.checkpoint").exists();
        let resume: &[&str] = if is_kept { &["--resume", "search.checkpoint"] } else { &[] };
        let mut job = program.start(2 + killed % 2, &[options, &every, resume].concat());
        if killed < 20 {
            killed += u32::from(victim.kill(&mut job));
        }
        let output = job.wait_with_output().expect("it ends");
        if let Ok(report) = serde_json::from_slice(&output.stdout) {
            return (report, killed);
        }
        assert!(victim != Victim::Guest, "a rank survives its guests: {output:?}");
        // What has survived its parent would write the checkpoint once more.
        std::thread::sleep(Duration::from_millis(300));
    }
}

/// Counts stay what they are, however often the work is interrupted.
#[test]
fn whoever_is_killed_the_totals_are_the_same() {
    let wanted = if is_long() { 50 } else { 3 };
    let program = Program::compile("corpus/papers/indexer/prog.c", &["N=16"]);
    let racy = Program::compile("host/tests/programs/late_races.c", &["ROUNDS=4"]);
    let (alone, racy_alone) = (program.alone(&[]), racy.alone(&["--keep-going"]));
    for victim in [Victim::Guest, Victim::Rank, Victim::Job] {
        let mut killed = 0;
        let until = Instant::now() + Duration::from_secs(3600);
        while killed < wanted && Instant::now() < until {
            let (report, kills) = disturbed(&program, victim, &[]);
            assert_eq!(result(&report), result(&alone), "{victim:?}, {kills} kills: {report}");
            let (report, more) = disturbed(&racy, victim, &["--keep-going"]);
            assert_eq!(result(&report), result(&racy_alone), "{victim:?}, {more} kills: {report}");
            killed += kills + more;
        }
        println!("{victim:?}: {killed} killed");
        assert!(killed >= wanted);
    }
}

/// As a batch system ends a job: all ranks get SIGTERM, and have some time.
#[test]
fn a_search_that_is_terminated_is_resumed_by_another_number_of_ranks() {
    let program = Program::compile("corpus/papers/indexer/prog.c", &["N=17"]);
    let alone = program.alone(&[]);
    let mut job = program.start(2, &[]);
    std::thread::sleep(Duration::from_millis(700));
    assert!(job.try_wait().expect("it is our child").is_none(), "the search is too short for this test");
    ranks_of(job.id(), None).into_iter().for_each(|rank| signal(rank, "-TERM"));
    let output = job.wait_with_output().expect("it ends");
    let cut = report(&output);
    assert_eq!((cut["verdict"].as_str(), output.status.code()), (Some("inconclusive"), Some(3)), "{cut}");
    assert!(cut["executions"].as_u64() < alone["executions"].as_u64(), "{cut}");
    let default = program.path("inspect-out/program.checkpoint");
    std::fs::copy(&default, program.path("kept.checkpoint")).expect("a copy");
    for (ranks, checkpoint) in [(1, "inspect-out/program.checkpoint"), (3, "kept.checkpoint")] {
        let resumed = program.shared(ranks, &["--resume", checkpoint]);
        assert_eq!(result(&resumed), result(&alone), "{resumed}");
    }
    assert!(!default.exists(), "a settled search leaves no checkpoint of its own");
    assert!(program.path("kept.checkpoint").exists(), "the user's own file stays");
}

/// Launchers pass on what ranks write, so new lines come now and then.
#[test]
fn a_long_search_says_how_it_stands() {
    let program = Program::compile("corpus/papers/indexer/prog.c", &["N=22"]);
    let mut command = mpirun(&[], &[], Path::new(""));
    command.args(["-n", "2"]).arg(tool("inspect-mpi")).args(["check", "-j", "1", "--time-limit", "15s", "./program"]);
    let output = command.current_dir(program.folder.path()).output().expect("it ends");
    let said = errors(&output);
    // It comes after ten seconds, later where writing the checkpoint takes long.
    let is_line = |line: &&str| line.starts_with("inspect: ") && line.contains(" s: ");
    let line = said.lines().find(is_line).unwrap_or_else(|| panic!("{output:?}"));
    assert!(line.contains(" executions, ") && line.ends_with(" of 2 at work"), "{line}");
}
