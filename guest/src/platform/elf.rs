//! The program and its libraries as they are loaded (the *objects* of the dynamic loader, in this file only), and their
//! symbols, read from the loader's own list.
//!
//! The guest links against nothing, so what it needs of the C library it looks up by name: walk the list of objects
//! that the loader publishes for debuggers, then search each object's GNU hash table.

mod destructors;
mod imports;
mod init_array;

pub(super) use destructors::has_destructors;
pub use imports::{Imports, imports, program_calls};
pub(super) use init_array::{InitArray, init_array};

use super::global::Global;
use super::layout::{ENGINE, Range};
use super::{maps, sys};
use alloc::vec::Vec;
use core::ffi::{CStr, c_char};
use inspect_wire::message::LoadedModule;
use linux_raw_sys::elf::{ELFMAG, Elf_Ehdr, Elf_Phdr, PF_W, PF_X, PT_DYNAMIC, PT_LOAD, PT_PHDR};

const AT_PHDR: u64 = 3;
const AT_PHNUM: u64 = 5;
const DT_NULL: u64 = 0;
const DT_STRTAB: u64 = 5;
const DT_SYMTAB: u64 = 6;
const DT_DEBUG: u64 = 21;
const DT_GNU_HASH: u64 = 0x6fff_fef5;
const DT_VERSYM: u64 = 0x6fff_fff0;
const STT_TLS: u8 = 6;
const STT_GNU_IFUNC: u8 = 10;
/// In a version index: not the default version of the symbol.
const HIDDEN: u16 = 0x8000;

#[repr(C)]
struct LinkMap {
    bias: u64,
    name: *const c_char,
    dynamic: *const [u64; 2],
    next: *const LinkMap,
}

#[repr(C)]
struct LoaderDebug {
    version: i32,
    map: *const LinkMap,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct Symbol {
    name: u32,
    info: u8,
    other: u8,
    section: u16,
    value: u64,
    size: u64,
}

/// The list of objects, once found.
static OBJECTS: Global<*const LinkMap> = Global::new(core::ptr::null());

unsafe extern "C" {
    /// Start of the guest library's own image (defined by the linker, as is the next).
    #[link_name = "__ehdr_start"]
    static IMAGE_START: u8;
    #[link_name = "_end"]
    static IMAGE_END: u8;
}

/// The image of the guest library: code, constants and data.
pub fn image() -> Range {
    let start = &raw const IMAGE_START as u64;
    let end = (&raw const IMAGE_END as u64).next_multiple_of(sys::PAGE);
    Range { start, end }
}

/// The segments of an image in memory.
pub struct Segments {
    headers: &'static [Elf_Phdr],
    /// What is added to the addresses in the file.
    bias: u64,
}

impl Segments {
    /// Those of the image that begins at `base`; `None` if none begins there.
    ///
    /// # Safety
    /// Memory at `base` is readable and, if an image begins there, stays what it is.
    pub unsafe fn of(base: u64) -> Option<Segments> {
        // SAFETY: passed on to the caller; the first segment of an image begins with its header, which says where in
        // the same segment the program headers are.
        unsafe {
            let header = &*(base as *const Elf_Ehdr);
            if !header.e_ident.starts_with(&ELFMAG) {
                return None;
            }
            let first = (base as usize + header.e_phoff) as *const Elf_Phdr;
            let headers = core::slice::from_raw_parts(first, usize::from(header.e_phnum));
            let lowest = headers.iter().find(|header| header.p_type == PT_LOAD)?;
            let bias = base.wrapping_sub(lowest.p_vaddr as u64 & !(sys::PAGE - 1));
            Some(Segments { headers, bias })
        }
    }

    /// The first segment of a type (`PT_...`).
    pub fn find(&self, kind: u32) -> Option<Range> {
        self.of_type(kind).next().map(|(_, range)| range)
    }

