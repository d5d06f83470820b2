//! Which touches are ordered with which others, derived from what commutes.

use super::{ALL, ANY, COMMUTING, FAMILIES, Set, has};

/// The touches of which [`Touch::orders_all`] is true.
pub(super) const ORDERING_ALL: Set = ordering_all();

const fn ordering_all() -> Set {
    let (mut set, mut at) = (0, 0);
    while at < ALL.len() {
        if COMMUTING[at] == 0 {
            set |= 1 << at;
        }
        at += 1;
    }
    set
}

/// For each touch, those of which [`Touch::orders_rivals_of`] it is true.
pub(super) const ORDERING_RIVALS: [Set; ALL.len()] = ordering_rivals();

const fn ordering_rivals() -> [Set; ALL.len()] {
    let (mut sets, mut at) = ([0; ALL.len()], 0);
    while at < ALL.len() {
        let mut other = 0;
        while other < ALL.len() {
            if COMMUTING[other] & !COMMUTING[at] == 0 {
                sets[at] |= 1 << other;
            }
            other += 1;
        }
        at += 1;
    }
    sets
}

/// The touches of which [`Touch::only_reads`] is true.
pub(super) const ONLY_READING: Set = only_reading();

const fn only_reading() -> Set {
    let (mut set, mut at) = (0, 0);
    while at < ALL.len() {
        let (mut only, mut other) = (FAMILIES[at] != ANY && !has(ORDERING_ALL, ALL[at]), 0);
        while other < ALL.len() {
            let commutes = has(COMMUTING[at], ALL[other]) || has(ORDERING_ALL, ALL[other]);
            only &= commutes || FAMILIES[other] != FAMILIES[at];
            other += 1;
        }
        if only {
            set |= 1 << at;
        }
        at += 1;
    }
    set
}
