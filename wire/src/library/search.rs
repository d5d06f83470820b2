//! Functions of `search.h`.

use super::CallEffect::{Changes, Reads, Unannounced};
use super::Extent::{Bytes, Text};
use super::Hidden::HashTable;
use super::LibraryHeader;
use super::PointerFlow::{Calls, ReturnsInside};
use super::builder::function;
use super::reason::BY_CALLBACK;

pub(super) const HEADERS: &[LibraryHeader] = &[LibraryHeader {
    name: "search.h",
    rows: &[
        function("hcreate", "i").announces(&[Changes(HashTable)]).keeps_nothing(),
        function("hdestroy", "").announces(&[Changes(HashTable)]).keeps_nothing(),
        function("hsearch", "ii").announces(&[Changes(HashTable), Reads(0, Text)]),
        function("lfind", "ccpif")
            .announces(&[Reads(2, Bytes(8)), Unannounced(0, BY_CALLBACK), Unannounced(1, BY_CALLBACK)])
            .flows(&[Calls { function: 4, with: &[0, 1] }, ReturnsInside(1)]),
    ],
}];
