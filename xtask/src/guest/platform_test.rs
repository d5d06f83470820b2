//! Runs the C programs of `guest/tests/platform` under the guest with the test engine: each many times in one process,
//! every run compared with the first.
//!
//! The first lines of a program say what to expect: `// runs: N`, `// ending: TEXT` (default `exit 0`),
//! `// output: TEXT`, `// refused: WHY`, `// rows: yes`; and how to build and start it: `// flags:`, `// args:`,
//! `// launcher: NAME`, `// alone: yes`, `// memory-limit: BYTES`.

mod rows;

use super::{Error, GuestEngine, build, root, run};
use inspect_core::explore::{Algorithm, BacktrackSets, SamplingOptions};
use inspect_wire::message::{
    Heap, InconclusiveReason, Job, LoadedModule, LocalStates, MAX_COMPUTATION, Message, Mode, PlainAccesses, Task,
    VolatileAccesses,
};
use inspect_wire::shared;
use std::fs;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};

struct Expectation {
    runs: u64,
    ending: String,
    output: Option<String>,
    memory_limit: u64,
    /// A program that starts the test under restrictions.
    launcher: Option<String>,
    /// Run without the host: the program must behave as if there were no guest.
    alone: bool,
    /// The guest must refuse to explore, and say this.
    refused: Option<String>,
    /// The unwind rows of all objects in memory are compared with those in their files.
    rows: bool,
    run_args: Vec<String>,
    flags: Vec<String>,
}

fn expectation(source: &str) -> Result<Expectation, Error> {
    let mut e = Expectation {
        runs: 1000,
        ending: "exit 0".into(),
        output: None,
        memory_limit: 1 << 30,
        launcher: None,
        alone: false,
        refused: None,
        rows: false,
        run_args: Vec::new(),
        flags: Vec::new(),
    };
    for line in source.lines().map_while(|line| line.strip_prefix("// ")) {
        match line.split_once(": ") {
            Some(("runs", value)) => e.runs = value.parse()?,
            Some(("ending", value)) => e.ending = value.into(),
            Some(("output", value)) => e.output = Some(value.replace("\\n", "\n")),
            Some(("memory-limit", value)) => e.memory_limit = value.parse()?,
            Some(("launcher", value)) => e.launcher = Some(value.into()),
            Some(("alone", _)) => e.alone = true,
            Some(("refused", value)) => e.refused = Some(value.into()),
            Some(("rows", _)) => e.rows = true,
            Some(("args", value)) => e.run_args = value.split(' ').map(Into::into).collect(),
            Some(("flags", value)) => e.flags = value.split(' ').map(Into::into).collect(),
            _ => {}
        }
    }
    Ok(e)
}

/// Runs the tests with these names, or all. `--restore` and `--fork` choose one mode, `--keep` leaves the memory shared
/// with the guest as a file for another run of the same job.
pub(crate) fn test(arguments: &[&str]) -> Result<(), Error> {
    let (options, names): (Vec<&str>, Vec<&str>) = arguments.iter().partition(|argument| argument.starts_with("--"));
    let modes: &[Mode] = match (options.contains(&"--restore"), options.contains(&"--fork")) {
        (true, false) => &[Mode::Restore],
        (false, true) => &[Mode::Fork],
        (true, true) | (false, false) => &[Mode::Restore, Mode::Fork],
    };
    let keep = options.contains(&"--keep");
    let library = build(GuestEngine::SelfTest)?;
    let mut programs = programs()?;
    programs.retain(|program| names.is_empty() || names.contains(&name_of(program).as_str()));
    let next = AtomicUsize::new(0);
    let work = || {
        let mut failed = 0;
        while let Some(program) = programs.get(next.fetch_add(1, Ordering::Relaxed)) {
            failed += test_in(modes, program, &name_of(program), &library, keep);
        }
        failed
    };
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let failed: u32 = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        workers.into_iter().map(|worker| worker.join().unwrap_or(1)).sum()
    });
    if failed == 0 { Ok(()) } else { Err(format!("{failed} platform tests failed").into()) }
}

fn name_of(program: &Path) -> String {
    program.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}

/// The programs that test the platform, by name.
fn programs() -> Result<Vec<PathBuf>, Error> {
    let entries = fs::read_dir(root().join("guest/tests/platform"))?;
    let mut programs = entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<Vec<_>, _>>()?;
    programs.retain(|path| path.extension().is_some_and(|extension| extension == "c" || extension == "cc"));
    programs.sort();
    Ok(programs)
}

