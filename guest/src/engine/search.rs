//! The main loop: plan, run, judge, learn, until nothing is left or somebody says stop.
//!
//! Everything here runs on the engine's own stack, between runs.

use super::report::{self, Reporter};
use super::runner::Runner;
use super::sharing::Sharing;
use super::state::{self, Engine, Trouble, VISIBILITY, Visibility, with};
use super::{call_stacks, detection, pruning_log, replay, states, symmetry};
use crate::model::known;
use crate::platform::{elf, in_vault, is_fixed, link, vault_digest, vault_size};
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::sync::atomic::Ordering::Relaxed;
use inspect_core::detect::{UnorderedCommunication, unordered_communication};
use inspect_core::event::{ByteRange, Ending, Event, LimitKind, Plan};
use inspect_core::explore::catalogue::{Requirement, SearchSetup};
use inspect_core::explore::{Counts, Explorer, Facts};
use inspect_core::run::{Options, Run};
use inspect_wire::message::{InconclusiveReason, Job, Mode, PlainAccesses, Task};

/// Runs between two checks of the program's state.
const HEALTH_EVERY: u64 = 1 << 14;

/// Does what the host ordered, then ends the process.
pub(crate) fn main_loop(job: Job) -> ! {
    let (steps, paths, live): (&[_], &[_], bool) = match &job.task {
        Task::Explore | Task::Work => (&[], &[], false),
        Task::Replay { steps, paths, live, .. } => (steps, paths, *live),
    };
    let options = Options { max_steps: job.max_steps, spurious_wakeups: job.spurious_wakeups };
    let wanted = if let Task::Replay { wanted, .. } = job.task { Some(wanted) } else { None };
    state::install(Engine::new(Run::new(options, paths), &job));
    // SAFETY: no run has begun.
    let visibility = unsafe { VISIBILITY.get() };
    *visibility = Visibility {
        mode: job.plain_accesses,
        promoted: promoted(&job),
        // Races are looked for in states, and there only of what is visible.
        own_stack: job.algorithm.description().compares_states(),
    };
    with(|engine| engine.watch_sets.adopt(watch_sets(&job)));
    if let Task::Replay { places, .. } = &job.task {
        call_stacks::record(places);
    }
    if let Some(map) = &job.symmetry {
        symmetry::prepare(map);
        with(|engine| engine.run.record_symmetry());
    }
    if job.algorithm.description().requires == Requirement::Facts && job.task == Task::Explore {
        pruning_log::want();
    }
    let mut reporter = Reporter::new(&job.severities, job.keep_going);
    states::prepare(&job);
    reporter.modules();
    name_replaced_functions(&mut reporter);
    name_unknown_functions(&mut reporter);
    let mut runner = Runner::new(&job, wanted, &mut reporter);
    if wanted.is_some() {
        replay::replay(&mut runner, &mut reporter, steps, live)
    } else {
        Search::new(&job, runner, reporter).explore()
    }
}

/// A program that brings its own allocator or threads library is not seen through the models.
fn name_replaced_functions(reporter: &mut Reporter) {
    const REPLACEABLE: &[&str] = &[
        "malloc",
        "calloc",
        "realloc",
        "reallocarray",
        "free",
        "posix_memalign",
        "aligned_alloc",
        "memalign",
        "pthread_create",
        "pthread_join",
        "pthread_detach",
        "pthread_exit",
        "pthread_mutex_init",
        "pthread_mutex_lock",
        "pthread_mutex_trylock",
        "pthread_mutex_timedlock",
        "pthread_mutex_unlock",
        "pthread_mutex_destroy",
        "pthread_cond_init",
        "pthread_cond_wait",
        "pthread_cond_timedwait",
        "pthread_cond_signal",
        "pthread_cond_broadcast",
        "pthread_cond_destroy",
        "pthread_once",
        "pthread_key_create",
        "pthread_getspecific",
        "pthread_setspecific",
        "exit",
        "abort",
    ];
    let modules = elf::modules();
    let Some(program) = modules.iter().find(|module| module.path.is_empty()) else { return };
    for name in REPLACEABLE {
        let address = elf::find(name) as u64;
        if (program.start..program.end).contains(&address) {
            reporter.inconclusive(InconclusiveReason::ReplacedFunction(String::from(*name)));
        }
    }
}

