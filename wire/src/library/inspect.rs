//! Calls by which a test driver addresses Inspect, and the names that verification benchmarks use for it.

use super::LibraryHeader;
use super::Outcome::{Determined, Varies};
use super::Role::EndsProcess;
use super::builder::function;

pub(super) const HEADERS: &[LibraryHeader] = &[
    LibraryHeader {
        name: "inspect.h",
        rows: &[
            function("__VERIFIER_assume", 1).modelled().keeps_nothing().outcome(Determined),
            function("__VERIFIER_nondet_bool", 0).modelled().keeps_nothing().outcome(Varies),
            function("__VERIFIER_nondet_char", 0).modelled().keeps_nothing().outcome(Varies),
            function("__VERIFIER_nondet_int", 0).modelled().keeps_nothing().outcome(Varies),
            function("__VERIFIER_nondet_long", 0).modelled().keeps_nothing().outcome(Varies),
            function("__VERIFIER_nondet_uchar", 0).modelled().keeps_nothing().outcome(Varies),
            function("__VERIFIER_nondet_uint", 0).modelled().keeps_nothing().outcome(Varies),
            function("__VERIFIER_nondet_ulong", 0).modelled().keeps_nothing().outcome(Varies),
            function("inspect_assume", 1).modelled().keeps_nothing().outcome(Determined),
            function("inspect_choose", 1).modelled().keeps_nothing().outcome(Varies),
        ],
    },
    LibraryHeader {
        name: "verification benchmarks, which declare these themselves",
        rows: &[
            function("__VERIFIER_error", 0).modelled().keeps_nothing(),
            function("reach_error", 0).modelled().role(EndsProcess),
        ],
    },
];
