//! Compares the local states of a model's threads by what has changed in them (`--local-states delta`), and checks the
//! result against the local states themselves.
//!
//! The registers of a thread stand for the variables of one function, or of two of which one has called the other. Each
//! function has an identity. A statement assigns to its register openly, which makes a known delta, or *blindly*, as a
//! library or a write through a pointer does, which makes an unknown delta of each function that has a register
//! assigned to blindly. If a function assigns openly to all registers that it uses between two visible operations, its
//! delta covers everything.

use super::{Program, REGISTERS, Random, Statement};
use crate::event::{Event, MAX_THREADS, ThreadId};
use crate::hash::Hasher128;
use crate::run::{Covers, Identity, Linking, Places, StateKey};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::cell::RefCell;
use core::hash::Hash;
use core::ops::Range;

/// The most functions that a thread is in.
const FUNCTIONS: usize = 2;

/// Registers, one bit each.
type Registers = u8;

/// What a thread has assigned since its last visible operation.
#[derive(Clone, Copy, Default, Debug)]
struct Assigned {
    openly: Registers,
    blindly: bool,
}

/// The identities of a program's threads in the present run.
#[derive(Debug)]
pub struct Identities {
    linking: Linking,
    /// The registers of each function.
    functions: [Range<usize>; FUNCTIONS],
    /// By body and statement: whether it assigns blindly.
    blind: Vec<Vec<bool>>,
    /// By body: all registers that it assigns to, and those that it assigns to blindly.
    used: Vec<(Registers, Registers)>,
    places: Places,
    threads: [[Identity; FUNCTIONS]; MAX_THREADS],
    assigned: [Assigned; MAX_THREADS],
    states: RefCell<StatesSoFar>,
}

/// The states so far, for the check.
#[derive(Debug, Default)]
struct StatesSoFar {
    /// By the key that a state has with identities, the key that it has with its registers.
    exact: BTreeMap<StateKey, StateKey>,
    mistakes: u64,
}

fn bits(range: &Range<usize>) -> Registers {
    range.clone().fold(0, |all, register| all | 1 << register)
}

impl Identities {
    /// Identities for a program in which about one in `blind` statements assigns blindly; none does for 0.
    pub fn new(program: &Program, linking: Linking, blind: u64, random: &mut Random) -> Self {
        let mut draw = || blind > 0 && random.once_in(blind);
        let mut draws = |body: &Vec<Statement>| body.iter().map(|_| draw()).collect();
        let blind: Vec<Vec<bool>> = program.bodies.iter().map(&mut draws).collect();
        let used = |(body, blind): (&Vec<Statement>, &Vec<bool>)| {
            body.iter().zip(blind).fold((0, 0), |(all, some), (statement, blind)| {
                let bit = statement.register().map_or(0, |register| 1 << register);
                (all | bit, if *blind { some | bit } else { some })
            })
        };
        let outer = if random.once_in(2) { 1 } else { REGISTERS };
        Identities {
            linking,
            functions: [0..outer, outer..REGISTERS],
            used: program.bodies.iter().zip(&blind).map(used).collect(),
            blind,
            places: Places::default(),
            threads: [Default::default(); MAX_THREADS],
            assigned: [Assigned::default(); MAX_THREADS],
            states: RefCell::default(),
        }
    }

    /// How many times a state was taken for an earlier one in which some thread's registers are different.
    pub fn mistakes(&self) -> u64 {
        self.states.borrow().mistakes
    }

    pub(super) fn begin(&mut self) {
        self.places = Places::default();
        self.threads = [Default::default(); MAX_THREADS];
        self.assigned = [Assigned::default(); MAX_THREADS];
    }

    /// `thread` has performed a statement.
    pub(super) fn assigns(&mut self, thread: ThreadId, (body, at): (u8, u16), statement: &Statement) {
        let Some(register) = statement.register() else { return };
        let assigned = &mut self.assigned[thread.index()];
        if self.blind[body as usize][at as usize] {
            assigned.blindly = true;
        } else {
            assigned.openly |= 1 << register;
        }
    }

    /// `thread` has come to its next visible operation.
    pub(super) fn arrives(&mut self, thread: ThreadId, body: u8, registers: &[u64; REGISTERS], events: &[Event]) {
        let assigned = core::mem::take(&mut self.assigned[thread.index()]);
        let (used, exposed) = self.used[body as usize];
        for (number, own) in self.functions.iter().enumerate() {
            let identity = &mut self.threads[thread.index()][number];
            if assigned.blindly && exposed & bits(own) != 0 {
                let function = (thread.index() * FUNCTIONS + number) as u64;
                *identity = identity.unknown(function, self.places.here(events), self.linking);
            }
            let changed = assigned.openly & bits(own);
            if changed != 0 {
                let covers = if used & bits(own) == changed { Covers::Everything } else { Covers::Part };
                let mut hasher = Hasher128::default();
                (identity.start(covers, self.linking), changed).hash(&mut hasher);
                own.clone()
                    .filter(|register| changed >> register & 1 == 1)
                    .for_each(|r| registers[r].hash(&mut hasher));
                *identity = Identity::of(hasher.key());
            }
        }
    }

    /// Hashes the local state of a thread.
    pub(super) fn hash(&self, thread: ThreadId, hasher: &mut Hasher128) {
        self.threads[thread.index()].hash(hasher);
    }

    /// Checks a state that has the key `key` with identities and `exact` with its registers.
    pub(super) fn tells(&self, key: StateKey, exact: StateKey) {
        let states = &mut *self.states.borrow_mut();
        states.mistakes += u64::from(*states.exact.entry(key).or_insert(exact) != exact);
    }
}
