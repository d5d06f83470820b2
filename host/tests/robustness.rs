//! Hard cases from the outside, with the real guest: bad input, interruption, a killed guest, fewer privileges, another
//! address layout. Programs that are hard cases themselves are in `corpus/robustness`.
//!
//! `INSPECT` names the binary to test; by default `target/release/inspect`, which `make build` makes.

mod processes;

use nix::sys::signal::Signal;
use processes::{children, signal};
use serde_json::Value;
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

fn corpus(program: &str) -> PathBuf {
    repository().join("corpus").join(program)
}

/// A temporary directory that every user may enter and write to.
fn directory() -> TempDir {
    let directory = TempDir::with_prefix("robustness-").expect("a temporary directory");
    let open = std::os::unix::fs::PermissionsExt::from_mode(0o777);
    std::fs::set_permissions(directory.path(), open).expect("its permissions can be changed");
    directory
}

/// `inspect check --json` of these arguments, with schedules in `out`.
fn check(out: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(inspect());
    command.args(["check", "--json", "--quiet", "--out"]).arg(out).args(arguments).current_dir(out);
    command
}

fn run(mut command: Command) -> Output {
    command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"))
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Compiles a corpus program with `inspect cc`.
fn compile(directory: &Path, program: &str, defines: &[&str]) -> PathBuf {
    compile_with(&inspect(), directory, program, defines)
}

/// The same with another copy of Inspect, whose guest library the program then loads.
fn compile_with(inspect: &Path, directory: &Path, program: &str, defines: &[&str]) -> PathBuf {
    let path = directory.join("program");
    let mut command = Command::new(inspect);
    command.args(["cc", "-g", "-O1", "-pthread"]).args(defines).arg("-o").arg(&path).arg(corpus(program));
    let output = run(command);
    assert!(output.status.success(), "{}", errors(&output));
    path
}

/// A search that takes many seconds.
fn long_search(out: &Path) -> Child {
    let source = corpus("papers/boundedbuffer/prog.c");
    let mut command = check(out, &["-D", "PRODUCERS=4", "-D", "CONSUMERS=4", "-D", "SIZE=1", "--algorithm", "optimal"]);
    command.arg(source).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("inspect starts")
}

#[test]
fn a_file_that_does_not_exist_is_named() {
    let out = directory();
    let output = run(check(out.path(), &["nowhere.c"]));
    assert_eq!(output.status.code(), Some(2));
    assert!(errors(&output).contains("nowhere.c"), "{}", errors(&output));
}

#[test]
fn a_compile_error_shows_the_compilers_own_message() {
    let out = directory();
    let mut command = check(out.path(), &[]);
    command.arg(corpus("robustness/compile_error/prog.c"));
    let output = run(command);
    assert_eq!(output.status.code(), Some(2));
    assert!(errors(&output).contains("undeclared_name"), "{}", errors(&output));
}

#[test]
fn a_program_without_main_is_refused() {
    let out = directory();
    let mut command = check(out.path(), &[]);
    command.arg(corpus("robustness/no_main/prog.c"));
    let output = run(command);
    assert_eq!(output.status.code(), Some(2));
    assert!(errors(&output).contains("main"), "{}", errors(&output));
}

#[test]
fn a_program_of_another_version_of_the_compiler_is_refused() {
    let out = directory();
    let program = compile(out.path(), "counts/mutex/prog.c", &["-DTHREADS=2"]);
    let section = out.path().join("version");
    std::fs::write(&section, 4711u32.to_le_bytes()).expect("written");
    let mut objcopy = Command::new("llvm-objcopy-22");
    objcopy.arg(format!("--update-section=inspect_version={}", section.display())).arg(&program);
    let changed = run(objcopy);
    assert!(changed.status.success(), "{}", errors(&changed));
    let mut command = check(out.path(), &[]);
    command.arg(&program);
    let output = run(command);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(errors(&output).contains("version 4711") && errors(&output).contains("rebuild"), "{}", errors(&output));
    let alone = run(Command::new(&program));
    assert!(alone.status.success(), "it still runs by itself: {alone:?}");
}

/// When the finding is reported, its places in the library are no longer mapped.
#[test]
fn a_race_in_a_library_that_the_program_loads_is_found() {
    let out = directory();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/loads.c");
    let (library, program) = (out.path().join("loaded.so"), out.path().join("loads"));
    for (to, flags) in [(&library, &["-DLIBRARY", "-shared", "-fPIC"][..]), (&program, &[])] {
        let mut compiler = Command::new(inspect());
        compiler.arg("cc").args(flags).arg(&source).arg("-o").arg(to);
        let compiled = run(compiler);
        assert!(compiled.status.success(), "{}", errors(&compiled));
    }
    for mode in ["restore", "fork"] {
        let mut command = check(out.path(), &["--mode", mode]);
        command.arg(&program).arg("--").arg(&library);
        let output = run(command);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        assert_eq!(json(&output)["findings"][0]["kind"], "data-race", "{output:?}");
    }
}

#[test]
fn a_wrong_option_is_named() {
    let out = directory();
    let output = run(check(out.path(), &["--no-such-option", "x.c"]));
    assert_eq!(output.status.code(), Some(2));
    assert!(errors(&output).contains("--no-such-option"), "{}", errors(&output));
}

/// The limit is that of the system, or lower than the descriptors that the guest uses; where the user may raise it,
/// Inspect does.
#[test]
fn a_limit_of_open_files_is_raised_or_named() {
    let directory = directory();
    let program = compile(directory.path(), "papers/database/bad.c", &[]);
    let limited = |limit: &str| {
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("ulimit {limit} && exec \"$0\" check --out \"$1\" \"$2\"")]);
        run({
            shell.arg(inspect()).arg(directory.path()).arg(&program);
            shell
        })
    };
    assert_eq!(limited("-Sn 200").status.code(), Some(1), "the threads deadlock");
    let refused = limited("-n 200");
    assert_eq!(refused.status.code(), Some(2), "{}", errors(&refused));
    assert!(
        errors(&refused).contains("a process may have 200 files open here, and Inspect needs"),
        "{}",
        errors(&refused)
    );
}

