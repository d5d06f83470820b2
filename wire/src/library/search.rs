//! Functions of `search.h`.
//!
//! The variable that holds the root of a tree stands for its inner nodes: what changes the tree writes it. What a
//! comparison accesses is hooked, as are the keys in what a walk calls.

use super::CallEffect::{Changes, Reads, Unannounced, Writes};
use super::Extent::{Bytes, Text};
use super::Hidden::HashTable;
use super::LibraryHeader;
use super::PointerFlow::{Calls, ReturnsInside};
use super::builder::function;
use super::reason::{BY_CALLBACK, KEPT};

/// Size of a node of a tree.
const NODE: u32 = 24;
/// Size of a `struct hsearch_data`.
const TABLE: u32 = 16;

const BY_ITS_FREE: &str = "the nodes are freed, each as a block";

pub(super) const HEADERS: &[LibraryHeader] = &[LibraryHeader {
    name: "search.h",
    rows: &[
        function("hcreate", "i").announces(&[Changes(HashTable)]).keeps_nothing(),
        function("hcreate_r", "ip").announces(&[Writes(1, Bytes(TABLE))]),
        function("hdestroy", "").announces(&[Changes(HashTable)]).keeps_nothing(),
        function("hdestroy_r", "p").announces(&[Writes(0, Bytes(TABLE))]).keeps_nothing(),
        function("hsearch", "ii").announces(&[Changes(HashTable), Reads(0, Text)]),
        function("hsearch_r", "iipp").modelled().accesses(&[
            Reads(0, Text),
            Writes(2, Bytes(8)),
            Writes(3, Bytes(TABLE)),
        ]),
        function("insque", "pp").modelled().accesses(&[Writes(0, Bytes(16)), Writes(1, Bytes(8))]),
        function("lfind", "ccpif")
            .announces(&[Reads(2, Bytes(8)), Unannounced(0, BY_CALLBACK), Unannounced(1, BY_CALLBACK)])
            .flows(&[Calls { function: 4, with: &[0, 1] }, ReturnsInside(1)]),
        function("lsearch", "cppif").modelled().accesses(&[
            Reads(2, Bytes(8)),
            Unannounced(0, "\"read as it is appended\""),
            Unannounced(1, "\"written behind its last element as one is appended\""),
        ]),
        function("remque", "p").modelled().accesses(&[Reads(0, Bytes(16))]),
        function("tdelete", "cpf").announces(&[Writes(1, Bytes(8)), Unannounced(0, BY_CALLBACK)]),
        function("tdestroy", "pf").announces(&[Unannounced(0, BY_ITS_FREE)]),
        function("tfind", "ccf").announces(&[Reads(1, Bytes(8)), Unannounced(0, BY_CALLBACK)]),
        function("tsearch", "cpf").announces(&[Writes(1, Bytes(8)), Unannounced(0, KEPT)]),
        function("twalk", "cf").announces(&[Reads(0, Bytes(NODE))]),
        function("twalk_r", "cfp").announces(&[Reads(0, Bytes(NODE)), Unannounced(2, BY_CALLBACK)]),
    ],
}];
