//! Functions of `dirent.h`.

use super::CallEffect::{AsksDescriptor, ListsFolder, Reads, UsesFolderStream, Writes};
use super::Extent::{Bytes, Text};
use super::LibraryHeader;
use super::PointerFlow::{ReturnsBlock, ReturnsUnknown};
use super::builder::function;

pub(super) const HEADERS: &[LibraryHeader] = &[LibraryHeader {
    name: "dirent.h",
    rows: &[
        function("alphasort", 2).harmless(),
        function("alphasort64", 2).harmless(),
        function("closedir", 1).announces(&[UsesFolderStream(0)]).keeps_nothing(),
        function("dirfd", 1).harmless(),
        function("fdopendir", 1).announces(&[AsksDescriptor(0)]),
        function("opendir", 1).announces(&[Reads(0, Text), ListsFolder(0)]).flows(&[ReturnsBlock]),
        function("readdir", 1).modelled().flows(&[ReturnsUnknown]),
        function("readdir64", 1).modelled().flows(&[ReturnsUnknown]),
        function("rewinddir", 1).announces(&[UsesFolderStream(0)]),
        function("scandir", 4).announces(&[Reads(0, Text), Writes(1, Bytes(8)), ListsFolder(0)]),
        function("scandir64", 4).announces(&[Reads(0, Text), Writes(1, Bytes(8)), ListsFolder(0)]),
        function("seekdir", 2).announces(&[UsesFolderStream(0)]),
        function("telldir", 1).announces(&[UsesFolderStream(0)]),
        function("versionsort", 2).harmless(),
    ],
}];
