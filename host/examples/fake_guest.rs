//! A stand-in for an instrumented program, for the tests of the host: takes the job from the shared memory and plays
//! the scenario named by its first argument. Without shared memory it does nothing.

#![allow(missing_docs, reason = "a test program has no users")]

use inspect_core::detect::{Finding, FindingKind, Place, Witness};
use inspect_core::event::{
    Alternatives, ByteRange, Ending, Event, EventIndex, LimitKind, MemoryOperation, MutexOperation, Object, Operation,
    Pending, PendingStatus, SiteId, Step, ThreadId, ThreadOperation, ThreadSet,
};
use inspect_core::explore::Counts;
use inspect_wire::message::{InconclusiveReason, Job, LoadedModule, Message, Mode, ReportedValues, ResolvedSite, Task};
use inspect_wire::shared::{DESCRIPTOR, SharedHeader, state};
use std::fs::{File, OpenOptions};
use std::mem::offset_of;
use std::os::unix::fs::FileExt;
use std::time::Duration;

/// What the host looks for in an instrumented program.
#[used]
#[unsafe(link_section = "inspect_sites")]
static SITES: [u8; 40] = [0; 40];

/// What the host looks for next: the version of the hooks that the program calls.
#[used]
#[unsafe(link_section = "inspect_version")]
static VERSION: u32 = inspect_wire::hooks::VERSION;

const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs/deadlock.c");
const A: Object = Object(0x4000);
const B: Object = Object(0x4028);

struct Guest {
    region: File,
    end: u64,
    job: Job,
}

impl Guest {
    fn attach() -> Option<Guest> {
        let region = OpenOptions::new().read(true).write(true).open(format!("/proc/self/fd/{DESCRIPTOR}")).ok()?;
        let mut word = [0; 8];
        region.read_exact_at(&mut word, offset_of!(SharedHeader, job_offset) as u64).ok()?;
        let at = u64::from_le_bytes(word);
        let mut length = [0; 4];
        region.read_exact_at(&mut length, at).ok()?;
        let mut bytes = vec![0; u32::from_le_bytes(length) as usize];
        region.read_exact_at(&mut bytes, at + 4).ok()?;
        let job = postcard::from_bytes(&bytes).expect("the job decodes");
        region.read_exact_at(&mut word, offset_of!(SharedHeader, messages_offset) as u64).ok()?;
        let guest = Guest { region, end: u64::from_le_bytes(word), job };
        guest.set(offset_of!(SharedHeader, state), &state::RUNNING.to_le_bytes());
        Some(guest)
    }

    fn set(&self, offset: usize, bytes: &[u8]) {
        self.region.write_all_at(bytes, offset as u64).expect("the shared memory can be written");
    }

    fn frame(&mut self, bytes: &[u8]) {
        self.region.write_all_at(&(bytes.len() as u32).to_le_bytes(), self.end).expect("written");
        self.region.write_all_at(bytes, self.end + 4).expect("written");
        self.end += 4 + bytes.len() as u64;
        self.set(offset_of!(SharedHeader, messages_end), &self.end.to_le_bytes());
    }

    fn report(&mut self, message: &Message) {
        self.frame(&postcard::to_allocvec(message).expect("encodes"));
    }

    fn count(&self, executions: u64) {
        self.set(offset_of!(SharedHeader, executions), &executions.to_le_bytes());
        self.set(offset_of!(SharedHeader, heartbeat), &executions.to_le_bytes());
        self.set(offset_of!(SharedHeader, threads), &3_u32.to_le_bytes());
        self.set(offset_of!(SharedHeader, estimated_total), &(4.0 * executions as f64).to_bits().to_le_bytes());
    }

    fn done(&mut self, executions: u64, complete: bool) {
        self.count(executions);
        let counts = Counts { executions, blocked: 0, assume_blocked: 0, limited: 0, transitions: 10 * executions };
        self.report(&Message::Done { counts, complete });
        self.set(offset_of!(SharedHeader, state), &state::DONE.to_le_bytes());
    }

    fn asked_to_stop(&self) -> bool {
        let mut word = [0; 4];
        self.region.read_exact_at(&mut word, offset_of!(SharedHeader, stop) as u64).expect("readable");
        word != [0; 4]
    }

