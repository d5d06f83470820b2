//! Programs made from the rows: for every argument of which a row says what the function reads or writes through it,
//! one in which another thread accesses the same memory (a data race), the same with a lock (verified), one in which
//! the block was freed, and one in which it is a byte too small.
//!
//! A fifth program is not explored: the memory that the argument points to ends where the row says that the access
//! does, and a page behind it may not be touched. Where the row announces too little, the call faults.
//!
//! The calls have default arguments by their kinds; `samples.txt` has what else is needed to call a function, and the
//! reasons why there are no programs for some.
//!
//! `INSPECT_LONG=1` checks all programs, otherwise a sample; `INSPECT` names the binary.

use super::accesses::accesses;
use super::objects::{handle, handles};
use inspect_wire::library::{
    ALL, ArgumentKind, Arguments, CallEffect, Extent, Guest, LibraryHeader, LibraryRow, headers,
};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What a count of bytes or elements is in the calls.
const COUNT: u64 = 8;
/// Room for whatever a function writes.
const ROOM: usize = 8192;

/// An argument of a function that is accessed, and how.
pub(crate) struct Sample {
    /// The function.
    pub(crate) row: &'static LibraryRow,
    /// The argument.
    pub(crate) argument: u8,
    /// Whether it is written.
    pub(crate) writes: bool,
    /// How many bytes are accessed.
    pub(crate) size: u64,
    call: Call,
}

/// The arguments of a call, and what those that are addresses point to.
#[derive(Clone)]
struct Call {
    expressions: Vec<String>,
    contents: BTreeMap<u8, Contents>,
}

#[derive(Clone)]
struct Contents {
    text: String,
    wide: bool,
}

impl Contents {
    fn bytes(&self) -> Vec<u8> {
        let characters = self.text.chars().chain(['\0']);
        if self.wide {
            characters.flat_map(|character| u32::from(character).to_le_bytes()).collect()
        } else {
            characters.map(|character| character as u8).collect()
        }
    }
}

/// A line of `samples.txt`.
#[derive(Default)]
struct Line {
    expressions: BTreeMap<u8, String>,
    contents: BTreeMap<u8, String>,
    left_out: BTreeMap<u8, String>,
    reason: Option<String>,
}

/// What is made, and of what nothing is made.
#[derive(Default)]
pub(crate) struct Samples {
    /// The arguments with programs.
    pub(crate) samples: Vec<Sample>,
    /// The arguments that are objects of the library; these have no size.
    pub(super) handles: Vec<Sample>,
    /// All functions that can be called, with arguments of which one is anything.
    pub(super) calls: Vec<Sample>,
    /// The functions, or arguments of them, of which no programs are made, with the reason.
    pub(crate) exceptions: Vec<String>,
    /// Accesses that no program can be made of: what is missing.
    pub(crate) missing: Vec<String>,
}

/// All samples, in the order of the rows.
pub(crate) fn all() -> Samples {
    let lines = read_lines(include_str!("samples.txt"));
    let mut made = Samples::default();
    for row in &ALL {
        // The functions of the C++ library have no declarations in C, and measurements of their own.
        if matches!(row.guest, Guest::Unknown | Guest::Refuses) || is_of_cxx(row) {
            continue;
        }
        let none = Line::default();
        let line = lines.get(row.name).unwrap_or(&none);
        let accesses = accesses(row);
        if let (Some(reason), false) = (&line.reason, accesses.is_empty()) {
            made.exceptions.push(format!("{}: {reason}", row.name));
            continue;
        }
        let call = call(row, line);
        if line.reason.is_none() && matches!(row.arguments, Arguments::Fixed(_) | Arguments::Variadic(_)) {
            made.calls.push(Sample { row, argument: 0, writes: false, size: 0, call: call.clone() });
        }
        for argument in handles(row).filter(|argument| line.reason.is_none() && !line.left_out.contains_key(argument)) {
            made.handles.push(Sample { row, argument, writes: false, size: 0, call: call.clone() });
        }
        for (argument, (writes, extents)) in accesses {
            if let Some(reason) = line.left_out.get(&argument) {
                made.exceptions.push(format!("{} {argument}: {reason}", row.name));
                continue;
            }
            match extents.iter().map(|extent| size(*extent, argument, &call)).max().flatten() {
                Some(size) if size > 0 => {
                    made.samples.push(Sample { row, argument, writes, size, call: call.clone() });
                }
                _ => made.missing.push(format!("{} {argument}", row.name)),
            }
        }
    }
    made
}

