//! Whether two places of the source race: what `inspect confirm` is asked, and when it is answered. Pure functions; the
//! only place that says `refuted`.
//!
//! A refutation needs more than a search that came to its end (S9). The race detector keeps, of the accesses of a
//! thread to a byte, those that no later one stands for ([`inspect_core::detect::RaceDetector`]): an access that races
//! is always reported, but with the last of several accesses that it races with. So where one of the two places was
//! found in a race with a third one, the pair in question may be hidden behind that.

use crate::places::KnownPlace;
use crate::symbols::Location;
use crate::verdict::{Evidence, Reason, shortfall};
use inspect_core::explore::catalogue::Claim;
use inspect_wire::message::Job;

/// Two places of which somebody says that accesses there race.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Query {
    /// One of them.
    pub first: KnownPlace,
    /// The other one, which may be the same.
    pub second: KnownPlace,
}

impl Query {
    /// Whether both are about the same places, in whatever order.
    pub fn is_same(&self, other: &Query) -> bool {
        let (own, others) = ((&self.first, &self.second), (&other.first, &other.second));
        own == others || own == (others.1, others.0)
    }

    /// Whether a race between accesses at these places is the one in question. An access may be said to be at several
    /// places: an inlined function, and where it was inlined into.
    pub fn is_about(&self, accesses: &[Vec<Location>; 2]) -> bool {
        let [one, other] = accesses;
        let (first, second) = (&self.first, &self.second);
        first.is_place_of(one) && second.is_place_of(other) || first.is_place_of(other) && second.is_place_of(one)
    }

    /// Whether a race has an access on a line in question, or in a header in question.
    pub fn is_near(&self, accesses: &[Vec<Location>; 2]) -> bool {
        let mut locations = accesses.iter().flatten();
        locations.any(|location| self.first.is_near(location) || self.second.is_near(location))
    }
}

/// A data race that was found, as far as a query is concerned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FoundRace {
    /// It is the race in question.
    pub is_asked: bool,
    /// One of its accesses is on a line in question.
    pub is_near: bool,
    /// A fresh process showed it again.
    pub is_confirmed: bool,
}

/// The answer to a query.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum QueryOutcome {
    /// The race was found, and a fresh process showed it again.
    Confirmed,
    /// Every interleaving was covered, and none shows the race.
    Refuted,
    /// Neither; every reason is listed.
    NotConfirmed(Vec<Reason>),
}

impl QueryOutcome {
    /// The words for it.
    pub fn name(&self) -> &'static str {
        match self {
            QueryOutcome::Confirmed => "confirmed",
            QueryOutcome::Refuted => "refuted",
            QueryOutcome::NotConfirmed(_) => "not confirmed",
        }
    }

    /// Exit status of `inspect confirm` with all these answers: a race that was confirmed counts most, then one of
    /// which nothing is known.
    pub fn exit_code<'a>(outcomes: impl IntoIterator<Item = &'a QueryOutcome>) -> u8 {
        let status = |outcome: &QueryOutcome| match outcome {
            QueryOutcome::Refuted => (0, 0),
            QueryOutcome::NotConfirmed(_) => (1, 3),
            QueryOutcome::Confirmed => (2, 1),
        };
        outcomes.into_iter().map(status).max().map_or(0, |(_, status)| status)
    }
}

/// Whether a search looks for each pair of places that race. One that recognises states, or leaves out what symmetric
/// threads do or what cannot lead to a first race, finds a data race if there is one, but not each.
pub fn finds_each_pair(job: &Job) -> bool {
    let row = job.algorithm.description();
    row.claims == Claim::EveryFinding && !row.hashes_states(job.preemptions.is_some()) && job.symmetry.is_none()
}

