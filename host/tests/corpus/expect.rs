//! `expect.toml`: what the tool has to report about a program. Unknown keys are errors, so that a misspelt expectation
//! is not ignored.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// The file.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub(crate) struct Expectations {
    /// The cases, each a run of `inspect check`.
    #[serde(rename = "case")]
    pub(crate) cases: Vec<Case>,
}

/// One run of `inspect check` and what must come out.
#[derive(Deserialize, Debug, Clone)]
#[serde(deny_unknown_fields)]
pub(crate) struct Case {
    /// Distinguishes the cases of one program.
    pub(crate) name: Option<String>,
    /// Source files; without it, every C file of the directory.
    pub(crate) sources: Option<Vec<String>>,
    /// Sources of clients (`--client`).
    #[serde(default)]
    pub(crate) clients: Vec<String>,
    /// Macros.
    #[serde(default)]
    pub(crate) defines: BTreeMap<String, toml::Value>,
    /// Further flags of the compiler.
    #[serde(default)]
    pub(crate) cflags: Vec<String>,
    /// Arguments of the program.
    #[serde(default)]
    pub(crate) args: Vec<String>,
    /// Standard input of the program.
    #[serde(default)]
    pub(crate) stdin: String,
    /// Files below the directory in which the program runs, by path; they and no others must be there afterwards,
    /// unchanged. `-> PATH` is a symbolic link to PATH.
    #[serde(default)]
    pub(crate) files: BTreeMap<String, String>,
    /// `--algorithm`
    pub(crate) algorithm: Option<String>,
    /// `--plain-accesses`
    pub(crate) plain_accesses: Option<String>,
    /// `--preemptions`
    pub(crate) preemptions: Option<u32>,
    /// `--mode`
    pub(crate) mode: Option<String>,
    /// `--spurious-wakeups`
    #[serde(default)]
    pub(crate) spurious_wakeups: bool,
    /// `--keep-going`
    #[serde(default)]
    pub(crate) keep_going: bool,
    /// Further flags of `inspect check`.
    #[serde(default)]
    pub(crate) flags: Vec<String>,
    /// The verdict.
    pub(crate) verdict: Verdict,
    /// Complete executions, exactly.
    pub(crate) executions: Option<u64>,
    /// Blocked executions, exactly.
    pub(crate) blocked: Option<u64>,
    /// Executions with a failed assumption, exactly.
    pub(crate) assume_blocked: Option<u64>,
    /// The findings: each of these, and no others.
    #[serde(default)]
    pub(crate) findings: Vec<ExpectedFinding>,
    /// What the reason of an inconclusive verdict must contain.
    pub(crate) reason: Option<String>,
    /// What one of the assumptions must contain.
    pub(crate) assumption: Option<String>,
    /// Whether the case takes long, so that it is run with `INSPECT_LONG=1` only.
    #[serde(default)]
    pub(crate) long: bool,
    /// After so many seconds the test gives up.
    #[serde(default = "two_minutes")]
    pub(crate) patience: u64,
    /// From how many seeds, beginning with 0, the answer is the same within [`SECONDS_PER_SEED`](super::seeds). The
    /// case itself is checked with the first; `INSPECT_LONG=1` has the others.
    pub(crate) seeds: Option<u32>,
    /// Which cases of which functions it shows: `cargo xtask coverage` reads and checks that.
    #[serde(rename = "covers")]
    pub(crate) _covers: Option<toml::Table>,
    /// Today's wrong answer, if the tool does not give the right one yet.
    pub(crate) known_miss: Option<KnownMiss>,
}

fn two_minutes() -> u64 {
    120
}

/// The verdicts.
#[derive(Deserialize, Debug, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Verdict {
    /// Everything covered, no error.
    Verified,
    /// An error was found.
    Violated,
    /// Neither.
    Inconclusive,
}

/// A finding that must be reported, at a line marked `BUG: kind` or `BUG: kind(label)`.
#[derive(Deserialize, Debug, Clone)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExpectedFinding {
    /// The kind.
    pub(crate) kind: String,
    /// The label of the marker; without it, any marker of this kind will do.
    pub(crate) label: Option<String>,
    /// The severity, `error` or `warning`.
    pub(crate) severity: Option<String>,
    /// Whether the finding belongs to no line of the program.
    #[serde(default)]
    pub(crate) nowhere: bool,
    /// Whether the finding may be missing: which of several true findings is met first depends on the search.
    #[serde(default)]
    pub(crate) optional: bool,
}

/// An answer known to be wrong. The test passes as long as the tool gives exactly this answer.
#[derive(Deserialize, Debug, Clone)]
#[serde(deny_unknown_fields)]
pub(crate) struct KnownMiss {
    /// What is missing in the tool.
    pub(crate) why: String,
    /// Today's verdict.
    pub(crate) verdict: Verdict,
    /// Today's number of executions.
    pub(crate) executions: Option<u64>,
    /// Today's findings.
    #[serde(default)]
    pub(crate) findings: Vec<ExpectedFinding>,
}

impl Expectations {
    /// Reads the expectations of the program in `directory`.
    pub(crate) fn read(directory: &Path) -> Result<Self, String> {
        let path = directory.join("expect.toml");
        let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let expectations: Expectations =
            toml::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))?;
        for (i, case) in expectations.cases.iter().enumerate() {
            if expectations.cases[..i].iter().any(|other| other.name == case.name) {
                return Err(format!("{}: two cases named {:?}", path.display(), case.name));
            }
            if case.known_miss.as_ref().is_some_and(|miss| miss.why.is_empty()) {
                return Err(format!("{}: a known miss without a reason", path.display()));
            }
        }
        Ok(expectations)
    }
}
