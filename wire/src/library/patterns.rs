//! Patterns, conversions and growing objects: `fnmatch.h`, `ftw.h`, `glob.h`, `iconv.h`, `obstack.h`, `regex.h`,
//! `wordexp.h`.

use super::CallEffect::{ForAllThreads, Looks, Reads, Stores, Unannounced, Updates, Writes};
use super::Extent::{Bytes, Elements, Text};
use super::Hidden::{Converters, Environment, Locale, Users};
use super::LibraryHeader;
use super::Outcome::Determined;
use super::PointerFlow::{ReturnsBlock, StoresBlock};
use super::builder::function;
use super::reason::{A_VALUE, BY_CALLBACK};
use super::stored::StoredExtent;

/// Size of a `regex_t`.
const EXPRESSION: u32 = 64;
/// Size of a `glob_t`.
const PATHS: u32 = 72;
/// Size of a `wordexp_t`.
const WORDS: u32 = 24;
/// Size of a `struct obstack`.
const OBSTACK: u32 = 88;

pub(super) const HEADERS: &[LibraryHeader] = &[
    LibraryHeader {
        name: "fnmatch.h",
        rows: &[function("fnmatch", "cci")
            .announces(&[Reads(0, Text), Reads(1, Text), Looks(Locale)])
            .keeps_nothing()
            .outcome(Determined)],
    },
    LibraryHeader {
        name: "ftw.h",
        rows: &[
            function("ftw", "cfi").modelled().accesses(&[Reads(0, Text)]),
            function("ftw64", "cfi").modelled().accesses(&[Reads(0, Text)]),
            function("nftw", "cfii").modelled().accesses(&[Reads(0, Text)]),
            function("nftw64", "cfii").modelled().accesses(&[Reads(0, Text)]),
        ],
    },
    LibraryHeader {
        name: "glob.h",
        rows: &[
            function("glob", "cifp").announces(&[
                Reads(0, Text),
                Writes(3, Bytes(PATHS)),
                Looks(Locale),
                ForAllThreads,
            ]),
            function("glob64", "cifp").announces(&[
                Reads(0, Text),
                Writes(3, Bytes(PATHS)),
                Looks(Locale),
                ForAllThreads,
            ]),
            function("globfree", "p").announces(&[Writes(0, Bytes(PATHS))]).keeps_nothing(),
            function("globfree64", "p").announces(&[Writes(0, Bytes(PATHS))]).keeps_nothing(),
        ],
    },
    LibraryHeader {
        name: "iconv.h",
        rows: &[
            function("iconv", "ppppp").modelled().accesses(&[
                Writes(0, Bytes(8)),
                Writes(1, Bytes(8)),
                Writes(2, Bytes(8)),
                Writes(3, Bytes(8)),
                Writes(4, Bytes(8)),
            ]),
            function("iconv_close", "p").announces(&[Writes(0, Bytes(8)), Updates(Converters)]).keeps_nothing(),
            function("iconv_open", "cc")
                .announces(&[Reads(0, Text), Reads(1, Text), Updates(Converters)])
                .flows(&[ReturnsBlock]),
        ],
    },
    LibraryHeader {
        name: "obstack.h",
        rows: &[
            function("_obstack_begin", "piiff").announces(&[Writes(0, Bytes(OBSTACK))]),
            function("_obstack_begin_1", "piiffp").announces(&[Writes(0, Bytes(OBSTACK)), Unannounced(5, BY_CALLBACK)]),
            function("_obstack_memory_used", "p").announces(&[Reads(0, Bytes(OBSTACK))]).keeps_nothing(),
            function("_obstack_newchunk", "pi").announces(&[Writes(0, Bytes(OBSTACK))]),
        ],
    },
    LibraryHeader {
        name: "regex.h",
        rows: &[
            function("regcomp", "pci")
                .announces(&[Writes(0, Bytes(EXPRESSION)), Reads(1, Text), Looks(Locale)])
                .flows(&[StoresBlock(0)]),
            function("regerror", "icpi")
                .announces(&[
                    Unannounced(1, A_VALUE),
                    Stores(2, StoredExtent::Result { limit: 3, size: 1 }),
                    Looks(Locale),
                ])
                .keeps_nothing(),
            function("regexec", "ccipi").modelled().keeps_nothing().accesses(&[
                Reads(0, Bytes(EXPRESSION)),
                Reads(1, Text),
                Writes(3, Elements(2, 8)),
                Looks(Locale),
            ]),
            function("regfree", "p").announces(&[Writes(0, Bytes(EXPRESSION))]).keeps_nothing(),
        ],
    },
    LibraryHeader {
        name: "wordexp.h",
        rows: &[
            function("wordexp", "cpi").announces(&[
                Reads(0, Text),
                Writes(1, Bytes(WORDS)),
                Looks(Locale),
                Looks(Environment),
                Looks(Users),
                ForAllThreads,
            ]),
            function("wordfree", "p").announces(&[Writes(0, Bytes(WORDS))]).keeps_nothing(),
        ],
    },
];
