//! Who holds which mutex after each step of a trace.

use inspect_core::event::{Event, HoldChange, Object, ThreadId};
use std::collections::BTreeMap;

/// The mutexes held at one moment, with how often (recursive mutexes).
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Held {
    alone: BTreeMap<(ThreadId, Object), u32>,
    /// Read-write locks held for reading.
    for_reading: BTreeMap<(ThreadId, Object), i32>,
}

impl Held {
    /// The state after all of `events`.
    pub fn after(events: &[Event]) -> Held {
        let mut held = Held::default();
        events.iter().for_each(|event| held.step(event));
        held
    }

    /// Takes one more event into account.
    pub fn step(&mut self, event: &Event) {
        for (range, touch) in event.operation.footprint().iter().filter(|(_, touch)| touch.change_of_readers() != 0) {
            *self.for_reading.entry((event.thread, Object(range.start))).or_default() += touch.change_of_readers();
        }
        let Some((mutex, change)) = event.operation.hold() else { return };
        let at = (event.thread, mutex);
        match change {
            HoldChange::Takes => *self.alone.entry(at).or_default() += 1,
            HoldChange::Gives => {
                if let Some(count) = self.alone.get_mut(&at) {
                    *count -= 1;
                    if *count == 0 {
                        self.alone.remove(&at);
                    }
                }
            }
            // The report shows it as held by the thread that took it and did not give it back.
            HoldChange::Clears => {}
        }
    }

    /// What `thread` holds, alone or with other readers.
    pub fn by(&self, thread: ThreadId) -> impl Iterator<Item = Object> {
        let for_reading = self.for_reading.iter().filter(|(_, holds)| **holds > 0).map(|(key, _)| key);
        self.alone.keys().chain(for_reading).filter(move |(holder, _)| *holder == thread).map(|(_, mutex)| *mutex)
    }

    /// Who has a read-write lock for reading.
    pub fn readers(&self, rwlock: Object) -> impl Iterator<Item = ThreadId> {
        self.for_reading
            .iter()
            .filter(move |((_, held), holds)| *held == rwlock && **holds > 0)
            .map(|((who, _), _)| *who)
    }

    /// Who holds `mutex`.
    pub fn holder(&self, mutex: Object) -> Option<ThreadId> {
        self.alone.keys().find(|(_, held)| *held == mutex).map(|(holder, _)| *holder)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use inspect_core::event::{Alternatives, CondOperation, MutexOperation, Mutexes, Operation, SiteId, ThreadSet};

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
        held.step(&event(1, Operation::Cond(CondOperation::WaitRelease { cond: c, mutex: m, mutexes: Mutexes::One })));
        assert_eq!(held.holder(m), None);
        held.step(&event(2, Operation::Mutex(MutexOperation::TryLock { mutex: m, acquired: true })));
        assert_eq!(held.by(ThreadId(2)).collect::<Vec<_>>(), [m]);
        assert_eq!(held.by(ThreadId(1)).count(), 0);
    }
}
