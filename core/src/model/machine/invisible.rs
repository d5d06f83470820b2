//! Plain accesses that are no visible operations.

use super::Machine;
use crate::detect::Discipline;
use crate::event::{ByteRange, Record, RecordKind, ThreadId};
use crate::model::Statement;
use crate::run::{Run, States};
use alloc::boxed::Box;
use alloc::vec::Vec;

/// Which plain accesses are no visible operations.
#[derive(Debug)]
pub(super) enum Hides {
    Nothing,
    Everything,
    /// Those of locations that keep to the locking discipline; the locations that do not are listed.
    Disciplined(Box<Discipline>, Vec<ByteRange>),
}

impl Hides {
    fn hides(&self, range: ByteRange) -> bool {
        match self {
            Hides::Nothing => false,
            Hides::Everything => true,
            Hides::Disciplined(_, promoted) => !promoted.iter().any(|visible| visible.overlaps(range)),
        }
    }

    pub(super) fn begin(&mut self, run: &Run) {
        if let Hides::Disciplined(discipline, _) = self {
            discipline.begin(run);
        }
    }

    pub(super) fn take_in(&mut self, run: &Run) {
        if let Hides::Disciplined(discipline, _) = self {
            discipline.take_in(run, run.events());
        }
    }
}

impl<'p> Machine<'p> {
    /// A machine that compares states, and hides the plain accesses that keep to the locking discipline.
    pub fn with_discipline(
        program: &'p super::Program,
        max_steps: u32,
        states: States,
        discipline: Discipline,
    ) -> Self {
        let mut machine = Machine::with_states(program, max_steps, states);
        machine.hides = Hides::Disciplined(Box::new(discipline), Vec::new());
        machine
    }

    /// Makes the accesses visible of locations that were found to break the discipline. If there are any, forgets all
    /// states and returns true: the search has to begin again.
    pub fn promote(&mut self, states: impl FnOnce() -> States) -> bool {
        let Hides::Disciplined(discipline, promoted) = &mut self.hides else { return false };
        let found = discipline.take_found();
        let lost = discipline.lost_a_mutex(&self.run);
        if found.is_empty() && !lost {
            return false;
        }
        promoted.extend(found);
        discipline.begin_anew();
        self.run.record_states(states());
        self.locals.clear();
        true
    }

    /// The locations that were found to break the discipline, whose accesses are visible.
    pub fn promoted(&self) -> &[ByteRange] {
        match &self.hides {
            Hides::Nothing | Hides::Everything => &[],
            Hides::Disciplined(_, promoted) => promoted,
        }
    }

    /// Performs the next statement of `thread` if it is a plain access that is hidden. Returns whether it did.
    pub(super) fn does_hidden(&mut self, thread: ThreadId) -> bool {
        let slot = &mut self.memory.threads[thread.index()];
        let Some(&statement) = self.program.bodies[slot.body as usize].get(slot.at as usize) else { return false };
        let (Statement::Read(place, _) | Statement::Write(place, _)) = statement else { return false };
        let registers = slot.registers;
        let range = place.range(&registers);
        if !self.hides.hides(range) {
            return false;
        }
        let variable = place.number(&registers) as usize;
        if self.run.states().is_some() {
            self.locals.insert((thread, slot.at, registers));
        }
        slot.at += 1;
        let write = match statement {
            Statement::Write(_, value) => {
                place.write(&mut self.memory.variables[variable..], value.of(&registers));
                true
            }
            Statement::Read(_, register) => {
                slot.registers[register as usize] = place.read(&self.memory.variables[variable..]);
                false
            }
            _ => return false,
        };
        if let Hides::Disciplined(discipline, _) = &mut self.hides {
            discipline.plain(&self.run, thread, range, write);
        }
        if self.records.is_some() {
            let trace = self.run.trace_mut();
            let here = crate::model::facts::point(self.program, slot.body, slot.at - 1);
            let kind = RecordKind::Access { point: Some(here), range, write };
            trace.records.push(Record { at: trace.events.len() as u32, thread, kind });
        }
        true
    }
}
