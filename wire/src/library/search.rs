//! Functions of `search.h`.

use super::Effect::Changes;
use super::Header;
use super::Hidden::HashTable;
use super::builder::function;

pub(super) const HEADERS: &[Header] = &[Header {
    name: "search.h",
    rows: &[
        function("hcreate", 1).announces(&[Changes(HashTable)]),
        function("hdestroy", 0).announces(&[Changes(HashTable)]),
        function("hsearch", 2).announces(&[Changes(HashTable)]),
    ],
}];
