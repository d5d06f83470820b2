//! Each kind of end with the near-twin that must not be flagged.

use super::operations::{
    ASSUME, YIELD, cond_destroy, cond_init, create, detach, end_process, join, lock, mutex_destroy, mutex_init, unlock,
    write,
};
use super::program::{Program, SPIN, WATCHED, site};
use super::script::{M, MAIN, T1, T2, X};
use crate::detect::collect::Collector;
use crate::detect::{FindingKind, Observer, PagedShadow, Place};
use crate::event::{CondOperation, EndKind, Ending, LimitKind, Mutexes, Object, Operation, ThreadSet};
use crate::run::Options;

const N: Object = Object(M.0 + 64);
const COND: Object = Object(0x4000);
const BYE: Operation = end_process(EndKind::Exit(0));
const WAIT: Operation = Operation::Cond(CondOperation::WaitRelease { cond: COND, mutex: M, mutexes: Mutexes::One });
const SIGNAL: Operation = Operation::Cond(CondOperation::Signal { cond: COND, woken: None });
const BROADCAST: Operation = Operation::Cond(CondOperation::Broadcast { cond: COND, woken: ThreadSet::EMPTY });

const OPTIONS: Options = Options { max_steps: 1000, spurious_wakeups: false };

#[test]
fn a_clean_run_has_no_findings() {
    let worker = [lock(M), write(X), unlock(M)];
    let main = [create(T1), create(T2), join(T1), join(T2), BYE];
    assert_eq!(Program(&[&main, &worker, &worker]).findings(&[]), []);
}

#[test]
fn crossed_locks_are_a_deadlock_and_its_places_are_the_locks_before_the_join() {
    let (a, b) = ([lock(M), lock(N), unlock(N), unlock(M)], [lock(N), lock(M), unlock(M), unlock(N)]);
    let main = [create(T1), create(T2), join(T1), join(T2), BYE];
    let program = Program(&[&main, &a, &b]);
    assert_eq!(program.findings(&[0, 0, 1, 2]), [(FindingKind::Deadlock, vec![site(1, 1), site(2, 1), site(0, 2)])]);
    // The same program in a lucky order.
    assert_eq!(program.findings(&[]), []);
}

#[test]
fn a_deadlock_names_the_object_and_the_whole_run() {
    let (a, b) = ([lock(M), lock(N)], [lock(N), lock(M)]);
    let program = Program(&[&[create(T1), create(T2), join(T1)], &a, &b]);
    let (run, findings) = program.run(&[0, 0, 1, 2], OPTIONS, &mut Observer::new(PagedShadow::new()));
    assert_eq!(findings[0].object.map(|range| range.start), Some(N.0));
    assert_eq!(findings[0].steps.len(), run.events().len());
    assert_eq!(findings[0].paths, run.paths());
}

#[test]
fn a_lost_wakeup_shows_the_waiter_first() {
    let (waiter, waker) = ([lock(M), WAIT, unlock(M)], [lock(M), SIGNAL, unlock(M)]);
    let program = Program(&[&[create(T1), create(T2), join(T1), join(T2), BYE], &waiter, &waker]);
    // Main waits in its join, which is place 0,2; the waiter's wait is its second operation.
    let deadlock = (FindingKind::Deadlock, vec![site(1, 1), site(0, 2)]);
    assert_eq!(program.findings(&[0, 0, 2, 2, 2, 2, 1, 1]), [deadlock]);
    assert_eq!(program.findings(&[0, 0, 1, 1]), []);
}

#[test]
fn a_failed_assumption_silences_deadlock_but_not_a_crash() {
    let main = [create(T1), create(T2), join(T1), BYE];
    let program = Program(&[&main, &[lock(M), ASSUME], &[lock(M)]]);
    assert_eq!(program.findings(&[0, 0, 1]), []);
    let program = Program(&[&main, &[lock(M), ASSUME], &[end_process(EndKind::Signal(11))]]);
    assert_eq!(program.findings(&[0, 0, 1]), [(FindingKind::Crash, vec![site(2, 0)])]);
}

#[test]
fn a_spinning_thread_that_nobody_frees_is_a_livelock() {
    let program = Program(&[&[create(T1), join(T1), BYE], &[SPIN]]);
    assert_eq!(program.findings(&[]), [(FindingKind::Livelock, vec![site(1, 0), site(0, 1)])]);
}

#[test]
fn a_lock_cycle_beside_a_spinning_thread_is_a_lost_thread_too() {
    let (a, b) = ([lock(M), lock(N)], [lock(N), lock(M)]);
    let found = Program(&[&[create(T1), create(T2), SPIN], &a, &b]).findings(&[0, 0, 1, 2]);
    assert_eq!(found[0], (FindingKind::LostThread, vec![site(1, 1), site(2, 1)]));
    assert_eq!((found[1].0, found.len()), (FindingKind::Livelock, 2));
}

