//! The report for services that show findings in the source: SARIF 2.1.0 (OASIS).

use super::Summary;
use super::json::JsonFinding;
use crate::verdict::Verdict;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The report; `findings` are confirmed.
pub fn report(summary: &Summary, findings: &[JsonFinding]) -> String {
    let kinds: BTreeSet<&str> = findings.iter().map(|finding| finding.kind).collect();
    let rules: Vec<Value> = kinds.iter().map(|kind| json!({ "id": kind })).collect();
    let results: Vec<Value> = findings.iter().map(result).collect();
    let report = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "Inspect",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            } },
            "invocations": [invocation(summary)],
            "properties": { "verdict": summary.verdict.name(), "reason": summary.reason },
            "results": results,
        }],
    });
    serde_json::to_string_pretty(&report).expect("strings and numbers can be written as JSON") + "\n"
}

/// Whether the check came to an answer; without results, a reader would take a check that did not for one that found
/// nothing wrong.
fn invocation(summary: &Summary) -> Value {
    let reasons = match &summary.verdict {
        Verdict::Inconclusive(reasons) => reasons.as_slice(),
        Verdict::Verified | Verdict::Violated => &[],
    };
    let notification = |reason: &crate::verdict::Reason| {
        json!({
            "level": "error",
            "descriptor": { "id": "inconclusive" },
            "message": { "text": format!("{}; try: {}", reason.what, reason.next) },
        })
    };
    let notifications: Vec<Value> = reasons.iter().map(notification).collect();
    json!({ "executionSuccessful": reasons.is_empty(), "toolExecutionNotifications": notifications })
}

fn result(finding: &JsonFinding) -> Value {
    let others = finding.threads.iter().enumerate().filter_map(|(number, place)| {
        let text = format!("thread {}: {}", place.thread, place.operation.as_deref().unwrap_or("stands here"));
        let mut location = location(place.file.as_deref(), place.line, place.column)?;
        location["id"] = json!(number);
        location["message"] = json!({ "text": text });
        Some(location)
    });
    let first = location(finding.file.as_deref(), finding.line, finding.column);
    json!({
        "ruleId": finding.kind,
        "level": finding.severity,
        "message": { "text": finding.message },
        "locations": first.into_iter().collect::<Vec<_>>(),
        "relatedLocations": others.collect::<Vec<_>>(),
        "properties": { "replay": finding.replay },
    })
}

/// A place in the source; None where it is not known.
fn location(file: Option<&str>, line: u32, column: u32) -> Option<Value> {
    let file = file?;
    let scheme = if file.starts_with('/') { "file://" } else { "" };
    let mut region = json!({ "startLine": line.max(1) });
    if column > 0 {
        region["startColumn"] = json!(column);
    }
    let artifact = json!({ "uri": format!("{scheme}{}", as_uri(file)) });
    Some(json!({ "physicalLocation": { "artifactLocation": artifact, "region": region } }))
}

/// A path with what a URI reserves written in hexadecimal.
fn as_uri(path: &str) -> String {
    let byte = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    path.bytes().map(byte).collect()
}

#[cfg(test)]
mod tests {
    use super::location;

    #[test]
    fn a_path_becomes_a_uri() {
        let uri = |file| location(Some(file), 0, 0).expect("a place")["physicalLocation"]["artifactLocation"].clone();
        assert_eq!(uri("/a b/c.c")["uri"], "file:///a%20b/c.c");
        assert_eq!(uri("src/c+.c")["uri"], "src/c%2B.c");
    }
}
