//! Which data races the user has declared harmless: `race:` lines of ThreadSanitizer's suppressions.
//!
//! A pattern is looked for in the name of the function and in that of the source file of an access; a race is
//! harmless if one of its two accesses matches. `*` stands for any text, `^` at the beginning and `$` at the end
//! for an end of the name; otherwise there may be more text on both sides. Of the call stack only the innermost
//! function counts, and of accesses without a static record (those of libraries that are not instrumented) nothing
//! is known here: they match no pattern.

use alloc::string::String;
use serde::{Deserialize, Serialize};

/// The pattern of a `race:` line.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RacePattern(pub String);

impl RacePattern {
    /// Whether an access in this function of this source file is one that the pattern names.
    pub fn names(&self, function: &str, file: &str) -> bool {
        [function, file].into_iter().any(|name| !name.is_empty() && is_match(&self.0, name))
    }
}

fn is_match(pattern: &str, name: &str) -> bool {
    let (begins, pattern) = pattern.strip_prefix('^').map_or((false, pattern), |rest| (true, rest));
    let (ends, pattern) = pattern.strip_suffix('$').map_or((false, pattern), |rest| (true, rest));
    let mut rest = name;
    let mut anchored = begins;
    let mut parts = pattern.split('*').peekable();
    while let Some(part) = parts.next() {
        if ends && parts.peek().is_none() {
            return rest.ends_with(part) && (!anchored || rest == part);
        }
        let Some(at) = rest.find(part).filter(|at| !anchored || *at == 0) else { return false };
        rest = &rest[at + part.len()..];
        anchored = false;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_looked_for_anywhere_unless_it_is_anchored() {
        let matching = ["count", "ount", "^count", "er$", "^counter$", "c*r", "^c*r$", "*", "", "c*u*er", "^*ter$"];
        for pattern in matching {
            assert!(is_match(pattern, "counter"), "{pattern}");
        }
        for pattern in ["^ounter", "counte$", "^count$", "r*c", "counters", "^c*e$", "^counter*r$"] {
            assert!(!is_match(pattern, "counter"), "{pattern}");
        }
        assert!(is_match("^a*b$", "abb") && is_match("b*b$", "ab.b") && !is_match("b*b$", "ab"));
    }

    #[test]
    fn a_place_is_named_by_its_function_or_its_file() {
        let named = |pattern: &str| RacePattern(pattern.into()).names("add", "/src/lib/stats.c");
        assert!(named("lib/*.c$") && named("^add$"));
        assert!(!named("counter"));
        assert!(!RacePattern("*".into()).names("", ""), "nothing is known of the place");
    }
}
