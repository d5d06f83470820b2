//! Functions of `wchar.h`.

use super::LibraryHeader;
use super::PointerFlow::ReturnsInside;
use super::builder::function;

pub(super) const HEADERS: &[LibraryHeader] = &[LibraryHeader {
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
