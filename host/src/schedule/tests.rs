use super::*;
use crate::run::tests::job;
use inspect_core::detect::{Finding, Place};
use inspect_core::event::SiteId;

fn schedule() -> Schedule {
    let step = |thread, choice| Step { thread: ThreadId(thread), choice };
    let steps = [step(0, 0), step(0, 0), step(1, 0), step(2, 1), step(2, 1), step(0, 3)];
    let finding = Finding {
        kind: FindingKind::Deadlock,
        places: vec![Place { thread: ThreadId(1), site: SiteId(7), operation: None }],
        object: None,
        witness: None,
        code: 0,
        steps: steps.to_vec(),
        preemptions: 0,
        paths: vec![(ThreadId(0), 0), (ThreadId(0), 1)],
    };
    let shown = ScheduledFinding {
        kind: FindingKind::Deadlock,
        message: "stuck".into(),
        at: None,
        identity: FindingIdentity::of(&finding, &[]),
    };
    let target = Target::new("/bin/p".into(), vec!["a b".into(), OsString::from_vec(vec![0xff])]);
    let promoted = [ByteRange { start: 4, len: 8 }];
    let reported = ReportedFinding { finding, promoted: promoted.to_vec(), modules: vec![] };
    Schedule::new(shown, &target, &image(), &[], &job(), &reported)
}

fn image() -> Image {
    Image {
        path: "/bin/p".into(),
        fingerprint: "sha256:00".into(),
        instrumented: true,
        other_version: None,
        frames: None,
        finds_uninitialised: false,
        joined: false,
        has_facts: false,
        weak_exchanges: false,
        handles_signals: false,
        sets_timers: false,
        unmaps: false,
        has_clients: false,
        has_instrumented_code: true,
        calls_thread_sanitizer: false,
        uninstrumented_inputs: vec![],
    }
}

#[test]
fn a_schedule_comes_back_as_it_was_written() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("deep/er/x.schedule");
    schedule().write(&path).expect("written");
    assert_eq!(Schedule::read(&path).expect("read"), schedule());
    let job = schedule().job(false);
    assert_eq!(job.promoted, [ByteRange { start: 4, len: 8 }]);
    assert_eq!(
        job.task,
        Task::Replay {
            steps: schedule().steps,
            paths: vec![(ThreadId(0), 0), (ThreadId(0), 1)],
            places: schedule().finding.identity.places(),
            wanted: schedule().finding.kind,
            live: false
        }
    );
}

#[test]
fn equal_steps_are_written_once() {
    let text = serde_json::to_string(&schedule()).expect("written");
    assert!(text.contains(r#""steps":"0*2 1 2:1*2 0:3""#), "{text}");
}

#[test]
fn a_corrupt_file_is_refused_with_its_line() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("x.schedule");
    let good = serde_json::to_string_pretty(&schedule()).expect("written");
    let line_of = |part: &str| 1 + good.lines().position(|line| line.contains(part)).expect("is in the file");
    for (from, to, line, part) in [
        ("2:1*2", "2:x", line_of("2:1*2"), "`2:x` is no step"),
        ("2:1*2", "1024", line_of("2:1*2"), "`1024` is no step"),
        ("2:1*2", "1*0", line_of("2:1*2"), "is no step"),
        ("\"inspect_schedule\": 2", "\"inspect_schedule\": 9", 2, "format version 9"),
        ("\"kind\": \"deadlock\"", "\"kind\": \"bad luck\"", line_of("\"kind\": \"deadlock\""), "no kind of finding"),
        ("\"seed\"", "\"sead\"", line_of("\"seed\""), "sead"),
        ("{", "[", 2, "not a schedule"),
    ] {
        std::fs::write(&path, good.replacen(from, to, 1)).expect("written");
        let error = Schedule::read(&path).expect_err("refused").to_string();
        assert!(error.contains(&format!("x.schedule:{line}: ")), "{error}");
        assert!(error.contains(part) && !error.contains('\n'), "{error}");
    }
    for bytes in [&b""[..], b"\x7fELF\0\0", &good.as_bytes()[..good.len() / 2]] {
        std::fs::write(&path, bytes).expect("written");
        let error = Schedule::read(&path).expect_err("refused").to_string();
        assert!(error.contains("not a schedule file"), "{error}");
    }
    let error = Schedule::read(&directory.path().join("none")).expect_err("refused").to_string();
    assert!(error.contains("No such file"), "{error}");
}

#[test]
fn another_build_is_refused() {
    let directory = tempfile::tempdir().expect("a directory");
    let program = directory.path().join("p");
    std::fs::copy(std::env::current_exe().expect("has a path"), &program).expect("copied");
    let image = Image::read(&program).expect("a program");
    assert_eq!(same_build(&image, &image.fingerprint), Ok(()));
    let error = same_build(&image, "sha256:00").expect_err("refused").to_string();
    assert!(error.contains("another build"), "{error}");
}
