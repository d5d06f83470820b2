//! The program to check: built from the files given, once for each kind of search that asks for something of its own.

use super::combinations::goes_with_uninitialised;
use super::config::{Config, Input};
use crate::compile::compile;
use crate::error::{ToolError, plain};
use crate::program::{Image, frames_flag};
use crate::report::progress::ProgressLine;
use crate::run::Target;
use inspect_core::explore::catalogue::Requirement;
use inspect_driver::FACTS_FLAG;
use inspect_wire::hooks::UNINITIALISED_FLAG;
use std::path::{Path, PathBuf};

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
}

impl<'a> Builds<'a> {
    /// None so far.
    pub(super) fn new(config: &'a Config, progress: &'a ProgressLine) -> Self {
        Builds { config, progress, all: Vec::new() }
    }

    /// The number of the program for a search of this kind, which is built if need be; otherwise, why there is none.
    pub(super) fn number(&mut self, requirement: Requirement) -> Result<Result<usize, String>, ToolError> {
        if let (true, Err(why)) = (self.config.uninitialised, goes_with_uninitialised(requirement)) {
            return Ok(Err(format!("--uninitialised: {why}")));
        }
        let known = |build: &Build| build.requirement == requirement || self.fits(&build.image, requirement).is_ok();
        let is_given = matches!(self.config.input, Input::Program(_));
        if let Some(number) =
            self.all.iter().position(|build| build.requirement == requirement || is_given && known(build))
        {
            return Ok(Ok(number));
        }
        if is_given && let Some(build) = self.all.first() {
            return Ok(Err(self.fits(&build.image, requirement).err().map_or_else(String::new, |why| why.to_string())));
        }
        let build = self.build(requirement)?;
        self.all.push(build);
        Ok(Ok(self.all.len() - 1))
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

    fn build(&self, requirement: Requirement) -> Result<Build, ToolError> {
        let (program, ours) = match &self.config.input {
            Input::Program(program) => (program.clone(), false),
            Input::Sources { files, cflags } => self.compile(files, cflags, requirement)?,
        };
        let image = Image::read_program(&program)?;
        self.fits(&image, requirement)?;
        let target = Target::new(program, self.config.args.clone());
        Ok(Build { target, image, requirement, ours, keep: !ours })
    }

    /// The program compiled from these files, and whether it was not there before.
    fn compile(
        &self,
        files: &[PathBuf],
        cflags: &[String],
        requirement: Requirement,
    ) -> Result<(PathBuf, bool), ToolError> {
        self.progress.say("compiling");
        let out = &self.config.out;
        let fail =
            |error: std::io::Error| ToolError::new(format!("cannot make a place to build in: {}", plain(&error)));
        // Where the directory of the schedule files cannot be written, the check itself is still possible.
        let directory = match std::fs::create_dir_all(out).and_then(|()| tempfile::tempfile_in(out)) {
            Ok(_) => out.clone(),
            Err(_) => tempfile::tempdir().map_err(fail)?.keep(),
        };
        let name = name_of(&files[0]);
        let scratch = tempfile::Builder::new().prefix(".build").tempdir_in(&directory).map_err(fail)?;
        let fresh = scratch.path().join(&name);
        let compiled = compile(files, &self.flags(cflags, requirement), &fresh);
        if compiled.is_err() {
            drop(scratch);
            let _ = std::fs::remove_dir(&directory);
        }
        compiled?;
        // Named after its contents: a schedule of an earlier build keeps its program.
        let fingerprint = Image::read(&fresh)?.fingerprint;
        let digest = fingerprint.rsplit(':').next().unwrap_or_default();
        let program = directory.join(format!("{name}-{}", &digest[..12]));
        let ours = !program.exists();
        std::fs::rename(&fresh, &program).map_err(fail)?;
        Ok((program, ours))
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

/// What schedules and programs of an input are named after.
pub(super) fn name_of(path: &Path) -> String {
    path.file_stem().map_or_else(|| "program".to_owned(), |stem| stem.to_string_lossy().into_owned())
}