#[test]
fn a_program_in_the_present_folder_needs_no_path() {
    let out = directory();
    compile(out.path(), "counts/readers/prog.c", &[]);
    let output = run(check(out.path(), &["program"]));
    assert_eq!(json(&output)["verdict"], "verified", "{}", errors(&output));
}

/// Calls `disturb` with the guest of a search that has begun to run the program, and interrupts the search after a
/// pause. Returns the guest and the output of `inspect`. How long a guest takes until its first run is complete depends
/// on the machine, so a search that was interrupted before is repeated with a longer pause.
fn interrupted(disturb: impl Fn(u32)) -> (u32, Output) {
    for doublings in 0..8 {
        let out = directory();
        let pause = Duration::from_millis(200 << doublings);
        let child = long_search(out.path());
        let guest = guest_of(&child);
        std::thread::sleep(pause);
        disturb(guest);
        std::thread::sleep(pause);
        signal(child.id(), Signal::SIGINT).expect("the checker still runs");
        let output = child.wait_with_output().expect("it ends");
        let report: Option<Value> = serde_json::from_slice(&output.stdout).ok();
        if report.is_some_and(|report| report["executions"].as_u64().is_some_and(|n| n > 0)) {
            return (guest, output);
        }
        assert_ne!(output.status.code(), Some(0), "{output:?}");
    }
    panic!("no search came to its first execution");
}

#[test]
fn ctrl_c_gives_a_partial_result() {
    let (guest, output) = interrupted(|_| {});
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    assert_eq!(json(&output)["verdict"], "inconclusive");
    assert!(!Path::new(&format!("/proc/{guest}")).exists(), "the guest is gone");
}

#[test]
fn a_guest_killed_from_outside_does_not_make_it_verified() {
    let (_, output) = interrupted(|guest| signal(guest, Signal::SIGKILL).expect("the guest still runs"));
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    assert_eq!(json(&output)["verdict"], "inconclusive");
}

