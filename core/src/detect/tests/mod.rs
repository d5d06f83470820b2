//! Tests of the detectors.

mod c11_rules;
mod definition;
mod endings;
mod large_ranges;
mod leaving;
mod operations;
mod program;
mod replay;
mod script;
mod speed;
mod unsettled;
mod witness;

/// The form with room for many threads is tested with this part of the generated programs, as it is built without
/// optimisation (`xtask/src/test/programs.rs`).
const PART: usize = if cfg!(feature = "many-threads") { 8 } else { 1 };
