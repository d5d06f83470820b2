//! What objects take from others, by their relocations.

use super::{DT_NULL, LinkMap, Symbol, Tables, destructors, first_object, image};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec::Vec;
use core::ffi::CStr;

/// What an object takes from others.
pub struct Imports {
    /// The object's path; empty for the program itself.
    pub path: String,
    /// Names of the functions and variables, each once.
    pub names: Vec<String>,
    /// Whether it is the C library, the loader or the kernel's library.
    pub of_system: bool,
}

/// The imports of every object but the guest, in the loader's order.
pub fn imports() -> Vec<Imports> {
    let mut list = Vec::new();
    let ours = image();
    let system = destructors::System::find();
    let mut map = first_object();
    // SAFETY: the list is the loader's; it changes only inside dlopen, which is not active now.
    while let Some(object) = unsafe { map.as_ref() } {
        map = object.next;
        if !ours.contains(object.dynamic as u64) && !object.dynamic.is_null() {
            let mut names = BTreeSet::new();
            // SAFETY: as above; the loader's names are NUL-terminated.
            let path = unsafe {
                each_relocation(object, |name, _, _| {
                    names.insert(name);
                });
                CStr::from_ptr(object.name).to_string_lossy().into_owned()
            };
            list.push(Imports { path, names: names.into_iter().collect(), of_system: system.has(object) });
        }
    }
    list
}

/// Where the program keeps the addresses of the functions that it calls in other objects, by their names: of those of
/// which nothing else of the program holds the address. None if the loader has run code of the program before anybody
/// could look.
pub fn program_calls() -> BTreeMap<String, u64> {
    const DT_PREINIT_ARRAY: u64 = 32;
    /// The relocation of a slot that calls go through.
    const JUMP_SLOT: u64 = 7;
    let mut calls = BTreeMap::new();
    let mut taken = BTreeSet::new();
    // SAFETY: as above; the program comes first.
    if let Some(program) = unsafe { first_object().as_ref() } {
        // SAFETY: as above.
        unsafe {
            if dynamic_entries(program).any(|[key, _]| key == DT_PREINIT_ARRAY) {
                return calls;
            }
            each_relocation(program, |name, kind, place| {
                if kind != JUMP_SLOT || calls.insert(name.clone(), place).is_some() {
                    taken.insert(name);
                }
            });
        }
    }
    calls.retain(|name, _| !taken.contains(name));
    calls
}

/// The dynamic section of an object.
///
/// # Safety
/// `object` is one of the loader's list, and stays in it.
unsafe fn dynamic_entries(object: &LinkMap) -> impl Iterator<Item = [u64; 2]> {
    let first = object.dynamic;
    // SAFETY: passed on to the caller; the section ends with an entry of this kind.
    (0..).map(move |at| unsafe { *first.add(at) }).take_while(|[key, _]| *key != DT_NULL)
}

/// Calls `each` with the undefined symbol that a relocation names, the kind of the relocation and its place.
///
/// # Safety
/// `object` is one of the loader's list.
unsafe fn each_relocation(object: &LinkMap, mut each: impl FnMut(String, u64, u64)) {
    const DT_PLTRELSZ: u64 = 2;
    const DT_RELA: u64 = 7;
    const DT_RELASZ: u64 = 8;
    const DT_JMPREL: u64 = 23;
    // SAFETY: passed on to the caller; the tables have the sizes that the dynamic section says.
    unsafe {
        let Some(tables) = Tables::of(object) else { return };
        let (mut places, mut sizes) = ([0u64; 2], [0u64; 2]);
        for [key, value] in dynamic_entries(object) {
            let address = if value < object.bias { object.bias + value } else { value };
            match key {
                DT_RELA => places[0] = address,
                DT_JMPREL => places[1] = address,
                DT_RELASZ => sizes[0] = value,
                DT_PLTRELSZ => sizes[1] = value,
                _ => {}
            }
        }
        for (place, size) in places.into_iter().zip(sizes).filter(|&(place, _)| place != 0) {
            for [offset, info, _] in core::slice::from_raw_parts(place as *const [u64; 3], (size / 24) as usize) {
                let symbol: Symbol = *tables.symbols.add((info >> 32) as usize);
                if info >> 32 != 0 && symbol.section == 0 {
                    let name = CStr::from_ptr(tables.strings.add(symbol.name as usize).cast());
                    each(name.to_string_lossy().into_owned(), info & 0xffff_ffff, object.bias + offset);
                }
            }
        }
    }
}