/// Installs Inspect below `prefix` as `make install` does; returns the path of `inspect`.
fn install(prefix: &Path) -> PathBuf {
    let (bin, lib) = (prefix.join("bin"), prefix.join("lib/inspect"));
    std::fs::create_dir_all(&bin).expect("created");
    std::fs::create_dir_all(&lib).expect("created");
    let built = inspect().parent().expect("a folder").to_path_buf();
    std::fs::copy(inspect(), bin.join("inspect")).expect("copied");
    for library in ["libinspect_pass.so", "libinspect_guest.so"] {
        std::fs::copy(built.join(library), lib.join(library)).expect("copied");
    }
    let headers = Command::new("cp").arg("-R").arg(repository().join("instrument/include")).arg(&lib).status();
    assert!(headers.expect("cp runs").success());
    bin.join("inspect")
}

/// Uses a copy of Inspect that every user may read: the repository may lie in a folder that only its owner may enter.
#[test]
fn an_unprivileged_user_gets_the_same_answer() {
    let out = directory();
    let inspect = install(out.path());
    let program = compile_with(&inspect, out.path(), "counts/mutex/prog.c", &["-DTHREADS=4"]);
    let mut command = Command::new("setpriv");
    command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(inspect);
    command.args(["check", "--json", "--quiet", "--out"]).arg(out.path()).arg(program).current_dir(out.path());
    let Ok(output) = command.output() else {
        eprintln!("skipped: there is no setpriv here");
        return;
    };
    if errors(&output).starts_with("setpriv") {
        eprintln!("skipped: {}", errors(&output));
        return;
    }
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(json(&output)["executions"], 24);
}

#[test]
fn a_container_that_refuses_system_calls_gets_the_same_answer() {
    let out = directory();
    let program = compile(out.path(), "counts/mutex/prog.c", &["-DTHREADS=4"]);
    let racing = out.path().join("racing");
    std::fs::create_dir(&racing).expect("a directory");
    let racing = compile(&racing, "sync/abba/bad.c", &[]);
    let container = out.path().join("container");
    let mut compiler = Command::new("clang-22");
    compiler.arg("-o").arg(&container).arg(repository().join("host/tests/programs/container.c"));
    let compiled = run(compiler);
    assert!(compiled.status.success(), "{}", errors(&compiled));
    for (program, status, executions) in [(program, 0, Some(24)), (racing, 1, None)] {
        let mut command = Command::new(&container);
        command.arg(inspect()).args(["check", "--json", "--quiet", "--out"]).arg(out.path()).arg(program);
        let output = run(command);
        assert_eq!(output.status.code(), Some(status), "{output:?}");
        assert!(executions.is_none_or(|n| json(&output)["executions"] == n), "{output:?}");
    }
}

#[test]
fn a_schedule_replays_under_another_address_layout() {
    let out = directory();
    for program in ["sync/abba/bad.c", "findings/heap-use-after-free/bad.c", "robustness/segfault/prog.c"] {
        let mut command = check(out.path(), &[]);
        command.arg(corpus(program));
        let report = json(&run(command));
        let schedule = report["findings"][0]["replay"].as_str().expect("a schedule").to_string();
        let mut shown = Vec::new();
        for layout in [&["setarch", "x86_64"][..], &["setarch", "x86_64", "-R"], &["setarch", "x86_64", "-L"]] {
            let mut command = Command::new(layout[0]);
            command.args(&layout[1..]).arg(inspect()).arg("replay").arg(&schedule).env("PADDING", "x".repeat(5000));
            let output = {
                command.current_dir(out.path());
                run(command)
            };
            if errors(&output).starts_with("setarch") {
                eprintln!("skipped: {}", errors(&output));
                continue;
            }
            assert_eq!(output.status.code(), Some(1), "{program}: {output:?}");
            shown.push(output.stdout);
        }
        assert!(shown.windows(2).all(|pair| pair[0] == pair[1]), "{program}: replays differ");
    }
}

