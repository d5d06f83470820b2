//! Starting a guest.

use super::region::{Region, TableFile};
use super::room::{PRELOADED, ThreadRoom};
use command_fds::{CommandFdExt, FdMapping};
use inspect_wire::shared::{DESCRIPTOR, TABLE_DESCRIPTOR};
use nix::sys::memfd::{MFdFlags, memfd_create};
use nix::sys::personality::{self, Persona};
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::PidfdFlags;
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileExt;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

/// The program under test and its arguments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Target {
    /// The instrumented program.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Its environment, if not that of the checker: on a cluster, that of the leader for all ranks.
    pub environment: Option<Vec<(OsString, OsString)>>,
    /// How many threads there is room for.
    pub room: ThreadRoom,
}

impl Target {
    /// A program with room for as many threads as most need.
    pub fn new(program: PathBuf, args: Vec<OsString>) -> Target {
        Target { program, args, environment: None, room: ThreadRoom::default() }
    }

    /// The program with its environment, without arguments.
    pub(super) fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        if let Some(environment) = &self.environment {
            command.env_clear().envs(environment.iter().map(|(name, value)| (name, value)));
        }
        command
    }
}

/// Where a guest's standard output and error go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Terminal {
    /// Into memory; shown only if the program ends before the guest takes over.
    Captured,
    /// To the user's own; standard input too.
    Shared,
    /// As `Shared`, inside gdb.
    Debugger,
}

/// A started guest. Dropping it kills it.
/// What has a Rust program print a backtrace as it panics, which no report shows: it takes seconds, and calls
/// `dl_iterate_phdr`, which is not modelled beside threads that are not joined.
const BACKTRACES: [&str; 2] = ["RUST_BACKTRACE", "RUST_LIB_BACKTRACE"];

#[derive(Debug)]
pub(super) struct Guest {
    child: Child,
    /// Becomes readable when the process ends; none where the system has no such descriptors.
    end: Option<OwnedFd>,
    captured: Option<File>,
    own_group: bool,
}

impl Guest {
    /// Starts `target` with `region` at [`DESCRIPTOR`], and the table that it shares, if any, at [`TABLE_DESCRIPTOR`].
    pub(super) fn start(
        target: &Target,
        region: &Region,
        table: Option<&TableFile>,
        terminal: Terminal,
    ) -> io::Result<Guest> {
        prepare_limits()?;
        let mut command = match terminal {
            Terminal::Captured | Terminal::Shared => {
                region.name_parent()?;
                target.command()
            }
            Terminal::Debugger => gdb(target),
        };
        command.args(&target.args);
        BACKTRACES.iter().for_each(|name| _ = command.env_remove(name));
        // gdb is told: in its own environment, it would be loaded into gdb.
        if let Some(preloaded) = target.room.preloaded().filter(|_| terminal != Terminal::Debugger) {
            command.env(PRELOADED, preloaded);
        }
        let mut captured = None;
        if terminal == Terminal::Captured {
            let file = File::from(memfd_create("output", MFdFlags::MFD_CLOEXEC).map_err(io::Error::from)?);
            command.stdin(reopened_stdin()).stdout(file.try_clone()?).stderr(file.try_clone()?).process_group(0);
            captured = Some(file);
        }
        let mut mappings = vec![FdMapping { parent_fd: region.descriptor()?, child_fd: DESCRIPTOR }];
        if let Some(table) = table {
            mappings.push(FdMapping { parent_fd: table.descriptor()?, child_fd: TABLE_DESCRIPTOR });
        }
        command.fd_mappings(mappings).map_err(|_| io::Error::other("the descriptor of the shared memory is taken"))?;
        let child = fixed_layout(|| command.spawn())?;
        let end = rustix::process::pidfd_open(rustix::process::Pid::from_child(&child), PidfdFlags::empty()).ok();
        Ok(Guest { child, end, captured, own_group: terminal == Terminal::Captured })
    }

    /// How the process ended, if it has.
    pub(super) fn ended(&mut self) -> io::Result<Option<ExitStatus>> {
        self.child.try_wait()
    }

    /// How long the process, and those that it forked and that have ended, have had a processor. None if the system
    /// does not say so.
    pub(super) fn processor_time(&self) -> Option<Duration> {
        let text = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).ok()?;
        processor_time_of(&text)
    }

    /// Waits until the process has ended, at most so long.
    pub(super) fn wait(&self, at_most: Duration) {
        let limit = Timespec { tv_sec: at_most.as_secs().cast_signed(), tv_nsec: at_most.subsec_nanos().into() };
        let ended = self.end.as_ref().map(|end| poll(&mut [PollFd::new(end, PollFlags::IN)], Some(&limit)));
        // A signal ends the wait early, as an interruption by the user should.
        if !matches!(ended, Some(Ok(_) | Err(Errno::INTR))) {
            std::thread::sleep(at_most);
        }
    }

    /// Kills the process and those it forked, and waits for its end.
    pub(super) fn kill(&mut self) -> io::Result<ExitStatus> {
        if let Some(status) = self.child.try_wait()? {
            return Ok(status);
        }
        let group = Pid::from_raw(self.child.id().cast_signed());
        if !self.own_group || killpg(group, Signal::SIGKILL).is_err() {
            self.child.kill()?;
        }
        self.child.wait()
    }

    /// The end of what the process wrote before the guest captured its output.
    pub(super) fn captured(&self) -> String {
        const SHOWN: u64 = 4096;
        let Some(file) = &self.captured else { return String::new() };
        let length = file.metadata().map_or(0, |metadata| metadata.len());
        let mut bytes = vec![0; length.min(SHOWN) as usize];
        match file.read_exact_at(&mut bytes, length.saturating_sub(SHOWN)) {
            Ok(()) => String::from_utf8_lossy(&bytes).trim().to_owned(),
            Err(error) => format!("(its output cannot be read: {error})"),
        }
    }
}

