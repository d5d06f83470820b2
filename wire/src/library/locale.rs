//! Functions of `langinfo.h`, `libintl.h`, `locale.h`.

use super::CallEffect::{Changes, Looks, Reads, SetsLocale, UsesLocale, WritesResult};
use super::Extent::{Bytes, Text};
use super::Hidden::{Conventions, Environment, Locale};
use super::LibraryHeader;
use super::PointerFlow::{ReturnsInside, ReturnsUnknown};
use super::builder::function;

pub(super) const HEADERS: &[LibraryHeader] = &[
    LibraryHeader {
        name: "langinfo.h",
        rows: &[
            function("nl_langinfo", "i").announces(&[Looks(Locale)]).flows(&[ReturnsUnknown]),
            function("nl_langinfo_l", "ip").announces(&[UsesLocale(1)]).flows(&[ReturnsUnknown]),
        ],
    },
    LibraryHeader {
        name: "libintl.h",
        rows: &[
            function("bind_textdomain_codeset", "cc")
                .announces(&[Reads(0, Text), Reads(1, Text), Changes(Locale)])
                .flows(&[ReturnsUnknown]),
            function("bindtextdomain", "cc")
                .announces(&[Reads(0, Text), Reads(1, Text), Changes(Locale)])
                .flows(&[ReturnsUnknown]),
            function("dcgettext", "cci")
                .announces(&[Reads(0, Text), Reads(1, Text), Looks(Locale)])
                .flows(&[ReturnsInside(1), ReturnsUnknown]),
            function("dcngettext", "cccii")
                .announces(&[Reads(0, Text), Reads(1, Text), Reads(2, Text), Looks(Locale)])
                .flows(&[ReturnsInside(1), ReturnsInside(2), ReturnsUnknown]),
            function("dgettext", "cc")
                .announces(&[Reads(0, Text), Reads(1, Text), Looks(Locale)])
                .flows(&[ReturnsInside(1), ReturnsUnknown]),
            function("dngettext", "ccci")
                .announces(&[Reads(0, Text), Reads(1, Text), Reads(2, Text), Looks(Locale)])
                .flows(&[ReturnsInside(1), ReturnsInside(2), ReturnsUnknown]),
            function("gettext", "c")
                .announces(&[Reads(0, Text), Looks(Locale)])
                .flows(&[ReturnsInside(0), ReturnsUnknown]),
            function("ngettext", "cci").announces(&[Reads(0, Text), Reads(1, Text), Looks(Locale)]).flows(&[
                ReturnsInside(0),
                ReturnsInside(1),
                ReturnsUnknown,
            ]),
            function("textdomain", "c").announces(&[Reads(0, Text), Changes(Locale)]).flows(&[ReturnsUnknown]),
        ],
    },
    LibraryHeader {
        name: "locale.h",
        rows: &[
            function("duplocale", "p").announces(&[UsesLocale(0)]).flows(&[ReturnsInside(0), ReturnsUnknown]),
            function("freelocale", "p").announces(&[UsesLocale(0)]).keeps_nothing(),
            function("localeconv", "")
                .announces(&[Looks(Locale), Changes(Conventions), WritesResult(Bytes(96))])
                .flows(&[ReturnsUnknown]),
            function("newlocale", "icp")
                .announces(&[Reads(1, Text), Looks(Environment), UsesLocale(2)])
                .flows(&[ReturnsInside(2), ReturnsUnknown]),
            function("setlocale", "ic").announces(&[Reads(1, Text), SetsLocale]).flows(&[ReturnsUnknown]),
            function("uselocale", "p").announces(&[UsesLocale(0)]).flows(&[ReturnsInside(0), ReturnsUnknown]),
        ],
    },
];
