//! Where the workers of a shared search are, and how the host communicates with them: here, guests that are processes
//! on this machine. In a search on a cluster, the workers of its leader are ranks, each with guests of its own
//! (`search::cluster`).

use super::output::{GuestEnd, RunOutput};
use super::process::{Guest, Target, Terminal};
use super::region::{Region, TableFile};
use super::watch::{ended, read};
use crate::error::ToolError;
use inspect_wire::message::{Job, SharedTable};
use inspect_wire::work::{Commit, Package};
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::time::Duration;

/// Starts workers.
pub trait Transport {
    /// A new worker, which waits for work.
    fn start(&mut self, job: &Job) -> Result<Box<dyn Worker>, ToolError>;

    /// Whether there can be one more.
    fn has_room(&self) -> bool {
        true
    }
}

/// What has happened to a worker since it was last looked at.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct WorkerUpdate {
    /// What it has committed. Everything it reported before that is in its output.
    pub commit: Option<Commit>,
    /// How many packages it has taken: the last one after its last commit, or with it.
    pub taken: u32,
    /// How it ended, if it has.
    pub end: Option<GuestEnd>,
    /// It ended by SIGKILL or SIGTERM: it was killed from outside, as signals of the program never reach the system.
    /// Batch systems send SIGTERM to all processes of a job.
    pub killed: bool,
}

/// Who explores parts of a search: a guest, or a rank with guests of its own.
pub trait Worker {
    /// Looks for what is new.
    fn poll(&mut self) -> io::Result<WorkerUpdate>;
    /// Waits until the worker has ended, at most so long.
    fn wait(&self, at_most: Duration);
    /// How long it has had a processor so far. Other work on the machine makes no difference to that.
    fn processor_time(&self) -> Option<Duration>;
    /// Gives work to a worker that has taken all packages before it.
    fn assign(&mut self, package: &Package) -> io::Result<()>;
    /// Asks for a commit that gives `parts` parts away; returns the number of the request, which the commit will name.
    fn ask(&mut self, parts: u32) -> io::Result<u32>;
    /// Asks it to stop: it commits what it has done, and ends.
    fn stop(&mut self) -> io::Result<()>;
    /// Ends it at once.
    fn kill(&mut self) -> io::Result<()>;
    /// All that it has reported so far.
    fn output(&self) -> &RunOutput;
    /// The same, from which reports may be taken out.
    fn output_mut(&mut self) -> &mut RunOutput;
    /// All that it has reported, when it has ended.
    fn take_output(&mut self) -> RunOutput {
        std::mem::take(self.output_mut())
    }
}

/// Processes on this machine.
#[derive(Debug)]
pub struct Local<'a> {
    target: &'a Target,
    /// The table of states that the processes share, and the pass of the search that it is for.
    table: Option<(u32, TableFile)>,
}

impl<'a> Local<'a> {
    /// Processes that run `target`.
    pub fn new(target: &'a Target) -> Self {
        Local { target, table: None }
    }

    /// The table of states that the job names. A pass begins with an empty one.
    fn table(&mut self, job: &Job) -> io::Result<Option<&TableFile>> {
        let Some(SharedTable { pass, bytes, .. }) = job.state_table else { return Ok(None) };
        if self.table.as_ref().is_none_or(|(other, _)| *other != pass) {
            self.table = Some((pass, TableFile::create(bytes)?));
        }
        Ok(self.table.as_ref().map(|(_, table)| table))
    }
}

impl Transport for Local<'_> {
    fn start(&mut self, job: &Job) -> Result<Box<dyn Worker>, ToolError> {
        let memory = |error| ToolError::new(format!("cannot make the shared memory: {error}"));
        let region = Region::create(job).map_err(memory)?;
        let target = self.target;
        let table = self.table(job).map_err(memory)?;
        let guest = Guest::start(target, &region, table, Terminal::Captured)
            .map_err(|error| ToolError::new(format!("cannot start {}: {error}", target.program.display())))?;
        Ok(Box::new(Process { guest, region, output: RunOutput::new() }))
    }
}

struct Process {
    guest: Guest,
    region: Region,
    output: RunOutput,
}

impl Process {
    fn update(&mut self) -> io::Result<Result<Option<Commit>, GuestEnd>> {
        // Messages are read after the commit, so that all that were sent before it are there.
        let commit = match self.region.commit()? {
            Ok(commit) => commit,
            Err(garbled) => return Ok(Err(GuestEnd::Garbled(garbled.0))),
        };
        Ok(read(&mut self.region, &mut self.output)?.map(|()| commit))
    }

    fn garbled(&mut self, end: GuestEnd) -> io::Result<WorkerUpdate> {
        self.guest.kill()?;
        Ok(WorkerUpdate { end: Some(end), ..WorkerUpdate::default() })
    }
}

impl Worker for Process {
    fn poll(&mut self) -> io::Result<WorkerUpdate> {
        // The end is looked for first: so all that the process reported before its end is read below.
        let status = self.guest.ended()?;
        let taken = self.region.taken()?;
        let mut commit = match self.update()? {
            Ok(commit) => commit,
            Err(end) => return self.garbled(end),
        };
        let Some(status) = status else { return Ok(WorkerUpdate { commit, taken, ..WorkerUpdate::default() }) };
        if commit.is_none() {
            // The rest of a half-read batch of messages.
            commit = match self.update()? {
                Ok(commit) => commit,
                Err(end) => return self.garbled(end),
            };
        }
        let killed = matches!(status.signal(), Some(nix::libc::SIGKILL | nix::libc::SIGTERM));
        Ok(WorkerUpdate { commit, taken, end: Some(ended(&self.guest, &self.output, status)), killed })
    }

    fn wait(&self, at_most: Duration) {
        self.guest.wait(at_most);
    }

    fn processor_time(&self) -> Option<Duration> {
        self.guest.processor_time()
    }

    fn assign(&mut self, package: &Package) -> io::Result<()> {
        self.region.put_down(package)
    }

    fn ask(&mut self, parts: u32) -> io::Result<u32> {
        self.region.ask(parts)
    }

    fn stop(&mut self) -> io::Result<()> {
        self.region.ask_to_stop()
    }

    fn kill(&mut self) -> io::Result<()> {
        self.guest.kill()?;
        Ok(())
    }

    fn output(&self) -> &RunOutput {
        &self.output
    }

    fn output_mut(&mut self) -> &mut RunOutput {
        &mut self.output
    }
}
