//! Findings that a search is to look for, by their places in the source. A search with wanted findings goes on after
//! errors, confirms and shows the wanted ones alone, and ends when all of them were found.

use crate::lines::{ProgramLine, normal};
use crate::run::RunOutput;
use crate::suspects::SuspectKind;
use crate::symbols::Symbols;
use inspect_core::detect::{Finding, FindingKind};
use std::collections::BTreeSet;
use std::path::Path;

/// A finding that is looked for.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct WantedPlaces {
    kind: SuspectKind,
    /// In ascending order; a line that two threads are at stands there twice.
    places: Vec<ProgramLine>,
}

impl WantedPlaces {
    /// Threads meet at these places, two or more.
    pub fn new(kind: SuspectKind, mut places: Vec<ProgramLine>) -> WantedPlaces {
        places.sort();
        WantedPlaces { kind, places }
    }

    /// The places, in ascending order.
    pub fn places(&self) -> &[ProgramLine] {
        &self.places
    }

    /// Whether a finding of this kind with these places shows it: the two accesses of a race, or those of the threads
    /// that wait for each other; also what a race with the end of a block's life may show as.
    fn is_shown_by(&self, kind: FindingKind, places: &[ProgramLine]) -> bool {
        let is_race = self.kind != SuspectKind::Deadlock;
        match kind {
            FindingKind::DataRace => is_race && self.is_among(places.get(..2).unwrap_or(places)),
            FindingKind::HeapUseAfterFree | FindingKind::StackUseAfterReturn => is_race && self.is_among(places),
            FindingKind::Deadlock => self.kind != SuspectKind::Race && self.is_among(places),
            _ => false,
        }
    }

    fn is_among(&self, places: &[ProgramLine]) -> bool {
        let times = |all: &[ProgramLine], place| all.iter().filter(|other| *other == place).count();
        self.places.iter().all(|place| times(places, place) >= times(&self.places, place))
    }
}

/// All findings that are looked for.
#[derive(Clone, Debug)]
pub struct Wanted {
    all: Vec<WantedPlaces>,
    /// The numbers of those that are still to be found.
    open: BTreeSet<usize>,
}

impl Wanted {
    /// Looks for these.
    pub fn new(all: Vec<WantedPlaces>) -> Wanted {
        Wanted { open: (0..all.len()).collect(), all }
    }

    /// All of them.
    pub fn all(&self) -> &[WantedPlaces] {
        &self.all
    }

    /// Without those that these numbers say: they were found.
    pub fn without(&self, found: &BTreeSet<usize>) -> Wanted {
        Wanted { all: self.all.clone(), open: &self.open - found }
    }

    /// Whether nothing is left to look for.
    pub fn is_met(&self) -> bool {
        self.open.is_empty()
    }

    /// The numbers of those at a place of which a finding is that is no race and no deadlock. What led to it is not
    /// known by its places.
    pub(super) fn touched_by(&self, finding: &Finding, symbols: &Symbols) -> BTreeSet<usize> {
        if [FindingKind::DataRace, FindingKind::Deadlock].contains(&finding.kind) {
            return BTreeSet::new();
        }
        let places = places_of(finding, symbols);
        let touched = |(number, wanted): (usize, &WantedPlaces)| {
            wanted.places.iter().any(|place| places.contains(place)).then_some(number)
        };
        self.all.iter().enumerate().filter_map(touched).collect()
    }

    /// The numbers of those that a finding shows.
    pub fn shown_by(&self, finding: &Finding, symbols: &Symbols) -> BTreeSet<usize> {
        let places = places_of(finding, symbols);
        let shown =
            |(number, wanted): (usize, &WantedPlaces)| wanted.is_shown_by(finding.kind, &places).then_some(number);
        self.all.iter().enumerate().filter_map(shown).collect()
    }

    /// For each finding of a guest: the numbers of those still to be found that it shows.
    pub(super) fn open_shown_in(&self, program: &Path, output: &RunOutput) -> Vec<BTreeSet<usize>> {
        let symbols = Symbols::new(program, &output.modules, &output.sites);
        output.findings.iter().map(|reported| &self.shown_by(&reported.finding, &symbols) & &self.open).collect()
    }
}

