//! Searches: plans runs, has the engine make them, judges them and learns from them, until nothing is left or somebody
//! says stop.
//!
//! Everything here runs on the engine's own stack, between runs. [`start`] does what the host orders: an exploration
//! ([`explore`]), perhaps of a part of a search that several guests share ([`sharing`]), or one run again ([`replay`]).

mod checkpoints;
mod exploration;
mod explore;
mod explorers;
mod findings;
mod imports;
mod progress;
mod promote;
mod replay;
mod report;
mod runner;
mod share;
mod sharing;
mod start;

pub(crate) use imports::UnknownImports;
pub(crate) use start::{Models, main_loop};
