//! What a person or another tool suspects: places in the source at which threads would meet. From the command line, or
//! from a report of ThreadSanitizer or Helgrind.

mod report;

pub use report::of_report;

/// A line of a source file, as whoever names it writes it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct SourceLine {
    /// The file: absolute, relative to anything, or its name alone.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
}

impl SourceLine {
    /// Reads `FILE:LINE` or `FILE:LINE:COLUMN`; the column is left out.
    pub fn parse(text: &str) -> Option<SourceLine> {
        let number = |text: &str| text.parse::<u32>().ok().filter(|number| *number > 0);
        let (rest, last) = text.rsplit_once(':')?;
        let last = number(last)?;
        let (file, line) = match rest.rsplit_once(':').and_then(|(file, line)| Some((file, number(line)?))) {
            Some((file, line)) => (file, line),
            None => (rest, last),
        };
        (!file.is_empty()).then(|| SourceLine { file: file.to_owned(), line })
    }
}

/// What would happen at the places.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum SuspectKind {
    /// Two accesses race.
    Race,
    /// Threads wait for each other's locks.
    Deadlock,
    /// One of both.
    Either,
}

/// Threads that would meet, each at a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Suspect {
    /// What would happen.
    pub kind: SuspectKind,
    /// For each thread: where it is, and what has called that, innermost first. Only frames with a source line.
    pub stacks: Vec<Vec<SourceLine>>,
}

#[cfg(test)]
mod tests {
    use super::SourceLine;

    #[test]
    fn places_have_a_file_and_a_line_and_perhaps_a_column() {
        let place = |text| SourceLine::parse(text).map(|place| (place.file, place.line));
        assert_eq!(place("a.c:12"), Some(("a.c".into(), 12)));
        assert_eq!(place("a.c:12:5"), Some(("a.c".into(), 12)));
        assert_eq!(place("/x y/a:b.c:12:5"), Some(("/x y/a:b.c".into(), 12)));
        assert_eq!(place("/x:y/a.c:7"), Some(("/x:y/a.c".into(), 7)));
        for wrong in ["", "a.c", "a.c:", ":12", "a.c:0", "a.c:x", "12", "a.c:99999999999", "a.c:-1"] {
            assert_eq!(place(wrong), None, "{wrong}");
        }
    }
}