fn read_lines(text: &str) -> BTreeMap<&str, Line> {
    let mut lines: BTreeMap<&str, Line> = BTreeMap::new();
    for text in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (names, rest) = text.split_once(": ").unwrap_or_else(|| panic!("samples.txt: {text}"));
        for name in names.split(' ') {
            assert!(ALL.iter().any(|row| row.name == name), "samples.txt: {name} has no row");
            let line = lines.entry(name).or_default();
            for part in rest.split("; ") {
                read_part(part, line);
            }
        }
    }
    lines
}

fn read_part(part: &str, line: &mut Line) {
    let number = |text: &str| text.parse::<u8>().unwrap_or_else(|_| panic!("samples.txt: {part}"));
    if let Some(reason) = part.strip_prefix("- ") {
        line.reason = Some(reason.to_owned());
    } else if let Some(rest) = part.strip_prefix('-') {
        let (argument, reason) = rest.split_once(' ').unwrap_or_else(|| panic!("samples.txt: {part}"));
        line.left_out.insert(number(argument), reason.to_owned());
    } else if let Some((argument, text)) = part.split_once(":\"") {
        line.contents.insert(number(argument), text.trim_end_matches('"').to_owned());
    } else {
        let (argument, expression) = part.split_once('=').unwrap_or_else(|| panic!("samples.txt: {part}"));
        line.expressions.insert(number(argument), expression.to_owned());
    }
}

/// A call of the function with the arguments of the line, and default ones where it has none.
fn call(row: &LibraryRow, line: &Line) -> Call {
    let effects = row.effects;
    let mut contents = BTreeMap::new();
    for (argument, (_, extents)) in accesses(row) {
        let given = line.contents.get(&argument).cloned();
        let wide = extents.iter().any(is_wide);
        let is_text = extents.iter().any(is_text);
        if given.is_some() || is_text || effects.iter().any(|effect| matches!(effect, CallEffect::Appends { .. })) {
            contents.insert(argument, Contents { text: given.unwrap_or_else(|| "12".to_owned()), wide });
        }
    }
    let default = |argument: u8, kind: ArgumentKind| match kind {
        ArgumentKind::Integer => integer(row, argument).to_string(),
        ArgumentKind::Floating | ArgumentKind::Memory => "1.5".to_owned(),
        ArgumentKind::Function => "(void *)compare".to_owned(),
        ArgumentKind::Constant | ArgumentKind::Pointer => address(row, argument),
    };
    let kinds = (0u8..).zip(row.arguments.signature().kinds());
    let expressions = kinds
        .map(|(argument, kind)| line.expressions.get(&argument).cloned().unwrap_or_else(|| default(argument, kind)))
        .collect();
    Call { expressions, contents }
}

/// Whether wide characters are accessed.
fn is_wide(extent: &Extent) -> bool {
    use Extent::{Wide, WideInteger, WideNumber, WideOf, WideUpTo};
    matches!(extent, Wide | WideUpTo(_) | WideNumber | WideInteger(_) | WideOf(_))
}

/// Whether a string is accessed that the sample has to provide.
fn is_text(extent: &Extent) -> bool {
    use Extent::{Decimal, Integer, Number, Text, TextUpTo, TextWithin, ToByte, WideOf};
    let is_bytes = matches!(extent, Text | TextUpTo(_) | TextWithin(_) | Number | Decimal | Integer(_) | ToByte(_));
    is_bytes || is_wide(extent) && !matches!(extent, WideOf(_))
}

