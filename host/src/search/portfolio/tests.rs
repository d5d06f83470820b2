use super::*;
use inspect_core::explore::{Algorithm, Effort, Share, TurnTime};
use std::collections::BTreeSet;

fn searched(executions: u64, complete: bool) -> Searched {
    Searched {
        findings: vec![],
        counts: Counts { executions, transitions: 10 * executions, ..Counts::default() },
        before: Counts::default(),
        threads: 2,
        estimated_total: None,
        states: None,
        elapsed: Duration::ZERO,
        complete,
        timed_out: false,
        reasons: vec![],
        reported: BTreeSet::new(),
        end: GuestEnd::Done,
        modules: vec![],
        sampled: None,
        harmless_races: BTreeSet::new(),
        uncompared: vec![],
        sites: vec![],
        first_execution: None,
    }
}

fn turn(part: PortfolioPart, algorithm: Algorithm) -> Turn {
    let preemptions = (part == PortfolioPart::Bounded).then_some(1);
    let least = Effort { runs: 100, operations: u64::MAX };
    let share = Share { least, ..Share::of_operations(0) };
    Turn { part, algorithm, preemptions, max_steps: 1000, share, time: TurnTime::of(Duration::MAX), first_run: 0 }
}

/// A second turn with this result: how it ended, and whether it is the answer.
fn after(turn: Turn, searched: Searched) -> (Option<TurnEnd>, bool) {
    let first = Turned { turn, job: crate::run::tests::job(), searched: searched.clone() };
    let job = job_of(&turn, &crate::run::tests::job(), u64::MAX);
    let turns = vec![first, Turned { turn, job, searched }];
    let made = InTurns { turns, decided: false, impossible: None, elapsed: Duration::ZERO };
    (made.end_of_last(), made.is_decided())
}

const ALL: [(PortfolioPart, Algorithm); 4] = [
    (PortfolioPart::Exhaustive, Algorithm::Optimal),
    (PortfolioPart::States, Algorithm::Stateful),
    (PortfolioPart::Bounded, Algorithm::CbPor),
    (PortfolioPart::Sampled(Algorithm::Pos), Algorithm::Pos),
];

/// What was reported, as the guest and the host say it.
fn with(searched: Searched, reported: InconclusiveReason) -> Searched {
    let reasons = vec![Reason::new(format!("{reported:?}"), "something else")];
    Searched { reasons, reported: BTreeSet::from([reported]), ..searched }
}

#[test]
fn a_late_program_gives_way_to_other_parts_and_is_waited_for_once_there_are_none() {
    let mut portfolio = Portfolio::new(Shares::default(), 1000);
    portfolio.took(TurnEnd::Share, &Counts::default(), 2);
    let mut impossible = None;
    let mut late = |portfolio: &mut Portfolio, turn: &Turn, over: bool| {
        assert!(target_now(ProgramState::Later, turn, portfolio, &mut impossible, over).is_none());
    };
    // Its time is over, but others have turns that say so.
    let turn = portfolio.turn().expect("a turn");
    late(&mut portfolio, &turn, true);
    let mut other = portfolio.turn().expect("a turn");
    assert_eq!((turn.part, other.part), (PortfolioPart::States, PortfolioPart::Sampled(Algorithm::Pos)));
    while other.part != PortfolioPart::States || !portfolio.is_last_part() {
        match other.part {
            PortfolioPart::States => late(&mut portfolio, &other, false),
            _ => portfolio.took(TurnEnd::Impossible, &Counts::default(), 2),
        }
        other = portfolio.turn().expect("the late one is left");
    }
    late(&mut portfolio, &other, false);
    assert_eq!(portfolio.turn().map(|turn| turn.part), Some(PortfolioPart::States), "it is waited for");
    late(&mut portfolio, &other, true);
    assert_eq!(portfolio.turn(), None, "nobody waits any more");
    assert_eq!(impossible.as_deref(), Some("its program was still being built"));
}

#[test]
fn a_search_that_came_to_its_end_and_left_nothing_out_is_the_answer_unless_it_samples() {
    for (part, algorithm) in ALL {
        let (end, decided) = after(turn(part, algorithm), searched(5, true));
        let samples = matches!(part, PortfolioPart::Sampled(_));
        assert_eq!((end.is_none(), decided), (!samples, !samples), "{part:?}");
    }
}

