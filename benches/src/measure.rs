//! Compiles a program, checks it, and watches how much memory the processes take.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A compiled program.
pub(crate) struct Program {
    directory: TempDir,
    path: PathBuf,
}

/// One check of it.
pub(crate) struct Checked {
    /// Complete executions.
    pub(crate) executions: u64,
    /// Blocked executions.
    pub(crate) blocked: u64,
    /// Wall time of the whole process.
    pub(crate) seconds: f64,
    /// What the tool itself says its search took.
    pub(crate) own_seconds: f64,
    /// Peak resident memory of the program under test.
    pub(crate) guest_kib: Option<u64>,
    /// Peak resident memory of the checker.
    pub(crate) host_kib: Option<u64>,
}

impl Program {
    /// Compiles `source` with the tool's compiler.
    pub(crate) fn compile(inspect: &Path, source: &Path, defines: &[&str]) -> Result<Self, String> {
        let directory = TempDir::with_prefix("bench-").map_err(|error| error.to_string())?;
        let path = directory.path().join("program");
        let mut command = Command::new(inspect);
        command.args(["cc", "-g", "-O1", "-pthread", "-o"]).arg(&path).arg(source);
        command.args(defines.iter().map(|define| format!("-D{define}")));
        let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
        if !output.status.success() {
            return Err(format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr)));
        }
        Ok(Program { directory, path })
    }

    /// Runs `inspect check` on it.
    pub(crate) fn check(&self, inspect: &Path, flags: &[&str]) -> Result<Checked, String> {
        let mut command = Command::new(inspect);
        command.args(["check", "--json", "--quiet", "--out"]).arg(self.directory.path());
        command.args(flags).arg(&self.path).stdout(Stdio::piped()).stderr(Stdio::null());
        let begin = Instant::now();
        let mut child = command.spawn().map_err(|error| format!("{command:?}: {error}"))?;
        let peaks = watch(&mut child)?;
        let seconds = begin.elapsed().as_secs_f64();
        let mut text = String::new();
        child.stdout.take().expect("it is piped").read_to_string(&mut text).map_err(|error| error.to_string())?;
        let report: serde_json::Value = serde_json::from_str(&text).map_err(|error| format!("{error}: {text}"))?;
        let number = |key: &str| report[key].as_u64().ok_or_else(|| format!("no {key} in {text}"));
        let guest = |path: &PathBuf| path.file_name() == self.path.file_name();
        Ok(Checked {
            executions: number("executions")?,
            blocked: number("blocked")?,
            seconds,
            own_seconds: report["seconds"].as_f64().unwrap_or(seconds),
            guest_kib: peaks.iter().filter(|(path, _)| guest(path)).map(|(_, kib)| *kib).max(),
            host_kib: peaks.iter().filter(|(path, _)| !guest(path)).map(|(_, kib)| *kib).max(),
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

/// Waits for the process and gives the peak resident memory of it and its descendants, by executable. The peaks are
/// read every two milliseconds (the kernel keeps them), so only what a process gains in its last moment is missed.
fn watch(child: &mut Child) -> Result<BTreeMap<PathBuf, u64>, String> {
    let mut peaks = BTreeMap::new();
    loop {
        let mut open = vec![child.id()];
        while let Some(process) = open.pop() {
            open.extend(children(process));
            if let (Ok(path), Some(kib)) = (std::fs::read_link(format!("/proc/{process}/exe")), peak(process)) {
                let entry = peaks.entry(path).or_insert(0);
                *entry = kib.max(*entry);
            }
        }
        if child.try_wait().map_err(|error| error.to_string())?.is_some() {
            return Ok(peaks);
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Children of every thread of the process.
fn children(process: u32) -> Vec<u32> {
    let Ok(threads) = std::fs::read_dir(format!("/proc/{process}/task")) else { return Vec::new() };
    let lists = threads.flatten().filter_map(|thread| std::fs::read_to_string(thread.path().join("children")).ok());
    lists.flat_map(|list| list.split_whitespace().filter_map(|id| id.parse().ok()).collect::<Vec<u32>>()).collect()
}

fn peak(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}
