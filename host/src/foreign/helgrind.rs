//! Helgrind's text: `Possible data race during write of size 4`, a call stack, `This conflicts with a previous read of
//! size 4`, and the other call stack. Each line begins with the number of the process.

use super::{ForeignReport, Line, Reading};
use crate::places::GivenPlace;

/// Reads all reports of a text.
pub(super) fn read(text: &str) -> ForeignReport {
    let mut reading = Reading::default();
    for (number, line) in text.lines().enumerate() {
        let Some(line) = after_process(line) else { continue };
        if line.starts_with("Possible data race during ") {
            // This line says what the first access is, too.
            reading.take(number, Line::Race);
            reading.take(number, Line::Access);
        } else {
            reading.take(number, kind(line));
        }
    }
    reading.report
}

/// What follows `==4711==`.
fn after_process(line: &str) -> Option<&str> {
    let (number, rest) = line.split_once("==")?.1.split_once("==")?;
    (!number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())).then(|| rest.trim())
}

fn kind(line: &str) -> Line<'_> {
    if line.starts_with("This conflicts with a previous ") {
        Line::Access
    } else if line.starts_with("Locks held: ") {
        Line::Between
    } else if line.starts_with("Thread #") && line.contains(": lock order ") {
        Line::Other("lock-order")
    } else if line.starts_with("at 0x") || line.starts_with("by 0x") {
        Line::Call(place(line))
    } else {
        Line::End
    }
}

/// The place in `at 0x109222: worker (test.c:12)`.
fn place(call: &str) -> Option<GivenPlace> {
    let named = call.strip_suffix(')')?.rsplit_once(" (")?.1;
    // `in /usr/lib/libc.so.6` has no line.
    GivenPlace::parse(named).map(GivenPlace::whole_line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::foreign::stacks;

    const REPORT: &str = "\
==77== Helgrind, a thread error detector
==77== ---Thread-Announcement------------------------------------------
==77== Thread #2 was created
==77==    at 0x49F: clone (clone.S:77)
==77==    by 0x109: main (test.c:30)
==77== ----------------------------------------------------------------
==77==
==77== Possible data race during write of size 4 at 0x10C02C by thread #1
==77== Locks held: 1, at address 0x10C040
==77==    at 0x48A: memset (vg_replace_strmem.c:1386)
==77==    by 0x109222: main (test.c:31)
==77==
==77== This conflicts with a previous read of size 4 by thread #2
==77== Locks held: none
==77==    at 0x1091A5: worker (test.c:12)
==77==    by 0x48B: mythread_wrapper (hg_intercepts.c:406)
==77==    by 0x4A0: start_thread (in /usr/lib/libc.so.6)
==77==  Address 0x10c02c is 0 bytes inside data symbol \"x\"
==77==    by 0x1: unrelated (test.c:99)
";

    #[test]
    fn a_race_has_the_call_stacks_of_both_accesses_and_of_nothing_else() {
        let report = read(REPORT);
        let first = ["vg_replace_strmem.c:1386", "test.c:31"].map(String::from).to_vec();
        let second = ["test.c:12", "hg_intercepts.c:406"].map(String::from).to_vec();
        assert_eq!(stacks(&report), [[first, second]]);
        assert_eq!(report.races[0].at_line, 8);
    }

    #[test]
    fn several_reports_are_told_apart_and_lock_orders_counted() {
        let order = "==77== Thread #3: lock order \"0x1 before 0x2\" violated\n==77==    at 0x1: f (test.c:3)\n";
        let report = read(&format!("{REPORT}{order}{REPORT}"));
        assert_eq!(report.races.len(), 2);
        assert_eq!(stacks(&report)[0], stacks(&report)[1]);
        assert_eq!(report.others, [("lock-order".to_owned(), 1)].into());
    }

    #[test]
    fn without_a_history_the_other_access_is_unknown() {
        let lines: Vec<&str> = REPORT.lines().take(11).collect();
        assert_eq!(stacks(&read(&lines.join("\n")))[0].len(), 1);
    }
}
