//! Times and sizes as they are written on the command line.

use crate::error::ToolError;
use std::time::Duration;

/// A duration such as `30`, `30s`, `1.5m`, `1h`, `500ms`.
pub(super) fn time(option: &str, text: &str) -> Result<Duration, ToolError> {
    let wrong = || ToolError::new(format!("{option} {text}: write a time such as 30s, 5m or 500ms"));
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let scale = match unit {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        "d" => 86400.0,
        _ => return Err(wrong()),
    };
    let seconds = number.parse::<f64>().map_err(|_| wrong())? * scale;
    Duration::try_from_secs_f64(seconds).ok().filter(|time| !time.is_zero()).ok_or_else(wrong)
}

/// A time in whole milliseconds, at least one.
pub(super) fn milliseconds(option: &str, text: &str) -> Result<u64, ToolError> {
    Ok(u64::try_from(time(option, text)?.as_millis()).unwrap_or(u64::MAX).max(1))
}

/// A number of bytes such as `4096`, `64K`, `512M`, `2G`.
pub(super) fn size(option: &str, text: &str) -> Result<u64, ToolError> {
    let wrong = || ToolError::new(format!("{option} {text}: write a size such as 512M or 2G"));
    let split = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let shift = match unit {
        "" | "B" => 0,
        "k" | "K" | "KB" | "KiB" => 10,
        "m" | "M" | "MB" | "MiB" => 20,
        "g" | "G" | "GB" | "GiB" => 30,
        _ => return Err(wrong()),
    };
    let bytes = number.parse::<u64>().map_err(|_| wrong())?.checked_mul(1 << shift).ok_or_else(wrong)?;
    if bytes == 0 { Err(wrong()) } else { Ok(bytes) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_sizes() {
        assert_eq!(time("--time-limit", "500ms").expect("a time"), Duration::from_millis(500));
        assert_eq!(time("--time-limit", "1.5m").expect("a time"), Duration::from_secs(90));
        assert_eq!(time("--time-limit", "7").expect("a time"), Duration::from_secs(7));
        assert_eq!(milliseconds("--max-computation", "1.5").expect("a time"), 1500);
        assert_eq!(milliseconds("--max-computation", "0.1ms").expect("a time"), 1);
        assert_eq!(size("--memory-limit", "64K").expect("a size"), 65536);
        assert_eq!(size("--memory-limit", "2G").expect("a size"), 2 << 30);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_option() {
        let message = |result: Result<u64, ToolError>| result.expect_err("no number").to_string();
        for wrong in ["", "0", "0s", "-1s", "1 s", "1x", "1e9999s"] {
            let said = message(milliseconds("--max-computation", wrong));
            assert!(said.contains(&format!("--max-computation {wrong}: write a time")), "{said}");
        }
        for wrong in ["", "0", "-1", "1.5G", "1T", "99999999999G"] {
            let said = message(size("--memory-limit", wrong));
            assert!(said.contains(&format!("--memory-limit {wrong}: write a size")), "{said}");
        }
    }
}
