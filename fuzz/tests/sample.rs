//! A fixed sample of damaged inputs; `INSPECT_LONG=1` makes it a hundred times as large (20 million inputs).

use inspect_core::detect::{Finding, FindingKind, Place};
use inspect_core::event::{ByteRange, Ending, SiteId, Step, ThreadId};
use inspect_core::explore::{Counts, Item, PrefixEvent};
use inspect_fuzz::{Damage, commit, job, message, schedule};
use inspect_host::schedule::Schedule;
use inspect_wire::message::{InconclusiveReason, LoadedModule, Message, Uncompared};
use inspect_wire::work::{Bundle, Commit};

fn step(thread: usize, choice: u32) -> Step {
    Step { thread: ThreadId::at(thread), choice }
}

fn finding() -> Finding {
    Finding {
        kind: FindingKind::DataRace,
        places: vec![Place { thread: ThreadId(1), site: SiteId(0x5555_0000_1234), operation: None }],
        object: None,
        witness: None,
        code: 3,
        preemptions: 1,
        steps: vec![step(0, 0), step(1, 0), step(2, 1)],
        paths: vec![(ThreadId(0), 0), (ThreadId(0), 1)],
    }
}

fn a_module() -> LoadedModule {
    LoadedModule {
        path: "/lib/x86_64-linux-gnu/libc.so.6".into(),
        bias: 0x7f00_0000_0000,
        start: 0x7f00_0000_1000,
        end: 1 << 47,
    }
}

const SCHEDULE: &str = r#"{
  "inspect_schedule": 2,
  "finding": { "kind": "assertion", "message": "an assertion fails in main", "at": "bad.c:21:5",
    "identity": { "kind": "Assertion", "code": 0, "places": [[0, { "InModule": ["", 6785] }]] } },
  "program": { "path": "/home/somebody/bad", "args": ["-v", "a b"], "fingerprint": "sha256:f7276a10" },
  "libraries": [],
  "steps": "0*2 1 2 1*2 0 2:1*2 0*3",
  "paths": [[0, 4294967295], [0, 0], [0, 1]],
  "settings": { "algorithm": "Optimal", "plain_accesses": "Racy", "volatile": "Plain", "harmless_races": ["count"], "promoted": [{ "start": 16384, "len": 8 }],
    "promoted_in": [], "mode": "Restore", "preemptions": 2, "spurious_wakeups": false, "max_steps": 100000,
    "heap": "Both", "memory_limit": 1073741824, "seed": 7, "severities": [["Leak", "Error"]] }
}"#;

fn messages() -> Vec<Message> {
    vec![
        Message::Modules(vec![a_module(), LoadedModule { path: String::new(), ..a_module() }]),
        Message::Finding(finding()),
        Message::Promoted(vec![ByteRange { start: 0x4000, len: 8 }]),
        Message::Trace {
            events: vec![],
            values: vec![],
            pending: vec![],
            ending: Ending::Deadlocked,
            contents: vec![1],
        },
        Message::Output(1, b"hello\n".to_vec()),
        Message::Inconclusive(InconclusiveReason::Unmodelled { call: "fork".into(), site: SiteId(9) }),
        Message::Divergence { at: 3, expected: None, found: None, suspect: "getpid".into() },
        Message::Uncompared { why: Uncompared::Frame, states: 3, site: SiteId(9) },
        Message::ToolError("it broke".into()),
        Message::Done { counts: Counts::default(), complete: true },
    ]
}

fn sent<T: serde::Serialize>(value: &T) -> Vec<u8> {
    postcard::to_allocvec(value).expect("it can be sent")
}

/// How many damaged copies of each target.
fn rounds() -> u32 {
    if std::env::var_os("INSPECT_LONG").is_some() { 20_000_000 } else { 200_000 }
}

/// Runs a target on damaged copies of sound inputs; both outcomes have to come up, or the sample tests nothing.
fn sample(sound: &[Vec<u8>], target: fn(&[u8]) -> bool) {
    assert!(sound.iter().all(|bytes| target(bytes)), "the undamaged inputs are understood");
    let mut damage = Damage::seeded(1);
    let understood = (0..rounds()).filter(|_| target(&damage.copy(sound))).count() as u32;
    assert!(understood > rounds() / 1000, "only {understood} were understood");
    assert!(understood < rounds(), "nothing was refused");
}

#[test]
fn damaged_schedules_are_refused_or_understood() {
    sample(&[SCHEDULE.as_bytes().to_vec()], schedule);
}

#[test]
fn damaged_messages_are_refused_or_understood() {
    sample(&messages().iter().map(sent).collect::<Vec<_>>(), message);
}

#[test]
fn damaged_jobs_are_refused_or_understood() {
    let schedule: Schedule = serde_json::from_str(SCHEDULE).expect("a schedule");
    sample(&[sent(&schedule.job(true)), sent(&schedule.job(false))], job);
}

fn item(steps: usize, position: u32) -> Item {
    let step = Step { thread: ThreadId(1), choice: 0 };
    let prefix_event = PrefixEvent { position, marked: true, reversed_before: None, block_end: Some(0) };
    Item { steps: vec![step; steps], prefix_events: vec![prefix_event; 2], ..Item::everything() }
}

#[test]
fn damaged_commits_are_refused_or_understood() {
    let commits = [vec![], vec![item(3, 1)], vec![item(5, 1), item(4, 1), item(4, 2)]].map(|items| Commit {
        pass: 0,
        answers: 3,
        packages: 1,
        counts: Counts { executions: 7, ..Counts::default() },
        lost: 0,
        covered: 0.25,
        given: Bundle::of([Item::everything()]),
        left: Bundle::of(items),
    });
    sample(&commits.iter().map(sent).collect::<Vec<_>>(), commit);
}
