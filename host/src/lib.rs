//! The half of Inspect that runs in the checker: starts guests, watches them, judges and reports what they have found.
//!
//! One direction: [`cli`] reads flags into a `Config`, [`search`] runs guests through [`run`], [`verdict`] decides,
//! [`report`] puts it in words. Nothing below `cli` sees a flag or an environment variable.
#![forbid(unsafe_code)]

pub mod cli;
pub mod compile;
pub mod error;
pub mod foreign;
pub mod frames;
pub mod places;
pub mod program;
pub mod query;
pub mod report;
pub mod run;
pub mod schedule;
pub mod search;
pub mod symbols;
pub mod verdict;
pub mod words;
