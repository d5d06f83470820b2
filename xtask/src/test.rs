//! Runs all tests, and shows which parts took the most time.

use crate::guest;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

type Error = Box<dyn std::error::Error>;

/// The number of parts that are listed.
const LISTED: usize = 12;

/// Times of the parts of a run, in the order in which they began.
#[derive(Debug, Default)]
struct Parts {
    ended: Vec<(String, Duration)>,
    current: Option<(String, Instant)>,
}

impl Parts {
    /// Begins a part, which ends the one before it.
    fn begin(&mut self, name: &str, now: Instant) {
        self.end(now);
        self.current = Some((name.to_owned(), now));
    }

    fn end(&mut self, now: Instant) {
        if let Some((name, begin)) = self.current.take() {
            self.ended.push((name, now - begin));
        }
    }

    /// The longest parts, a line each, and the time of all.
    fn table(&self) -> String {
        let mut parts: Vec<_> = self.ended.iter().collect();
        parts.sort_by_key(|(_, time)| std::cmp::Reverse(*time));
        let line = |name: &str, time: Duration| format!("{:>7.1} s  {name}\n", time.as_secs_f64());
        let rest: Duration = parts.iter().skip(LISTED).map(|(_, time)| *time).sum();
        let mut table: String = parts.iter().take(LISTED).map(|(name, time)| line(name, *time)).collect();
        if parts.len() > LISTED {
            table += &line(&format!("{} others", parts.len() - LISTED), rest);
        }
        table + &line("in all", self.ended.iter().map(|(_, time)| *time).sum())
    }
}

/// The test program that cargo says it runs.
fn program(line: &str) -> Option<&str> {
    let named = line.trim_start();
    let name = named.strip_prefix("Running ").map(|rest| rest.split(" (").next().unwrap_or(rest));
    name.or_else(|| named.starts_with("Doc-tests ").then_some(named))
}

/// Runs the platform's tests and those of the workspace; prints all their output.
pub(crate) fn run(root: &Path) -> Result<(), Error> {
    let mut parts = Parts::default();
    parts.begin("the guest's platform (cargo xtask guest-test)", Instant::now());
    let platform = guest::test(&[]);
    parts.begin("building the tests", Instant::now());
    let (output, input) = std::io::pipe()?;
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(["test", "--workspace", "--no-fail-fast"]).current_dir(root);
    command.stdout(input.try_clone()?).stderr(input);
    let mut tests = command.spawn()?;
    // The command holds a writing end of the pipe, which would keep the pipe open.
    drop(command);
    for line in BufReader::new(output).split(b'\n') {
        let line = String::from_utf8_lossy(&line?).into_owned();
        println!("{line}");
        if let Some(name) = program(&line) {
            parts.begin(name, Instant::now());
        }
    }
    let status = tests.wait()?;
    parts.end(Instant::now());
    println!("\nwhat took the time:\n{}", parts.table());
    platform?;
    if status.success() { Ok(()) } else { Err(format!("the tests failed ({status})").into()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_listed_by_their_time_and_summed_up() {
        let begin = Instant::now();
        let mut parts = Parts::default();
        for (name, second) in [("a", 0), ("b", 1), ("c", 4)] {
            parts.begin(name, begin + Duration::from_secs(second));
        }
        parts.end(begin + Duration::from_secs(6));
        // a lasts from 0 to 1, b from 1 to 4, c from 4 to 6.
        assert_eq!(parts.table(), "    3.0 s  b\n    2.0 s  c\n    1.0 s  a\n    6.0 s  in all\n");
    }

    #[test]
    fn programs_are_those_that_cargo_names() {
        assert_eq!(program("     Running tests/memory.rs (target/debug/deps/memory-1)"), Some("tests/memory.rs"));
        assert_eq!(program("     Running unittests src/lib.rs (target/debug/deps/a-1)"), Some("unittests src/lib.rs"));
        assert_eq!(program("   Doc-tests inspect_core"), Some("Doc-tests inspect_core"));
        assert_eq!(program("test Running is no program ... ok"), None);
    }
}
