//! Compiles a program, checks it, and watches how much memory the processes take.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A compiled program.
pub(crate) struct CompiledProgram {
    directory: TempDir,
    path: PathBuf,
}

/// The measurements of one check of a program.
pub(crate) struct Checked {
    /// Complete executions.
    pub(crate) executions: u64,
    /// Blocked executions.
    pub(crate) blocked: u64,
    /// Wall time of the whole process.
    pub(crate) seconds: f64,
    /// The time that the tool reports for its search.
    pub(crate) own_seconds: f64,
    /// Processor time of all its processes.
    pub(crate) cpu_seconds: f64,
    /// Peak resident memory of the program under test.
    pub(crate) guest_kib: Option<u64>,
    /// Peak resident memory of the checker.
    pub(crate) host_kib: Option<u64>,
}

impl CompiledProgram {
    /// Compiles `source` with the tool's compiler.
    pub(crate) fn compile(inspect: &Path, source: &Path, defines: &[&str], build: &[&str]) -> Result<Self, String> {
        let directory = TempDir::with_prefix("bench-").map_err(|error| error.to_string())?;
        let path = directory.path().join("program");
        let mut command = Command::new(inspect);
        let compiler = if source.extension().is_some_and(|extension| extension == "cpp") { "c++" } else { "cc" };
        command.args([compiler, "-g", "-O1", "-pthread"]).args(build).arg("-o").arg(&path).arg(source);
        command.args(defines.iter().map(|define| format!("-D{define}")));
        let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
        if !output.status.success() {
            return Err(format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr)));
        }
        Ok(CompiledProgram { directory, path })
    }

    /// The program.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// A folder of its own, which is deleted with this value.
    pub(crate) fn folder(&self) -> &Path {
        self.directory.path()
    }

    /// Runs `inspect check` on the program, with `optimal` unless the flags name another algorithm.
    pub(crate) fn check(&self, inspect: &Path, flags: &[&str]) -> Result<Checked, String> {
        let mut command = Command::new(inspect);
        command.args(["check", "--json", "--quiet", "--out"]).arg(self.directory.path());
        if !flags.contains(&"--algorithm") {
            command.args(["--algorithm", "optimal"]);
        }
        command.args(flags).arg(&self.path).stdout(Stdio::piped()).stderr(Stdio::null());
        let begin = Instant::now();
        let mut child = command.spawn().map_err(|error| format!("{command:?}: {error}"))?;
        let watched = watch(&mut child)?;
        let seconds = begin.elapsed().as_secs_f64();
        let mut text = String::new();
        child.stdout.take().expect("it is piped").read_to_string(&mut text).map_err(|error| error.to_string())?;
        let report: serde_json::Value = serde_json::from_str(&text).map_err(|error| format!("{error}: {text}"))?;
        let number = |key: &str| report[key].as_u64().ok_or_else(|| format!("no {key} in {text}"));
        let guest = |process: &&Process| process.program.file_name() == self.path.file_name();
        let host = |process: &&Process| !guest(process);
        Ok(Checked {
            executions: number("executions")?,
            blocked: number("blocked")?,
            seconds,
            own_seconds: report["seconds"].as_f64().unwrap_or(seconds),
            cpu_seconds: watched.values().map(|process| process.nanoseconds as f64 * 1e-9).sum(),
            guest_kib: watched.values().filter(guest).map(|process| process.kib).max(),
            host_kib: watched.values().filter(host).map(|process| process.kib).max(),
        })
    }
}

/// The wall time of a check with its compilation.
pub(crate) fn check_source(inspect: &Path, source: &Path) -> Result<f64, String> {
    let directory = TempDir::with_prefix("bench-").map_err(|error| error.to_string())?;
    let mut command = Command::new(inspect);
    command.args(["check", "--json", "--quiet", "--out"]).arg(directory.path()).arg(source);
    let begin = Instant::now();
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    let seconds = begin.elapsed().as_secs_f64();
    match output.status.code() {
        Some(0) => Ok(seconds),
        status => Err(format!("{command:?}: status {status:?}: {}", String::from_utf8_lossy(&output.stderr))),
    }
}

/// The most that was seen of one process.
struct Process {
    program: PathBuf,
    /// Peak resident memory.
    kib: u64,
    /// Processor time.
    nanoseconds: u64,
}

/// Waits for the process and returns what was seen of it and its descendants, by process id. They are sampled every two
/// milliseconds; as the kernel keeps peaks and sums, only what a process does after its last sample is missed.
fn watch(child: &mut Child) -> Result<BTreeMap<u32, Process>, String> {
    let mut seen = BTreeMap::new();
    loop {
        let mut open = vec![child.id()];
        while let Some(id) = open.pop() {
            open.extend(children(id));
            if let Some(process) = look(id) {
                seen.insert(id, process);
            }
        }
        if child.try_wait().map_err(|error| error.to_string())?.is_some() {
            return Ok(seen);
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn look(id: u32) -> Option<Process> {
    let program = std::fs::read_link(format!("/proc/{id}/exe")).ok()?;
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib = peak.split_whitespace().next()?.parse().ok()?;
    let times = std::fs::read_to_string(format!("/proc/{id}/schedstat")).unwrap_or_default();
    let nanoseconds = times.split_whitespace().next().and_then(|time| time.parse().ok()).unwrap_or(0);
    Some(Process { program, kib, nanoseconds })
}

/// Children of every thread of the process.
fn children(process: u32) -> Vec<u32> {
    let Ok(threads) = std::fs::read_dir(format!("/proc/{process}/task")) else { return Vec::new() };
    let lists = threads.flatten().filter_map(|thread| std::fs::read_to_string(thread.path().join("children")).ok());
    lists.flat_map(|list| list.split_whitespace().filter_map(|id| id.parse().ok()).collect::<Vec<u32>>()).collect()
}