/// Runs one program in each of the modes, in which it has to print the same; returns the number of failures.
fn test_in(modes: &[Mode], program: &Path, name: &str, library: &Path, keep: bool) -> u32 {
    let mut failed = 0;
    let mut outcomes = Vec::new();
    for &mode in modes {
        let started = std::time::Instant::now();
        match test_one(program, name, library, mode, keep) {
            Ok(outcome) => {
                println!("ok    {name} {mode:?} ({}, {:.2} s)", outcome.note, started.elapsed().as_secs_f64());
                outcomes.push(outcome.output);
            }
            Err(error) => {
                failed += 1;
                println!("FAIL  {name} {mode:?}: {error}");
            }
        }
    }
    if let [restored, forked] = outcomes.as_slice()
        && restored != forked
    {
        failed += 1;
        println!("FAIL  {name}: restored runs print {restored:?}, forked ones {forked:?}");
    }
    failed
}

struct Outcome {
    note: String,
    output: String,
}

fn test_one(program: &Path, name: &str, library: &Path, mode: Mode, keep: bool) -> Result<Outcome, Error> {
    let mut e = expectation(&fs::read_to_string(program)?)?;
    if mode == Mode::Fork {
        e.runs = e.runs.min(50);
        e.rows = false;
    }
    let work = library.parent().map_or_else(PathBuf::new, Path::to_path_buf);
    let binary = work.join(name);
    compile(program, &binary, library, &e.flags)?;
    let memory = work.join(format!("{name}.shared"));
    write_job(&memory, &e, mode)?;
    let output = start(&e, &binary, &memory, &work)?;
    let messages = read_messages(&memory)?;
    if !keep {
        fs::remove_file(&memory)?;
    }
    if e.alone {
        return judge_alone(&e, &output, &messages);
    }
    judge(&e, &binary, &output, messages)
}

fn compile(program: &Path, binary: &Path, library: &Path, flags: &[String]) -> Result<(), Error> {
    let is_cplusplus = program.extension().is_some_and(|extension| extension == "cc");
    let directory = library.parent().map_or_else(PathBuf::new, Path::to_path_buf);
    run(Command::new(if is_cplusplus { "clang++-22" } else { "clang-22" })
        .args(["-O1", "-g", "-w", "-o"])
        .arg(binary)
        .args(flags)
        .arg(program)
        .arg("-Wl,-z,now")
        .arg(library)
        .arg("-lpthread")
        .arg(format!("-Wl,-rpath,{}", directory.display())))?;
    Ok(())
}

/// Runs the program, with the shared memory at its descriptor and the layout of addresses fixed.
fn start(e: &Expectation, binary: &Path, memory: &Path, work: &Path) -> Result<Output, Error> {
    let mut command = Command::new("timeout");
    command.args(["1200", "bash", "-c"]);
    if e.alone {
        command.arg("exec \"$@\"").arg(memory);
    } else {
        command.arg(format!("exec {}<>\"$0\"; exec \"$@\"", shared::DESCRIPTOR)).arg(memory);
    }
    command.arg("setarch").arg("-R");
    if let Some(name) = &e.launcher {
        let launcher = work.join(name);
        let source = root().join("guest/tests/launchers").join(name).with_extension("c");
        run(Command::new("clang-22").arg("-o").arg(&launcher).arg(source))?;
        command.arg(launcher);
    }
    command.arg(binary).args(&e.run_args).current_dir(work).stdin(std::process::Stdio::null());
    // Cargo's search path leads to the real guest, and comes before the one in the program.
    command.env_remove("LD_LIBRARY_PATH");
    Ok(command.output()?)
}

/// Judges a run of a program without the host.
fn judge_alone(e: &Expectation, output: &Output, messages: &[Message]) -> Result<Outcome, Error> {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let as_expected = e.output.as_ref().is_none_or(|expected| *expected == text);
    if output.status.success() && as_expected && messages.is_empty() {
        Ok(Outcome { note: "alone".into(), output: text })
    } else {
        Err(format!("{:?}, output {text:?}", output.status).into())
    }
}

