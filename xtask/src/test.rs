//! Runs all tests, three programs beside each other, and shows which parts took the most time.
//!
//! Some tests wait (for a program that does not end, for a signal) and the last test of a program leaves the other
//! cores without work. So three programs run at a time: the longest with as many threads as there are cores, the others
//! with half as many each. The output of a program is printed when the program ends, as cargo prints it.

mod programs;

use crate::guest;
use programs::{TestProgram, build};
use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError, mpsc};
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

type Error = Box<dyn std::error::Error>;

/// The number of parts that are listed.
const LISTED: usize = 12;

/// The number of test programs that run at a time.
const LANES: usize = 3;

/// The programs that take longest, longest first: what starts last would otherwise run alone.
const FIRST: [&str; 4] =
    ["tests/corpus/main.rs", "tests/algorithms.rs", "tests/crosscheck/main.rs", "tests/stateful.rs"];

/// How long each part took, and what failed.
#[derive(Debug, Default)]
struct Parts {
    ended: Vec<(String, Duration)>,
    failed: Vec<String>,
}

impl Parts {
    fn end(&mut self, name: &str, time: Duration, result: Result<(), String>) {
        self.ended.push((name.to_owned(), time));
        self.failed.extend(result.err().map(|why| format!("{name}: {why}")));
    }

    /// The longest parts, a line each, and the sum of all.
    fn table(&self) -> String {
        let mut parts: Vec<_> = self.ended.iter().collect();
        parts.sort_by_key(|(_, time)| std::cmp::Reverse(*time));
        let line = |name: &str, time: Duration| format!("{:>7.1} s  {name}\n", time.as_secs_f64());
        let rest: Duration = parts.iter().skip(LISTED).map(|(_, time)| *time).sum();
        let mut table: String = parts.iter().take(LISTED).map(|(name, time)| line(name, *time)).collect();
        if parts.len() > LISTED {
            table += &line(&format!("{} others", parts.len() - LISTED), rest);
        }
        table + &line("all parts, some beside each other", self.ended.iter().map(|(_, time)| *time).sum())
    }
}

/// Runs the platform's tests and those of the workspace; prints all their output.
pub(crate) fn run(root: &Path) -> Result<(), Error> {
    let begin = Instant::now();
    let parts = Mutex::new(Parts::default());
    let (ready, queue) = mpsc::channel::<TestProgram>();
    let queue = Mutex::new(queue);
    let time = |name: &str, run: &dyn Fn() -> Result<(), String>| {
        let start = Instant::now();
        let result = run();
        locked(&parts).end(name, start.elapsed(), result);
    };
    let lane = || {
        // The lock ends with the block: it is not held while a program runs.
        while let Ok(program) = { locked(&queue).recv() } {
            time(&program.name, &|| run_one(&program));
        }
    };
    std::thread::scope(|scope| {
        // The platform's tests need nothing of what is built for the others.
        scope.spawn(|| {
            time("the guest's platform (cargo xtask guest-test)", &|| guest::test(&[]).map_err(|why| why.to_string()));
            lane();
        });
        (2..LANES).for_each(|_| drop(scope.spawn(lane)));
        time("building the tests", &|| build_and_send(root, &ready));
        // All are sent: a lane that asks for another one does not wait.
        drop(ready);
        lane();
    });
    let parts = locked(&parts);
    println!("\nwhat took the time:\n{}{:>7.1} s  in all", parts.table(), begin.elapsed().as_secs_f64());
    if parts.failed.is_empty() { Ok(()) } else { Err(format!("tests failed:\n{}", parts.failed.join("\n")).into()) }
}

/// What a mutex protects; a panic elsewhere leaves it whole.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Builds the programs and sends them to the lanes. The first of [`FIRST`] starts as soon as it is built; the others,
/// of which some measure time, when the compiler no longer takes the cores.
fn build_and_send(root: &Path, ready: &mpsc::Sender<TestProgram>) -> Result<(), String> {
    let send = |program: TestProgram| ready.send(program).map_err(|why| why.to_string());
    let (mut others, mut sent) = (Vec::new(), Ok(()));
    build(root, |program| {
        if program.name == FIRST[0] {
            sent = send(program);
        } else {
            others.push(program);
        }
    })?;
    sent.and_then(|()| in_order(others).into_iter().try_for_each(send))
}

