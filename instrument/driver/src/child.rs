//! Runs a compiler or linker and passes its messages on.

use crate::hints;
use crate::plan::{ASKING, CompilerCommand};
use inspect_wire::hooks::UNINSTRUMENTED_VARIABLE;
use rustix::process::{Pid, Signal, kill_process_group};
use std::io::{BufRead, BufReader, IsTerminal, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The compiler with its arguments.
pub(crate) fn command(planned: &CompilerCommand) -> Command {
    let mut command = Command::new(&planned.compiler);
    command.args(&planned.arguments);
    with_variables(command, planned)
}

/// A compiler or linker with the variables by which the pass knows what is asked of it.
pub(crate) fn with_variables(mut command: Command, planned: &CompilerCommand) -> Command {
    command.env_remove(UNINSTRUMENTED_VARIABLE);
    ASKING.iter().for_each(|(_, (variable, _))| _ = command.env_remove(variable));
    command.envs(planned.asked.iter().copied());
    if !planned.uninstrumented.is_empty() {
        command.env(UNINSTRUMENTED_VARIABLE, planned.uninstrumented.join("\n"));
    }
    command
}

/// The compiler's flag for colours in its messages.
pub(crate) const COLORS: &str = "-fcolor-diagnostics";

/// Has the messages of a command colored as if it wrote to the terminal itself, where standard error is one.
pub(crate) fn colored<'a>(command: &'a mut Command, flag: &str) -> &'a mut Command {
    if std::io::stderr().is_terminal() {
        command.arg(flag);
    }
    command
}

/// How the compiler ended.
pub(crate) struct CompilerRun {
    pub(crate) status: ExitStatus,
    /// It had no messages.
    pub(crate) silent: bool,
    /// What helps against its errors.
    pub(crate) hints: Vec<String>,
}

impl CompilerRun {
    /// Adds what came of the next command.
    pub(crate) fn add(&mut self, next: CompilerRun) {
        self.status = next.status;
        self.silent &= next.silent;
        self.hints.extend(next.hints);
        self.hints.dedup();
    }
}

/// Says, once it is set, that nobody waits for a program any more: its compiler is killed, with what that has started.
pub type Stop = AtomicBool;

/// Runs the compiler, passes its messages on, and collects what helps against its errors.
pub(crate) fn run_with_hints(command: &mut Command, stop: Option<&Stop>) -> std::io::Result<CompilerRun> {
    if stop.is_some() {
        command.process_group(0);
    }
    let mut child = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn()?;
    let group = Pid::from_child(&child);
    let over = AtomicBool::new(false);
    let messages = child.stderr.take();
    let (silent, hints) = std::thread::scope(|scope| {
        let watcher = stop.map(|stop| scope.spawn(|| kill_once_stopped(group, stop, &over)));
        let passed = messages.map_or(Ok((true, Vec::new())), pass_on);
        over.store(true, Ordering::Relaxed);
        watcher.into_iter().for_each(|watcher| watcher.thread().unpark());
        passed
    })?;
    Ok(CompilerRun { status: child.wait()?, silent, hints })
}

/// Passes messages on to the user; whether there are none, and what helps against them.
fn pass_on(messages: impl Read) -> std::io::Result<(bool, Vec<String>)> {
    let mut hints: Vec<String> = Vec::new();
    let mut silent = true;
    let mut messages = BufReader::new(messages);
    let mut line = Vec::new();
    while messages.read_until(b'\n', &mut line)? > 0 {
        silent = false;
        std::io::stderr().write_all(&line)?;
        hints.extend(hints::hint(&String::from_utf8_lossy(&line)).filter(|hint| !hints.contains(hint)));
        line.clear();
    }
    Ok((silent, hints))
}

/// Kills a group of processes once nobody waits for them any more, unless they are over before.
fn kill_once_stopped(group: Pid, stop: &Stop, over: &AtomicBool) {
    const PAUSE: Duration = Duration::from_millis(20);
    while !over.load(Ordering::Relaxed) {
        if stop.load(Ordering::Relaxed) {
            // It may have ended just now.
            let _ = kill_process_group(group, Signal::KILL);
            return;
        }
        std::thread::park_timeout(PAUSE);
    }
}
