//! Hard cases from the outside, with the real guest: bad input, interruption, a killed guest, fewer privileges, another
//! address layout. What programs themselves do that is hard stands in `corpus/hard`.
//!
//! `INSPECT` names the binary to test; by default `target/release/inspect`, which `make build` makes.

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

/// A temporary directory everybody may enter and write to.
fn directory() -> TempDir {
    let directory = TempDir::with_prefix("hard-").expect("a temporary directory");
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
    let path = directory.join("program");
    let mut command = Command::new(inspect());
    command.args(["cc", "-g", "-O1", "-pthread"]).args(defines).arg("-o").arg(&path).arg(corpus(program));
    let output = run(command);
    assert!(output.status.success(), "{}", errors(&output));
    path
}

/// A search that takes many seconds.
fn long_search(out: &Path) -> Child {
    let source = corpus("papers/boundedbuffer/prog.c");
    let mut command = check(out, &["-D", "PRODUCERS=4", "-D", "CONSUMERS=4", "-D", "SIZE=1"]);
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
    command.arg(corpus("hard/compile_error/prog.c"));
    let output = run(command);
    assert_eq!(output.status.code(), Some(2));
    assert!(errors(&output).contains("undeclared_name"), "{}", errors(&output));
}

#[test]
fn a_program_without_main_is_refused() {
    let out = directory();
    let mut command = check(out.path(), &[]);
    command.arg(corpus("hard/no_main/prog.c"));
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

#[test]
fn a_wrong_option_is_named() {
    let out = directory();
    let output = run(check(out.path(), &["--no-such-option", "x.c"]));
    assert_eq!(output.status.code(), Some(2));
    assert!(errors(&output).contains("--no-such-option"), "{}", errors(&output));
}

#[test]
fn ctrl_c_gives_a_partial_result() {
    let out = directory();
    let child = long_search(out.path());
    let guest = guest_of(&child);
    std::thread::sleep(Duration::from_millis(300));
    signal("-INT", child.id());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    let report = json(&output);
    assert_eq!(report["verdict"], "inconclusive");
    assert!(report["executions"].as_u64().is_some_and(|n| n > 0), "{report}");
    assert!(!Path::new(&format!("/proc/{guest}")).exists(), "the guest is gone");
}

#[test]
fn a_guest_killed_from_outside_does_not_make_it_verified() {
    let out = directory();
    let child = long_search(out.path());
    signal("-KILL", guest_of(&child));
    std::thread::sleep(Duration::from_millis(500));
    signal("-INT", child.id());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    assert_eq!(json(&output)["verdict"], "inconclusive");
}

#[test]
fn an_unprivileged_user_gets_the_same_answer() {
    let out = directory();
    let program = compile(out.path(), "counts/mutex/prog.c", &["-DTHREADS=4"]);
    let mut command = Command::new("setpriv");
    command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(inspect());
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
    for program in ["sync/abba/bad.c", "findings/heap-use-after-free/bad.c", "hard/segfault/prog.c"] {
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

fn signal(signal: &str, process: u32) {
    let status = Command::new("kill").arg(signal).arg(process.to_string()).status().expect("kill runs");
    assert!(status.success(), "kill {signal} {process}");
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

fn children(process: u32) -> Vec<u32> {
    let Ok(threads) = std::fs::read_dir(format!("/proc/{process}/task")) else { return Vec::new() };
    let lists = threads.flatten().filter_map(|thread| std::fs::read_to_string(thread.path().join("children")).ok());
    lists.flat_map(|list| list.split_whitespace().filter_map(|id| id.parse().ok()).collect::<Vec<u32>>()).collect()
}
