//! Searches that sample, shared by several guests: they make the runs that one guest makes.

use super::division::{divided, visits};
use super::*;

const STRATEGIES: [Algorithm; 5] =
    [Algorithm::Random, Algorithm::Pct, Algorithm::Pos, Algorithm::Surw, Algorithm::Delay];

#[test]
fn guests_that_share_runs_make_those_of_one_guest() {
    let program = Program::compile("corpus/papers/boundedbuffer/prog.c", &["PRODUCERS=2", "CONSUMERS=2"]);
    for algorithm in STRATEGIES {
        let target = Target::new(program.path("program"), Vec::new());
        let job = |runs| {
            let sampling = SamplingOptions { runs: Some(runs), ..SamplingOptions::default() };
            Job { sampling, ..job(algorithm) }
        };
        let by_one = |runs| visits(&divided(&target, &job(runs), 1, Duration::from_millis(1)).0);
        let (alone, learned_from) = (by_one(3000), by_one(8));
        let made = alone.values().sum::<u32>();
        assert_eq!(made, 3000, "{algorithm:?}");
        // How often the runs are divided before they are all made depends on the machine.
        let mut divisions = 0;
        while divisions < 4 {
            let (shared, hands) = divided(&target, &job(3000), 3, Duration::from_micros(100));
            let shared = visits(&shared);
            // Each of the two others that was given something makes the first eight runs beside its own, to learn from.
            let learners = (shared.values().sum::<u32>() - made) / 8;
            let most = if algorithm == Algorithm::Random { 0 } else { 2 };
            assert!(learners <= most, "{algorithm:?}: {learners}");
            let mut expected = alone.clone();
            learned_from.iter().for_each(|(trace, times)| *expected.entry(*trace).or_default() += learners * times);
            assert_eq!(shared, expected, "{algorithm:?}");
            // The first guest is given everything: no division.
            divisions += hands - 1;
            println!("{algorithm:?}: {divisions} divisions");
        }
    }
}

/// Programs whose sampled runs end, with a number of runs that takes some tenths of a second.
fn programs() -> [(Program, &'static [&'static str]); 3] {
    [
        (Program::compile("corpus/papers/boundedbuffer/prog.c", &["PRODUCERS=2", "CONSUMERS=2"]), &["--runs", "40000"]),
        (Program::compile("corpus/counts/lastzero/prog.c", &["N=8"]), &["--runs", "30000"]),
        (Program::compile("corpus/papers/philosophers/prog.c", &[]), &["--runs", "60000", "--keep-going"]),
    ]
}

#[test]
fn the_report_of_shared_runs_is_that_of_one_guest() {
    for (program, options) in programs() {
        for algorithm in STRATEGIES {
            let options = [options, &["--algorithm", algorithm.name()]].concat();
            let alone = program.check(&options);
            for workers in ["2", "4"] {
                let shared = program.check(&[&options[..], &["-j", workers]].concat());
                assert_eq!(result(&shared), result(&alone), "{algorithm:?} -j {workers}: {shared}");
                for key in ["guarantee", "reason"] {
                    assert_eq!(shared[key], alone[key], "{algorithm:?} -j {workers}");
                }
            }
        }
    }
}

#[test]
fn killed_guests_and_killed_searches_change_no_sampled_run() {
    let [(program, _), ..] = programs();
    for algorithm in [Algorithm::Random, Algorithm::Surw] {
        let options = ["--runs", "300000", "--algorithm", algorithm.name()];
        let alone = program.check(&options);
        let shared = [&options[..], &["-j", "2"]].concat();
        for killing in [killing_guests, killing_everything] {
            until_killed(kills(2, 20), || {
                let (report, killed) = killing(&program, &shared);
                assert_eq!(result(&report), result(&alone), "{algorithm:?}, {killed} kills: {report}");
                assert_eq!(report["guarantee"], alone["guarantee"], "{algorithm:?}, {killed} kills");
                killed
            });
        }
    }
}
