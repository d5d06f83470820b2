//! The answers, from what all searches have found and from whether the last one has covered everything.

use super::questions::Question;
use crate::cli::answer::{Answer, Found};
use crate::cli::build::Build;
use crate::cli::check;
use crate::places::KnownPlace;
use crate::query::{FoundRace, Query, answer, finds_each_pair};
use crate::report::queries::AnsweredQuery;
use crate::run::Interrupt;
use crate::search::{Confirmation, RacePlaces, ReachedPlaces, race};
use crate::verdict::Reason;

/// What the answers rest on.
pub(super) struct Results<'a> {
    /// All findings of all searches, and where the accesses of those are that are data races.
    findings: &'a [Found],
    races: Vec<(usize, RacePlaces)>,
    /// The last search, which is to have covered everything.
    last: &'a Answer,
    /// What some executions came to, if it matters.
    reached: Option<ReachedPlaces>,
}

impl<'a> Results<'a> {
    /// From these findings of searches of which `last` was the last one.
    pub(super) fn new(findings: &'a [Found], last: &'a Answer, builds: &[Build], interrupt: &Interrupt) -> Self {
        let race = |(number, found): (usize, &Found)| {
            let symbols = check::symbols(&builds[found.build], found);
            Some((number, race(&found.checked.reported.finding, &symbols)?))
        };
        let target = &builds[last.build].target;
        let reached = last.searched.complete.then(|| ReachedPlaces::of(target, &last.job, interrupt));
        Results { findings, races: findings.iter().enumerate().filter_map(race).collect(), last, reached }
    }

    /// The answer to a question.
    pub(super) fn answer(&self, question: Question) -> AnsweredQuery {
        let query = match question.query {
            Ok(query) => query,
            Err(why) => return AnsweredQuery::not_looked_for(question.name, why),
        };
        let found = |(number, race): &(usize, RacePlaces)| FoundRace {
            is_asked: query.is_about(race),
            is_near: query.is_near(race),
            is_confirmed: self.findings[*number].checked.confirmation == Confirmation::Confirmed,
        };
        let all: Vec<FoundRace> = self.races.iter().map(found).collect();
        let evidence = self.last.searched.evidence(&self.last.job);
        let outcome = answer(&all, &evidence, finds_each_pair(&self.last.job), self.unreached(&query));
        let findings = self.races.iter().filter(|(_, race)| query.is_about(race)).map(|(number, _)| *number).collect();
        AnsweredQuery { name: question.name, outcome, without_accesses: without_accesses(&query), findings }
    }

    /// That no execution which was looked at made an access or another operation at a place of the query, if it is so.
    fn unreached(&self, query: &Query) -> Vec<Reason> {
        let Some(reached) = &self.reached else { return Vec::new() };
        let is_unreached = |place: &&KnownPlace| !reached.places.iter().any(|location| place.is_on_line(location));
        let reason = |place: &KnownPlace| {
            let (executions, at) = (reached.executions, &place.given);
            let next = if place.has_accesses {
                "a driver, arguments or input with which the program comes there"
            } else {
                "the line of the access itself, if a function makes it that is called there"
            };
            Reason::new(format!("none of {executions} executions that were looked at made an access at {at}"), next)
        };
        [&query.first, &query.second].into_iter().filter(is_unreached).map(reason).collect()
    }
}

/// The places of a query at which the program has code and no access.
fn without_accesses(query: &Query) -> Vec<String> {
    let mut places: Vec<String> = [&query.first, &query.second]
        .into_iter()
        .filter(|place| !place.has_accesses)
        .map(|place| place.given.to_string())
        .collect();
    places.dedup();
    places
}
