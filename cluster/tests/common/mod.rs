//! What the tests of `inspect-mpi` share: programs, searches by several ranks on this machine, and their processes.
#![allow(dead_code, reason = "each test program uses a part")]

use serde_json::Value;
use std::collections::BTreeSet;
use std::hash::{BuildHasher, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use tempfile::TempDir;

pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the folder lies in the repository").to_path_buf()
}

pub(crate) fn tool(name: &str) -> PathBuf {
    let path = repository().join("target/release").join(name);
    assert!(path.is_file(), "{} does not exist: run `make cluster` first", path.display());
    path
}

pub(crate) fn is_long() -> bool {
    std::env::var_os("INSPECT_LONG").is_some()
}

/// A random number below `below`, which differs from call to call.
pub(crate) fn chance(below: u64) -> u64 {
    std::collections::hash_map::RandomState::new().build_hasher().finish() % below
}

/// A compiled program in a folder of its own.
pub(crate) struct Program {
    pub(crate) folder: TempDir,
}

impl Program {
    pub(crate) fn compile(source: &str, defines: &[&str]) -> Program {
        let program = Program { folder: TempDir::with_prefix("ranks-").expect("a temporary directory") };
        let mut compile = Command::new(tool("inspect"));
        compile.args(["cc", "-O1", "-g", "-pthread", "-o"]).arg(program.path("program"));
        compile.args(defines.iter().map(|define| format!("-D{define}"))).arg(repository().join(source));
        let compiled = compile.output().expect("inspect starts");
        assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
        program
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// `inspect check` by one process.
    pub(crate) fn alone(&self, options: &[&str]) -> Value {
        self.check(&[&["--algorithm", "optimal"], options].concat())
    }

    /// `inspect check`.
    pub(crate) fn check(&self, options: &[&str]) -> Value {
        let mut check = Command::new(tool("inspect"));
        check.args(["check", "--json", "--quiet"]).args(options).arg(self.path("program"));
        report(&check.current_dir(self.folder.path()).output().expect("inspect starts"))
    }

    /// `inspect-mpi check` by so many ranks.
    pub(crate) fn start(&self, ranks: u32, options: &[&str]) -> Child {
        let mut check = mpirun(&[(ranks, tool("inspect-mpi"))], options, &self.path("program"));
        check.current_dir(self.folder.path()).spawn().expect("mpirun starts")
    }

    pub(crate) fn output(&self, ranks: u32, options: &[&str]) -> Output {
        self.start(ranks, options).wait_with_output().expect("it ends")
    }

    pub(crate) fn shared(&self, ranks: u32, options: &[&str]) -> Value {
        report(&self.output(ranks, options))
    }
}

/// The command that starts so many ranks of each of these programs.
pub(crate) fn mpirun(ranks: &[(u32, PathBuf)], options: &[&str], program: &Path) -> Command {
    let mut command = Command::new("mpirun");
    let version = Command::new("mpirun").arg("--version").output().expect("mpirun is there");
    if String::from_utf8_lossy(&version.stdout).contains("Open MPI") {
        // The tests of a container run as root, and there are more ranks than cores.
        command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1").arg("--oversubscribe");
    }
    for (number, (count, path)) in ranks.iter().enumerate() {
        if number > 0 {
            command.arg(":");
        }
        command.args(["-n", &count.to_string()]).arg(path).args(["check", "--json", "--quiet", "-j", "1"]);
        command.args(options).arg(program);
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

pub(crate) fn report(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

/// The parts of a report that must not depend on how the search was made.
pub(crate) fn result(report: &Value) -> (String, Vec<u64>, BTreeSet<String>) {
    let counts = ["executions", "blocked", "assume_blocked", "transitions", "threads"];
    let counts = counts.iter().map(|key| report[key].as_u64().expect("a number")).collect();
    let findings = report["findings"].as_array().expect("a list").iter().map(finding).collect();
    (report["verdict"].to_string(), counts, findings)
}

/// The kind, the severity and the places of a finding.
pub(crate) fn finding(finding: &Value) -> String {
    let threads = finding["threads"].as_array().expect("a list").iter();
    let mut places: Vec<String> =
        threads.map(|at| format!("{}:{}:{} {}", at["file"], at["line"], at["column"], at["operation"])).collect();
    places.sort();
    format!("{} {} {places:?}", finding["kind"], finding["severity"])
}

/// What was written to standard error.
pub(crate) fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

pub(crate) fn signal(process: u32, signal: &str) {
    let _ = Command::new("kill").args([signal, &process.to_string()]).status();
}

/// The processes whose parent is this one.
pub(crate) fn children(of: u32) -> Vec<u32> {
    let parent = |pid: u32| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse::<u32>().ok()
    };
    let all = std::fs::read_dir("/proc").expect("readable").flatten();
    let pids = all.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter(|&pid| parent(pid) == Some(of)).collect()
}

/// The ranks of a job, or the one with this number.
pub(crate) fn ranks_of(job: u32, number: Option<&str>) -> Vec<u32> {
    let is_wanted = |pid: &u32| {
        let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        let mut variables = environment.split(|&byte| byte == 0);
        number.is_none_or(|number| {
            let said = [format!("OMPI_COMM_WORLD_RANK={number}"), format!("PMI_RANK={number}")];
            variables.any(|variable| said.iter().any(|said| said.as_bytes() == variable))
        })
    };
    descendants(job).into_iter().filter(|&pid| name(pid) == "inspect-mpi" && is_wanted(&pid)).collect()
}

fn descendants(of: u32) -> Vec<u32> {
    let own = children(of);
    own.iter().copied().chain(own.iter().flat_map(|&child| descendants(child))).collect()
}

/// The name of the program that a process runs.
fn name(process: u32) -> String {
    std::fs::read_to_string(format!("/proc/{process}/comm")).unwrap_or_default().trim().to_owned()
}
