//! Snapshots of what people read, from scripted data. The steps follow tests/programs/deadlock.c.

use super::style::Style;
use super::text::{Replay, Traces};
use super::{Summary, json, text, trace};
use crate::run::AddressContext;
use crate::run::tests::job;
use crate::run::{GuestEnd, ReplayTrace, ReportedFinding};
use crate::search::{CheckedFinding, Confirmation, FindingIdentity, Searched};
use crate::symbols::Symbols;
use crate::verdict::{Reason, Verdict, decide};
use inspect_core::detect::{Finding, FindingKind, Place, Severity, Witness};
use inspect_core::event::{
    Alternatives, ByteRange, CondOperation, Ending, Event, EventIndex, LimitKind, MemoryOperation, MemoryOrder,
    MutexOperation, Mutexes, Object, Operation, Pending, PendingStatus, SiteId, ThreadId, ThreadNumber,
    ThreadOperation, ThreadSet,
};
use inspect_core::explore::Counts;
use inspect_wire::message::{ReportedValues, ResolvedSite};
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

const PLAIN: Style = Style { colour: false };
const A: Object = Object(0x4000);
const B: Object = Object(0x4028);
const C: Object = Object(0x4050);
const WAIT: Operation = Operation::Cond(CondOperation::WaitRelease { cond: C, mutex: A, mutexes: Mutexes::One });
const ACCOUNT: ByteRange = ByteRange { start: 0x4080, len: 4 };

/// A site for each line of the program; the site's number is the line.
fn sites() -> Vec<ResolvedSite> {
    let site = |line: u32| ResolvedSite {
        site: SiteId(u64::from(line)),
        file: concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs/deadlock.c").into(),
        function: if line < 18 { "forward" } else { "backward" }.into(),
        variable: if matches!(line, 12 | 24) { "accounts[0]" } else { "" }.into(),
        line,
        column: 3,
        volatile: false,
    };
    (1..40).map(site).collect()
}

fn symbols() -> Symbols {
    Symbols::new(Path::new("/nonexistent"), &[], &sites())
}

fn event(thread: ThreadNumber, operation: Operation, line: u64) -> Event {
    Event {
        thread: ThreadId(thread),
        operation,
        choice: 0,
        alternatives: Alternatives::None,
        enabled: ThreadSet::of_bits(7),
        enabled_by: None,
        site: SiteId(line),
    }
}

fn pending(thread: ThreadNumber, operation: Operation, status: PendingStatus, line: u64) -> Pending {
    Pending { thread: ThreadId(thread), operation, status, enabled_by: None, site: SiteId(line) }
}

fn place(thread: ThreadNumber, operation: Option<Operation>, line: u64) -> Place {
    Place { thread: ThreadId(thread), site: SiteId(line), operation }
}

fn finding(kind: FindingKind, places: Vec<Place>) -> Finding {
    Finding { kind, places, object: None, witness: None, code: 0, steps: vec![], preemptions: 0, paths: vec![] }
}

fn checked(finding: Finding, trace: Option<ReplayTrace>) -> CheckedFinding {
    CheckedFinding {
        severity: finding.kind.default_severity(),
        confirmation: Confirmation::Confirmed,
        identity: FindingIdentity::of(&finding, &[]),
        reported: ReportedFinding { finding, promoted: vec![], modules: vec![] },
        none_below: None,
        context: AddressContext {
            modules: vec![],
            sites: sites(),
            objects: Default::default(),
            trace,
            call_stacks: Default::default(),
        },
    }
}

fn traced(steps: Vec<(Event, ReportedValues)>, pending: Vec<Pending>, ending: Ending) -> ReplayTrace {
    let (events, values) = steps.into_iter().unzip();
    ReplayTrace { events, values, pending, ending, contents: Vec::new() }
}

fn none() -> ReportedValues {
    ReportedValues { before: 0, after: 0 }
}

fn deadlock() -> CheckedFinding {
    let steps = vec![
        (event(0, Operation::Thread(ThreadOperation::Create(ThreadId(1))), 32), none()),
        (event(0, Operation::Thread(ThreadOperation::Create(ThreadId(2))), 33), none()),
        (event(1, Operation::Mutex(MutexOperation::Lock(A)), 10), none()),
        (event(2, Operation::Mutex(MutexOperation::Lock(B)), 21), none()),
    ];
    let stuck = vec![
        pending(0, Operation::Thread(ThreadOperation::Join(ThreadId(1))), PendingStatus::Blocked, 34),
        pending(1, Operation::Mutex(MutexOperation::Lock(B)), PendingStatus::Blocked, 11),
        pending(2, Operation::Mutex(MutexOperation::Lock(A)), PendingStatus::Blocked, 22),
    ];
    let places = vec![
        place(1, Some(Operation::Mutex(MutexOperation::Lock(B))), 11),
        place(2, Some(Operation::Mutex(MutexOperation::Lock(A))), 22),
    ];
    checked(finding(FindingKind::Deadlock, places), Some(traced(steps, stuck, Ending::Deadlocked)))
}

