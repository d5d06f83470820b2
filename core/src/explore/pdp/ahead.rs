//! What may be done after a state, and which of it is in conflict.

use super::clocks::Clocks;
use super::code::{Code, PlacesId};
use super::facts::{Family, What};
use super::held::{HeldId, HeldSets};
use super::past::Past;
use super::subspace::SeededBug;
use super::walk::Stop;
use crate::event::{Operation, ThreadId};
use crate::ranges::{NO_RANGE, RangeId, Ranges};
use alloc::vec::Vec;

const NONE: u32 = u32::MAX;

/// Something that may happen in the subspace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Possible {
    pub(super) thread: ThreadId,
    pub(super) what: What,
    /// Where, if that is the same in all executions of the subspace; otherwise [`NO_RANGE`].
    pub(super) location: RangeId,
    pub(super) places: PlacesId,
    /// The point, if it is something that the run did.
    pub(super) point: Option<u32>,
    pub(super) held: HeldId,
    /// Number of the clock: what comes before in all executions of the subspace.
    pub(super) clock: u32,
    /// Its own time in clocks.
    pub(super) epoch: u32,
    /// The operation, if the run did it and it was a visible one.
    pub(super) operation: Option<Operation>,
}

/// What is looked at first in two possibilities.
#[derive(Clone, Copy, Debug)]
struct Brief {
    thread: ThreadId,
    family: Family,
    writes: bool,
    places: PlacesId,
}

impl Brief {
    fn of(thread: ThreadId, what: What, places: PlacesId) -> Brief {
        Brief { thread, family: what.family(), writes: what.writes(), places }
    }

    /// They may be in conflict, if they meet.
    fn conflicts(self, other: Brief) -> bool {
        self.thread != other.thread && self.family == other.family && (self.writes || other.writes)
    }
}

/// Everything that may happen.
#[derive(Debug, Default)]
pub(super) struct Ahead {
    pub(super) all: Vec<Possible>,
    brief: Vec<Brief>,
    /// By possibility: another one for its location.
    before: Vec<u32>,
    /// By location: the look, and the last possibilities that do not write and that write.
    heads: Vec<(u32, [u32; 2])>,
    look: u32,
    /// Those that are not known to be in one location.
    wide: Vec<u32>,
    /// Pairs in conflict.
    pairs: Vec<(u32, u32)>,
    contested: Vec<bool>,
}

impl Ahead {
    pub(super) fn clear(&mut self) {
        self.all.clear();
        self.brief.clear();
        self.before.clear();
        self.wide.clear();
        self.pairs.clear();
        self.look += 1;
    }

    fn heads(&self, location: RangeId) -> [u32; 2] {
        match self.heads.get(location as usize) {
            Some(&(look, heads)) if look == self.look => heads,
            _ => [NONE; 2],
        }
    }

    /// Adds a possibility, unless it is known.
    pub(super) fn add(&mut self, possible: Possible, context: &mut Context<'_>) -> Result<(), Stop> {
        let number = self.all.len() as u32;
        let is_exact = possible.location != NO_RANGE;
        let mut before = NONE;
        if is_exact {
            before = self.heads(possible.location)[usize::from(possible.what.writes())];
            let mut at = before;
            while at != NONE {
                if self.all[at as usize] == possible {
                    return Ok(());
                }
                at = self.before[at as usize];
            }
        } else if self.wide.iter().any(|&at| self.all[at as usize] == possible) {
            return Ok(());
        }
        let brief = Brief::of(possible.thread, possible.what, possible.places);
        if brief.family != Family::Condition {
            if is_exact {
                self.meet_exact(number, &possible, brief, context)?;
            } else {
                self.meet_wide(number, &possible, brief, context)?;
            }
        }
        self.all.push(possible);
        self.brief.push(brief);
        self.before.push(before);
        if is_exact {
            let location = possible.location as usize;
            if self.heads.len() <= location {
                self.heads.resize(location + 1, (0, [NONE; 2]));
            }
            let mut heads = self.heads(possible.location);
            heads[usize::from(brief.writes)] = number;
            self.heads[location] = (self.look, heads);
        } else {
            self.wide.push(number);
        }
        Ok(())
    }

