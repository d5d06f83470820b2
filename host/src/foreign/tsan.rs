//! ThreadSanitizer's text: `WARNING: ThreadSanitizer: data race`, then the call stack of each access below a line that
//! says what it is. Other tools may have put something in front of each line.

use super::{ForeignReport, Line, Reading};
use crate::places::GivenPlace;

const BEGIN: &str = "WARNING: ThreadSanitizer: ";

/// Reads all reports of a text.
pub(super) fn read(text: &str) -> ForeignReport {
    let mut reading = Reading::default();
    let mut front = "";
    for (number, whole) in text.lines().enumerate() {
        if let Some(at) = whole.find(BEGIN) {
            front = &whole[..at];
        }
        let line = whole.strip_prefix(front).unwrap_or(whole).trim();
        reading.take(number, kind(line));
    }
    reading.report
}

fn kind(line: &str) -> Line<'_> {
    if let Some(finding) = line.strip_prefix(BEGIN) {
        // Of "data race on vptr (ctor/dtor vs virtual call)" and its kin, the accesses are given in the same way.
        if finding.starts_with("data race") {
            return Line::Race;
        }
        return Line::Other(finding.split(" (").next().unwrap_or(finding));
    }
    if is_access(line) {
        return Line::Access;
    }
    match line.strip_prefix('#').and_then(|rest| rest.split_once(' ')) {
        Some((number, call)) if number.bytes().all(|byte| byte.is_ascii_digit()) => Line::Call(place(call)),
        Some(_) | None => Line::End,
    }
}

/// Whether the line says what an access is: `Previous atomic write of size 8 at 0x7b04 by thread T1:`.
fn is_access(line: &str) -> bool {
    let lower = line.to_ascii_lowercase();
    let access = lower.strip_prefix("previous ").unwrap_or(&lower);
    let access = access.strip_prefix("atomic ").unwrap_or(access);
    ["write of size ", "read of size "].iter().any(|begin| access.starts_with(begin)) && line.contains(" at 0x")
}

/// The place in `main src/a.c:12:3 (a.out+0x4d2) (BuildId: 5e)`.
fn place(call: &str) -> Option<GivenPlace> {
    let module = call.rfind("+0x").and_then(|offset| call[..offset].rfind(" ("));
    let named = call[..module.unwrap_or(call.len())].trim_end();
    // A path from the root may have blanks; of another one, what follows the last blank is the path, or its end.
    let file = named.find(" /").map(|at| &named[at + 1..]).or_else(|| named.rsplit(' ').next())?;
    GivenPlace::parse(file).map(GivenPlace::whole_line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::foreign::stacks;

    const REPORT: &str = "\
starting
==================
WARNING: ThreadSanitizer: data race (pid=4711)
  Write of size 4 at 0x5581 by thread T2 (mutexes: write M0):
    #0 memset ../sanitizer_common/sanitizer_common_interceptors.inc:790 (prog+0x1)
    #1 clear(int*, unsigned long) /home/me/my prog/pool.cc:12:5 (prog+0xd2b1) (BuildId: 5e)
    #2 worker pool.cc:40 (prog+0xd300)

  Previous atomic read of size 4 at 0x5581 by main thread:
    #0 main test.c:31:9 (prog+0xd400)
    #1 <null> <null> (libc.so.6+0x29d8f)

  Location is global 'x' of size 4 at 0x5581 (prog+0x14)

  Thread T2 (tid=9, running) created by main thread at:
    #0 pthread_create <null> (prog+0x2)
    #1 main test.c:28 (prog+0xd380)

SUMMARY: ThreadSanitizer: data race /home/me/my prog/pool.cc:12:5 in clear(int*, unsigned long)
==================
";

    #[test]
    fn a_race_has_the_call_stacks_of_both_accesses_and_of_nothing_else() {
        let report = read(REPORT);
        let first =
            ["../sanitizer_common/sanitizer_common_interceptors.inc:790", "/home/me/my prog/pool.cc:12", "pool.cc:40"];
        assert_eq!(stacks(&report), [[first.map(String::from).to_vec(), vec!["test.c:31".to_owned()]]]);
        assert_eq!((report.races[0].at_line, report.others.len()), (3, 0));
    }

    #[test]
    fn several_reports_are_told_apart_and_other_findings_counted() {
        let deadlock = "WARNING: ThreadSanitizer: lock-order-inversion (potential deadlock) (pid=1)
  Mutex M1 acquired here while holding mutex M0 in thread T1:
    #0 pthread_mutex_lock <null> (p+0x1)
    #1 f lock.c:3 (p+0x2)
";
        let report = read(&format!("{REPORT}{deadlock}{deadlock}{REPORT}"));
        assert_eq!(report.races.len(), 2);
        assert_eq!(stacks(&report)[0], stacks(&report)[1]);
        assert_eq!(report.others, [("lock-order-inversion".to_owned(), 2)].into());
    }

    #[test]
    fn what_a_test_runner_puts_in_front_of_each_line_is_left_out() {
        let prefixed: String = REPORT.lines().map(|line| format!("7: {line}\n")).collect();
        assert_eq!(stacks(&read(&prefixed)), stacks(&read(REPORT)));
    }

    #[test]
    fn an_access_without_a_known_stack_has_none() {
        let text = "WARNING: ThreadSanitizer: data race (pid=1)
  Write of size 8 at 0x7b08 by thread T1:
    #0 f a.c:1 (p+0x1)
  Previous write of size 8 at 0x7b08 by thread T2:
    [failed to restore the stack]
  Thread T2 created by main thread at:
    #0 main a.c:9 (p+0x1)
";
        assert_eq!(stacks(&read(text)), [vec![vec!["a.c:1".to_owned()], vec![]]]);
    }
}
