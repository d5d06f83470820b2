//! Compares the unwind rows that the guest finds in memory with those that LLVM finds in the files.

use super::{Error, run};
use std::path::Path;
use std::process::Command;

/// The registers that a row of the guest's can name.
const PRESERVED: [&str; 6] = ["RBX", "RBP", "R12", "R13", "R14", "R15"];

/// A row of a function: how to leave it, for the code from `start` to `end`.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Row {
    start: u64,
    end: u64,
    function: u64,
    words: String,
}

/// Compares what the guest sent of an object, whose path (empty for the program) comes first. Returns how many rows
/// there are.
pub(super) fn compare(sent: &str, program: &Path) -> Result<usize, Error> {
    let (path, lines) = sent.split_once('\n').ok_or("the guest names no object")?;
    let file = if path.is_empty() { program } else { Path::new(path) };
    if !file.exists() {
        // The kernel's library is no file.
        return Ok(0);
    }
    let text = run(Command::new("llvm-dwarfdump-22").arg("--eh-frame").arg(file))?;
    let (_, text) = text.split_once(".eh_frame contents:").ok_or("no unwind tables")?;
    let expected = rows(text)?;
    let expected: Vec<String> =
        expected.iter().map(|row| format!("{:x} {:x} {:x} {}", row.start, row.end, row.function, row.words)).collect();
    let found: Vec<&str> = lines.lines().collect();
    let different = expected.iter().zip(&found).find(|(expected, found)| expected != found);
    if let Some((expected, found)) = different {
        return Err(format!("{}: the row {found} instead of {expected}", file.display()).into());
    }
    if expected.len() != found.len() {
        return Err(format!("{}: {} rows instead of {}", file.display(), found.len(), expected.len()).into());
    }
    Ok(found.len())
}

/// The rows that the guest is to understand, in the order of their addresses, from LLVM's text. Equal neighbours are
/// one.
fn rows(text: &str) -> Result<Vec<Row>, Error> {
    let number = |digits: &str| u64::from_str_radix(digits.trim_start_matches("0x"), 16);
    let mut rows: Vec<Row> = Vec::new();
    let (mut function, mut end) = (0, 0);
    for block in text.split("\n\n") {
        if let Some((_, range)) = block.lines().next().and_then(|line| line.split_once(" pc=")) {
            let (first, last) = range.split_once("...").ok_or("a function without an end")?;
            (function, end) = (number(first)?, number(last)?);
        }
        // Backwards, as a row ends where the next one of its function begins.
        for line in block.lines().rev() {
            let Some((start, rule)) = line.trim_start().split_once(": CFA=") else { continue };
            let start = number(start)?;
            rows.extend(words(rule).filter(|_| start < end).map(|words| Row { start, end, function, words }));
            end = start;
        }
    }
    rows.sort_by_key(|row| row.start);
    rows.dedup_by(|next, row| {
        let is_same = next.start == row.end && next.function == row.function && next.words == row.words;
        row.end = if is_same { next.end } else { row.end };
        is_same
    });
    Ok(rows)
}

/// A row of LLVM's as the guest writes it; `None` if the guest is not to understand it.
fn words(rule: &str) -> Option<String> {
    let (base, saved) = rule.split_once(": ")?;
    let offset = |place: &str, register: &str| match place.strip_prefix(register)? {
        "" => Some(0),
        digits => digits.parse::<i64>().ok(),
    };
    let is_base = |register: &&&str| offset(base, register).is_some();
    let register = PRESERVED.iter().chain(&["RSP"]).find(is_base)?;
    let mut words = format!("{register}{:+}", offset(base, register)?);
    let places: Vec<(&str, &str)> = saved.split(", ").filter_map(|place| place.split_once('=')).collect();
    let place_of = |register: &str| places.iter().find(|(name, _)| *name == register).map(|(_, place)| *place);
    if place_of("RIP") != Some("[CFA-8]") {
        return None;
    }
    for register in PRESERVED {
        if let Some(place) = place_of(register).filter(|place| *place != "same") {
            words += &format!(" {register}{:+}", offset(place.strip_prefix('[')?.strip_suffix(']')?, "CFA")?);
        }
    }
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_end_where_the_next_begins_or_with_their_function() {
        let text = "\
00000000 00000014 00000000 CIE
  CFA=RSP+8: RIP=[CFA-8]

00000018 00000024 0000001c FDE cie=00000000 pc=00001000...00001020
  DW_CFA_def_cfa_offset: +16

  0x1000: CFA=RSP+8: RIP=[CFA-8]
  0x1001: CFA=RSP+16: RBP=[CFA-16], RIP=[CFA-8]
  0x1004: CFA=RBP+16: RAX=[CFA-24], RBP=[CFA-16], RIP=[CFA-8]
  0x1004: CFA=RBP+16: RBP=[CFA-16], RIP=[CFA-8]
  0x1008: CFA=RBP+16: RBP=[CFA-16], RIP=[CFA-8]
  0x100c: CFA=DW_OP_breg7 RSP+8: RIP=[CFA-8]
  0x1010: CFA=RSP+8: RIP=undefined

00000040 00000024 00000044 FDE cie=00000000 pc=00001020...00001030
  0x1020: CFA=RSP: RBX=same, R12=[CFA], RIP=[CFA-8]
";
        let row = |start, end, function, words: &str| Row { start, end, function, words: words.into() };
        let expected = [
            row(0x1000, 0x1001, 0x1000, "RSP+8"),
            row(0x1001, 0x1004, 0x1000, "RSP+16 RBP-16"),
            // Two rows of LLVM's.
            row(0x1004, 0x100c, 0x1000, "RBP+16 RBP-16"),
            // An expression is not understood, and nobody has called the outermost function.
            row(0x1020, 0x1030, 0x1020, "RSP+0 R12+0"),
        ];
        assert_eq!(rows(text).expect("text of LLVM's"), expected);
    }
}