/// A count where the row says that the argument is one, a descriptor that is none, or 0; for functions that check it,
/// how much room there is.
fn integer(row: &LibraryRow, argument: u8) -> i64 {
    let effects = row.effects;
    let counts = |extent: Extent| match extent {
        Extent::Argument(count)
        | Extent::Int(count)
        | Extent::Pages(count)
        | Extent::Signed(count)
        | Extent::Elements(count, _)
        | Extent::IntElements(count, _)
        | Extent::ToByteOf { limit: count, .. }
        | Extent::Transformed { limit: count, .. }
        | Extent::Character(count)
        | Extent::TextUpTo(count)
        | Extent::WideUpTo(count)
        | Extent::ToByteWithin { limit: Some(count), .. } => count == argument,
        Extent::Product(count, size) => count == argument || size == argument,
        _ => false,
    };
    let is_count = effects.iter().any(|effect| match *effect {
        CallEffect::Reads(_, extent) | CallEffect::Writes(_, extent) => counts(extent),
        CallEffect::Compares { limit, .. } | CallEffect::Appends { limit, .. } => limit == Some(argument),
        CallEffect::Converts { .. } => argument == 2,
        CallEffect::PrintsInto { limit, .. } | CallEffect::PrintsListInto { limit, .. } => limit == Some(argument),
        _ => false,
    });
    let is_descriptor = effects.iter().any(|effect| {
        matches!(*effect, CallEffect::ReadsDescriptor(at) | CallEffect::AsksDescriptor(at)
            | CallEffect::ClosesDescriptor(at) | CallEffect::WritesDescriptor(at) if at == argument)
    });
    match (is_count, is_descriptor) {
        (true, _) => COUNT as i64,
        (_, true) => -1,
        _ if row.name.ends_with("_chk") => ROOM as i64,
        _ => 0,
    }
}

/// What stands for an address: a buffer where something is accessed, a stream, a locale, or nothing.
fn address(row: &LibraryRow, argument: u8) -> String {
    if accesses(row).contains_key(&argument) {
        return format!("(void *)a[{argument}]");
    }
    let effects = row.effects;
    let says = |wanted: &dyn Fn(&CallEffect) -> bool| effects.iter().any(wanted);
    if let Some(handle) = handle(row, argument) {
        handle.to_owned()
    } else if says(
        &|effect| matches!(*effect, CallEffect::Unannounced(at, _) | CallEffect::KeepsBuffer { buffer: at, .. } if at == argument),
    ) {
        "0".to_owned()
    } else {
        format!("(void *)a[{argument}]")
    }
}

/// How many bytes of an argument the call accesses, if that can be said.
fn size(extent: Extent, argument: u8, call: &Call) -> Option<u64> {
    let value = |argument: u8| call.expressions.get(usize::from(argument))?.parse::<u64>().ok();
    let text = |argument: u8| Some(call.contents.get(&argument)?.bytes().len() as u64);
    match extent {
        Extent::Bytes(bytes) => Some(bytes.into()),
        Extent::Argument(count) | Extent::Int(count) | Extent::Signed(count) => value(count),
        Extent::Pages(count) => Some(value(count)?.div_ceil(4096)),
        Extent::Elements(count, size) | Extent::IntElements(count, size) => Some(value(count)? * u64::from(size)),
        Extent::Product(count, size) => Some(value(count)? * value(size)?),
        // Of `AF_INET`.
        Extent::Address(_) => Some(4),
        Extent::Counted(_) => None,
        Extent::Text
        | Extent::Wide
        | Extent::Number
        | Extent::WideNumber
        | Extent::Decimal
        | Extent::Integer(_)
        | Extent::WideInteger(_)
        | Extent::ToByte(_) => text(argument),
        Extent::TextWithin(limit) => Some(text(argument)?.min(limit.into())),
        Extent::ToByteOf { limit, .. } => value(limit),
        Extent::Transformed { of, limit, wide, .. } => Some(text(of)?.min(value(limit)? * if wide { 4 } else { 1 })),
        // Those in the samples have one byte.
        Extent::Character(_) | Extent::CharacterOf(_) => Some(1),
        Extent::TextUpTo(limit) => Some(text(argument)?.min(value(limit)?)),
        Extent::WideUpTo(limit) => Some(text(argument)?.min(4 * value(limit)?)),
        // Behind a string of the argument's own, if it has one.
        Extent::TextOf(other) => Some(text(other)? + text(argument).map_or(0, |len| len - 1)),
        Extent::WideOf(other) => Some(text(other)? + text(argument).map_or(0, |len| len - 4)),
        Extent::ToByteWithin { limit: Some(limit), .. } => value(limit),
        Extent::ToByteWithin { limit: None, .. } => Some(1),
    }
}

