//! Finds the inputs of a link that the pass will not see: machine code in objects, archives and shared libraries that
//! were not made by this driver. Their names go into the program, and a program with such inputs is never verified.

use crate::arguments::{Argument, InputKind, input_kind, library_folders};
use inspect_wire::hooks::SITE_SECTION;
use object::read::archive::ArchiveFile;
use object::{Object, archive, elf};
use std::ffi::{OsStr, OsString};
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

/// What an input is made of; of an archive, the last of these that one of its members is made of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Content {
    /// Nothing that runs: a linker script, an empty archive, a file that is not there (the linker will say so).
    Nothing,
    /// Bitcode, or machine code that went through the pass.
    Instrumented,
    /// Machine code that did not, or a file that is not what it begins as.
    Native,
}

/// The names of the inputs that carry no instrumentation.
pub(crate) fn uninstrumented(arguments: &[Argument]) -> Vec<String> {
    let folders = library_folders(arguments);
    let mut names = Vec::new();
    let mut prefer_archive = false;
    for argument in arguments {
        let name: Option<OsString> = match argument {
            Argument::Option(option, value) => {
                names.extend(handed_to_linker(option, value.as_deref(), &folders));
                match option.to_str() {
                    Some("-Wl,-Bstatic" | "-Wl,-static" | "-Wl,-dn") => prefer_archive = true,
                    Some("-Wl,-Bdynamic" | "-Wl,-dy") => prefer_archive = false,
                    _ => {}
                }
                None
            }
            Argument::Input(file, language) => match input_kind(file, language.as_deref()) {
                InputKind::Source => None,
                InputKind::Assembly => Some(file.clone()),
                InputKind::Linked => is_native_file(Path::new(file)).then(|| file.clone()),
            },
            Argument::Library(library) => {
                native_library(library, &folders, prefer_archive).map(PathBuf::into_os_string)
            }
        };
        let name = name.map(|n| n.to_string_lossy().replace('\n', " "));
        names.extend(name.filter(|n| !names.contains(n)));
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
    let native = |word: &str| match word.strip_prefix("-l") {
        Some(library) => native_library(OsStr::new(library), folders, false),
        None if word.starts_with('-') => None,
        None => (content(Path::new(word)) == Content::Native).then(|| PathBuf::from(word)),
    };
    words.split(',').filter_map(native).map(|path| path.to_string_lossy().into_owned()).collect()
}

/// Whether a file that the command line names is machine code without instrumentation. The Rust compiler names the
/// archive of its arithmetic helpers, which is to its programs what `-lgcc` is to those of C.
fn is_native_file(file: &Path) -> bool {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let is_of_compiler = name.starts_with("libcompiler_builtins-") && name.ends_with(".rlib");
    !is_of_compiler && content(file) == Content::Native
}

/// The file behind `-lname`, if it is machine code without instrumentation and none of [`KNOWN_LIBRARIES`].
fn native_library(name: &OsStr, folders: &[PathBuf], prefer_archive: bool) -> Option<PathBuf> {
    let name = name.to_str()?;
    if KNOWN_LIBRARIES.contains(&name) {
        let is_archive = prefer_archive && CXX_LIBRARIES.contains(&name);
        return is_archive.then(|| PathBuf::from(format!("lib{name}.a")));
    }
    let candidates = match name.strip_prefix(':') {
        Some(file) => vec![file.to_owned()],
        None if prefer_archive => vec![format!("lib{name}.a")],
        None => vec![format!("lib{name}.so"), format!("lib{name}.a")],
    };
    let file = folders
        .iter()
        .flat_map(|folder| candidates.iter().map(move |candidate| folder.join(candidate)))
        .find(|path| path.exists())?;
    (content(&file) == Content::Native).then_some(file)
}

fn content(file: &Path) -> Content {
    let Ok(bytes) = std::fs::read(file) else { return Content::Nothing };
    if bytes.starts_with(&archive::MAGIC) || bytes.starts_with(&archive::THIN_MAGIC) {
        // What cannot be read, the linker refuses.
        return archive_content(&bytes, file.parent().unwrap_or(Path::new(""))).unwrap_or(Content::Native);
    }
    object_content(&bytes)
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
        Ok(_) | Err(_) => Content::Native,
    }
}

/// What the members of an archive are made of. The linker takes nothing from an archive inside of an archive.
fn archive_content(bytes: &[u8], folder: &Path) -> object::Result<Content> {
    let archive = ArchiveFile::parse(bytes)?;
    let mut content = Content::Nothing;
    for member in archive.members() {
        let member = member?;
        content = content.max(if archive.is_thin() {
            // A member that is not there, the linker reports.
            let file = folder.join(OsStr::from_bytes(member.name()));
            std::fs::read(file).map_or(Content::Nothing, |bytes| object_content(&bytes))
        } else {
            object_content(member.data(bytes)?)
        });
    }
    Ok(content)
}

#[cfg(test)]
mod tests;
