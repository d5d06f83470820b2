//! The verdict, from what is known about a search: a pure function, and the only place that says `verified`.

use inspect_core::detect::{FindingKind, Severity};
use inspect_core::explore::catalogue::Claim;
use inspect_wire::message::PlainAccesses;
use serde::{Deserialize, Serialize};

/// Something that keeps a verdict from being `verified`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Reason {
    /// What it is: a clause for the report.
    pub what: String,
    /// What the user can try next: options or changes of the program, as a clause after "try:".
    pub next: String,
}

impl Reason {
    /// A reason and what to try next.
    pub fn new(what: impl Into<String>, next: impl Into<String>) -> Reason {
        Reason { what: what.into(), next: next.into() }
    }
}

/// The answer of `inspect check`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Every interleaving was covered, under the assumptions printed with it.
    Verified,
    /// At least one confirmed error.
    Violated,
    /// Neither; every reason is listed.
    Inconclusive(Vec<Reason>),
}

impl Verdict {
    /// The word for it.
    pub fn name(&self) -> &'static str {
        match self {
            Verdict::Verified => "verified",
            Verdict::Violated => "violated",
            Verdict::Inconclusive(_) => "inconclusive",
        }
    }

    /// Exit status of `inspect check`.
    pub fn exit_code(&self) -> u8 {
        match self {
            Verdict::Verified => 0,
            Verdict::Violated => 1,
            Verdict::Inconclusive(_) => 3,
        }
    }

    /// The reasons, joined, if it is inconclusive.
    pub fn reason(&self) -> Option<String> {
        match self {
            Verdict::Verified | Verdict::Violated => None,
            Verdict::Inconclusive(reasons) => Some(joined(reasons)),
        }
    }
}

/// What each reason is, in one line.
pub fn joined(reasons: &[Reason]) -> String {
    reasons.iter().map(|reason| reason.what.as_str()).collect::<Vec<_>>().join("; ")
}

/// A finding as far as the verdict is concerned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Weight {
    /// Its kind.
    pub kind: FindingKind,
    /// Its severity in this run.
    pub severity: Severity,
    /// Whether a fresh process showed it again.
    pub confirmed: bool,
}

/// What a verdict rests on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Evidence {
    /// What the search shows by coming to its end.
    pub claims: Claim,
    /// The guest said that nothing was left to explore, and its answer was taken.
    pub complete: bool,
    /// Complete executions.
    pub executions: u64,
    /// Executions cut by a limit.
    pub limited: u64,
    /// All runs: executions, those cut, and those that were blocked.
    pub runs: u64,
    /// How plain accesses were treated.
    pub plain_accesses: PlainAccesses,
    /// All findings.
    pub findings: Vec<Weight>,
    /// Everything else that makes `verified` impossible.
    pub reasons: Vec<Reason>,
}

impl Evidence {
    /// Whether the search came to its end and left nothing out.
    pub fn is_whole(&self) -> bool {
        self.claims != Claim::Nothing && self.complete && self.limited == 0 && self.reasons.is_empty()
    }
}

/// The verdict (S9). A confirmed error makes it violated, whatever else is true; otherwise everything that
/// keeps it from being verified is collected.
pub fn decide(evidence: &Evidence) -> Verdict {
    let error = |finding: &Weight| finding.severity == Severity::Error && finding.confirmed;
    if evidence.findings.iter().any(error) {
        return Verdict::Violated;
    }
    let reasons = shortfall(evidence);
    if reasons.is_empty() { Verdict::Verified } else { Verdict::Inconclusive(reasons) }
}

/// Everything that keeps the search from having shown what its algorithm claims, whatever it found; each reason once.
pub fn shortfall(evidence: &Evidence) -> Vec<Reason> {
    let mut reasons = evidence.reasons.clone();
    reasons.extend(of_findings(evidence));
    // Which limit it was is among the reasons already, if the guest reported it.
    if evidence.limited > 0 && reasons.is_empty() {
        reasons.push(Reason::new(
            format!("{} executions were cut by a limit", evidence.limited),
            "larger limits (--max-steps, --memory-limit), or a driver with less to do",
        ));
    }
    if !evidence.complete && reasons.is_empty() {
        reasons.push(Reason::new(
            "the search ended before everything was explored",
            "--keep-going, which does not stop at the first error",
        ));
    }
    match evidence.claims {
        Claim::EveryFinding | Claim::DataRaces => {}
        Claim::Nothing => reasons.insert(0, of_sampling(evidence)),
    }
    if evidence.complete && evidence.executions == 0 {
        reasons.push(Reason::new(
            "no execution came to its end, so nothing was checked",
            if evidence.limited > 0 {
                "first what is advised about the limit"
            } else {
                "a driver whose assumptions (inspect_assume) some execution fulfils"
            },
        ));
    }
    reasons.dedup();
    reasons
}

