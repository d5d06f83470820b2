//! The file that an interrupted search is resumed from: what was counted and found, and the work that is left.

use crate::error::{ToolError, plain};
use crate::program::{Image, is_known_library};
use crate::run::{Divergence, ReportedFinding, RunOutput};
use crate::verdict::Reason;
use inspect_core::event::ByteRange;
use inspect_core::explore::{Counts, Item, SampledRuns};
use inspect_wire::message::{InconclusiveReason, Job, LoadedModule, Mode, ResolvedSite, Task};
use inspect_wire::shared::VERSION;
use inspect_wire::work::Bundle;
use inspect_wire::{GUEST_LIBRARY, hooks};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::Path;
use std::time::Duration;

/// First line of a checkpoint. Its number changes with the contents and with what the contents mean.
const HEAD: &[u8] = b"inspect checkpoint 4\n";
const OTHER_VERSION: &str = "the checkpoint of another version of Inspect";
/// Length of the digest after it.
const DIGEST: usize = 32;

/// What was done of a search, and what is left.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Progressed {
    /// What is left.
    pub work: Bundle,
    /// What was counted.
    pub counts: Counts,
    /// The counts of the pass before the search last began anew.
    pub voided: Counts,
    /// Runs that were lost with their processes.
    pub lost: u64,
    /// The part of the search that was covered, as far as that can be estimated.
    pub covered: f64,
    /// Locations that were promoted.
    pub promoted: Vec<ByteRange>,
    /// Locations that loops watch together, with the numbers of their watch sets.
    pub watch_sets: Vec<(ByteRange, u64)>,
    /// Where modules were in the process that found them.
    pub promoted_in: Vec<LoadedModule>,
    /// The largest number of threads of a run.
    pub threads: u32,
}

impl Progressed {
    /// Nothing was done, everything is left.
    pub fn nothing() -> Self {
        Progressed {
            work: Bundle::of([Item::everything()]),
            counts: Counts::default(),
            voided: Counts::default(),
            lost: 0,
            covered: 0.0,
            promoted: Vec::new(),
            watch_sets: Vec::new(),
            promoted_in: Vec::new(),
            threads: 0,
        }
    }
}

/// What a guest has reported that outlives it.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
struct GuestReport {
    modules: Vec<LoadedModule>,
    sites: Vec<ResolvedSite>,
    objects: BTreeMap<u64, String>,
    findings: Vec<ReportedFinding>,
    reasons: BTreeSet<InconclusiveReason>,
    harmless_races: BTreeSet<u32>,
    divergences: Vec<Divergence>,
    tool_errors: Vec<String>,
    sampled: Option<SampledRuns>,
}

impl GuestReport {
    fn of(output: &RunOutput) -> Self {
        GuestReport {
            modules: output.modules.clone(),
            sites: output.sites.clone(),
            objects: output.objects.clone(),
            findings: output.findings.clone(),
            reasons: output.reasons.clone(),
            harmless_races: output.harmless_races.clone(),
            divergences: output.divergences.clone(),
            tool_errors: output.tool_errors.clone(),
            sampled: output.sampled,
        }
    }

    fn output(self) -> RunOutput {
        RunOutput {
            modules: self.modules,
            sites: self.sites,
            objects: self.objects,
            findings: self.findings,
            reasons: self.reasons,
            harmless_races: self.harmless_races,
            divergences: self.divergences,
            tool_errors: self.tool_errors,
            sampled: self.sampled,
            ..RunOutput::new()
        }
    }

    /// Whether the report of a resumed search needs it.
    fn says_anything(&self) -> bool {
        !(self.findings.is_empty()
            && self.reasons.is_empty()
            && self.harmless_races.is_empty()
            && self.divergences.is_empty()
            && self.tool_errors.is_empty()
            && self.sampled.is_none())
    }
}

/// What a checkpoint belongs to.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Origin {
    /// Hash of the program.
    pub program: String,
    /// Its arguments.
    pub args: Vec<Vec<u8>>,
    /// Version of Inspect, of the shared memory and of the hooks.
    inspect: String,
    /// The job, without what may differ.
    job: Job,
}

impl Origin {
    /// The origin of checkpoints of a search of the program with this hash and these arguments.
    pub fn new(program: String, args: &[std::ffi::OsString], job: &Job) -> Origin {
        use std::os::unix::ffi::OsStrExt;
        let args = args.iter().map(|arg| arg.as_bytes().to_vec()).collect();
        // A search may be resumed with another limit of executions.
        let job = Job { task: Task::Work, max_executions: u64::MAX, ..job.clone() };
        let inspect = format!("{} {VERSION} {}", env!("CARGO_PKG_VERSION"), hooks::VERSION);
        Origin { program, args, inspect, job }
    }
}

