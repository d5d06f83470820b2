//! The JSON object that `inspect check --json` prints. S16 (docs/semantics.md) lists its keys: every one must be there.

use super::expect::Verdict;
use serde::Deserialize;
use std::path::PathBuf;

/// The object.
#[derive(Deserialize, Debug)]
#[expect(dead_code, reason = "keys that are only required to be present")]
pub(crate) struct Report {
    /// Version of the format.
    pub(crate) schema: u32,
    /// The verdict.
    pub(crate) verdict: Verdict,
    /// Whether the search came to its end and left nothing out.
    pub(crate) complete: bool,
    /// Why it is inconclusive, or why the search is not complete.
    #[serde(deserialize_with = "present")]
    pub(crate) reason: Option<String>,
    /// The search.
    pub(crate) algorithm: String,
    /// Visibility of plain accesses.
    pub(crate) plain_accesses: String,
    /// Complete executions.
    pub(crate) executions: u64,
    /// Blocked executions.
    pub(crate) blocked: u64,
    /// Executions with a failed assumption.
    pub(crate) assume_blocked: u64,
    /// Visible operations executed.
    pub(crate) transitions: u64,
    /// The largest number of threads.
    pub(crate) threads: u64,
    /// Distinct states, of searches that know them.
    #[serde(deserialize_with = "present")]
    pub(crate) states: Option<u64>,
    /// Duration.
    pub(crate) seconds: f64,
    /// Rate.
    #[serde(deserialize_with = "present")]
    pub(crate) executions_per_second: Option<f64>,
    /// Estimate.
    #[serde(deserialize_with = "present")]
    pub(crate) estimated_total: Option<f64>,
    /// What was found.
    pub(crate) findings: Vec<ReportedFinding>,
    /// What the verdict rests on.
    pub(crate) assumptions: Vec<String>,
}

/// One finding.
#[derive(Deserialize, Debug, Clone)]
#[expect(dead_code, reason = "keys that are only required to be present")]
pub(crate) struct ReportedFinding {
    /// The kind.
    pub(crate) kind: String,
    /// `error` or `warning`.
    pub(crate) severity: String,
    /// Text.
    pub(crate) message: String,
    /// Source file.
    #[serde(deserialize_with = "present")]
    pub(crate) file: Option<PathBuf>,
    /// Line.
    #[serde(deserialize_with = "present")]
    pub(crate) line: Option<u32>,
    /// Column.
    #[serde(deserialize_with = "present")]
    pub(crate) column: Option<u32>,
    /// The threads concerned.
    pub(crate) threads: Vec<serde_json::Value>,
    /// How many preemptions it needs.
    pub(crate) preemptions: Option<NeededPreemptions>,
    /// The schedule file.
    #[serde(deserialize_with = "present")]
    pub(crate) replay: Option<PathBuf>,
}

/// How many preemptions a finding needs.
#[derive(Deserialize, Debug, Clone)]
pub(crate) struct NeededPreemptions {
    /// The run that is shown has so many.
    pub(crate) most: u32,
    /// No run has fewer than this.
    pub(crate) least: u32,
}

/// Accepts null but not a missing key.
fn present<'de, D: serde::Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    Option::deserialize(deserializer)
}
