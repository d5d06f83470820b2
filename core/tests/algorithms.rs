//! The tests of searches and detectors in the pure model, as one program: it is linked once, and while a long test of
//! one file runs, those of other files run as well. (`allocations.rs` and `memory.rs` count allocations and are
//! programs of their own.)

mod common;

mod bounded;
mod cancellation;
mod channels;
mod context_bound;
mod counts;
mod cross_check;
mod detachment;
mod discipline;
mod futex_steps;
mod happens_before;
mod identities;
mod items;
mod lost_runs;
mod misuses;
mod pdp;
mod portfolio;
mod predict;
mod requeues;
mod sampling;
mod semantics;
mod small_programs;
mod state_sharing;
mod stateful;
mod symmetry;
mod sync_preserving;
mod timers;
mod unordered_communication;
