//! Runs the tool: the scene of a case, `inspect check` in it, replays of what was found.

use super::expect::Case;
use super::files;
use super::report::{Report, ReportedFinding};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::Duration;
use tempfile::TempDir;

/// Where a case runs: a directory of its own with the case's files, and another one for schedules.
pub(crate) struct Scene {
    /// The sources, as absolute paths.
    pub(crate) sources: Vec<PathBuf>,
    /// What is built in their place, with the word by which it runs this program.
    within: Option<(PathBuf, String)>,
    clients: Vec<PathBuf>,
    directory: TempDir,
    schedules: TempDir,
}

/// The answer of `inspect check`.
pub(crate) struct Outcome {
    /// The command as it would be typed.
    pub(crate) command: String,
    /// Exit status; none if it was killed.
    pub(crate) status: Option<i32>,
    /// The JSON object.
    pub(crate) report: Report,
    /// Standard output.
    pub(crate) output: String,
    /// Standard error.
    pub(crate) errors: String,
}

impl Scene {
    /// Prepares the directories.
    pub(crate) fn set(program: &Path, case: &Case) -> Result<Self, String> {
        let new = || TempDir::with_prefix("corpus-").map_err(|error| format!("no temporary directory: {error}"));
        let scene = Scene {
            sources: sources(program, case)?,
            within: None,
            clients: clients(program, case),
            directory: new()?,
            schedules: new()?,
        };
        files::make(scene.directory.path(), &case.files).map_err(|error| format!("the case's files: {error}"))?;
        Ok(scene)
    }

    /// The program is built as a part of another one, which runs it if its first argument is `name`.
    pub(crate) fn within(self, whole: PathBuf, name: &str) -> Self {
        Scene { within: Some((whole, name.to_owned())), ..self }
    }

    /// Where the program runs. One that is built for many cases is built in one place: where that is, is a part of what
    /// is built.
    fn working_directory(&self) -> &Path {
        match &self.within {
            Some((whole, _)) => whole.parent().expect("a source lies in a folder"),
            None => self.directory.path(),
        }
    }

    /// Runs `inspect check`.
    pub(crate) fn check(&self, inspect: &Path, case: &Case, fork: bool) -> Result<Outcome, String> {
        let mut command = Command::new(inspect);
        command.args(["check", "--json", "--quiet", "--out"]).arg(self.schedules.path());
        arguments(&mut command, case, fork);
        match &self.within {
            Some((whole, _)) => command.arg(whole),
            None => command.args(&self.sources),
        };
        self.clients.iter().for_each(|client| _ = command.arg("--client").arg(client));
        let name = self.within.as_ref().map(|(_, name)| name);
        if name.is_some() || !case.args.is_empty() {
            command.arg("--").args(name).args(&case.args);
        }
        fixed_environment(&mut command).current_dir(self.working_directory());
        let line = format!("{command:?}");
        let (status, output, errors) = finish(command, &case.stdin, Duration::from_secs(case.patience))?;
        let report = serde_json::from_str(&output)
            .map_err(|error| format!("{error}\n--- command\n{line}\n--- output\n{output}\n--- errors\n{errors}"))?;
        Ok(Outcome { command: line, status, report, output, errors })
    }

    /// Fails if the program changed anything in its directory.
    pub(crate) fn untouched(&self, case: &Case) -> Result<(), String> {
        let found = files::found(self.directory.path()).map_err(|error| format!("the case's files: {error}"))?;
        if found == case.files { Ok(()) } else { Err(format!("files changed: {:?} became {found:?}", case.files)) }
    }
}

/// What programs see of the environment is the same wherever the tests run: `RUST_MIN_STACK` is that of the tests
/// themselves, and `RUST_BACKTRACE` is what no execution sees.
fn fixed_environment(command: &mut Command) -> &mut Command {
    command.env("TZ", "UTC").env("RUST_BACKTRACE", "1").env_remove("RUST_MIN_STACK")
}

fn clients(program: &Path, case: &Case) -> Vec<PathBuf> {
    case.clients.iter().map(|name| program.join(name)).collect()
}

fn sources(program: &Path, case: &Case) -> Result<Vec<PathBuf>, String> {
    if let Some(names) = &case.sources {
        return Ok(names.iter().map(|name| program.join(name)).collect());
    }
    let entries = std::fs::read_dir(program).map_err(|error| format!("{}: {error}", program.display()))?;
    let mut sources = Vec::new();
    for entry in entries {
        let path = entry.map_err(|error| error.to_string())?.path();
        if path.extension().is_some_and(|extension| extension == "c") {
            sources.push(path);
        }
    }
    sources.sort();
    Ok(sources)
}

