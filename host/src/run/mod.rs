//! Running a guest: takes a job, returns all that the guest reports. Knows processes and shared memory, and nothing of
//! verdicts.

mod guest_library;
mod interrupt;
mod libraries;
mod output;
mod process;
mod region;
mod room;
mod transport;
mod watch;

pub use guest_library::needed_guest;
pub use interrupt::Interrupt;
pub use libraries::libraries_of;
pub use output::{AddressContext, Divergence, GuestEnd, ReplayTrace, ReportedFinding, RunOutput};
pub use process::{Target, Terminal, can_fix_layout};
pub use region::Counters;
pub use room::ThreadRoom;
pub use transport::{Local, Transport, Worker, WorkerUpdate};
pub use watch::{Limits, STANDSTILL, run};

#[cfg(test)]
pub(crate) mod tests {
    use inspect_core::explore::{Algorithm, BacktrackSets, SamplingOptions};
    use inspect_wire::message::{
        CHECKPOINT_EVERY, Heap, Job, LocalStates, MAX_COMPUTATION, Mode, PlainAccesses, Task, VolatileAccesses,
    };

    pub(crate) fn job() -> Job {
        Job {
            task: Task::Explore,
            algorithm: Algorithm::Optimal,
            plain_accesses: PlainAccesses::Racy,
            volatile: VolatileAccesses::Plain,
            harmless_races: Vec::new(),
            promoted: vec![],
            promoted_in: vec![],
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
            state_memory: 1 << 30,
            state_table: None,
            backtrack_sets: BacktrackSets::Aggressive,
            local_states: LocalStates::Exact,
            heap: Heap::Both,
            memory_limit: 1 << 30,
            seed: 0,
            sampling: SamplingOptions::default(),
            keep_going: false,
            severities: vec![],
            report_traces: None,
        }
    }
}
