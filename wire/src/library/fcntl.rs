//! Functions of `fcntl.h`.

use super::CallEffect::{ChangesPath, Opens, OpensAt, Reads, ReadsDescriptor};
use super::Extent::Text;
use super::LibraryHeader;
use super::Outcome::Outside;
use super::builder::{function, variadic};

pub(super) const HEADERS: &[LibraryHeader] = &[LibraryHeader {
    name: "fcntl.h",
    rows: &[
        function("creat", 2).announces(&[Reads(0, Text), ChangesPath(0)]).keeps_nothing(),
        variadic("fcntl", 2).announces(&[ReadsDescriptor(0)]),
        variadic("fcntl64", 2).announces(&[ReadsDescriptor(0)]),
        variadic("open", 2).announces(&[Reads(0, Text), Opens]).keeps_nothing().outcome(Outside),
        variadic("open64", 2).announces(&[Reads(0, Text), Opens]).keeps_nothing().outcome(Outside),
        variadic("openat", 3).announces(&[Reads(1, Text), OpensAt]).keeps_nothing(),
        function("posix_fadvise", 4).harmless(),
        function("posix_fallocate", 3).harmless(),
    ],
}];