    /// Looks for conflicts of something whose location is known.
    fn meet_exact(
        &mut self,
        number: u32,
        possible: &Possible,
        brief: Brief,
        context: &mut Context<'_>,
    ) -> Result<(), Stop> {
        let ranges = context.ranges;
        for &location in ranges.overlaps(possible.location).iter().chain([&possible.location]) {
            context.meet_past(possible, brief, context.past.at(location, brief.writes), false)?;
            let [readers, writers] = self.heads(location);
            for mut at in [if brief.writes { readers } else { NONE }, writers] {
                while at != NONE {
                    if self.brief[at as usize].conflicts(brief) {
                        self.meet(number, possible, at, context)?;
                    }
                    at = self.before[at as usize];
                }
            }
        }
        for index in 0..self.wide.len() {
            let at = self.wide[index];
            let other = self.brief[at as usize];
            if other.conflicts(brief) && context.code.meet(brief.places, other.places) {
                self.meet(number, possible, at, context)?;
            }
        }
        Ok(())
    }

    /// The same if only the objects are known.
    fn meet_wide(
        &mut self,
        number: u32,
        possible: &Possible,
        brief: Brief,
        context: &mut Context<'_>,
    ) -> Result<(), Stop> {
        context.meet_past(possible, brief, context.past.everywhere(brief.writes), true)?;
        for at in 0..number {
            let other = self.brief[at as usize];
            if other.conflicts(brief) && context.code.meet(brief.places, other.places) {
                self.meet(number, possible, at, context)?;
            }
        }
        Ok(())
    }

    /// Notes that two possibilities in conflict may touch the same bytes.
    fn meet(&mut self, number: u32, one: &Possible, at: u32, context: &mut Context<'_>) -> Result<(), Stop> {
        let other = &self.all[at as usize];
        self.pairs.push((at, number));
        let atomic = one.what.is_atomic() && other.what.is_atomic();
        let mut protected = || one.what.family() == Family::Memory && !context.held.may_be_apart(one.held, other.held);
        let (a, b) = (other, one);
        if atomic || context.clocks.ordered(a, b) || context.clocks.ordered(b, a) || protected() {
            return Ok(());
        }
        Err(Stop::Race)
    }

    /// The points at which the run read a value after the state that may be another one in other executions.
    pub(super) fn unstable(&mut self, clocks: &Clocks, points: &mut Vec<u32>) {
        // Writes of different threads in no certain order: whoever reads later sees either.
        self.contested.clear();
        self.contested.resize(self.all.len(), false);
        let mut contested = false;
        for &(at_a, at_b) in &self.pairs {
            let (a, b) = (&self.all[at_a as usize], &self.all[at_b as usize]);
            if clocks.ordered(a, b) || clocks.ordered(b, a) {
                continue;
            }
            for (reader, writer) in [(a, b), (b, a)] {
                if reader.what.reads() && writer.what.writes() {
                    points.extend(reader.point);
                }
            }
            if a.what.writes() && b.what.writes() {
                (self.contested[at_a as usize], self.contested[at_b as usize]) = (true, true);
                contested = true;
            }
        }
        let pairs = if contested { &self.pairs[..] } else { &[] };
        for &(a, b) in pairs {
            for (reader, writer) in [(a, b), (b, a)] {
                let (one, other) = (&self.all[reader as usize], &self.all[writer as usize]);
                if self.contested[writer as usize] && one.what.reads() && !clocks.ordered(one, other) {
                    points.extend(one.point);
                }
            }
        }
    }
}

/// What possibilities are compared by.
pub(super) struct Context<'a> {
    pub(super) code: &'a Code,
    pub(super) ranges: &'a Ranges,
    pub(super) past: &'a Past,
    pub(super) held: &'a mut HeldSets,
    pub(super) clocks: &'a Clocks,
    pub(super) seeded_bug: SeededBug,
}

impl Context<'_> {
    /// Looks for a race with something before the state.
    fn meet_past(
        &mut self,
        one: &Possible,
        brief: Brief,
        past: impl Iterator<Item = (super::past::Kind, u32)>,
        wide: bool,
    ) -> Result<(), Stop> {
        for (kind, epoch) in past {
            let what = kind.what;
            let conflicts = Brief::of(kind.thread, what, kind.places).conflicts(brief);
            if !conflicts || self.seeded_bug == SeededBug::AboutThePast {
                continue;
            }
            let meets = !wide || self.code.meet(one.places, kind.places);
            if !meets || what.is_atomic() && one.what.is_atomic() || self.clocks.counts(one.clock, kind.thread, epoch) {
                continue;
            }
            if what.family() != Family::Memory || self.held.may_be_apart(one.held, kind.held) {
                return Err(Stop::Race);
            }
        }
        Ok(())
    }
}