    fn exploring(&self) -> bool {
        self.job.task == Task::Explore
    }
}

fn main() {
    let Some(mut guest) = Guest::attach() else {
        println!("nobody explores");
        return;
    };
    let scenario = std::env::args().nth(1).unwrap_or_default();
    introduce(&mut guest);
    match scenario.as_str() {
        "verified" => guest.done(4, true),
        "incomplete" => guest.done(4, false),
        "nothing" => guest.done(0, true),
        "deadlock" => deadlock(&mut guest),
        "minimised" => minimised(&mut guest, &deadlock_found()),
        "minimised-in-vain" => minimised(&mut guest, &detour()),
        "warning" => warning(&mut guest),
        "unconfirmed" => unconfirmed(&mut guest),
        "shown-instead" => shown_instead(&mut guest),
        "shown-later" => shown_later(&mut guest),
        "divergence" => divergence(&mut guest),
        "unmodelled" => unmodelled(&mut guest),
        "tool-error" => {
            guest.report(&Message::ToolError("a self-check failed".into()));
            guest.done(4, true);
        }
        "promoted" => promoted(&mut guest),
        "crowd" => crowd(&mut guest),
        "dies-once" => dies_once(&mut guest, |guest| guest.done(4, true)),
        "dies-once-crowd" => dies_once(&mut guest, crowd),
        "dies" => dies(&mut guest),
        "garbled" => garbled(&mut guest),
        "endless" => {
            begin();
            endless(&guest);
        }
        "deaf" => deaf(),
        other => panic!("no scenario `{other}`"),
    }
}

