//! The schedule file: a run that a user can store, read and replay. JSON with a version; it belongs to one build of one
//! program and is refused for any other.

use crate::error::{ToolError, plain};
use crate::program::Image;
use crate::run::{ReportedFinding, Target};
use crate::search::FindingIdentity;
use inspect_core::detect::{FindingKind, Severity};
use inspect_core::event::{ByteRange, FEW_THREADS, MAX_THREADS, Step, ThreadId};
use inspect_core::explore::{Algorithm, BacktrackSets, SamplingOptions};
use inspect_wire::message::{
    CHECKPOINT_EVERY, Heap, Job, LoadedModule, LocalStates, MAX_COMPUTATION, Mode, PlainAccesses, Task,
    VolatileAccesses,
};
use inspect_wire::race_pattern::RacePattern;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// Version of the format.
const VERSION: u32 = 2;

/// A schedule and everything needed to run it again.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Schedule {
    #[serde(rename = "inspect_schedule")]
    version: Version,
    /// What it shows, for people.
    pub finding: ScheduledFinding,
    /// What to run.
    pub program: ScheduledProgram,
    /// Instrumented libraries of the program.
    pub libraries: Vec<LoadedLibrary>,
    /// The steps. Not the last field: of a wrong one serde_json names the line of what follows it.
    #[serde(with = "compact_steps")]
    pub steps: Vec<Step>,
    /// Creation paths of the threads by number: who created it, and how many that one had created before.
    pub paths: Vec<(ThreadId, u32)>,
    /// How to run it.
    pub settings: Settings,
}

/// What a schedule shows.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScheduledFinding {
    /// Name of the kind.
    #[serde(with = "kind_name")]
    pub kind: FindingKind,
    /// The finding in one sentence.
    pub message: String,
    /// Where, if that is known.
    pub at: Option<String>,
    /// The same for comparison with what a replay finds.
    pub identity: FindingIdentity,
}

/// The program a schedule belongs to.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScheduledProgram {
    /// The file.
    pub path: Text,
    /// Its arguments.
    pub args: Vec<Text>,
    /// Hash of the file.
    pub fingerprint: String,
}

/// An instrumented library that was loaded.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoadedLibrary {
    /// The file.
    pub path: Text,
    /// Hash of the file.
    pub fingerprint: String,
}

/// The parts of a job that change what a step means.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    algorithm: Algorithm,
    plain_accesses: PlainAccesses,
    volatile: VolatileAccesses,
    harmless_races: Vec<RacePattern>,
    promoted: Vec<ByteRange>,
    promoted_in: Vec<LoadedModule>,
    mode: Mode,
    preemptions: Option<u32>,
    spurious_wakeups: bool,
    max_steps: u32,
    /// Schedules of versions without the option do not have it.
    #[serde(default = "of_versions_before")]
    max_computation: u64,
    heap: Heap,
    memory_limit: u64,
    seed: u64,
    severities: Vec<(FindingKind, Severity)>,
}

fn of_versions_before() -> u64 {
    MAX_COMPUTATION
}

/// A path or argument, which need not be UTF-8: a string, or a list of bytes if it is not.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Text {
    /// Valid UTF-8.
    Utf8(String),
    /// Anything else.
    Bytes(Vec<u8>),
}

impl Text {
    /// The text of an argument or path.
    pub fn of(text: &std::ffi::OsStr) -> Text {
        match text.to_str() {
            Some(text) => Text::Utf8(text.to_owned()),
            None => Text::Bytes(text.as_bytes().to_vec()),
        }
    }

    /// The argument or path.
    pub fn to_os(&self) -> OsString {
        match self {
            Text::Utf8(text) => text.into(),
            Text::Bytes(bytes) => OsString::from_vec(bytes.clone()),
        }
    }
}

