//! What a context-bounded search remembers of states.
//!
//! A state is a set of actions, each of which stands for itself with everything that happens before it, so the set is the
//! happens-before graph. States are known by a hash of 128 bits: the exclusive or of the hashes of their actions (see
//! `cb_por` for the probability that two are taken for one).

use crate::event::{Alternatives, Event, ThreadId, ThreadSet};
use crate::hash::{Hasher128, Mixer, TableHash};
use core::hash::{Hash, Hasher};
use hashbrown::{HashMap, HashSet};

/// The hash of the state in which nothing has happened.
pub(super) const INITIAL: u128 = 0x243F_6A88_85A3_08D3_1319_8A2E_0370_7344;

/// A state from which there is somewhere to go that has not been visited.
#[derive(Clone, Copy, Debug)]
pub(super) struct Open {
    /// The context bound: the fewest preemptions of an order of its events.
    pub(super) cost: u32,
    /// Who can go on without one preemption more.
    pub(super) free: ThreadSet,
    /// Who can go on.
    pub(super) enabled: ThreadSet,
    /// Who goes on within the bound.
    pub(super) goes: ThreadSet,
    /// Of these, who has still somewhere to go.
    pub(super) open: ThreadSet,
    /// Its number among the prefixes of the present run, if it is one.
    pub(super) listed: u32,
    /// The probability of reaching it if every step within the bound is as likely as the others.
    pub(super) reached: f64,
}

/// The alternatives of a thread in a state.
#[derive(Clone, Copy, Debug)]
struct Choices {
    alternatives: Alternatives,
    /// How many have still somewhere to go.
    left: u64,
}

/// A step within the bound that may lead somewhere new.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way {
    pub(super) thread: ThreadId,
    pub(super) choice: u32,
    /// The state it leads to, if that is known.
    pub(super) next: Option<u128>,
}

type Map<V> = HashMap<u128, V, TableHash>;

/// The states of a search.
#[derive(Debug, Default)]
pub(super) struct States {
    pub(super) open: Map<Open>,
    /// States beyond which nothing is new.
    closed: HashSet<u128, TableHash>,
    /// By step: the open state it leads to.
    steps: Map<u128>,
    /// By state and thread, where there are several alternatives.
    choices: Map<Choices>,
    /// Steps whose run was lost.
    lost: HashSet<u128, TableHash>,
}

impl States {
    /// How many states are remembered.
    pub(super) fn len(&self) -> usize {
        self.open.len() + self.closed.len()
    }

    /// The memory they take, in closed states: an open one has its steps and is listed as well.
    pub(super) fn size(&self) -> usize {
        16 * self.open.len() + self.closed.len()
    }

    pub(super) fn is_closed(&self, state: u128) -> bool {
        self.closed.contains(&state)
    }

    /// Nothing beyond this state is new any more.
    pub(super) fn close(&mut self, state: u128) -> Option<Open> {
        self.closed.insert(state);
        self.open.remove(&state)
    }

    /// Notes that a thread can choose in a state.
    pub(super) fn note_choices(&mut self, state: u128, thread: ThreadId, alternatives: Alternatives) {
        let first = alternatives.default_choice();
        let left = 1 + alternatives.left_after(first);
        // Who chooses nothing takes 0.
        if left > 1 || first != 0 {
            self.choices.insert(step(state, thread, CHOICES), Choices { alternatives, left });
        }
    }

    /// How many alternatives a thread has in a state.
    pub(super) fn choices(&self, state: u128, thread: ThreadId) -> u64 {
        let choices = self.choices.get(&step(state, thread, CHOICES));
        choices.map_or(1, |choices| 1 + choices.alternatives.left_after(choices.alternatives.default_choice()))
    }

    /// Notes where a step leads.
    pub(super) fn note_step(&mut self, state: u128, thread: ThreadId, choice: u32, next: u128) {
        self.steps.insert(step(state, thread, choice), next);
    }

    pub(super) fn note_lost(&mut self, state: u128, way: &Way) {
        self.lost.insert(step(state, way.thread, way.choice));
    }

    /// This step from `state`, if that is open for it, leads nowhere new any more. True if no step from there does.
    pub(super) fn leave(&mut self, state: u128, thread: ThreadId, choice: u32) -> bool {
        let Some(open) = self.open.get_mut(&state).filter(|open| open.open.contains(thread)) else { return false };
        let key = step(state, thread, CHOICES);
        if let Some(choices) = self.choices.get_mut(&key) {
            // The step stays: that it is known tells it from those not taken yet.
            choices.left -= 1;
            if choices.left > 0 {
                return false;
            }
            let mut each = Some(choices.alternatives.default_choice());
            while let Some(choice) = each {
                self.steps.remove(&step(state, thread, choice));
                each = choices.alternatives.after(choice);
            }
            self.choices.remove(&key);
        } else {
            self.steps.remove(&step(state, thread, choice));
        }
        open.open.remove(thread);
        open.open.is_empty()
    }

    /// A step that may lead somewhere new.
    pub(super) fn way(&self, state: u128) -> Option<Way> {
        let open = self.open.get(&state)?.open;
        open.iter().find_map(|thread| {
            let alternatives = self.choices.get(&step(state, thread, CHOICES)).map(|choices| choices.alternatives);
            let mut each = Some(alternatives.map_or(0, Alternatives::default_choice));
            while let Some(choice) = each {
                let key = step(state, thread, choice);
                let next = self.steps.get(&key).copied();
                if !self.lost.contains(&key) && !next.is_some_and(|next| self.closed.contains(&next)) {
                    return Some(Way { thread, choice, next });
                }
                each = alternatives.and_then(|alternatives| alternatives.after(choice));
            }
            None
        })
    }
}

/// In the place of a choice: all of them.
const CHOICES: u32 = u32::MAX;

/// The hash of a step.
fn step(state: u128, thread: ThreadId, choice: u32) -> u128 {
    state ^ Mixer::new(u64::from(thread.0) << 32 | u64::from(choice)).finish()
}

/// The hash of an action: an event, the `index`-th of its thread, with what happens before it.
pub(super) fn action(event: &Event, index: u32, clock: &[u32]) -> u128 {
    let mut hasher = Hasher128::default();
    hasher.write_u64(u64::from(event.thread.0) << 32 | u64::from(index));
    event.operation.hash(&mut hasher);
    hasher.write_u64(u64::from(event.choice));
    for (thread, &count) in clock.iter().enumerate().filter(|(_, count)| **count != 0) {
        hasher.write_u64((thread as u64) << 32 | u64::from(count));
    }
    hasher.key()
}
