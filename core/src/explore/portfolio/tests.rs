//! Which turns come in which order, and how long they are.

use super::*;
use alloc::vec::Vec;

const SECOND: Duration = Duration::from_secs(1);
const SHARES: Shares = Shares {
    start: Share {
        least: Effort { runs: 10, operations: 1000 },
        most: Effort { runs: 20, operations: 1000 },
        near: Effort { runs: 20, operations: u64::MAX },
        before: Reached { runs: 0, estimate: 0 },
    },
    round: 50,
    states: nearly(10, 50),
    bounded: 100,
    exhaustive: nearly(40, 300),
    steps: 40,
    start_time: TurnTime {
        least: SECOND.saturating_mul(2),
        most: SECOND.saturating_mul(6),
        near: SECOND.saturating_mul(6),
    },
    brief: 5,
    brief_time: SECOND.saturating_mul(7),
    round_time: SECOND,
    states_time: TurnTime::of(SECOND),
    exhaustive_time: TurnTime::of(SECOND.saturating_mul(3)),
};

fn counts(executions: u64, transitions: u64) -> Counts {
    Counts { executions, transitions, ..Counts::default() }
}

/// The turns, each with its share of operations, until `most` of them were made; `end` says how each ends.
fn turns(most: usize, end: impl Fn(&Turn) -> TurnEnd) -> Vec<Turn> {
    let mut portfolio = Portfolio::new(SHARES, 1000);
    let mut all = Vec::new();
    while let Some(turn) = portfolio.turn().filter(|_| all.len() < most) {
        all.push(turn);
        portfolio.took(end(&turn), &counts(3, 30), 2);
    }
    all
}

#[test]
fn the_exhaustive_search_may_do_later_what_it_has_left_over() {
    let mut portfolio = Portfolio::new(SHARES, 1000);
    let mut shares = Vec::new();
    while let Some(turn) = portfolio.turn().filter(|_| shares.len() < 4) {
        if turn.part == PortfolioPart::Exhaustive {
            shares.push((turn.share.least.operations, turn.share.most.operations, turn.share.near.operations));
            assert_eq!(turn.share.before.runs, shares.len() as u64 - 1);
            portfolio.note_reached(Reached { runs: shares.len() as u64, estimate: 100 });
        }
        portfolio.took(TurnEnd::Share, &counts(4, 45), 2);
    }
    assert_eq!(shares[1..], [(40, 300, 900), (160, 1500 - 45, 4500), (640, 6300 - 90, 18_900)]);
}

#[test]
fn after_the_start_each_part_has_a_turn_in_each_round_four_times_as_long_as_before() {
    let all = turns(15, |_| TurnEnd::Share);
    assert_eq!((all[0].part, all[0].share), (PortfolioPart::Exhaustive, SHARES.start));
    let parts = |turns: &[Turn]| turns.iter().map(|turn| turn.part).collect::<Vec<_>>();
    assert_eq!(parts(&all[1..8]), ORDER);
    assert_eq!(parts(&all[8..15]), ORDER);
    for (first, second) in all[1..8].iter().zip(&all[8..15]) {
        assert_eq!(first.share.least.operations * 4, second.share.least.operations, "{first:?}");
        assert_eq!(first.time.most * 4, second.time.most, "{first:?}");
    }
    assert_eq!(all[6].preemptions, Some(0));
    assert_eq!(all[13].preemptions, Some(0), "a bound that was not covered is searched again");
    assert_eq!((all[2].first_run, all[9].first_run), (0, RUNS_OF_TURN), "other runs than in the first round");
}

#[test]
fn an_exhaustive_search_near_its_end_goes_on_soon_in_the_first_round() {
    let [states, pos, surw, pct, random, bounded, exhaustive] = ORDER;
    for (estimate, near) in [(40, true), (41, false), (0, false)] {
        let mut portfolio = Portfolio::new(SHARES, 1000);
        let (mut made, mut runs) = (Vec::new(), Vec::new());
        while let Some(turn) = portfolio.turn().filter(|_| made.len() < 15) {
            made.push(turn.part);
            runs.extend((turn.part == exhaustive).then_some(turn.share.most.runs));
            if turn.part == exhaustive {
                portfolio.note_reached(Reached { runs: 10, estimate });
            }
            portfolio.took(TurnEnd::Share, &counts(3, 30), 2);
        }
        let first = if near {
            [states, exhaustive, pos, surw, pct, random, bounded]
        } else {
            [states, pos, surw, pct, random, bounded, exhaustive]
        };
        assert_eq!((made[0], &made[1..8], &made[8..15]), (exhaustive, &first[..], &ORDER[..]), "{estimate}");
        // What the estimate leaves, and no limit where it is the last of its round.
        assert_eq!(runs[1..], [if near { 30 } else { u64::MAX }, u64::MAX], "{estimate}");
    }
}

/// The turns up to the one that compares states, if the first has made 8 of so many runs, and ends so.
fn start(estimate: u64, end: TurnEnd) -> Vec<Turn> {
    let mut portfolio = Portfolio::new(SHARES, 1000);
    let mut made = Vec::new();
    while let Some(turn) = portfolio.turn().filter(|turn| turn.part != PortfolioPart::States) {
        assert_eq!(portfolio.is_at_start(), made.is_empty());
        made.push(turn);
        portfolio.note_reached(Reached { runs: 8, estimate });
        portfolio.took(end, &counts(3, 30), 2);
    }
    made
}