/// Where a location of another process is in this one: as far from the start of its module as there. What is in no module
/// is at the same address in every process.
fn relocation(job: &Job) -> impl Fn(&ByteRange) -> ByteRange {
    let here = if job.promoted_in.is_empty() { Vec::new() } else { elf::modules() };
    move |range: &ByteRange| {
        let distance = |start: u64| {
            // Zeroed variables lie behind what is mapped of the module's file.
            let candidates = job.promoted_in.iter().filter(|module| module.start <= start);
            let there = candidates.max_by_key(|module| module.start)?;
            let module = here.iter().find(|module| module.path == there.path)?;
            Some(module.bias.wrapping_sub(there.bias))
        };
        let distance = if is_fixed(range.start) { None } else { distance(range.start) };
        ByteRange { start: range.start.wrapping_add(distance.unwrap_or(0)), len: range.len }
    }
}

fn promoted(job: &Job) -> Vec<ByteRange> {
    let mut promoted: Vec<ByteRange> = job.promoted.iter().map(relocation(job)).collect();
    promoted.sort();
    promoted
}

fn watch_sets(job: &Job) -> Vec<(ByteRange, u64)> {
    let relocated = relocation(job);
    job.watch_sets.iter().map(|(range, group)| (relocated(range), *group)).collect()
}

/// Of functions that are on no list nobody knows what they access.
fn name_unknown_functions(reporter: &mut Reporter) {
    let unknown = known::unknown_imports();
    for name in unknown.names {
        reporter.inconclusive(InconclusiveReason::UnknownFunction(name));
    }
    if unknown.cxx {
        reporter.inconclusive(InconclusiveReason::CxxLibrary);
    }
}

/// A search in progress.
pub(super) struct Search<'a> {
    job: &'a Job,
    pub(super) runner: Runner,
    pub(super) explorer: Box<dyn Explorer>,
    pub(super) counts: Counts,
    pub(super) reporter: Reporter,
    /// The events of the last run: the origin of whatever prefix the next plan shares with it.
    reference: Vec<Event>,
    /// Counts of the pass before the search began anew.
    voided: Counts,
    /// The run in which the vault is looked at next.
    next_seal: u64,
    /// By which ways that C11 does not order threads were seen to learn from each other.
    heard: Vec<UnorderedCommunication>,
    /// Runs that were lost with the processes that made them.
    pub(super) lost: u64,
    /// The search is shared with other guests.
    pub(super) sharing: Option<Sharing>,
}

impl<'a> Search<'a> {
    fn new(job: &'a Job, runner: Runner, reporter: Reporter) -> Self {
        Search {
            job,
            runner,
            explorer: in_vault(|| explorer(job)),
            counts: Counts::default(),
            reporter,
            reference: Vec::new(),
            voided: Counts::default(),
            next_seal: 0,
            heard: Vec::new(),
            lost: 0,
            sharing: (job.task == Task::Work).then(Sharing::default),
        }
    }

    fn explore(mut self) -> ! {
        let mut plan = Plan::default();
        let mut complete = false;
        let mut working = self.sharing.is_none() || self.next_item();
        while working && !self.should_stop() {
            self.answer();
            plan.clear();
            if !in_vault(|| self.explorer.next_plan(&mut plan)) {
                complete = self.lost == 0 && self.sharing.is_none();
                working = self.next_item();
                continue;
            }
            if self.runner.runs().is_multiple_of(HEALTH_EVERY) {
                self.check_health();
            }
            let trouble = self.run(&plan);
            working = self.judge(&plan, trouble);
        }
        if complete && self.explorer.bound_cut() {
            self.reporter.inconclusive(InconclusiveReason::PreemptionBound(self.job.preemptions.unwrap_or(0)));
        }
        self.check_health();
        self.report_what_is_left();
        if self.counts == Counts::default() && self.voided != Counts::default() {
            self.counts = self.voided;
            self.reporter.inconclusive(InconclusiveReason::Other(String::from(
                "the search had just begun anew, with more operations visible, when it was stopped; the counts are those of \
                 the pass before",
            )));
        }
        states::tell(&mut self.reporter);
        self.report_progress(true);
        self.reporter.done(self.counts, complete)
    }

    pub(super) fn should_stop(&self) -> bool {
        self.counts.runs() >= self.job.max_executions
            || link::header().stop.load(Relaxed) != 0
            || self.reporter.full
            || (self.reporter.error_found && !self.job.keep_going)
    }

