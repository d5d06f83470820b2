//! The report for services that run tests: JUnit's XML, as Jenkins and GitLab read it. One test case for each confirmed
//! error, or one for the whole check if there is none.

use super::Summary;
use super::json::{JsonFinding, JsonPlace};
use crate::verdict::Verdict;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The report of the check of this program; `findings` are confirmed.
pub fn report(name: &str, summary: &Summary, findings: &[JsonFinding]) -> String {
    let cases: Vec<String> = match &summary.verdict {
        Verdict::Verified => vec![case(name, summary, "")],
        Verdict::Inconclusive(reasons) => vec![case(name, summary, &inconclusive(reasons))],
        Verdict::Violated => {
            let errors: Vec<&JsonFinding> = findings.iter().filter(|finding| finding.severity == "error").collect();
            let names = names(name, &errors);
            errors.iter().zip(names).map(|(finding, name)| case(&name, summary, &failure(finding))).collect()
        }
    };
    let count = |is_counted: bool| if is_counted { cases.len() } else { 0 };
    let failures = count(summary.verdict == Verdict::Violated);
    let errors = count(matches!(summary.verdict, Verdict::Inconclusive(_)));
    let (tests, time) = (cases.len(), summary.seconds);
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"{}\" tests=\"{tests}\" \
         failures=\"{failures}\" errors=\"{errors}\" time=\"{time:.3}\">\n{}  </testsuite>\n</testsuites>\n",
        escaped(name),
        cases.concat()
    )
}

/// A name for each finding that no other one has: by kind and place, and numbered where these are the same.
fn names(name: &str, errors: &[&JsonFinding]) -> Vec<String> {
    let mut times = BTreeMap::new();
    let mut named = |finding: &&JsonFinding| {
        let file = finding.file.as_ref();
        let place = file.map_or_else(String::new, |file| format!(" at {file}:{}:{}", finding.line, finding.column));
        let named = format!("{name}: {}{place}", finding.kind);
        let times = times.entry(named.clone()).or_insert(0);
        *times += 1;
        if *times == 1 { named } else { format!("{named} ({times})") }
    };
    errors.iter().map(&mut named).collect()
}

fn case(name: &str, summary: &Summary, inside: &str) -> String {
    let (name, time) = (escaped(name), summary.seconds);
    format!("    <testcase classname=\"inspect\" name=\"{name}\" time=\"{time:.3}\">\n{inside}    </testcase>\n")
}

fn failure(finding: &JsonFinding) -> String {
    let mut text = String::new();
    for place in &finding.threads {
        let operation = place.operation.as_deref().unwrap_or("stands");
        let _ = writeln!(text, "{}: thread {}: {operation}", position(place), place.thread);
    }
    if let Some(replay) = &finding.replay {
        let _ = writeln!(text, "replay: inspect replay {replay}");
    }
    let (kind, message) = (escaped(finding.kind), escaped(&finding.message));
    format!("      <failure type=\"{kind}\" message=\"{message}\">{}</failure>\n", escaped(&text))
}

fn position(place: &JsonPlace) -> String {
    place.file.as_ref().map_or_else(|| "?".to_owned(), |file| format!("{file}:{}:{}", place.line, place.column))
}

fn inconclusive(reasons: &[crate::verdict::Reason]) -> String {
    let message = escaped(&crate::verdict::joined(reasons));
    format!("      <error type=\"inconclusive\" message=\"{message}\"></error>\n")
}

/// Text as it may stand in an attribute or an element. XML has no way to write most control characters.
fn escaped(text: &str) -> String {
    let mut all = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => all.push_str("&amp;"),
            '<' => all.push_str("&lt;"),
            '>' => all.push_str("&gt;"),
            '"' => all.push_str("&quot;"),
            '\n' | '\t' => all.push(letter),
            _ if letter.is_control() || matches!(letter, '\u{fffe}' | '\u{ffff}') => all.push('\u{fffd}'),
            _ => all.push(letter),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn what_xml_reserves_or_forbids_is_written_otherwise() {
        assert_eq!(escaped("a<b> & \"c\"\n"), "a&lt;b&gt; &amp; &quot;c&quot;\n");
        assert_eq!(escaped("\u{1b}[31m\0"), "\u{fffd}[31m\u{fffd}");
    }
}
