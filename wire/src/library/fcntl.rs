//! Functions of `fcntl.h`.

use super::CallEffect::{AsksDescriptor, ControlsDescriptor, Creates, Opens, OpensAt, Reads, WritesDescriptor};
use super::Extent::Text;
use super::LibraryHeader;
use super::Outcome::Outside;
use super::PointerFlow::KeepsNumber;
use super::builder::{function, variadic};

pub(super) const HEADERS: &[LibraryHeader] = &[LibraryHeader {
    name: "fcntl.h",
    rows: &[
        function("creat", "ci").cancellation_point().announces(&[Reads(0, Text), Creates]).keeps_nothing(),
        function("creat64", "ci").cancellation_point().announces(&[Reads(0, Text), Creates]).keeps_nothing(),
        function("fallocate", "iiii").announces(&[WritesDescriptor(0)]).flows(&[KeepsNumber(2), KeepsNumber(3)]),
        function("fallocate64", "iiii").announces(&[WritesDescriptor(0)]).flows(&[KeepsNumber(2), KeepsNumber(3)]),
        variadic("fcntl", "ii").announces(&[ControlsDescriptor]),
        variadic("fcntl64", "ii").announces(&[ControlsDescriptor]),
        variadic("open", "ci")
            .cancellation_point()
            .announces(&[Reads(0, Text), Opens])
            .keeps_nothing()
            .outcome(Outside),
        variadic("open64", "ci")
            .cancellation_point()
            .announces(&[Reads(0, Text), Opens])
            .keeps_nothing()
            .outcome(Outside),
        variadic("openat", "ici").cancellation_point().announces(&[Reads(1, Text), OpensAt]).keeps_nothing(),
        variadic("openat64", "ici").cancellation_point().announces(&[Reads(1, Text), OpensAt]).keeps_nothing(),
        function("posix_fadvise", "iiii").announces(&[AsksDescriptor(0)]).keeps_nothing(),
        function("posix_fadvise64", "iiii").announces(&[AsksDescriptor(0)]).keeps_nothing(),
        function("posix_fallocate", "iii").announces(&[WritesDescriptor(0)]).flows(&[KeepsNumber(1), KeepsNumber(2)]),
        function("posix_fallocate64", "iii").announces(&[WritesDescriptor(0)]).flows(&[KeepsNumber(1), KeepsNumber(2)]),
        function("readahead", "iii").announces(&[AsksDescriptor(0)]).keeps_nothing(),
        function("sync_file_range", "iiii").announces(&[AsksDescriptor(0)]).keeps_nothing(),
    ],
}];
