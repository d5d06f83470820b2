//! The facts, with numbers for what is compared often.

use super::facts::{Facts, Locks, Places, Point};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::cell::RefCell;

/// Number of [`Places`] that are known.
pub(super) type PlacesId = u32;

/// Everywhere.
pub(super) const ANYWHERE: PlacesId = 0;

/// More different places than this are compared each time anew.
const MOST_JOIN_POINTS: usize = 1024;

/// What is known of the code.
#[derive(Debug, Default)]
pub(super) struct Code {
    facts: Facts,
    /// By point.
    places_of: Vec<PlacesId>,
    /// By point: the number of its first untaken.
    sides_of: Vec<u32>,
    /// By untaken.
    untaken_paths: Vec<Steps>,
    places: Vec<Places>,
    locks: Vec<Locks>,
    /// By two places: whether they meet, if that was asked before.
    join_points: RefCell<Vec<Option<bool>>>,
}

/// The steps of a untaken, by number, and what it does to the locks in the end.
#[derive(Debug, Default)]
pub(super) struct Steps {
    pub(super) places: Vec<PlacesId>,
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

impl Code {
    pub(super) fn new(facts: Facts) -> Code {
        let (mut places, mut locks) = (Numbers { known: BTreeMap::new() }, Numbers { known: BTreeMap::new() });
        places.of(&Places::Anywhere);
        let mut code = Code::default();
        for point in &facts.points {
            code.places_of.push(places.of(&point.places));
            code.sides_of.push(code.untaken_paths.len() as u32);
            code.untaken_paths.extend(point.untaken_paths.iter().map(|untaken| Steps {
                places: untaken.steps.iter().map(|step| places.of(&step.places)).collect(),
                locks: untaken.steps.iter().map(|step| locks.of(&step.locks)).collect(),
                after: untaken.after.as_ref().map(|after| locks.of(after)),
            }));
        }
        (code.places, code.locks, code.facts) = (places.list(), locks.list(), facts);
        let count = code.places.len();
        code.join_points = RefCell::new(alloc::vec![None; if count > MOST_JOIN_POINTS { 0 } else { count * count }]);
        code
    }

    /// By number.
    pub(super) fn points(&self) -> &[Point] {
        &self.facts.points
    }

    pub(super) fn point(&self, point: u32) -> Option<&Point> {
        self.facts.points.get(point as usize)
    }

    /// Where a point may access something.
    pub(super) fn places_of(&self, point: u32) -> Option<PlacesId> {
        self.places_of.get(point as usize).copied()
    }

    /// A untaken of a point that has it.
    pub(super) fn untaken(&self, point: u32, taken: u32) -> (u32, &Steps) {
        let number = self.sides_of[point as usize] + taken;
        (number, &self.untaken_paths[number as usize])
    }

    pub(super) fn locks(&self, number: u32) -> &Locks {
        &self.locks[number as usize]
    }

    /// Whether two places may be in one object.
    pub(super) fn meet(&self, a: PlacesId, b: PlacesId) -> bool {
        if a == ANYWHERE || b == ANYWHERE {
            return true;
        }
        let meet = || self.places[a as usize].meet(&self.places[b as usize]);
        match self.join_points.borrow_mut().get_mut(a as usize * self.places.len() + b as usize) {
            Some(known) => *known.get_or_insert_with(meet),
            None => meet(),
        }
    }
}
