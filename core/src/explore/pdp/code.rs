//! The static facts, with numbers for what is often compared.

use super::facts::{Facts, LockChange, Point, PointsTo};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::cell::RefCell;

/// Number of a points-to set.
pub(super) type PointsToId = u32;

/// The number of [`PointsTo::Anywhere`].
pub(super) const ANYWHERE: PointsToId = 0;

/// With more points-to sets than this, the results of comparisons are not stored.
const MOST_COMPARED: usize = 1024;

/// The static facts, with numbers for points-to sets, untaken paths and lock changes.
#[derive(Debug, Default)]
pub(super) struct NumberedFacts {
    facts: Facts,
    /// By point.
    places_of: Vec<PointsToId>,
    /// By point: the number of its first untaken path.
    first_path: Vec<u32>,
    /// By number of an untaken path.
    untaken_paths: Vec<NumberedPath>,
    places: Vec<PointsTo>,
    locks: Vec<LockChange>,
    /// By two points-to sets: whether they intersect, once that was computed.
    intersections: RefCell<Vec<Option<bool>>>,
}

/// The steps of an untaken path, with numbers for points-to sets and lock changes, and its lock change at the join
/// point.
#[derive(Debug, Default)]
pub(super) struct NumberedPath {
    pub(super) places: Vec<PointsToId>,
    pub(super) locks: Vec<u32>,
    pub(super) after: Option<u32>,
}

struct Numbers<T> {
    known: BTreeMap<T, u32>,
}

impl<T: Ord + Clone> Numbers<T> {
    fn of(&mut self, one: &T) -> u32 {
        if let Some(&number) = self.known.get(one) {
            return number;
        }
        let number = self.known.len() as u32;
        self.known.insert(one.clone(), number);
        number
    }

    fn list(self) -> Vec<T> {
        let mut all: Vec<(u32, T)> = self.known.into_iter().map(|(one, number)| (number, one)).collect();
        all.sort_unstable_by_key(|(number, _)| *number);
        all.into_iter().map(|(_, one)| one).collect()
    }
}

impl NumberedFacts {
    /// Gives numbers to the points-to sets, untaken paths and lock changes of `facts`.
    pub(super) fn new(facts: Facts) -> NumberedFacts {
        let (mut places, mut locks) = (Numbers { known: BTreeMap::new() }, Numbers { known: BTreeMap::new() });
        places.of(&PointsTo::Anywhere);
        let mut code = NumberedFacts::default();
        for point in &facts.points {
            code.places_of.push(places.of(&point.places));
            code.first_path.push(code.untaken_paths.len() as u32);
            code.untaken_paths.extend(point.untaken_paths.iter().map(|untaken| NumberedPath {
                places: untaken.steps.iter().map(|step| places.of(&step.places)).collect(),
                locks: untaken.steps.iter().map(|step| locks.of(&step.locks)).collect(),
                after: untaken.after.as_ref().map(|after| locks.of(after)),
            }));
        }
        (code.places, code.locks, code.facts) = (places.list(), locks.list(), facts);
        let count = code.places.len();
        code.intersections = RefCell::new(alloc::vec![None; if count > MOST_COMPARED { 0 } else { count * count }]);
        code
    }

    /// The points by number.
    pub(super) fn points(&self) -> &[Point] {
        &self.facts.points
    }

    /// The point with this number, if there is one.
    pub(super) fn point(&self, point: u32) -> Option<&Point> {
        self.facts.points.get(point as usize)
    }

    /// The number of the points-to set of a point.
    pub(super) fn places_of(&self, point: u32) -> Option<PointsToId> {
        self.places_of.get(point as usize).copied()
    }

    /// The untaken path of the branch at `point` for a run that takes the side `taken`, with its number. The caller has
    /// made sure that the branch has that side.
    pub(super) fn untaken(&self, point: u32, taken: u32) -> (u32, &NumberedPath) {
        let number = self.first_path[point as usize] + taken;
        (number, &self.untaken_paths[number as usize])
    }

    /// The lock change with this number.
    pub(super) fn locks(&self, number: u32) -> &LockChange {
        &self.locks[number as usize]
    }

    /// Whether two points-to sets intersect.
    pub(super) fn may_alias(&self, a: PointsToId, b: PointsToId) -> bool {
        if a == ANYWHERE || b == ANYWHERE {
            return true;
        }
        let intersect = || self.places[a as usize].intersects(&self.places[b as usize]);
        match self.intersections.borrow_mut().get_mut(a as usize * self.places.len() + b as usize) {
            Some(known) => *known.get_or_insert_with(intersect),
            None => intersect(),
        }
    }
}