fn arguments(command: &mut Command, case: &Case, fork: bool) {
    let options = [
        ("--algorithm", case.algorithm.clone()),
        ("--plain-accesses", case.plain_accesses.clone()),
        ("--preemptions", case.preemptions.map(|bound| bound.to_string())),
        ("--mode", if fork { Some("fork".to_string()) } else { case.mode.clone() }),
    ];
    for (option, value) in options {
        if let Some(value) = value {
            command.args([option, value.as_str()]);
        }
    }
    if case.spurious_wakeups {
        command.arg("--spurious-wakeups");
    }
    if case.keep_going {
        command.arg("--keep-going");
    }
    command.args(&case.flags);
    if let Ok(every) = std::env::var("INSPECT_CHECKPOINT_EVERY") {
        command.args(["--checkpoint-every", &every]);
    }
    for (name, value) in &case.defines {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_string);
        command.arg("-D").arg(format!("{name}={value}"));
    }
    let further = std::env::var("INSPECT_CFLAGS").unwrap_or_default();
    for flag in case.cflags.iter().map(String::as_str).chain(further.split_whitespace()) {
        command.arg(format!("--cflag={flag}"));
    }
}

/// Replays a finding `times` times: each replay must reproduce it, and print the same as the first one.
pub(crate) fn replays(inspect: &Path, scene: &Scene, finding: &ReportedFinding, times: u32) -> Result<(), String> {
    let kind = &finding.kind;
    let schedule = finding.replay.as_ref().ok_or_else(|| format!("{kind}: no schedule file"))?;
    let mut first = None;
    for round in 1..=times {
        let mut command = Command::new(inspect);
        fixed_environment(command.arg("replay").arg(schedule)).current_dir(scene.working_directory());
        let line = format!("{command:?}");
        let (status, output, errors) = finish(command, "", Duration::from_secs(60))?;
        if status != Some(1) {
            return Err(format!("{kind}, replay {round}: status {status:?} of {line}\n{output}\n{errors}"));
        }
        match &first {
            None => first = Some(output),
            Some(first) if *first != output => {
                return Err(format!("{kind}, replay {round} differs\n--- first\n{first}\n--- now\n{output}"));
            }
            Some(_) => {}
        }
    }
    Ok(())
}

/// Runs a command to its end, or kills it after `patience`. Returns exit status, output and errors.
fn finish(mut command: Command, input: &str, patience: Duration) -> Result<(Option<i32>, String, String), String> {
    let file = || tempfile::tempfile().map_err(|error| format!("no temporary file: {error}"));
    let (mut stdin, mut output, mut errors) = (file()?, file()?, file()?);
    let start = stdin.write_all(input.as_bytes()).and_then(|()| stdin.seek(SeekFrom::Start(0)));
    start.map_err(|error| error.to_string())?;
    let copy = |file: &std::fs::File| file.try_clone().map(Stdio::from).map_err(|error| error.to_string());
    command.stdin(copy(&stdin)?).stdout(copy(&output)?).stderr(copy(&errors)?);
    let mut child = command.spawn().map_err(|error| format!("{command:?}: {error}"))?;
    let Some(status) = wait(&mut child, patience).map_err(|error| error.to_string())? else {
        return Err(format!("{command:?} does not end within {patience:?}"));
    };
    Ok((status.code(), contents(&mut output)?, contents(&mut errors)?))
}

/// Waits for the end of a process. None if it did not end within `patience` and was killed.
fn wait(child: &mut Child, patience: Duration) -> std::io::Result<Option<ExitStatus>> {
    let pid = Pid::from_raw(child.id() as i32);
    let (send, ended) = mpsc::channel();
    std::thread::scope(|scope| {
        scope.spawn(move || send.send(child.wait()));
        ended
            .recv_timeout(patience)
            .map(Some)
            .unwrap_or_else(|_| {
                // Nobody else waits for the process, so the number is still its own.
                let _already_over = kill(pid, Signal::SIGKILL);
                None
            })
            .transpose()
    })
}

fn contents(file: &mut std::fs::File) -> Result<String, String> {
    let mut bytes = Vec::new();
    let read = file.seek(SeekFrom::Start(0)).and_then(|_| file.read_to_end(&mut bytes));
    read.map_err(|error| error.to_string())?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
