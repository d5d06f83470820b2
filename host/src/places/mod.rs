//! Places of the source as people and other tools write them, and the places of a program that they stand for.

mod calls;
mod map;
mod sites;

pub use map::{KnownPlace, SourceMap};

use std::fmt;

/// A place as the user or another tool writes it: `FILE:LINE` or `FILE:LINE:COLUMN`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct GivenPlace {
    /// The file: a name, the end of a path, or a path.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1, if it matters.
    pub column: Option<u32>,
}

impl GivenPlace {
    /// Reads `FILE:LINE` or `FILE:LINE:COLUMN`.
    pub fn parse(text: &str) -> Option<GivenPlace> {
        let (rest, last) = numbered(text)?;
        let (file, line, column) = match numbered(rest) {
            Some((file, line)) => (file, line, Some(last)),
            None => (rest, last, None),
        };
        Some(GivenPlace { file: file.to_owned(), line, column })
    }

    /// The same place in whatever column.
    pub fn whole_line(self) -> GivenPlace {
        GivenPlace { column: None, ..self }
    }
}

impl fmt::Display for GivenPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)?;
        self.column.map_or(Ok(()), |column| write!(f, ":{column}"))
    }
}

/// What stands before the last colon, if a number follows that counts from 1.
fn numbered(text: &str) -> Option<(&str, u32)> {
    let (rest, number) = text.rsplit_once(':')?;
    let is_number = !rest.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    let number = if is_number { number.parse().ok()? } else { 0 };
    (number > 0).then_some((rest, number))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(file: &str, line: u32, column: Option<u32>) -> Option<GivenPlace> {
        Some(GivenPlace { file: file.into(), line, column })
    }

    #[test]
    fn a_place_has_a_line_and_perhaps_a_column() {
        assert_eq!(GivenPlace::parse("a.c:12"), place("a.c", 12, None));
        assert_eq!(GivenPlace::parse("/src/my dir/a.c:12:3"), place("/src/my dir/a.c", 12, Some(3)));
        assert_eq!(GivenPlace::parse("odd:name.c:7"), place("odd:name.c", 7, None));
    }

    #[test]
    fn what_has_no_line_is_no_place() {
        for text in ["a.c", "a.c:", ":12", "a.c:0", "a.c:x", "a.c:-1", "a.c:99999999999", ""] {
            assert_eq!(GivenPlace::parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_place_is_written_as_it_is_read() {
        for text in ["a.c:12", "src/a.c:12:3"] {
            assert_eq!(GivenPlace::parse(text).map(|place| place.to_string()).as_deref(), Some(text));
        }
    }
}
