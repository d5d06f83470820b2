//! Tests of the detectors.

mod c11_rules;
mod definition;
mod endings;
mod leaving;
mod operations;
mod program;
mod replay;
mod script;
mod speed;
mod unsettled;
mod witness;
