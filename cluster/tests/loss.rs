//! What is lost, or was never there: a rank, a launcher, the disk, another version. Each has a clear message, and what
//! was done is kept.

mod common;

use common::*;
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

/// Starts `inspect-mpi --restarts` with so many ranks of a search.
fn supervised(program: &Program, restarts: &str, ranks: u32, options: &[&str]) -> Child {
    let inner = mpirun(&[(ranks, tool("inspect-mpi"))], options, &program.path("program"));
    let mut command = Command::new(tool("inspect-mpi"));
    command.args(["--restarts", restarts]).arg(inner.get_program()).args(inner.get_args());
    command.envs(inner.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.current_dir(program.folder.path()).spawn().expect("it starts")
}

/// Kills processes of a supervised search at random moments: any rank, the leader, the launcher. Returns its output and
/// the number of kills.
fn killed_at_random(program: &Program, wanted: u32, options: &[&str]) -> (Output, u32) {
    let mut job = supervised(program, "100", 2, options);
    let mut killed = 0;
    while killed < wanted {
        std::thread::sleep(Duration::from_millis(500 + chance(700)));
        if job.try_wait().expect("it is our child").is_some() {
            break;
        }
        let victims = match chance(3) {
            0 => ranks_of(job.id(), None),
            1 => ranks_of(job.id(), Some("0")),
            _ => children(job.id()),
        };
        if let Some(&victim) = victims.get(chance(victims.len().max(1) as u64) as usize) {
            signal(victim, "-KILL");
            killed += 1;
        }
    }
    (job.wait_with_output().expect("it ends"), killed)
}

/// How often each search may be repeated until as many processes were killed as a test wants.
const ROUNDS: usize = 50;

/// `--restarts` goes on by itself, with the same totals in the end.
#[test]
fn a_search_that_restarts_has_the_same_totals() {
    let program = Program::compile("corpus/papers/indexer/prog.c", &["N=17"]);
    let racy = Program::compile("host/tests/programs/late_races.c", &["ROUNDS=4"]);
    let searches = [(&program, &[][..]), (&racy, &["--keep-going"])].map(|(program, options)| {
        let every = ["--checkpoint-interval", "50ms"];
        (program, [options, &every].concat(), result(&program.alone(options)))
    });
    let wanted = if is_long() { 20 } else { 3 };
    let mut killed = 0;
    // How often a search can be disturbed before it is over depends on the machine.
    for (program, options, alone) in searches.iter().cycle().take(2 * ROUNDS) {
        let (output, kills) = killed_at_random(program, wanted - killed, options);
        assert_eq!(&result(&report(&output)), alone, "{kills} kills: {output:?}");
        let said = errors(&output).matches("the job was lost").count();
        assert!(said as u32 <= kills, "{output:?}");
        assert!(!program.path("inspect-out/program.checkpoint").exists(), "a settled search leaves no checkpoint");
        killed += kills;
        println!("{killed} kills");
        if killed >= wanted {
            return;
        }
    }
    panic!("only {killed} kills of {wanted} were made");
}

#[test]
fn the_status_of_a_search_that_restarts_is_that_of_inspect_check() {
    let wrong = Program::compile("corpus/papers/database/bad.c", &[]);
    let found = supervised(&wrong, "2", 2, &[]).wait_with_output().expect("it ends");
    assert_eq!((report(&found)["verdict"].as_str(), found.status.code()), (Some("violated"), Some(1)), "{found:?}");
    let left = std::fs::read_dir(wrong.path("inspect-out")).expect("a folder").flatten();
    let left: Vec<_> =
        left.map(|entry| entry.file_name()).filter(|name| !name.to_string_lossy().ends_with(".schedule")).collect();
    assert!(left.is_empty(), "{left:?}");
}

/// An indexer of which nobody sees the end: 8^(N-11) executions.
const LONG: [&str; 1] = ["N=19"];

/// Without a restart left, what was done is kept, and said to be.
#[test]
fn a_job_whose_leader_is_killed_says_how_to_go_on() {
    let program = Program::compile("corpus/papers/indexer/prog.c", &LONG);
    let job = supervised(&program, "0", 2, &["--checkpoint-interval", "50ms"]);
    std::thread::sleep(Duration::from_millis(1500));
    let leader = ranks_of(job.id(), Some("0"));
    assert_eq!(leader.len(), 1, "the leader runs");
    signal(leader[0], "-KILL");
    let output = job.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let how = "no restart is left: --resume inspect-out/program.checkpoint goes on";
    assert!(errors(&output).contains(how), "{output:?}");
    assert!(program.path("inspect-out/program.checkpoint").exists());
}

/// A batch system may end the process that was started in the script, and nobody else.
#[test]
fn a_search_that_restarts_can_be_terminated() {
    let program = Program::compile("corpus/papers/indexer/prog.c", &LONG);
    let job = supervised(&program, "5", 2, &[]);
    std::thread::sleep(Duration::from_millis(1500));
    signal(job.id(), "-TERM");
    let output = job.wait_with_output().expect("it ends");
    assert!(!errors(&output).contains("going on from"), "{output:?}");
    assert!(program.path("inspect-out/program.checkpoint").exists());
}

#[test]
fn launchers_and_ranks_that_cannot_start_are_named() {
    let program = Program::compile("corpus/papers/indexer/prog.c", &["N=12"]);
    let start = |words: &[&str]| {
        let mut command = Command::new(tool("inspect-mpi"));
        command.args(["--restarts", "3"]).args(words).current_dir(program.folder.path());
        command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
        command.output().expect("it starts")
    };
    let none = start(&["no-such-mpirun", "-n", "2", "inspect-mpi", "check", "./program"]);
    assert_eq!(none.status.code(), Some(2), "{none:?}");
    assert_eq!(errors(&none), "inspect-mpi: no-such-mpirun: No such file or directory\n");
    // The launcher names the rank's program, and there is nothing to go on from.
    let no_rank = start(&["mpirun", "-n", "1", "/nowhere/inspect-mpi", "check", "./program"]);
    assert_eq!(no_rank.status.code(), Some(2), "{no_rank:?}");
    assert!(errors(&no_rank).contains("/nowhere/inspect-mpi"), "{no_rank:?}");
    assert!(errors(&no_rank).contains("the job has ended before the search began"), "{no_rank:?}");
    assert_eq!(errors(&no_rank).matches("the job").count(), 1, "it is not started again: {no_rank:?}");
}

/// The second rank is a copy of the tool with another byte at its end, as if it were of another build.
#[test]
fn a_rank_of_another_build_is_named() {
    let program = Program::compile("corpus/papers/indexer/prog.c", &["N=12"]);
    let other = program.path("bin/inspect-mpi");
    std::fs::create_dir(program.path("bin")).expect("a folder");
    // What the tool looks for beside itself.
    for library in ["libinspect_guest.so", "libinspect_guest_many.so", "libinspect_pass.so"] {
        std::os::unix::fs::symlink(tool(library), program.path("bin").join(library)).expect("a link");
    }
    let mut bytes = std::fs::read(tool("inspect-mpi")).expect("readable");
    bytes.push(0);
    std::fs::write(&other, bytes).expect("writable");
    let runs = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&other, runs).expect("it may be changed");
    let ranks = [(1, tool("inspect-mpi")), (1, other)];
    let refused = mpirun(&ranks, &[], &program.path("program")).output().expect("it ends");
    assert_eq!(refused.status.code(), Some(2), "{refused:?}");
    assert!(errors(&refused).contains("another version or build of Inspect there"), "{refused:?}");
    assert!(errors(&refused).contains("inspect-mpi: rank 1 on "), "{refused:?}");
}