#[test]
fn a_lock_cycle_left_behind_at_exit_is_a_lost_thread() {
    let (a, b) = ([lock(M), lock(N)], [lock(N), lock(M)]);
    let main = [create(T1), detach(T1), create(T2), detach(T2), BYE];
    let found = Program(&[&main, &a, &b]).findings(&[0, 0, 0, 0, 1, 2]);
    assert_eq!(found[0], (FindingKind::LostThread, vec![site(1, 1), site(2, 1)]));
    assert_eq!((found[1].0, found.len()), (FindingKind::MissingPthreadExit, 2));
}

#[test]
fn a_mutex_whose_owner_has_ended_loses_its_waiter() {
    let main = [create(T1), create(T2), join(T1), BYE];
    let found = Program(&[&main, &[lock(M)], &[lock(M)]]).findings(&[0, 0, 1]);
    assert_eq!(found[0], (FindingKind::LostThread, vec![site(2, 0)]));
}

#[test]
fn an_idle_worker_at_exit_is_no_lost_thread() {
    let main = [create(T1), detach(T1), BYE];
    let found = Program(&[&main, &[lock(M), WAIT, unlock(M)]]).findings(&[]);
    assert_eq!(found, [(FindingKind::MissingPthreadExit, vec![site(0, 2), site(0, 0)])]);
}

#[test]
fn a_signalled_waiter_without_its_mutex_waits_for_the_owner() {
    // T1 waits, T2 signals and ends with the mutex: T1 is stuck for ever, though nobody could signal it again.
    let main = [create(T1), create(T2), join(T2), BYE];
    let program = Program(&[&main, &[lock(M), WAIT, unlock(M)], &[lock(M), SIGNAL]]);
    let found = program.findings(&[0, 0, 1, 1]);
    assert_eq!(found[0], (FindingKind::LostThread, vec![site(1, 1)]));
}

#[test]
fn a_broadcast_leaves_nobody_behind() {
    let main = [create(T1), create(T2), join(T1), join(T2), lock(M), BROADCAST, unlock(M), BYE];
    let worker = [lock(M), WAIT, unlock(M)];
    let waker = [lock(M), BROADCAST, unlock(M)];
    assert_eq!(Program(&[&main, &worker, &waker]).findings(&[0, 0, 1, 1]), []);
}

#[test]
fn each_failing_end_of_the_process_is_told_at_its_place() {
    let ends = [
        (EndKind::Exit(3), FindingKind::ExitStatus, 3),
        (EndKind::Abort, FindingKind::Abort, 0),
        (EndKind::AssertionFailed, FindingKind::Assertion, 0),
        (EndKind::Signal(8), FindingKind::Crash, 8),
        (EndKind::HeapError, FindingKind::InvalidFree, 0),
        (EndKind::UncaughtException, FindingKind::UncaughtException, 0),
    ];
    for (end, kind, code) in ends {
        let program = Program(&[&[YIELD, end_process(end)]]);
        let (_, findings) = program.run(&[], OPTIONS, &mut Observer::new(PagedShadow::new()));
        assert_eq!(findings.len(), 1, "{end:?}");
        assert_eq!((findings[0].kind, findings[0].code, findings[0].places[0].site), (kind, code, site(0, 1)));
    }
}

#[test]
fn an_end_that_another_thread_forestalls_is_told_too() {
    // Main's exit and T1's failed assertion are both delayed; main's is taken first.
    let program = Program(&[&[create(T1), detach(T1), BYE], &[end_process(EndKind::AssertionFailed)]]);
    assert_eq!(program.findings(&[])[0], (FindingKind::Assertion, vec![site(1, 0)]));
}

#[test]
fn threads_left_at_exit() {
    let worker: &[_] = &[YIELD];
    let joined = Program(&[&[create(T1), join(T1), BYE], worker]).findings(&[]);
    assert_eq!(joined, []);
    let detached = Program(&[&[create(T1), detach(T1), BYE], worker]).findings(&[]);
    assert_eq!(detached, [(FindingKind::MissingPthreadExit, vec![site(0, 2), site(0, 0)])]);
    let main_exits_by_itself = Program(&[&[create(T1), detach(T1)], worker]).findings(&[]);
    assert_eq!(main_exits_by_itself, []);
    let not_joined = Program(&[&[create(T1)], worker]).findings(&[]);
    assert_eq!(not_joined, [(FindingKind::ThreadNotJoined, vec![site(0, 0)])]);
}

#[test]
fn a_thread_joined_by_another_is_joined() {
    let program = Program(&[&[create(T1), join(T1), BYE], &[create(T2), join(T2)], &[YIELD]]);
    assert_eq!(program.findings(&[]), []);
}

