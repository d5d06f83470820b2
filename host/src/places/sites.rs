//! The static records of a program's accesses, read from its file.

use inspect_wire::hooks::{SITE_SECTION, Site};
use object::{Object, ObjectSection, RelocationTarget};
use std::collections::BTreeMap;
use std::mem::offset_of;

/// The place of an access: source file as the record has it, line, and column or 0.
pub(super) type Access = (String, u32, u32);

/// The accesses that the compiler pass has recorded in this file; none where the file cannot be read as a program.
pub(super) fn accesses(bytes: &[u8]) -> Vec<Access> {
    let Ok(file) = object::File::parse(bytes) else { return Vec::new() };
    let Some(section) = file.section_by_name(SITE_SECTION) else { return Vec::new() };
    let Ok(records) = section.data() else { return Vec::new() };
    // In a program that can be loaded anywhere, the pointers are filled in by relocations.
    let pointers: BTreeMap<u64, u64> = file
        .dynamic_relocations()
        .into_iter()
        .flatten()
        .filter(|(_, relocation)| relocation.target() == RelocationTarget::Absolute)
        .map(|(at, relocation)| (at, relocation.addend() as u64))
        .collect();
    let one = |(number, record): (usize, &[u8])| {
        let at = section.address() + (number * size_of::<Site>() + offset_of!(Site, file)) as u64;
        let plain = u64::from_le_bytes(bytes_at(record, offset_of!(Site, file))?);
        let name = string(&file, pointers.get(&at).copied().unwrap_or(plain))?;
        let number = |offset| bytes_at(record, offset).map(u32::from_le_bytes);
        Some((name, number(offset_of!(Site, line))?, number(offset_of!(Site, column))?))
    };
    records.chunks_exact(size_of::<Site>()).enumerate().filter_map(one).filter(|access| access.1 > 0).collect()
}

fn bytes_at<const LENGTH: usize>(record: &[u8], offset: usize) -> Option<[u8; LENGTH]> {
    record.get(offset..offset + LENGTH)?.try_into().ok()
}

/// The text at an address of the file, up to its end.
fn string(file: &object::File, address: u64) -> Option<String> {
    let holds = |section: &object::Section| (section.address()..section.address() + section.size()).contains(&address);
    let section = file.sections().find(|section| section.address() > 0 && holds(section))?;
    let rest = section.data().ok()?.get((address - section.address()) as usize..)?;
    let text = rest.split(|byte| *byte == 0).next()?;
    (!text.is_empty()).then(|| String::from_utf8_lossy(text).into_owned())
}
