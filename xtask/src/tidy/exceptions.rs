//! Lists of exceptions: `NAME | NUMBER | REASON`, a line each. The number is the most that is allowed.

use std::collections::BTreeMap;

/// What a check has found: names with numbers.
pub(crate) type Found = BTreeMap<String, usize>;

/// The errors: findings that are not listed, or listed with another number, and exceptions for which nothing was found.
/// `what` is the plural noun that follows the number of a finding.
pub(crate) fn check(list: &str, found: &Found, listed: &str, what: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut exceptions = BTreeMap::new();
    for line in listed.lines() {
        match parse(line) {
            Some((name, number, _)) => drop(exceptions.insert(name, number)),
            None => wrong.push(format!("{list}: not a name, a number and a reason: {line}")),
        }
    }
    for (name, number) in found {
        match exceptions.remove(name.as_str()) {
            None => wrong.push(format!("{name}: {number} {what}")),
            Some(allowed) if *number > allowed => {
                wrong.push(format!("{name}: {number} {what}, {list} allows {allowed}"));
            }
            Some(allowed) if *number < allowed => wrong.push(format!(
                "{name}: {number} {what}, {list} still allows {allowed}: run `cargo xtask tidy --shrink`"
            )),
            Some(_) => {}
        }
    }
    let gone = |name| format!("{list}: {name} needs no exception any more: run `cargo xtask tidy --shrink`");
    wrong.extend(exceptions.into_keys().map(gone));
    wrong
}

/// The list without exceptions for which nothing was found, with smaller numbers where fewer were found. Nothing is
/// added.
pub(crate) fn shrunk(found: &Found, listed: &str) -> String {
    let keep = |line: &str| {
        let (name, number, reason) = parse(line)?;
        let number = number.min(*found.get(name)?);
        Some(format!("{name} | {number} | {reason}\n"))
    };
    listed.lines().filter_map(keep).collect()
}

fn parse(line: &str) -> Option<(&str, usize, &str)> {
    let mut fields = line.split('|').map(str::trim);
    let (name, number, reason) = (fields.next()?, fields.next()?.parse().ok()?, fields.next()?);
    (!name.is_empty() && !reason.is_empty()).then_some((name, number, reason))
}
