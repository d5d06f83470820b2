//! The accesses that may happen after a state, and which of them conflict.

use super::clocks::ClockTable;
use super::code::{NumberedFacts, PointsToId};
use super::facts::Family;
use super::locksets::LocksetTable;
use super::past::PastAccesses;
use super::possible::{NotFree, PossibleAccess, SeededBug};
use crate::event::{EffectKind, ThreadId};
use crate::ranges::{NO_RANGE, RangeId, Ranges};
use alloc::vec::Vec;

const NONE: u32 = u32::MAX;

/// The properties of an access that are compared first to find whether two accesses may conflict.
#[derive(Clone, Copy, Debug)]
struct AccessClass {
    thread: ThreadId,
    family: Family,
    writes: bool,
    places: PointsToId,
}

impl AccessClass {
    fn of(thread: ThreadId, what: EffectKind, places: PointsToId) -> AccessClass {
        AccessClass { thread, family: what.family(), writes: what.writes(), places }
    }

    /// Whether the two conflict if they touch the same bytes.
    fn conflicts(self, other: AccessClass) -> bool {
        self.thread != other.thread && self.family == other.family && (self.writes || other.writes)
    }
}

/// All accesses that may happen after a state.
#[derive(Debug, Default)]
pub(super) struct FutureAccesses {
    pub(super) all: Vec<PossibleAccess>,
    class: Vec<AccessClass>,
    /// By access: the one added before it for its range.
    before: Vec<u32>,
    /// By range: the number of the check, and the access added last that does not write, and that writes.
    heads: Vec<(u32, [u32; 2])>,
    check: u32,
    /// The inexact accesses.
    inexact: Vec<u32>,
    /// Pairs that may conflict.
    pairs: Vec<(u32, u32)>,
    /// By access: whether it writes, and another write is unordered with it.
    contested: Vec<bool>,
}

impl FutureAccesses {
    /// Forgets all accesses, before the next check.
    pub(super) fn clear(&mut self) {
        self.all.clear();
        self.class.clear();
        self.before.clear();
        self.inexact.clear();
        self.pairs.clear();
        self.check += 1;
    }

    fn heads(&self, location: RangeId) -> [u32; 2] {
        match self.heads.get(location as usize) {
            Some(&(check, heads)) if check == self.check => heads,
            _ => [NONE; 2],
        }
    }

    /// Adds an access, unless it was added before.
    pub(super) fn add(&mut self, possible: PossibleAccess, context: &mut Comparison<'_>) -> Result<(), NotFree> {
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
        } else if self.inexact.iter().any(|&at| self.all[at as usize] == possible) {
            return Ok(());
        }
        let class = AccessClass::of(possible.thread, possible.what, possible.places);
        if class.family != Family::Condition {
            if is_exact {
                self.compare_exact(number, &possible, class, context)?;
            } else {
                self.compare_inexact(number, &possible, class, context)?;
            }
        }
        self.all.push(possible);
        self.class.push(class);
        self.before.push(before);
        if is_exact {
            let location = possible.location as usize;
            if self.heads.len() <= location {
                self.heads.resize(location + 1, (0, [NONE; 2]));
            }
            let mut heads = self.heads(possible.location);
            heads[usize::from(class.writes)] = number;
            self.heads[location] = (self.check, heads);
        } else {
            self.inexact.push(number);
        }
        Ok(())
    }

    /// Finds the conflicts of an exact access.
    fn compare_exact(
        &mut self,
        number: u32,
        possible: &PossibleAccess,
        class: AccessClass,
        context: &mut Comparison<'_>,
    ) -> Result<(), NotFree> {
        let ranges = context.ranges;
        for &location in ranges.overlaps(possible.location).iter().chain([&possible.location]) {
            context.compare_with_past(possible, class, context.past.at(location, class.writes), false)?;
            let [readers, writers] = self.heads(location);
            for mut at in [if class.writes { readers } else { NONE }, writers] {
                while at != NONE {
                    if self.class[at as usize].conflicts(class) {
                        self.compare(number, possible, at, context)?;
                    }
                    at = self.before[at as usize];
                }
            }
        }
        for index in 0..self.inexact.len() {
            let at = self.inexact[index];
            let other = self.class[at as usize];
            if other.conflicts(class) && context.code.may_alias(class.places, other.places) {
                self.compare(number, possible, at, context)?;
            }
        }
        Ok(())
    }

    /// Finds the conflicts of an inexact access, by its points-to set.
    fn compare_inexact(
        &mut self,
        number: u32,
        possible: &PossibleAccess,
        class: AccessClass,
        context: &mut Comparison<'_>,
    ) -> Result<(), NotFree> {
        context.compare_with_past(possible, class, context.past.everywhere(class.writes), true)?;
        for at in 0..number {
            let other = self.class[at as usize];
            if other.conflicts(class) && context.code.may_alias(class.places, other.places) {
                self.compare(number, possible, at, context)?;
            }
        }
        Ok(())
    }

    /// Adds a pair that may conflict; an error if it may race.
    fn compare(
        &mut self,
        number: u32,
        one: &PossibleAccess,
        at: u32,
        context: &mut Comparison<'_>,
    ) -> Result<(), NotFree> {
        let other = &self.all[at as usize];
        self.pairs.push((at, number));
        let atomic = one.what.is_atomic() && other.what.is_atomic();
        let mut protected =
            || one.what.family() == Family::Memory && !context.held.may_be_disjoint(one.held, other.held);
        let (a, b) = (other, one);
        if atomic || context.clocks.ordered(a, b) || context.clocks.ordered(b, a) || protected() {
            return Ok(());
        }
        Err(NotFree::Race)
    }

    /// Adds the points of unstable reads: those after the state that may read another value in other executions.
    pub(super) fn unstable_reads(&mut self, clocks: &ClockTable, points: &mut Vec<u32>) {
        // A read sees another value if the write is unordered with it, or if two writes before it are unordered.
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

/// The tables with which accesses are compared.
pub(super) struct Comparison<'a> {
    pub(super) code: &'a NumberedFacts,
    pub(super) ranges: &'a Ranges,
    pub(super) past: &'a PastAccesses,
    pub(super) held: &'a mut LocksetTable,
    pub(super) clocks: &'a ClockTable,
    pub(super) seeded_bug: SeededBug,
}

impl Comparison<'_> {
    /// An error if the access may race with one before the state.
    fn compare_with_past(
        &mut self,
        one: &PossibleAccess,
        class: AccessClass,
        past: impl Iterator<Item = (super::past::AccessGroup, u32)>,
        inexact: bool,
    ) -> Result<(), NotFree> {
        for (kind, epoch) in past {
            let what = kind.what;
            let conflicts = AccessClass::of(kind.thread, what, kind.places).conflicts(class);
            if !conflicts || self.seeded_bug == SeededBug::AboutThePast {
                continue;
            }
            let meets = !inexact || self.code.may_alias(one.places, kind.places);
            if !meets || what.is_atomic() && one.what.is_atomic() || self.clocks.counts(one.clock, kind.thread, epoch) {
                continue;
            }
            if what.family() != Family::Memory || self.held.may_be_disjoint(one.held, kind.held) {
                return Err(NotFree::Race);
            }
        }
        Ok(())
    }
}