/// One program for these samples: its arguments are the number of a sample, and which kind of program is meant (`race`,
/// `lock`, `freed`, `small`).
pub(crate) fn source(samples: &[&Sample]) -> String {
    let included: BTreeSet<&str> = samples.iter().filter_map(|sample| header_of(sample.row)).collect();
    let mut text = String::from("#define _GNU_SOURCE\n");
    for header in included {
        let _ = writeln!(text, "#include <{header}>");
    }
    let _ = write!(text, "#define ROOM {ROOM}\n{}", include_str!("samples.c"));
    for (number, sample) in samples.iter().enumerate() {
        let (row, arguments) = (sample.row, sample.call.expressions.join(", "));
        let mut name = row.name.to_owned();
        // Headers declare these in some modes only, and the compiler knows some of them by another type; `setjmp` is a
        // macro that calls another function.
        if ["__", "_Z", "_Unwind", "setjmp", "reach_error"].iter().any(|begin| name.starts_with(begin)) {
            let kinds = prototype(row.arguments.signature().0);
            name = format!("function_{number}");
            let _ = writeln!(text, "extern long {name}({kinds}) __asm__(\"{}\");", row.name);
        }
        let _ = writeln!(text, "static void call_{number}(void) {{ (void){name}({arguments}); }}");
    }
    let _ = writeln!(text, "static const struct sample samples[] = {{");
    for (number, sample) in samples.iter().enumerate() {
        let Sample { row, argument, writes, size, call } = sample;
        let writes = u8::from(*writes);
        let close = handle(row, *argument).map_or("0".to_owned(), |handle| format!("close_{handle}"));
        let _ = write!(text, "    {{ call_{number}, {argument}, {size}, {writes}, {close}, {{");
        for (at, contents) in &call.contents {
            let bytes: String = contents.bytes().iter().map(|byte| format!("\\{byte:03o}")).collect();
            let _ = write!(text, " [{at}] = {{ \"{bytes}\", {} }},", contents.bytes().len());
        }
        let _ = writeln!(text, " }} }}, // {}", sample.row.name);
    }
    text.push_str("};\n");
    text.push_str(include_str!("samples_main.c"));
    text
}

fn prototype(kinds: &str) -> String {
    let parameters = kinds.chars().map(|kind| match kind {
        'i' => "long",
        'd' => "double",
        'm' => "long double",
        _ => "const void *",
    });
    let parameters: Vec<&str> = parameters.collect();
    if parameters.is_empty() { "void".to_owned() } else { parameters.join(", ") }
}

/// Whether the row is of the C++ library.
pub(super) fn is_of_cxx(row: &LibraryRow) -> bool {
    headers().any(|header| header.name.starts_with("C++") && header.rows.iter().any(|other| other.name == row.name))
}

/// The header that declares the function.
fn header_of(row: &LibraryRow) -> Option<&'static str> {
    let declares = |header: &&LibraryHeader| header.is_file() && header.rows.iter().any(|other| other.name == row.name);
    headers().find(declares).map(|header| header.name)
}

