//! A program that was not written for Inspect: pigz, and the zlib it needs, as Debian has their sources, built by their
//! own build systems with `CC=inspect-cc`; and lbzip2 for a `configure` made by autoconf.
//!
//! The sources are fetched once, by `scripts/fetch-real-program.sh`. Where that is not possible the tests say that they
//! were skipped. `INSPECT` names the binary to test; by default `target/release/inspect`, which `make build` makes.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use tempfile::TempDir;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the host's folder lies in the repository").to_path_buf()
}

fn inspect() -> PathBuf {
    let path = std::env::var_os("INSPECT").map_or_else(|| repository().join("target/release/inspect"), PathBuf::from);
    assert!(path.is_file(), "{} does not exist: run `make build` first", path.display());
    path.canonicalize().expect("its path is known")
}

/// The folder with the sources, or `None` if they cannot be fetched. Only one test at a time fetches them.
fn sources() -> Option<PathBuf> {
    static FETCHED: OnceLock<Option<PathBuf>> = OnceLock::new();
    FETCHED
        .get_or_init(|| {
            let folder = repository().join("target/real");
            let script = repository().join("scripts/fetch-real-program.sh");
            let output = Command::new("sh").arg(script).arg(&folder).args(["pigz", "zlib", "lbzip2"]).output();
            let output = output.expect("there is a shell");
            if output.status.success() {
                return Some(folder);
            }
            println!("skipped: the sources cannot be fetched: {}", String::from_utf8_lossy(&output.stderr));
            None
        })
        .clone()
}

/// Runs a command to its end; it must succeed.
fn succeed(command: &mut Command) -> Output {
    let output = command.stdin(Stdio::null()).output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}: {output:?}");
    output
}

/// A compiler's command line, under the name that build systems are given.
fn compiler(folder: &Path) -> PathBuf {
    let link = folder.join("inspect-cc");
    if !link.exists() {
        // The driver takes the subcommand from its own name, and finds the parts of Inspect from where the link points
        // to.
        std::os::unix::fs::symlink(inspect(), &link).expect("a link can be made");
    }
    link
}

fn copy(sources: &Path, name: &str, folder: &Path) -> PathBuf {
    succeed(Command::new("cp").arg("-R").arg(sources.join(name)).arg(folder));
    folder.join(name)
}

/// pigz, or `None` if its sources cannot be fetched. Built once for all tests.
fn pigz() -> Option<PathBuf> {
    static BUILT: OnceLock<Option<PathBuf>> = OnceLock::new();
    let build = || {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("real-program");
        succeed(Command::new("rm").arg("-rf").arg(&folder));
        std::fs::create_dir_all(&folder).expect("a folder");
        Some(build_pigz(&sources()?, &folder))
    };
    BUILT.get_or_init(build).clone()
}

/// zlib and pigz, built as their authors say.
fn build_pigz(sources: &Path, folder: &Path) -> PathBuf {
    let cc = compiler(folder);
    let zlib = copy(sources, "zlib", folder);
    succeed(Command::new("sh").args(["./configure", "--static"]).env("CC", &cc).current_dir(&zlib));
    succeed(Command::new("make").arg("libz.a").current_dir(&zlib));
    let pigz = copy(sources, "pigz", folder);
    let argument = |name: &str, value: &str| format!("{name}={value}");
    succeed(
        Command::new("make")
            .arg(argument("CC", &cc.display().to_string()))
            .arg(argument("CFLAGS", "-O2 -I../zlib"))
            .arg(argument("LDFLAGS", "-L../zlib"))
            .arg("pigz")
            .current_dir(&pigz),
    );
    pigz.join("pigz")
}

/// A text that compresses, of this many bytes.
fn text(bytes: usize) -> Vec<u8> {
    const WORDS: [&str; 4] = ["thread ", "mutex ", "waits ", "signal\n"];
    let mut text = Vec::new();
    let mut state: u32 = 1;
    while text.len() < bytes {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        text.extend_from_slice(WORDS[state as usize >> 24 & 3].as_bytes());
        text.extend_from_slice((state >> 20).to_string().as_bytes());
    }
    text.truncate(bytes);
    text
}