/// The places of a finding in the source.
fn places_of(finding: &Finding, symbols: &Symbols) -> Vec<ProgramLine> {
    let place = |site| {
        let location = symbols.locate(site);
        (location.path.map(|path| normal(&path.to_string_lossy())).unwrap_or_default(), location.line)
    };
    finding.places.iter().map(|at| place(at.site)).collect()
}

/// What a search has found of what is wanted.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct WantedFound {
    /// The numbers of those that confirmed findings show.
    pub shown: BTreeSet<usize>,
    /// How many errors were found that show none of them; they were not confirmed.
    pub others: usize,
    /// The numbers of those at a place of which an error of another kind was found than what is looked for.
    pub touched: BTreeSet<usize>,
}

/// Looks whether guests that are exploring have found all that is wanted.
pub(super) struct WantedWatch<'a> {
    wanted: &'a Wanted,
    program: &'a Path,
    /// How many findings there were at the last look.
    seen: usize,
    is_met: bool,
}

impl<'a> WantedWatch<'a> {
    pub(super) fn new(wanted: &'a Wanted, program: &'a Path) -> Self {
        WantedWatch { wanted, program, seen: 0, is_met: wanted.is_met() }
    }

    /// Whether all were found by these guests together.
    pub(super) fn is_met<'o>(&mut self, outputs: impl Iterator<Item = &'o RunOutput> + Clone) -> bool {
        let findings = outputs.clone().map(|output| output.findings.len()).sum();
        if std::mem::replace(&mut self.seen, findings) != findings {
            let mut shown = BTreeSet::new();
            for output in outputs {
                shown.extend(self.wanted.open_shown_in(self.program, output).into_iter().flatten());
            }
            self.is_met = self.wanted.without(&shown).is_met();
        }
        self.is_met
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(line: u32) -> ProgramLine {
        ("a.c".to_owned(), line)
    }

    #[test]
    fn a_wanted_race_has_both_accesses_at_its_places() {
        let race = |one, other| WantedPlaces::new(SuspectKind::Race, vec![line(one), line(other)]);
        let shows = |wanted: &WantedPlaces, places: &[u32]| {
            wanted.is_shown_by(FindingKind::DataRace, &places.iter().map(|&at| line(at)).collect::<Vec<_>>())
        };
        assert!(shows(&race(3, 7), &[7, 3]) && shows(&race(7, 3), &[7, 3]) && shows(&race(3, 3), &[3, 3]));
        assert!(!shows(&race(3, 7), &[3, 3]) && !shows(&race(3, 3), &[3, 7]) && !shows(&race(3, 7), &[3]));
        // After the two accesses come operations that should have ordered them.
        assert!(!shows(&race(3, 7), &[3, 5, 7, 9]) && shows(&race(3, 5), &[3, 5, 7, 9]));
    }

    #[test]
    fn a_wanted_deadlock_is_among_the_threads_that_wait() {
        let wanted = WantedPlaces::new(SuspectKind::Deadlock, vec![line(3), line(7)]);
        let places: Vec<ProgramLine> = [7, 20, 3].map(line).to_vec();
        assert!(wanted.is_shown_by(FindingKind::Deadlock, &places));
        assert!(!wanted.is_shown_by(FindingKind::Deadlock, &places[..2]));
        assert!(!wanted.is_shown_by(FindingKind::DataRace, &[line(3), line(7)]));
        let either = WantedPlaces::new(SuspectKind::Either, vec![line(3), line(7)]);
        assert!(either.is_shown_by(FindingKind::DataRace, &[line(3), line(7)]));
        assert!(either.is_shown_by(FindingKind::Deadlock, &places));
    }

    #[test]
    fn what_was_found_is_no_longer_looked_for() {
        let places = |at| WantedPlaces::new(SuspectKind::Race, vec![line(at), line(at)]);
        let wanted = Wanted::new(vec![places(1), places(2)]);
        let rest = wanted.without(&BTreeSet::from([1]));
        assert!(!rest.is_met() && rest.without(&BTreeSet::from([0])).is_met());
    }
}