/// Never looks whether it is to stop.
fn deaf() -> ! {
    begin();
    loop {
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn introduce(guest: &mut Guest) {
    guest.report(&Message::Modules(vec![LoadedModule { path: String::new(), bias: 0, start: 0x1000, end: 0x3000 }]));
    for (number, function, line, variable) in [
        (1, "forward", 10, ""),
        (2, "forward", 11, ""),
        (3, "backward", 21, ""),
        (4, "backward", 22, ""),
        (5, "forward", 12, "accounts[0]"),
        (6, "main", 32, ""),
        (7, "main", 33, ""),
    ] {
        guest.report(&Message::Site(ResolvedSite {
            site: SiteId(0x1000_u64 + number),
            file: SOURCE.into(),
            function: function.into(),
            variable: variable.into(),
            line,
            column: 3,
            volatile: false,
        }));
    }
}

fn event(thread: u8, operation: Operation, site: u64) -> Event {
    Event {
        thread: ThreadId::at(thread.into()),
        operation,
        choice: 0,
        alternatives: Alternatives::None,
        enabled: ThreadSet::of_bits(7),
        enabled_by: None,
        site: SiteId(0x1000_u64 + site),
    }
}

fn steps(threads: &[u8]) -> Vec<Step> {
    threads.iter().map(|thread| Step { thread: ThreadId::at((*thread).into()), choice: 0 }).collect()
}

fn place(thread: u8, site: u64, operation: Operation) -> Place {
    Place { thread: ThreadId::at(thread.into()), site: SiteId(0x1000_u64 + site), operation: Some(operation) }
}

fn deadlock_found() -> Finding {
    Finding {
        kind: FindingKind::Deadlock,
        places: vec![
            place(1, 2, Operation::Mutex(MutexOperation::Lock(B))),
            place(2, 4, Operation::Mutex(MutexOperation::Lock(A))),
        ],
        object: None,
        witness: None,
        code: 0,
        steps: steps(&[0, 0, 1, 2]),
        preemptions: 0,
        paths: vec![(ThreadId(0), 0), (ThreadId(0), 1)],
    }
}

fn deadlock_trace() -> Message {
    let events = vec![
        event(0, Operation::Thread(ThreadOperation::Create(ThreadId(1))), 6),
        event(0, Operation::Thread(ThreadOperation::Create(ThreadId(2))), 7),
        event(1, Operation::Mutex(MutexOperation::Lock(A)), 1),
        event(2, Operation::Mutex(MutexOperation::Lock(B)), 3),
    ];
    let pending = |thread: u8, operation, site| Pending {
        thread: ThreadId::at(thread.into()),
        operation,
        status: PendingStatus::Blocked,
        enabled_by: Some(EventIndex(0)),
        site: SiteId(0x1000_u64 + site),
    };
    let pending = vec![
        pending(0, Operation::Thread(ThreadOperation::Join(ThreadId(1))), 6),
        pending(1, Operation::Mutex(MutexOperation::Lock(B)), 2),
        pending(2, Operation::Mutex(MutexOperation::Lock(A)), 4),
    ];
    let values = vec![ReportedValues { before: 0, after: 0 }; events.len()];
    Message::Trace { events, values, pending, ending: Ending::Deadlocked, contents: Vec::new() }
}

/// Finds a deadlock; a replay of exactly its steps finds it again.
fn deadlock(guest: &mut Guest) {
    match guest.job.task.clone() {
        Task::Explore | Task::Work => {
            guest.report(&Message::Finding(deadlock_found()));
            guest.done(3, false);
        }
        Task::Minimise { .. } => guest.done(0, false),
        Task::Replay { steps, live, .. } => {
            assert_eq!(steps, deadlock_found().steps, "the host replays the steps of the finding");
            if live {
                println!("output of the program");
            }
            guest.report(&deadlock_trace());
            guest.report(&Message::Finding(deadlock_found()));
            guest.done(1, false);
        }
    }
}

/// The deadlock, by a run with three preemptions.
fn detour() -> Finding {
    Finding { steps: steps(&[0, 1, 0, 2, 1]), preemptions: 3, ..deadlock_found() }
}

/// Finds the deadlock with three preemptions, and with one when it is minimised; a replay of these steps shows it.
fn minimised(guest: &mut Guest, shown: &Finding) {
    match guest.job.task.clone() {
        Task::Explore | Task::Work => {
            guest.report(&Message::Finding(detour()));
            guest.done(3, false);
        }
        Task::Minimise { steps, .. } => {
            assert_eq!(steps, detour().steps, "what was found is minimised");
            assert!(guest.job.share.is_some_and(|share| share.most.operations < u64::MAX), "by so many operations");
            guest.report(&Message::Finding(Finding { preemptions: 1, ..deadlock_found() }));
            guest.report(&Message::NoneBelow(1));
            guest.done(5, false);
        }
        Task::Replay { steps, .. } if steps == shown.steps => {
            guest.report(&deadlock_trace());
            guest.report(&Message::Finding(deadlock_found()));
            guest.done(1, false);
        }
        Task::Replay { .. } => guest.done(1, false),
    }
}

fn warning(guest: &mut Guest) {
    guest.report(&Message::Finding(Finding {
        kind: FindingKind::MutexNotDestroyed,
        places: vec![place(0, 6, Operation::Mutex(MutexOperation::Init(A)))],
        object: Some(ByteRange { start: A.0, len: 1 }),
        witness: None,
        code: 0,
        steps: steps(&[0, 0, 1, 2]),
        preemptions: 0,
        paths: vec![(ThreadId(0), 0), (ThreadId(0), 1)],
    }));
    guest.done(4, true);
}

/// A finding that only the exploring process sees.
fn unconfirmed(guest: &mut Guest) {
    if guest.exploring() {
        guest.report(&Message::Finding(deadlock_found()));
    }
    guest.done(3, true);
}

/// A crash in no run but that of the search.
fn unshown() -> Finding {
    let places = vec![place(1, 1, Operation::Mutex(MutexOperation::Lock(A)))];
    Finding { kind: FindingKind::Crash, places, steps: steps(&[0, 0, 1]), ..deadlock_found() }
}

/// A finding whose replay shows a deadlock in its place.
fn shown_instead(guest: &mut Guest) {
    if guest.exploring() {
        guest.report(&Message::Finding(unshown()));
        guest.done(3, false);
    } else {
        guest.report(&deadlock_trace());
        guest.report(&Message::Finding(deadlock_found()));
        guest.done(1, false);
    }
}

/// A finding that no replay shows, and a deadlock behind it.
fn shown_later(guest: &mut Guest) {
    match guest.job.task.clone() {
        Task::Explore | Task::Work => {
            guest.report(&Message::Finding(unshown()));
            if guest.job.keep_going {
                guest.report(&Message::Finding(deadlock_found()));
            }
            guest.done(3, guest.job.keep_going);
        }
        Task::Replay { steps, .. } if steps == deadlock_found().steps => deadlock(guest),
        Task::Replay { .. } | Task::Minimise { .. } => guest.done(1, false),
    }
}

fn divergence(guest: &mut Guest) {
    guest.report(&Message::Divergence {
        at: 7,
        expected: Some(event(1, Operation::Mutex(MutexOperation::Lock(A)), 1)),
        found: None,
        suspect: "read".into(),
    });
    guest.done(3, true);
}

fn unmodelled(guest: &mut Guest) {
    let call = "fork".to_owned();
    guest.report(&Message::Inconclusive(InconclusiveReason::Unmodelled { call, site: SiteId(0x1006) }));
    guest.done(3, true);
}

/// A race found before its location was promoted: the confirmation must run with what was promoted then.
fn promoted(guest: &mut Guest) {
    let location = ByteRange { start: 0x5000, len: 4 };
    let race = Finding {
        kind: FindingKind::DataRace,
        places: vec![
            place(1, 5, Operation::Memory(MemoryOperation::Write(location))),
            place(2, 5, Operation::Memory(MemoryOperation::Read(location))),
        ],
        object: Some(location),
        witness: Some(Witness::CoPending),
        code: 0,
        steps: steps(&[0, 0, 1]),
        preemptions: 0,
        paths: vec![(ThreadId(0), 0), (ThreadId(0), 1)],
    };
    match guest.job.task.clone() {
        Task::Explore | Task::Work => {
            guest.report(&Message::Finding(race));
            guest.report(&Message::Promoted(vec![location]));
            guest.report(&Message::Finding(deadlock_found()));
            guest.done(9, true);
        }
        Task::Replay { steps, .. } if steps == race.steps => {
            assert_eq!(guest.job.promoted, []);
            guest.report(&Message::Finding(race));
            guest.done(1, false);
        }
        Task::Replay { .. } | Task::Minimise { .. } => {
            assert_eq!(guest.job.promoted, [location]);
            guest.report(&Message::Finding(deadlock_found()));
            guest.done(1, false);
        }
    }
}

/// Dies in restore mode and completes in fork mode.
fn dies_once(guest: &mut Guest, repeat: impl FnOnce(&mut Guest)) {
    if guest.job.mode == Mode::Restore {
        guest.count(2);
        std::process::abort();
    }
    repeat(guest);
}

/// Finds a deadlock, then sends what is no message.
fn garbled(guest: &mut Guest) {
    deadlock(guest);
    if guest.exploring() {
        guest.frame(&[0xff; 16]);
        endless(guest);
    }
}

/// Has no room for all threads of the program.
fn crowd(guest: &mut Guest) {
    guest.report(&Message::Inconclusive(InconclusiveReason::Limit(LimitKind::Threads)));
    guest.done(4, true);
}

/// Finds a deadlock and dies, in every mode; the replay succeeds.
fn dies(guest: &mut Guest) {
    deadlock_or(guest, |guest| {
        guest.report(&Message::Finding(deadlock_found()));
        guest.count(2);
        guest.set(offset_of!(SharedHeader, in_engine), &1_u32.to_le_bytes());
        std::process::abort();
    });
}

fn deadlock_or(guest: &mut Guest, explore: impl FnOnce(&mut Guest)) {
    if guest.exploring() { explore(guest) } else { deadlock(guest) }
}

/// Makes a file by which a test sees that the job was taken.
fn begin() {
    std::fs::write("begun", []).expect("the present folder can be written");
}

/// Makes runs until it is asked to stop.
fn endless(guest: &Guest) {
    let mut executions = 0;
    while !guest.asked_to_stop() {
        executions += 1;
        guest.count(executions);
        std::thread::sleep(Duration::from_millis(1));
    }
}
