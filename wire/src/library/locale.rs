//! Functions of `langinfo.h`, `libintl.h`, `locale.h`.

use super::Effect::{Changes, Looks};
use super::Flow::ReturnsUnknown;
use super::Header;
use super::Hidden::Locale;
use super::builder::function;

pub(super) const HEADERS: &[Header] = &[
    Header { name: "langinfo.h", rows: &[function("nl_langinfo", 1).announces(&[Looks(Locale)])] },
    Header {
        name: "libintl.h",
        rows: &[function("dcgettext", 3).flows(&[ReturnsUnknown]), function("gettext", 1).flows(&[ReturnsUnknown])],
    },
    Header {
        name: "locale.h",
        rows: &[
            function("localeconv", 0).announces(&[Changes(Locale)]).flows(&[ReturnsUnknown]),
            function("setlocale", 2).announces(&[Changes(Locale)]).flows(&[ReturnsUnknown]),
        ],
    },
];
