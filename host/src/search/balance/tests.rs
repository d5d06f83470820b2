//! The balancer with workers that follow a script.

use super::*;
use crate::error::ToolError;
use crate::run::{Interrupt, RunOutput, Worker, WorkerUpdate};
use inspect_core::explore::{Algorithm, BacktrackSets, Item};
use inspect_wire::message::{
    CHECKPOINT_EVERY, Heap, LocalStates, MAX_COMPUTATION, Mode, PlainAccesses, VolatileAccesses,
};
use inspect_wire::work::Package;
use std::collections::VecDeque;

/// Commits what the script says, each time it is looked at; then it ends when it is asked to, or by itself.
struct Scripted {
    commits: VecDeque<Commit>,
    taken: u32,
    ends_itself: bool,
    output: RunOutput,
    stopped: bool,
}

fn nothing_left(packages: u32) -> Commit {
    Commit {
        pass: 0,
        answers: 0,
        packages,
        counts: Counts::default(),
        lost: 0,
        covered: 0.0,
        given: Bundle::default(),
        left: Bundle::default(),
    }
}

impl Worker for Scripted {
    fn poll(&mut self) -> std::io::Result<WorkerUpdate> {
        // What it commits says how many packages it has taken.
        let commit = self.commits.pop_front();
        self.taken = commit.as_ref().map_or(self.taken, |commit| commit.packages);
        let over = self.stopped || self.ends_itself && self.commits.is_empty();
        let end = over.then(|| {
            self.output.done.get_or_insert((Counts::default(), false));
            GuestEnd::Done
        });
        Ok(WorkerUpdate { commit, taken: self.taken, end, killed: false })
    }

    fn wait(&self, _: Duration) {}

    fn processor_time(&self) -> Option<Duration> {
        None
    }

    fn assign(&mut self, _: &Package) -> std::io::Result<()> {
        Ok(())
    }

    fn ask(&mut self, _: u32) -> std::io::Result<u32> {
        Ok(1)
    }

    fn stop(&mut self) -> std::io::Result<()> {
        self.stopped = true;
        Ok(())
    }

    fn kill(&mut self) -> std::io::Result<()> {
        self.stopped = true;
        Ok(())
    }

    fn output(&self) -> &RunOutput {
        &self.output
    }

    fn output_mut(&mut self) -> &mut RunOutput {
        &mut self.output
    }
}

struct Scripts {
    commits: VecDeque<Commit>,
    ends_itself: bool,
}

impl Transport for Scripts {
    fn start(&mut self, _: &Job) -> Result<Box<dyn Worker>, ToolError> {
        let commits = std::mem::take(&mut self.commits);
        Ok(Box::new(Scripted {
            commits,
            taken: 0,
            ends_itself: self.ends_itself,
            output: RunOutput::new(),
            stopped: false,
        }))
    }
}

fn job() -> Job {
    Job {
        task: Task::Work,
        algorithm: Algorithm::Optimal,
        plain_accesses: PlainAccesses::Racy,
        volatile: VolatileAccesses::Plain,
        harmless_races: Vec::new(),
        promoted: Vec::new(),
        promoted_in: Vec::new(),
        watch_sets: Vec::new(),
        mode: Mode::Restore,
        preemptions: None,
        first_preemptions: None,
        symmetry: None,
        spurious_wakeups: false,
        max_executions: u64::MAX,
        share: None,
        max_steps: 1000,
        max_computation: MAX_COMPUTATION,
        checkpoint_every: CHECKPOINT_EVERY,
        heap: Heap::Both,
        memory_limit: 1 << 30,
        state_memory: 0,
        state_table: None,
        backtrack_sets: BacktrackSets::Aggressive,
        local_states: LocalStates::Exact,
        seed: 0,
        sampling: Default::default(),
        keep_going: true,
        severities: Vec::new(),
        report_traces: None,
    }
}

/// What comes of a search by one worker, and how many items were left whenever the state could be kept.
fn balanced(mut transport: Scripts, job: Job) -> (Vec<usize>, Shared) {
    let limits = Limits { deadline: None, standstill: None, lingers: false };
    let balancer = Balancer {
        transport: &mut transport,
        job,
        workers: 1,
        limits,
        keep_every: Duration::ZERO,
        has_shown: &|_| false,
        turn: None,
        clock: &Instant::now,
    };
    let mut left = Vec::new();
    let mut keep = |state: &Progressed, _: &[&RunOutput]| left.push(state.work.len());
    let state = Progressed { work: Bundle::of([Item::everything()]), ..Progressed::nothing() };
    let shared = balancer.run(state, &Interrupt::default(), &mut |_| (), &mut keep).expect("nothing fails");
    (left, shared)
}

