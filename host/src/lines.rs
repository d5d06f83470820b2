//! Which source lines of a program the guest sees: those with an instrumented access, and those with a call of a
//! library's function. The rest has no access that a second thread could reach, or no code.

use crate::suspects::SourceLine;
use addr2line::Loader;
use iced_x86::{Decoder, DecoderOptions, FlowControl, Instruction, OpKind};
use inspect_wire::hooks::{SITE_SECTION, Site};
use object::{Object, ObjectSection, ObjectSymbol, Relocation, RelocationTarget, SectionKind};
use std::collections::{BTreeMap, BTreeSet};
use std::mem::offset_of;
use std::path::{Component, Path, PathBuf};

/// How hooks are called.
const HOOK: &str = "__inspect_";

/// The lines, by source file as debug information names it.
#[derive(Debug, Default)]
pub struct InstrumentedLines {
    files: BTreeMap<String, BTreeSet<u32>>,
    /// Lines with a call of a library's function that is a jump, as the last thing of its function: the guest sees it
    /// at the call of that function. Nothing can be said of such a line.
    jumps: BTreeSet<ProgramLine>,
}

/// A place of the program: a source file as debug information names it, and a line.
pub type ProgramLine = (String, u32);

/// Why a place that somebody names is none of the program's.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NotFound {
    /// Nothing of the stack has a source line of the program.
    NoSource(Option<SourceLine>),
    /// The line has no access and no call: the file, the line, and the nearest lines that have.
    NotInstrumented(String, u32, Vec<u32>),
    /// A library is called there by a jump: the file and the line.
    Jump(String, u32),
    /// Several files of the program may be meant.
    Ambiguous(SourceLine, Vec<String>),
}

impl std::fmt::Display for NotFound {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            NotFound::NoSource(None) => write!(out, "no source line is known of it"),
            NotFound::NoSource(Some(at)) => {
                write!(out, "{}:{}: the program has no such source file", printable(&at.file), at.line)
            }
            NotFound::NotInstrumented(file, line, nearest) => {
                let file = shown(file);
                write!(out, "{file}:{line}: the program has no access there that threads could share")?;
                let nearest: Vec<String> = nearest.iter().map(u32::to_string).collect();
                match nearest.as_slice() {
                    [] => write!(out, ", nor anywhere else in this file"),
                    nearest => {
                        write!(out, "; the nearest lines that have one, or call a library: {}", nearest.join(", "))
                    }
                }
            }
            NotFound::Jump(file, line) => {
                let file = shown(file);
                write!(
                    out,
                    "{file}:{line}: a library is called there as the last thing of a function, and seen as called by that \
                     function's caller; compile with -fno-optimize-sibling-calls"
                )
            }
            NotFound::Ambiguous(at, files) => {
                write!(
                    out,
                    "{}:{}: {} are meant; name one of them",
                    printable(&at.file),
                    at.line,
                    files.iter().map(|file| shown(file)).collect::<Vec<_>>().join(" or ")
                )
            }
        }
    }
}

/// A file of the program as reports show it: relative to the current directory if it lies below it.
pub fn shown(file: &str) -> String {
    let current = std::env::current_dir().unwrap_or_default();
    Path::new(file).strip_prefix(&current).unwrap_or(Path::new(file)).display().to_string()
}

/// Text of another program without control characters.
fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '?' } else { c }).collect()
}

impl InstrumentedLines {
    /// Adds those of an instrumented program or library. What cannot be read adds nothing.
    pub fn add(&mut self, path: &Path) {
        let Ok(bytes) = std::fs::read(path) else { return };
        let Ok(file) = object::File::parse(&*bytes) else { return };
        for (source, line) in sites(&file) {
            self.insert(&source, line);
        }
        let Ok(loader) = Loader::new(path) else { return };
        for (call, is_jump) in calls(&file) {
            // The innermost function, if others were inlined.
            let frame = loader.find_frames(call).ok().and_then(|mut frames| frames.next().ok().flatten());
            if let Some((Some(source), Some(line))) =
                frame.and_then(|frame| frame.location).map(|at| (at.file, at.line))
            {
                self.insert(source, line);
                self.jumps.extend(is_jump.then(|| (normal(source), line)));
            }
        }
        // The other source files, so that their names are known.
        for section in file.sections().filter(|section| section.kind() == SectionKind::Text) {
            let (start, end) = (section.address(), section.address() + section.size());
            let ranges = loader.find_location_range(start, end).ok();
            for source in ranges.into_iter().flatten().filter_map(|(_, _, location)| location.file) {
                self.files.entry(normal(source)).or_default();
            }
        }
    }

