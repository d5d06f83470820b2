//! What a program's file says about it: whether it can be checked, and which build it is.

use crate::error::{ToolError, plain};
use crate::run::needed_guest;
use inspect_driver::FACTS_FLAG;
use inspect_wire::hooks::{
    self, DELTA_SECTION, DELTAS_FLAG, FRAME_SECTION, FRAMES_FLAG, SITE_SECTION, UNINSTRUMENTED_SECTION, VERSION_SECTION,
};
use inspect_wire::message::LocalStates;
use inspect_wire::{GUEST_LIBRARY, facts};
use object::{Architecture, Object, ObjectSection, ObjectSymbol};
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The section by which a program with clients is known (`cli/clients/begin.c`).
const CLIENTS_SECTION: &str = "inspect_clients";

/// Libraries whose calls the guest knows; anything else that is not instrumented is named beside the verdict.
const KNOWN_LIBRARIES: &[&str] = &[
    "libc.so",
    "libm.so",
    "libpthread.so",
    "libdl.so",
    "librt.so",
    "libgcc_s.so",
    "libstdc++.so",
    "libatomic.so",
    "ld-linux-x86-64.so",
    "linux-vdso.so",
    GUEST_LIBRARY,
];

/// A program or library, as far as its file describes it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Image {
    /// The file, as an absolute path.
    pub path: PathBuf,
    /// Hash of its contents.
    pub fingerprint: String,
    /// Whether it was linked by the driver.
    pub instrumented: bool,
    /// Version of the hooks that its code calls, if it is not this Inspect's; 0 if it has hooks without a version.
    pub other_version: Option<u32>,
    /// Whether it has the table of facts that pruning searches need, for all its code.
    pub has_facts: bool,
    /// Whether its functions have frame records.
    pub frames: Option<LocalStates>,
    /// Whether it finds uses of uninitialised memory.
    pub finds_uninitialised: bool,
    /// Whether it was joined from several links, each of which was instrumented by itself.
    pub joined: bool,
    /// Whether it makes weak compare-exchanges.
    pub weak_exchanges: bool,
    /// Whether it sends signals to its threads, and has handlers for signals.
    pub handles_signals: bool,
    /// Whether it sets timers that send signals.
    pub sets_timers: bool,
    /// Whether it unmaps memory.
    pub unmaps: bool,
    /// Whether it was built with clients.
    pub has_clients: bool,
    /// Whether the compiler pass has seen some of its code.
    pub has_instrumented_code: bool,
    /// Whether it calls the runtime of ThreadSanitizer, which the guest stands in for.
    pub calls_thread_sanitizer: bool,
    /// Inputs of its link that were not instrumented, if others were.
    pub uninstrumented_inputs: Vec<String>,
}

impl Image {
    /// Reads an ELF file of this platform.
    pub fn read(path: &Path) -> Result<Image, ToolError> {
        let shown = path.display();
        let fail = |what: &str| ToolError::new(format!("{shown}: {what}"));
        let bytes = std::fs::read(path).map_err(|error| fail(&plain(&error)))?;
        if let Some(what) = no_program(&bytes) {
            return Err(fail(what));
        }
        let file = object::File::parse(&*bytes).map_err(|error| fail(&format!("a damaged program: {error}")))?;
        if file.architecture() != Architecture::X86_64 {
            let other = file.architecture();
            return Err(fail(&format!("built for {other:?}; Inspect runs programs for x86-64 Linux only")));
        }
        let object::File::Elf64(elf_file) = &file else {
            return Err(fail("a 32-bit program; Inspect runs programs for x86-64 Linux only"));
        };
        let data = |name| file.section_by_name(name).and_then(|section| section.data().ok());
        let has_sites = file.section_by_name(SITE_SECTION).is_some();
        let versions = data(VERSION_SECTION);
        Ok(Image {
            path: path.canonicalize().map_err(|error| fail(&plain(&error)))?,
            fingerprint: fingerprint(&bytes),
            instrumented: has_sites || needed_guest(elf_file, &bytes).is_some(),
            other_version: other_version(has_sites, versions),
            // The facts of one link do not cover code that was instrumented in an earlier link of its own (`-r`).
            has_facts: file.section_by_name(facts::SECTION).is_some()
                && versions.is_some_and(|versions| versions.len() == size_of_val(&hooks::VERSION)),
            frames: frames(&file),
            finds_uninitialised: file.section_by_name(hooks::UNINITIALISED_SECTION).is_some(),
            joined: versions.is_some_and(|bytes| bytes.len() > size_of_val(&hooks::VERSION)),
            weak_exchanges: file.section_by_name(hooks::WEAK_EXCHANGE_SECTION).is_some(),
            handles_signals: handles_signals(&file),
            sets_timers: uses(&file, &TIMERS),
            unmaps: uses(&file, &UNMAPPING),
            has_clients: file.section_by_name(CLIENTS_SECTION).is_some(),
            has_instrumented_code: has_sites || versions.is_some(),
            calls_thread_sanitizer: uses(&file, &[hooks::THREAD_SANITIZER_INIT]),
            uninstrumented_inputs: strings(data(UNINSTRUMENTED_SECTION).unwrap_or(&[])),
        })
    }

