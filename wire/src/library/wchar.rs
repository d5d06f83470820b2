//! Functions of `wchar.h`.

use super::CallEffect::{
    Appends, Compares, Converts, Looks, Reads, ReadsStream, Stores, Updates, UsesLocale, UsesShiftState, UsesStandard,
    UsesStandardUnlocked, UsesStreamUnlocked, Writes, WritesStream,
};
use super::Extent::{
    Bytes, Character, CharacterOf, Elements, Transformed, Wide, WideInteger, WideNumber, WideOf, WideUpTo,
};
use super::Hidden::{Locale, StandardInput};
use super::LibraryHeader;
use super::Outcome::{Determined, Heap, Outside, Stream};
use super::PointerFlow::{Copies, KeepsNumber, ReturnsInside, ReturnsResized, StoresInside};
use super::builder::function;
use super::stored::StoredExtent;

pub(super) const HEADERS: &[LibraryHeader] = &[LibraryHeader {
    name: "wchar.h",
    rows: &[
        function("btowc", "i").announces(&[Looks(Locale)]).keeps_nothing().outcome(Determined),
        function("fgetwc", "p").announces(&[ReadsStream(0)]).keeps_nothing().outcome(Outside),
        function("fgetwc_unlocked", "p")
            .announces(&[UsesStreamUnlocked(0), ReadsStream(0)])
            .keeps_nothing()
            .outcome(Outside),
        function("fgetws", "pip")
            .announces(&[ReadsStream(2), Stores(0, StoredExtent::WideLine { limit: 1 })])
            .flows(&[ReturnsInside(0)])
            .outcome(Outside),
        function("fgetws_unlocked", "pip")
            .announces(&[UsesStreamUnlocked(2), ReadsStream(2), Stores(0, StoredExtent::WideLine { limit: 1 })])
            .flows(&[ReturnsInside(0)])
            .outcome(Outside),
        function("fputwc", "ip").announces(&[WritesStream(1)]).flows(&[KeepsNumber(0)]).outcome(Stream(1)),
        function("fputwc_unlocked", "ip")
            .announces(&[UsesStreamUnlocked(1), WritesStream(1)])
            .flows(&[KeepsNumber(0)])
            .outcome(Stream(1)),
        function("fputws", "cp").announces(&[WritesStream(1), Reads(0, Wide)]).keeps_nothing().outcome(Stream(1)),
        function("fputws_unlocked", "cp")
            .announces(&[UsesStreamUnlocked(1), WritesStream(1), Reads(0, Wide)])
            .keeps_nothing()
            .outcome(Stream(1)),
        function("fwide", "pi").announces(&[WritesStream(0)]).keeps_nothing(),
        function("getwc", "p").announces(&[ReadsStream(0)]).keeps_nothing().outcome(Outside),
        function("getwc_unlocked", "p")
            .announces(&[UsesStreamUnlocked(0), ReadsStream(0)])
            .keeps_nothing()
            .outcome(Outside),
        function("getwchar", "")
            .announces(&[UsesStandard("stdin"), Updates(StandardInput)])
            .keeps_nothing()
            .outcome(Outside),
        function("getwchar_unlocked", "")
            .announces(&[UsesStandard("stdin"), UsesStandardUnlocked("stdin"), Updates(StandardInput)])
            .keeps_nothing()
            .outcome(Outside),
        function("mbrlen", "cip")
            .announces(&[Reads(0, Character(1)), UsesShiftState(2), Looks(Locale)])
            .keeps_nothing(),
        function("mbrtowc", "pcip")
            .announces(&[Reads(1, Character(2)), Writes(0, Bytes(4)), UsesShiftState(3), Looks(Locale)])
            .keeps_nothing(),
        function("mbsinit", "c").announces(&[Reads(0, Bytes(8))]).keeps_nothing().outcome(Determined),
        function("mbsrtowcs", "ppip")
            .announces(&[
                Reads(1, Bytes(8)),
                Converts { to_wide: true, moves: true },
                Writes(1, Bytes(8)),
                UsesShiftState(3),
                Looks(Locale),
            ])
            .keeps_nothing(),
        function("putwc", "ip").announces(&[WritesStream(1)]).flows(&[KeepsNumber(0)]).outcome(Stream(1)),
        function("putwc_unlocked", "ip")
            .announces(&[UsesStreamUnlocked(1), WritesStream(1)])
            .flows(&[KeepsNumber(0)])
            .outcome(Stream(1)),
        function("putwchar", "i").announces(&[UsesStandard("stdout")]).keeps_nothing().outcome(Determined),
        function("putwchar_unlocked", "i")
            .announces(&[UsesStandard("stdout"), UsesStandardUnlocked("stdout")])
            .keeps_nothing()
            .outcome(Determined),
        function("ungetwc", "ip").announces(&[ReadsStream(1)]).flows(&[KeepsNumber(0)]),
        function("wcpcpy", "pc")
            .announces(&[Reads(1, Wide), Writes(0, WideOf(1))])
            .flows(&[Copies { to: 0, from: 1 }, ReturnsInside(0)])
            .outcome(Determined),
        function("wcpncpy", "pci")
            .announces(&[Reads(1, WideUpTo(2)), Writes(0, Elements(2, 4))])
            .flows(&[Copies { to: 0, from: 1 }, ReturnsInside(0)])
            .outcome(Determined),
        function("wcrtomb", "pip")
            .announces(&[Writes(0, CharacterOf(1)), UsesShiftState(2), Looks(Locale)])
            .keeps_nothing(),
        function("wcscasecmp", "cc")
            .announces(&[Reads(0, Wide), Reads(1, Wide), Looks(Locale)])
            .keeps_nothing()
            .outcome(Determined),
        function("wcscasecmp_l", "ccp")
            .announces(&[Reads(0, Wide), Reads(1, Wide), UsesLocale(2)])
            .keeps_nothing()
            .outcome(Determined),
        function("wcscat", "pc")
            .announces(&[Appends { limit: None, wide: true }])
            .flows(&[Copies { to: 0, from: 1 }, ReturnsInside(0)])
            .outcome(Determined),
        function("wcschr", "ci").announces(&[Reads(0, Wide)]).flows(&[ReturnsInside(0)]).outcome(Determined),
        function("wcschrnul", "ci").announces(&[Reads(0, Wide)]).flows(&[ReturnsInside(0)]).outcome(Determined),
        function("wcscmp", "cc").announces(&[Compares { limit: None, wide: true }]).keeps_nothing().outcome(Determined),
        function("wcscoll", "cc")
            .announces(&[Reads(0, Wide), Reads(1, Wide), Looks(Locale)])
            .keeps_nothing()
            .outcome(Determined),
        function("wcscoll_l", "ccp")
            .announces(&[Reads(0, Wide), Reads(1, Wide), UsesLocale(2)])
            .keeps_nothing()
            .outcome(Determined),
        function("wcscpy", "pc")
            .announces(&[Reads(1, Wide), Writes(0, WideOf(1))])
            .flows(&[Copies { to: 0, from: 1 }, ReturnsInside(0)])
            .outcome(Determined),
        function("wcscspn", "cc").announces(&[Reads(0, Wide), Reads(1, Wide)]).keeps_nothing().outcome(Determined),
        function("wcsdup", "c").announces(&[Reads(0, Wide)]).flows(&[ReturnsResized(0)]).outcome(Heap),
        function("wcslen", "c").announces(&[Reads(0, Wide)]).keeps_nothing().outcome(Determined),
        function("wcsncasecmp", "cci")
            .announces(&[Reads(0, WideUpTo(2)), Reads(1, WideUpTo(2)), Looks(Locale)])
            .keeps_nothing()
            .outcome(Determined),
        function("wcsncasecmp_l", "ccip")
            .announces(&[Reads(0, WideUpTo(2)), Reads(1, WideUpTo(2)), UsesLocale(3)])
            .keeps_nothing()
            .outcome(Determined),
        function("wcsncat", "pci")
            .announces(&[Appends { limit: Some(2), wide: true }])
            .flows(&[Copies { to: 0, from: 1 }, ReturnsInside(0)])
            .outcome(Determined),
        function("wcsncmp", "cci")
            .announces(&[Compares { limit: Some(2), wide: true }])
            .keeps_nothing()
            .outcome(Determined),
        function("wcsncpy", "pci")
            .announces(&[Reads(1, WideUpTo(2)), Writes(0, Elements(2, 4))])
            .flows(&[Copies { to: 0, from: 1 }, ReturnsInside(0)])
            .outcome(Determined),
        function("wcsnlen", "ci").announces(&[Reads(0, WideUpTo(1))]).keeps_nothing().outcome(Determined),
        function("wcspbrk", "cc")
            .announces(&[Reads(0, Wide), Reads(1, Wide)])
            .flows(&[ReturnsInside(0)])
            .outcome(Determined),
        function("wcsrchr", "ci").announces(&[Reads(0, Wide)]).flows(&[ReturnsInside(0)]).outcome(Determined),
        function("wcsrtombs", "ppip")
            .announces(&[
                Reads(1, Bytes(8)),
                Converts { to_wide: false, moves: true },
                Writes(1, Bytes(8)),
                UsesShiftState(3),
                Looks(Locale),
            ])
            .keeps_nothing(),
        function("wcsspn", "cc").announces(&[Reads(0, Wide), Reads(1, Wide)]).keeps_nothing().outcome(Determined),
        function("wcsstr", "cc")
            .announces(&[Reads(0, Wide), Reads(1, Wide)])
            .flows(&[ReturnsInside(0)])
            .outcome(Determined),
        function("wcstod", "cp")
            .announces(&[Reads(0, WideNumber), Writes(1, Bytes(8)), Looks(Locale)])
            .flows(&[StoresInside { of: 0, at: 1 }])
            .outcome(Determined),
        function("wcstod_l", "cpp")
            .announces(&[Reads(0, WideNumber), Writes(1, Bytes(8)), UsesLocale(2)])
            .flows(&[StoresInside { of: 0, at: 1 }])
            .outcome(Determined),
        function("wcstof", "cp")
            .announces(&[Reads(0, WideNumber), Writes(1, Bytes(8)), Looks(Locale)])
            .flows(&[StoresInside { of: 0, at: 1 }])
            .outcome(Determined),
        function("wcstof32", "cp")
            .announces(&[Reads(0, WideNumber), Writes(1, Bytes(8)), Looks(Locale)])
            .flows(&[StoresInside { of: 0, at: 1 }])
            .outcome(Determined),
        function("wcstof32_l", "cpp")
            .announces(&[Reads(0, WideNumber), Writes(1, Bytes(8)), UsesLocale(2)])
            .flows(&[StoresInside { of: 0, at: 1 }])
            .outcome(Determined),
        function("wcstof32x", "cp")
            .announces(&[Reads(0, WideNumber), Writes(1, Bytes(8)), Looks(Locale)])
            .flows(&[StoresInside { of: 0, at: 1 }])
            .outcome(Determined),
        function("wcstof32x_l", "cpp")
            .announces(&[Reads(0, WideNumber), Writes(1, Bytes(8)), UsesLocale(2)])
            .flows(&[StoresInside { of: 0, at: 1 }])
            .outcome(Determined),
        function("wcstof64", "cp")
            .announces(&[Reads(0, WideNumber), Writes(1, Bytes(8)), Looks(Locale)])
            .flows(&[StoresInside { of: 0, at: 1 }])
            .outcome(Determined),
        function("wcstof64_l", "cpp")
            .announces(&[Reads(0, WideNumber), Writes(1, Bytes(8)), UsesLocale(2)])
            .flows(&[StoresInside { of: 0, at: 1 }])
            .outcome(Determined),
        function("wcstof64x", "cp")
            .announces(&[Reads(0, WideNumber), Writes(1, Bytes(8)), Looks(Locale)])
            .flows(&[StoresInside { of: 0, at: 1 }])
            .outcome(Determined),
        function("wcstof64x_l", "cpp")
            .announces(&[Reads(0, WideNumber), Writes(1, Bytes(8)), UsesLocale(2)])
            .flows(&[StoresInside { of: 0, at: 1 }])
            .outcome(Determined),
        function("wcstof_l", "cpp")
            .announces(&[Reads(0, WideNumber), Writes(1, Bytes(8)), UsesLocale(2)])
            .flows(&[StoresInside { of: 0, at: 1 }])
            .outcome(Determined),
        function("wcstol", "cpi")
            .announces(&[Reads(0, WideInteger(2)), Writes(1, Bytes(8))])
            .flows(&[StoresInside { of: 0, at: 1 }])
            .outcome(Determined),
        function("wcstol_l", "cpip")
            .announces(&[Reads(0, WideInteger(2)), Writes(1, Bytes(8)), UsesLocale(3)])
            .flows(&[StoresInside { of: 0, at: 1 }])
            .outcome(Determined),
        function("wcstold", "cp")
            .announces(&[Reads(0, WideNumber), Writes(1, Bytes(8)), Looks(Locale)])
            .flows(&[StoresInside { of: 0, at: 1 }])
            .outcome(Determined),
        function("wcstold_l", "cpp")
            .announces(&[Reads(0, WideNumber), Writes(1, Bytes(8)), UsesLocale(2)])
            .flows(&[StoresInside { of: 0, at: 1 }])
            .outcome(Determined),
        function("wcstoll", "cpi")
            .announces(&[Reads(0, WideInteger(2)), Writes(1, Bytes(8))])
            .flows(&[StoresInside { of: 0, at: 1 }])
            .outcome(Determined),
        function("wcstoll_l", "cpip")
            .announces(&[Reads(0, WideInteger(2)), Writes(1, Bytes(8)), UsesLocale(3)])
            .flows(&[StoresInside { of: 0, at: 1 }])
            .outcome(Determined),
        function("wcstoq", "cpi")
            .announces(&[Reads(0, WideInteger(2)), Writes(1, Bytes(8))])
            .flows(&[StoresInside { of: 0, at: 1 }])
            .outcome(Determined),
        function("wcstoul", "cpi")
            .announces(&[Reads(0, WideInteger(2)), Writes(1, Bytes(8))])
            .flows(&[StoresInside { of: 0, at: 1 }])
            .outcome(Determined),
        function("wcstoul_l", "cpip")
            .announces(&[Reads(0, WideInteger(2)), Writes(1, Bytes(8)), UsesLocale(3)])
            .flows(&[StoresInside { of: 0, at: 1 }])
            .outcome(Determined),
        function("wcstoull", "cpi")
            .announces(&[Reads(0, WideInteger(2)), Writes(1, Bytes(8))])
            .flows(&[StoresInside { of: 0, at: 1 }])
            .outcome(Determined),
        function("wcstoull_l", "cpip")
            .announces(&[Reads(0, WideInteger(2)), Writes(1, Bytes(8)), UsesLocale(3)])
            .flows(&[StoresInside { of: 0, at: 1 }])
            .outcome(Determined),
        function("wcstouq", "cpi")
            .announces(&[Reads(0, WideInteger(2)), Writes(1, Bytes(8))])
            .flows(&[StoresInside { of: 0, at: 1 }])
            .outcome(Determined),
        function("wcswcs", "cc")
            .announces(&[Reads(0, Wide), Reads(1, Wide)])
            .flows(&[ReturnsInside(0)])
            .outcome(Determined),
        function("wcswidth", "ci")
            .announces(&[Reads(0, WideUpTo(1)), Looks(Locale)])
            .keeps_nothing()
            .outcome(Determined),
        function("wcsxfrm", "pci")
            .announces(&[
                Reads(1, Wide),
                Looks(Locale),
                Writes(0, Transformed { of: 1, limit: 2, locale: None, wide: true }),
            ])
            .flows(&[Copies { to: 0, from: 1 }])
            .outcome(Determined),
        function("wctob", "i").announces(&[Looks(Locale)]).keeps_nothing().outcome(Determined),
        function("wcwidth", "i").announces(&[Looks(Locale)]).keeps_nothing().outcome(Determined),
        function("wmemchr", "cii")
            .announces(&[Reads(0, Elements(2, 4))])
            .flows(&[ReturnsInside(0)])
            .outcome(Determined),
        function("wmemcmp", "cci")
            .announces(&[Reads(0, Elements(2, 4)), Reads(1, Elements(2, 4))])
            .keeps_nothing()
            .outcome(Determined),
        function("wmemcpy", "pci")
            .announces(&[Reads(1, Elements(2, 4)), Writes(0, Elements(2, 4))])
            .flows(&[Copies { to: 0, from: 1 }, ReturnsInside(0)])
            .outcome(Determined),
        function("wmemmove", "pci")
            .announces(&[Reads(1, Elements(2, 4)), Writes(0, Elements(2, 4))])
            .flows(&[Copies { to: 0, from: 1 }, ReturnsInside(0)])
            .outcome(Determined),
        function("wmempcpy", "pci")
            .announces(&[Reads(1, Elements(2, 4)), Writes(0, Elements(2, 4))])
            .flows(&[Copies { to: 0, from: 1 }, ReturnsInside(0)])
            .outcome(Determined),
        function("wmemset", "pii")
            .announces(&[Writes(0, Elements(2, 4))])
            .flows(&[ReturnsInside(0)])
            .outcome(Determined),
    ],
}];