/// `inspect check --json` of a program with arguments; the report and the exit status.
fn check(folder: &Path, flags: &[&str], program: &Path, arguments: &[&str]) -> (Value, Option<i32>) {
    let mut command = Command::new(inspect());
    command.args(["check", "--json", "--quiet", "--out", "out"]).args(flags).arg(program).arg("--").args(arguments);
    let output = command.current_dir(folder).stdin(Stdio::null()).output().expect("inspect starts");
    let report = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"));
    (report, output.status.code())
}

fn folder() -> TempDir {
    TempDir::with_prefix("real-").expect("a temporary directory")
}

fn files_in(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// The three blocks of a file of this size are compressed by two threads, beside main and the thread that writes.
const BLOCKS: usize = 70_000;
const COMPRESS: &[&str] = &["-p", "2", "-b", "32"];

#[test]
fn pigz_compresses_under_every_schedule_with_one_preemption() {
    let Some(pigz) = pigz() else { return };
    let folder = folder();

    // Outside of Inspect it is a normal program.
    let data = folder.path().join("data");
    std::fs::create_dir(&data).expect("a folder");
    let plain = text(BLOCKS);
    std::fs::write(data.join("text"), &plain).expect("written");
    let packed = succeed(Command::new(&pigz).args(COMPRESS).args(["-c", "text"]).current_dir(&data)).stdout;
    assert!(packed.len() < plain.len());
    std::fs::write(folder.path().join("packed.gz"), &packed).expect("written");
    let unpacked = succeed(Command::new("gzip").args(["-dc", "packed.gz"]).current_dir(folder.path())).stdout;
    assert!(unpacked == plain, "what pigz packs outside of Inspect unpacks to the same");

    // Explored: text becomes text.gz in the overlay of each run, and nothing changes on disk.
    let limits = ["--preemptions", "1", "--max-executions", "40", "--time-limit", "60s"];
    let arguments = [COMPRESS, &["text"]].concat();
    let (report, status) = check(&data, &limits, &pigz, &arguments);
    assert_eq!((report["verdict"].as_str(), status), (Some("inconclusive"), Some(3)), "{report}");
    assert!(report["reason"].as_str().is_some_and(|reason| reason.contains("limit")), "{report}");
    assert_eq!(report["findings"].as_array().map(Vec::len), Some(0), "{report}");
    let executions = report["executions"].as_u64().unwrap_or(0);
    assert!(executions > 1, "runs were made and restored: {report}");
    assert_eq!(report["threads"], 4, "main, the writer and two that compress: {report}");
    assert!(report["executions_per_second"].as_f64().is_some_and(|rate| rate > 0.0), "{report}");
    assert!(report["estimated_total"].as_u64().is_some_and(|total| total >= executions), "{report}");
    assert_eq!(files_in(&data), ["text"], "outside of Inspect, pigz would have replaced text by text.gz");
    assert!(std::fs::read(data.join("text")).expect("still there") == plain);
}

#[test]
fn what_pigz_writes_inside_of_inspect_unpacks() {
    let Some(pigz) = pigz() else { return };
    let folder = folder();
    let plain = text(BLOCKS);
    std::fs::write(folder.path().join("text"), &plain).expect("written");
    // A file that is missing gives a status that is to be a finding: its replay shows what the run wrote.
    let arguments = [COMPRESS, &["-c", "text", "missing"]].concat();
    let options = ["--preemptions", "1", "--error", "exit-status"];
    let (report, status) = check(folder.path(), &options, &pigz, &arguments);
    assert_eq!((report["verdict"].as_str(), status), (Some("violated"), Some(1)), "{report}");
    assert_eq!(report["findings"][0]["kind"], "exit-status", "{report}");
    let schedule = report["findings"][0]["replay"].as_str().expect("a schedule");
    let replay = Command::new(inspect()).arg("replay").arg(schedule).current_dir(folder.path()).output();
    let replay = replay.expect("inspect starts");
    assert_eq!(replay.status.code(), Some(1), "{replay:?}");
    let errors = String::from_utf8_lossy(&replay.stderr);
    assert!(errors.contains("missing does not exist"), "{errors}");
    // The report follows the output of the program.
    let end = find(&replay.stdout, b"error: exit-status").expect("the finding is shown");
    std::fs::write(folder.path().join("packed.gz"), &replay.stdout[..end]).expect("written");
    let unpacked = succeed(Command::new("gzip").args(["-dc", "packed.gz"]).current_dir(folder.path())).stdout;
    assert!(unpacked == plain);
}

fn find(text: &[u8], wanted: &[u8]) -> Option<usize> {
    text.windows(wanted.len()).position(|window| window == wanted)
}

#[test]
fn pigz_tests_archives_under_many_schedules() {
    let Some(pigz) = pigz() else { return };
    let folder = folder();
    std::fs::write(folder.path().join("text"), text(BLOCKS)).expect("written");
    succeed(Command::new(&pigz).args(["-k", "text"]).current_dir(folder.path()));
    // pigz computes the checksum itself and fails if a byte came out wrong.
    let limits = ["--preemptions", "1", "--max-executions", "100", "--time-limit", "30s", "--error", "exit-status"];
    let (report, status) = check(folder.path(), &limits, &pigz, &["-t", "-p", "3", "text.gz"]);
    assert_eq!((report["verdict"].as_str(), status), (Some("inconclusive"), Some(3)), "{report}");
    assert_eq!(report["findings"].as_array().map(Vec::len), Some(0), "{report}");
    assert!(report["executions"].as_u64().is_some_and(|executions| executions > 1), "{report}");
    // pigz fails inside of Inspect as well if a byte of the archive is wrong.
    let mut packed = std::fs::read(folder.path().join("text.gz")).expect("written by pigz");
    let at = packed.len() - 6;
    packed[at] ^= 1;
    std::fs::write(folder.path().join("text.gz"), packed).expect("written");
    let (report, status) = check(folder.path(), &limits, &pigz, &["-t", "-p", "3", "text.gz"]);
    assert_eq!((report["verdict"].as_str(), status), (Some("violated"), Some(1)), "{report}");
    assert_eq!(report["findings"][0]["kind"], "exit-status", "{report}");
}

/// The answers in the log of a `configure` run, without the name of the compiler.
fn answers(log: &[u8], compiler: &str) -> Vec<String> {
    let log = String::from_utf8_lossy(log).replace(compiler, "CC");
    log.lines().filter(|line| line.contains("... ")).map(str::to_owned).collect()
}

#[test]
fn an_autoconf_project_does_not_notice() {
    let Some(sources) = sources() else { return };
    let folder = folder();
    let cc = compiler(folder.path()).display().to_string();
    let mut built = Vec::new();
    let both = [("with-inspect", cc.as_str()), ("with-clang", "clang-22")];
    // The `configure` run is what takes long. Its comparison with one of the plain compiler is left to the long tests.
    let asked = if std::env::var_os("INSPECT_LONG").is_some() { &both[..] } else { &both[..1] };
    for &(name, compiler) in asked {
        let build = folder.path().join(name);
        std::fs::create_dir(&build).expect("a folder");
        let configure = sources.join("lbzip2/configure");
        let log = succeed(Command::new("sh").arg(configure).arg(format!("CC={compiler}")).current_dir(&build)).stdout;
        // This release is older than the C library, whose names its portability layer asks for.
        let names = "CPPFLAGS=-D_IO_ftrylockfile -D_IO_IN_BACKUP=0x100";
        succeed(Command::new("make").args(["-j2", names]).current_dir(&build));
        built.push((answers(&log, compiler), build.join("src/lbzip2")));
    }
    let (found, program) = &built[0];
    assert!(found.len() > 50, "configure asks much: {found:?}");
    std::fs::write(folder.path().join("text"), text(1_000_000)).expect("written");
    let pack = |program: &Path| {
        succeed(Command::new(program).args(["-1", "-n", "3", "-c", "text"]).current_dir(folder.path())).stdout
    };
    let packed = pack(program);
    if let Some((found_by_clang, program_by_clang)) = built.get(1) {
        assert_eq!(found, found_by_clang, "configure finds the same with both compilers");
        assert!(packed == pack(program_by_clang), "both builds write the same bytes");
    }
    std::fs::write(folder.path().join("text.bz2"), &packed).expect("written");
    let unpack = succeed(Command::new(program).args(["-d", "-n", "3", "-c", "text.bz2"]).current_dir(folder.path()));
    assert!(unpack.stdout == text(1_000_000), "the packed file unpacks to what it was");
}