#[test]
fn a_start_that_is_interrupted_by_its_time_near_its_end_goes_on_after_short_searches() {
    let sampled = |algorithm| PortfolioPart::Sampled(algorithm);
    let [exhaustive, pos, surw, pct] =
        [PortfolioPart::Exhaustive, sampled(Algorithm::Pos), sampled(Algorithm::Surw), sampled(Algorithm::Pct)];
    let all = start(40, TurnEnd::Time);
    let parts: Vec<PortfolioPart> = all.iter().map(|turn| turn.part).collect();
    assert_eq!(parts, [exhaustive, pos, surw, pct, exhaustive]);
    for brief in &all[1..4] {
        assert_eq!((brief.share, brief.time), (Share::of_operations(5), TurnTime::of(SECOND * 7)));
        assert!(brief.first_run >= u64::from(MOST_ROUNDS) * RUNS_OF_TURN, "no round samples these");
    }
    let (first, last) = (all[0], all[4]);
    assert!(first.time.is_over(SECOND * 2, 8, Some(40.0)) && !first.time.is_over(SECOND * 2, 0, None));
    // What is left: four of six seconds, 12 of 20 runs.
    let times = (last.time.least, last.time.most, last.time.near);
    assert_eq!(times, (SECOND, SECOND * 4, SECOND * 6));
    assert_eq!((last.share.most.runs, last.share.before), (12, Reached { runs: 8, estimate: 40 }));
}

#[test]
fn a_start_that_is_far_from_its_end_or_has_used_its_share_up_is_over() {
    // A fifth of the runs is near.
    for (estimate, end) in [(41, TurnEnd::Time), (0, TurnEnd::Time), (40, TurnEnd::Share), (20, TurnEnd::Share)] {
        assert_eq!(start(estimate, end).len(), 1, "{estimate} {end:?}");
    }
    assert_eq!(start(20, TurnEnd::Time).len(), 5);
}

#[test]
fn a_part_whose_program_is_not_there_yet_is_asked_again_after_each_other_part() {
    let mut portfolio = Portfolio::new(SHARES, 1000);
    let mut made = Vec::new();
    let mut asked = 0;
    while let Some(turn) = portfolio.turn().filter(|_| made.len() < 9) {
        let is_late = turn.part == PortfolioPart::States && asked < 3;
        asked += u32::from(turn.part == PortfolioPart::States);
        if !is_late {
            made.push(turn.part);
        }
        portfolio.took(if is_late { TurnEnd::Later } else { TurnEnd::Share }, &counts(3, 30), 2);
    }
    let [states, pos, surw, pct, random, bounded, exhaustive] = ORDER;
    assert_eq!(made, [exhaustive, pos, surw, pct, states, random, bounded, exhaustive, states]);
}

#[test]
fn a_part_that_is_late_and_alone_says_so() {
    let mut portfolio = Portfolio::new(SHARES, 1000);
    let late = |turn: &Turn| turn.part == PortfolioPart::States;
    for _ in 0..30 {
        let Some(turn) = portfolio.turn() else { break };
        if portfolio.is_last_part() {
            assert!(late(&turn));
            return;
        }
        portfolio.took(if late(&turn) { TurnEnd::Later } else { TurnEnd::Impossible }, &counts(0, 0), 0);
    }
    panic!("others have turns for ever");
}

#[test]
fn bounds_grow_until_the_share_of_the_round_is_used_up() {
    let covered = |turn: &Turn| match turn.part {
        PortfolioPart::Bounded => TurnEnd::Over { cut: false },
        _ => TurnEnd::Share,
    };
    let bounded: Vec<Turn> =
        turns(12, covered).into_iter().filter(|turn| turn.part == PortfolioPart::Bounded).collect();
    // 100 operations in the first round, of which each takes 30.
    let expected = [(0, 100), (1, 70), (2, 40), (3, 10)];
    assert_eq!(bounded.len(), 4);
    for (turn, (bound, operations)) in bounded.iter().zip(expected) {
        assert_eq!((turn.preemptions, turn.share.most.operations), (Some(bound), operations));
    }
}

#[test]
fn two_rounds_follow_an_exhaustive_search_that_has_cut_runs_and_theirs_are_shorter() {
    let cut = |turn: &Turn| match turn.part {
        PortfolioPart::Exhaustive => TurnEnd::Over { cut: true },
        PortfolioPart::States => TurnEnd::Impossible,
        PortfolioPart::Bounded | PortfolioPart::Sampled(_) => TurnEnd::Share,
    };
    let all = turns(100, cut);
    let parts: Vec<PortfolioPart> = all.iter().map(|turn| turn.part).collect();
    let round = &ORDER[1..6];
    assert_eq!(parts[..2], [PortfolioPart::Exhaustive, PortfolioPart::States]);
    assert_eq!([&parts[2..7], &parts[7..]], [round, round], "no state is compared again, nothing is exhausted again");
    let lengths: Vec<u32> = all.iter().map(|turn| turn.max_steps).collect();
    assert_eq!((lengths[0], lengths[2], lengths[7]), (1000, 40, 160));
}

#[test]
fn a_portfolio_of_samples_takes_turns_in_growing_rounds_with_other_runs_each_time() {
    let mut portfolio = Portfolio::of_samples(SHARES, 1000);
    let mut all = Vec::new();
    for _ in 0..8 {
        let turn = portfolio.turn().expect("there is always another run to draw");
        portfolio.took(TurnEnd::Share, &counts(3, 30), 2);
        all.push(turn);
    }
    assert!(all.iter().all(|turn| matches!(turn.part, PortfolioPart::Sampled(_))), "{all:?}");
    for (first, second) in all[..4].iter().zip(&all[4..]) {
        assert_eq!((first.algorithm, first.share.times(4)), (second.algorithm, second.share));
        assert_eq!((first.first_run, second.first_run), (0, RUNS_OF_TURN));
    }
}

#[test]
fn a_portfolio_without_anything_left_to_try_ends() {
    assert_eq!(turns(100, |_| TurnEnd::Impossible).len(), 1 + 6, "the exhaustive search is over with the start");
}