    /// The segments of a type: their flags, and what of them is in the file.
    pub fn of_type(&self, kind: u32) -> impl Iterator<Item = (u32, Range)> {
        let range =
            |header: &Elf_Phdr| Range::new(self.bias.wrapping_add(header.p_vaddr as u64), header.p_filesz as u64);
        let headers = self.headers.iter().filter(move |header| header.p_type == kind);
        headers.map(move |header| (header.p_flags, range(header)))
    }
}

/// Where the program's own variables of static storage are, if they can be written.
pub fn variables_of_program() -> Option<Range> {
    let program = modules().into_iter().find(|module| module.path.is_empty())?;
    // SAFETY: an object of the loader's.
    let segments = unsafe { Segments::of(program.start) }?;
    let is_written = |header: &&Elf_Phdr| header.p_type == PT_LOAD && header.p_flags & PF_W != 0;
    let data = segments.headers.iter().rfind(is_written)?;
    Some(Range::new(segments.bias.wrapping_add(data.p_vaddr as u64), data.p_memsz as u64))
}

/// The executable segment of the guest library.
pub fn image_text() -> Range {
    let own = image();
    // SAFETY: our own image.
    let text = unsafe { Segments::of(own.start) }
        .and_then(|segments| segments.of_type(PT_LOAD).find(|(flags, _)| flags & PF_X != 0));
    text.map_or(own, |(_, range)| range)
}

/// The kernel's description of the process: program headers and so on. It is read once, before any run: what a run
/// brings onto the program's stacks for the first time makes another page to be brought back after every run.
pub(super) fn auxiliary(key: u64) -> u64 {
    static WORDS: Global<[u64; 128]> = Global::new([0; 128]);
    // SAFETY: one OS thread; the borrow ends with the call.
    let words = unsafe { WORDS.get() };
    if words[0] == 0 {
        // SAFETY: the words are viewed as bytes.
        let bytes = unsafe { core::slice::from_raw_parts_mut(words.as_mut_ptr().cast::<u8>(), size_of_val(words)) };
        sys::read_file(c"/proc/self/auxv", bytes);
    }
    words.chunks_exact(2).find(|pair| pair[0] == key).map_or(0, |pair| pair[1])
}

/// Whether the processor and kernel let programs set the fs base themselves.
pub fn has_fsgsbase() -> bool {
    const AT_HWCAP2: u64 = 26;
    auxiliary(AT_HWCAP2) & 2 != 0
}

fn first_object() -> *const LinkMap {
    let known = OBJECTS.read();
    if !known.is_null() {
        return known;
    }
    let (headers, count) = (auxiliary(AT_PHDR), auxiliary(AT_PHNUM));
    if headers == 0 {
        sys::fatal("cannot read /proc/self/auxv");
    }
    // SAFETY: the kernel gives the program headers of the program; the loader has filled in DT_DEBUG before any code of
    // ours runs.
    unsafe {
        let headers = core::slice::from_raw_parts(headers as *const Elf_Phdr, count as usize);
        let own = headers.iter().find(|h| h.p_type == PT_PHDR);
        let bias = own.map_or(0, |h| headers.as_ptr() as u64 - h.p_vaddr as u64);
        if let Some(dynamic) = headers.iter().find(|h| h.p_type == PT_DYNAMIC) {
            let mut entry = (bias + dynamic.p_vaddr as u64) as *const [u64; 2];
            while (*entry)[0] != DT_NULL {
                if (*entry)[0] == DT_DEBUG {
                    let map = (*((*entry)[1] as *const LoaderDebug)).map;
                    OBJECTS.write(map);
                    return map;
                }
                entry = entry.add(1);
            }
        }
    }
    sys::fatal("the program is not dynamically linked")
}

/// The tables of one object that a search needs.
struct Tables {
    bias: u64,
    symbols: *const Symbol,
    strings: *const u8,
    hash: *const u32,
    versions: *const u16,
}

impl Tables {
    /// # Safety
    /// `map` is an object of the loader's list.
    unsafe fn of(map: &LinkMap) -> Option<Tables> {
        let (mut symbols, mut strings, mut hash, mut versions) = (0, 0, 0, 0);
        let mut entry = map.dynamic;
        // SAFETY: a dynamic section ends with DT_NULL.
        while let [key, value] = unsafe { *entry }
            && key != DT_NULL
        {
            // Most loaders relocate these entries in place; the kernel's own object is not relocated.
            let address = if value < map.bias { map.bias + value } else { value };
            match key {
                DT_SYMTAB => symbols = address,
                DT_STRTAB => strings = address,
                DT_GNU_HASH => hash = address,
                DT_VERSYM => versions = address,
                _ => {}
            }
            // SAFETY: not yet at the end.
            entry = unsafe { entry.add(1) };
        }
        (symbols != 0 && strings != 0 && hash != 0).then_some(Tables {
            bias: map.bias,
            symbols: symbols as *const Symbol,
            strings: strings as *const u8,
            hash: hash as *const u32,
            versions: versions as *const u16,
        })
    }

    /// Searches the object for a defined symbol; prefers the default version.
    ///
    /// # Safety
    /// The tables are those of a loaded object.
    unsafe fn find(&self, name: &str, wanted: u32) -> Option<u64> {
        // SAFETY: the layout of a GNU hash table: bucket count, first hashed symbol, size of the Bloom filter, its
        // shift, the filter, the buckets, the chains; a chain ends with the lowest bit set.
        unsafe {
            let [buckets, first, bloom] = [*self.hash, *self.hash.add(1), *self.hash.add(2)];
            let bucket_table = self.hash.add(4 + bloom as usize * 2);
            let chains = bucket_table.add(buckets as usize);
            if buckets == 0 {
                return None;
            }
            let mut index = *bucket_table.add((wanted % buckets) as usize);
            if index < first {
                return None;
            }
            let mut found = None;
            loop {
                let hash = *chains.add((index - first) as usize);
                let symbol = *self.symbols.add(index as usize);
                if hash | 1 == wanted | 1 && symbol.section != 0 && self.name_is(&symbol, name) {
                    let hidden = !self.versions.is_null() && *self.versions.add(index as usize) & HIDDEN != 0;
                    let address = self.address_of(&symbol);
                    if !hidden {
                        return Some(address);
                    }
                    found.get_or_insert(address);
                }
                if hash & 1 == 1 {
                    return found;
                }
                index += 1;
            }
        }
    }

