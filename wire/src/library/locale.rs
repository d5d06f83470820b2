//! Functions of `langinfo.h`, `libintl.h`, `locale.h`.

use super::CallEffect::{Changes, Looks};
use super::Hidden::Locale;
use super::LibraryHeader;
use super::PointerFlow::ReturnsUnknown;
use super::builder::function;

pub(super) const HEADERS: &[LibraryHeader] = &[
    LibraryHeader { name: "langinfo.h", rows: &[function("nl_langinfo", 1).announces(&[Looks(Locale)])] },
    LibraryHeader {
        name: "libintl.h",
        rows: &[function("dcgettext", 3).flows(&[ReturnsUnknown]), function("gettext", 1).flows(&[ReturnsUnknown])],
    },
    LibraryHeader {
        name: "locale.h",
        rows: &[
            function("localeconv", 0).announces(&[Changes(Locale)]).flows(&[ReturnsUnknown]),
            function("setlocale", 2).announces(&[Changes(Locale)]).flows(&[ReturnsUnknown]),
        ],
    },
];
