//! Bugs that few interleavings show: plain `inspect check` finds them soon, whatever the seed of what is drawn by
//! chance.

use crate::expect::Case;
use crate::run::Scene;
use crate::{compare, markers};
use std::path::Path;

/// What the search of each seed may take, on one core. It is wall time: on a machine that does other work as well a
/// rare bug may be missed.
const SECONDS_PER_SEED: u32 = 10;

/// The same where other tests run on the same cores.
const SECONDS_BESIDE_OTHERS: u32 = 40;

/// The case as it is checked with its first seed, beside other tests.
pub(crate) fn with_first_seed(case: &Case) -> Case {
    seeded(case, 0, SECONDS_BESIDE_OTHERS)
}

/// The case as it is checked with one seed.
fn seeded(case: &Case, seed: u32, seconds: u32) -> Case {
    let limits = ["--seed".into(), seed.to_string(), "--time-limit".into(), format!("{seconds}s")];
    Case { flags: [case.flags.clone(), limits.into()].concat(), ..case.clone() }
}

/// Checks the case with each of its seeds, and fails with all that have another answer.
pub(crate) fn check(inspect: &Path, directory: &Path, case: &Case) -> Result<(), String> {
    let seeds = case.seeds.unwrap_or_default();
    if seeds == 0 {
        return Err("a case without a seed is checked with none".into());
    }
    let scene = Scene::set(directory, case)?;
    let markers = markers::read(&scene.sources)?;
    let missed = |seed: u32| {
        let case = seeded(case, seed, SECONDS_PER_SEED);
        let checked = scene.check(inspect, &case, false);
        let compared = checked.and_then(|outcome| compare::outcome(&case, &outcome, &markers));
        compared.err().map(|error| format!("seed {seed}: {error}"))
    };
    let missed: Vec<String> = (0..seeds).filter_map(missed).collect();
    if missed.is_empty() {
        return Ok(());
    }
    Err(format!("found with {} of {seeds} seeds\n{}", seeds as usize - missed.len(), missed.join("\n")))
}
