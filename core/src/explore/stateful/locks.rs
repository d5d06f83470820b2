//! Which mutexes are held where: two operations under a common mutex are never enabled at once (the locksets of the
//! dissertation's chapter 3), so that an operation that comes somewhere below a revisited state, under a mutex, is no race
//! with one of the path under the same mutex. It happens after it: the mutex is given back and taken in between.
//!
//! That holds while mutexes are given back by who took them. Operations that break it are told ([`Locks::seized_by`]), and the
//! search does without the mutex where one of them may come in between.

use super::Map;
use crate::event::{Footprint, Object, Operation, ThreadId, Touch};
use alloc::vec;
use alloc::vec::Vec;

/// Number of a set of mutexes, or of what is held by whom.
pub(super) type SetNumber = u32;

/// Nothing is held.
pub(super) const NO_LOCKS: SetNumber = 0;

type Holders = Vec<(Object, ThreadId, u32)>;

/// Sets of mutexes and of holders, each kept once.
#[derive(Debug)]
pub(super) struct Locks {
    sets: Vec<Vec<Object>>,
    set_numbers: Map<Vec<Object>, SetNumber>,
    holders: Vec<Holders>,
    holder_numbers: Map<Holders, SetNumber>,
    /// By number of holders: what each thread holds, as far as that was asked for.
    held: Vec<Vec<(ThreadId, SetNumber)>>,
    /// By number of holders: what becomes of them, as far as that was asked for.
    changed: Vec<Vec<(Object, ThreadId, Change, SetNumber)>>,
}

impl Default for Locks {
    fn default() -> Self {
        let mut locks = Locks {
            sets: vec![Vec::new()],
            set_numbers: Map::default(),
            holders: vec![Vec::new()],
            holder_numbers: Map::default(),
            held: vec![Vec::new()],
            changed: vec![Vec::new()],
        };
        locks.set_numbers.insert(Vec::new(), NO_LOCKS);
        locks.holder_numbers.insert(Vec::new(), NO_LOCKS);
        locks
    }
}

impl Locks {
    /// The mutexes in a set.
    pub(super) fn members(&self, set: SetNumber) -> &[Object] {
        &self.sets[set as usize]
    }

    /// What `thread` holds.
    pub(super) fn held_by(&mut self, holders: SetNumber, thread: ThreadId) -> SetNumber {
        if holders == NO_LOCKS {
            return NO_LOCKS;
        }
        let known = &mut self.held[holders as usize];
        if let Some(&(_, set)) = known.iter().find(|(other, _)| *other == thread) {
            return set;
        }
        let own = self.holders[holders as usize].iter().filter(|(_, holder, _)| *holder == thread);
        let set: Vec<Object> = own.map(|(mutex, ..)| *mutex).collect();
        let sets = &mut self.sets;
        let number = *self.set_numbers.entry(set).or_insert_with_key(|set| {
            sets.push(set.clone());
            sets.len() as SetNumber - 1
        });
        known.push((thread, number));
        number
    }

    /// Who holds what after an operation.
    pub(super) fn after(&mut self, holders: SetNumber, thread: ThreadId, operation: &Operation) -> SetNumber {
        let Some((mutex, change)) = effect(operation) else { return holders };
        let same =
            |known: &&(Object, ThreadId, Change, SetNumber)| (known.0, known.1, known.2) == (mutex, thread, change);
        if let Some(known) = self.changed[holders as usize].iter().find(same) {
            return known.3;
        }
        let mut now = self.holders[holders as usize].clone();
        let at = now.iter().position(|(other, ..)| *other == mutex);
        match (change, at) {
            (Change::Takes, Some(at)) if now[at].1 == thread => now[at].2 += 1,
            (Change::Takes, Some(at)) => now[at] = (mutex, thread, 1),
            (Change::Takes, None) => {
                now.push((mutex, thread, 1));
                now.sort_unstable();
            }
            (Change::Gives, Some(at)) if now[at].1 == thread && now[at].2 > 1 => now[at].2 -= 1,
            (Change::Gives | Change::Clears, Some(at)) => {
                now.remove(at);
            }
            (Change::Gives | Change::Clears, None) => {}
        }
        let (all, held, changed) = (&mut self.holders, &mut self.held, &mut self.changed);
        let number = *self.holder_numbers.entry(now).or_insert_with_key(|now| {
            all.push(now.clone());
            held.push(Vec::new());
            changed.push(Vec::new());
            all.len() as SetNumber - 1
        });
        changed[holders as usize].push((mutex, thread, change, number));
        number
    }

    /// The mutex that an operation takes from its holder, other than by giving it back.
    pub(super) fn seized_by(&self, holders: SetNumber, thread: ThreadId, operation: &Operation) -> Option<Object> {
        if holders == NO_LOCKS {
            return None;
        }
        let (mutex, change) = effect(operation)?;
        let (.., holder, _) = self.holders[holders as usize].iter().find(|(other, ..)| *other == mutex)?;
        (change == Change::Clears || *holder != thread).then_some(mutex)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Change {
    Takes,
    /// Once less.
    Gives,
    /// Altogether.
    Clears,
}

/// What an operation does to a mutex; it changes one at most.
fn effect(operation: &Operation) -> Option<(Object, Change)> {
    Footprint::of(operation).iter().find_map(|(range, touch)| {
        let change = match touch {
            Touch::Acquire | Touch::TryAcquire => Change::Takes,
            Touch::Release => Change::Gives,
            Touch::Lifecycle => Change::Clears,
            Touch::Read
            | Touch::Write
            | Touch::Compare
            | Touch::Probe
            | Touch::Enqueue
            | Touch::Dequeue
            | Touch::Wake
            | Touch::WakeNobody
            | Touch::OnceRun
            | Touch::OncePass
            | Touch::OnceDone => return None,
        };
        Some((Object(range.start), change))
    })
}
