//! Formatted output and input of wide characters: `wchar.h`.

use super::CallEffect::{
    Looks, Prints, PrintsList, Reads, ReadsStream, Scans, ScansList, Stores, Updates, UsesStandard, WritesStream,
};
use super::Extent::Wide;
use super::Hidden::{Locale, StandardInput};
use super::LibraryHeader;
use super::Outcome::{Determined, Stream};
use super::builder::{function, variadic};
use super::stored::StoredExtent;

pub(super) const HEADERS: &[LibraryHeader] = &[LibraryHeader {
    name: "wchar.h",
    rows: &[
        variadic("__fwprintf_chk", "pic")
            .announces(&[WritesStream(0), Prints { format: 2, wide: true }, Looks(Locale)])
            .keeps_nothing()
            .outcome(Stream(0)),
        variadic("__swprintf_chk", "piiic")
            .announces(&[
                Prints { format: 4, wide: true },
                Stores(0, StoredExtent::PrintedWide { limit: 1 }),
                Looks(Locale),
            ])
            .keeps_nothing()
            .outcome(Determined),
        function("__vfwprintf_chk", "picp")
            .announces(&[WritesStream(0), PrintsList { format: 2, list: 3, wide: true }, Looks(Locale)])
            .keeps_nothing()
            .writes_elsewhere(),
        function("__vswprintf_chk", "piiicp")
            .announces(&[
                PrintsList { format: 4, list: 5, wide: true },
                Stores(0, StoredExtent::PrintedWide { limit: 1 }),
                Looks(Locale),
            ])
            .keeps_nothing()
            .writes_elsewhere(),
        function("__vwprintf_chk", "icp")
            .announces(&[UsesStandard("stdout"), PrintsList { format: 1, list: 2, wide: true }, Looks(Locale)])
            .keeps_nothing()
            .writes_elsewhere(),
        variadic("__wprintf_chk", "ic")
            .announces(&[UsesStandard("stdout"), Prints { format: 1, wide: true }, Looks(Locale)])
            .keeps_nothing()
            .outcome(Determined),
        variadic("fwprintf", "pc")
            .announces(&[WritesStream(0), Prints { format: 1, wide: true }, Looks(Locale)])
            .keeps_nothing()
            .outcome(Stream(0)),
        variadic("fwscanf", "pc")
            .announces(&[ReadsStream(0), Scans { format: 1, wide: true }, Looks(Locale)])
            .keeps_nothing(),
        function("open_wmemstream", "pp").refused(),
        variadic("swprintf", "pic")
            .announces(&[
                Prints { format: 2, wide: true },
                Stores(0, StoredExtent::PrintedWide { limit: 1 }),
                Looks(Locale),
            ])
            .keeps_nothing()
            .outcome(Determined),
        variadic("swscanf", "cc")
            .announces(&[Reads(0, Wide), Scans { format: 1, wide: true }, Looks(Locale)])
            .keeps_nothing(),
        function("vfwprintf", "pcp")
            .announces(&[WritesStream(0), PrintsList { format: 1, list: 2, wide: true }, Looks(Locale)])
            .keeps_nothing()
            .writes_elsewhere(),
        function("vfwscanf", "pcp").announces(&[
            ReadsStream(0),
            ScansList { format: 1, list: 2, wide: true },
            Looks(Locale),
        ]),
        function("vswprintf", "picp")
            .announces(&[
                PrintsList { format: 2, list: 3, wide: true },
                Stores(0, StoredExtent::PrintedWide { limit: 1 }),
                Looks(Locale),
            ])
            .keeps_nothing()
            .writes_elsewhere(),
        function("vswscanf", "ccp").announces(&[
            Reads(0, Wide),
            ScansList { format: 1, list: 2, wide: true },
            Looks(Locale),
        ]),
        function("vwprintf", "cp")
            .announces(&[UsesStandard("stdout"), PrintsList { format: 0, list: 1, wide: true }, Looks(Locale)])
            .keeps_nothing()
            .writes_elsewhere(),
        function("vwscanf", "cp").announces(&[
            UsesStandard("stdin"),
            Updates(StandardInput),
            ScansList { format: 0, list: 1, wide: true },
            Looks(Locale),
        ]),
        variadic("wprintf", "c")
            .announces(&[UsesStandard("stdout"), Prints { format: 0, wide: true }, Looks(Locale)])
            .keeps_nothing()
            .outcome(Determined),
        variadic("wscanf", "c")
            .announces(&[UsesStandard("stdin"), Updates(StandardInput), Scans { format: 0, wide: true }, Looks(Locale)])
            .keeps_nothing(),
    ],
}];
