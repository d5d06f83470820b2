//! Functions of `inttypes.h`, `malloc.h`, `stdlib.h`.

use super::CallEffect::{Changes, Exits, Looks, MakesTemporary, Reads, Updates, Writes};
use super::Extent::{Bytes, Number, Text};
use super::Hidden::{Environment, Locale, Rand, Rand48, Random, StaticResult};
use super::LibraryHeader;
use super::Outcome::{Determined, Heap, Outside};
use super::PointerFlow::{
    Calls, ReturnsBlock, ReturnsInside, ReturnsResized, ReturnsUnknown, StoresBlock, StoresInside,
};
use super::Role::EndsProcess;
use super::builder::function;

pub(super) const HEADERS: &[LibraryHeader] = &[
    LibraryHeader {
        name: "inttypes.h",
        rows: &[
            function("strtoimax", 3)
                .announces(&[Reads(0, Number), Writes(1, Bytes(8))])
                .flows(&[StoresInside { of: 0, at: 1 }]),
            function("strtoumax", 3)
                .announces(&[Reads(0, Number), Writes(1, Bytes(8))])
                .flows(&[StoresInside { of: 0, at: 1 }]),
        ],
    },
    LibraryHeader {
        name: "malloc.h",
        rows: &[
            function("malloc_usable_size", 1).modelled().keeps_nothing(),
            function("memalign", 2).modelled().flows(&[ReturnsBlock]).essential(),
            function("pvalloc", 1).modelled().flows(&[ReturnsBlock]),
        ],
    },
    LibraryHeader {
        name: "stdlib.h",
        rows: &[
            function("_Exit", 1).announces(&[Exits]).keeps_nothing().role(EndsProcess),
            function("__ctype_get_mb_cur_max", 0).harmless(),
            function("abort", 0).modelled().keeps_nothing().role(EndsProcess).essential(),
            function("abs", 1).harmless().keeps_nothing().outcome(Determined),
            function("aligned_alloc", 2).modelled().flows(&[ReturnsBlock]).outcome(Heap).essential(),
            function("at_quick_exit", 1).harmless(),
            function("atexit", 1).harmless(),
            function("atof", 1).announces(&[Reads(0, Number), Looks(Locale)]).keeps_nothing().outcome(Determined),
            function("atoi", 1).announces(&[Reads(0, Number)]).keeps_nothing().outcome(Determined),
            function("atol", 1).announces(&[Reads(0, Number)]).keeps_nothing().outcome(Determined),
            function("atoll", 1).announces(&[Reads(0, Number)]).keeps_nothing().outcome(Determined),
            function("bsearch", 5).harmless().flows(&[Calls { function: 4, with: &[0, 1] }, ReturnsInside(1)]),
            function("calloc", 2).modelled().flows(&[ReturnsBlock]).outcome(Heap).essential(),
            function("clearenv", 0).announces(&[Changes(Environment)]),
            function("div", 2).harmless(),
            function("drand48", 0).announces(&[Changes(Rand48)]),
            function("ecvt", 4).announces(&[Changes(StaticResult)]),
            function("exit", 1).announces(&[Exits]).keeps_nothing().writes_elsewhere().essential(),
            function("fcvt", 4).announces(&[Changes(StaticResult)]),
            function("free", 1).modelled().keeps_nothing().outcome(Heap).essential(),
            function("getenv", 1).announces(&[Looks(Environment), Reads(0, Text)]).flows(&[ReturnsUnknown]),
            function("initstate", 3).announces(&[Updates(Random)]),
            function("l64a", 1).announces(&[Changes(StaticResult)]),
            function("labs", 1).harmless().keeps_nothing().outcome(Determined),
            function("lcong48", 1).announces(&[Changes(Rand48)]),
            function("ldiv", 2).harmless(),
            function("llabs", 1).harmless().outcome(Determined),
            function("lldiv", 2).harmless(),
            function("lrand48", 0).announces(&[Changes(Rand48)]),
            function("malloc", 1).modelled().flows(&[ReturnsBlock]).outcome(Heap).essential(),
            function("mkstemp", 1).announces(&[MakesTemporary]),
            function("mkstemp64", 1).announces(&[MakesTemporary]),
            function("mrand48", 0).announces(&[Changes(Rand48)]),
            function("posix_memalign", 3).modelled().flows(&[StoresBlock(0)]).outcome(Heap).essential(),
            function("putenv", 1).announces(&[Changes(Environment), Reads(0, Text)]),
            function("qsort", 4).modelled().flows(&[Calls { function: 3, with: &[0] }]),
            function("quick_exit", 1).announces(&[Exits]).keeps_nothing().writes_elsewhere(),
            function("rand", 0).announces(&[Changes(Rand)]).keeps_nothing().outcome(Outside),
            function("rand_r", 1)
                .announces(&[Reads(0, Bytes(4)), Writes(0, Bytes(4))])
                .keeps_nothing()
                .outcome(Determined),
            function("random", 0).announces(&[Updates(Random)]).keeps_nothing().outcome(Outside),
            function("realloc", 2).modelled().flows(&[ReturnsResized(0)]).outcome(Heap).essential(),
            function("reallocarray", 3).modelled().flows(&[ReturnsResized(0)]).essential(),
            function("secure_getenv", 1).announces(&[Looks(Environment), Reads(0, Text)]).flows(&[ReturnsUnknown]),
            function("seed48", 1).announces(&[Changes(Rand48)]),
            function("setenv", 3).announces(&[Changes(Environment), Reads(0, Text), Reads(1, Text)]).keeps_nothing(),
            function("setstate", 1).announces(&[Updates(Random)]),
            function("srand", 1).announces(&[Changes(Rand)]).keeps_nothing().outcome(Outside),
            function("srand48", 1).announces(&[Changes(Rand48)]),
            function("srandom", 1).announces(&[Updates(Random)]).keeps_nothing().outcome(Outside),
            function("strtod", 2)
                .announces(&[Reads(0, Number), Writes(1, Bytes(8)), Looks(Locale)])
                .flows(&[StoresInside { of: 0, at: 1 }])
                .outcome(Determined),
            function("strtof", 2)
                .announces(&[Reads(0, Number), Writes(1, Bytes(8)), Looks(Locale)])
                .flows(&[StoresInside { of: 0, at: 1 }])
                .outcome(Determined),
            function("strtol", 3)
                .announces(&[Reads(0, Number), Writes(1, Bytes(8))])
                .flows(&[StoresInside { of: 0, at: 1 }])
                .outcome(Determined),
            function("strtold", 2)
                .announces(&[Reads(0, Number), Writes(1, Bytes(8)), Looks(Locale)])
                .flows(&[StoresInside { of: 0, at: 1 }]),
            function("strtoll", 3)
                .announces(&[Reads(0, Number), Writes(1, Bytes(8))])
                .flows(&[StoresInside { of: 0, at: 1 }])
                .outcome(Determined),
            function("strtoul", 3)
                .announces(&[Reads(0, Number), Writes(1, Bytes(8))])
                .flows(&[StoresInside { of: 0, at: 1 }])
                .outcome(Determined),
            function("strtoull", 3)
                .announces(&[Reads(0, Number), Writes(1, Bytes(8))])
                .flows(&[StoresInside { of: 0, at: 1 }])
                .outcome(Determined),
            function("system", 1).refused().keeps_nothing(),
            function("unsetenv", 1).announces(&[Changes(Environment), Reads(0, Text)]).keeps_nothing(),
            function("valloc", 1).modelled().flows(&[ReturnsBlock]),
        ],
    },
];
