//! Finds the inputs of a link that the pass will not see: machine code in objects, archives and shared libraries that
//! were not made by this driver. Their names go into the program, and a program with such inputs is never verified.

use crate::arguments::{Argument, InputKind, input_kind, library_folders};
use inspect_wire::hooks::{SITE_SECTION, THREAD_SANITIZER_INIT};
use object::read::archive::ArchiveFile;
use object::{Object, ObjectSymbol, archive, elf};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Shared libraries of the system whose functions have rows in the table of library functions.
const KNOWN_LIBRARIES: &[&str] = &[
    "c", "m", "pthread", "dl", "rt", "util", "resolv", "crypt", "stdc++", "supc++", "gcc", "gcc_s", "gcc_eh", "atomic",
    "c++", "c++abi", "unwind",
];

/// Those of them that keep counts which threads share in code of their own. Linked as an archive they are native code
/// like any other, as the guest can take over none of their functions.
const CXX_LIBRARIES: &[&str] = &["stdc++", "supc++", "c++", "c++abi"];

/// What an object is made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Content {
    /// Nothing that runs: a linker script, an empty archive, a file that is not there (the linker will say so).
    Nothing,
    /// Bitcode, or machine code that went through the pass.
    Instrumented,
    /// Machine code with the calls of another compiler's `-fsanitize=thread`, which the guest takes.
    Sanitized,
    /// Other machine code, or a file that is not what it begins as.
    Native,
}