    /// Takes in the run just made; false if the search cannot go on.
    fn judge(&mut self, plan: &Plan, trouble: Option<Trouble>) -> bool {
        match trouble {
            None => {}
            Some(Trouble::Unmodelled(call, site)) => {
                self.reporter.inconclusive(InconclusiveReason::Unmodelled { call, site });
            }
            Some(Trouble::Defect(message)) => report::tool_error(&message),
            Some(Trouble::RunLost(how)) => {
                self.reporter.inconclusive(InconclusiveReason::Other(how));
                return self.lose();
            }
            // The finding, if it was confirmed, is among the others.
            Some(Trouble::Stuck(..)) => {}
            Some(Trouble::GrowTo(_)) => unreachable!("such a run is repeated"),
        }
        with(|engine| detection::tell(engine, &mut self.reporter));
        if !self.follows_its_plan(plan) || !self.is_as_described() {
            self.give_up_run();
            return false;
        }
        // What stops here stays in the pass that found it, with its counts.
        let over = self.reporter.error_found && !self.job.keep_going;
        if !over && self.promote() {
            return true;
        }
        with(|engine| in_vault(|| self.explorer.learn(engine.run.trace())));
        self.note_hearsay();
        self.count();
        true
    }

    /// A search that compares states knows no histories.
    fn note_hearsay(&mut self) {
        let from = self.runner.resumed_at();
        let heard =
            with(|engine| engine.state_recorder.and_then(|_| unordered_communication(engine.run.events(), from)));
        if let Some(heard) = heard.filter(|heard| !self.heard.contains(heard)) {
            self.heard.push(heard);
            let text = alloc::format!(
                "--algorithm stateful does not look for data races that only a missing memory order shows, and the program \
                 has {}",
                heard.name()
            );
            self.reporter.inconclusive(InconclusiveReason::Other(text));
        }
    }

    /// Goes on without what the last run would have shown; false once too many runs were lost.
    fn lose(&mut self) -> bool {
        const MOST: u64 = 100;
        self.counts.limited += 1;
        self.lost += 1;
        self.forget_description();
        with(|engine| engine.run.forget_states());
        in_vault(|| self.explorer.lose());
        self.lost < MOST
    }

    /// Compares the run with the run its plan's prefix came from.
    fn follows_its_plan(&mut self, plan: &Plan) -> bool {
        // What was not made again is the same.
        let same = self.runner.resumed_at();
        with(|engine| {
            let trace = engine.run.trace();
            let shared = plan.steps[same..].iter().zip(&self.reference[same..]);
            let shared = shared.take_while(|(step, event)| step.thread == event.thread && step.choice == event.choice);
            let shared = same + shared.count();
            let differs = |(expected, found): (&Event, &Event)| {
                expected.site != found.site || expected.operation != found.operation || expected.thread != found.thread
            };
            let first = self.reference[same..shared].iter().zip(&trace.events[same..]).position(differs);
            let at = match (first, trace.ending) {
                (Some(at), _) => same + at,
                (None, Ending::Diverged(at)) => at.index(),
                (None, _) => {
                    self.reference.truncate(shared);
                    in_vault(|| self.reference.extend_from_slice(trace.events.get(shared..).unwrap_or(&[])));
                    return true;
                }
            };
            let wanted = plan.steps.get(at).map(|step| step.thread);
            let pending = || trace.pending.iter().find(|pending| Some(pending.thread) == wanted).map(report::as_event);
            let expected = self.reference[..shared].get(at).copied();
            let found = trace.events.get(at).copied().or_else(pending);
            self.reporter.divergence(at as u32, expected, found);
            false
        })
    }

    /// Makes locations visible on which a race was found, or could be by another path to a state, and one of locations that loops watch together; begins the
    /// search anew if there were any.
    fn promote(&mut self) -> bool {
        let regrouped = with(|engine| engine.watch_sets.merge_found());
        let promoted = self.promote_races();
        let anew = promoted || regrouped || with(states::is_undisciplined);
        if anew {
            // SAFETY: no run is in progress.
            let promoted = unsafe { &(*VISIBILITY.as_ptr()).promoted };
            let watch_sets = with(|engine| engine.watch_sets.members().to_vec());
            if !watch_sets.is_empty() {
                self.reporter.send(&inspect_wire::message::Message::Grouped(watch_sets));
            }
            self.reporter.send(&inspect_wire::message::Message::Promoted(promoted.clone()));
            self.explorer = in_vault(|| explorer(self.job));
            states::begin_anew(self.job);
            if !with(|engine| matches!(engine.run.trace().ending, Ending::Limit(_))) {
                self.count();
            }
            self.voided = core::mem::take(&mut self.counts);
            self.reference.clear();
            self.runner.begin_anew();
            self.share_anew();
        }
        anew
    }

