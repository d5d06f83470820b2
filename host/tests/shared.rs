//! Searches shared by several guests, and searches that are stopped and resumed: they have the executions and findings
//! of one undisturbed guest, whichever process is killed meanwhile.
//!
//! `INSPECT_LONG=1` repeats the tests with random kills more often. `INSPECT` names the binary to test; by default
//! `target/release/inspect`, which `make build` makes.

mod division;
mod processes;
mod sampled;

use division::{chance, divided};
use inspect_core::explore::{Algorithm, BacktrackSets, SamplingOptions};
use inspect_host::run::Target;
use inspect_wire::message::{
    CHECKPOINT_EVERY, Heap, Job, LocalStates, MAX_COMPUTATION, Mode, PlainAccesses, Task, VolatileAccesses,
};
use nix::sys::signal::Signal;
use processes::{children, signal};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the host's folder lies in the repository").to_path_buf()
}

fn inspect() -> PathBuf {
    let path = std::env::var_os("INSPECT").map_or_else(|| repository().join("target/release/inspect"), PathBuf::from);
    assert!(path.is_file(), "{} does not exist: run `make build` first", path.display());
    path
}

/// How often a search may be repeated until it was disturbed as often as a test wants. How often it can be disturbed
/// before it is over depends on the machine; its result must not.
const ROUNDS: u32 = 200;

/// The number of kills of a test: `short`, or `long` with `INSPECT_LONG=1`.
fn kills(short: u32, long: u32) -> u32 {
    if std::env::var_os("INSPECT_LONG").is_some() { long } else { short }
}

/// A compiled program in a folder of its own.
struct Program {
    folder: TempDir,
}

impl Program {
    fn compile(source: &str, defines: &[&str]) -> Program {
        Program::compile_with(source, defines, &[])
    }

