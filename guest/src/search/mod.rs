//! Searches: plans runs, has the engine make them, judges them and learns from them, until nothing is left or the
//! search is to stop.
//!
//! Everything here runs on the engine's own stack, between runs. [`start`] does the job that the host gives: an
//! exploration ([`explore`], with its data in [`exploration`]), perhaps of parts of a search that several guests share
//! ([`sharing`]), or one run again ([`replay`]). [`runner`] makes one run, from one of the [`checkpoints`] if it can;
//! [`promote`] makes more operations visible; [`report`] sends messages to the host.

mod checkpoints;
mod exploration;
mod explore;
mod explorers;
mod findings;
mod goal;
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