fn judge(e: &Expectation, binary: &Path, output: &Output, messages: Vec<Message>) -> Result<Outcome, Error> {
    let stderr = String::from_utf8_lossy(&output.stderr);
    let (mut ending, mut note, mut done, mut text) = (None, String::new(), false, String::new());
    let mut compared = 0;
    for message in messages {
        match message {
            Message::Inconclusive(InconclusiveReason::Other(why)) if e.refused.as_deref() == Some(&why) => {
                return Ok(Outcome { note: "refused".into(), output: why });
            }
            Message::ToolError(error) => return Err(error.into()),
            Message::Output(0, bytes) => ending = Some(String::from_utf8_lossy(&bytes).into_owned()),
            Message::Output(1, bytes) => text += &String::from_utf8_lossy(&bytes),
            Message::Output(8, bytes) => compared += rows::compare(&String::from_utf8_lossy(&bytes), binary)?,
            Message::Output(9, bytes) => note = String::from_utf8_lossy(&bytes).into_owned(),
            Message::Modules(modules) => check_modules(&modules)?,
            Message::Done { counts, .. } => done = counts.executions == e.runs,
            other => return Err(format!("unexpected message {other:?}").into()),
        }
    }
    if !done || !output.status.success() {
        return Err(format!("the guest died: {:?} {stderr}", output.status).into());
    }
    if e.refused.is_some() || ending.as_deref() != Some(e.ending.as_str()) {
        return Err(format!("ended with {ending:?} instead of {:?}; output {text:?} {stderr}", e.ending).into());
    }
    if e.rows {
        note += &format!(", {compared} rows");
    }
    if e.rows != (compared > 0) {
        return Err("no rows were compared".into());
    }
    if let Some(expected) = &e.output
        && *expected != text
    {
        return Err(format!("output {text:?} instead of {expected:?}").into());
    }
    Ok(Outcome { note, output: text })
}

/// The program, the guest and the C library must be among the modules, none over another.
fn check_modules(modules: &[LoadedModule]) -> Result<(), Error> {
    let has = |name: &str| modules.iter().any(|module| module.path.contains(name));
    let disjoint = modules
        .iter()
        .all(|a| a.start < a.end && modules.iter().filter(|b| a.start < b.end && b.start < a.end).count() == 1);
    if modules[0].path.is_empty() && has("libinspect_guest.so") && has("libc.so") && disjoint {
        Ok(())
    } else {
        Err(format!("modules are wrong: {modules:x?}").into())
    }
}

fn job(e: &Expectation, mode: Mode) -> Job {
    Job {
        task: Task::Explore,
        algorithm: Algorithm::Dfs,
        plain_accesses: PlainAccesses::Sync,
        volatile: VolatileAccesses::Plain,
        harmless_races: Vec::new(),
        promoted: Vec::new(),
        mode,
        preemptions: None,
        first_preemptions: None,
        symmetry: None,
        spurious_wakeups: false,
        max_executions: e.runs,
        share: None,
        max_steps: 1 << 20,
        max_computation: MAX_COMPUTATION,
        checkpoint_every: 0,
        state_memory: 1 << 30,
        state_table: None,
        backtrack_sets: BacktrackSets::Aggressive,
        local_states: LocalStates::Exact,
        heap: Heap::Quarantine,
        memory_limit: e.memory_limit,
        seed: 1,
        sampling: SamplingOptions::default(),
        keep_going: false,
        report_traces: e.rows.then(Vec::new),
        promoted_in: Vec::new(),
        watch_sets: Vec::new(),
        severities: Vec::new(),
    }
}

fn write_job(path: &Path, e: &Expectation, mode: Mode) -> Result<(), Error> {
    let frame = postcard::to_allocvec(&job(e, mode))?;
    let mut file = fs::File::create(path)?;
    file.set_len(shared::SIZE)?;
    // The fields of the header in their order: magic, version, state, offsets of job and messages.
    file.write_all(&shared::MAGIC.to_le_bytes())?;
    file.write_all(&shared::VERSION.to_le_bytes())?;
    file.write_all(&shared::state::READY.to_le_bytes())?;
    file.write_all(&4096u64.to_le_bytes())?;
    file.write_all(&MESSAGES.to_le_bytes())?;
    file.seek(SeekFrom::Start(4096))?;
    file.write_all(&(frame.len() as u32).to_le_bytes())?;
    Ok(file.write_all(&frame)?)
}

const MESSAGES: u64 = 8192;

fn read_messages(path: &Path) -> Result<Vec<Message>, Error> {
    use std::io::Read;
    let mut file = fs::File::open(path)?;
    let mut header = [0u8; 40];
    file.read_exact(&mut header)?;
    let word = |at: usize| u64::from_le_bytes(header[at..at + 8].try_into().unwrap_or_default());
    let end = word(32).max(MESSAGES);
    let mut bytes = vec![0; (end - MESSAGES) as usize];
    file.seek(SeekFrom::Start(MESSAGES))?;
    file.read_exact(&mut bytes)?;
    let mut messages = Vec::new();
    let mut rest = bytes.as_slice();
    while let Some((prefix, after)) = rest.split_first_chunk::<4>() {
        let (frame, next) = after.split_at(u32::from_le_bytes(*prefix) as usize);
        messages.push(postcard::from_bytes(frame)?);
        rest = next;
    }
    Ok(messages)
}
