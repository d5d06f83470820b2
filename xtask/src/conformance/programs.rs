//! `programs.txt`: which programs are run, with which sizes, and what their answer is.

/// A program of the list.
pub(super) struct Program {
    /// Its file in the package, without the ending.
    pub(super) name: String,
    /// Macros that it defines, with other values: fewer threads and rounds.
    sizes: Vec<(String, String)>,
    pub(super) expected: Expected,
}

/// What the answer is, and whether that is the one it should be.
pub(super) enum Expected {
    Verified,
    /// The program is wrong, by the standard, with errors of these kinds.
    Violated {
        kinds: String,
        why: String,
    },
    /// Something is not modelled, or the program is too large for the time limit.
    Inconclusive(String),
    /// The program is right.
    Wrong {
        kinds: String,
        why: String,
    },
}

impl Expected {
    pub(super) fn is_right(&self) -> bool {
        match self {
            Expected::Verified | Expected::Violated { .. } => true,
            Expected::Inconclusive(_) | Expected::Wrong { .. } => false,
        }
    }

    /// Whether this is the answer. A program that was too large may be verified on a faster machine; an inconclusive
    /// one may have findings that could not be confirmed.
    pub(super) fn fits(&self, answer: &str) -> bool {
        match self {
            Expected::Verified => answer == "verified",
            Expected::Inconclusive(_) => answer.starts_with("inconclusive") || answer == "verified",
            Expected::Violated { kinds, .. } | Expected::Wrong { kinds, .. } => {
                answer.strip_prefix("violated ").is_some_and(|found| found.split(' ').any(|kind| kinds == kind))
            }
        }
    }

    pub(super) fn words(&self) -> String {
        match self {
            Expected::Verified => "verified".to_owned(),
            Expected::Inconclusive(why) => format!("inconclusive: {why}"),
            Expected::Violated { kinds, why } | Expected::Wrong { kinds, why } => format!("`{kinds}`: {why}"),
        }
    }
}

impl Program {
    /// The source, with the sizes of the list.
    pub(super) fn sized(&self, source: &str) -> Result<String, String> {
        let mut lines: Vec<String> = source.lines().map(str::to_owned).collect();
        for (name, value) in &self.sizes {
            let defines = |line: &&mut String| {
                line.strip_prefix('#').is_some_and(|rest| rest.split_whitespace().take(2).eq(["define", name.as_str()]))
            };
            let line = lines.iter_mut().find(defines);
            *line.ok_or_else(|| format!("{} does not define {name}", self.name))? = format!("#define {name} {value}");
        }
        Ok(lines.join("\n") + "\n")
    }

    pub(super) fn sizes(&self) -> String {
        self.sizes.iter().map(|(name, value)| format!("{name} {value}")).collect::<Vec<_>>().join(", ")
    }
}

/// Lines `NAME [MACRO=VALUE...]: verified`, `...: inconclusive - REASON`, `...: violated KIND - WHY`,
/// `...: wrong KIND - WHY`.
pub(super) fn parse(text: &str) -> Result<Vec<Program>, String> {
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| program(line).ok_or_else(|| format!("programs.txt: {line}"))).collect()
}

fn program(line: &str) -> Option<Program> {
    let (head, tail) = line.split_once(": ")?;
    let mut words = head.split_whitespace();
    let name = words.next()?.to_owned();
    let size = |word: &str| word.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()));
    let sizes = words.map(size).collect::<Option<_>>()?;
    let (answer, why) = tail.split_once(" - ").unwrap_or((tail, ""));
    let why = why.to_owned();
    let expected = match answer.split_once(' ').unwrap_or((answer, "")) {
        ("verified", "") if why.is_empty() => Expected::Verified,
        _ if why.is_empty() => return None,
        ("inconclusive", "") => Expected::Inconclusive(why),
        ("violated", kinds) => Expected::Violated { kinds: kinds.to_owned(), why },
        ("wrong", kinds) => Expected::Wrong { kinds: kinds.to_owned(), why },
        _ => return None,
    };
    Some(Program { name, sizes, expected })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_names_a_program_its_sizes_and_its_answer() {
        let programs = parse("# a comment\na N=2: verified\nb: violated deadlock - waits for itself\n").expect("fits");
        assert_eq!(programs[0].sizes(), "N 2");
        assert!(programs[0].expected.fits("verified") && !programs[0].expected.fits("inconclusive"));
        assert!(
            programs[1].expected.fits("violated assertion deadlock") && !programs[1].expected.fits("violated crash")
        );
        assert_eq!(programs[0].sized("#define N 20\nx\n").as_deref(), Ok("#define N 2\nx\n"));
        assert!(programs[0].sized("#define NN 20\n").is_err());
        for wrong in ["a", "a: perhaps - x", "a: inconclusive", "a N: verified", "a: verified - x"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
