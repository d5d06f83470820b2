//! Reports of other tools, read line by line. Whatever is not understood is passed over: a report may be part of a log,
//! may be cut off anywhere, and each line of it may have something before it.
//!
//! ThreadSanitizer (of clang and of gcc): a line with `WARNING: ThreadSanitizer: KIND`, then stacks, each behind a
//! line that says what it is of; frames are `#N function file:line:column (module+offset)`. Of a race, the first two
//! accesses are of interest, of an inversion of locks those stacks where a mutex was taken `while holding` another one.
//!
//! Helgrind (of Valgrind 3): each line begins with `==PID==`; frames are `at 0x...: function (file:line)`, then `by`.
//! A race has one stack behind `Possible data race during` and one behind `This conflicts with`; a violated lock order
//! has, for each of the two orders, the stack of the second lock behind `followed by a later acquisition`.

use super::{SourceLine, Suspect, SuspectKind};

/// What a report suspects, in its order. Those of which it does not have two stacks with source lines have fewer here.
pub fn of_report(text: &str) -> Vec<Suspect> {
    let mut reader = Reader::default();
    text.lines().for_each(|line| reader.read(without_process(line).trim()));
    reader.finish();
    reader.all
}

/// A line without Valgrind's `==PID==`, which may have a time in it.
fn without_process(line: &str) -> &str {
    let rest = line.trim_start().strip_prefix("==").and_then(|rest| rest.split_once("=="));
    match rest {
        Some((process, rest)) if process.starts_with(|c: char| c.is_ascii_digit()) => rest,
        Some(_) | None => line,
    }
}

/// What a line is.
enum Line {
    /// A report of this kind begins.
    Begin(SuspectKind),
    /// A report begins or ends that is not of interest.
    End,
    /// A stack begins.
    Stack,
    /// A frame, if it has a source line.
    Frame(Option<SourceLine>),
    /// Something else: the stack before has ended.
    Other,
}

#[derive(Default)]
struct Reader {
    all: Vec<Suspect>,
    current: Option<Suspect>,
    stack: Stack,
}

/// What the next frame belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Stack {
    /// No stack of interest.
    #[default]
    None,
    /// The last one, whose frames are still to come.
    Open,
    /// The last one, up to the next line that is no frame.
    Begun,
}

impl Reader {
    fn read(&mut self, line: &str) {
        if line.is_empty() {
            self.stack = Stack::None;
            return;
        }
        match classify(line, self.current.as_ref().map(|suspect| suspect.kind)) {
            Line::Begin(kind) => {
                self.finish();
                self.current = Some(Suspect { kind, stacks: Vec::new() });
                // Helgrind's line about a race is that of its first stack as well.
                if line.starts_with(HELGRIND_RACE) {
                    self.open();
                }
            }
            Line::End => self.finish(),
            Line::Stack => self.open(),
            Line::Frame(frame) => {
                let stack = self.current.as_mut().and_then(|suspect| suspect.stacks.last_mut());
                if let (Some(stack), Stack::Open | Stack::Begun) = (stack, self.stack) {
                    stack.extend(frame);
                    self.stack = Stack::Begun;
                }
            }
            Line::Other if self.stack == Stack::Begun => self.stack = Stack::None,
            Line::Other => {}
        }
    }

    /// A stack begins, if the report wants another one.
    fn open(&mut self) {
        self.stack = Stack::None;
        if let Some(suspect) = self.current.as_mut().filter(|suspect| wants_more(suspect)) {
            suspect.stacks.push(Vec::new());
            self.stack = Stack::Open;
        }
    }

    fn finish(&mut self) {
        self.all.extend(self.current.take());
        self.stack = Stack::None;
    }
}

/// Whether another stack of the report is of interest.
fn wants_more(suspect: &Suspect) -> bool {
    match suspect.kind {
        SuspectKind::Race => suspect.stacks.len() < 2,
        SuspectKind::Deadlock | SuspectKind::Either => true,
    }
}

const SANITIZER: &str = "WARNING: ThreadSanitizer: ";
const HELGRIND_RACE: &str = "Possible data race during ";

/// What a line is in a report of this kind, or outside of one.
fn classify(line: &str, kind: Option<SuspectKind>) -> Line {
    if let Some((_, what)) = line.split_once(SANITIZER) {
        return match what {
            _ if what.starts_with("data race") || what.starts_with("heap-use-after-free") => {
                Line::Begin(SuspectKind::Race)
            }
            _ if what.starts_with("lock-order-inversion") => Line::Begin(SuspectKind::Deadlock),
            _ => Line::End,
        };
    }
    if line.starts_with(HELGRIND_RACE) {
        return Line::Begin(SuspectKind::Race);
    }
    if line.contains("lock order \"") && line.ends_with("violated") {
        return Line::Begin(SuspectKind::Deadlock);
    }
    if line.contains("SUMMARY: ThreadSanitizer") || line.starts_with("-----") || line.starts_with("=====") {
        return Line::End;
    }
    if let Some(frame) = frame(line) {
        return Line::Frame(frame);
    }
    let begins = match kind {
        Some(SuspectKind::Race) => {
            line.contains(" of size ") && line.ends_with(':') || line.starts_with("This conflicts with a previous ")
        }
        Some(SuspectKind::Deadlock) => {
            line.contains(" acquired here while holding mutex ")
                || line.starts_with("followed by a later acquisition of lock")
        }
        Some(SuspectKind::Either) | None => false,
    };
    if begins { Line::Stack } else { Line::Other }
}

