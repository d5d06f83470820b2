//! Co-pending witnesses of generated programs, run: the plan can be followed, both threads stand before their accesses,
//! and the same race is found.

use super::PART;
use super::definition::Random;
use super::program::{HIDDEN, Program};
use super::script::{FLAG, M, T1, T2, X};
use crate::detect::{AccessKind, Finding, FindingKind, Observer, PagedShadow, Race, RacingAccess, Witness, show};
use crate::event::{
    ControlOperation, Ending, EventIndex, MemoryOperation, MutexOperation, Object, Operation, ThreadId, ThreadOperation,
};
use crate::order::c11::TracePosition;
use crate::run::{Options, Run};

const OPTIONS: Options = Options { max_steps: 1000, spurious_wakeups: false };

/// A thread of a few critical sections and accesses.
fn worker(random: &mut Random) -> Vec<Operation> {
    let mut operations = Vec::new();
    let mut held = None;
    for _ in 0..2 + random.below(6) {
        let mutex = Object(M.0 + 64 * random.below(2));
        operations.push(match (random.below(9), held) {
            (0 | 1, None) => {
                held = Some(mutex);
                Operation::Mutex(MutexOperation::Lock(mutex))
            }
            (0 | 1, Some(mutex)) => {
                held = None;
                Operation::Mutex(MutexOperation::Unlock(mutex))
            }
            (2, _) => Operation::Memory(MemoryOperation::AtomicLoad(FLAG, random.order())),
            (3, _) => Operation::Memory(MemoryOperation::AtomicStore(FLAG, random.order())),
            (4, _) => Operation::Memory(MemoryOperation::Read(X)),
            (5, _) => Operation::Memory(MemoryOperation::Write(X)),
            (6, _) => Operation::Memory(MemoryOperation::Read(HIDDEN)),
            (7, _) => Operation::Memory(MemoryOperation::Write(HIDDEN)),
            _ => Operation::Control(ControlOperation::Yield),
        });
    }
    operations.extend(held.map(|mutex| Operation::Mutex(MutexOperation::Unlock(mutex))));
    operations
}

fn run(program: &Program<'_>, order: &[u8]) -> (Run, Vec<Finding>) {
    program.run(order, OPTIONS, &mut Observer::new(PagedShadow::new()))
}

fn sites(finding: &Finding) -> Vec<u64> {
    finding.places.iter().take(2).map(|place| place.site.0).collect()
}

/// Replays one finding; returns whether both of its accesses were events.
fn check(program: &Program<'_>, finding: &Finding) -> bool {
    let steps: Vec<u8> = finding.steps.iter().map(|step| step.thread.index() as u8).collect();
    let (again, found) = run(program, &steps);
    assert!(!matches!(again.trace().ending, Ending::Diverged(_)), "{finding:?}");
    let same = |other: &&Finding| other.kind == FindingKind::DataRace && sites(other) == sites(finding);
    let other = found.iter().find(same).unwrap_or_else(|| panic!("{finding:?} is not among {found:?}"));
    assert_eq!(other.witness, Some(Witness::CoPending));
    let hidden = finding.object.is_some_and(|range| range.overlaps(HIDDEN));
    if !hidden {
        let [.., first, second] = &again.events()[..steps.len()] else { panic!("{finding:?}") };
        let (a, b) = (finding.places[0].thread, finding.places[1].thread);
        assert!(first.enabled.contains(a) && first.enabled.contains(b), "{finding:?}");
        let mut last = [first.site.0, second.site.0];
        last.sort_unstable();
        let mut places = sites(finding);
        places.sort_unstable();
        assert_eq!(places, last);
    }
    !hidden
}

/// Every pair of accesses to X that could be pending at once races by C11: its happens-before is contained in the
/// exploration's. Returns how many such pairs there are.
fn check_containment(run: &Run, races: &[Race]) -> usize {
    let accesses: Vec<RacingAccess> = (0..)
        .zip(run.events())
        .filter_map(|(at, event)| {
            let (Operation::Memory(MemoryOperation::Read(range)) | Operation::Memory(MemoryOperation::Write(range))) =
                event.operation
            else {
                return None;
            };
            let kind = if event.operation == Operation::Memory(MemoryOperation::Write(range)) {
                AccessKind::Write
            } else {
                AccessKind::Read
            };
            Some(RacingAccess {
                thread: event.thread,
                site: event.site,
                kind,
                moment: TracePosition::Event(EventIndex(at)),
            })
        })
        .collect();
    let mut pairs = 0;
    for (n, second) in accesses.iter().enumerate() {
        for first in &accesses[..n] {
            let conflict = first.thread != second.thread && [first.kind, second.kind].contains(&AccessKind::Write);
            let race = Race { first: *first, second: *second, range: X };
            if conflict && show(run.trace(), &race, &[]).witness == Witness::CoPending {
                pairs += 1;
                assert!(races.iter().any(|race| race.second == *second), "{race:?} in {:?}", run.events());
            }
        }
    }
    pairs
}

#[test]
fn co_pending_witnesses_can_be_run() {
    let (mut visible, mut hidden, mut ordered, mut pairs) = (0, 0, 0, 0);
    for seed in 0..3000 / PART as u64 {
        let mut random = Random(seed * 0x9E37_79B9 + 7);
        let (a, b) = (worker(&mut random), worker(&mut random));
        let mut main =
            vec![Operation::Thread(ThreadOperation::Create(T1)), Operation::Thread(ThreadOperation::Create(T2))];
        main.extend(worker(&mut random));
        main.extend([Operation::Thread(ThreadOperation::Join(T1)), Operation::Thread(ThreadOperation::Join(T2))]);
        let program = Program(&[&main, &a, &b]);
        let mut order = Vec::new();
        for _ in 0..3 {
            let mut observer = Observer::new(PagedShadow::new());
            let (done, findings) = program.run(&order, OPTIONS, &mut observer);
            pairs += check_containment(&done, observer.races());
            for finding in findings.iter().filter(|finding| finding.kind == FindingKind::DataRace) {
                if finding.witness != Some(Witness::CoPending) {
                    ordered += 1;
                } else if check(&program, finding) {
                    visible += 1;
                } else {
                    hidden += 1;
                }
            }
            // Another run of the program: at a random step another thread that could have gone.
            let at = random.below(done.events().len() as u64) as usize;
            let candidates: Vec<ThreadId> = done.events()[at].enabled.iter().collect();
            let other = candidates[random.below(candidates.len() as u64) as usize];
            order = done.events()[..at]
                .iter()
                .map(|event| event.thread.index() as u8)
                .chain([other.index() as u8])
                .collect();
        }
    }
    let enough = visible > 1000 / PART && hidden > 1000 / PART && ordered > 100 / PART && pairs > 1000 / PART;
    assert!(enough, "{visible} {hidden} {ordered} {pairs}");
}