impl Settings {
    /// Those of the search that has reported a finding.
    fn of(job: &Job, reported: &ReportedFinding) -> Settings {
        Settings {
            algorithm: job.algorithm,
            plain_accesses: job.plain_accesses,
            volatile: job.volatile,
            harmless_races: job.harmless_races.clone(),
            promoted: reported.promoted.clone(),
            promoted_in: if reported.promoted.is_empty() { Vec::new() } else { reported.modules.clone() },
            mode: job.mode,
            preemptions: job.preemptions,
            spurious_wakeups: job.spurious_wakeups,
            max_steps: job.max_steps,
            max_computation: job.max_computation,
            heap: job.heap,
            memory_limit: job.memory_limit,
            seed: job.seed,
            severities: job.severities.clone(),
        }
    }
}

impl Schedule {
    /// The schedule that shows `shown` when `job` is run with `steps`.
    pub fn new(
        shown: ScheduledFinding,
        target: &Target,
        image: &Image,
        libraries: &[Image],
        job: &Job,
        reported: &ReportedFinding,
    ) -> Schedule {
        let library = |image: &Image| LoadedLibrary {
            path: Text::of(image.path.as_os_str()),
            fingerprint: image.fingerprint.clone(),
        };
        Schedule {
            version: Version,
            finding: shown,
            program: ScheduledProgram {
                path: Text::of(image.path.as_os_str()),
                args: target.args.iter().map(|arg| Text::of(arg)).collect(),
                fingerprint: image.fingerprint.clone(),
            },
            libraries: libraries.iter().map(library).collect(),
            settings: Settings::of(job, reported),
            steps: reported.finding.steps.clone(),
            paths: reported.finding.paths.clone(),
        }
    }

    /// The job that runs it again.
    pub fn job(&self, live: bool) -> Job {
        let settings = &self.settings;
        Job {
            task: Task::Replay {
                steps: self.steps.clone(),
                paths: self.paths.clone(),
                places: self.finding.identity.places(),
                wanted: self.finding.kind,
                live,
            },
            algorithm: settings.algorithm,
            plain_accesses: settings.plain_accesses,
            volatile: settings.volatile,
            harmless_races: settings.harmless_races.clone(),
            promoted: settings.promoted.clone(),
            promoted_in: settings.promoted_in.clone(),
            watch_sets: Vec::new(),
            mode: settings.mode,
            preemptions: settings.preemptions,
            first_preemptions: None,
            symmetry: None,
            spurious_wakeups: settings.spurious_wakeups,
            max_executions: 1,
            share: None,
            max_steps: settings.max_steps,
            max_computation: settings.max_computation,
            checkpoint_every: CHECKPOINT_EVERY,
            state_memory: 1 << 30,
            state_table: None,
            backtrack_sets: BacktrackSets::Aggressive,
            local_states: LocalStates::Exact,
            heap: settings.heap,
            memory_limit: settings.memory_limit,
            seed: settings.seed,
            sampling: SamplingOptions::default(),
            keep_going: true,
            severities: settings.severities.clone(),
            report_traces: None,
        }
    }

    /// The program and arguments, after a check that they are still the same build.
    pub fn target(&self) -> Result<Target, ToolError> {
        let program = PathBuf::from(self.program.path.to_os());
        let image = Image::read_program(&program)?;
        same_build(&image, &self.program.fingerprint)?;
        for library in &self.libraries {
            same_build(&Image::read(Path::new(&library.path.to_os()))?, &library.fingerprint)?;
        }
        let target = Target::new(program, self.program.args.iter().map(Text::to_os).collect());
        if self.paths.len() > MAX_THREADS {
            return Err(ToolError::new(format!("the schedule has more than {MAX_THREADS} threads")));
        }
        if self.paths.len() > FEW_THREADS {
            target.room.widen(&target.program)?;
        }
        Ok(target)
    }

    /// Reads a schedule file.
    pub fn read(path: &Path) -> Result<Schedule, ToolError> {
        let shown = path.display();
        let bytes = std::fs::read(path).map_err(|error| ToolError::new(format!("{shown}: {}", plain(&error))))?;
        serde_json::from_slice(&bytes).map_err(|error| {
            let text = error.to_string();
            // serde_json repeats the position at the end of its message.
            let what = text.split(" at line ").next().unwrap_or(&text);
            ToolError::new(format!("{shown}:{}: not a schedule file of this version: {what}", error.line().max(1)))
        })
    }