/// The source line of a frame, if it has one; None if the line is no frame.
fn frame(line: &str) -> Option<Option<SourceLine>> {
    if line.starts_with("at 0x") || line.starts_with("by 0x") {
        let place = line.rsplit_once('(').and_then(|(_, place)| place.strip_suffix(')'));
        return Some(place.and_then(SourceLine::parse));
    }
    if line.contains("[failed to restore the stack]") {
        return Some(None);
    }
    let (_, rest) = line.split_once('#')?;
    let (number, rest) = rest.split_once(' ')?;
    if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let mut rest = rest.trim_end();
    // The module, and what it was built from.
    while let Some((before, last)) = rest.rsplit_once(" (")
        && last.ends_with(')')
        && (last.contains("+0x") || last.starts_with("BuildId"))
    {
        rest = before.trim_end();
    }
    Some(rest.rsplit_once(' ').and_then(|(_, place)| SourceLine::parse(place)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The innermost frame of each stack, as `file:line`.
    fn tops(suspect: &Suspect) -> Vec<String> {
        let top = |stack: &Vec<SourceLine>| stack.first().map(|at| format!("{}:{}", at.file, at.line));
        suspect.stacks.iter().map(|stack| top(stack).unwrap_or_default()).collect()
    }

    fn read(text: &str) -> Vec<(SuspectKind, Vec<String>)> {
        of_report(text).iter().map(|suspect| (suspect.kind, tops(suspect))).collect()
    }

    fn report(name: &str) -> String {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/confirm").join(name);
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    #[test]
    fn reports_of_both_tools_are_read() {
        use SuspectKind::{Deadlock, Race};
        let add = || "race.c:7".to_owned();
        for (name, expected) in [
            ("tsan-race.txt", vec![(Race, vec![add(), add()])]),
            ("helgrind-race.txt", vec![(Race, vec![add(), add()]), (Race, vec![add(), add()])]),
            ("tsan-locks.txt", vec![(Deadlock, vec!["locks.c:23".into(), "locks.c:33".into()])]),
            ("helgrind-locks.txt", vec![(Deadlock, vec!["locks.c:33".into(), "locks.c:23".into()])]),
            ("tsan-published.txt", vec![(Race, vec!["published.c:19".into(), "published.c:10".into()])]),
        ] {
            assert_eq!(read(&report(name)), expected, "{name}");
        }
    }

    /// A report that is cut off at any byte, or of which any line is missing, is read without a panic, and names no
    /// more suspects than the whole one.
    #[test]
    fn parts_of_reports_are_read_as_far_as_they_go() {
        for name in ["tsan-race.txt", "tsan-locks.txt", "helgrind-race.txt", "helgrind-locks.txt"] {
            let text = report(name);
            let all = of_report(&text).len();
            for end in (0..text.len()).filter(|&end| text.is_char_boundary(end)) {
                assert!(of_report(&text[..end]).len() <= all, "{name} up to {end}");
            }
            let lines: Vec<&str> = text.lines().collect();
            for left_out in 0..lines.len() {
                let rest = [&lines[..left_out], &lines[left_out + 1..]].concat().join("\n");
                assert!(of_report(&rest).len() <= all, "{name} without line {left_out}");
            }
        }
    }

    #[test]
    fn frames_have_many_forms() {
        let place = |text| frame(text).map(|at| at.map(|at| (at.file, at.line)));
        let some = |file: &str, line| Some(Some((file.to_owned(), line)));
        assert_eq!(place("#0 add /x/race.c:7:9 (race+0xe93a1) (BuildId: 68c1)"), some("/x/race.c", 7));
        assert_eq!(place("#12 f(int, char) /x/a.cc:7 (race+0x1)"), some("/x/a.cc", 7));
        assert_eq!(place("17: #0 operator()(int) const a.cc:3:1 (x+0x2)"), some("a.cc", 3));
        assert_eq!(place("#0 pthread_mutex_lock <null> (race+0x665f7)"), Some(None));
        assert_eq!(place("by 0x109187: work (race.c:12)"), some("race.c", 12));
        assert_eq!(place("at 0x484976E: ??? (in /usr/lib/x.so)"), Some(None));
        assert_eq!(place("#include <x>"), None);
        assert_eq!(place("Locks held: none"), None);
    }

    #[test]
    fn a_stack_that_was_not_restored_has_no_frames() {
        let text = "WARNING: ThreadSanitizer: data race (pid=1)\n  Write of size 4 at 0x1 by thread T2:\n    #0 add r.c:7:9 (r+0x1)\n\n  \
                    Previous write of size 4 at 0x1 by thread T1:\n    [failed to restore the stack]\n\n  Thread T2 (tid=3, running) \
                    created by main thread at:\n    #0 main r.c:20:5 (r+0x2)\n";
        assert_eq!(read(text), [(SuspectKind::Race, vec!["r.c:7".to_owned(), String::new()])]);
    }

    #[test]
    fn reports_of_other_kinds_are_no_suspects() {
        let text = "WARNING: ThreadSanitizer: thread leak (pid=1)\n  Thread T1 created by main thread at:\n    #0 main r.c:20:5 (r+0x2)\n";
        assert_eq!(read(text), []);
        assert_eq!(read("==1== Thread #2: Exiting thread still holds 1 lock\n==1==    at 0x1: f (a.c:2)\n"), []);
    }
}