#[test]
fn objects_initialised_and_not_destroyed() {
    let kept = Program(&[&[mutex_init(M), cond_init(COND), mutex_init(N), mutex_destroy(N)]]).findings(&[]);
    let expected =
        [(FindingKind::MutexNotDestroyed, vec![site(0, 0)]), (FindingKind::CondNotDestroyed, vec![site(0, 1)])];
    assert_eq!(kept, expected);
    assert_eq!(Program(&[&[mutex_init(M), cond_init(COND), cond_destroy(COND), mutex_destroy(M)]]).findings(&[]), []);
    assert_eq!(Program(&[&[mutex_init(M), mutex_destroy(M), mutex_init(M), mutex_destroy(M)]]).findings(&[]), []);
    // A program that fails is not asked to tidy up.
    let failed = Program(&[&[mutex_init(M), end_process(EndKind::Exit(1))]]).findings(&[]);
    assert_eq!(failed, [(FindingKind::ExitStatus, vec![site(0, 1)])]);
}

#[test]
fn a_destroyed_static_mutex_does_not_hide_one_that_is_not_destroyed() {
    let found = Program(&[&[mutex_init(M), mutex_destroy(N)]]).findings(&[]);
    assert_eq!(found, [(FindingKind::MutexNotDestroyed, vec![site(0, 0)])]);
}

#[test]
fn misuses_come_first_and_only_once_a_search() {
    let program = Program(&[&[lock(M), lock(M)]]);
    let mut observer = Observer::new(PagedShadow::new());
    let (_, findings) = program.run(&[], OPTIONS, &mut observer);
    let kinds: Vec<_> = findings.iter().map(|finding| finding.kind).collect();
    assert_eq!(kinds, [FindingKind::MutexRelock, FindingKind::Deadlock]);
    let (_, again) = program.run(&[], OPTIONS, &mut observer);
    assert_eq!(again, []);
}

#[test]
fn places_in_another_order_are_the_same_finding() {
    let (run, _) = Program(&[&[YIELD]]).run(&[], OPTIONS, &mut Observer::new(PagedShadow::new()));
    let place = |n| Place { thread: MAIN, site: site(0, n), operation: None };
    let mut collector = Collector::default();
    let mut out = Vec::new();
    for (places, told) in [([1, 2], 1), ([2, 1], 1), ([1, 1], 2), ([2, 2], 3)] {
        collector.start().extend(places.map(place));
        collector.report(FindingKind::Deadlock, None, 0, &run, &mut out);
        assert_eq!(out.len(), told, "{places:?}");
    }
}

#[test]
fn a_run_cut_by_a_limit_is_no_deadlock_but_shows_lock_cycles() {
    let (a, b) = ([lock(M), lock(N)], [lock(N), lock(M)]);
    let program = Program(&[&[create(T1), create(T2), YIELD, YIELD, YIELD, YIELD], &a, &b]);
    let options = Options { max_steps: 6, spurious_wakeups: false };
    let (run, findings) = program.run(&[0, 0, 1, 2], options, &mut Observer::new(PagedShadow::new()));
    assert_eq!(run.trace().ending, Ending::Limit(LimitKind::Steps));
    assert_eq!(findings.iter().map(|f| f.kind).collect::<Vec<_>>(), [FindingKind::LostThread]);
}

#[test]
fn a_thread_cut_in_the_middle_is_not_taken_for_blocked() {
    // Main holds the mutex, and is running when the run is cut: its last operation is not what it waits for.
    let mut run = crate::run::Run::new(OPTIONS, &[]);
    run.begin(&crate::event::Plan::default());
    let mut observer = Observer::new(PagedShadow::new());
    observer.begin();
    run.arrive(MAIN, crate::run::Request::new(lock(M), site(0, 0)));
    struct Nothing;
    impl crate::run::World for Nothing {
        fn value(&self, _: crate::event::ByteRange) -> u64 {
            0
        }
        fn exchange_succeeds(&self, _: crate::event::ThreadId) -> bool {
            false
        }
        fn is_interrupted(&self, _: crate::event::ThreadId) -> bool {
            false
        }
    }
    assert_eq!(run.next(&Nothing), crate::run::Next::Execute(MAIN));
    run.cut(LimitKind::Time);
    let mut findings = Vec::new();
    observer.end(&run, &mut findings);
    assert_eq!(findings, []);
    observer.nonterminating(&run, MAIN, site(0, 5), &mut findings);
    assert_eq!((findings[0].kind, findings[0].places[0].site), (FindingKind::Nonterminating, site(0, 5)));
}

#[test]
fn a_pending_access_of_a_parked_thread_races() {
    let program = Program(&[&[create(T1), write(WATCHED), join(T1)], &[SPIN]]);
    let found = program.findings(&[]);
    assert_eq!(found[0].0, FindingKind::Livelock);
    assert_eq!(found[1], (FindingKind::DataRace, vec![site(0, 1), site(1, 0)]));
}