#[test]
fn a_search_that_used_up_its_share_is_no_answer_and_others_follow() {
    for (part, algorithm) in ALL {
        assert_eq!(after(turn(part, algorithm), searched(100, false)), (Some(TurnEnd::Share), false), "{part:?}");
    }
}

#[test]
fn a_search_whose_time_is_over_is_no_answer_and_others_follow() {
    for (part, algorithm) in ALL {
        let timed_out = |complete| Searched { timed_out: true, ..searched(5, complete) };
        assert_eq!(after(turn(part, algorithm), timed_out(false)), (Some(TurnEnd::Time), false), "{part:?}");
        // It came to its end just then.
        let ended = after(turn(part, algorithm), timed_out(true));
        assert_eq!(ended, after(turn(part, algorithm), searched(5, true)), "{part:?}");
    }
}

#[test]
fn a_search_that_ended_early_for_another_reason_ends_it_all_without_an_answer() {
    for (part, algorithm) in ALL {
        assert_eq!(after(turn(part, algorithm), searched(99, false)), (None, false), "{part:?}");
        for end in [GuestEnd::TimeLimit, GuestEnd::Interrupted, GuestEnd::HasShown, GuestEnd::Stuck] {
            let searched = Searched { end, ..searched(100, false) };
            assert_eq!(after(turn(part, algorithm), searched), (None, false), "{part:?}");
        }
    }
}

#[test]
fn a_limit_or_a_bound_that_left_something_out_is_no_answer() {
    let cut = |runs| with(runs, InconclusiveReason::Limit(LimitKind::Steps));
    for (part, algorithm) in ALL {
        let mut runs = searched(5, true);
        runs.counts.limited = 1;
        let over = Some(TurnEnd::Over { cut: true });
        assert_eq!(after(turn(part, algorithm), cut(runs)), (over, false), "{part:?}");
    }
    let bounded = with(searched(5, true), InconclusiveReason::PreemptionBound(1));
    let over = Some(TurnEnd::Over { cut: false });
    assert_eq!(after(turn(PortfolioPart::Bounded, Algorithm::CbPor), bounded), (over, false));
}

#[test]
fn what_a_complete_search_could_not_see_through_keeps_it_from_being_verified() {
    let unseen = || with(searched(5, true), InconclusiveReason::UnknownFunction("f".into()));
    let exhaustive = after(turn(PortfolioPart::Exhaustive, Algorithm::Optimal), unseen());
    assert_eq!(exhaustive, (None, false), "no other search would see more");
    let over = Some(TurnEnd::Over { cut: false });
    assert_eq!(after(turn(PortfolioPart::States, Algorithm::Stateful), unseen()), (over, false));
}

#[test]
fn without_an_answer_there_is_always_a_reason_and_none_is_of_a_share() {
    for (part, algorithm) in ALL {
        let turn = turn(part, algorithm);
        let job = job_of(&turn, &crate::run::tests::job(), u64::MAX);
        let mut searched = searched(100, false);
        searched.reasons.extend(job.preemptions.map(reasons::of_bound));
        let turns = vec![Turned { turn, job, searched }];
        let made = InTurns { turns, decided: false, impossible: None, elapsed: Duration::ZERO };
        let all = made.reasons(&crate::run::tests::job(), None);
        assert_eq!(all.len(), 1, "{all:?}");
        assert!(all[0].what.starts_with("no search that covers everything"), "{all:?}");
    }
}

#[test]
fn options_that_a_search_does_not_have_leave_it_out() {
    let states = turn(PortfolioPart::States, Algorithm::Stateful);
    let exhaustive = turn(PortfolioPart::Exhaustive, Algorithm::Optimal);
    let job = crate::run::tests::job();
    let fork = Job { mode: Mode::Fork, ..job.clone() };
    let sync = Job { plain_accesses: PlainAccesses::Sync, ..job.clone() };
    assert_eq!((not_with(&states, &job), not_with(&exhaustive, &fork)), (None, None));
    assert!(not_with(&states, &fork).is_some_and(|why| why.starts_with("--mode fork: ")));
    assert!(not_with(&states, &sync).is_some_and(|why| why.starts_with("--plain-accesses sync: ")));
}
