//! Small headers of the C library, and entry points of it that no header declares.

use super::CallEffect::{
    Appends, AsksDescriptor, Changes, ForAllThreads, Looks, LooksAtFolder, LooksUpPath, Reads, ReadsDescriptor,
    ReadsStream, Scans, ScansList, Stores, Unannounced, Updates, UsesLocale, UsesShiftState, UsesStandard, Writes,
    WritesResult,
};
use super::Extent::{
    Argument, Bytes, Character, CharacterOf, Elements, Integer, Product, Text, TextOf, TextUpTo, Wide, WideInteger,
    WideOf, WideUpTo,
};
use super::Hidden::{Groups, Locale, StandardInput, Users};
use super::LibraryHeader;
use super::Outcome::{Determined, Heap, Outside};
use super::PointerFlow::{
    Copies, ReturnsBlock, ReturnsInside, ReturnsResized, ReturnsThreadVariable, ReturnsUnknown, StoresInside,
    StoresUnknown,
};
use super::Role::EndsProcess;
use super::builder::{function, pure, variable, variadic};
use super::reason::{A_HANDLE, A_VALUE, BY_CALLBACK, THE_RESULT};
use super::stored::{Present, StoredExtent};

pub(super) const HEADERS: &[LibraryHeader] = &[
    LibraryHeader {
        name: "C library, entry points that no header declares",
        rows: &[
            function("__chk_fail", "").harmless(),
            function("__explicit_bzero_chk", "pii").announces(&[Writes(0, Argument(1))]).keeps_nothing(),
            function("__getcwd_chk", "pii")
                .announces(&[
                    Stores(0, StoredExtent::Text { limit: 1, present: Present::ResultIsPositive }),
                    LooksAtFolder,
                ])
                .flows(&[ReturnsInside(0), ReturnsBlock]),
            function("__gethostname_chk", "pii")
                .announces(&[Stores(0, StoredExtent::Text { limit: 1, present: Present::Always })])
                .keeps_nothing(),
            function("__gmon_start__", "").harmless(),
            variadic("__isoc23_fscanf", "pc")
                .announces(&[ReadsStream(0), Scans { format: 1, wide: false }, Looks(Locale)])
                .keeps_nothing(),
            variadic("__isoc23_fwscanf", "pc")
                .announces(&[ReadsStream(0), Scans { format: 1, wide: true }, Looks(Locale)])
                .keeps_nothing(),
            variadic("__isoc23_scanf", "c")
                .announces(&[
                    UsesStandard("stdin"),
                    Updates(StandardInput),
                    Scans { format: 0, wide: false },
                    Looks(Locale),
                ])
                .keeps_nothing(),
            variadic("__isoc23_sscanf", "cc")
                .announces(&[Reads(0, Text), Scans { format: 1, wide: false }, Looks(Locale)])
                .keeps_nothing(),
            function("__isoc23_strtoimax", "cpi")
                .announces(&[Reads(0, Integer(2)), Writes(1, Bytes(8))])
                .flows(&[StoresInside { of: 0, at: 1 }])
                .outcome(Determined),
            function("__isoc23_strtol", "cpi")
                .announces(&[Reads(0, Integer(2)), Writes(1, Bytes(8))])
                .flows(&[StoresInside { of: 0, at: 1 }])
                .outcome(Determined),
            function("__isoc23_strtol_l", "cpip")
                .announces(&[Reads(0, Integer(2)), Writes(1, Bytes(8)), UsesLocale(3)])
                .flows(&[StoresInside { of: 0, at: 1 }])
                .outcome(Determined),
            function("__isoc23_strtoll", "cpi")
                .announces(&[Reads(0, Integer(2)), Writes(1, Bytes(8))])
                .flows(&[StoresInside { of: 0, at: 1 }])
                .outcome(Determined),
            function("__isoc23_strtoll_l", "cpip")
                .announces(&[Reads(0, Integer(2)), Writes(1, Bytes(8)), UsesLocale(3)])
                .flows(&[StoresInside { of: 0, at: 1 }])
                .outcome(Determined),
            function("__isoc23_strtoul", "cpi")
                .announces(&[Reads(0, Integer(2)), Writes(1, Bytes(8))])
                .flows(&[StoresInside { of: 0, at: 1 }])
                .outcome(Determined),
            function("__isoc23_strtoul_l", "cpip")
                .announces(&[Reads(0, Integer(2)), Writes(1, Bytes(8)), UsesLocale(3)])
                .flows(&[StoresInside { of: 0, at: 1 }])
                .outcome(Determined),
            function("__isoc23_strtoull", "cpi")
                .announces(&[Reads(0, Integer(2)), Writes(1, Bytes(8))])
                .flows(&[StoresInside { of: 0, at: 1 }])
                .outcome(Determined),
            function("__isoc23_strtoull_l", "cpip")
                .announces(&[Reads(0, Integer(2)), Writes(1, Bytes(8)), UsesLocale(3)])
                .flows(&[StoresInside { of: 0, at: 1 }])
                .outcome(Determined),
            function("__isoc23_strtoumax", "cpi")
                .announces(&[Reads(0, Integer(2)), Writes(1, Bytes(8))])
                .flows(&[StoresInside { of: 0, at: 1 }])
                .outcome(Determined),
            variadic("__isoc23_swscanf", "cc")
                .announces(&[Reads(0, Wide), Scans { format: 1, wide: true }, Looks(Locale)])
                .keeps_nothing(),
            function("__isoc23_vfscanf", "pcp")
                .announces(&[ReadsStream(0), ScansList { format: 1, list: 2, wide: false }]),
            function("__isoc23_vfwscanf", "pcp").announces(&[
                ReadsStream(0),
                ScansList { format: 1, list: 2, wide: true },
                Looks(Locale),
            ]),
            function("__isoc23_vscanf", "cp").announces(&[
                UsesStandard("stdin"),
                Updates(StandardInput),
                ScansList { format: 0, list: 1, wide: false },
            ]),
            function("__isoc23_vsscanf", "ccp")
                .announces(&[Reads(0, Text), ScansList { format: 1, list: 2, wide: false }]),
            function("__isoc23_vswscanf", "ccp").announces(&[
                Reads(0, Wide),
                ScansList { format: 1, list: 2, wide: true },
                Looks(Locale),
            ]),
            function("__isoc23_vwscanf", "cp").announces(&[
                UsesStandard("stdin"),
                Updates(StandardInput),
                ScansList { format: 0, list: 1, wide: true },
                Looks(Locale),
            ]),
            function("__isoc23_wcstoimax", "cpi")
                .announces(&[Reads(0, WideInteger(2)), Writes(1, Bytes(8))])
                .flows(&[StoresInside { of: 0, at: 1 }])
                .outcome(Determined),
            function("__isoc23_wcstol", "cpi")
                .announces(&[Reads(0, WideInteger(2)), Writes(1, Bytes(8))])
                .flows(&[StoresInside { of: 0, at: 1 }])
                .outcome(Determined),
            function("__isoc23_wcstoll", "cpi")
                .announces(&[Reads(0, WideInteger(2)), Writes(1, Bytes(8))])
                .flows(&[StoresInside { of: 0, at: 1 }])
                .outcome(Determined),
            function("__isoc23_wcstoul", "cpi")
                .announces(&[Reads(0, WideInteger(2)), Writes(1, Bytes(8))])
                .flows(&[StoresInside { of: 0, at: 1 }])
                .outcome(Determined),
            function("__isoc23_wcstoull", "cpi")
                .announces(&[Reads(0, WideInteger(2)), Writes(1, Bytes(8))])
                .flows(&[StoresInside { of: 0, at: 1 }])
                .outcome(Determined),
            function("__isoc23_wcstoumax", "cpi")
                .announces(&[Reads(0, WideInteger(2)), Writes(1, Bytes(8))])
                .flows(&[StoresInside { of: 0, at: 1 }])
                .outcome(Determined),
            variadic("__isoc23_wscanf", "c")
                .announces(&[
                    UsesStandard("stdin"),
                    Updates(StandardInput),
                    Scans { format: 0, wide: true },
                    Looks(Locale),
                ])
                .keeps_nothing(),
            variadic("__isoc99_fscanf", "pc")
                .announces(&[ReadsStream(0), Scans { format: 1, wide: false }, Looks(Locale)])
                .keeps_nothing(),
            variadic("__isoc99_fwscanf", "pc")
                .announces(&[ReadsStream(0), Scans { format: 1, wide: true }, Looks(Locale)])
                .keeps_nothing(),
            variadic("__isoc99_scanf", "c")
                .announces(&[
                    UsesStandard("stdin"),
                    Updates(StandardInput),
                    Scans { format: 0, wide: false },
                    Looks(Locale),
                ])
                .keeps_nothing(),
            variadic("__isoc99_sscanf", "cc")
                .announces(&[Reads(0, Text), Scans { format: 1, wide: false }, Looks(Locale)])
                .keeps_nothing(),
            variadic("__isoc99_swscanf", "cc")
                .announces(&[Reads(0, Wide), Scans { format: 1, wide: true }, Looks(Locale)])
                .keeps_nothing(),
            function("__isoc99_vfscanf", "pcp")
                .announces(&[ReadsStream(0), ScansList { format: 1, list: 2, wide: false }]),
            function("__isoc99_vfwscanf", "pcp").announces(&[
                ReadsStream(0),
                ScansList { format: 1, list: 2, wide: true },
                Looks(Locale),
            ]),
            function("__isoc99_vscanf", "cp").announces(&[
                UsesStandard("stdin"),
                Updates(StandardInput),
                ScansList { format: 0, list: 1, wide: false },
            ]),
            function("__isoc99_vsscanf", "ccp")
                .announces(&[Reads(0, Text), ScansList { format: 1, list: 2, wide: false }]),
            function("__isoc99_vswscanf", "ccp").announces(&[
                Reads(0, Wide),
                ScansList { format: 1, list: 2, wide: true },
                Looks(Locale),
            ]),
            function("__isoc99_vwscanf", "cp").announces(&[
                UsesStandard("stdin"),
                Updates(StandardInput),
                ScansList { format: 0, list: 1, wide: true },
                Looks(Locale),
            ]),
            variadic("__isoc99_wscanf", "c")
                .announces(&[
                    UsesStandard("stdin"),
                    Updates(StandardInput),
                    Scans { format: 0, wide: true },
                    Looks(Locale),
                ])
                .keeps_nothing(),
            function("__libc_start_main", "fipfffp")
                .modelled()
                .accesses(&[Reads(2, Product(1, 1)), Unannounced(6, A_VALUE)]),
            function("__longjmp_chk", "pi").modelled().accesses(&[Reads(0, Bytes(200))]),
            function("__memcpy_chk", "pcii")
                .harmless()
                .accesses(&[Reads(1, Argument(2)), Writes(0, Argument(2))])
                .flows(&[Copies { to: 0, from: 1 }, ReturnsInside(0)]),
            function("__memmove_chk", "pcii")
                .harmless()
                .accesses(&[Reads(1, Argument(2)), Writes(0, Argument(2))])
                .flows(&[Copies { to: 0, from: 1 }, ReturnsInside(0)]),
            function("__mempcpy", "pci")
                .announces(&[Reads(1, Argument(2)), Writes(0, Argument(2))])
                .flows(&[Copies { to: 0, from: 1 }, ReturnsInside(0)])
                .outcome(Determined),
            function("__mempcpy_chk", "pcii")
                .harmless()
                .accesses(&[Reads(1, Argument(2)), Writes(0, Argument(2))])
                .flows(&[Copies { to: 0, from: 1 }, ReturnsInside(0)]),
            function("__memset_chk", "piii").harmless().accesses(&[Writes(0, Argument(2))]).flows(&[ReturnsInside(0)]),
            function("__pread64_chk", "ipiii")
                .announces(&[Stores(1, StoredExtent::Result { limit: 2, size: 1 }), AsksDescriptor(0)])
                .flows(&[StoresUnknown(1)])
                .outcome(Outside),
            function("__pread_chk", "ipiii")
                .announces(&[Stores(1, StoredExtent::Result { limit: 2, size: 1 }), AsksDescriptor(0)])
                .flows(&[StoresUnknown(1)])
                .outcome(Outside),
            variable("__progname").harmless(),
            pure("__pthread_get_minstack", "p").accesses(&[Unannounced(0, A_HANDLE)]),
            function("__read_chk", "ipii")
                .announces(&[Stores(1, StoredExtent::Result { limit: 2, size: 1 }), ReadsDescriptor(0)])
                .flows(&[StoresUnknown(1)])
                .outcome(Outside),
            function("__readlink_chk", "cpii")
                .announces(&[Reads(0, Text), Stores(1, StoredExtent::Result { limit: 2, size: 1 }), LooksUpPath(0)])
                .keeps_nothing(),
            function("__realpath_chk", "cpi").announces(&[
                Reads(0, Text),
                LooksUpPath(0),
                Unannounced(1, THE_RESULT),
                WritesResult(Text),
            ]),
            // What pthread_atfork is; as fork is refused, what it registers never runs.
            function("__register_atfork", "fffp").harmless().accesses(&[Unannounced(3, A_VALUE)]),
            function("__stack_chk_fail", "").harmless().keeps_nothing(),
            function("__stpcpy", "pc")
                .announces(&[Reads(1, Text), Writes(0, TextOf(1))])
                .flows(&[Copies { to: 0, from: 1 }, ReturnsInside(0)])
                .outcome(Determined),
            function("__stpcpy_chk", "pci")
                .announces(&[Reads(1, Text), Writes(0, TextOf(1))])
                .flows(&[Copies { to: 0, from: 1 }, ReturnsInside(0)])
                .outcome(Determined),
            function("__stpncpy_chk", "pcii")
                .announces(&[Reads(1, TextUpTo(2)), Writes(0, Argument(2))])
                .flows(&[Copies { to: 0, from: 1 }, ReturnsInside(0)])
                .outcome(Determined),
            function("__strcat_chk", "pci")
                .announces(&[Appends { limit: None, wide: false }])
                .flows(&[Copies { to: 0, from: 1 }, ReturnsInside(0)])
                .outcome(Determined),
            function("__strcpy_chk", "pci")
                .announces(&[Reads(1, Text), Writes(0, TextOf(1))])
                .flows(&[Copies { to: 0, from: 1 }, ReturnsInside(0)])
                .outcome(Determined),
            function("__strdup", "c").announces(&[Reads(0, Text)]).flows(&[ReturnsResized(0)]).outcome(Heap),
            function("__strncat_chk", "pcii")
                .announces(&[Appends { limit: Some(2), wide: false }])
                .flows(&[Copies { to: 0, from: 1 }, ReturnsInside(0)])
                .outcome(Determined),
            function("__strncpy_chk", "pcii")
                .announces(&[Reads(1, TextUpTo(2)), Writes(0, Argument(2))])
                .flows(&[Copies { to: 0, from: 1 }, ReturnsInside(0)])
                .outcome(Determined),
            function("__strndup", "ci").announces(&[Reads(0, TextUpTo(1))]).flows(&[ReturnsResized(0)]).outcome(Heap),
            function("__tls_get_addr", "p").harmless().accesses(&[Unannounced(0, A_HANDLE)]),
            function("__wcpcpy_chk", "pci")
                .announces(&[Reads(1, Wide), Writes(0, WideOf(1))])
                .flows(&[Copies { to: 0, from: 1 }, ReturnsInside(0)])
                .outcome(Determined),
            function("__wcpncpy_chk", "pcii")
                .announces(&[Reads(1, WideUpTo(2)), Writes(0, Elements(2, 4))])
                .flows(&[Copies { to: 0, from: 1 }, ReturnsInside(0)])
                .outcome(Determined),
            function("__wcscat_chk", "pci")
                .announces(&[Appends { limit: None, wide: true }])
                .flows(&[Copies { to: 0, from: 1 }, ReturnsInside(0)])
                .outcome(Determined),
            function("__wcscpy_chk", "pci")
                .announces(&[Reads(1, Wide), Writes(0, WideOf(1))])
                .flows(&[Copies { to: 0, from: 1 }, ReturnsInside(0)])
                .outcome(Determined),
            function("__wcsncat_chk", "pcii")
                .announces(&[Appends { limit: Some(2), wide: true }])
                .flows(&[Copies { to: 0, from: 1 }, ReturnsInside(0)])
                .outcome(Determined),
            function("__wcsncpy_chk", "pcii")
                .announces(&[Reads(1, WideUpTo(2)), Writes(0, Elements(2, 4))])
                .flows(&[Copies { to: 0, from: 1 }, ReturnsInside(0)])
                .outcome(Determined),
            function("__wmemcpy_chk", "pcii")
                .announces(&[Reads(1, Elements(2, 4)), Writes(0, Elements(2, 4))])
                .flows(&[Copies { to: 0, from: 1 }, ReturnsInside(0)])
                .outcome(Determined),
            function("__wmemmove_chk", "pcii")
                .announces(&[Reads(1, Elements(2, 4)), Writes(0, Elements(2, 4))])
                .flows(&[Copies { to: 0, from: 1 }, ReturnsInside(0)])
                .outcome(Determined),
            function("__wmempcpy_chk", "pcii")
                .announces(&[Reads(1, Elements(2, 4)), Writes(0, Elements(2, 4))])
                .flows(&[Copies { to: 0, from: 1 }, ReturnsInside(0)])
                .outcome(Determined),
            function("__wmemset_chk", "piii")
                .announces(&[Writes(0, Elements(2, 4))])
                .flows(&[ReturnsInside(0)])
                .outcome(Determined),
            function("__xpg_strerror_r", "ipi")
                .announces(&[Stores(1, StoredExtent::Text { limit: 2, present: Present::Always }), Looks(Locale)])
                .keeps_nothing(),
            function("cfree", "p").modelled().keeps_nothing().accesses(&[Writes(0, Argument(0))]),
            function("sigsetjmp", "pi").announces(&[Writes(0, Bytes(80))]),
        ],
    },
    LibraryHeader {
        name: "assert.h",
        rows: &[
            function("__assert", "cci").modelled().keeps_nothing().accesses(&[Reads(0, Text), Reads(1, Text)]),
            function("__assert_fail", "ccic").modelled().keeps_nothing().role(EndsProcess).accesses(&[
                Reads(0, Text),
                Reads(1, Text),
                Reads(3, Text),
            ]),
            function("__assert_perror_fail", "icic")
                .modelled()
                .keeps_nothing()
                .accesses(&[Reads(1, Text), Reads(3, Text)]),
        ],
    },
    LibraryHeader {
        name: "dlfcn.h",
        rows: &[
            function("dlerror", "").flows(&[ReturnsUnknown]),
            function("dlsym", "pc").modelled().accesses(&[Unannounced(0, A_HANDLE), Reads(1, Text)]),
        ],
    },
    LibraryHeader {
        name: "link.h",
        rows: &[function("dl_iterate_phdr", "fp").announces(&[ForAllThreads, Unannounced(1, BY_CALLBACK)])],
    },
    LibraryHeader {
        name: "errno.h",
        rows: &[
            function("__errno_location", "").harmless().flows(&[ReturnsThreadVariable]).outcome(Determined),
            variable("program_invocation_name").harmless(),
            variable("program_invocation_short_name").harmless(),
        ],
    },
    LibraryHeader {
        name: "gnu/libc-version.h",
        rows: &[
            function("gnu_get_libc_release", "").harmless().flows(&[ReturnsUnknown]),
            function("gnu_get_libc_version", "").harmless().flows(&[ReturnsUnknown]),
        ],
    },
    LibraryHeader {
        name: "grp.h",
        rows: &[
            function("endgrent", "").announces(&[Changes(Groups)]).keeps_nothing(),
            function("getgrent", "").announces(&[Changes(Groups), WritesResult(Bytes(32))]).flows(&[ReturnsUnknown]),
            function("getgrgid", "i").announces(&[Changes(Groups), WritesResult(Bytes(32))]).flows(&[ReturnsUnknown]),
            function("getgrgid_r", "ippip").refused().keeps_nothing(),
            function("getgrnam", "c")
                .announces(&[Reads(0, Text), Changes(Groups), WritesResult(Bytes(32))])
                .flows(&[ReturnsUnknown]),
            function("getgrnam_r", "cppip").refused().keeps_nothing(),
            function("setgrent", "").announces(&[Changes(Groups)]).keeps_nothing(),
        ],
    },
    LibraryHeader {
        name: "libgen.h",
        rows: &[
            function("__xpg_basename", "p")
                .announces(&[Reads(0, Text), Writes(0, Text)])
                .flows(&[ReturnsInside(0), ReturnsUnknown])
                .outcome(Determined),
            function("dirname", "p")
                .announces(&[Reads(0, Text), Writes(0, Text)])
                .flows(&[ReturnsInside(0), ReturnsUnknown])
                .outcome(Determined),
        ],
    },
    LibraryHeader {
        name: "pwd.h",
        rows: &[
            function("endpwent", "").announces(&[Changes(Users)]).keeps_nothing(),
            function("getpwent", "").announces(&[Changes(Users), WritesResult(Bytes(48))]).flows(&[ReturnsUnknown]),
            function("getpwnam", "c")
                .announces(&[Reads(0, Text), Changes(Users), WritesResult(Bytes(48))])
                .flows(&[ReturnsUnknown]),
            function("getpwnam_r", "cppip").refused().keeps_nothing(),
            function("getpwuid", "i").announces(&[Changes(Users), WritesResult(Bytes(48))]).flows(&[ReturnsUnknown]),
            function("getpwuid_r", "ippip").refused().keeps_nothing(),
            function("setpwent", "").announces(&[Changes(Users)]).keeps_nothing(),
        ],
    },
    LibraryHeader {
        name: "uchar.h",
        rows: &[
            // The same as those of wide characters.
            function("c32rtomb", "pip")
                .announces(&[Writes(0, CharacterOf(1)), UsesShiftState(2), Looks(Locale)])
                .keeps_nothing(),
            function("mbrtoc32", "pcip")
                .announces(&[Reads(1, Character(2)), Writes(0, Bytes(4)), UsesShiftState(3), Looks(Locale)])
                .keeps_nothing(),
        ],
    },
];
