//! Every program of the corpus under `--algorithm stateful` with both ways of telling local states: the same verdict and
//! the same findings. Nothing is expected of the numbers of executions: deltas match less, but where a run ends in a
//! state that is known, what was executed below it counts as coming next, which costs executions elsewhere
//! (`finer_states_may_take_fewer_runs` in `core/tests/identities.rs`).

use crate::expect::Case;
use crate::run::Scene;
use crate::symmetry::findings;
use std::path::Path;

/// Programs that take more executions are left out.
const MOST: u64 = 3_000;

/// Programs that destroy their own memory: what they show depends on where in it records lie.
const DESTRUCTIVE: [&str; 2] = ["hard/stack_overflow", "hard/wild_write"];

/// Compares the two searches.
pub(crate) fn check(inspect: &Path, directory: &Path, case: &Case) -> Result<(), String> {
    if DESTRUCTIVE.iter().any(|program| directory.ends_with(program)) {
        return Ok(());
    }
    let most = MOST.to_string();
    let with = |local_states: &str| Case {
        algorithm: Some("stateful".into()),
        plain_accesses: None,
        preemptions: None,
        mode: None,
        keep_going: true,
        flags: ["--local-states", local_states, "--max-executions", &most].map(str::to_string).to_vec(),
        ..case.clone()
    };
    let [exact, delta] = ["exact", "delta"].map(|local_states| {
        let case = with(local_states);
        Scene::set(directory, &case)?.check(inspect, &case, false)
    });
    let (exact, delta) = (exact?, delta?);
    let (one, other) = (&exact.report, &delta.report);
    println!("{} executions with exact local states, {} with deltas", one.executions, other.executions);
    // A verdict of violated says nothing of the limit.
    if one.executions >= MOST || other.executions >= MOST {
        return Ok(());
    }
    if one.verdict != other.verdict || findings(one) != findings(other) {
        let both = [one, other].map(|report| (&report.verdict, &report.reason, findings(report)));
        return Err(format!("exact and by deltas: {both:?}\n{}", delta.command));
    }
    Ok(())
}
