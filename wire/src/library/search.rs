//! Functions of `search.h`.

use super::CallEffect::Changes;
use super::Hidden::HashTable;
use super::LibraryHeader;
use super::builder::function;

pub(super) const HEADERS: &[LibraryHeader] = &[LibraryHeader {
    name: "search.h",
    rows: &[
        function("hcreate", 1).announces(&[Changes(HashTable)]),
        function("hdestroy", 0).announces(&[Changes(HashTable)]),
        function("hsearch", 2).announces(&[Changes(HashTable)]),
    ],
}];
