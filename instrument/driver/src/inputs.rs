//! Finds the inputs of a link that the pass will not see: machine code in objects, archives and shared libraries that
//! were not made by this driver. Their names go into the program, and a program with such inputs is never verified.

use crate::arguments::{Argument, InputKind, input_kind, library_folders};
use inspect_wire::hooks::SITE_SECTION;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Shared libraries of the system whose functions have rows in the table of library functions.
const KNOWN_LIBRARIES: &[&str] = &[
    "c", "m", "pthread", "dl", "rt", "util", "resolv", "crypt", "stdc++", "supc++", "gcc", "gcc_s", "gcc_eh", "atomic",
    "c++", "c++abi", "unwind",
];

/// What an input is made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Content {
    /// Bitcode, or machine code that went through the pass.
    Instrumented,
    /// Machine code that did not go through the pass.
    Native,
    /// Nothing that runs: a linker script, an empty archive, a file that is not there (the linker will say so).
    Nothing,
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
                InputKind::Linked => (content(Path::new(file)) == Content::Native).then(|| file.clone()),
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

/// The file behind `-lname`, if it is machine code without instrumentation and none of [`KNOWN_LIBRARIES`].
fn native_library(name: &OsStr, folders: &[PathBuf], prefer_archive: bool) -> Option<PathBuf> {
    let name = name.to_str()?;
    if KNOWN_LIBRARIES.contains(&name) {
        return None;
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
    let mut bytes = Vec::new();
    let Ok(mut open) = File::open(file) else { return Content::Nothing };
    let mut magic = [0; 8];
    let Ok(length) = open.read(&mut magic) else { return Content::Nothing };
    bytes.extend_from_slice(&magic[..length]);
    if is_bitcode(&bytes) {
        return Content::Instrumented;
    }
    if !bytes.starts_with(b"\x7fELF") && !bytes.starts_with(b"!<arch>\n") && !bytes.starts_with(b"!<thin>\n") {
        return Content::Nothing;
    }
    if open.read_to_end(&mut bytes).is_err() {
        return Content::Nothing;
    }
    if bytes.starts_with(b"\x7fELF") {
        return elf_content(&bytes);
    }
    archive_content(&bytes, file.parent().unwrap_or(Path::new("")))
}

fn is_bitcode(bytes: &[u8]) -> bool {
    bytes.starts_with(b"BC\xc0\xde") || bytes.starts_with(&[0xde, 0xc0, 0x17, 0x0b])
}

/// Looks for the section that the pass makes. The name is searched as text: it stands in the table of section names and
/// nowhere else.
fn elf_content(bytes: &[u8]) -> Content {
    let name = SITE_SECTION.as_bytes();
    let marked = bytes.windows(name.len() + 1).any(|window| &window[..name.len()] == name && window[name.len()] == 0);
    if marked { Content::Instrumented } else { Content::Native }
}

/// An archive is native if one of its members is.
fn archive_content(bytes: &[u8], folder: &Path) -> Content {
    let thin = bytes.starts_with(b"!<thin>\n");
    let mut rest = &bytes[8..];
    let mut long_names: &[u8] = &[];
    let mut result = Content::Nothing;
    while let Some(header) = rest.get(..60) {
        let name = String::from_utf8_lossy(&header[..16]).trim_end().to_owned();
        let Ok(size) = String::from_utf8_lossy(&header[48..58]).trim().parse::<usize>() else { break };
        let special = matches!(name.as_str(), "/" | "//" | "/SYM64/");
        let stored = if thin && !special { 0 } else { size };
        let body = rest.get(60..60 + stored).unwrap_or(&[]);
        let member = match name.as_str() {
            "/" | "/SYM64/" => Content::Nothing,
            "//" => {
                long_names = body;
                Content::Nothing
            }
            _ if thin => content(&folder.join(member_name(&name, long_names))),
            _ if is_bitcode(body) => Content::Instrumented,
            _ if body.starts_with(b"\x7fELF") => elf_content(body),
            _ => Content::Nothing,
        };
        match member {
            Content::Native => return Content::Native,
            Content::Instrumented => result = Content::Instrumented,
            Content::Nothing => {}
        }
        let next = 60 + stored + stored % 2;
        let Some(after) = rest.get(next..) else { break };
        rest = after;
    }
    result
}

/// The name of an archive member; `/17` stands for the one at offset 17 of the table of long names.
fn member_name(name: &str, long_names: &[u8]) -> String {
    let Some(offset) = name.strip_prefix('/').and_then(|digits| digits.parse::<usize>().ok()) else {
        return name.trim_end_matches('/').to_owned();
    };
    let text = String::from_utf8_lossy(long_names.get(offset..).unwrap_or(&[])).into_owned();
    text.lines().next().unwrap_or("").trim_end_matches('/').to_owned()
}