/// Promoted globals have other addresses in each process, as the container refuses to fix the layout.
#[test]
fn promoted_locations_are_found_at_other_addresses() {
    let out = directory();
    let mut command = check(out.path(), &["--keep-going"]);
    command.arg(corpus("robustness/address_layout/prog.c"));
    let report = json(&run(command));
    let findings = report["findings"].as_array().expect("findings");
    let abort = findings.iter().find(|finding| finding["kind"] == "abort").expect("the lost update");
    let schedule = abort["replay"].as_str().expect("a schedule").to_string();
    let container = out.path().join("container");
    let mut compiler = Command::new("clang-22");
    compiler.arg("-o").arg(&container).arg(repository().join("host/tests/programs/container.c"));
    let compiled = run(compiler);
    assert!(compiled.status.success(), "{}", errors(&compiled));
    for _ in 0..5 {
        let mut command = Command::new(&container);
        command.arg(inspect()).arg("replay").arg(&schedule).current_dir(out.path());
        let output = run(command);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
    }
}

/// The schedule of the first finding that a check of this program reports.
fn schedule_of(out: &Path, arguments: &[&str], program: &Path) -> String {
    let mut command = check(out, arguments);
    command.arg(program);
    let output = run(command);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    json(&output)["findings"][0]["replay"].as_str().expect("a schedule").to_owned()
}

fn replay(out: &Path, schedule: &str) -> Output {
    let mut command = Command::new(inspect());
    command.args(["replay", schedule]).current_dir(out);
    run(command)
}

#[test]
fn uninitialised_memory_is_the_same_in_restore_fork_and_a_fresh_process() {
    let out = directory();
    let program = repository().join("host/tests/programs/uninitialised.c");
    let mut shown = Vec::new();
    for mode in ["restore", "fork"] {
        let schedule = schedule_of(out.path(), &["--mode", mode], &program);
        for _ in 0..3 {
            let output = replay(out.path(), &schedule);
            assert_eq!(output.status.code(), Some(1), "{output:?}");
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            assert!(text.matches("stack").count() >= 3 && text.matches("heap").count() >= 2, "{text}");
            shown.push(text);
        }
    }
    assert!(shown.windows(2).all(|pair| pair[0] == pair[1]), "{shown:#?}");
}

#[test]
fn replay_shows_the_output_of_the_program() {
    let out = directory();
    let schedule = schedule_of(out.path(), &[], &repository().join("host/tests/programs/talks.c"));
    let output = replay(out.path(), &schedule);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let text = String::from_utf8_lossy(&output.stdout);
    let said = text.find("before the end").expect("what the program printed");
    assert!(said < text.find("error: abort").expect("the finding"), "{text}");
    assert!(errors(&output).contains("on the error stream"), "{}", errors(&output));
}

#[test]
fn gdb_stops_at_the_finding() {
    if Command::new("gdb").arg("--version").output().is_err() {
        eprintln!("skipped: gdb is not installed");
        return;
    }
    let out = directory();
    let schedule = schedule_of(out.path(), &[], &corpus("findings/assertion/bad.c"));
    let mut command = Command::new(inspect());
    command.args(["replay", "--gdb", &schedule]).current_dir(out.path());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("inspect starts");
    let mut input = child.stdin.take().expect("a pipe");
    std::io::Write::write_all(&mut input, b"backtrace\nkill\nquit\n").expect("gdb listens");
    drop(input);
    let output = child.wait_with_output().expect("it ends");
    let text = String::from_utf8_lossy(&output.stdout);
    let source = std::fs::read_to_string(corpus("findings/assertion/bad.c")).expect("the program");
    let line = source.lines().position(|line| line.contains("BUG: assertion")).expect("a marked line") + 1;
    assert!(text.contains("SIGTRAP") && text.contains(&format!("bad.c:{line}")), "{text}{}", errors(&output));
}