/// A worker whose answer to a request is that nothing is left says so a second time when it begins to wait, and does
/// not know then of what it was given in between.
#[test]
fn what_was_put_down_for_a_worker_is_left_until_it_has_taken_it() {
    let commits = [0, 0, 0, 1].into_iter().map(nothing_left).collect();
    let (left, shared) = balanced(Scripts { commits, ends_itself: false }, job());
    assert!(shared.complete);
    // The worker is hired; it waits and is given the item; twice it does not know of that; then it is done with it.
    assert_eq!(left, [1, 1, 1, 1]);
}

/// Every worker knows the limit. Whether one that makes all the executions by itself ends before the balancer has seen
/// how many there are is a matter of time.
#[test]
fn a_worker_that_reaches_the_limit_of_all_before_that_is_noticed_has_reached_the_limit() {
    for (executions, full) in [(9, false), (10, true)] {
        let counts = Counts { executions, ..Counts::default() };
        let last = Commit { counts, left: Bundle::of([Item::everything()]), ..nothing_left(1) };
        let commits = [nothing_left(0), last].into();
        let limited = Job { max_executions: 10, ..job() };
        let (_, shared) = balanced(Scripts { commits, ends_itself: true }, limited);
        assert_eq!((shared.full, shared.complete), (full, false), "{executions} executions");
        assert_eq!(shared.state.work.len(), 1, "what it left is there for a search that goes on");
    }
}

fn items(count: u32) -> Bundle {
    Bundle::of((0..count).map(|block| Item { block, ..Item::everything() }))
}

fn member(open: u32) -> Member {
    let mut output = RunOutput::new();
    output.counters.open = open;
    let worker = Scripted { commits: VecDeque::new(), taken: 0, ends_itself: false, output, stopped: false };
    Member { left: items(open), ..Member::hired(Box::new(worker), Instant::now()) }
}

/// Whatever is known of a worker with a package ahead, what goes back when it is killed is what it has not committed.
#[test]
fn nothing_of_a_package_is_lost_or_done_twice() {
    let mut member = member(2);
    let all = |member: &Member| member.all_left().len();
    member.assign(items(3)).expect("nothing fails");
    assert_eq!((all(&member), member.open()), (5, 5), "put down");
    assert!(!member.can_be_assigned(), "the place is taken");
    // It commits before it takes the package.
    member.left = items(1);
    member.note_taken(0).expect("sound");
    assert_eq!(all(&member), 4, "not taken");
    member.note_taken(1).expect("sound");
    assert_eq!((all(&member), member.left.len()), (4, 4), "taken, with what was left before");
    assert!(member.can_be_assigned() && member.ahead.is_none());
}

fn balance(open: &[u32], pool: u32, check: impl FnOnce(&mut Balance<'_, '_>)) {
    balance_of(job(), open, pool, check);
}

fn balance_of(job: Job, open: &[u32], pool: u32, check: impl FnOnce(&mut Balance<'_, '_>)) {
    let mut transport = Scripts { commits: VecDeque::new(), ends_itself: false };
    let limits = Limits { deadline: None, standstill: None, lingers: false };
    let balancer = Balancer {
        transport: &mut transport,
        job,
        workers: 2,
        limits,
        keep_every: Duration::ZERO,
        has_shown: &|_| false,
        turn: None,
        clock: &Instant::now,
    };
    let mut keep = |_: &Progressed, _: &[&RunOutput]| {};
    let mut balance = Balance::new(balancer, Progressed::nothing(), &mut keep).expect("sound");
    balance.pool = items(pool);
    balance.members = open.iter().map(|&open| member(open)).collect();
    check(&mut balance);
}

/// Work is put down ahead of time for everybody but those with the most, who give it.
#[test]
fn those_with_less_to_do_are_provided_for() {
    balance(&[7, 2, 4], 4, |balance| {
        assert_eq!(balance.poorest(), Some(1));
        balance.provide().expect("nothing fails");
        let ahead: Vec<_> = balance.members.iter().map(|member| member.ahead.as_ref().map(Bundle::len)).collect();
        // Half of the four, then half of the rest; one part is kept for whoever waits first.
        assert_eq!((ahead, balance.pool.len()), (vec![None, Some(2), Some(1)], 1));
        assert_eq!(balance.poorest(), None);
    });
    balance(&[3, 3], 4, |balance| assert_eq!(balance.poorest(), None, "nobody has less than others"));
}