fn race() -> CheckedFinding {
    let values = |before, after| ReportedValues { before, after };
    let flag = ByteRange { start: 0x4090, len: 1 };
    let steps = vec![
        (event(0, Operation::Thread(ThreadOperation::Create(ThreadId(1))), 32), none()),
        (event(1, Operation::Mutex(MutexOperation::Lock(A)), 10), none()),
        (event(1, Operation::Memory(MemoryOperation::Write(ACCOUNT)), 12), values(100, 90)),
        (event(1, Operation::Memory(MemoryOperation::AtomicStore(flag, MemoryOrder::Relaxed)), 13), values(0, 1)),
        (event(1, WAIT, 14), none()),
        (
            event(0, Operation::Memory(MemoryOperation::AtomicLoad(flag, MemoryOrder::SequentiallyConsistent)), 34),
            values(1, 1),
        ),
        (event(0, Operation::Cond(CondOperation::Signal { cond: C, woken: Some(ThreadId(1)) }), 35), none()),
    ];
    let left = vec![
        pending(0, Operation::Memory(MemoryOperation::Read(ACCOUNT)), PendingStatus::Enabled, 24),
        Pending {
            enabled_by: Some(EventIndex(6)),
            ..pending(
                1,
                Operation::Cond(CondOperation::WaitReacquire { cond: C, mutex: A, mutexes: Mutexes::One }),
                PendingStatus::Enabled,
                14,
            )
        },
    ];
    let places = vec![
        place(1, Some(Operation::Memory(MemoryOperation::Write(ACCOUNT))), 12),
        place(0, Some(Operation::Memory(MemoryOperation::Read(ACCOUNT))), 24),
    ];
    let finding = Finding {
        object: Some(ACCOUNT),
        witness: Some(Witness::MemoryOrder),
        ..finding(FindingKind::DataRace, places)
    };
    checked(finding, Some(traced(steps, left, Ending::Completed)))
}

fn searched(findings: Vec<CheckedFinding>, complete: bool, reasons: &[&str]) -> Searched {
    Searched {
        findings,
        counts: Counts { executions: 4096, blocked: 0, assume_blocked: 2, limited: 0, transitions: 351_520 },
        before: Counts::default(),
        threads: 15,
        states: None,
        estimated_total: Some(if complete { 4096.0 } else { 1e6 }),
        elapsed: Duration::from_millis(32),
        complete,
        timed_out: false,
        reasons: reasons.iter().map(|what| Reason::new(*what, "something else")).collect(),
        reported: BTreeSet::new(),
        end: GuestEnd::Done,
        modules: vec![],
        sampled: None,
        harmless_races: BTreeSet::new(),
        uncompared: vec![],
        sites: vec![],
        first_execution: None,
    }
}

fn summary(searched: &Searched) -> Summary {
    Summary::new(searched, decide(&searched.evidence(&job())), &job(), Path::new("program"))
}

#[test]
fn report_of_a_deadlock() {
    let replay = Replay::Saved("inspect-out/deadlock-deadlock-1.schedule".into());
    insta::assert_snapshot!(text::finding(&deadlock(), &symbols(), &replay, Traces::Last, PLAIN));
}

#[test]
fn report_of_a_race_by_memory_order() {
    let replay = Replay::NotSaved("inspect-out/x.schedule: No space left on device".into());
    insta::assert_snapshot!(text::finding(&race(), &symbols(), &replay, Traces::Last, PLAIN));
}

#[test]
fn report_of_a_finding_that_was_not_confirmed() {
    let confirmation = Confirmation::Failed("the replay went through without it".into());
    let checked = CheckedFinding { confirmation, ..deadlock() };
    insta::assert_snapshot!(text::finding(&checked, &symbols(), &Replay::None, Traces::None, PLAIN));
}

#[test]
fn a_finding_says_how_many_preemptions_it_needs_as_far_as_that_is_known() {
    let needed = |most, none_below| {
        let mut checked = CheckedFinding { none_below, ..deadlock() };
        checked.reported.finding.preemptions = most;
        let text = text::finding(&checked, &symbols(), &Replay::None, Traces::None, PLAIN);
        text.lines().find_map(|line| line.strip_prefix("  preemptions needed: ").map(str::to_owned))
    };
    let expected = [
        (0, Some(0), Some("none")),
        (2, Some(2), Some("2, no schedule with fewer shows it")),
        (5, Some(2), Some("at most 5, at least 2")),
        (5, Some(0), Some("at most 5")),
        (5, None, None),
    ];
    for (most, none_below, words) in expected {
        assert_eq!(needed(most, none_below).as_deref(), words);
    }
}