    /// Reads a program that is about to be checked.
    pub fn read_program(path: &Path) -> Result<Image, ToolError> {
        let image = Image::read(path)?;
        if !image.instrumented {
            let shown = path.display();
            return Err(ToolError::new(format!(
                "{shown}: not built with Inspect's compiler\n  build it with `inspect cc` in place of `cc`, for example\n    \
                 make CC=inspect-cc CXX=inspect-c++\n  or give the C files themselves to `inspect check`"
            )));
        }
        if let Some(version) = image.other_version {
            let (shown, own) = (path.display(), hooks::VERSION);
            return Err(ToolError::new(format!(
                "{shown}: built by another version of Inspect (its hooks are version {version}, this one's {own})\n  \
                 rebuild all of its objects and libraries with this Inspect's compiler, for example\n    \
                 make clean && make CC=inspect-cc CXX=inspect-c++"
            )));
        }
        Ok(image)
    }
}

impl Image {
    /// Refuses a program without the table of facts that a pruning search needs.
    pub fn require_facts(&self) -> Result<(), ToolError> {
        if self.has_facts {
            return Ok(());
        }
        let shown = self.path.display();
        Err(ToolError::new(format!(
            "{shown}: built without the facts that --algorithm pdp needs about all its parts\n  link it with {FACTS_FLAG} and \
             without -r, for example\n    make clean && make CC=inspect-cc CXX=inspect-c++ LDFLAGS={FACTS_FLAG}\n  or give the C files themselves to \
             `inspect check`"
        )))
    }

    /// Refuses a program that does not find uses of uninitialised memory.
    pub fn require_uninitialised(&self) -> Result<(), ToolError> {
        let (shown, flag) = (self.path.display(), hooks::UNINITIALISED_FLAG);
        if !self.uninstrumented_inputs.is_empty() {
            // What these write would be called uninitialised.
            return Err(ToolError::new(format!(
                "{shown}: --uninitialised needs a program that is instrumented as a whole; these parts are not: {}\n  \
                 compile them with `inspect cc`, or check without --uninitialised",
                self.uninstrumented_inputs.join(", ")
            )));
        }
        if self.finds_uninitialised {
            return Ok(());
        }
        Err(ToolError::new(format!(
            "{shown}: --uninitialised needs a program that says which of its memory is initialised\n  link it with `inspect cc \
             {flag}`, for example\n    make CC='inspect-cc {flag}'\n  or give the C files themselves to `inspect check`"
        )))
    }

    /// Makes sure that the program has what a search that compares states needs.
    pub fn require_frames(&self, wanted: LocalStates) -> Result<(), ToolError> {
        let shown = self.path.display();
        if self.joined {
            // Calls of functions of the other links would not show in the records.
            return Err(ToolError::new(format!(
                "{shown}: --algorithm stateful does not know what a program joined from several links (`-r`) holds\n  \
                 link its objects at once, or give the C files themselves to `inspect check`"
            )));
        }
        if self.frames == Some(wanted) {
            return Ok(());
        }
        let (flag, what) = (
            frames_flag(wanted),
            match wanted {
                LocalStates::Exact => "--algorithm stateful needs a program that records what its functions hold",
                LocalStates::Delta => "--local-states delta needs a program that records what changes in its functions",
            },
        );
        Err(ToolError::new(format!(
            "{shown}: {what}\n  link it with `inspect cc {flag}`, for example\n    make CC='inspect-cc {flag}'\n  or give \
             the C files themselves to `inspect check`"
        )))
    }
}

/// The compiler's flag for frame records of this kind.
pub fn frames_flag(local_states: LocalStates) -> &'static str {
    match local_states {
        LocalStates::Exact => FRAMES_FLAG,
        LocalStates::Delta => DELTAS_FLAG,
    }
}

/// Whether a mapped file is one of the system's libraries that the guest knows.
pub fn is_known_library(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    KNOWN_LIBRARIES
        .iter()
        .any(|known| name.strip_prefix(known).is_some_and(|rest| rest.is_empty() || rest.starts_with('.')))
}

/// Which frame records a program writes.
fn frames(file: &object::File) -> Option<LocalStates> {
    let mut kinds = [(FRAME_SECTION, LocalStates::Exact), (DELTA_SECTION, LocalStates::Delta)].into_iter();
    kinds.find(|(section, _)| file.section_by_name(section).is_some()).map(|(_, kind)| kind)
}

/// Functions that set timers which send signals.
const TIMERS: [&str; 4] = ["timer_create", "alarm", "ualarm", "setitimer"];

