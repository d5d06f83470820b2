//! The line that shows how a search is getting on: on a terminal one that changes, elsewhere a new one now and then.

use super::text::{percentage, share};
use crate::search::{Progress, Standing};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::cell::Cell;
use std::io::Write;
use std::time::{Duration, Instant};

/// When there are new lines: each ten seconds in the first minute, then each minute.
const OFTEN: Duration = Duration::from_secs(10);
const SELDOM: Duration = Duration::from_secs(60);

/// Whether and how progress is shown on standard error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProgressKind {
    /// Not at all.
    Hidden,
    /// By a line that changes.
    Terminal,
    /// By a new line now and then, as where a launcher passes on what is written.
    Lines,
}

/// A line on standard error; silent where none is wanted.
#[derive(Debug)]
pub struct ProgressLine {
    bar: ProgressBar,
    start: Instant,
    /// When the next new line is due, if there are such.
    due: Option<Cell<Duration>>,
}

impl ProgressLine {
    /// A line of this kind.
    pub fn new(kind: ProgressKind) -> ProgressLine {
        let shown = kind == ProgressKind::Terminal;
        let target = if shown { ProgressDrawTarget::stderr_with_hz(10) } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(None, target);
        bar.set_style(ProgressStyle::with_template("{spinner} {msg}").expect("the template is right"));
        if shown {
            bar.enable_steady_tick(Duration::from_millis(100));
        }
        let due = (kind == ProgressKind::Lines).then(|| Cell::new(OFTEN));
        ProgressLine { bar, start: Instant::now(), due }
    }

    /// Says what is being done before the search.
    pub fn say(&self, what: &str) {
        self.bar.set_message(what.to_owned());
    }

    /// Shows the state of the search.
    pub fn show(&self, progress: Progress<'_>) {
        let elapsed = self.start.elapsed();
        let message = || match progress {
            Progress::Exploring(standing) => exploring(standing, elapsed.as_secs_f64()),
            Progress::Confirming(number, of) => format!("confirming finding {number} of {of}"),
        };
        match &self.due {
            None => self.bar.set_message(message()),
            Some(due) if elapsed >= due.get() => {
                due.set(next_line(elapsed));
                // Nothing is left to do if standard error is gone.
                let _ = writeln!(std::io::stderr(), "inspect: {:.0} s: {}", elapsed.as_secs_f64(), message());
            }
            Some(_) => {}
        }
    }

    /// Takes the line away.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// When the line after that of `now` is due.
fn next_line(now: Duration) -> Duration {
    now + if now < SELDOM { OFTEN } else { SELDOM }
}

fn exploring(Standing { counters, workers, idle }: Standing<'_>, seconds: f64) -> String {
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
    if workers > 1 {
        text.push_str(&format!(", {} of {workers} at work", workers - idle));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Counters;

    fn alone(counters: &Counters, seconds: f64) -> String {
        exploring(Standing { counters, workers: 1, idle: 0 }, seconds)
    }

    #[test]
    fn the_line_has_rate_share_and_findings() {
        let counters = Counters { executions: 500, estimated_total: Some(2000.0), findings: 1, ..Counters::default() };
        assert_eq!(alone(&counters, 0.5), "500 executions, 1000/s, 25 % of about 2000, 1 finding");
        assert_eq!(alone(&Counters::default(), 1.0), "0 executions, 0/s");
        let counters = Counters { executions: 7, estimated_total: Some(7.0), ..Counters::default() };
        assert_eq!(alone(&counters, 1.0), "7 executions, 7/s, of more than 7", "the estimate is what was seen");
    }
    #[test]
    fn workers_that_share_a_search_are_counted() {
        let counters = Counters { executions: 10, ..Counters::default() };
        let text = exploring(Standing { counters: &counters, workers: 64, idle: 2 }, 1.0);
        assert_eq!(text, "10 executions, 10/s, 62 of 64 at work");
    }

    #[test]
    fn new_lines_come_each_ten_seconds_and_then_each_minute() {
        let seconds = |line: Duration| next_line(line).as_secs();
        assert_eq!([0, 10, 59, 60, 3600].map(|now| seconds(Duration::from_secs(now))), [10, 20, 69, 120, 3660]);
    }
}
