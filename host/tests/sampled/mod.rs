//! Searches that sample, shared by several guests: they make the runs that one guest makes.

use super::division::{divided, visits};
use super::*;

const STRATEGIES: [Algorithm; 5] =
    [Algorithm::Random, Algorithm::Pct, Algorithm::Pos, Algorithm::Surw, Algorithm::Delay];

#[test]
fn guests_that_share_runs_make_those_of_one_guest() {
    let program = Program::compile("corpus/papers/boundedbuffer/prog.c", &["PRODUCERS=2", "CONSUMERS=2"]);
    for algorithm in STRATEGIES {
        let sampling = SamplingOptions { runs: Some(3000), ..SamplingOptions::default() };
        let job = Job { sampling, ..job(algorithm) };
        let target = Target::new(program.path("program"), Vec::new());
        let alone = visits(&divided(&target, &job, 1, Duration::from_millis(1)).0);
        let made = alone.values().sum::<u32>();
        assert_eq!(made, 3000, "{algorithm:?}");
        // How often the runs are divided before they are all made depends on the machine.
        let mut divisions = 0;
        while divisions < 4 {
            let (shared, hands) = divided(&target, &job, 3, Duration::from_micros(100));
            let shared = visits(&shared);
            let is_made = |(trace, times)| shared.get(trace).is_some_and(|shared| shared >= times);
            assert!(alone.iter().all(is_made), "{algorithm:?}: runs are missing");
            // The two others make eight runs beside their own to learn from.
            let more = shared.values().sum::<u32>() - made;
            assert!(more <= 16, "{algorithm:?}: {more} runs too many");
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
