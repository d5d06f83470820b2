//! The local states of a model's threads told by what changes in them (`--local-states delta`), with a check against what
//! they are.
//!
//! The registers of a thread are the variables of one function, or of two of which one has called the other: each has an
//! identity. A
//! statement assigns to its register openly, or *blindly*, as a library or a pointer does: then what is told is that something
//! has changed in a function that is open to that. A function that assigns to all its registers from one visible operation to
//! the next tells that as well.

use super::{Program, REGISTERS, Random, Statement};
use crate::event::{Event, MAX_THREADS, ThreadId};
use crate::hash::Hasher128;
use crate::run::{Covers, Identity, Linking, Places, StateKey};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::cell::RefCell;
use core::hash::Hash;
use core::ops::Range;

/// How many functions a thread is in at most.
const FUNCTIONS: usize = 2;

/// Registers, one bit each.
type Registers = u8;

/// What a thread has assigned since its last visible operation.
#[derive(Clone, Copy, Default, Debug)]
struct Assigned {
    openly: Registers,
    blindly: bool,
}

/// What is known of a program, and of where a run is.
#[derive(Debug)]
pub struct Identities {
    linking: Linking,
    /// The registers of each function.
    functions: [Range<usize>; FUNCTIONS],
    /// By body and statement: whether it assigns blindly.
    blind: Vec<Vec<bool>>,
    /// By body: the registers that it assigns to at all, and those assigned to blindly.
    used: Vec<(Registers, Registers)>,
    places: Places,
    threads: [[Identity; FUNCTIONS]; MAX_THREADS],
    assigned: [Assigned; MAX_THREADS],
    told: RefCell<Told>,
}

/// What was said of states so far.
#[derive(Debug, Default)]
struct Told {
    /// What states with these identities are.
    exact: BTreeMap<StateKey, StateKey>,
    mistakes: u64,
}

fn bits(range: &Range<usize>) -> Registers {
    range.clone().fold(0, |all, register| all | 1 << register)
}

impl Identities {
    /// Of a program in which about one in `blind` statements assigns blindly; none does for 0.
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
            told: RefCell::default(),
        }
    }

    /// How many times states were taken for the same in which some thread's registers differ.
    pub fn mistakes(&self) -> u64 {
        self.told.borrow().mistakes
    }

    pub(super) fn begin(&mut self) {
        self.places = Places::default();
        self.threads = [Default::default(); MAX_THREADS];
        self.assigned = [Assigned::default(); MAX_THREADS];
    }

    /// A thread has performed a statement.
    pub(super) fn assigns(&mut self, thread: ThreadId, (body, at): (u8, u16), statement: &Statement) {
        let Some(register) = statement.register() else { return };
        let assigned = &mut self.assigned[thread.index()];
        if self.blind[body as usize][at as usize] {
            assigned.blindly = true;
        } else {
            assigned.openly |= 1 << register;
        }
    }

    /// A thread has come to its next visible operation.
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

    /// Takes in the local state of a thread.
    pub(super) fn hash(&self, thread: ThreadId, hasher: &mut Hasher128) {
        self.threads[thread.index()].hash(hasher);
    }

    /// A state that has one key by identities is this one.
    pub(super) fn tells(&self, key: StateKey, exact: StateKey) {
        let told = &mut *self.told.borrow_mut();
        told.mistakes += u64::from(*told.exact.entry(key).or_insert(exact) != exact);
    }
}
