//! The part of Inspect without I/O: the scheduler of the program under test ([`run`]), what happened in a run
//! ([`event`]), in which order it had to happen ([`order`]), which bugs it shows ([`detect`]) and what to run next
//! ([`explore`]).
//!
//! This crate has no I/O, no clock, no threads, no randomness that is not seeded by the caller, and no unsafe code. The
//! guest runs it inside the program under test; the tests run it with a pure model of a program.
#![cfg_attr(not(test), no_std)]
#![forbid(unsafe_code)]

extern crate alloc;

pub mod detect;
pub mod event;
pub mod explore;
pub mod hash;
#[cfg(feature = "model")]
pub mod model;
pub mod order;
pub mod predict;
pub mod random;
mod ranges;
pub mod run;
pub mod sample;
mod table;