#[test]
fn a_guest_ends_when_its_checker_is_killed() {
    let out = directory();
    let mut child = long_search(out.path());
    let guest = guest_of(&child);
    std::thread::sleep(Duration::from_millis(300));
    signal(child.id(), Signal::SIGKILL).expect("the checker still runs");
    child.wait().expect("it ends");
    let deadline = Instant::now() + Duration::from_secs(20);
    while is_running(guest) {
        assert!(Instant::now() < deadline, "the guest goes on without its checker");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Whether a process exists and is no zombie.
fn is_running(process: u32) -> bool {
    let Ok(status) = std::fs::read_to_string(format!("/proc/{process}/stat")) else { return false };
    status.rsplit(')').next().is_some_and(|rest| !rest.trim_start().starts_with(['Z', 'X']))
}

#[test]
fn a_full_disk_for_schedules_does_not_hide_the_finding() {
    let out = directory();
    let program = compile(out.path(), "sync/abba/bad.c", &[]);
    let full = out.path().join("full");
    std::fs::create_dir(&full).expect("a directory");
    // A file system of one page, in a mount namespace of its own, that is full before the check starts.
    let script = "mount -t tmpfs -o size=4k none \"$1\" || exit 77
        head -c 65536 /dev/zero > \"$1/filler\" 2>/dev/null
        exec \"$2\" check --json --quiet --out \"$1\" \"$3\"";
    let mut command = Command::new("unshare");
    command.args(["-rm", "sh", "-c", script, "sh"]).arg(&full).arg(inspect()).arg(program).current_dir(out.path());
    let output = match command.output() {
        Ok(output) if output.status.code() != Some(77) && !errors(&output).starts_with("unshare") => output,
        other => {
            eprintln!("skipped: no mount namespace can be had here: {other:?}");
            return;
        }
    };
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let report = json(&output);
    assert_eq!((&report["verdict"], &report["findings"][0]["kind"]), (&"violated".into(), &"deadlock".into()));
    assert_eq!(report["findings"][0]["replay"], Value::Null);
}

#[test]
fn schedules_that_are_corrupt_or_of_another_build_are_refused() {
    let out = directory();
    let program = compile(out.path(), "sync/abba/bad.c", &[]);
    let schedule = schedule_of(out.path(), &[], &program);
    let path = out.path().join(&schedule);
    let text = std::fs::read_to_string(&path).expect("readable");
    for damaged in [&text[..text.len() / 2], "", "{}", &text.replace("\"finding\"", "\"fiding\"")] {
        std::fs::write(&path, damaged).expect("written");
        let output = replay(out.path(), &schedule);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{output:?}");
        assert!(errors(&output).contains(".schedule"), "{}", errors(&output));
    }
    std::fs::write(&path, text).expect("written");
    assert_eq!(replay(out.path(), &schedule).status.code(), Some(1), "undamaged it replays");
    compile(out.path(), "sync/abba/bad.c", &["-DANOTHER=1", "-O2"]);
    let output = replay(out.path(), &schedule);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(errors(&output).contains("another build"), "{}", errors(&output));
}

#[test]
fn what_nobody_controls_is_reported_with_the_first_event_that_differs() {
    let out = directory();
    let mut command = check(out.path(), &[]);
    command.arg(corpus("robustness/uncontrolled/prog.c"));
    let output = run(command);
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    let report = json(&output);
    let reason = report["reason"].as_str().expect("a reason");
    assert!(reason.contains("not deterministic") && reason.contains("at step "), "{reason}");
    assert!(reason.contains("prog.c:"), "the place is named: {reason}");
}

/// Waits until the checker runs its guest, and gives the guest's process id.
fn guest_of(child: &Child) -> u32 {
    let deadline = Instant::now() + Duration::from_secs(60);
    while Instant::now() < deadline {
        let mut open = vec![child.id()];
        while let Some(process) = open.pop() {
            open.extend(children(process));
            let compiler = |path: &Path| {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                ["clang", "ld.lld", "lld", "inspect"].iter().any(|tool| name.starts_with(tool))
            };
            let path = std::fs::read_link(format!("/proc/{process}/exe"));
            if path.is_ok_and(|path| !compiler(&path)) {
                return process;
            }
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    panic!("no guest within a minute");
}
