//! Small headers of the C library, and entry points of it that no header declares.

use super::CallEffect::{Changes, Looks, Reads, ReadsStream, Scans, ScansList, Updates};
use super::Extent::Text;
use super::Hidden::{Locale, StandardInput, StaticResult};
use super::LibraryHeader;
use super::Outcome::Determined;
use super::PointerFlow::{Copies, ReturnsBlock, ReturnsInside, ReturnsThreadVariable, ReturnsUnknown, StoresInside};
use super::Role::EndsProcess;
use super::builder::{function, variable, variadic};

pub(super) const HEADERS: &[LibraryHeader] = &[
    LibraryHeader {
        name: "C library, entry points that no header declares",
        rows: &[
            function("__chk_fail", 0).harmless(),
            function("__gmon_start__", 0).harmless(),
            variadic("__isoc23_fscanf", 2).keeps_nothing(),
            variadic("__isoc23_scanf", 1).keeps_nothing(),
            variadic("__isoc23_sscanf", 2).keeps_nothing(),
            function("__isoc23_strtoimax", 3).flows(&[StoresInside { of: 0, at: 1 }]),
            function("__isoc23_strtol", 3).flows(&[StoresInside { of: 0, at: 1 }]).outcome(Determined),
            function("__isoc23_strtoll", 3).flows(&[StoresInside { of: 0, at: 1 }]).outcome(Determined),
            function("__isoc23_strtoul", 3).flows(&[StoresInside { of: 0, at: 1 }]).outcome(Determined),
            function("__isoc23_strtoull", 3).flows(&[StoresInside { of: 0, at: 1 }]).outcome(Determined),
            function("__isoc23_strtoumax", 3).flows(&[StoresInside { of: 0, at: 1 }]),
            variadic("__isoc99_fscanf", 2).announces(&[ReadsStream(0), Scans(1), Looks(Locale)]).keeps_nothing(),
            variadic("__isoc99_scanf", 1).announces(&[Updates(StandardInput), Scans(0), Looks(Locale)]).keeps_nothing(),
            variadic("__isoc99_sscanf", 2).announces(&[Reads(0, Text), Scans(1), Looks(Locale)]).keeps_nothing(),
            function("__isoc99_vfscanf", 3).announces(&[ReadsStream(0), ScansList { format: 1, list: 2 }]),
            function("__isoc99_vscanf", 2).announces(&[Updates(StandardInput), ScansList { format: 0, list: 1 }]),
            function("__isoc99_vsscanf", 3).announces(&[Reads(0, Text), ScansList { format: 1, list: 2 }]),
            function("__libc_start_main", 7).modelled(),
            function("__longjmp_chk", 2).modelled(),
            function("__memcpy_chk", 4).flows(&[Copies { to: 0, from: 1 }, ReturnsInside(0)]),
            function("__memmove_chk", 4).flows(&[Copies { to: 0, from: 1 }, ReturnsInside(0)]),
            function("__mempcpy_chk", 4).flows(&[Copies { to: 0, from: 1 }, ReturnsInside(0)]),
            function("__memset_chk", 4).flows(&[ReturnsInside(0)]),
            variable("__progname").harmless(),
            function("__stack_chk_fail", 0).harmless().keeps_nothing(),
            function("__stpcpy_chk", 3).flows(&[ReturnsInside(0)]),
            function("__strcat_chk", 3).flows(&[ReturnsInside(0)]),
            function("__strcpy_chk", 3).flows(&[ReturnsInside(0)]),
            function("__strdup", 1).flows(&[ReturnsBlock]),
            function("__strncat_chk", 4).flows(&[ReturnsInside(0)]),
            function("__strncpy_chk", 4).flows(&[ReturnsInside(0)]),
            function("__tls_get_addr", 1).harmless(),
            function("__xpg_strerror_r", 3).keeps_nothing(),
            function("cfree", 1).modelled().keeps_nothing(),
            function("sigsetjmp", 2).harmless(),
        ],
    },
    LibraryHeader {
        name: "arpa/inet.h",
        rows: &[
            function("htonl", 1).harmless(),
            function("htons", 1).harmless(),
            function("inet_ntoa", 1).announces(&[Changes(StaticResult)]),
            function("ntohl", 1).harmless(),
            function("ntohs", 1).harmless(),
        ],
    },
    LibraryHeader {
        name: "assert.h",
        rows: &[
            function("__assert", 3).modelled().keeps_nothing(),
            function("__assert_fail", 4).modelled().keeps_nothing().role(EndsProcess),
            function("__assert_perror_fail", 4).modelled().keeps_nothing(),
        ],
    },
    LibraryHeader { name: "dlfcn.h", rows: &[function("dlerror", 0).flows(&[ReturnsUnknown])] },
    LibraryHeader {
        name: "errno.h",
        rows: &[
            function("__errno_location", 0).harmless().flows(&[ReturnsThreadVariable]).outcome(Determined),
            variable("program_invocation_name").harmless(),
            variable("program_invocation_short_name").harmless(),
        ],
    },
    LibraryHeader {
        name: "grp.h",
        rows: &[
            function("getgrgid", 1).announces(&[Changes(StaticResult)]),
            function("getgrnam", 1).announces(&[Changes(StaticResult)]),
        ],
    },
    LibraryHeader {
        name: "libgen.h",
        rows: &[
            function("__xpg_basename", 1).flows(&[ReturnsInside(0)]),
            function("dirname", 1).flows(&[ReturnsInside(0)]),
        ],
    },
    LibraryHeader {
        name: "netdb.h",
        rows: &[
            function("__h_errno_location", 0).flows(&[ReturnsThreadVariable]),
            function("gethostbyname", 1).announces(&[Changes(StaticResult)]),
        ],
    },
    LibraryHeader {
        name: "pwd.h",
        rows: &[
            function("getpwnam", 1).announces(&[Changes(StaticResult)]).flows(&[ReturnsUnknown]),
            function("getpwuid", 1).announces(&[Changes(StaticResult)]).flows(&[ReturnsUnknown]),
        ],
    },
];