    /// # Safety
    /// As for [`find`](Self::find), with a symbol of the object.
    unsafe fn name_is(&self, symbol: &Symbol, name: &str) -> bool {
        // SAFETY: names are NUL-terminated strings in the string table.
        let text = unsafe { CStr::from_ptr(self.strings.add(symbol.name as usize).cast()) };
        text.to_bytes() == name.as_bytes()
    }

    /// # Safety
    /// As for [`find`](Self::find), with a symbol of the object.
    unsafe fn address_of(&self, symbol: &Symbol) -> u64 {
        let value = self.bias + symbol.value;
        match symbol.info & 15 {
            STT_TLS => symbol.value,
            STT_GNU_IFUNC => {
                // SAFETY: the value of such a symbol is a function that returns the address.
                let resolve: extern "C" fn() -> u64 = unsafe { core::mem::transmute(value) };
                resolve()
            }
            _ => value,
        }
    }
}

fn gnu_hash(name: &str) -> u32 {
    name.bytes().fold(5381u32, |hash, byte| hash.wrapping_mul(33).wrapping_add(u32::from(byte)))
}

/// Where the kernel's library is, in the auxiliary vector.
pub(super) const AT_SYSINFO_EHDR: u64 = 33;

/// The definition of `name` that the program would use if the guest were not there, or null.
pub fn find(name: &str) -> *const () {
    let wanted = gnu_hash(name);
    let ours = image();
    // The kernel's own library has some names of the C library's; what it does is not what the C library promises.
    let kernels = auxiliary(AT_SYSINFO_EHDR);
    let mut map = first_object();
    // SAFETY: the list is the loader's; it changes only inside dlopen, which is not active now.
    while let Some(object) = unsafe { map.as_ref() } {
        map = object.next;
        let is_kernels = kernels != 0 && object.bias == kernels;
        if ours.contains(object.dynamic as u64) || object.dynamic.is_null() || is_kernels {
            continue;
        }
        // SAFETY: as above.
        if let Some(tables) = unsafe { Tables::of(object) }
            // SAFETY: as above.
            && let Some(address) = unsafe { tables.find(name, wanted) }
        {
            return address as *const ();
        }
    }
    core::ptr::null()
}

/// [`find`] for something the guest cannot do without.
pub fn real(name: &str) -> *const () {
    let found = find(name);
    if found.is_null() {
        sys::complain("inspect: missing symbol ");
        sys::complain(name);
        sys::fatal(" (is this the GNU C library?)");
    }
    found
}

/// Every object in memory, the guest included, in the loader's order.
pub fn modules() -> Vec<LoadedModule> {
    let mappings = maps::all();
    let mut list = Vec::new();
    let mut map = first_object();
    // SAFETY: as in `find`.
    while let Some(object) = unsafe { map.as_ref() } {
        map = object.next;
        let Some(own) = mappings.iter().find(|mapping| mapping.range.contains(object.dynamic as u64)) else { continue };
        let parts = || mappings.iter().filter(|mapping| mapping.name == own.name).map(|mapping| mapping.range);
        // SAFETY: the loader's names are NUL-terminated.
        let path = unsafe { CStr::from_ptr(object.name) }.to_string_lossy().into_owned();
        let start = parts().map(|range| range.start).min().unwrap_or(own.range.start);
        let end = parts().map(|range| range.end).max().unwrap_or(own.range.end);
        list.push(LoadedModule { path, bias: object.bias, start, end });
    }
    list
}

/// A symbol of an image that is no object of the loader's: the kernel's library. Its symbol table ends where its
/// strings begin.
pub(super) fn find_in_image(base: u64, name: &str) -> Option<u64> {
    // SAFETY: the image is a complete ELF file in memory, not relocated.
    unsafe {
        let segments = Segments::of(base)?;
        let bias = segments.bias;
        let mut entry = segments.find(PT_DYNAMIC)?.start as *const [u64; 2];
        let (mut symbols, mut strings) = (0, 0);
        while let [key, value] = *entry
            && key != DT_NULL
        {
            match key {
                DT_SYMTAB => symbols = bias + value,
                DT_STRTAB => strings = bias + value,
                _ => {}
            }
            entry = entry.add(1);
        }
        let count = strings.checked_sub(symbols)? / size_of::<Symbol>() as u64;
        let table = core::slice::from_raw_parts(symbols as *const Symbol, count as usize);
        let is_it = |symbol: &&Symbol| {
            let text = CStr::from_ptr((strings + u64::from(symbol.name)) as *const c_char);
            symbol.section != 0 && text.to_bytes() == name.as_bytes()
        };
        table.iter().find(is_it).map(|symbol| bias + symbol.value)
    }
}

/// Everything of the engine's that the program must not write to: checks compare addresses with these two ranges.
pub fn engine_ranges() -> [Range; 2] {
    [ENGINE, image()]
}
