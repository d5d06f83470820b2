//! With how many mutexes threads wait for one condition variable, as a search sees it.
//!
//! The model asks the text of a program whether two threads may do so with different ones; the guest sees it in runs.
//! So the text may say more: one of the waits may never be reached, or only with more preemptions than a bound allows.

use inspect_core::event::{CondOperation, Mutexes, Object, Operation, SiteId, ThreadId, Trace};
use inspect_core::model::{Program, Statement};

/// The waits of some runs: condition variable, mutex, thread, and whether the wait may end without a signal.
#[derive(Default)]
pub(crate) struct Waits(Vec<(Object, Object, ThreadId, bool)>);

impl Waits {
    /// Takes in the waits of a run. Whether one of them clashes with one of another thread.
    pub(crate) fn clash_with(&mut self, program: &Program, trace: &Trace) -> bool {
        let mut clash = false;
        for event in &trace.events {
            let Operation::Cond(CondOperation::WaitRelease { cond, mutex, .. }) = event.operation else { continue };
            let wait = (cond, mutex, event.thread, may_end_alone(program, event.site));
            if self.0.contains(&wait) {
                continue;
            }
            clash |= self
                .0
                .iter()
                .any(|other| other.0 == wait.0 && other.1 != wait.1 && other.2 != wait.2 && (other.3 || wait.3));
            self.0.push(wait);
        }
        clash
    }
}

fn may_end_alone(program: &Program, site: SiteId) -> bool {
    let statement = &program.bodies[(site.0 >> 16) as usize][site.0 as usize & 0xFFFF];
    program.spurious_wakeups || matches!(statement, Statement::TimedWait(..) | Statement::CancellableWait(..))
}

/// The trace as a search has it that knows this of the program's waits.
pub(crate) fn named(trace: &Trace, mutexes: Mutexes) -> Trace {
    let mut trace = trace.clone();
    let operations = trace.events.iter_mut().map(|event| &mut event.operation);
    for operation in operations.chain(trace.pending.iter_mut().map(|pending| &mut pending.operation)) {
        if let Operation::Cond(
            CondOperation::WaitRelease { mutexes: known, .. }
            | CondOperation::WaitExpire { mutexes: known, .. }
            | CondOperation::WaitReacquire { mutexes: known, .. },
        ) = operation
        {
            *known = mutexes;
        }
    }
    trace
}