/// A checkpoint.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SearchCheckpoint {
    origin: Origin,
    /// The mode at the time: a program that has destroyed a guest is explored in fork mode.
    pub mode: Mode,
    /// Time spent exploring.
    pub elapsed: Duration,
    /// What was done, what is left.
    pub state: Progressed,
    /// Further reasons why the verdict cannot be `verified`.
    pub reasons: Vec<Reason>,
    reports: Vec<GuestReport>,
    /// Files that were mapped into the guests beside the program and the system's libraries, with their hashes.
    libraries: Vec<(String, String)>,
}

/// The mapped files on which it depends what the program does, each with its hash.
pub(super) fn libraries(modules: &[LoadedModule]) -> Vec<(String, String)> {
    let ours = |path: &Path| path.file_name().is_some_and(|name| name == GUEST_LIBRARY);
    let paths = modules.iter().map(|module| Path::new(&module.path));
    let counts = |path: &&Path| !path.as_os_str().is_empty() && (ours(path) || !is_known_library(path));
    let images = paths.filter(counts).filter_map(|path| Image::read(path).ok());
    images.map(|image| (image.path.display().to_string(), image.fingerprint)).collect()
}

impl SearchCheckpoint {
    /// The state of a search.
    pub fn new(
        origin: &Origin,
        mode: Mode,
        elapsed: Duration,
        state: &Progressed,
        reasons: &[Reason],
        outputs: &[&RunOutput],
        libraries: &[(String, String)],
    ) -> SearchCheckpoint {
        let mut reports: Vec<GuestReport> = Vec::new();
        for report in outputs.iter().map(|output| GuestReport::of(output)) {
            // The first one is kept in any case: it has the modules.
            if reports.is_empty() || report.says_anything() && !reports.contains(&report) {
                reports.push(report);
            }
        }
        let (origin, state, reasons) = (origin.clone(), state.clone(), reasons.to_vec());
        SearchCheckpoint { origin, mode, elapsed, state, reasons, reports, libraries: libraries.to_vec() }
    }

    /// What guests reported before.
    pub fn outputs(&self) -> Vec<RunOutput> {
        self.reports.iter().cloned().map(GuestReport::output).collect()
    }

    /// Writes the file. At any moment, and after a crash, the path leads to a whole checkpoint: the old one or this
    /// one.
    pub fn write(&self, path: &Path) -> Result<(), ToolError> {
        let fail = |error: std::io::Error| {
            ToolError::new(format!("{}: cannot write the checkpoint: {}", path.display(), plain(&error)))
        };
        let body = postcard::to_allocvec(self).map_err(|error| fail(std::io::Error::other(error)))?;
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let mut file = tempfile::Builder::new().prefix(".checkpoint").tempfile_in(folder).map_err(fail)?;
        let written = [HEAD, &Sha256::digest(&body), &body].iter().try_for_each(|part| file.write_all(part));
        written.and_then(|()| file.as_file().sync_all()).map_err(fail)?;
        file.persist(path).map_err(|error| fail(error.error))?;
        std::fs::File::open(folder).and_then(|folder| folder.sync_all()).map_err(fail)
    }

    /// Reads the file, which has to be of this very search.
    pub fn read(path: &Path, origin: &Origin) -> Result<SearchCheckpoint, ToolError> {
        let fail = |what: &str| ToolError::new(format!("{}: {what}", path.display()));
        let bytes = std::fs::read(path).map_err(|error| fail(&plain(&error)))?;
        let checkpoint = SearchCheckpoint::from_bytes(&bytes).map_err(fail)?;
        let theirs = &checkpoint.origin;
        if theirs.inspect != origin.inspect {
            return Err(fail(OTHER_VERSION));
        }
        if theirs.program != origin.program {
            return Err(fail("the checkpoint of another program, or of another build of this one"));
        }
        if theirs.args != origin.args {
            return Err(fail("the checkpoint of a search with other arguments of the program"));
        }
        if theirs.job != origin.job {
            return Err(fail("the checkpoint of a search with other options; it goes on with the same ones only"));
        }
        let changed = |(path, fingerprint): &&(String, String)| {
            Image::read(Path::new(path)).map_or(true, |image| image.fingerprint != *fingerprint)
        };
        if let Some((library, _)) = checkpoint.libraries.iter().find(changed) {
            return Err(fail(&format!("{library} is not the file any more that the search was made with")));
        }
        Ok(checkpoint)
    }

    /// What a file holds, if it is a checkpoint of this version.
    pub fn from_bytes(bytes: &[u8]) -> Result<SearchCheckpoint, &'static str> {
        const DAMAGED: &str = "a damaged checkpoint";
        if !bytes.starts_with(b"inspect checkpoint ") {
            return Err("not a checkpoint");
        }
        let rest = bytes.strip_prefix(HEAD).ok_or(OTHER_VERSION)?;
        let (digest, body) = rest.split_at_checked(DIGEST).ok_or(DAMAGED)?;
        if Sha256::digest(body)[..] != *digest {
            return Err(DAMAGED);
        }
        postcard::from_bytes(body).map_err(|_| OTHER_VERSION)
    }
}
