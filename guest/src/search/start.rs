//! Does what the host orders.

use super::exploration::Exploration;
use super::imports::{UnknownImports, report_replaced_functions, report_unknown_functions};
use super::replay;
use super::report::Reporter;
use super::runner::Runner;
use crate::engine::state::{self, Engine, with};
use crate::engine::visibility::{self, Visibility};
use crate::engine::{code_facts, states, switches, symmetry};
use crate::platform::{elf, is_fixed};
use alloc::string::String;
use alloc::vec::Vec;
use inspect_core::event::ByteRange;
use inspect_core::explore::catalogue::Requirement;
use inspect_core::run::{Options, Run};
use inspect_wire::message::{Job, Task};

/// What a search asks of the models of library functions.
pub(crate) struct Models {
    /// The functions of hooks and models that only return once their operation was performed.
    pub(crate) entries: fn() -> Vec<u64>,
    /// The functions that the program imports and of which nothing is known.
    pub(crate) unknown_imports: fn() -> UnknownImports,
    /// The name of the object at a made-up address.
    pub(crate) object_name: fn(u64) -> Option<String>,
}

/// Does what the host ordered, then ends the process.
pub(crate) fn main_loop(job: Job, models: &Models) -> ! {
    let (steps, paths, live): (&[_], &[_], bool) = match &job.task {
        Task::Explore | Task::Work => (&[], &[], false),
        Task::Replay { steps, paths, live, .. } => (steps, paths, *live),
        // The explorer has the steps.
        Task::Minimise { paths, .. } => (&[], paths, false),
    };
    let options = Options { max_steps: job.max_steps, spurious_wakeups: job.spurious_wakeups };
    let wanted = if let Task::Replay { wanted, .. } = job.task { Some(wanted) } else { None };
    state::watch_values(&job);
    state::install(Engine::new(Run::new(options, paths), &job));
    visibility::set(Visibility {
        mode: job.plain_accesses,
        heap: job.heap,
        volatile: job.volatile,
        promoted: promoted(&job),
        // A search that compares states finds races between pending operations only.
        own_stack: job.algorithm.description().compares_states(),
    });
    switches::take_over();
    with(|engine| engine.watch_sets.set_members(watch_sets(&job)));
    if let Some(map) = &job.symmetry {
        symmetry::prepare(map, (models.entries)());
        with(|engine| engine.run.record_symmetry());
    }
    if job.algorithm.description().requires == Requirement::Facts && job.task == Task::Explore {
        code_facts::want();
    }
    let mut reporter = Reporter::new(&job, models.object_name);
    states::prepare(&job);
    reporter.modules();
    report_replaced_functions(&mut reporter);
    report_unknown_functions((models.unknown_imports)(), &mut reporter);
    let mut runner = Runner::new(&job, wanted, &mut reporter);
    if wanted.is_some() {
        replay::replay(&mut runner, &mut reporter, steps, live)
    } else {
        Exploration::new(&job, runner, reporter).explore()
    }
}

/// Where a location of another process is in this one: a module may be at another address, and its locations move with
/// it. Memory outside of modules is at the same address in every process.
fn relocation(job: &Job) -> impl Fn(&ByteRange) -> ByteRange {
    let here = if job.promoted_in.is_empty() { Vec::new() } else { elf::modules() };
    move |range: &ByteRange| {
        let distance = |start: u64| {
            // Zeroed variables lie behind the part of a module that is mapped from its file, so its end does not count.
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
    job.watch_sets.iter().map(|(range, set)| (relocated(range), *set)).collect()
}
