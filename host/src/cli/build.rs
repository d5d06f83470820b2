//! The program to check: built from the files given, once for each kind of search that asks for something of its own.

use super::clients;
use super::combinations::goes_with_uninitialised;
use super::config::{Config, Input, SourceFiles};
use crate::compile::{Stop, compile};
use crate::error::{ToolError, plain};
use crate::program::{Image, frames_flag};
use crate::report::progress::ProgressLine;
use crate::run::Target;
use crate::search::ProgramState;
use inspect_core::explore::catalogue::Requirement;
use inspect_driver::FACTS_FLAG;
use inspect_wire::hooks::UNINITIALISED_FLAG;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// A program with what its file says about it.
pub(super) struct Build {
    pub(super) target: Target,
    pub(super) image: Image,
    requirement: Requirement,
    /// It was compiled for this check and goes away with it, unless a schedule needs it.
    ours: bool,
    pub(super) keep: bool,
}

impl Drop for Build {
    fn drop(&mut self) {
        if self.ours && !self.keep {
            // What cannot be removed is left behind; the directory is removed only when empty.
            let _ = std::fs::remove_file(&self.target.program);
            let _ = self.target.program.parent().map(std::fs::remove_dir);
        }
    }
}

/// The builds of one check.
pub(super) struct Builds<'a> {
    config: &'a Config,
    progress: &'a ProgressLine,
    pub(super) all: Vec<Build>,
    /// The one that is being built.
    begun: Option<Compilation>,
}

impl<'a> Builds<'a> {
    /// None so far.
    pub(super) fn new(config: &'a Config, progress: &'a ProgressLine) -> Self {
        Builds { config, progress, all: Vec::new(), begun: None }
    }

    /// The number of the program for a search of this kind, which is built if need be; otherwise, why there is none.
    pub(super) fn number(&mut self, requirement: Requirement) -> Result<Result<usize, String>, ToolError> {
        match self.within(requirement, None)? {
            ProgramState::Ready(number) => Ok(Ok(number)),
            ProgramState::Never(why) => Ok(Err(why)),
            ProgramState::Later => unreachable!("it is waited for as long as it takes"),
        }
    }

    /// As [`number`](Self::number), if it is built within this time. If not, building goes on.
    pub(super) fn within(
        &mut self,
        requirement: Requirement,
        patience: Option<Duration>,
    ) -> Result<ProgramState<usize>, ToolError> {
        if let (true, Err(why)) = (self.config.uninitialised, goes_with_uninitialised(requirement)) {
            return Ok(ProgramState::Never(format!("--uninitialised: {why}")));
        }
        let built = match &self.config.input {
            Input::Program(program) => match self.all.first() {
                None => (program.clone(), false),
                Some(build) if build.requirement == requirement => return Ok(ProgramState::Ready(0)),
                Some(build) => {
                    let fits = self.fits(&build.image, requirement);
                    return Ok(
                        fits.map_or_else(|why| ProgramState::Never(why.to_string()), |()| ProgramState::Ready(0))
                    );
                }
            },
            Input::Sources(sources) => {
                if let Some(number) = self.all.iter().position(|build| build.requirement == requirement) {
                    return Ok(ProgramState::Ready(number));
                }
                match self.compile(sources, requirement, patience) {
                    Some(built) => built?,
                    None => return Ok(ProgramState::Later),
                }
            }
        };
        let build = self.take(built, requirement)?;
        self.all.push(build);
        Ok(ProgramState::Ready(self.all.len() - 1))
    }

    /// Compiles the program for a search of this kind, or goes on to wait for it; None if that takes longer.
    fn compile(
        &mut self,
        sources: &SourceFiles,
        requirement: Requirement,
        patience: Option<Duration>,
    ) -> Option<Result<(PathBuf, bool), ToolError>> {
        let begun = self.begun.take().filter(|begun| begun.requirement == requirement);
        let compilation = begun.unwrap_or_else(|| self.begin(sources, requirement));
        let built = compilation.wait(patience);
        if built.is_none() {
            self.begun = Some(compilation);
        }
        built
    }

    /// Refuses a program that does not have what a search of this kind needs.
    fn fits(&self, image: &Image, requirement: Requirement) -> Result<(), ToolError> {
        if self.config.uninitialised {
            image.require_uninitialised()?;
        }
        match requirement {
            Requirement::Hooks => Ok(()),
            Requirement::Facts => image.require_facts(),
            Requirement::FrameRecords => image.require_frames(self.config.job.local_states),
        }
    }

