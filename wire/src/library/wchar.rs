//! Functions of `wchar.h`.

use super::Flow::ReturnsInside;
use super::Header;
use super::builder::function;

pub(super) const HEADERS: &[Header] = &[Header {
    name: "wchar.h",
    rows: &[
        function("wcscmp", 2).keeps_nothing(),
        function("wcscpy", 2).flows(&[ReturnsInside(0)]),
        function("wcslen", 1).keeps_nothing(),
        function("wmemcmp", 3).keeps_nothing(),
        function("wmemcpy", 3).flows(&[ReturnsInside(0)]),
        function("wmemset", 3).flows(&[ReturnsInside(0)]),
    ],
}];