    fn compile_with(source: &str, defines: &[&str], flags: &[&str]) -> Program {
        let program = Program { folder: TempDir::with_prefix("shared-").expect("a temporary directory") };
        let mut compile = Command::new(inspect());
        compile.args(["cc", "-O1", "-g", "-pthread", "-o"]).arg(program.path("program")).args(flags);
        compile.args(defines.iter().map(|define| format!("-D{define}"))).arg(repository().join(source));
        let compiled = compile.output().expect("inspect starts");
        assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
        program
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn start(&self, options: &[&str]) -> Child {
        let mut check = Command::new(inspect());
        check.args(["check", "--json", "--quiet"]).args(options).arg(self.path("program"));
        check.current_dir(self.folder.path()).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        check.spawn().expect("inspect starts")
    }

    fn output(&self, options: &[&str]) -> Output {
        self.start(options).wait_with_output().expect("it ends")
    }

    /// Whether, after a while, no process is left that runs the program.
    fn is_left_alone(&self) -> bool {
        let path = self.path("program");
        let running = || {
            let processes = std::fs::read_dir("/proc").expect("readable").flatten();
            processes.filter_map(|process| std::fs::read_link(process.path().join("exe")).ok()).any(|exe| exe == path)
        };
        (0..600).any(|_| {
            std::thread::sleep(Duration::from_millis(50));
            !running()
        })
    }

    fn check(&self, options: &[&str]) -> Value {
        report(&self.output(options))
    }
}

fn report(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

/// The parts of a report that must not depend on how the search was made.
fn result(report: &Value) -> (String, Vec<u64>, BTreeSet<String>) {
    let counts = ["executions", "blocked", "assume_blocked", "transitions", "threads"];
    let counts = counts.iter().map(|key| report[key].as_u64().expect("a number")).collect();
    let findings = report["findings"].as_array().expect("a list").iter().map(finding).collect();
    (report["verdict"].to_string(), counts, findings)
}

/// The kind, the severity and the places of a finding. Which access of a race comes first, and is the place of the
/// finding, depends on the schedule that shows it, and that is one of the guest which reported it first.
fn finding(finding: &Value) -> String {
    let threads = finding["threads"].as_array().expect("a list").iter();
    let mut places: Vec<String> =
        threads.map(|at| format!("{}:{}:{} {}", at["file"], at["line"], at["column"], at["operation"])).collect();
    places.sort();
    format!("{} {} {places:?}", finding["kind"], finding["severity"])
}

#[test]
fn several_guests_find_what_one_finds() {
    let programs: [(&str, &[&str], &[&str]); 7] = [
        // (N + 3) * 2^(N - 2).
        ("corpus/counts/lastzero/prog.c", &["N=14"], &[]),
        ("corpus/papers/boundedbuffer/prog.c", &["PRODUCERS=2", "CONSUMERS=2", "SIZE=1", "ITEMS=2"], &[]),
        ("corpus/papers/boundedbuffer/prog.c", &["PRODUCERS=2", "CONSUMERS=2", "SIZE=2", "ITEMS=2"], &[]),
        ("corpus/sync/treiber/prog.c", &["OPERATIONS=\"uo\", \"uo\", \"uo\""], &["--keep-going"]),
        ("corpus/papers/philosophers/prog.c", &[], &["--keep-going"]),
        ("corpus/sync/peterson/prog.c", &[], &["--keep-going"]),
        ("host/tests/programs/late_races.c", &["ROUNDS=4"], &["--keep-going"]),
    ];
    for (source, defines, options) in programs {
        let program = Program::compile(source, defines);
        let alone = program.check(options);
        assert!(alone["executions"].as_u64() > Some(0), "{alone}");
        for workers in ["2", "4"] {
            let shared = program.check(&[options, &["-j", workers]].concat());
            assert_eq!(result(&shared), result(&alone), "{source} {defines:?} -j {workers}: {shared}");
        }
    }
}

/// Guests that tell each other which states they have explored.
const STATES: [&str; 4] = ["--algorithm", "stateful", "--plain-accesses", "all"];

/// What guests that share states say as one does. How many executions they make depends on who is faster.
fn answer(report: &Value) -> (String, BTreeSet<String>) {
    let (verdict, _, findings) = result(report);
    (verdict, findings)
}

#[test]
fn guests_that_share_states_find_what_one_finds() {
    let programs: [(&str, &[&str]); 5] = [
        ("corpus/papers/boundedbuffer/prog.c", &["SIZE=1", "ITEMS=2"]),
        ("host/tests/programs/late_races.c", &["ROUNDS=4"]),
        ("corpus/sync/peterson/prog.c", &[]),
        // Relaxed operations: what is ordered becomes a part of the states.
        ("corpus/semantics/release_sequence/prog.c", &[]),
        ("corpus/sync/message_passing/prog.c", &[]),
    ];
    for (source, defines) in programs {
        let program = Program::compile_with(source, defines, &["-finspect-frames"]);
        let options = [&STATES[..], &["--keep-going"]].concat();
        let alone = program.check(&options);
        assert!(alone["executions"].as_u64() > Some(0), "{alone}");
        for workers in ["2", "4"] {
            let shared = program.check(&[&options[..], &["-j", workers]].concat());
            assert_eq!(answer(&shared), answer(&alone), "{source} {defines:?} -j {workers}: {shared}");
        }
    }
}

#[test]
fn guests_that_share_states_and_are_killed_change_nothing() {
    let buffer =
        Program::compile_with("corpus/papers/boundedbuffer/prog.c", &["SIZE=2", "ITEMS=4"], &["-finspect-frames"]);
    let racy = Program::compile_with("host/tests/programs/late_races.c", &["ROUNDS=4"], &["-finspect-frames"]);
    let options = [&STATES[..], &["--keep-going"]].concat();
    let alone = racy.check(&options);
    until_killed(kills(2, 100), || {
        let (report, killed) = killing_guests(&buffer, &[&STATES[..], &["-j", "2"]].concat());
        assert_eq!((&report["verdict"], &report["complete"]), (&"verified".into(), &true.into()), "{report}");
        let (report, more) = killing_guests(&racy, &[&options[..], &["-j", "3"]].concat());
        assert_eq!(answer(&report), answer(&alone), "{report}");
        killed + more
    });
}

#[test]
fn the_limit_of_executions_holds_for_all_guests_that_share_states() {
    let program =
        Program::compile_with("corpus/papers/boundedbuffer/prog.c", &["SIZE=2", "ITEMS=4"], &["-finspect-frames"]);
    let whole = program.check(&STATES);
    let limited = program.check(&[&STATES[..], &["-j", "2", "--max-executions", "2000"]].concat());
    assert_eq!(limited["verdict"], "inconclusive", "{limited}");
    assert_eq!(limited["reason"], "the limit of 2000 executions was reached", "{limited}");
    assert!(
        (2000..whole["executions"].as_u64().expect("a number"))
            .contains(&limited["executions"].as_u64().expect("a number"))
    );
}

/// Repeats `search`, which returns the number of its kills and may be over before the first one, until `wanted` is
/// reached.
fn until_killed(wanted: u32, mut search: impl FnMut() -> u32) {
    let mut killed = 0;
    for _ in 0..ROUNDS {
        killed += search();
        if killed >= wanted {
            println!("{killed} killed");
            return;
        }
    }
    panic!("{killed} killed in {ROUNDS} rounds instead of {wanted}");
}

/// Kills guests at random while they share a search, more and more seldom, so that they make progress on a slow machine
/// as well. Returns the report and the number of kills.
fn killing_guests(program: &Program, options: &[&str]) -> (Value, u32) {
    let mut checker = program.start(options);
    let (mut killed, mut pause) = (0, 200);
    while checker.try_wait().expect("it is our child").is_none() {
        std::thread::sleep(Duration::from_millis(1 + chance(pause)));
        let guests = children(checker.id());
        if !guests.is_empty() && signal(guests[chance(guests.len() as u64) as usize], Signal::SIGKILL).is_ok() {
            killed += 1;
            pause += pause / 4;
        }
    }
    (report(&checker.wait_with_output().expect("it ended")), killed)
}

#[test]
fn guests_that_are_killed_change_nothing() {
    let program = Program::compile("corpus/counts/lastzero/prog.c", &["N=15"]);
    let racy = Program::compile("host/tests/programs/late_races.c", &["ROUNDS=4"]);
    let alone = racy.check(&["--keep-going", "--algorithm", "optimal"]);
    until_killed(kills(2, 100), || {
        let (report, killed) = killing_guests(&program, &["-j", "2", "--algorithm", "optimal"]);
        // (N + 3) * 2^(N - 2).
        assert_eq!((&report["verdict"], &report["executions"]), (&"verified".into(), &147_456.into()), "{report}");
        let (report, more) = killing_guests(&racy, &["-j", "3", "--keep-going", "--algorithm", "optimal"]);
        assert_eq!(result(&report), result(&alone));
        killed + more
    });
}

/// Kills all processes of a search at random and resumes it from the checkpoint file, until it comes to its end.
/// Returns the report and the number of kills.
fn killing_everything(program: &Program, options: &[&str]) -> (Value, u32) {
    let every = ["--checkpoint-interval", "50ms", "--checkpoint", "search.checkpoint"];
    let _ = std::fs::remove_file(program.path("search.checkpoint"));
    let mut killed = 0;
    loop {
        let resume: &[&str] = if killed > 0 { &["--resume", "search.checkpoint"] } else { &[] };
        let mut checker = program.start(&[options, &every, resume].concat());
        let until = Instant::now() + Duration::from_millis(150 + chance(1000));
        while Instant::now() < until && checker.try_wait().expect("it is our child").is_none() {
            std::thread::sleep(Duration::from_millis(5));
        }
        if checker.try_wait().expect("it is our child").is_some() || killed == 20 {
            return (report(&checker.wait_with_output().expect("it ended")), killed);
        }
        checker.kill().expect("it is our child");
        checker.wait().expect("it was killed");
        killed += u32::from(program.path("search.checkpoint").exists());
    }
}

#[test]
fn a_search_that_is_killed_and_resumed_ends_with_the_same_totals() {
    let program = Program::compile("corpus/counts/lastzero/prog.c", &["N=15"]);
    let racy = Program::compile("host/tests/programs/late_races.c", &["ROUNDS=4"]);
    let alone = racy.check(&["--keep-going"]);
    until_killed(kills(2, 20), || {
        let mut killed = 0;
        for workers in ["1", "2"] {
            let (report, kills) = killing_everything(&program, &["-j", workers]);
            assert_eq!((&report["verdict"], &report["executions"]), (&"verified".into(), &147_456.into()), "{report}");
            let (report, more) = killing_everything(&racy, &["-j", workers, "--keep-going"]);
            assert_eq!(result(&report), result(&alone), "after {more} kills: {report}");
            killed += kills + more;
        }
        killed
    });
    assert!(program.is_left_alone() && racy.is_left_alone(), "guests go on without their checker");
}

#[test]
fn limits_hold_for_the_whole_search_and_what_is_left_is_resumed() {
    let program = Program::compile("corpus/counts/lastzero/prog.c", &["N=14"]);
    let limited = program.check(&["-j", "2", "--max-executions", "2000", "--checkpoint", "c"]);
    assert_eq!(limited["verdict"], "inconclusive");
    assert_eq!(limited["reason"], "the limit of 2000 executions was reached", "{limited}");
    let made = limited["executions"].as_u64().expect("a number");
    assert!((2000..69_632).contains(&made), "{limited}");
    let limited = program.check(&["--resume", "c", "--time-limit", "1ms"]);
    assert_eq!(limited["reason"], "the time limit of 1ms was reached", "{limited}");
    // (N + 3) * 2^(N - 2), however often it is resumed.
    for _ in 0..2 {
        let whole = program.check(&["-j", "2", "--resume", "c"]);
        assert_eq!((&whole["verdict"], &whole["executions"]), (&"verified".into(), &69_632.into()), "{whole}");
    }
}

/// Runs a search to its end. Returns its report, and the most memory that it had at a time, in MiB, without that of the
/// guests.
fn with_peak(program: &Program, options: &[&str]) -> (Value, u64) {
    let mut search = program.start(options);
    let status = format!("/proc/{}/status", search.id());
    let mut peak = 0;
    while search.try_wait().expect("it can be waited for").is_none() {
        let status = std::fs::read_to_string(&status).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.strip_suffix("kB"));
        peak = line.and_then(|size| size.trim().parse().ok()).unwrap_or(peak);
        if peak > 1 << 20 {
            search.kill().expect("it is running");
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    (report(&search.wait_with_output().expect("it has ended")), peak >> 10)
}

/// Of an execution with 2,000 additions, the 1,000 states before those of the first thread have a thread that is left
/// to try. The prefixes of all these together have half a million steps.
#[test]
fn what_is_left_of_a_long_execution_takes_little_memory() {
    let program = Program::compile("host/tests/programs/one_counter.c", &["COUNT=1000"]);
    for shared in [&["-j", "2"][..], &["--checkpoint", "c"]] {
        let options = [shared, &["--algorithm", "ddpor", "--max-executions", "3"]].concat();
        let (stopped, peak) = with_peak(&program, &options);
        assert_eq!(stopped["verdict"], "inconclusive", "{stopped}");
        assert!(peak < 100, "{peak} MiB with {shared:?}");
    }
    let before = program.check(&["--algorithm", "ddpor", "--max-executions", "3", "--checkpoint", "c"]);
    let options = ["--algorithm", "ddpor", "--max-executions", "20", "--resume", "c"];
    let (resumed, peak) = with_peak(&program, &options);
    assert!(resumed["executions"].as_u64() > before["executions"].as_u64(), "{resumed}");
    assert!(peak < 100, "{peak} MiB when resumed");
}

/// To take in one execution with 40,000 additions takes this search seconds: each races with all of the other thread
/// before it. A guest that does not look meanwhile is killed, and the execution does not count.
#[test]
fn a_time_limit_holds_while_a_long_execution_is_taken_in() {
    let program = Program::compile("host/tests/programs/one_counter.c", &["COUNT=20000"]);
    for options in [&["--algorithm", "ddpor"][..], &["--algorithm", "source", "--symmetry"]] {
        let stopped = program.check(&[options, &["--time-limit", "1s"]].concat());
        assert_eq!((&stopped["verdict"], stopped["complete"].as_bool()), (&"inconclusive".into(), Some(false)));
        assert!(stopped["executions"].as_u64() >= Some(1), "{options:?}: {stopped}");
    }
}

#[test]
fn a_checkpoint_of_another_search_is_refused() {
    let program = Program::compile("corpus/counts/lastzero/prog.c", &["N=8"]);
    let other = Program::compile("corpus/counts/lastzero/prog.c", &["N=9"]);
    program.check(&["--checkpoint", "c"]);
    let file = program.path("c").display().to_string();
    let refused = |program: &Program, options: &[&str], why: &str| {
        let output = program.output(&[&["--resume", &file], options].concat());
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert!(text.contains(why) && text.lines().count() == 1, "{why}: {text}");
    };
    refused(&other, &[], "the checkpoint of another program, or of another build of this one");
    refused(&program, &["--plain-accesses", "all"], "the checkpoint of a search with other options");
    let sound = std::fs::read(program.path("c")).expect("it was written");
    for at in [0, 19, 30, sound.len() / 2, sound.len() - 1] {
        let mut damaged = sound.clone();
        damaged[at] ^= 1;
        std::fs::write(program.path("c"), &damaged).expect("it can be written");
        let why = match at {
            0 => "not a checkpoint",
            19 => "another version of Inspect",
            _ => "a damaged checkpoint",
        };
        refused(&program, &[], why);
    }
    std::fs::write(program.path("c"), &sound[..sound.len() / 2]).expect("it can be written");
    refused(&program, &[], "a damaged checkpoint");
    let dpor = program.output(&["-j", "2", "--algorithm", "dpor"]);
    assert_eq!(dpor.status.code(), Some(2), "{dpor:?}");
}

fn job(algorithm: Algorithm) -> Job {
    Job {
        task: Task::Work,
        algorithm,
        plain_accesses: PlainAccesses::Racy,
        volatile: VolatileAccesses::Plain,
        harmless_races: Vec::new(),
        promoted: Vec::new(),
        promoted_in: Vec::new(),
        watch_sets: Vec::new(),
        mode: Mode::Restore,
        preemptions: None,
        first_preemptions: None,
        symmetry: None,
        spurious_wakeups: false,
        max_executions: u64::MAX,
        share: None,
        max_steps: 1000,
        max_computation: MAX_COMPUTATION,
        checkpoint_every: CHECKPOINT_EVERY,
        state_memory: 1 << 30,
        state_table: None,
        backtrack_sets: BacktrackSets::Aggressive,
        local_states: LocalStates::Exact,
        heap: Heap::Both,
        memory_limit: 1 << 30,
        seed: 0,
        sampling: SamplingOptions::default(),
        keep_going: true,
        severities: Vec::new(),
        report_traces: Some(Vec::new()),
    }
}

/// How often each trace of a program was visited by three guests that shared the search.
fn visits(program: &Program, job: &Job, pause: Duration) -> (Vec<u32>, u32) {
    let target = Target::new(program.path("program"), Vec::new());
    let (outputs, hands) = divided(&target, job, 3, pause);
    (division::visits(&outputs).into_values().collect(), hands)
}

/// Programs with the number of their traces.
const COUNTED: [(&str, &[&str], usize); 3] = [
    // (N + 3) * 2^(N - 2).
    ("corpus/counts/lastzero/prog.c", &["N=12"], 15_360),
    // (n K)! / (K!)^n.
    ("corpus/counts/mutex/prog.c", &["THREADS=3", "K=3"], 1680),
    // Counted by corpus/derive.
    ("corpus/papers/boundedbuffer/prog.c", &["PRODUCERS=2", "CONSUMERS=2", "SIZE=1"], 64),
];

#[test]
fn guests_that_divide_a_search_all_the_time_visit_every_trace_once() {
    for (source, defines, expected) in COUNTED {
        let program = Program::compile(source, defines);
        // The smallest search may be over before a guest is asked for work.
        let (mut divisions, wanted) = (0, if expected > 1000 { 4 } else { 0 });
        for round in 1..=ROUNDS {
            let (visits, hands) = visits(&program, &job(Algorithm::Optimal), Duration::from_micros(100));
            assert_eq!(visits.len(), expected, "{source}: traces");
            assert!(visits.iter().all(|&times| times == 1), "{source}: a trace was visited again");
            // The first guest is given everything: no division.
            divisions += hands - 1;
            println!("{source}: {divisions} divisions in {round} rounds");
            if divisions >= wanted {
                break;
            }
        }
        assert!(divisions >= wanted, "{source}: its work was hardly ever divided");
    }
}

#[test]
fn guests_of_the_distributed_search_visit_every_trace() {
    let smaller = ("corpus/counts/lastzero/prog.c", &["N=9"] as &[_], 1536);
    for (source, defines, expected) in [smaller, COUNTED[1], COUNTED[2]] {
        let program = Program::compile(source, defines);
        for (sets, option) in [(BacktrackSets::Aggressive, "aggressive"), (BacktrackSets::Original, "original")] {
            let job = Job { backtrack_sets: sets, ..job(Algorithm::Ddpor) };
            // Guests that divide all the time repeat each other's work.
            let (visits, hands) = visits(&program, &job, Duration::from_millis(20));
            println!("{source}, {option}: work changed hands {hands} times, {} visits", visits.iter().sum::<u32>());
            assert_eq!(visits.len(), expected, "{source}, {option}: traces");
            let check = |workers| program.check(&["--algorithm", "ddpor", "--backtrack-sets", option, "-j", workers]);
            let alone = check("1");
            assert_eq!(alone["executions"].as_u64(), Some(expected as u64), "{source}, {option}: {alone}");
            for workers in ["2", "4"] {
                let shared = check(workers);
                assert_eq!(shared["verdict"], alone["verdict"], "{source}, {option} -j {workers}: {shared}");
                let executions = shared["executions"].as_u64();
                assert!(executions >= Some(expected as u64), "{source}, {option} -j {workers}: {shared}");
            }
        }
    }
}

/// Only the larger sets of the distributed search make executions that are blocked here.
#[test]
fn with_the_original_sets_one_guest_makes_the_sequential_search() {
    let program = Program::compile("corpus/papers/indexer/prog.c", &["N=12"]);
    let counts = |options: &[&str]| {
        let report = program.check(options);
        [report["executions"].as_u64(), report["blocked"].as_u64()].map(|count| count.expect("a number"))
    };
    let sequential = counts(&["--algorithm", "dpor"]);
    // 8^(N - 11).
    assert_eq!(sequential, [8, 0]);
    assert_eq!(counts(&["--algorithm", "ddpor", "--backtrack-sets", "original"]), sequential);
    let [executions, blocked] = counts(&["--algorithm", "ddpor", "--backtrack-sets", "aggressive"]);
    assert_eq!(executions, 8);
    assert!(blocked > 0, "the option has no effect");
}