#[test]
fn a_warning_is_one_line() {
    let warning = CheckedFinding { severity: Severity::Warning, ..deadlock() };
    let line = text::warning(&warning, &symbols(), PLAIN);
    assert_eq!(
        line,
        "warning: deadlock: every thread that is left waits, and nobody can wake it (tests/programs/deadlock.c:11:3)\n"
    );
    let failed = CheckedFinding { confirmation: Confirmation::Failed("it died".into()), ..warning };
    assert!(text::warning(&failed, &symbols(), PLAIN).ends_with("; not confirmed, so it does not count\n"));
}

#[test]
fn the_report_says_where_the_first_execution_was_if_none_ended() {
    let searched = Searched { first_execution: Some(deadlock().context), ..searched(vec![], false, &["interrupted"]) };
    let text = text::verdict(&summary(&searched), PLAIN);
    // Four events, and three threads that are left.
    assert!(text.contains("no execution came to its end; after 4 operations of the first one\n"), "{text}");
    assert!(text.contains("    main at tests/programs/deadlock.c:34:3 waits for the end of thread 1\n"), "{text}");
}

#[test]
fn a_long_trace_shows_its_end_and_all_of_it_on_request() {
    let steps: Vec<_> = (0..60)
        .map(|number| {
            let operation = if number % 2 == 0 {
                Operation::Mutex(MutexOperation::Lock(A))
            } else {
                Operation::Mutex(MutexOperation::Unlock(A))
            };
            (event((number / 2 % 3) as ThreadNumber, operation, 10), none())
        })
        .collect();
    let trace = traced(steps, vec![], Ending::Limit(LimitKind::Steps));
    let last = trace::table(&trace, &symbols(), false, PLAIN);
    // 60 steps, of which the last 40 are shown: one line for what is left out, one of headings, one for the ending.
    assert_eq!(last.lines().count(), 43, "{last}");
    assert!(last.starts_with("  (20 steps before these are left out; --full shows them)\n"), "{last}");
    let full = trace::table(&trace, &symbols(), true, PLAIN);
    assert_eq!(full.lines().count(), 62, "{full}");
}

#[test]
fn colours_change_nothing_but_colours() {
    let replay = Replay::Saved("x".into());
    let coloured = text::finding(&deadlock(), &symbols(), &replay, Traces::Last, Style { colour: true });
    assert!(coloured.contains("\x1b[1;31merror: deadlock\x1b[0m"));
    let mut plain = String::new();
    let mut rest = coloured.as_str();
    while let Some((before, after)) = rest.split_once("\x1b[") {
        plain.push_str(before);
        rest = after.split_once('m').expect("a colour ends").1;
    }
    plain.push_str(rest);
    assert_eq!(plain, text::finding(&deadlock(), &symbols(), &replay, Traces::Last, PLAIN));
}

#[test]
fn verdicts() {
    let of = |searched: &Searched| text::verdict(&summary(searched), PLAIN);
    let all = [
        of(&searched(vec![], true, &[])),
        of(&searched(vec![deadlock()], false, &["the exploring process died while the program ran: x"])),
        of(&searched(vec![], false, &["interrupted", "the program calls fork at a.c:3, which Inspect does not model"])),
    ];
    insta::assert_snapshot!(all.join("\n"));
}

#[test]
fn json_of_a_violation() {
    let searched = searched(vec![deadlock()], false, &[]);
    let finding = json::JsonFinding::new(&deadlock(), &symbols(), &Replay::Saved("inspect-out/x.schedule".into()));
    insta::assert_snapshot!(json::report(&summary(&searched), vec![finding]));
}

/// Every kind has a sentence of its own and an advice.
#[test]
fn every_kind_in_words() {
    let mut all = String::new();
    for kind in FindingKind::ALL {
        let object = Some(ByteRange { start: A.0, len: 1 });
        let checked =
            checked(Finding { object, code: 11, ..finding(*kind, vec![place(1, None, 11), place(2, None, 22)]) }, None);
        let description = super::message::describe(&checked, &symbols());
        assert!(!description.advice.is_empty());
        all.push_str(&format!("{}: {}\n    {}\n", kind.name(), description.headline, description.advice));
    }
    insta::assert_snapshot!(all);
}

#[test]
fn a_verdict_and_its_summary_agree() {
    let warning = CheckedFinding { severity: Severity::Warning, ..race() };
    let summary = summary(&searched(vec![deadlock(), warning], false, &[]));
    assert_eq!((summary.errors, summary.warnings, summary.verdict), (1, 1, Verdict::Violated));
}
