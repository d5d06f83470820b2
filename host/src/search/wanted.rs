//! The data races for which a search is made: once all of them have been shown, it need not go on.

use crate::query::Query;
use crate::run::RunOutput;
use crate::symbols::{Location, Symbols};
use inspect_core::detect::{Finding, FindingKind};
use std::path::Path;

/// The data races; if there are none, a search does not stop early.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct WantedRaces(pub Vec<Query>);

impl WantedRaces {
    /// Whether there are some and guests that run `program` have reported all of them.
    pub(super) fn are_shown<'a>(&self, program: &Path, outputs: impl Iterator<Item = &'a RunOutput> + Clone) -> bool {
        let shown = |query: &Query| outputs.clone().any(|output| is_shown(query, program, output));
        !self.0.is_empty() && self.0.iter().all(shown)
    }

    /// Whether this is what is left of `before`, and is nothing.
    pub fn is_all_shown(&self, before: &WantedRaces) -> bool {
        self.0.is_empty() && !before.0.is_empty()
    }

    /// Those that none of these races is.
    pub fn without(&self, races: &[RacePlaces]) -> WantedRaces {
        let is_left = |query: &&Query| !races.iter().any(|race| query.is_about(race));
        WantedRaces(self.0.iter().filter(is_left).cloned().collect())
    }
}

fn is_shown(query: &Query, program: &Path, output: &RunOutput) -> bool {
    let symbols = Symbols::new(program, &output.modules, &output.sites);
    let races = output.findings.iter().filter_map(|reported| race(&reported.finding, &symbols));
    races.into_iter().any(|race| query.is_about(&race))
}

/// Where the two accesses of a data race are: for each, all places that it may be said to be at.
pub type RacePlaces = [Vec<Location>; 2];

/// Where the two accesses are, if the finding is a data race.
pub fn race(finding: &Finding, symbols: &Symbols) -> Option<RacePlaces> {
    let [one, other] = finding.places.get(..2)? else { return None };
    let places = |place: &inspect_core::detect::Place| symbols.places_of(place.thread, place.site);
    (finding.kind == FindingKind::DataRace).then(|| [places(one), places(other)])
}
