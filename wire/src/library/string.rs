//! Functions of `ctype.h`, `string.h`.

use super::CallEffect::{Changes, Looks, Reads, TakesToken, TakesTokenAt, Writes};
use super::Extent::{Bytes, Text};
use super::Hidden::{ErrorText, Locale};
use super::LibraryHeader;
use super::Outcome::{Determined, Heap};
use super::PointerFlow::{
    Copies, ReturnsBlock, ReturnsConstantTable, ReturnsContent, ReturnsInside, ReturnsUnknown, StoresInside,
};
use super::builder::function;

pub(super) const HEADERS: &[LibraryHeader] = &[
    LibraryHeader {
        name: "ctype.h",
        rows: &[
            function("__ctype_b_loc", 0).announces(&[Looks(Locale)]).flows(&[ReturnsConstantTable]).outcome(Determined),
            function("__ctype_tolower_loc", 0)
                .announces(&[Looks(Locale)])
                .flows(&[ReturnsConstantTable])
                .outcome(Determined),
            function("__ctype_toupper_loc", 0)
                .announces(&[Looks(Locale)])
                .flows(&[ReturnsConstantTable])
                .outcome(Determined),
            function("isalnum", 1).harmless().outcome(Determined),
            function("isalpha", 1).harmless().outcome(Determined),
            function("isblank", 1).harmless(),
            function("iscntrl", 1).harmless(),
            function("isdigit", 1).harmless().outcome(Determined),
            function("isgraph", 1).harmless(),
            function("islower", 1).harmless().outcome(Determined),
            function("isprint", 1).harmless(),
            function("ispunct", 1).harmless(),
            function("isspace", 1).harmless().outcome(Determined),
            function("isupper", 1).harmless().outcome(Determined),
            function("isxdigit", 1).harmless(),
            function("tolower", 1).announces(&[Looks(Locale)]).outcome(Determined),
            function("toupper", 1).announces(&[Looks(Locale)]).outcome(Determined),
        ],
    },
    LibraryHeader {
        name: "string.h",
        rows: &[
            function("__strtok_r", 3).flows(&[ReturnsInside(0), StoresInside { of: 0, at: 2 }, ReturnsContent(2)]),
            function("basename", 1).flows(&[ReturnsInside(0)]),
            function("bcmp", 3).harmless().keeps_nothing().outcome(Determined),
            function("bzero", 2).harmless().keeps_nothing().outcome(Determined),
            function("explicit_bzero", 2).harmless().flows(&[ReturnsInside(0)]),
            function("ffs", 1).harmless(),
            function("ffsl", 1).harmless(),
            function("ffsll", 1).harmless(),
            function("index", 2).flows(&[ReturnsInside(0)]),
            function("memchr", 3).modelled().flows(&[ReturnsInside(0)]).outcome(Determined),
            function("memcmp", 3).modelled().keeps_nothing().outcome(Determined),
            function("memcpy", 3).harmless().flows(&[Copies { to: 0, from: 1 }, ReturnsInside(0)]).outcome(Determined),
            function("memmove", 3).harmless().flows(&[Copies { to: 0, from: 1 }, ReturnsInside(0)]).outcome(Determined),
            function("mempcpy", 3).flows(&[Copies { to: 0, from: 1 }, ReturnsInside(0)]).outcome(Determined),
            function("memrchr", 3).flows(&[ReturnsInside(0)]).outcome(Determined),
            function("memset", 3).harmless().flows(&[ReturnsInside(0)]).outcome(Determined),
            function("rawmemchr", 2).flows(&[ReturnsInside(0)]),
            function("rindex", 2).flows(&[ReturnsInside(0)]),
            function("stpcpy", 2).modelled().flows(&[ReturnsInside(0)]).outcome(Determined),
            function("stpncpy", 3).flows(&[ReturnsInside(0)]),
            function("strcasecmp", 2)
                .announces(&[Reads(0, Text), Reads(1, Text), Looks(Locale)])
                .keeps_nothing()
                .outcome(Determined),
            function("strcasestr", 2).flows(&[ReturnsInside(0)]),
            function("strcat", 2).modelled().flows(&[ReturnsInside(0)]).outcome(Determined),
            function("strchr", 2).modelled().flows(&[ReturnsInside(0)]).outcome(Determined),
            function("strchrnul", 2).flows(&[ReturnsInside(0)]),
            function("strcmp", 2).modelled().keeps_nothing().outcome(Determined),
            function("strcoll", 2).announces(&[Reads(0, Text), Reads(1, Text), Looks(Locale)]).keeps_nothing(),
            function("strcpy", 2).modelled().flows(&[ReturnsInside(0)]).outcome(Determined),
            function("strcspn", 2).announces(&[Reads(0, Text), Reads(1, Text)]).keeps_nothing().outcome(Determined),
            function("strdup", 1).modelled().flows(&[ReturnsBlock]).outcome(Heap),
            function("strerror", 1).announces(&[Changes(ErrorText)]).flows(&[ReturnsUnknown]),
            function("strerror_r", 3).keeps_nothing(),
            function("strlen", 1).modelled().keeps_nothing().outcome(Determined),
            function("strncasecmp", 3).keeps_nothing().outcome(Determined),
            function("strncat", 3).modelled().flows(&[ReturnsInside(0)]).outcome(Determined),
            function("strncmp", 3).modelled().keeps_nothing().outcome(Determined),
            function("strncpy", 3).modelled().flows(&[ReturnsInside(0)]).outcome(Determined),
            function("strndup", 2).modelled().flows(&[ReturnsBlock]).outcome(Heap),
            function("strnlen", 2).modelled().keeps_nothing().outcome(Determined),
            function("strpbrk", 2)
                .announces(&[Reads(0, Text), Reads(1, Text)])
                .flows(&[ReturnsInside(0)])
                .outcome(Determined),
            function("strrchr", 2).modelled().flows(&[ReturnsInside(0)]).outcome(Determined),
            function("strsep", 2).announces(&[Reads(1, Text), TakesTokenAt(0), Writes(0, Bytes(8))]),
            function("strsignal", 1).announces(&[Changes(ErrorText)]).flows(&[ReturnsUnknown]),
            function("strspn", 2).announces(&[Reads(0, Text), Reads(1, Text)]).keeps_nothing().outcome(Determined),
            function("strstr", 2).modelled().flows(&[ReturnsInside(0)]).outcome(Determined),
            function("strtok", 2).modelled().flows(&[ReturnsUnknown]),
            function("strtok_r", 3)
                .announces(&[Reads(1, Text), TakesToken { text: 0, kept: 2 }, Writes(2, Bytes(8))])
                .flows(&[ReturnsInside(0), StoresInside { of: 0, at: 2 }, ReturnsContent(2)]),
        ],
    },
];