/// The names of the inputs that carry no instrumentation; of an archive, those of its members.
pub(crate) fn uninstrumented(arguments: &[Argument]) -> Vec<String> {
    let folders = library_folders(arguments);
    let mut names = Vec::new();
    let mut prefer_archive = false;
    for argument in arguments {
        let parts = match argument {
            Argument::Option(option, value) => {
                match option.to_str() {
                    Some("-Wl,-Bstatic" | "-Wl,-static" | "-Wl,-dn") => prefer_archive = true,
                    Some("-Wl,-Bdynamic" | "-Wl,-dy") => prefer_archive = false,
                    _ => {}
                }
                handed_to_linker(option, value.as_deref(), &folders)
            }
            Argument::Input(file, language) => match input_kind(file, language.as_deref()) {
                InputKind::Source => Vec::new(),
                InputKind::Assembly => vec![file.to_string_lossy().into_owned()],
                InputKind::Linked => parts_of_file(Path::new(file)),
            },
            Argument::Library(library) => parts_of_library(library, &folders, prefer_archive),
        };
        for name in parts.into_iter().map(|name| name.replace('\n', " ")) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names
}

/// Native inputs that the compiler passes on to the linker without reading them (`-Wl,file.o`, `-Xlinker -lname`).
fn handed_to_linker(option: &OsStr, value: Option<&OsStr>, folders: &[PathBuf]) -> Vec<String> {
    let option = option.to_string_lossy();
    let words = match (option.strip_prefix("-Wl,"), value) {
        (Some(words), _) => words.to_owned(),
        (None, Some(value)) if option == "-Xlinker" => value.to_string_lossy().into_owned(),
        (None, _) => return Vec::new(),
    };
    let parts = |word: &str| match word.strip_prefix("-l") {
        Some(library) => parts_of_library(OsStr::new(library), folders, false),
        None if word.starts_with('-') => Vec::new(),
        None => native_parts(Path::new(word)),
    };
    words.split(',').flat_map(parts).collect()
}

/// The parts of a file that the command line names. The Rust compiler names the archive of its arithmetic helpers,
/// which is to its programs what `-lgcc` is to those of C.
fn parts_of_file(file: &Path) -> Vec<String> {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let is_of_compiler = name.starts_with("libcompiler_builtins-") && name.ends_with(".rlib");
    if is_of_compiler { Vec::new() } else { native_parts(file) }
}

/// The parts of the file behind `-lname`, if it is none of [`KNOWN_LIBRARIES`].
fn parts_of_library(name: &OsStr, folders: &[PathBuf], prefer_archive: bool) -> Vec<String> {
    let Some(name) = name.to_str() else { return Vec::new() };
    if KNOWN_LIBRARIES.contains(&name) {
        let is_archive = prefer_archive && CXX_LIBRARIES.contains(&name);
        return if is_archive { vec![format!("lib{name}.a")] } else { Vec::new() };
    }
    let candidates = match name.strip_prefix(':') {
        Some(file) => vec![file.to_owned()],
        None if prefer_archive => vec![format!("lib{name}.a")],
        None => vec![format!("lib{name}.so"), format!("lib{name}.a")],
    };
    let file = folders
        .iter()
        .flat_map(|folder| candidates.iter().map(move |candidate| folder.join(candidate)))
        .find(|path| path.exists());
    file.map_or_else(Vec::new, |file| native_parts(&file))
}

/// The parts of a file that are machine code without instrumentation, as they are named: the file, or members of it.
fn native_parts(file: &Path) -> Vec<String> {
    let shown = file.to_string_lossy();
    let Ok(bytes) = std::fs::read(file) else { return Vec::new() };
    if !bytes.starts_with(&archive::MAGIC) && !bytes.starts_with(&archive::THIN_MAGIC) {
        return named(&shown, object_content(&bytes)).into_iter().collect();
    }
    // What cannot be read, the linker refuses.
    let Ok(members) = members(&bytes, file.parent().unwrap_or(Path::new(""))) else { return vec![shown.into()] };
    let code: Vec<_> = members.iter().filter(|(_, content)| *content != Content::Nothing).collect();
    if !code.is_empty() && code.iter().all(|(_, content)| *content == Content::Native) {
        return vec![shown.into()];
    }
    code.into_iter().filter_map(|(member, content)| named(&format!("{shown}({member})"), *content)).collect()
}

/// How a part that is not instrumented is named.
fn named(part: &str, content: Content) -> Option<String> {
    match content {
        Content::Nothing | Content::Instrumented => None,
        Content::Sanitized => Some(format!("{part} (built with -fsanitize=thread)")),
        Content::Native => Some(part.to_owned()),
    }
}

/// What one file is made of that is no archive.
fn object_content(bytes: &[u8]) -> Content {
    /// Bitcode, and bitcode in the wrapper of another platform.
    const BITCODE: [&[u8]; 2] = [b"BC\xc0\xde", &[0xde, 0xc0, 0x17, 0x0b]];
    if BITCODE.iter().any(|magic| bytes.starts_with(magic)) {
        return Content::Instrumented;
    }
    if !bytes.starts_with(&elf::ELFMAG) {
        return Content::Nothing;
    }
    match object::File::parse(bytes) {
        Ok(file) if file.section_by_name(SITE_SECTION).is_some() => Content::Instrumented,
        Ok(file) if is_sanitized(&file) => Content::Sanitized,
        Ok(_) | Err(_) => Content::Native,
    }
}

/// Whether an object or a shared library calls the runtime of ThreadSanitizer, and does not bring it along.
fn is_sanitized(file: &object::File<'_>) -> bool {
    let symbols = file.symbols().chain(file.dynamic_symbols());
    symbols.into_iter().any(|symbol| symbol.is_undefined() && symbol.name() == Ok(THREAD_SANITIZER_INIT))
}

/// The members of an archive, by name, and what they are made of. The linker takes nothing from an archive inside of an
/// archive.
fn members(bytes: &[u8], folder: &Path) -> object::Result<Vec<(String, Content)>> {
    let archive = ArchiveFile::parse(bytes)?;
    let mut members = Vec::new();
    for member in archive.members() {
        let member = member?;
        let content = if archive.is_thin() {
            // A member that is not there, the linker reports.
            let file = folder.join(OsStr::from_bytes(member.name()));
            std::fs::read(file).map_or(Content::Nothing, |bytes| object_content(&bytes))
        } else {
            object_content(member.data(bytes)?)
        };
        members.push((String::from_utf8_lossy(member.name()).into_owned(), content));
    }
    Ok(members)
}

#[cfg(test)]
mod tests;
