//! `cases.txt`: which cases a modelled function does not have, and which operations of the futex are refused.

use std::collections::BTreeMap;

/// A case of a function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Kind {
    /// It does what it is for.
    Success,
    /// It has to wait, and is woken or waits for ever.
    Blocking,
    /// It fails with an error that POSIX, C11 or the manual page names.
    Error,
    /// A use that the standard leaves undefined is reported.
    Undefined,
    /// A program that calls it is inconclusive.
    Refused,
}

impl Kind {
    /// The cases of a modelled function, in the order of the document.
    pub(super) const OF_MODELLED: [Kind; 4] = [Kind::Success, Kind::Blocking, Kind::Error, Kind::Undefined];

    /// Its word in `expect.toml` and `cases.txt`.
    pub(super) fn word(self) -> &'static str {
        match self {
            Kind::Success => "success",
            Kind::Blocking => "blocking",
            Kind::Error => "error",
            Kind::Undefined => "undefined",
            Kind::Refused => "refused",
        }
    }

    pub(super) fn from_word(word: &str) -> Option<Kind> {
        let all = [Kind::Success, Kind::Blocking, Kind::Error, Kind::Undefined, Kind::Refused];
        all.into_iter().find(|kind| kind.word() == word)
    }
}

/// The file: lines `CASE - REASON: FUNCTION...`. For the case `refused`, of operations of the futex, it means that they
/// are.
pub(super) struct Cases {
    absent: BTreeMap<(String, Kind), String>,
}

impl Cases {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut absent = BTreeMap::new();
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let wrong = || format!("cases.txt: {line}");
            let (head, functions) = line.split_once(": ").ok_or_else(wrong)?;
            let (kind, reason) = head.split_once(" - ").ok_or_else(wrong)?;
            let kind = Kind::from_word(kind).ok_or_else(wrong)?;
            for function in functions.split_whitespace() {
                if absent.insert((function.to_owned(), kind), reason.to_owned()).is_some() {
                    return Err(format!("cases.txt says twice of {function}: {}", kind.word()));
                }
            }
        }
        Ok(Cases { absent })
    }

    /// Why a function does not have a case.
    pub(super) fn reason(&self, function: &str, kind: Kind) -> Option<&str> {
        let reason = self.absent.get(&(function.to_owned(), kind)).filter(|_| kind != Kind::Refused);
        reason.map(String::as_str)
    }

    /// Whether this operation of the futex is refused.
    pub(super) fn is_refused(&self, operation: &str) -> bool {
        self.absent.contains_key(&(operation.to_owned(), Kind::Refused))
    }

    /// The modelled functions that the file names.
    pub(super) fn named(&self) -> impl Iterator<Item = &str> {
        self.absent.keys().filter(|(_, kind)| *kind != Kind::Refused).map(|(function, _)| function.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_names_a_case_a_reason_and_functions() {
        let cases =
            Cases::parse("# a comment\n\nblocking - never waits: a b\nrefused - no model: FUTEX_FD\n").expect("fits");
        assert_eq!(cases.reason("b", Kind::Blocking), Some("never waits"));
        assert_eq!(cases.reason("b", Kind::Error), None);
        assert!(cases.is_refused("FUTEX_FD") && !cases.is_refused("a"));
        assert_eq!(cases.named().collect::<Vec<_>>(), ["a", "b"]);
    }

    #[test]
    fn what_is_no_such_line_is_reported() {
        for text in ["blocking: a", "blocked - x: a", "blocking - x: a a"] {
            assert!(Cases::parse(text).is_err(), "{text}");
        }
    }
}
