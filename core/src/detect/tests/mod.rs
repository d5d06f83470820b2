//! Tests of the detectors.

mod c11_rules;
mod definition;
mod script;
mod witness;