    /// Looks at a program that was built, or given.
    fn take(&self, (program, ours): (PathBuf, bool), requirement: Requirement) -> Result<Build, ToolError> {
        let image = Image::read_program(&program)?;
        self.fits(&image, requirement)?;
        let target = Target::new(program, self.config.args.clone());
        let target = Target { environment: self.config.environment.clone(), ..target };
        Ok(Build { target, image, requirement, ours, keep: !ours })
    }

    /// Begins to build a program for a search of this kind.
    fn begin(&self, sources: &SourceFiles, requirement: Requirement) -> Compilation {
        self.progress.say("compiling");
        let out = self.config.out.clone();
        let sources = SourceFiles { cflags: self.flags(&sources.cflags, requirement), ..sources.clone() };
        // The first build is waited for, with its compiler in the terminal's foreground.
        let stop = (!self.all.is_empty()).then(|| Arc::new(Stop::new(false)));
        let (sender, result) = channel();
        let given = stop.clone();
        let thread = std::thread::spawn(move || {
            // Nobody may wait any more.
            let _ = sender.send(compiled(&out, sources, given.as_deref()));
        });
        Compilation { requirement, stop, result, thread: Some(thread) }
    }

    fn flags(&self, cflags: &[String], requirement: Requirement) -> Vec<String> {
        let mut flags = cflags.to_vec();
        flags.extend(self.config.uninitialised.then(|| UNINITIALISED_FLAG.to_owned()));
        match requirement {
            Requirement::Hooks => {}
            Requirement::Facts => flags.push(FACTS_FLAG.to_owned()),
            Requirement::FrameRecords => flags.push(frames_flag(self.config.job.local_states).to_owned()),
        }
        if !self.all.is_empty() {
            // The compiler has said it all the first time.
            flags.push("-w".to_owned());
        }
        flags
    }
}

/// A program that is being built.
struct Compilation {
    requirement: Requirement,
    stop: Option<Arc<Stop>>,
    result: Receiver<Result<(PathBuf, bool), ToolError>>,
    thread: Option<JoinHandle<()>>,
}

impl Compilation {
    /// What has come of it, if that comes within this time; None is as long as it takes.
    fn wait(&self, patience: Option<Duration>) -> Option<Result<(PathBuf, bool), ToolError>> {
        let gone = || Err(ToolError::new("the build of the program was lost"));
        match patience {
            None => Some(self.result.recv().unwrap_or_else(|_| gone())),
            Some(patience) => match self.result.recv_timeout(patience) {
                Ok(built) => Some(built),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => Some(gone()),
            },
        }
    }
}

impl Drop for Compilation {
    fn drop(&mut self) {
        self.stop.iter().for_each(|stop| stop.store(true, Ordering::Relaxed));
        // It has removed what it began to write when it ends.
        let _ = self.thread.take().map(JoinHandle::join);
        if let Ok(Ok((program, true))) = self.result.try_recv() {
            // It was built after all, for nobody.
            let _ = std::fs::remove_file(program);
        }
    }
}

/// The program compiled from these sources, and whether it was not there before.
fn compiled(out: &Path, mut sources: SourceFiles, stop: Option<&Stop>) -> Result<(PathBuf, bool), ToolError> {
    let fail = |error: std::io::Error| ToolError::new(format!("cannot make a place to build in: {}", plain(&error)));
    // Where the directory of the schedule files cannot be written, the check itself is still possible.
    let directory = match std::fs::create_dir_all(out).and_then(|()| tempfile::tempfile_in(out)) {
        Ok(_) => out.to_owned(),
        Err(_) => tempfile::tempdir().map_err(fail)?.keep(),
    };
    let name = name_of(&sources.files[0]);
    let scratch = tempfile::Builder::new().prefix(".build").tempdir_in(&directory).map_err(fail)?;
    let fresh = scratch.path().join(&name);
    if !sources.clients.is_empty() {
        let clients = clients::write(&sources.files, &sources.clients, scratch.path()).map_err(fail)?;
        sources.files.extend(clients);
        sources.cflags.extend(clients::flags(scratch.path()));
    }
    let made = compile(&sources.files, &sources.cflags, &fresh, stop);
    if made.is_err() {
        drop(scratch);
        let _ = std::fs::remove_dir(&directory);
    }
    made?;
    // Named after its contents: a schedule of an earlier build keeps its program.
    let fingerprint = Image::read(&fresh)?.fingerprint;
    let digest = fingerprint.rsplit(':').next().unwrap_or_default();
    let program = directory.join(format!("{name}-{}", &digest[..12]));
    let ours = !program.exists();
    std::fs::rename(&fresh, &program).map_err(fail)?;
    Ok((program, ours))
}

/// What schedules and programs of an input are named after.
pub(super) fn name_of(path: &Path) -> String {
    path.file_stem().map_or_else(|| "program".to_owned(), |stem| stem.to_string_lossy().into_owned())
}