    fn insert(&mut self, source: &str, line: u32) {
        if line > 0 && !source.is_empty() {
            self.files.entry(normal(source)).or_default().insert(line);
        }
    }

    /// The place that is meant by one that the user names: the whole path has to agree with the file's, as far as it
    /// goes.
    pub fn named(&self, at: &SourceLine) -> Result<ProgramLine, NotFound> {
        let whole = |file: &str| {
            let common = common_end(file, &at.file);
            common == components(&at.file).len() || common == components(file).len()
        };
        let absolute = std::path::absolute(&at.file).unwrap_or_default();
        let exact = self.files.keys().find(|file| Path::new(file) == normal_path(&absolute));
        let files: Vec<&String> = match exact {
            Some(file) => vec![file],
            None => self.files.keys().filter(|file| whole(file)).collect(),
        };
        self.line(at, &files)
    }

    /// The place that is meant by the stack of a report, which may come from another machine: of the first frame whose
    /// file is one of the program's. The files have the same name, and as many folders in common as any.
    pub fn reported(&self, stack: &[SourceLine]) -> Result<ProgramLine, NotFound> {
        for at in stack {
            let most = self.files.keys().map(|file| common_end(file, &at.file)).max().unwrap_or(0);
            let files: Vec<&String> = self.files.keys().filter(|file| common_end(file, &at.file) == most).collect();
            // A file that is there and is none of the program's is another one of that name.
            let is_other = Path::new(&at.file).is_absolute()
                && Path::new(&at.file).exists()
                && !self.files.contains_key(&normal(&at.file));
            if most > 0 && !is_other {
                return self.line(at, &files);
            }
        }
        Err(NotFound::NoSource(stack.first().cloned()))
    }

    /// The line in the one file that is meant.
    fn line(&self, at: &SourceLine, files: &[&String]) -> Result<ProgramLine, NotFound> {
        let [file] = files else {
            return Err(match files {
                [] => NotFound::NoSource(Some(at.clone())),
                _ => NotFound::Ambiguous(at.clone(), files.iter().map(|file| (*file).clone()).collect()),
            });
        };
        let lines = &self.files[*file];
        if self.jumps.contains(&((*file).clone(), at.line)) {
            return Err(NotFound::Jump((*file).clone(), at.line));
        }
        if lines.contains(&at.line) {
            return Ok(((*file).clone(), at.line));
        }
        Err(NotFound::NotInstrumented((*file).clone(), at.line, nearest(lines, at.line)))
    }
}

/// The two lines before a line, and the two after it.
fn nearest(lines: &BTreeSet<u32>, line: u32) -> Vec<u32> {
    let mut nearest: Vec<u32> = lines.range(..line).rev().take(2).chain(lines.range(line..).take(2)).copied().collect();
    nearest.sort_unstable();
    nearest
}

/// A path without `.` and `..`.
fn normal_path(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir if normal.file_name().is_some() => {
                normal.pop();
            }
            Component::ParentDir | Component::Normal(_) | Component::RootDir | Component::Prefix(_) => {
                normal.push(component);
            }
        }
    }
    normal
}

/// The same as text: what files are compared by.
pub fn normal(path: &str) -> String {
    normal_path(Path::new(path)).display().to_string()
}

fn components(path: &str) -> Vec<String> {
    let named = |component: Component<'_>| match component {
        Component::Normal(name) => Some(name.to_string_lossy().into_owned()),
        Component::CurDir | Component::ParentDir | Component::RootDir | Component::Prefix(_) => None,
    };
    normal_path(Path::new(path)).components().filter_map(named).collect()
}

