//! Functions of `inttypes.h`, `malloc.h`, `stdlib.h`.

use super::CallEffect::{
    Changes, Converts, DrawsRandom, Exits, KeepsState, KeepsVariable, Looks, LooksUpPath, MakesTemporary, Reads,
    Stores, TakesSuboption, Unannounced, Updates, UsesLocale, Writes, WritesResult,
};
use super::Extent::{
    Argument, Bytes, Character, CharacterOf, Decimal, Integer, Number, Product, Text, TextWithin, WideInteger,
};
use super::Hidden::{Base64Text, DecimalText, Environment, Locale, QuickExitHandlers, Rand48, Random, ShiftState};
use super::LibraryHeader;
use super::Outcome::{Determined, Heap, Outside, Varies};
use super::PointerFlow::{
    Calls, GivesAway, KeepsNumber, ReturnsBlock, ReturnsInside, ReturnsResized, ReturnsUnknown, StoresBlock,
    StoresInside,
};
use super::Role::EndsProcess;
use super::builder::{function, pure};
use super::reason::{BY_CALLBACK, KEPT, THE_RESULT};
use super::stored::StoredExtent;

pub(super) const HEADERS: &[LibraryHeader] = &[
    LibraryHeader {
        name: "inttypes.h",
        rows: &[
            pure("imaxabs", "i"),
            pure("imaxdiv", "ii"),
            function("strtoimax", "cpi")
                .announces(&[Reads(0, Integer(2)), Writes(1, Bytes(8))])
                .flows(&[StoresInside { of: 0, at: 1 }])
                .outcome(Determined),
            function("strtoumax", "cpi")
                .announces(&[Reads(0, Integer(2)), Writes(1, Bytes(8))])
                .flows(&[StoresInside { of: 0, at: 1 }])
                .outcome(Determined),
            function("wcstoimax", "cpi")
                .announces(&[Reads(0, WideInteger(2)), Writes(1, Bytes(8))])
                .flows(&[StoresInside { of: 0, at: 1 }])
                .outcome(Determined),
            function("wcstoumax", "cpi")
                .announces(&[Reads(0, WideInteger(2)), Writes(1, Bytes(8))])
                .flows(&[StoresInside { of: 0, at: 1 }])
                .outcome(Determined),
        ],
    },
    LibraryHeader {
        name: "malloc.h",
        rows: &[
            function("malloc_stats", "").harmless().keeps_nothing(),
            function("malloc_trim", "i").harmless().keeps_nothing(),
            function("malloc_usable_size", "p").modelled().keeps_nothing().accesses(&[Reads(0, Bytes(1))]),
            function("mallopt", "ii").harmless().keeps_nothing(),
            function("memalign", "ii").modelled().flows(&[ReturnsBlock]).essential(),
            function("pvalloc", "i").modelled().flows(&[ReturnsBlock]),
        ],
    },
    LibraryHeader {
        name: "stdlib.h",
        rows: &[
            function("_Exit", "i").announces(&[Exits { cleanly: false }]).keeps_nothing().role(EndsProcess),
            function("__ctype_get_mb_cur_max", "").announces(&[Looks(Locale)]).keeps_nothing().outcome(Determined),
            function("a64l", "c").announces(&[Reads(0, TextWithin(6))]).keeps_nothing().outcome(Determined),
            function("abort", "").modelled().keeps_nothing().role(EndsProcess).essential(),
            pure("abs", "i"),
            function("aligned_alloc", "ii").modelled().flows(&[ReturnsBlock]).outcome(Heap).essential(),
            function("arc4random", "").harmless().keeps_nothing().outcome(Varies),
            function("arc4random_buf", "pi").announces(&[Writes(0, Argument(1))]).keeps_nothing().outcome(Varies),
            function("arc4random_uniform", "i").harmless().keeps_nothing().outcome(Varies),
            function("at_quick_exit", "f").harmless(),
            function("atexit", "f").harmless(),
            function("atof", "c").announces(&[Reads(0, Number), Looks(Locale)]).keeps_nothing().outcome(Determined),
            function("atoi", "c").announces(&[Reads(0, Decimal)]).keeps_nothing().outcome(Determined),
            function("atol", "c").announces(&[Reads(0, Decimal)]).keeps_nothing().outcome(Determined),
            function("atoll", "c").announces(&[Reads(0, Decimal)]).keeps_nothing().outcome(Determined),
            function("bsearch", "cciif")
                .harmless()
                .accesses(&[Unannounced(0, BY_CALLBACK), Unannounced(1, BY_CALLBACK)])
                .flows(&[Calls { function: 4, with: &[0, 1] }, ReturnsInside(1)]),
            function("calloc", "ii").modelled().flows(&[ReturnsBlock]).outcome(Heap).essential(),
            function("canonicalize_file_name", "c").announces(&[Reads(0, Text), LooksUpPath(0)]).flows(&[ReturnsBlock]),
            function("clearenv", "").announces(&[Changes(Environment)]).keeps_nothing(),
            pure("div", "ii"),
            function("drand48", "").announces(&[Changes(Rand48)]).keeps_nothing(),
            function("drand48_r", "pp")
                .announces(&[Reads(0, Bytes(24)), Writes(0, Bytes(24)), Writes(1, Bytes(8))])
                .keeps_nothing()
                .outcome(Determined),
            function("ecvt", "dipp")
                .announces(&[Changes(DecimalText), Writes(2, Bytes(4)), Writes(3, Bytes(4)), WritesResult(Text)])
                .flows(&[ReturnsUnknown]),
            function("ecvt_r", "dipppi")
                .announces(&[Writes(2, Bytes(4)), Writes(3, Bytes(4)), Writes(4, Argument(5))])
                .keeps_nothing()
                .outcome(Determined),
            function("erand48", "p")
                .announces(&[Reads(0, Bytes(6)), Writes(0, Bytes(6)), Changes(Rand48)])
                .keeps_nothing(),
            function("erand48_r", "ppp")
                .announces(&[
                    Reads(0, Bytes(6)),
                    Writes(0, Bytes(6)),
                    Reads(1, Bytes(24)),
                    Writes(1, Bytes(24)),
                    Writes(2, Bytes(8)),
                ])
                .keeps_nothing()
                .outcome(Determined),
            function("exit", "i").announces(&[Exits { cleanly: true }]).keeps_nothing().writes_elsewhere().essential(),
            function("fcvt", "dipp")
                .announces(&[Changes(DecimalText), Writes(2, Bytes(4)), Writes(3, Bytes(4)), WritesResult(Text)])
                .flows(&[ReturnsUnknown]),
            function("fcvt_r", "dipppi")
                .announces(&[Writes(2, Bytes(4)), Writes(3, Bytes(4)), Writes(4, Argument(5))])
                .keeps_nothing()
                .outcome(Determined),
            function("free", "p")
                .modelled()
                .keeps_nothing()
                .outcome(Heap)
                .essential()
                .accesses(&[Writes(0, Argument(0))]),
            function("getenv", "c").announces(&[Looks(Environment), Reads(0, Text)]).flows(&[ReturnsUnknown]),
            function("getloadavg", "pi")
                .announces(&[Stores(0, StoredExtent::IntResult { limit: 1, size: 8 })])
                .keeps_nothing()
                .outcome(Varies),
            function("getsubopt", "pcp").announces(&[
                Reads(0, Bytes(8)),
                TakesSuboption,
                Writes(0, Bytes(8)),
                Writes(2, Bytes(8)),
            ]),
            function("initstate", "ipi").announces(&[
                Writes(1, Argument(2)),
                Updates(Random),
                KeepsState { state: 1, size: Some(2) },
            ]),
            function("initstate_r", "ipip").announces(&[Writes(1, Argument(2)), Writes(3, Bytes(48))]),
            function("jrand48", "p")
                .announces(&[Reads(0, Bytes(6)), Writes(0, Bytes(6)), Changes(Rand48)])
                .keeps_nothing(),
            function("jrand48_r", "ppp")
                .announces(&[
                    Reads(0, Bytes(6)),
                    Writes(0, Bytes(6)),
                    Reads(1, Bytes(24)),
                    Writes(1, Bytes(24)),
                    Writes(2, Bytes(8)),
                ])
                .keeps_nothing()
                .outcome(Determined),
            function("l64a", "i").announces(&[Changes(Base64Text), WritesResult(Text)]).flows(&[ReturnsUnknown]),
            pure("labs", "i"),
            function("lcong48", "p").announces(&[Changes(Rand48), Reads(0, Bytes(14))]).flows(&[GivesAway(0)]),
            pure("ldiv", "ii"),
            pure("llabs", "i"),
            pure("lldiv", "ii"),
            function("lrand48", "").announces(&[Changes(Rand48)]).keeps_nothing(),
            function("lrand48_r", "pp")
                .announces(&[Reads(0, Bytes(24)), Writes(0, Bytes(24)), Writes(1, Bytes(8))])
                .keeps_nothing()
                .outcome(Determined),
            function("malloc", "i").modelled().flows(&[ReturnsBlock]).outcome(Heap).essential(),
            function("mblen", "ci")
                .announces(&[Reads(0, Character(1)), Changes(ShiftState), Looks(Locale)])
                .keeps_nothing(),
            function("mbstowcs", "pci")
                .announces(&[Converts { to_wide: true, moves: false }, Looks(Locale)])
                .keeps_nothing(),
            function("mbtowc", "pci")
                .announces(&[Reads(1, Character(2)), Writes(0, Bytes(4)), Changes(ShiftState), Looks(Locale)])
                .keeps_nothing(),
            function("mkdtemp", "p").refused().flows(&[ReturnsInside(0)]),
            function("mkostemp", "pi").announces(&[MakesTemporary]).keeps_nothing(),
            function("mkostemp64", "pi").announces(&[MakesTemporary]).keeps_nothing(),
            function("mkostemps", "pii").announces(&[MakesTemporary]).keeps_nothing(),
            function("mkostemps64", "pii").announces(&[MakesTemporary]).keeps_nothing(),
            function("mkstemp", "p").announces(&[MakesTemporary]).keeps_nothing(),
            function("mkstemp64", "p").announces(&[MakesTemporary]).keeps_nothing(),
            function("mkstemps", "pi").announces(&[MakesTemporary]).keeps_nothing(),
            function("mkstemps64", "pi").announces(&[MakesTemporary]).keeps_nothing(),
            function("mktemp", "p")
                .announces(&[Reads(0, Text), Writes(0, Text), LooksUpPath(0)])
                .flows(&[ReturnsInside(0)]),
            function("mrand48", "").announces(&[Changes(Rand48)]).keeps_nothing(),
            function("mrand48_r", "pp")
                .announces(&[Reads(0, Bytes(24)), Writes(0, Bytes(24)), Writes(1, Bytes(8))])
                .keeps_nothing()
                .outcome(Determined),
            function("nrand48", "p")
                .announces(&[Reads(0, Bytes(6)), Writes(0, Bytes(6)), Changes(Rand48)])
                .keeps_nothing(),
            function("nrand48_r", "ppp")
                .announces(&[
                    Reads(0, Bytes(6)),
                    Writes(0, Bytes(6)),
                    Reads(1, Bytes(24)),
                    Writes(1, Bytes(24)),
                    Writes(2, Bytes(8)),
                ])
                .keeps_nothing()
                .outcome(Determined),
            function("on_exit", "fp").modelled().accesses(&[Unannounced(1, KEPT)]),
            function("posix_memalign", "pii")
                .modelled()
                .flows(&[StoresBlock(0)])
                .outcome(Heap)
                .essential()
                .accesses(&[Writes(0, Bytes(8))]),
            function("putenv", "p").announces(&[Changes(Environment), Reads(0, Text), KeepsVariable(0)]),
            function("qecvt", "mipp")
                .announces(&[Changes(DecimalText), Writes(2, Bytes(4)), Writes(3, Bytes(4)), WritesResult(Text)])
                .flows(&[ReturnsUnknown]),
            function("qecvt_r", "mipppi")
                .announces(&[Writes(2, Bytes(4)), Writes(3, Bytes(4)), Writes(4, Argument(5))])
                .keeps_nothing()
                .outcome(Determined),
            function("qfcvt", "mipp")
                .announces(&[Changes(DecimalText), Writes(2, Bytes(4)), Writes(3, Bytes(4)), WritesResult(Text)])
                .flows(&[ReturnsUnknown]),
            function("qfcvt_r", "mipppi")
                .announces(&[Writes(2, Bytes(4)), Writes(3, Bytes(4)), Writes(4, Argument(5))])
                .keeps_nothing()
                .outcome(Determined),
            function("qsort", "piif")
                .announces(&[Writes(0, Product(1, 2))])
                .flows(&[Calls { function: 3, with: &[0] }]),
            function("qsort_r", "piifp")
                .announces(&[Writes(0, Product(1, 2)), Unannounced(4, BY_CALLBACK)])
                .flows(&[Calls { function: 3, with: &[0, 4] }]),
            function("quick_exit", "i")
                .announces(&[Exits { cleanly: false }, Updates(QuickExitHandlers)])
                .keeps_nothing()
                .writes_elsewhere(),
            function("rand", "").announces(&[Updates(Random)]).keeps_nothing().outcome(Outside),
            function("rand_r", "p")
                .announces(&[Reads(0, Bytes(4)), Writes(0, Bytes(4))])
                .keeps_nothing()
                .outcome(Determined),
            function("random", "").announces(&[Updates(Random)]).keeps_nothing().outcome(Outside),
            function("random_r", "pp")
                .announces(&[Reads(0, Bytes(48)), DrawsRandom(0), Writes(0, Bytes(48)), Writes(1, Bytes(4))])
                .keeps_nothing(),
            function("realloc", "pi")
                .modelled()
                .flows(&[ReturnsResized(0)])
                .outcome(Heap)
                .essential()
                .accesses(&[Writes(0, Argument(0))]),
            function("reallocarray", "pii")
                .modelled()
                .flows(&[ReturnsResized(0)])
                .essential()
                .accesses(&[Writes(0, Argument(0))]),
            function("realpath", "cp")
                .announces(&[Reads(0, Text), LooksUpPath(0), Unannounced(1, THE_RESULT), WritesResult(Text)])
                .flows(&[ReturnsInside(1), ReturnsBlock]),
            function("rpmatch", "c").announces(&[Reads(0, Text), Looks(Locale)]).keeps_nothing(),
            function("secure_getenv", "c").announces(&[Looks(Environment), Reads(0, Text)]).flows(&[ReturnsUnknown]),
            function("seed48", "p").announces(&[Changes(Rand48), Reads(0, Bytes(6))]).flows(&[ReturnsUnknown]),
            function("setenv", "cci")
                .announces(&[Changes(Environment), Reads(0, Text), Reads(1, Text)])
                .keeps_nothing(),
            function("setstate", "p").announces(&[
                Reads(0, Bytes(4)),
                Updates(Random),
                KeepsState { state: 0, size: None },
            ]),
            function("setstate_r", "pp").announces(&[Reads(0, Bytes(4)), Reads(1, Bytes(48)), Writes(1, Bytes(48))]),
            function("srand", "i").announces(&[Updates(Random)]).flows(&[KeepsNumber(0)]).outcome(Outside),
            function("srand48", "i").announces(&[Changes(Rand48)]).flows(&[KeepsNumber(0)]),
            function("srand48_r", "ip").announces(&[Writes(1, Bytes(24))]).keeps_nothing().outcome(Determined),
            function("srandom", "i").announces(&[Updates(Random)]).flows(&[KeepsNumber(0)]).outcome(Outside),
            function("srandom_r", "ip")
                .announces(&[Reads(1, Bytes(48)), DrawsRandom(1), Writes(1, Bytes(48))])
                .keeps_nothing(),
            function("strfromd", "picd")
                .announces(&[Reads(2, Text), Stores(0, StoredExtent::Printed { limit: 1 }), Looks(Locale)])
                .keeps_nothing()
                .outcome(Determined),
            function("strfromf", "picd")
                .announces(&[Reads(2, Text), Stores(0, StoredExtent::Printed { limit: 1 }), Looks(Locale)])
                .keeps_nothing()
                .outcome(Determined),
            function("strfromf32", "picd")
                .announces(&[Reads(2, Text), Stores(0, StoredExtent::Printed { limit: 1 }), Looks(Locale)])
                .keeps_nothing()
                .outcome(Determined),
            function("strfromf32x", "picd")
                .announces(&[Reads(2, Text), Stores(0, StoredExtent::Printed { limit: 1 }), Looks(Locale)])
                .keeps_nothing()
                .outcome(Determined),
            function("strfromf64", "picd")
                .announces(&[Reads(2, Text), Stores(0, StoredExtent::Printed { limit: 1 }), Looks(Locale)])
                .keeps_nothing()
                .outcome(Determined),
            function("strfromf64x", "picm")
                .announces(&[Reads(2, Text), Stores(0, StoredExtent::Printed { limit: 1 }), Looks(Locale)])
                .keeps_nothing()
                .outcome(Determined),
            function("strfroml", "picm")
                .announces(&[Reads(2, Text), Stores(0, StoredExtent::Printed { limit: 1 }), Looks(Locale)])
                .keeps_nothing()
                .outcome(Determined),
            function("strtod", "cp")
                .announces(&[Reads(0, Number), Writes(1, Bytes(8)), Looks(Locale)])
                .flows(&[StoresInside { of: 0, at: 1 }])
                .outcome(Determined),
            function("strtod_l", "cpp")
                .announces(&[Reads(0, Number), Writes(1, Bytes(8)), UsesLocale(2)])
                .flows(&[StoresInside { of: 0, at: 1 }])
                .outcome(Determined),
            function("strtof", "cp")
                .announces(&[Reads(0, Number), Writes(1, Bytes(8)), Looks(Locale)])
                .flows(&[StoresInside { of: 0, at: 1 }])
                .outcome(Determined),
            function("strtof32", "cp")
                .announces(&[Reads(0, Number), Writes(1, Bytes(8)), Looks(Locale)])
                .flows(&[StoresInside { of: 0, at: 1 }])
                .outcome(Determined),
            function("strtof32_l", "cpp")
                .announces(&[Reads(0, Number), Writes(1, Bytes(8)), UsesLocale(2)])
                .flows(&[StoresInside { of: 0, at: 1 }])
                .outcome(Determined),
            function("strtof32x", "cp")
                .announces(&[Reads(0, Number), Writes(1, Bytes(8)), Looks(Locale)])
                .flows(&[StoresInside { of: 0, at: 1 }])
                .outcome(Determined),
            function("strtof32x_l", "cpp")
                .announces(&[Reads(0, Number), Writes(1, Bytes(8)), UsesLocale(2)])
                .flows(&[StoresInside { of: 0, at: 1 }])
                .outcome(Determined),
            function("strtof64", "cp")
                .announces(&[Reads(0, Number), Writes(1, Bytes(8)), Looks(Locale)])
                .flows(&[StoresInside { of: 0, at: 1 }])
                .outcome(Determined),
            function("strtof64_l", "cpp")
                .announces(&[Reads(0, Number), Writes(1, Bytes(8)), UsesLocale(2)])
                .flows(&[StoresInside { of: 0, at: 1 }])
                .outcome(Determined),
            function("strtof64x", "cp")
                .announces(&[Reads(0, Number), Writes(1, Bytes(8)), Looks(Locale)])
                .flows(&[StoresInside { of: 0, at: 1 }])
                .outcome(Determined),
            function("strtof64x_l", "cpp")
                .announces(&[Reads(0, Number), Writes(1, Bytes(8)), UsesLocale(2)])
                .flows(&[StoresInside { of: 0, at: 1 }])
                .outcome(Determined),
            function("strtof_l", "cpp")
                .announces(&[Reads(0, Number), Writes(1, Bytes(8)), UsesLocale(2)])
                .flows(&[StoresInside { of: 0, at: 1 }])
                .outcome(Determined),
            function("strtol", "cpi")
                .announces(&[Reads(0, Integer(2)), Writes(1, Bytes(8))])
                .flows(&[StoresInside { of: 0, at: 1 }])
                .outcome(Determined),
            function("strtol_l", "cpip")
                .announces(&[Reads(0, Integer(2)), Writes(1, Bytes(8)), UsesLocale(3)])
                .flows(&[StoresInside { of: 0, at: 1 }])
                .outcome(Determined),
            function("strtold", "cp")
                .announces(&[Reads(0, Number), Writes(1, Bytes(8)), Looks(Locale)])
                .flows(&[StoresInside { of: 0, at: 1 }])
                .outcome(Determined),
            function("strtold_l", "cpp")
                .announces(&[Reads(0, Number), Writes(1, Bytes(8)), UsesLocale(2)])
                .flows(&[StoresInside { of: 0, at: 1 }])
                .outcome(Determined),
            function("strtoll", "cpi")
                .announces(&[Reads(0, Integer(2)), Writes(1, Bytes(8))])
                .flows(&[StoresInside { of: 0, at: 1 }])
                .outcome(Determined),
            function("strtoll_l", "cpip")
                .announces(&[Reads(0, Integer(2)), Writes(1, Bytes(8)), UsesLocale(3)])
                .flows(&[StoresInside { of: 0, at: 1 }])
                .outcome(Determined),
            function("strtoq", "cpi")
                .announces(&[Reads(0, Integer(2)), Writes(1, Bytes(8))])
                .flows(&[StoresInside { of: 0, at: 1 }])
                .outcome(Determined),
            function("strtoul", "cpi")
                .announces(&[Reads(0, Integer(2)), Writes(1, Bytes(8))])
                .flows(&[StoresInside { of: 0, at: 1 }])
                .outcome(Determined),
            function("strtoul_l", "cpip")
                .announces(&[Reads(0, Integer(2)), Writes(1, Bytes(8)), UsesLocale(3)])
                .flows(&[StoresInside { of: 0, at: 1 }])
                .outcome(Determined),
            function("strtoull", "cpi")
                .announces(&[Reads(0, Integer(2)), Writes(1, Bytes(8))])
                .flows(&[StoresInside { of: 0, at: 1 }])
                .outcome(Determined),
            function("strtoull_l", "cpip")
                .announces(&[Reads(0, Integer(2)), Writes(1, Bytes(8)), UsesLocale(3)])
                .flows(&[StoresInside { of: 0, at: 1 }])
                .outcome(Determined),
            function("strtouq", "cpi")
                .announces(&[Reads(0, Integer(2)), Writes(1, Bytes(8))])
                .flows(&[StoresInside { of: 0, at: 1 }])
                .outcome(Determined),
            function("system", "c").refused().keeps_nothing(),
            function("unsetenv", "c").announces(&[Changes(Environment), Reads(0, Text)]).keeps_nothing(),
            function("valloc", "i").modelled().flows(&[ReturnsBlock]),
            function("wcstombs", "pci")
                .announces(&[Converts { to_wide: false, moves: false }, Looks(Locale)])
                .keeps_nothing(),
            function("wctomb", "pi")
                .announces(&[Changes(ShiftState), Looks(Locale), Writes(0, CharacterOf(1))])
                .keeps_nothing(),
        ],
    },
];