/// Puts the programs in the order in which they start: the longest first.
fn in_order(mut programs: Vec<TestProgram>) -> Vec<TestProgram> {
    let rank = |program: &TestProgram| FIRST.iter().position(|name| *name == program.name).unwrap_or(FIRST.len());
    programs.sort_by_key(rank);
    programs
}

/// Runs a test program to its end, then prints all of its output at once.
fn run_one(program: &TestProgram) -> Result<(), String> {
    println!("     Started {}", program.name);
    // The longest takes as long as all others together: with one thread it would still run when they are over.
    let cores = available_parallelism().map_or(1, usize::from);
    let threads = if program.name == FIRST[0] { cores } else { (cores / (LANES - 1)).max(1) };
    let mut command = Command::new(&program.executable);
    command.args(["--test-threads", &threads.to_string()]);
    command.current_dir(&program.package).env("CARGO_MANIFEST_DIR", &program.package);
    print_whole(&format!("     Running {} ({})", program.name, program.executable.display()), command)
}

/// Runs a command; prints the title and what it wrote, without lines of others in between.
fn print_whole(title: &str, mut command: Command) -> Result<(), String> {
    let name = format!("{}", command.get_program().display());
    let both = || {
        let (mut reader, writer) = std::io::pipe()?;
        command.stdout(writer.try_clone()?).stderr(writer);
        let mut child = command.spawn()?;
        // The command holds a writing end of the pipe, which would keep the pipe open.
        drop(command);
        let mut output = Vec::new();
        std::io::Read::read_to_end(&mut reader, &mut output)?;
        Ok::<_, std::io::Error>((child.wait()?, output))
    };
    let (status, output) = both().map_err(|error| format!("{name}: {error}"))?;
    let mut stdout = std::io::stdout().lock();
    // If nobody reads the output any more, the status still says how it went.
    let _unread = writeln!(stdout, "{title}").and_then(|()| stdout.write_all(&output));
    if status.success() { Ok(()) } else { Err(status.to_string()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_listed_by_their_time_and_summed_up() {
        let mut parts = Parts::default();
        for (name, seconds) in [("a", 1), ("b", 3), ("c", 2)] {
            parts.end(name, Duration::from_secs(seconds), Ok(()));
        }
        let table = parts.table();
        assert_eq!(table, "    3.0 s  b\n    2.0 s  c\n    1.0 s  a\n    6.0 s  all parts, some beside each other\n");
    }

    #[test]
    fn a_part_that_fails_is_named() {
        let mut parts = Parts::default();
        parts.end("a", Duration::ZERO, Ok(()));
        parts.end("b", Duration::ZERO, Err("exit status: 101".to_owned()));
        assert_eq!(parts.failed, ["b: exit status: 101"]);
    }

    #[test]
    fn the_longest_programs_start_first() {
        let program = |name: &str| TestProgram { name: name.to_owned(), executable: "x".into(), package: "y".into() };
        let programs = in_order(["tests/a.rs", FIRST[1], "unittests src/lib.rs", FIRST[0]].map(program).into());
        let started: Vec<_> = programs.iter().map(|program| program.name.as_str()).collect();
        assert_eq!(started, [FIRST[0], FIRST[1], "tests/a.rs", "unittests src/lib.rs"]);
    }

    #[test]
    fn the_programs_that_start_first_are_there() {
        let root = guest::root();
        for name in FIRST {
            assert!(["core", "host"].iter().any(|package| root.join(package).join(name).is_file()), "{name}");
        }
    }

    #[test]
    fn the_status_of_a_program_is_that_of_its_part() {
        let program = |status: &str| {
            let mut command = Command::new("sh");
            command.args(["-c", status]);
            print_whole("a program", command)
        };
        assert_eq!(program("exit 0"), Ok(()));
        assert_eq!(program("exit 3"), Err("exit status: 3".to_owned()));
    }
}
