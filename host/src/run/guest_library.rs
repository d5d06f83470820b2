//! By which name a program needs the guest library.

use inspect_wire::GUEST_LIBRARY;
use object::Endianness;
use object::elf;
use object::read::elf::{Dyn, ElfFile64, FileHeader};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The name of the guest library among the libraries that a program needs.
pub fn needed_guest<'a>(file: &ElfFile64<'a, Endianness>, bytes: &'a [u8]) -> Option<&'a [u8]> {
    let endian = file.endian();
    let sections = file.elf_header().sections(endian, bytes).ok()?;
    let (entries, link) = sections.dynamic(endian, bytes).ok()??;
    let names = sections.strings(endian, bytes, link).ok()?;
    let needed = entries.iter().filter(|entry| entry.tag32(endian) == Some(elf::DT_NEEDED));
    needed
        .filter_map(|entry| entry.string(endian, names).ok())
        .find(|name| name.rsplit(|byte| *byte == b'/').next() == Some(GUEST_LIBRARY.as_bytes()))
}

/// The path by which a program or library needs the guest library, as the linker has written it.
pub(super) fn guest_of(path: &Path) -> Option<PathBuf> {
    let bytes = std::fs::read(path).ok()?;
    let object::File::Elf64(file) = object::File::parse(&*bytes).ok()? else { return None };
    needed_guest(&file, &bytes).map(|name| PathBuf::from(OsStr::from_bytes(name)))
}