/// How many names at the end of two paths are the same.
fn common_end(one: &str, other: &str) -> usize {
    let (one, other) = (components(one), components(other));
    one.iter().rev().zip(other.iter().rev()).take_while(|(a, b)| a == b).count()
}

/// The source lines of the static records in a file.
fn sites(file: &object::File<'_>) -> Vec<(String, u32)> {
    let Some(section) = file.section_by_name(SITE_SECTION) else { return Vec::new() };
    let (Ok(data), start) = (section.data(), section.address()) else { return Vec::new() };
    let moved: BTreeMap<u64, u64> = relocations(file)
        .filter(|(_, relocation)| relocation.target() == RelocationTarget::Absolute)
        .map(|(at, relocation)| (at, relocation.addend() as u64))
        .collect();
    let record = |(number, bytes): (usize, &[u8])| {
        let at = start + (number * size_of::<Site>() + offset_of!(Site, file)) as u64;
        let stored = u64::from_le_bytes(bytes.get(offset_of!(Site, file)..)?.first_chunk().copied()?);
        let line = u32::from_le_bytes(bytes.get(offset_of!(Site, line)..)?.first_chunk().copied()?);
        Some((text_at(file, moved.get(&at).copied().unwrap_or(stored))?, line))
    };
    data.chunks_exact(size_of::<Site>()).enumerate().filter_map(record).collect()
}

fn relocations<'f>(file: &'f object::File<'_>) -> impl Iterator<Item = (u64, Relocation)> + use<'f> {
    file.dynamic_relocations().into_iter().flatten()
}

/// The text at an address, which ends with a zero.
fn text_at(file: &object::File<'_>, address: u64) -> Option<String> {
    let section = file.sections().find(|section| {
        section.address() != 0 && (section.address()..section.address() + section.size()).contains(&address)
    })?;
    let bytes = section.data().ok()?.get((address - section.address()) as usize..)?;
    let end = bytes.iter().position(|byte| *byte == 0)?;
    Some(String::from_utf8_lossy(&bytes[..end]).into_owned())
}

/// An address inside of each call that may lead to a library's function, and whether it is a jump. Calls of hooks are
/// none.
fn calls(file: &object::File<'_>) -> Vec<(u64, bool)> {
    let names = imports(file);
    let is_stub = |section: &object::Section<'_, '_>| section.name().is_ok_and(|name| name.starts_with(".plt"));
    let stubs: Vec<_> = file.sections().filter(is_stub).collect();
    let is_hook = |slot: Option<u64>| slot.and_then(|slot| names.get(&slot)).is_some_and(|name| name.starts_with(HOOK));
    let leads_out = |call: &Instruction| match call.flow_control() {
        FlowControl::Call | FlowControl::UnconditionalBranch if call.op0_kind() == OpKind::NearBranch64 => {
            let target = call.near_branch_target();
            let stub = stubs.iter().find(|stub| (stub.address()..stub.address() + stub.size()).contains(&target));
            stub.is_some_and(|stub| !is_hook(stub_slot(stub, target)))
        }
        FlowControl::IndirectCall => !is_hook(call.is_ip_rel_memory_operand().then(|| call.ip_rel_memory_address())),
        // A jump by a table stays in its function.
        FlowControl::IndirectBranch => {
            call.is_ip_rel_memory_operand() && names.contains_key(&call.ip_rel_memory_address())
        }
        FlowControl::Call
        | FlowControl::UnconditionalBranch
        | FlowControl::Next
        | FlowControl::ConditionalBranch
        | FlowControl::Return
        | FlowControl::Interrupt
        | FlowControl::XbeginXabortXend
        | FlowControl::Exception => false,
    };
    let is_jump = |call: &Instruction| {
        matches!(call.flow_control(), FlowControl::UnconditionalBranch | FlowControl::IndirectBranch)
    };
    let mut all = Vec::new();
    for section in file.sections().filter(|section| section.kind() == SectionKind::Text && !is_stub(section)) {
        let Ok(code) = section.data() else { continue };
        let decoder = Decoder::with_ip(64, code, section.address(), DecoderOptions::NONE);
        all.extend(decoder.into_iter().filter(leads_out).map(|call| (call.next_ip() - 1, is_jump(&call))));
    }
    all
}