    fn promote_races(&mut self) -> bool {
        let found = with(|engine| core::mem::take(&mut engine.racing));
        if found.is_empty() || self.job.plain_accesses == PlainAccesses::All {
            return false;
        }
        if self.job.plain_accesses == PlainAccesses::Sync {
            self.reporter.inconclusive(InconclusiveReason::UnexploredRace);
            return false;
        }
        // SAFETY: no run is in progress.
        let promoted = &mut unsafe { VISIBILITY.get() }.promoted;
        let before = promoted.clone();
        promoted.extend(found);
        promoted.sort();
        merge_overlapping(promoted);
        *promoted != before
    }

    fn count(&mut self) {
        let (ending, events, threads) = with(|engine| {
            let trace = engine.run.trace();
            (trace.ending, trace.events.len() as u64, engine.run.paths().len() as u32)
        });
        self.counts.transitions += events;
        match ending {
            Ending::Completed | Ending::Deadlocked | Ending::Livelocked | Ending::Revisited => {
                self.counts.executions += 1;
            }
            Ending::AssumeBlocked => self.counts.assume_blocked += 1,
            Ending::Blocked => self.counts.blocked += 1,
            Ending::Limit(kind) => {
                self.counts.limited += 1;
                if kind != LimitKind::Unmodelled {
                    self.reporter.inconclusive(InconclusiveReason::Limit(kind));
                }
            }
            Ending::Diverged(_) => unreachable!("a diverged run is not counted"),
        }
        link::header().threads.store(threads, Relaxed);
        self.report_progress(false);
    }

    /// Compares the program's memory with the snapshot, and the engine's copies with their checksums. A process that fails
    /// is not to be relied on any more: the host repeats its work in fork mode.
    pub(super) fn check_health(&mut self) {
        if let Err(damage) = self.runner.verify() {
            report::tool_error(&alloc::format!("runs do not start from the same state: {damage}"));
        }
    }

    /// Makes a run; every so often, makes sure that it leaves alone what the search remembers.
    fn run(&mut self, plan: &Plan) -> Option<Trouble> {
        const LEAST: u64 = 64;
        /// A run in which so many bytes are looked at twice costs about 1 % of the runs between two such runs.
        const BYTES_PER_RUN: u64 = 256;
        if self.job.mode == Mode::Fork || self.runner.runs() < self.next_seal {
            return self.runner.run(plan);
        }
        self.next_seal = self.runner.runs() + LEAST.max(vault_size() / BYTES_PER_RUN);
        let before = vault_digest();
        let trouble = self.runner.run(plan);
        if vault_digest() != before {
            report::tool_error("the program overwrote what the search remembers");
        }
        trouble
    }

    fn report_progress(&mut self, last: bool) {
        const ESTIMATE_EVERY: u64 = 256;
        let header = link::header();
        header.executions.store(self.counts.executions, Relaxed);
        header.blocked.store(self.counts.blocked, Relaxed);
        header.assume_blocked.store(self.counts.assume_blocked, Relaxed);
        header.transitions.store(self.counts.transitions, Relaxed);
        if (last || self.counts.executions.is_multiple_of(ESTIMATE_EVERY))
            && let Some(estimate) = self.explorer.estimated_total()
        {
            header.estimated_total.store(estimate.to_bits(), Relaxed);
        }
        if self.sharing.is_some() {
            self.report_open();
        }
        header.states.store(self.explorer.states().unwrap_or(0), Relaxed);
        let opaque = with(|engine| core::mem::take(&mut engine.opaque));
        for site in opaque {
            self.reporter.inconclusive(InconclusiveReason::OpaqueAssembly { site });
        }
        let uncontrolled = with(|engine| core::mem::take(&mut engine.uncontrolled));
        for (call, site) in uncontrolled {
            self.reporter.inconclusive(InconclusiveReason::Unmodelled { call, site });
        }
    }
}

fn merge_overlapping(ranges: &mut Vec<inspect_core::event::ByteRange>) {
    ranges.dedup_by(|next, kept| {
        let overlap = next.start < kept.end();
        if overlap {
            kept.len = kept.len.max((next.end() - kept.start) as u32);
        }
        overlap
    });
}

fn explorer(job: &Job) -> Box<dyn Explorer> {
    let mut facts = || {
        // Where loops watch several locations together, events do not tell the real ones.
        if with(|engine| engine.watch_sets.is_empty()) { pruning_log::facts() } else { Facts::default() }
    };
    let preemptions = job.preemptions.map(|last| (job.first_preemptions.unwrap_or(last), last));
    job.algorithm.explorer(&mut SearchSetup {
        preemptions,
        symmetry: job.symmetry.is_some(),
        state_memory: job.state_memory,
        facts: &mut facts,
    })
}
