//! Who holds which mutex after each step of a trace.

use inspect_core::event::{Event, HoldChange, Object, ThreadId};
use std::collections::BTreeMap;

/// The mutexes held at one moment, with how often (recursive mutexes).
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Held(BTreeMap<(ThreadId, Object), u32>);

impl Held {
    /// The state after all of `events`.
    pub fn after(events: &[Event]) -> Held {
        let mut held = Held::default();
        events.iter().for_each(|event| held.step(event));
        held
    }

    /// Takes one more event into account.
    pub fn step(&mut self, event: &Event) {
        let Some((mutex, change)) = event.operation.hold() else { return };
        let at = (event.thread, mutex);
        match change {
            HoldChange::Takes => *self.0.entry(at).or_default() += 1,
            HoldChange::Gives => {
                if let Some(count) = self.0.get_mut(&at) {
                    *count -= 1;
                    if *count == 0 {
                        self.0.remove(&at);
                    }
                }
            }
            // The report shows it as held by the thread that took it and did not give it back.
            HoldChange::Clears => {}
        }
    }

    /// What `thread` holds.
    pub fn by(&self, thread: ThreadId) -> impl Iterator<Item = Object> {
        self.0.keys().filter(move |(holder, _)| *holder == thread).map(|(_, mutex)| *mutex)
    }

    /// Who holds `mutex`.
    pub fn holder(&self, mutex: Object) -> Option<ThreadId> {
        self.0.keys().find(|(_, held)| *held == mutex).map(|(holder, _)| *holder)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use inspect_core::event::{Alternatives, CondOperation, MutexOperation, Operation, SiteId, ThreadSet};

    #[test]
    fn a_recursive_mutex_is_held_until_its_last_unlock_and_a_wait_gives_it_up() {
        let event = |thread, operation| Event {
            thread: ThreadId(thread),
            operation,
            choice: 0,
            alternatives: Alternatives::None,
            enabled: ThreadSet::EMPTY,
            enabled_by: None,
            site: SiteId(0),
        };
        let (m, c) = (Object(8), Object(16));
        let mut held = Held::default();
        held.step(&event(1, Operation::Mutex(MutexOperation::Lock(m))));
        held.step(&event(1, Operation::Mutex(MutexOperation::Lock(m))));
        held.step(&event(1, Operation::Mutex(MutexOperation::Unlock(m))));
        assert_eq!(held.holder(m), Some(ThreadId(1)));
        held.step(&event(1, Operation::Cond(CondOperation::WaitRelease { cond: c, mutex: m })));
        assert_eq!(held.holder(m), None);
        held.step(&event(2, Operation::Mutex(MutexOperation::TryLock { mutex: m, acquired: true })));
        assert_eq!(held.by(ThreadId(2)).collect::<Vec<_>>(), [m]);
        assert_eq!(held.by(ThreadId(1)).count(), 0);
    }
}