/// What `/proc/PID/stat` says of the time for which a process had a processor: fields 14 to 17 (proc(5)). The name of
/// the process, field 2, may contain anything, and ends with the last bracket.
fn processor_time_of(stat: &str) -> Option<Duration> {
    /// The unit is the same on every kernel for x86-64.
    const TICK: Duration = Duration::from_millis(10);
    let (_, fields) = stat.rsplit_once(") ")?;
    let ticks: Vec<u32> = fields.split(' ').skip(11).take(4).filter_map(|field| field.parse().ok()).collect();
    (ticks.len() == 4).then(|| TICK * ticks.iter().sum::<u32>())
}

impl Drop for Guest {
    fn drop(&mut self) {
        // A process that cannot be killed has already ended.
        let _ = self.kill();
    }
}

/// gdb with the program: started without a shell, which would close the shared memory's descriptor, and set to ignore
/// the signals that the guest handles.
fn gdb(target: &Target) -> Command {
    let mut command = Command::new("gdb");
    command.args(["-q", "-iex", "set startup-with-shell off", "-iex", "set debuginfod enabled off"]);
    for setting in [
        "set breakpoint pending on",
        "handle SIGSYS nostop noprint pass",
        // The first write to a page of the snapshot raises it; at a crash of the program, the guest traps at the end of
        // the run.
        "handle SIGSEGV nostop noprint pass",
        // The watchdog's timer.
        "handle SIGPROF nostop noprint pass",
    ] {
        command.args(["-ex", setting]);
    }
    if let Some(preloaded) = target.room.preloaded() {
        let mut setting = OsString::from(format!("set environment {PRELOADED}="));
        setting.push(preloaded);
        command.arg("-ex").arg(setting);
    }
    for name in BACKTRACES {
        command.args(["-ex", &format!("unset environment {name}")]);
    }
    command.args(["-ex", "run", "--args"]).arg(&target.program);
    command
}

/// A regular file given as standard input is opened anew, so that every run starts at its beginning; anything else
/// could be read only once and is replaced by nothing.
fn reopened_stdin() -> Stdio {
    match File::open("/proc/self/fd/0") {
        Ok(file) if file.metadata().is_ok_and(|metadata| metadata.is_file()) => file.into(),
        _ => Stdio::null(),
    }
}

/// Descriptors up to [`DESCRIPTOR`] must be allowed; a crash of a program under test leaves no core file.
///
/// # Errors
/// Too few descriptors are allowed, and no more can be.
fn prepare_limits() -> io::Result<()> {
    let needed = DESCRIPTOR as u64 + 64;
    if let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_NOFILE)
        && soft < needed
    {
        if hard <= DESCRIPTOR as u64 {
            let message = format!(
                "a process may have {hard} files open here, and Inspect needs {needed}: raise the limit (ulimit -Hn, or what \
                 the service or container sets)"
            );
            return Err(io::Error::other(message));
        }
        // Where this is refused, the start of the guest fails with the system's own message.
        let _ = setrlimit(Resource::RLIMIT_NOFILE, needed.min(hard), hard);
    }
    if let Ok((_, hard)) = getrlimit(Resource::RLIMIT_CORE) {
        let _ = setrlimit(Resource::RLIMIT_CORE, 0, hard);
    }
    Ok(())
}

/// Calls `start` such that processes it starts have the same address layout each time, where the system permits it. If
/// a container refuses, addresses differ between processes, which shows in the modules that guests report.
fn fixed_layout<T>(start: impl FnOnce() -> T) -> T {
    let Ok(before) = personality::get() else { return start() };
    if personality::set(before | Persona::ADDR_NO_RANDOMIZE).is_err() {
        return start();
    }
    let result = start();
    let _ = personality::set(before);
    result
}

/// Whether processes can have the same layout on this system: containers may forbid it.
pub fn can_fix_layout() -> bool {
    let is_fixed = || personality::get().is_ok_and(|now| now.contains(Persona::ADDR_NO_RANDOMIZE));
    fixed_layout(is_fixed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fixed_layout_ends_with_what_was_started_in_it() {
        let now = || personality::get().expect("it can be asked for").contains(Persona::ADDR_NO_RANDOMIZE);
        let before = now();
        assert_eq!(can_fix_layout(), fixed_layout(now));
        assert_eq!(now(), before);
    }

    #[test]
    fn the_processor_time_of_a_process_includes_that_of_its_children() {
        let stat = "7 (a) b) S 1 7 7 0 -1 4194560 9 0 0 0 100 20 3 4 20 0 1 0 5";
        assert_eq!(processor_time_of(stat), Some(Duration::from_millis(1270)));
        assert_eq!(processor_time_of("7 (a) S 1"), None);
        assert!(processor_time_of(&std::fs::read_to_string("/proc/self/stat").unwrap_or_default()).is_some());
    }
}
