//! What formatted output reads and formatted input writes, from the format and the arguments.

use super::arguments::VaList;
use super::extent::length;
use super::stored;
use crate::engine::{spoil_loops, uncomparable_during, unmodelled};
use crate::hooks::{argument_read, argument_write};
use inspect_core::event::SiteId;

/// The size of a `long`.
const LONG: u64 = 8;

/// The bytes of a format.
struct Text(u64);

impl Text {
    fn peek(&self) -> u8 {
        // SAFETY: inside the format, which ends with a NUL; `next` and `take` do not go past it.
        unsafe { *(self.0 as *const u8) }
    }

    fn next(&mut self) -> u8 {
        let byte = self.peek();
        self.0 += u64::from(byte != 0);
        byte
    }

    fn take(&mut self, wanted: impl Fn(u8) -> bool) -> bool {
        let here = self.peek() != 0 && wanted(self.peek());
        self.0 += u64::from(here);
        here
    }

    fn number(&mut self) -> Option<u64> {
        let mut number = None;
        while self.peek().is_ascii_digit() {
            number = Some(number.unwrap_or(0u64).saturating_mul(10) + u64::from(self.next() - b'0'));
        }
        number
    }

    /// Length modifiers: the size of an integer, whether a `long double` is meant, whether wide characters are.
    fn size(&mut self) -> (u64, bool) {
        const INT: u64 = 4;
        match self.peek() {
            b'h' => {
                self.next();
                (if self.take(|byte| byte == b'h') { 1 } else { 2 }, false)
            }
            b'l' => {
                self.next();
                self.take(|byte| byte == b'l');
                (LONG, false)
            }
            b'q' | b'j' | b'z' | b't' => {
                self.next();
                (LONG, false)
            }
            b'L' => {
                self.next();
                (LONG, true)
            }
            _ => (INT, false),
        }
    }
}

/// Announces what `printf` reads: the format, and the strings among the arguments.
pub(super) fn print(format: u64, arguments: VaList, site: SiteId) {
    uncomparable_during(|| print_all(format, arguments, site));
}

fn print_all(format: u64, mut arguments: VaList, site: SiteId) {
    argument_read(format, length::<u8>(format, u64::MAX - format) + 1, site);
    let mut text = Text(format);
    loop {
        match text.next() {
            0 => return,
            b'%' => {}
            _ => continue,
        }
        while text.take(|byte| b"-+ #0'I".contains(&byte)) {}
        if text.take(|byte| byte == b'*') {
            arguments.integer();
        } else if text.number().is_some() && text.peek() == b'$' {
            unmodelled("printf with numbered arguments", site);
        }
        let precision = precision(&mut text, &mut arguments);
        let (size, long_double) = text.size();
        match text.next() {
            0 => return,
            b'%' | b'm' => {}
            b's' if size == 4 => read_string(arguments.integer(), precision, site),
            b's' | b'S' => read_wide_string(arguments.integer(), precision, site),
            b'n' => {
                // Memory that a waiting loop reads may have no hooks.
                spoil_loops();
                argument_write(arguments.integer(), size, site);
            }
            b'e' | b'f' | b'g' | b'a' | b'E' | b'F' | b'G' | b'A' => {
                if long_double {
                    arguments.skip_long_double();
                } else {
                    arguments.skip_double();
                }
            }
            _ => {
                arguments.integer();
            }
        }
    }
}

/// Reads the precision of a conversion; `None` if it has none, or a negative one, which counts as none.
fn precision(text: &mut Text, arguments: &mut VaList) -> Option<u64> {
    if !text.take(|byte| byte == b'.') {
        return None;
    }
    if text.take(|byte| byte == b'*') {
        u64::try_from(arguments.integer() as i32).ok()
    } else {
        Some(text.number().unwrap_or(0))
    }
}

/// Announces what `%s` reads of a string: no more than the precision says.
fn read_string(string: u64, precision: Option<u64>, site: SiteId) {
    let limit = precision.unwrap_or(u64::MAX - string);
    if string != 0 {
        argument_read(string, (length::<u8>(string, limit) + 1).min(limit), site);
    }
}

/// The same of a string of wide characters: the precision counts the bytes that they become, one at least for each.
fn read_wide_string(string: u64, precision: Option<u64>, site: SiteId) {
    let limit = precision.unwrap_or(u64::MAX);
    if string != 0 {
        argument_read(string, 4 * (length::<u32>(string, limit) + 1).min(limit), site);
    }
}

/// Announces that a format is read.
pub(super) fn read_format(format: u64, site: SiteId) {
    argument_read(format, length::<u8>(format, u64::MAX - format) + 1, site);
}

/// Announces what `scanf` has written, after it said how many arguments it has assigned.
pub(super) fn scan(format: u64, arguments: VaList, assigned: i64, site: SiteId) {
    uncomparable_during(|| scan_all(format, arguments, assigned, site));
}

/// What a conversion of `scanf` writes.
enum Scanned {
    Bytes(u64),
    /// A string.
    Text,
    /// A string of wide characters.
    Wide,
}

fn scan_all(format: u64, mut arguments: VaList, mut assigned: i64, site: SiteId) {
    let mut text = Text(format);
    loop {
        match text.next() {
            0 => return,
            b'%' => {}
            _ => continue,
        }
        let is_assigned = !text.take(|byte| byte == b'*');
        let width = text.number();
        if text.peek() == b'$' {
            unmodelled("scanf with numbered arguments", site);
        }
        let allocated = text.take(|byte| byte == b'm');
        let (size, long_double) = text.size();
        let conversion = text.next();
        match conversion {
            0 => return,
            b'%' => continue,
            b'[' => skip_set(&mut text),
            _ => {}
        }
        let written = scanned(conversion, width, size, long_double);
        if !is_assigned {
            continue;
        }
        // What counts the characters so far is not counted itself; where it comes after the last one that was
        // assigned, it may not have been reached.
        if conversion != b'n' {
            assigned -= 1;
        }
        if assigned < 0 {
            return;
        }
        write_scanned(arguments.integer(), if allocated { Scanned::Bytes(8) } else { written }, site);
    }
}

fn scanned(conversion: u8, width: Option<u64>, size: u64, long_double: bool) -> Scanned {
    match conversion {
        b'S' => Scanned::Wide,
        b's' | b'[' if size == LONG => Scanned::Wide,
        b's' | b'[' => Scanned::Text,
        b'C' => Scanned::Bytes(4 * width.unwrap_or(1)),
        b'c' => Scanned::Bytes(width.unwrap_or(1) * if size == LONG { 4 } else { 1 }),
        b'p' => Scanned::Bytes(8),
        b'e' | b'f' | b'g' | b'a' | b'E' | b'F' | b'G' | b'A' if long_double => Scanned::Bytes(16),
        _ => Scanned::Bytes(size),
    }
}

fn write_scanned(at: u64, written: Scanned, site: SiteId) {
    let len = match written {
        Scanned::Bytes(len) => len,
        Scanned::Text => length::<u8>(at, u64::MAX) + 1,
        Scanned::Wide => 4 * (length::<u32>(at, u64::MAX) + 1),
    };
    stored::announce(at, len, site);
}

/// Skips a set of characters, after its opening bracket; a closing bracket that comes first belongs to it.
fn skip_set(text: &mut Text) {
    text.take(|byte| byte == b'^');
    text.take(|byte| byte == b']');
    while text.take(|byte| byte != b']') {}
    text.next();
}