/// Two ranks that keep their checkpoint on a file system of this size, in a mount namespace of its own; `filler` is run
/// before they start. None if there can be no such namespace.
fn on_small_disk(program: &Program, size: &str, filler: &str, options: &[&str]) -> Option<Output> {
    let full = program.path("full");
    std::fs::create_dir_all(&full).expect("a folder");
    let options = [options, &["--keep-going", "--checkpoint", "full/c", "--checkpoint-interval", "20ms"]].concat();
    let inner = mpirun(&[(2, tool("inspect-mpi"))], &options, &program.path("program"));
    let script = "mount -t tmpfs -o size=$1 none \"$2\" || exit 77
        sh -c \"$3\" filler \"$2\"
        shift 3
        exec \"$@\"";
    let mut command = Command::new("unshare");
    command.args(["-rm", "sh", "-c", script, "sh", size]).arg(&full).arg(filler);
    command.arg(inner.get_program()).args(inner.get_args());
    command.envs(inner.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let output = command.stdin(Stdio::null()).current_dir(program.folder.path()).output().expect("unshare is there");
    let is_skipped = output.status.code() == Some(77) || errors(&output).starts_with("unshare");
    if is_skipped {
        println!("skipped: no mount namespace can be had here: {output:?}");
    }
    (!is_skipped).then_some(output)
}

const FULL: &str = "full/c: cannot write the checkpoint: No space left on device";

#[test]
fn a_disk_that_is_full_from_the_start_is_named() {
    let program = Program::compile("host/tests/programs/late_races.c", &["ROUNDS=4"]);
    let filler = "head -c 65536 /dev/zero > \"$1/filler\"";
    let Some(refused) = on_small_disk(&program, "4k", filler, &[]) else { return };
    assert_eq!(refused.status.code(), Some(2), "{refused:?}");
    assert!(errors(&refused).contains(FULL), "{refused:?}");
}

/// The first checkpoint takes the only page there is, and the next one has to be written beside it.
#[test]
fn a_disk_that_is_full_later_is_named_and_what_was_found_is_reported() {
    let program = Program::compile("host/tests/programs/late_races.c", &["ROUNDS=4"]);
    let Some(found) = on_small_disk(&program, "4k", ":", &["--max-executions", "3000"]) else { return };
    let answer = report(&found);
    assert!(!answer["findings"].as_array().expect("a list").is_empty(), "{answer}");
    let reason = answer["reason"].as_str().unwrap_or_default();
    assert!(reason.contains(&format!("{FULL}; the file has what was done when it was last written")), "{answer}");
    assert_eq!(found.status.code(), Some(1), "{found:?}");
}