/// The reason that every search has which samples.
fn of_sampling(evidence: &Evidence) -> Reason {
    let found = if evidence.findings.is_empty() { ", no finding" } else { "" };
    let runs = if evidence.runs == 1 { "1 run".to_owned() } else { format!("{} runs", evidence.runs) };
    Reason::new(
        format!("sampled {runs}{found}"),
        "--algorithm optimal or stateful, which cover every interleaving; more --runs, or another --seed",
    )
}

/// The reasons for which findings that do not count as errors keep a verdict from being `verified`.
fn of_findings(evidence: &Evidence) -> Vec<Reason> {
    let mut reasons = Vec::new();
    for finding in evidence.findings.iter().filter(|finding| !finding.confirmed) {
        reasons.push(Reason::new(
            format!("a finding ({}) did not show again in a fresh process", finding.kind.name()),
            "look above for what its replay did instead: the program depends on something that Inspect does not control, or \
             destroys memory (-fsanitize=address shows that)",
        ));
    }
    // A race on accesses that are never interleaved may lead to executions that were not explored.
    let race = |finding: &Weight| finding.kind == FindingKind::DataRace;
    if evidence.plain_accesses == PlainAccesses::Sync && evidence.findings.iter().any(race) {
        reasons.push(Reason::new(
            "what follows from a data race is not explored with --plain-accesses sync",
            "--plain-accesses racy, the default",
        ));
    }
    reasons
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evidence() -> Evidence {
        Evidence {
            claims: Claim::EveryFinding,
            complete: true,
            executions: 1,
            limited: 0,
            runs: 1,
            plain_accesses: PlainAccesses::Racy,
            findings: vec![],
            reasons: vec![],
        }
    }

    fn weight(severity: Severity, confirmed: bool) -> Weight {
        Weight { kind: FindingKind::Deadlock, severity, confirmed }
    }

    #[test]
    fn a_complete_search_without_findings_is_verified() {
        assert_eq!(decide(&evidence()), Verdict::Verified);
    }

    #[test]
    fn confirmed_warnings_and_ignored_findings_do_not_change_it() {
        let findings = vec![weight(Severity::Warning, true), weight(Severity::Ignored, true)];
        assert_eq!(decide(&Evidence { findings, ..evidence() }), Verdict::Verified);
    }

    /// Every combination of the inputs, against the rule written as a formula: 2^7 cases for each treatment of plain
    /// accesses and each severity.
    #[test]
    fn every_combination_follows_the_rule() {
        let severities = [Severity::Ignored, Severity::Warning, Severity::Error];
        for plain_accesses in [PlainAccesses::Sync, PlainAccesses::Racy, PlainAccesses::All] {
            for severity in severities {
                for bits in 0..128_u32 {
                    let bit = |n: u32| bits >> n & 1 == 1;
                    let (complete, executed, limited, reason) = (bit(0), bit(1), bit(2), bit(3));
                    let (found, confirmed, race) = (bit(4), bit(5), bit(6));
                    let kind = if race { FindingKind::DataRace } else { FindingKind::Deadlock };
                    let verdict = decide(&Evidence {
                        claims: Claim::EveryFinding,
                        complete,
                        executions: u64::from(executed),
                        limited: u64::from(limited),
                        runs: 1,
                        plain_accesses,
                        findings: if found { vec![Weight { kind, severity, confirmed }] } else { vec![] },
                        reasons: if reason { vec![Reason::new("a reason", "something else")] } else { vec![] },
                    });
                    let violated = found && confirmed && severity == Severity::Error;
                    let race_in_sync = found && race && plain_accesses == PlainAccesses::Sync;
                    let sound = complete && executed && !limited && !reason && (!found || confirmed) && !race_in_sync;
                    let expected = if violated {
                        "violated"
                    } else if sound {
                        "verified"
                    } else {
                        "inconclusive"
                    };
                    assert_eq!(verdict.name(), expected, "{plain_accesses:?} {severity:?} {bits:07b}");
                    let has_reason = verdict.reason().is_some_and(|reason| !reason.is_empty());
                    assert_eq!(has_reason, expected == "inconclusive", "inconclusive always has a reason");
                    if let Verdict::Inconclusive(reasons) = verdict {
                        assert!(reasons.iter().all(|reason| !reason.next.is_empty()), "each says what to try next");
                    }
                }
            }
        }
    }

    #[test]
    fn a_search_that_samples_is_never_verified_nor_whole() {
        let evidence = Evidence { claims: Claim::Nothing, ..evidence() };
        let Verdict::Inconclusive(reasons) = decide(&evidence) else { panic!("it claims nothing") };
        assert_eq!(joined(&reasons), "sampled 1 run, no finding");
        assert!(!evidence.is_whole());
        let findings = vec![weight(Severity::Error, true)];
        assert_eq!(decide(&Evidence { findings, ..evidence }), Verdict::Violated);
    }

    #[test]
    fn exit_codes_are_those_of_the_contract() {
        let codes =
            [Verdict::Verified, Verdict::Violated, Verdict::Inconclusive(vec![])].map(|verdict| verdict.exit_code());
        assert_eq!(codes, [0, 1, 3]);
    }
}
