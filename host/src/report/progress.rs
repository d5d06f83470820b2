//! The line that shows how a search is getting on.

use super::text::{percentage, share};
use crate::run::Counters;
use crate::search::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::time::{Duration, Instant};

/// A line on standard error; silent where none is wanted.
#[derive(Debug)]
pub struct ProgressLine {
    bar: ProgressBar,
    start: Instant,
}

impl ProgressLine {
    /// A line that is shown only if `shown`.
    pub fn new(shown: bool) -> ProgressLine {
        let target = if shown { ProgressDrawTarget::stderr_with_hz(10) } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(None, target);
        bar.set_style(ProgressStyle::with_template("{spinner} {msg}").expect("the template is right"));
        if shown {
            bar.enable_steady_tick(Duration::from_millis(100));
        }
        ProgressLine { bar, start: Instant::now() }
    }

    /// Says what is being done before the search.
    pub fn say(&self, what: &str) {
        self.bar.set_message(what.to_owned());
    }

    /// Shows the state of the search.
    pub fn show(&self, progress: Progress<'_>) {
        let message = match progress {
            Progress::Exploring(counters) => exploring(counters, self.start.elapsed().as_secs_f64()),
            Progress::Confirming(number, of) => format!("confirming finding {number} of {of}"),
        };
        self.bar.set_message(message);
    }

    /// Takes the line away.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

fn exploring(counters: &Counters, seconds: f64) -> String {
    let mut text =
        format!("{} executions, {:.0}/s", counters.executions, counters.executions as f64 / seconds.max(1e-3));
    if let Some(total) = counters.estimated_total {
        match share(counters.executions, total) {
            Some(percent) => text.push_str(&format!(", {} of about {total:.0}", percentage(percent))),
            None => text.push_str(&format!(", of more than {}", counters.executions)),
        }
    }
    match counters.findings {
        0 => {}
        1 => text.push_str(", 1 finding"),
        more => text.push_str(&format!(", {more} findings")),
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_has_rate_share_and_findings() {
        let counters = Counters { executions: 500, estimated_total: Some(2000.0), findings: 1, ..Counters::default() };
        assert_eq!(exploring(&counters, 0.5), "500 executions, 1000/s, 25 % of about 2000, 1 finding");
        assert_eq!(exploring(&Counters::default(), 1.0), "0 executions, 0/s");
        let counters = Counters { executions: 7, estimated_total: Some(7.0), ..Counters::default() };
        assert_eq!(exploring(&counters, 1.0), "7 executions, 7/s, of more than 7", "the estimate is what was seen");
    }
}