/// Functions that unmap memory.
const UNMAPPING: [&str; 3] = ["munmap", "mremap", "shmdt"];

/// Whether a program sends signals to its threads, or sets timers that do, and installs handlers, as far as the
/// functions that it uses say.
fn handles_signals(file: &object::File) -> bool {
    let sends = uses(file, &["pthread_kill", "kill", "pthread_sigqueue", "sigqueue"]) || uses(file, &TIMERS);
    sends && uses(file, &["sigaction", "signal", "__sysv_signal"])
}

/// What a file is that is no program.
fn no_program(bytes: &[u8]) -> Option<&'static str> {
    if bytes.starts_with(b"#!") {
        return Some("a script; name the program that it starts");
    }
    (!bytes.starts_with(b"\x7fELF")).then_some("neither a C or C++ file nor a program")
}

/// Whether a program uses one of these functions of a library.
fn uses(file: &object::File, names: &[&str]) -> bool {
    let is_one = |name: &str| names.contains(&name);
    file.dynamic_symbols().any(|symbol| symbol.is_undefined() && symbol.name().is_ok_and(is_one))
}

/// The first version in a version section that is not ours. Code joined from several links has several.
fn other_version(has_sites: bool, section: Option<&[u8]>) -> Option<u32> {
    let Some(bytes) = section else { return has_sites.then_some(0) };
    let (words, _) = bytes.as_chunks::<4>();
    words.iter().map(|word| u32::from_le_bytes(*word)).find(|version| *version != hooks::VERSION)
}

fn strings(bytes: &[u8]) -> Vec<String> {
    let mut names: Vec<String> = bytes
        .split(|byte| *byte == 0)
        .filter(|name| !name.is_empty())
        .map(|name| String::from_utf8_lossy(name).into_owned())
        .collect();
    names.sort();
    names.dedup();
    names
}

fn fingerprint(bytes: &[u8]) -> String {
    let mut text = String::from("sha256:");
    for byte in Sha256::digest(bytes) {
        write!(text, "{byte:02x}").expect("writing to a string succeeds");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_test_program_itself_is_a_program_but_not_an_instrumented_one() {
        let own = std::env::current_exe().expect("has a path");
        let image = Image::read(&own).expect("is readable");
        assert!(!image.instrumented);
        assert!(image.fingerprint.starts_with("sha256:") && image.fingerprint.len() == 71);
        let error = Image::read_program(&own).expect_err("refused").to_string();
        assert!(error.contains("inspect-cc"), "{error}");
    }

    #[test]
    fn other_files_are_named_for_what_they_are() {
        let directory = tempfile::tempdir().expect("a directory");
        let mut header = [0; 64];
        header[..7].copy_from_slice(b"\x7fELF\x02\x01\x01");
        header[16] = 2; // an executable
        header[18] = 183; // EM_AARCH64
        header[20] = 1;
        header[52] = 64;
        for (name, bytes, part) in [
            ("script", &b"#!/bin/sh\n"[..], "a script"),
            ("text", b"hello", "neither"),
            ("empty", b"", "neither"),
            ("broken", b"\x7fELF\x02\x01\x01", "damaged"),
            ("arm", &header, "Aarch64"),
        ] {
            let path = directory.path().join(name);
            std::fs::write(&path, bytes).expect("written");
            let error = Image::read(&path).expect_err("refused").to_string();
            assert!(error.contains(part), "{name}: {error}");
        }
        assert!(Image::read(Path::new("/nonexistent")).expect_err("refused").to_string().contains("No such file"));
    }

    #[test]
    fn system_libraries_are_known_by_name() {
        for (path, known) in [
            ("/lib/x86_64-linux-gnu/libc.so.6", true),
            ("/lib64/ld-linux-x86-64.so.2", true),
            ("linux-vdso.so.1", true),
            ("/usr/lib/libcurl.so.4", false),
            ("/usr/lib/libm.software", false),
        ] {
            assert_eq!(is_known_library(Path::new(path)), known, "{path}");
        }
    }

    #[test]
    fn any_other_version_of_the_hooks_is_noticed() {
        let (own, next) = (hooks::VERSION.to_le_bytes(), (hooks::VERSION + 1).to_le_bytes());
        assert_eq!(other_version(true, Some(&own)), None);
        assert_eq!(other_version(true, Some(&[own, own].concat())), None);
        assert_eq!(other_version(true, Some(&[own, next].concat())), Some(hooks::VERSION + 1));
        assert_eq!(other_version(true, None), Some(0), "hooks without a version");
        assert_eq!(other_version(false, None), None, "no instrumented code at all");
    }

    #[test]
    fn names_are_sorted_and_distinct() {
        assert_eq!(strings(b"b.o\0a.o\0\0b.o\0"), ["a.o", "b.o"]);
    }
}
