//! Calls by which a test driver addresses Inspect, and the names that verification benchmarks use for it.

use super::LibraryHeader;
use super::Outcome::{Determined, Varies};
use super::Role::EndsProcess;
use super::builder::function;

pub(super) const HEADERS: &[LibraryHeader] = &[
    LibraryHeader {
        name: "inspect.h",
        rows: &[
            function("__VERIFIER_assume", "i").modelled().keeps_nothing().outcome(Determined),
            function("__VERIFIER_nondet_bool", "").modelled().keeps_nothing().outcome(Varies),
            function("__VERIFIER_nondet_char", "").modelled().keeps_nothing().outcome(Varies),
            function("__VERIFIER_nondet_int", "").modelled().keeps_nothing().outcome(Varies),
            function("__VERIFIER_nondet_long", "").modelled().keeps_nothing().outcome(Varies),
            function("__VERIFIER_nondet_uchar", "").modelled().keeps_nothing().outcome(Varies),
            function("__VERIFIER_nondet_uint", "").modelled().keeps_nothing().outcome(Varies),
            function("__VERIFIER_nondet_ulong", "").modelled().keeps_nothing().outcome(Varies),
            function("inspect_assume", "i").modelled().keeps_nothing().outcome(Determined),
            function("inspect_choose", "i").modelled().keeps_nothing().outcome(Varies),
        ],
    },
    LibraryHeader {
        name: "verification benchmarks, which declare these themselves",
        rows: &[
            function("__VERIFIER_error", "").modelled().keeps_nothing(),
            function("reach_error", "").modelled().role(EndsProcess),
        ],
    },
];