/// Answers a query from all data races that were found, from the search that is to have covered everything, and from
/// what keeps its places from having been looked at.
pub fn answer(races: &[FoundRace], evidence: &Evidence, finds_each_pair: bool, unreached: Vec<Reason>) -> QueryOutcome {
    if races.iter().any(|race| race.is_asked && race.is_confirmed) {
        return QueryOutcome::Confirmed;
    }
    let mut reasons = Vec::new();
    if races.iter().any(|race| race.is_asked) {
        reasons.push(Reason::new(
            "the race was found, but did not show again in a fresh process",
            "look below for what its replay did instead: the program depends on something that Inspect does not control",
        ));
    } else if races.iter().any(|race| race.is_near) {
        reasons.push(Reason::new(
            "another data race was found at one of the two places, and may hide this one",
            "the same after that race has been mended",
        ));
    } else if !races.is_empty() && !finds_each_pair {
        reasons.push(Reason::new(
            "another data race was found, and the search does not look for each pair of places that race",
            "--algorithm optimal without --preemptions, or the same after that race has been mended",
        ));
    }
    reasons.extend(shortfall(evidence));
    reasons.extend(unreached);
    if reasons.is_empty() { QueryOutcome::Refuted } else { QueryOutcome::NotConfirmed(reasons) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::tests::job;
    use inspect_core::explore::Algorithm;
    use inspect_wire::message::PlainAccesses;

    fn query(first: u32, second: u32) -> Query {
        Query { first: KnownPlace::in_file("/a.c", first, None), second: KnownPlace::in_file("/a.c", second, None) }
    }

    fn race(first: u32, second: u32) -> [Vec<Location>; 2] {
        [first, second].map(|line| vec![Location { path: Some("/a.c".into()), line, ..Location::default() }])
    }

    #[test]
    fn a_race_is_the_one_in_question_in_either_order_and_with_both_its_places_only() {
        assert!(query(1, 2).is_about(&race(1, 2)) && query(2, 1).is_about(&race(1, 2)));
        assert!(!query(1, 2).is_about(&race(1, 1)) && !query(1, 2).is_about(&race(2, 3)));
        assert!(query(1, 1).is_about(&race(1, 1)) && !query(1, 1).is_about(&race(1, 2)));
        assert!(query(1, 2).is_same(&query(2, 1)) && !query(1, 2).is_same(&query(1, 1)));
        assert!(query(1, 2).is_near(&race(2, 3)) && !query(1, 2).is_near(&race(3, 4)));
    }

    #[test]
    fn any_place_that_an_access_is_said_to_be_at_will_do() {
        let mut inlined = race(7, 2);
        inlined[0].extend(race(1, 1)[0].clone());
        assert!(query(1, 2).is_about(&inlined) && query(7, 2).is_about(&inlined));
        assert!(!query(1, 7).is_about(&inlined), "both are places of one access");
    }

    fn evidence(claims: Claim, complete: bool) -> Evidence {
        let plain_accesses = PlainAccesses::Racy;
        let (findings, reasons) = (Vec::new(), Vec::new());
        Evidence { claims, complete, executions: 1, limited: 0, runs: 1, plain_accesses, findings, reasons }
    }

    /// Every combination of one race that was found, or none, and of searches, against the rule written as a formula.
    #[test]
    fn every_combination_follows_the_rule() {
        let claims = [Claim::EveryFinding, Claim::DataRaces, Claim::Nothing];
        for bits in 0..64_u32 {
            let bit = |n: u32| bits >> n & 1 == 1;
            let (found, is_asked, is_confirmed, complete, each) = (bit(0), bit(1), bit(2), bit(3), bit(4));
            let is_near = is_asked || bit(5);
            let races = if found { vec![FoundRace { is_asked, is_near, is_confirmed }] } else { Vec::new() };
            for claim in claims {
                let outcome = answer(&races, &evidence(claim, complete), each, Vec::new());
                let covered = complete && claim != Claim::Nothing;
                let expected = if found && is_asked && is_confirmed {
                    "confirmed"
                } else if covered && (!found || !is_near && each) {
                    "refuted"
                } else {
                    "not confirmed"
                };
                assert_eq!(outcome.name(), expected, "{claim:?} {bits:06b}");
                if let QueryOutcome::NotConfirmed(reasons) = outcome {
                    assert!(!reasons.is_empty() && reasons.iter().all(|reason| !reason.next.is_empty()));
                }
            }
        }
    }

    #[test]
    fn what_keeps_a_verdict_from_being_verified_keeps_a_race_from_being_refuted() {
        let whole = evidence(Claim::EveryFinding, true);
        assert_eq!(answer(&[], &whole, true, Vec::new()), QueryOutcome::Refuted);
        for short in [
            Evidence { executions: 0, ..whole.clone() },
            Evidence { limited: 1, ..whole.clone() },
            Evidence { reasons: vec![Reason::new("a reason", "something else")], ..whole },
        ] {
            assert_eq!(answer(&[], &short, true, Vec::new()).name(), "not confirmed", "{short:?}");
        }
    }

    #[test]
    fn a_place_that_no_execution_comes_to_is_not_refuted() {
        let whole = evidence(Claim::EveryFinding, true);
        let unreached = vec![Reason::new("no execution came there", "a driver that does")];
        assert_eq!(answer(&[], &whole, true, unreached.clone()), QueryOutcome::NotConfirmed(unreached));
    }

    #[test]
    fn searches_that_leave_out_pairs_are_known() {
        let of = |algorithm| finds_each_pair(&Job { algorithm, ..job() });
        assert!(of(Algorithm::Optimal) && of(Algorithm::Dfs) && of(Algorithm::Source));
        assert!(!of(Algorithm::Stateful) && !of(Algorithm::Pdp) && !of(Algorithm::Predict));
        assert!(!finds_each_pair(&Job { symmetry: Some(Vec::new()), ..job() }));
    }

    #[test]
    fn the_exit_status_is_that_of_the_answer_that_counts_most() {
        let open = QueryOutcome::NotConfirmed(Vec::new());
        let (yes, no) = (QueryOutcome::Confirmed, QueryOutcome::Refuted);
        let status = |outcomes: &[&QueryOutcome]| QueryOutcome::exit_code(outcomes.iter().copied());
        assert_eq!((status(&[&no]), status(&[&open]), status(&[&yes])), (0, 3, 1));
        assert_eq!((status(&[&no, &open]), status(&[&open, &yes, &no])), (3, 1));
    }
}
