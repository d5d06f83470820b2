//! Functions of `ctype.h`, `string.h`.

use super::CallEffect::{
    Appends, Changes, Compares, Looks, Reads, Stores, TakesToken, TakesTokenAt, Unannounced, UsesLocale, Writes,
};
use super::Extent::{Argument, Bytes, Text, TextOf, TextUpTo, ToByte, ToByteOf, ToByteWithin, Transformed};
use super::Hidden::{Locale, Strtok};
use super::LibraryHeader;
use super::Outcome::{Determined, Heap};
use super::PointerFlow::{
    Copies, ReturnsConstantTable, ReturnsContent, ReturnsInside, ReturnsResized, ReturnsUnknown, StoresInside,
};
use super::builder::{function, pure};
use super::reason::A_HANDLE;
use super::stored::{Present, StoredExtent};

pub(super) const HEADERS: &[LibraryHeader] = &[
    LibraryHeader {
        name: "ctype.h",
        rows: &[
            function("__ctype_b_loc", "")
                .announces(&[Looks(Locale)])
                .flows(&[ReturnsConstantTable])
                .outcome(Determined),
            function("__ctype_tolower_loc", "")
                .announces(&[Looks(Locale)])
                .flows(&[ReturnsConstantTable])
                .outcome(Determined),
            function("__ctype_toupper_loc", "")
                .announces(&[Looks(Locale)])
                .flows(&[ReturnsConstantTable])
                .outcome(Determined),
            pure("__tolower_l", "ip").announces(&[UsesLocale(1)]),
            pure("__toupper_l", "ip").announces(&[UsesLocale(1)]),
            function("_tolower", "i").announces(&[Looks(Locale)]).keeps_nothing().outcome(Determined),
            function("_toupper", "i").announces(&[Looks(Locale)]).keeps_nothing().outcome(Determined),
            function("isalnum", "i").announces(&[Looks(Locale)]).keeps_nothing().outcome(Determined),
            pure("isalnum_l", "ip").announces(&[UsesLocale(1)]),
            function("isalpha", "i").announces(&[Looks(Locale)]).keeps_nothing().outcome(Determined),
            pure("isalpha_l", "ip").announces(&[UsesLocale(1)]),
            pure("isascii", "i"),
            function("isblank", "i").announces(&[Looks(Locale)]).keeps_nothing().outcome(Determined),
            pure("isblank_l", "ip").announces(&[UsesLocale(1)]),
            function("iscntrl", "i").announces(&[Looks(Locale)]).keeps_nothing().outcome(Determined),
            pure("iscntrl_l", "ip").announces(&[UsesLocale(1)]),
            pure("isdigit", "i"),
            pure("isdigit_l", "ip").announces(&[UsesLocale(1)]),
            function("isgraph", "i").announces(&[Looks(Locale)]).keeps_nothing().outcome(Determined),
            pure("isgraph_l", "ip").announces(&[UsesLocale(1)]),
            function("islower", "i").announces(&[Looks(Locale)]).keeps_nothing().outcome(Determined),
            pure("islower_l", "ip").announces(&[UsesLocale(1)]),
            function("isprint", "i").announces(&[Looks(Locale)]).keeps_nothing().outcome(Determined),
            pure("isprint_l", "ip").announces(&[UsesLocale(1)]),
            function("ispunct", "i").announces(&[Looks(Locale)]).keeps_nothing().outcome(Determined),
            pure("ispunct_l", "ip").announces(&[UsesLocale(1)]),
            function("isspace", "i").announces(&[Looks(Locale)]).keeps_nothing().outcome(Determined),
            pure("isspace_l", "ip").announces(&[UsesLocale(1)]),
            function("isupper", "i").announces(&[Looks(Locale)]).keeps_nothing().outcome(Determined),
            pure("isupper_l", "ip").announces(&[UsesLocale(1)]),
            pure("isxdigit", "i"),
            pure("isxdigit_l", "ip").announces(&[UsesLocale(1)]),
            pure("toascii", "i"),
            function("tolower", "i").announces(&[Looks(Locale)]).keeps_nothing().outcome(Determined),
            pure("tolower_l", "ip").announces(&[UsesLocale(1)]),
            function("toupper", "i").announces(&[Looks(Locale)]).keeps_nothing().outcome(Determined),
            pure("toupper_l", "ip").announces(&[UsesLocale(1)]),
        ],
    },
    LibraryHeader {
        name: "string.h",
        rows: &[
            function("__memcmpeq", "cci")
                .announces(&[Reads(0, Argument(2)), Reads(1, Argument(2))])
                .keeps_nothing()
                .outcome(Determined),
            function("__strtok_r", "pcp")
                .announces(&[Reads(1, Text), TakesToken { text: 0, kept: 2 }, Writes(2, Bytes(8))])
                .flows(&[ReturnsInside(0), StoresInside { of: 0, at: 2 }, ReturnsContent(2)]),
            function("basename", "c").announces(&[Reads(0, Text)]).flows(&[ReturnsInside(0)]).outcome(Determined),
            function("bcmp", "cci")
                .announces(&[Reads(0, Argument(2)), Reads(1, Argument(2))])
                .keeps_nothing()
                .outcome(Determined),
            function("bcopy", "cpi")
                .announces(&[Reads(0, Argument(2)), Writes(1, Argument(2))])
                .flows(&[Copies { to: 1, from: 0 }])
                .outcome(Determined),
            function("bzero", "pi").announces(&[Writes(0, Argument(1))]).keeps_nothing().outcome(Determined),
            function("explicit_bzero", "pi").announces(&[Writes(0, Argument(1))]).keeps_nothing().outcome(Determined),
            pure("ffs", "i"),
            pure("ffsl", "i"),
            pure("ffsll", "i"),
            function("index", "ci").announces(&[Reads(0, ToByte(1))]).flows(&[ReturnsInside(0)]).outcome(Determined),
            function("memccpy", "pcii")
                .announces(&[
                    Reads(1, ToByteWithin { byte: 2, limit: Some(3) }),
                    Writes(0, ToByteOf { of: 1, byte: 2, limit: 3 }),
                ])
                .flows(&[Copies { to: 0, from: 1 }, ReturnsInside(0)])
                .outcome(Determined),
            function("memchr", "cii")
                .announces(&[Reads(0, ToByteWithin { byte: 1, limit: Some(2) })])
                .flows(&[ReturnsInside(0)])
                .outcome(Determined),
            function("memcmp", "cci")
                .announces(&[Reads(0, Argument(2)), Reads(1, Argument(2))])
                .keeps_nothing()
                .outcome(Determined),
            function("memcpy", "pci")
                .harmless()
                .accesses(&[Reads(1, Argument(2)), Writes(0, Argument(2))])
                .flows(&[Copies { to: 0, from: 1 }, ReturnsInside(0)])
                .outcome(Determined),
            function("memfrob", "pi")
                .announces(&[Reads(0, Argument(1)), Writes(0, Argument(1))])
                .flows(&[ReturnsInside(0)])
                .outcome(Determined),
            function("memmem", "cici")
                .announces(&[Reads(0, Argument(1)), Reads(2, Argument(3))])
                .flows(&[ReturnsInside(0)])
                .outcome(Determined),
            function("memmove", "pci")
                .harmless()
                .accesses(&[Reads(1, Argument(2)), Writes(0, Argument(2))])
                .flows(&[Copies { to: 0, from: 1 }, ReturnsInside(0)])
                .outcome(Determined),
            function("mempcpy", "pci")
                .harmless()
                .accesses(&[Reads(1, Argument(2)), Writes(0, Argument(2))])
                .flows(&[Copies { to: 0, from: 1 }, ReturnsInside(0)])
                .outcome(Determined),
            function("memrchr", "cii")
                .announces(&[Reads(0, Argument(2))])
                .flows(&[ReturnsInside(0)])
                .outcome(Determined),
            function("memset", "pii")
                .harmless()
                .accesses(&[Writes(0, Argument(2))])
                .flows(&[ReturnsInside(0)])
                .outcome(Determined),
            function("rawmemchr", "ci")
                .announces(&[Reads(0, ToByteWithin { byte: 1, limit: None })])
                .flows(&[ReturnsInside(0)])
                .outcome(Determined),
            function("rindex", "ci").announces(&[Reads(0, Text)]).flows(&[ReturnsInside(0)]).outcome(Determined),
            function("sigabbrev_np", "i").harmless().flows(&[ReturnsUnknown]).outcome(Determined),
            function("sigdescr_np", "i").harmless().flows(&[ReturnsUnknown]).outcome(Determined),
            function("stpcpy", "pc")
                .announces(&[Reads(1, Text), Writes(0, TextOf(1))])
                .flows(&[Copies { to: 0, from: 1 }, ReturnsInside(0)])
                .outcome(Determined),
            function("stpncpy", "pci")
                .announces(&[Reads(1, TextUpTo(2)), Writes(0, Argument(2))])
                .flows(&[Copies { to: 0, from: 1 }, ReturnsInside(0)])
                .outcome(Determined),
            function("strcasecmp", "cc")
                .announces(&[Reads(0, Text), Reads(1, Text), Looks(Locale)])
                .keeps_nothing()
                .outcome(Determined),
            function("strcasecmp_l", "ccp")
                .announces(&[Reads(0, Text), Reads(1, Text), UsesLocale(2)])
                .keeps_nothing()
                .outcome(Determined),
            function("strcasestr", "cc")
                .announces(&[Reads(0, Text), Reads(1, Text), Looks(Locale)])
                .flows(&[ReturnsInside(0)])
                .outcome(Determined),
            function("strcat", "pc")
                .announces(&[Appends { limit: None, wide: false }])
                .flows(&[Copies { to: 0, from: 1 }, ReturnsInside(0)])
                .outcome(Determined),
            function("strchr", "ci").announces(&[Reads(0, ToByte(1))]).flows(&[ReturnsInside(0)]).outcome(Determined),
            function("strchrnul", "ci")
                .announces(&[Reads(0, ToByte(1))])
                .flows(&[ReturnsInside(0)])
                .outcome(Determined),
            function("strcmp", "cc")
                .announces(&[Compares { limit: None, wide: false }])
                .keeps_nothing()
                .outcome(Determined),
            function("strcoll", "cc").announces(&[Reads(0, Text), Reads(1, Text), Looks(Locale)]).keeps_nothing(),
            function("strcoll_l", "ccp")
                .announces(&[Reads(0, Text), Reads(1, Text), UsesLocale(2)])
                .keeps_nothing()
                .outcome(Determined),
            function("strcpy", "pc")
                .announces(&[Reads(1, Text), Writes(0, TextOf(1))])
                .flows(&[Copies { to: 0, from: 1 }, ReturnsInside(0)])
                .outcome(Determined),
            function("strcspn", "cc").announces(&[Reads(0, Text), Reads(1, Text)]).keeps_nothing().outcome(Determined),
            function("strdup", "c").announces(&[Reads(0, Text)]).flows(&[ReturnsResized(0)]).outcome(Heap),
            // Since glibc 2.32 the text for a number without a name belongs to the thread.
            function("strerror", "i").announces(&[Looks(Locale)]).flows(&[ReturnsUnknown]),
            function("strerror_l", "ip").announces(&[UsesLocale(1)]).flows(&[ReturnsUnknown]),
            function("strerror_r", "ipi")
                .announces(&[
                    Looks(Locale),
                    Stores(1, StoredExtent::Text { limit: 2, present: Present::ResultIsAddress }),
                ])
                .flows(&[ReturnsInside(1), ReturnsUnknown]),
            function("strerrordesc_np", "i").harmless().flows(&[ReturnsUnknown]).outcome(Determined),
            function("strerrorname_np", "i").harmless().flows(&[ReturnsUnknown]).outcome(Determined),
            function("strfry", "p").announces(&[Reads(0, Text), Writes(0, Text)]).flows(&[ReturnsInside(0)]),
            function("strlen", "c").announces(&[Reads(0, Text)]).keeps_nothing().outcome(Determined),
            function("strncasecmp", "cci")
                .announces(&[Reads(0, TextUpTo(2)), Reads(1, TextUpTo(2)), Looks(Locale)])
                .keeps_nothing()
                .outcome(Determined),
            function("strncasecmp_l", "ccip")
                .announces(&[Reads(0, TextUpTo(2)), Reads(1, TextUpTo(2)), UsesLocale(3)])
                .keeps_nothing()
                .outcome(Determined),
            function("strncat", "pci")
                .announces(&[Appends { limit: Some(2), wide: false }])
                .flows(&[Copies { to: 0, from: 1 }, ReturnsInside(0)])
                .outcome(Determined),
            function("strncmp", "cci")
                .announces(&[Compares { limit: Some(2), wide: false }])
                .keeps_nothing()
                .outcome(Determined),
            function("strncpy", "pci")
                .announces(&[Reads(1, TextUpTo(2)), Writes(0, Argument(2))])
                .flows(&[Copies { to: 0, from: 1 }, ReturnsInside(0)])
                .outcome(Determined),
            function("strndup", "ci").announces(&[Reads(0, TextUpTo(1))]).flows(&[ReturnsResized(0)]).outcome(Heap),
            function("strnlen", "ci").announces(&[Reads(0, TextUpTo(1))]).keeps_nothing().outcome(Determined),
            function("strpbrk", "cc")
                .announces(&[Reads(0, Text), Reads(1, Text)])
                .flows(&[ReturnsInside(0)])
                .outcome(Determined),
            function("strrchr", "ci").announces(&[Reads(0, Text)]).flows(&[ReturnsInside(0)]).outcome(Determined),
            function("strsep", "pc")
                .announces(&[Reads(0, Bytes(8)), Writes(0, Bytes(8)), Reads(1, Text), TakesTokenAt(0)])
                .flows(&[ReturnsContent(0), ReturnsUnknown]),
            function("strsignal", "i").announces(&[Looks(Locale)]).flows(&[ReturnsUnknown]),
            function("strspn", "cc").announces(&[Reads(0, Text), Reads(1, Text)]).keeps_nothing().outcome(Determined),
            function("strstr", "cc")
                .announces(&[Reads(0, Text), Reads(1, Text)])
                .flows(&[ReturnsInside(0)])
                .outcome(Determined),
            // It keeps its argument for the next call, so no flows are said.
            function("strtok", "pc").modelled().accesses(&[
                Changes(Strtok),
                Reads(1, Text),
                Unannounced(0, "\"the token and the byte behind it are accessed\""),
            ]),
            function("strtok_r", "pcp")
                .announces(&[Reads(1, Text), TakesToken { text: 0, kept: 2 }, Writes(2, Bytes(8))])
                .flows(&[ReturnsInside(0), StoresInside { of: 0, at: 2 }, ReturnsContent(2)]),
            function("strverscmp", "cc")
                .announces(&[Reads(0, Text), Reads(1, Text)])
                .keeps_nothing()
                .outcome(Determined),
            function("strxfrm", "pci")
                .announces(&[
                    Reads(1, Text),
                    Looks(Locale),
                    Writes(0, Transformed { of: 1, limit: 2, locale: None, wide: false }),
                ])
                .flows(&[Copies { to: 0, from: 1 }])
                .outcome(Determined),
            function("strxfrm_l", "pcip")
                .announces(&[
                    Reads(1, Text),
                    UsesLocale(3),
                    Writes(0, Transformed { of: 1, limit: 2, locale: Some(3), wide: false }),
                ])
                .flows(&[Copies { to: 0, from: 1 }])
                .outcome(Determined),
        ],
    },
    LibraryHeader {
        name: "wctype.h",
        rows: &[
            function("iswalnum", "i").announces(&[Looks(Locale)]).keeps_nothing().outcome(Determined),
            pure("iswalnum_l", "ip").announces(&[UsesLocale(1)]),
            function("iswalpha", "i").announces(&[Looks(Locale)]).keeps_nothing().outcome(Determined),
            pure("iswalpha_l", "ip").announces(&[UsesLocale(1)]),
            function("iswblank", "i").announces(&[Looks(Locale)]).keeps_nothing().outcome(Determined),
            pure("iswblank_l", "ip").announces(&[UsesLocale(1)]),
            function("iswcntrl", "i").announces(&[Looks(Locale)]).keeps_nothing().outcome(Determined),
            pure("iswcntrl_l", "ip").announces(&[UsesLocale(1)]),
            function("iswctype", "ii").announces(&[Looks(Locale)]).keeps_nothing().outcome(Determined),
            pure("iswctype_l", "iip").announces(&[UsesLocale(2)]),
            function("iswdigit", "i").announces(&[Looks(Locale)]).keeps_nothing().outcome(Determined),
            pure("iswdigit_l", "ip").announces(&[UsesLocale(1)]),
            function("iswgraph", "i").announces(&[Looks(Locale)]).keeps_nothing().outcome(Determined),
            pure("iswgraph_l", "ip").announces(&[UsesLocale(1)]),
            function("iswlower", "i").announces(&[Looks(Locale)]).keeps_nothing().outcome(Determined),
            pure("iswlower_l", "ip").announces(&[UsesLocale(1)]),
            function("iswprint", "i").announces(&[Looks(Locale)]).keeps_nothing().outcome(Determined),
            pure("iswprint_l", "ip").announces(&[UsesLocale(1)]),
            function("iswpunct", "i").announces(&[Looks(Locale)]).keeps_nothing().outcome(Determined),
            pure("iswpunct_l", "ip").announces(&[UsesLocale(1)]),
            function("iswspace", "i").announces(&[Looks(Locale)]).keeps_nothing().outcome(Determined),
            pure("iswspace_l", "ip").announces(&[UsesLocale(1)]),
            function("iswupper", "i").announces(&[Looks(Locale)]).keeps_nothing().outcome(Determined),
            pure("iswupper_l", "ip").announces(&[UsesLocale(1)]),
            function("iswxdigit", "i").announces(&[Looks(Locale)]).keeps_nothing().outcome(Determined),
            pure("iswxdigit_l", "ip").announces(&[UsesLocale(1)]),
            function("towctrans", "ic")
                .announces(&[Looks(Locale), Unannounced(1, A_HANDLE)])
                .keeps_nothing()
                .outcome(Determined),
            pure("towctrans_l", "icp").announces(&[Unannounced(1, A_HANDLE), UsesLocale(2)]),
            function("towlower", "i").announces(&[Looks(Locale)]).keeps_nothing().outcome(Determined),
            pure("towlower_l", "ip").announces(&[UsesLocale(1)]),
            function("towupper", "i").announces(&[Looks(Locale)]).keeps_nothing().outcome(Determined),
            pure("towupper_l", "ip").announces(&[UsesLocale(1)]),
            function("wctrans", "c").announces(&[Reads(0, Text), Looks(Locale)]).flows(&[ReturnsUnknown]),
            function("wctrans_l", "cp").announces(&[Reads(0, Text), UsesLocale(1)]).flows(&[ReturnsUnknown]),
            function("wctype", "c").announces(&[Reads(0, Text), Looks(Locale)]).keeps_nothing().outcome(Determined),
            function("wctype_l", "cp").announces(&[Reads(0, Text), UsesLocale(1)]).keeps_nothing().outcome(Determined),
        ],
    },
];
