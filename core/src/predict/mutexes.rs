//! The mutexes of a run whose critical sections may change places, or be left out.

use crate::event::{Event, HoldChange, Object, Operation};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

/// A mutex taken by an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hold {
    /// The mutex.
    pub mutex: Object,
    /// The event that gives it back, if one does.
    pub release: Option<u32>,
}

/// The mutex that an operation takes or gives back, if it does nothing else.
pub(super) fn locked(operation: &Operation) -> Option<(Object, HoldChange)> {
    let (mutex, change) = operation.hold()?;
    let alone = operation.footprint().parts()[1].is_none() && operation.objects()[1].is_none();
    let is_plain = match change {
        HoldChange::Takes => operation.need().mutex() == Some(mutex),
        HoldChange::Gives => true,
        HoldChange::Clears => false,
    };
    (alone && is_plain).then_some((mutex, change))
}

/// The events that take each plain mutex, with those that give it back. A mutex is plain if it is locked and unlocked
/// by turns, each time by the same thread, and whatever else is done to it comes before all that or after it.
pub(super) fn plain_mutexes(events: &[Event]) -> BTreeMap<Object, Vec<(u32, Option<u32>)>> {
    let mut all: BTreeMap<Object, Vec<(u32, Option<u32>)>> = BTreeMap::new();
    let (mut over, mut others) = (BTreeSet::new(), BTreeSet::new());
    for (position, event) in events.iter().enumerate() {
        let position = position as u32;
        let is_plain = match locked(&event.operation) {
            Some((mutex, HoldChange::Takes)) => {
                let holds = all.entry(mutex).or_default();
                let is_free = holds.last().is_none_or(|(_, release)| release.is_some());
                holds.push((position, None));
                is_free && !over.contains(&mutex)
            }
            Some((mutex, HoldChange::Gives)) => {
                let last = all.entry(mutex).or_default().last_mut();
                let own =
                    last.filter(|(taken, release)| release.is_none() && events[*taken as usize].thread == event.thread);
                let is_own = own.is_some();
                own.into_iter().for_each(|(_, release)| *release = Some(position));
                is_own && !over.contains(&mutex)
            }
            Some((_, HoldChange::Clears)) | None => {
                let touched = event.operation.footprint().iter().map(|(range, _)| Object(range.start));
                over.extend(touched.filter(|object| all.contains_key(object)));
                true
            }
        };
        others.extend(locked(&event.operation).map(|(mutex, _)| mutex).filter(|_| !is_plain));
    }
    all.retain(|mutex, _| !others.contains(mutex));
    all
}
