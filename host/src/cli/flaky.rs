//! `inspect flaky`: an `inspect check` that samples until it finds an error.

use super::config::{Config, Searches, Surroundings};
use super::flags::CheckFlags;
use super::quantities::time;
use crate::error::ToolError;
use crate::search::SearchOptions;
use inspect_core::detect::FindingKind;

impl Config {
    /// What `inspect flaky` asks for: sampling goes on until it finds an error or the user's patience ends, and a test
    /// that ends with a status other than 0 has failed.
    pub fn of_flaky(mut flags: CheckFlags, surroundings: Surroundings) -> Result<Config, ToolError> {
        if !flags.is_portfolio() {
            return Err(ToolError::new(
                "inspect flaky draws executions by chance, with one strategy after the other: --algorithm, --preemptions, \
                 --checkpoint and --resume are for inspect check",
            ));
        }
        let status = FindingKind::ExitStatus.name();
        if !flags.warn.iter().chain(&flags.ignore).any(|kind| kind == status) {
            flags.error.push(status.to_owned());
        }
        let given = flags.time_limit.as_deref().map(|text| time("--time-limit", text)).transpose()?;
        let config = Config::resolve(flags, surroundings)?;
        let options = SearchOptions { time_limit: given, ..config.options };
        Ok(Config { searches: Searches::Sampling, options, ..config })
    }
}
