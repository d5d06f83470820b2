//! The pure half of Inspect: what happened ([`event`]), in which order it must have happened ([`order`]),
//! what is wrong with it ([`detect`]) and what to run next ([`explore`]).
//!
//! Invariants of absence: no I/O, no clock, no threads, no randomness that is not seeded by the caller, no unsafe code.
//! The guest runs this code inside the program under test, the tests run it against a pure model of a program.
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
mod ranges;
pub mod run;
mod table;
