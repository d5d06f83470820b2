//! Functions of `sched.h`.

use super::CallEffect::{AsksOwnProcessors, Processors, Reads, Writes};
use super::Extent::{Argument, Bytes};
use super::InLoops::Yields;
use super::LibraryHeader;
use super::Outcome::{Determined, Heap};
use super::PointerFlow::ReturnsBlock;
use super::builder::{function, variadic};

pub(super) const HEADERS: &[LibraryHeader] = &[LibraryHeader {
    name: "sched.h",
    rows: &[
        function("__sched_cpualloc", "i").harmless().flows(&[ReturnsBlock]).outcome(Heap),
        function("__sched_cpucount", "ic").announces(&[Reads(1, Argument(0))]).keeps_nothing().outcome(Determined),
        function("__sched_cpufree", "p").refused(),
        variadic("clone", "fpip").refused(),
        function("getcpu", "pp").refused(),
        function("sched_get_priority_max", "i").harmless().keeps_nothing(),
        function("sched_get_priority_min", "i").harmless().keeps_nothing(),
        function("sched_getaffinity", "iip")
            .announces(&[Processors { thread: 0, handle: false, changes: false }, Writes(2, Argument(1))])
            .keeps_nothing(),
        function("sched_getcpu", "").announces(&[AsksOwnProcessors]).keeps_nothing(),
        function("sched_getparam", "ip").announces(&[Writes(1, Bytes(4))]).keeps_nothing(),
        function("sched_getscheduler", "i").harmless().keeps_nothing(),
        function("sched_rr_get_interval", "ip").refused().keeps_nothing(),
        function("sched_setaffinity", "iic")
            .announces(&[Reads(2, Argument(1)), Processors { thread: 0, handle: false, changes: true }])
            .keeps_nothing(),
        function("sched_setparam", "ic").refused(),
        function("sched_setscheduler", "iic").refused(),
        function("sched_yield", "").modelled().keeps_nothing().outcome(Determined).in_loops(Yields),
        function("setns", "ii").refused(),
        function("unshare", "i").refused(),
    ],
}];