    /// Writes the file: all of it, or nothing.
    pub fn write(&self, path: &Path) -> std::io::Result<()> {
        let directory = path.parent().unwrap_or(Path::new("."));
        std::fs::create_dir_all(directory)?;
        let mut file = tempfile::NamedTempFile::new_in(directory)?;
        let mut text = serde_json::to_vec_pretty(self).map_err(std::io::Error::other)?;
        text.push(b'\n');
        std::io::Write::write_all(&mut file, &text)?;
        let permissions: std::fs::Permissions = std::os::unix::fs::PermissionsExt::from_mode(0o644);
        file.as_file().set_permissions(permissions)?;
        file.persist(path).map_err(|error| error.error)?;
        Ok(())
    }
}

fn same_build(image: &Image, fingerprint: &str) -> Result<(), ToolError> {
    if image.fingerprint == fingerprint {
        return Ok(());
    }
    Err(ToolError::new(format!(
        "{}: the schedule was made for another build of this program\n  run `inspect check` again to get one for this build",
        image.path.display()
    )))
}

/// The version number, which is checked as the file is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Version;

impl Serialize for Version {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u32(VERSION)
    }
}

impl<'de> Deserialize<'de> for Version {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match u32::deserialize(deserializer)? {
            VERSION => Ok(Version),
            other => Err(serde::de::Error::custom(format!("format version {other}, this Inspect reads {VERSION}"))),
        }
    }
}

mod kind_name {
    use super::{Deserialize, Deserializer, FindingKind, Serializer};

    pub(super) fn serialize<S: Serializer>(kind: &FindingKind, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(kind.name())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<FindingKind, D::Error> {
        let name = String::deserialize(deserializer)?;
        FindingKind::from_name(&name).ok_or_else(|| serde::de::Error::custom(format!("`{name}` is no kind of finding")))
    }
}

/// Steps as one string of words: `2` is a step of thread 2, `2*3` three of them, `2:1` one that takes alternative 1.
mod compact_steps {
    use super::{Deserialize, Deserializer, MAX_THREADS, Serializer, Step, ThreadId};

    /// More steps than any run has; a wrong number in a file does not fill the memory.
    const MOST: usize = 100_000_000;

    pub(super) fn serialize<S: Serializer>(steps: &[Step], serializer: S) -> Result<S::Ok, S::Error> {
        let text = |run: &[Step]| {
            let step = run[0];
            let choice = if step.choice == 0 { String::new() } else { format!(":{}", step.choice) };
            let times = if run.len() == 1 { String::new() } else { format!("*{}", run.len()) };
            format!("{}{choice}{times}", step.thread.0)
        };
        serializer.serialize_str(&steps.chunk_by(|a, b| a == b).map(text).collect::<Vec<_>>().join(" "))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Step>, D::Error> {
        let text = String::deserialize(deserializer)?;
        let mut steps = Vec::new();
        for word in text.split_whitespace() {
            let (step, times) = parse(word)
                .filter(|(_, times)| steps.len() + times <= MOST)
                .ok_or_else(|| serde::de::Error::custom(format!("`{word}` is no step")))?;
            steps.extend(std::iter::repeat_n(step, times));
        }
        Ok(steps)
    }

    fn parse(word: &str) -> Option<(Step, usize)> {
        let (step, times) = match word.split_once('*') {
            Some((step, times)) => (step, times.parse().ok()?),
            None => (word, 1),
        };
        let (thread, choice) = match step.split_once(':') {
            Some((thread, choice)) => (thread, choice.parse().ok()?),
            None => (step, 0),
        };
        let thread = ThreadId(thread.parse().ok()?);
        let sound = thread.index() < MAX_THREADS && (1..=MOST).contains(&times);
        sound.then_some((Step { thread, choice }, times))
    }
}

#[cfg(test)]
mod tests;