/// The names of imported functions, by the word that holds the address of each.
fn imports(file: &object::File<'_>) -> BTreeMap<u64, String> {
    let name = |relocation: &Relocation| {
        let RelocationTarget::Symbol(index) = relocation.target() else { return None };
        let symbols = file.dynamic_symbol_table()?;
        let symbol = object::ObjectSymbolTable::symbol_by_index(&symbols, index).ok()?;
        Some(symbol.name().ok()?.to_owned())
    };
    relocations(file).filter_map(|(at, relocation)| Some((at, name(&relocation)?))).collect()
}

/// The word from which a stub of the linker takes its target.
fn stub_slot(stubs: &object::Section<'_, '_>, target: u64) -> Option<u64> {
    /// The instructions of a stub.
    const MOST: usize = 3;
    let code = stubs.data().ok()?.get((target - stubs.address()) as usize..)?;
    let instructions = Decoder::with_ip(64, code, target, DecoderOptions::NONE).into_iter().take(MOST);
    let mut jumps = instructions.filter(|instruction| instruction.flow_control() == FlowControl::IndirectBranch);
    let jump = jumps.next()?;
    jump.is_ip_rel_memory_operand().then(|| jump.ip_rel_memory_address())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines() -> InstrumentedLines {
        let mut lines = InstrumentedLines::default();
        for (file, line) in
            [("/home/me/p/src/a.c", 3), ("/home/me/p/src/a.c", 9), ("/home/me/p/lib/a.c", 3), ("/home/me/p/b.c", 5)]
        {
            lines.insert(file, line);
        }
        lines
    }

    fn at(file: &str, line: u32) -> SourceLine {
        SourceLine { file: file.into(), line }
    }

    #[test]
    fn a_place_that_the_user_names_is_found_by_the_end_of_its_path() {
        let lines = lines();
        for (file, line, expected) in [
            ("src/a.c", 3, "/home/me/p/src/a.c"),
            ("./lib/../src/a.c", 9, "/home/me/p/src/a.c"),
            ("b.c", 5, "/home/me/p/b.c"),
            ("/home/me/p/b.c", 5, "/home/me/p/b.c"),
        ] {
            assert_eq!(lines.named(&at(file, line)), Ok((expected.to_owned(), line)), "{file}");
        }
        assert!(matches!(lines.named(&at("a.c", 3)), Err(NotFound::Ambiguous(_, files)) if files.len() == 2));
        assert!(matches!(lines.named(&at("other/b.c", 5)), Err(NotFound::NoSource(_))));
        let near = NotFound::NotInstrumented("/home/me/p/src/a.c".into(), 5, vec![3, 9]);
        assert_eq!(lines.named(&at("src/a.c", 5)), Err(near));
    }

    #[test]
    fn a_place_of_a_report_may_be_from_another_machine() {
        let lines = lines();
        let reported = |stack: &[SourceLine]| lines.reported(stack);
        assert_eq!(reported(&[at("/ci/build/src/a.c", 3)]), Ok(("/home/me/p/src/a.c".into(), 3)));
        // What is in no file of the program was called by what follows.
        assert_eq!(reported(&[at("/ci/tsan/mutex.cpp", 3), at("/ci/build/b.c", 5)]), Ok(("/home/me/p/b.c".into(), 5)));
        // A line of the program without an access is not what called it.
        assert!(matches!(reported(&[at("b.c", 6), at("b.c", 5)]), Err(NotFound::NotInstrumented(_, 6, _))));
        assert!(matches!(reported(&[at("a.c", 3)]), Err(NotFound::Ambiguous(..))));
        assert!(matches!(reported(&[]), Err(NotFound::NoSource(None))));
    }

    #[test]
    fn a_file_without_a_program_has_no_lines() {
        let mut lines = InstrumentedLines::default();
        lines.add(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml").as_path());
        lines.add(Path::new("/nonexistent"));
        assert!(lines.files.is_empty());
    }
}
