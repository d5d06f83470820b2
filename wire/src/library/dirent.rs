//! Functions of `dirent.h`.

use super::CallEffect::{
    AsksDescriptor, ClosesFolder, ListsFolder, Looks, OpensFolder, Reads, UsesFolderStream, Writes,
};
use super::Extent::{Bytes, Text};
use super::Hidden::Locale;
use super::PointerFlow::{ReturnsBlock, ReturnsUnknown, StoresInside};
use super::builder::function;
use super::{CallEffect, LibraryHeader};

/// The names of two entries are read as well, through what is read here.
const BY_NAME: &[CallEffect] = &[Reads(0, Bytes(8)), Reads(1, Bytes(8)), Looks(Locale)];

pub(super) const HEADERS: &[LibraryHeader] = &[LibraryHeader {
    name: "dirent.h",
    rows: &[
        function("alphasort", "pp").modelled().keeps_nothing().accesses(BY_NAME),
        function("alphasort64", "pp").modelled().keeps_nothing().accesses(BY_NAME),
        function("closedir", "p").announces(&[ClosesFolder(0)]).keeps_nothing(),
        function("dirfd", "p").announces(&[Reads(0, Bytes(4))]).keeps_nothing(),
        function("fdopendir", "i").announces(&[AsksDescriptor(0)]),
        function("opendir", "c").announces(&[Reads(0, Text), OpensFolder(0)]).flows(&[ReturnsBlock]),
        function("readdir", "p").modelled().flows(&[ReturnsUnknown]).accesses(&[UsesFolderStream(0)]),
        function("readdir64", "p").modelled().flows(&[ReturnsUnknown]).accesses(&[UsesFolderStream(0)]),
        function("readdir64_r", "ppp")
            .announces(&[UsesFolderStream(0), Writes(1, Bytes(280)), Writes(2, Bytes(8))])
            .flows(&[StoresInside { of: 1, at: 2 }]),
        function("readdir_r", "ppp")
            .announces(&[UsesFolderStream(0), Writes(1, Bytes(280)), Writes(2, Bytes(8))])
            .flows(&[StoresInside { of: 1, at: 2 }]),
        function("rewinddir", "p").announces(&[UsesFolderStream(0)]),
        function("scandir", "cpff").announces(&[Reads(0, Text), Writes(1, Bytes(8)), ListsFolder(0)]),
        function("scandir64", "cpff").announces(&[Reads(0, Text), Writes(1, Bytes(8)), ListsFolder(0)]),
        function("seekdir", "pi").announces(&[UsesFolderStream(0)]),
        function("telldir", "p").announces(&[UsesFolderStream(0)]),
        function("versionsort", "pp").modelled().keeps_nothing().accesses(BY_NAME),
        function("versionsort64", "pp").modelled().keeps_nothing().accesses(BY_NAME),
    ],
}];