/// What must be said of a program.
#[derive(Clone, Copy)]
pub(super) enum Answer {
    /// It has a finding of this kind.
    Finding(&'static str),
    /// It is verified.
    Verified,
    /// It has no finding of this kind.
    Without(&'static str),
}

/// A kind of programs for a sample, and what must be said of them.
pub(super) type Kind = (&'static str, Answer);

const KINDS: [Kind; 4] = [
    ("race", Answer::Finding("data-race")),
    ("lock", Answer::Verified),
    ("freed", Answer::Finding("heap-use-after-free")),
    ("small", Answer::Finding("heap-overflow")),
];

/// Every so many samples are checked unless all are.
const EVERY: usize = 41;
/// Samples in one program.
pub(super) const TOGETHER: usize = 150;

fn inspect() -> PathBuf {
    let built = crate::guest::root().join("target/release/inspect");
    std::env::var_os("INSPECT").map_or(built, Into::into)
}

/// Builds the programs for these samples, with the compiler in the arguments.
pub(super) fn build(samples: &[&Sample], folder: &Path, mut compiler: Command) -> Result<PathBuf, String> {
    let (file, program) = (folder.join("samples.c"), folder.join("samples"));
    std::fs::write(&file, source(samples)).expect("written");
    let built = compiler.args(["-w", "-O1", "-g"]).arg(&file).arg("-o").arg(&program).arg("-lm").output();
    let built = built.expect("the compiler runs");
    if built.status.success() { Ok(program) } else { Err(String::from_utf8_lossy(&built.stderr).into_owned()) }
}

/// Builds the programs of these kinds for these samples and returns what is wrong with their answers.
pub(super) fn check(samples: &[&Sample], kinds: &[Kind], folder: &Path) -> Vec<String> {
    let mut compiler = Command::new(inspect());
    compiler.arg("cc");
    let program = match build(samples, folder, compiler) {
        Ok(program) => program,
        Err(message) => return vec![message],
    };
    let mut wrong = Vec::new();
    for (number, sample) in samples.iter().enumerate() {
        for &(kind, expected) in kinds {
            // A block cannot be smaller than nothing.
            if kind == "small" && sample.size < 2 {
                continue;
            }
            if let Some(answer) = differs(&program, folder, number, kind, expected) {
                let line = format!("{} {} {kind}: {answer}", sample.row.name, sample.argument);
                println!("{line}");
                wrong.push(line);
            }
        }
    }
    wrong
}

/// The answer for one program, if it is not the expected one.
fn differs(program: &Path, folder: &Path, number: usize, kind: &str, expected: Answer) -> Option<String> {
    let mut command = Command::new(inspect());
    command.args(["check", "--json", "--quiet", "--time-limit", "20s", "--out"]).arg(folder.join("out")).arg(program);
    let output = command.args(["--", &number.to_string(), kind]).current_dir(folder).output().expect("it runs");
    let report: serde_json::Value = match serde_json::from_slice(&output.stdout) {
        Ok(report) => report,
        Err(_) => return Some(String::from_utf8_lossy(&output.stderr).into_owned()),
    };
    let findings = report["findings"].as_array().into_iter().flatten().filter(|finding| finding["severity"] == "error");
    let kinds: Vec<&str> = findings.filter_map(|finding| finding["kind"].as_str()).collect();
    let verdict = report["verdict"].as_str().unwrap_or_default();
    let fine = match expected {
        Answer::Finding(finding) => verdict == "violated" && kinds.contains(&finding),
        Answer::Verified => verdict == "verified",
        Answer::Without(finding) => !verdict.is_empty() && !kinds.contains(&finding),
    };
    (!fine).then(|| format!("{verdict} {kinds:?} {}", report["reason"]))
}

#[test]
fn there_are_programs_for_all_accesses() {
    let made = all();
    assert!(made.missing.is_empty(), "{:#?}", made.missing);
}

#[test]
fn accesses_of_library_functions_are_seen() {
    let made = all();
    let long = std::env::var_os("INSPECT_LONG").is_some();
    let only = std::env::var("INSPECT_SAMPLES").ok();
    let chosen: Vec<&Sample> = match &only {
        Some(names) => {
            made.samples.iter().filter(|sample| names.split(' ').any(|name| name == sample.row.name)).collect()
        }
        None if long => made.samples.iter().collect(),
        None => made.samples.iter().step_by(EVERY).collect(),
    };
    let functions: BTreeSet<&str> = made.samples.iter().map(|sample| sample.row.name).collect();
    println!(
        "{} rows, {} functions with {} arguments, {} exceptions; {} arguments checked",
        ALL.len(),
        functions.len(),
        made.samples.len(),
        made.exceptions.len(),
        chosen.len()
    );
    let folder = tempfile::tempdir().expect("a directory");
    let wrong: Vec<String> =
        chosen.chunks(TOGETHER).flat_map(|samples| check(samples, &KINDS, folder.path())).collect();
    assert!(wrong.is_empty(), "{} of {} x 4: {wrong:#?}", wrong.len(), chosen.len());
}