/// A worker that has the whole search: it is given nothing and asked for nothing, and its own last message says what
/// was done, whether that was all, and what it ran into.
#[test]
fn one_worker_with_the_whole_search_tells_counts_and_end_itself() {
    let limited = Counts { executions: 7, ..Counts::default() };
    for (complete, limit, full) in [(true, 7, false), (false, 7, true), (false, 8, false)] {
        let job = Job { task: Task::Explore, max_executions: limit, ..job() };
        let mut transport = Whole { done: Some((limited, complete)), end: GuestEnd::Done };
        let shared = alone(&mut transport, job);
        assert_eq!((shared.complete, shared.full, &shared.end), (complete, full, &GuestEnd::Done));
        assert_eq!((shared.state.counts, shared.estimated_total, shared.states), (limited, Some(9.0), Some(5)));
    }
    let died = GuestEnd::Died { how: "x".into(), in_engine: false };
    let mut transport = Whole { done: None, end: died.clone() };
    let shared = alone(&mut transport, Job { task: Task::Explore, ..job() });
    assert_eq!((shared.complete, shared.full, shared.end), (false, false, died));
    // Without a last message, the counters last seen are what is known.
    assert_eq!(shared.state.counts.executions, 6);
    // What cannot be read behind a last message makes that worthless.
    let garbled = GuestEnd::Garbled("x".into());
    let mut transport = Whole { done: Some((limited, true)), end: garbled.clone() };
    assert_eq!(alone(&mut transport, Job { task: Task::Explore, ..job() }).end, garbled);
}

fn alone(transport: &mut Whole, job: Job) -> Shared {
    let balancer = Balancer {
        transport,
        job,
        workers: 1,
        limits: Limits::default(),
        keep_every: Duration::MAX,
        has_shown: &|_| false,
        turn: None,
        clock: &Instant::now,
    };
    let mut keep = |_: &Progressed, _: &[&RunOutput]| {};
    balancer.run(Progressed::nothing(), &Interrupt::default(), &mut |_| (), &mut keep).expect("nothing fails")
}

/// Workers that have the whole search, and end at the second look.
struct Whole {
    done: Option<(Counts, bool)>,
    end: GuestEnd,
}

struct Exploring {
    done: Option<(Counts, bool)>,
    end: GuestEnd,
    looks: u32,
    output: RunOutput,
}

impl Transport for Whole {
    fn start(&mut self, _: &Job) -> Result<Box<dyn Worker>, ToolError> {
        let mut output = RunOutput::new();
        (output.counters.executions, output.counters.states) = (6, Some(5));
        output.counters.estimated_total = Some(9.0);
        Ok(Box::new(Exploring { done: self.done, end: self.end.clone(), looks: 0, output }))
    }
}

impl Worker for Exploring {
    fn poll(&mut self) -> std::io::Result<WorkerUpdate> {
        self.looks += 1;
        if self.looks < 2 {
            return Ok(WorkerUpdate::default());
        }
        self.output.done = self.done;
        Ok(WorkerUpdate { end: Some(self.end.clone()), ..WorkerUpdate::default() })
    }

    fn wait(&self, _: Duration) {}

    fn processor_time(&self) -> Option<Duration> {
        None
    }

    fn assign(&mut self, _: &Package) -> std::io::Result<()> {
        panic!("it has everything")
    }

    fn ask(&mut self, _: u32) -> std::io::Result<u32> {
        panic!("it cannot answer")
    }

    fn stop(&mut self) -> std::io::Result<()> {
        Ok(())
    }

    fn kill(&mut self) -> std::io::Result<()> {
        Ok(())
    }

    fn output(&self) -> &RunOutput {
        &self.output
    }

    fn output_mut(&mut self) -> &mut RunOutput {
        &mut self.output
    }
}

/// Whether a search is complete once one of two workers that share states has covered everything, and the other one was
/// stopped after it had begun anew so many times.
fn is_complete_although_stopped(passes: u32) -> bool {
    let job = Job { task: Task::Explore, algorithm: Algorithm::Stateful, ..job() };
    let mut complete = None;
    balance_of(job, &[0, 0], 0, |balance| {
        balance.members[0].worker.output_mut().done = Some((Counts::default(), true));
        balance.members[1].worker.output_mut().passes = passes;
        balance.dismiss_all().expect("nothing fails");
        let now = balance.now();
        complete = Some(balance.over(Stopping::because(GuestEnd::Done, now)).complete);
    });
    complete.expect("it was checked")
}

/// What a worker finds out just before it is stopped, the one that has covered everything did not know.
#[test]
fn a_search_that_some_worker_would_have_begun_anew_is_not_complete() {
    assert!(is_complete_although_stopped(0));
    assert!(!is_complete_although_stopped(1));
}
