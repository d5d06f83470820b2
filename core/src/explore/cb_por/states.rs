//! The states that a context-bounded search stores.
//!
//! A state is a set of actions, each of which stands for itself with everything that happens before it, so the set is
//! the happens-before graph. States are known by a hash of 128 bits: the exclusive or of the hashes of their actions
//! (see `cb_por` for the probability that two are taken for one).

use crate::event::{Alternatives, Event, ThreadId, ThreadSet};
use crate::hash::{Hasher128, Mixer, TableHash};
use core::hash::{Hash, Hasher};
use hashbrown::{HashMap, HashSet};

/// The hash of the state in which nothing has happened.
pub(super) const INITIAL: u128 = 0x243F_6A88_85A3_08D3_1319_8A2E_0370_7344;

/// A state from which an end within the bound can be reached that was not visited.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpenState {
    /// The context bound: the fewest preemptions of an order of its events.
    pub(super) cost: u32,
    /// The threads whose step from here costs no further preemption.
    pub(super) free: ThreadSet,
    /// The enabled threads.
    pub(super) enabled: ThreadSet,
    /// The threads whose step is within the bound, and has to be tried.
    pub(super) affordable_steps: ThreadSet,
    /// Of the threads in `affordable_steps`, those whose step may lead to something new.
    pub(super) open: ThreadSet,
    /// Its number in the list of prefixes, if it is a prefix of the present run.
    pub(super) listed: u32,
    /// The probability that a random walk reaches it if all steps within the bound from a state are equally likely.
    pub(super) reached: f64,
}

/// The alternatives of a thread in a state.
#[derive(Clone, Copy, Debug)]
struct Choices {
    alternatives: Alternatives,
    /// How many of them may lead to something new.
    left: u64,
}

/// A step within the bound that may lead to something new.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpenStep {
    pub(super) thread: ThreadId,
    pub(super) choice: u32,
    /// The state it leads to, if that is known.
    pub(super) next: Option<u128>,
}

type Map<V> = HashMap<u128, V, TableHash>;

/// The states of a search.
#[derive(Debug, Default)]
pub(super) struct StateTable {
    pub(super) open: Map<OpenState>,
    /// States below which everything was visited.
    closed: HashSet<u128, TableHash>,
    /// By step: the open state it leads to.
    steps: Map<u128>,
    /// By state and thread, where there are several alternatives.
    choices: Map<Choices>,
    /// Steps whose run was lost.
    lost: HashSet<u128, TableHash>,
}

impl StateTable {
    /// The number of states stored.
    pub(super) fn len(&self) -> usize {
        self.open.len() + self.closed.len()
    }

    /// The memory that the stored states take. The unit is the memory of one closed state; an open state counts as 16
    /// of these, since it also has steps and a place in the list of prefixes.
    pub(super) fn size(&self) -> usize {
        16 * self.open.len() + self.closed.len()
    }

    /// Whether this state was [closed](Self::close).
    pub(super) fn is_closed(&self, state: u128) -> bool {
        self.closed.contains(&state)
    }

    /// Closes a state, below which everything was visited. Returns what was stored of it while it was open.
    pub(super) fn close(&mut self, state: u128) -> Option<OpenState> {
        self.closed.insert(state);
        self.open.remove(&state)
    }

    /// Stores the alternatives of a thread in a state.
    pub(super) fn note_choices(&mut self, state: u128, thread: ThreadId, alternatives: Alternatives) {
        let first = alternatives.default_choice();
        let left = 1 + alternatives.left_after(first);
        // A step without alternatives has choice 0, and nothing to store.
        if left > 1 || first != 0 {
            self.choices.insert(step(state, thread, CHOICES), Choices { alternatives, left });
        }
    }

    /// The number of alternatives of a thread in a state.
    pub(super) fn choices(&self, state: u128, thread: ThreadId) -> u64 {
        let choices = self.choices.get(&step(state, thread, CHOICES));
        choices.map_or(1, |choices| 1 + choices.alternatives.left_after(choices.alternatives.default_choice()))
    }

    /// Stores the successor for a step.
    pub(super) fn note_step(&mut self, state: u128, thread: ThreadId, choice: u32, next: u128) {
        self.steps.insert(step(state, thread, choice), next);
    }

    /// The run of a step was lost: the step is not tried again.
    pub(super) fn note_lost(&mut self, state: u128, open_step: &OpenStep) {
        self.lost.insert(step(state, open_step.thread, open_step.choice));
    }

    /// Notes that the step from `state` with this alternative leads to nothing new any more. True if no step from
    /// `state` leads to something new any more.
    pub(super) fn leave(&mut self, state: u128, thread: ThreadId, choice: u32) -> bool {
        let Some(open) = self.open.get_mut(&state).filter(|open| open.open.contains(thread)) else { return false };
        let key = step(state, thread, CHOICES);
        if let Some(choices) = self.choices.get_mut(&key) {
            // The step stays in the table: its closed successor excludes it while other alternatives are left.
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

    /// A step from a state that may lead to something new.
    pub(super) fn open_step(&self, state: u128) -> Option<OpenStep> {
        let open = self.open.get(&state)?.open;
        open.iter().find_map(|thread| {
            let alternatives = self.choices.get(&step(state, thread, CHOICES)).map(|choices| choices.alternatives);
            let mut each = Some(alternatives.map_or(0, Alternatives::default_choice));
            while let Some(choice) = each {
                let key = step(state, thread, choice);
                let next = self.steps.get(&key).copied();
                if !self.lost.contains(&key) && !next.is_some_and(|next| self.closed.contains(&next)) {
                    return Some(OpenStep { thread, choice, next });
                }
                each = alternatives.and_then(|alternatives| alternatives.after(choice));
            }
            None
        })
    }
}

/// In place of a choice: all alternatives of the thread.
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
