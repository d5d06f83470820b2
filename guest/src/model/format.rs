//! What formatted output reads and formatted input writes, from the format and the arguments. The conversions of a
//! format are read in [`conversions`].

mod conversions;

use super::arguments::VaList;
use super::extent::length;
use super::{conversion, real, stored};
use crate::engine::{spoil_loops, uncomparable_during, unmodelled};
use crate::hooks::{argument_decides, argument_write};
use conversions::{Arguments, Conversion, INT, Kind, LONG, Text};
use inspect_core::event::SiteId;

/// Announces what `printf` reads: the format, and the strings among the arguments.
pub(super) fn print(format: u64, wide: bool, arguments: VaList, site: SiteId) {
    uncomparable_during(|| print_all(format, wide, arguments, site));
}

fn print_all(format: u64, wide: bool, list: VaList, site: SiteId) {
    read_format(format, wide, site);
    let mut text = Text::printed(format, wide);
    let mut arguments = Arguments::new(list, Text::printed(format, wide), site);
    while let Some(conversion) = text.next_conversion() {
        print_one(&conversion, &mut arguments, wide, site);
    }
}

fn print_one(conversion: &Conversion, arguments: &mut Arguments, wide: bool, site: SiteId) {
    let at = conversion.position;
    arguments.amount(&conversion.width);
    let precision = arguments.amount(&conversion.precision);
    match (conversion.letter, conversion.kind()) {
        (b's', _) if conversion.size == INT => read_string(arguments.integer(at), precision, wide, site),
        (b's' | b'S', _) => read_wide_string(arguments.integer(at), precision, site),
        (b'n', _) => {
            // Memory that a waiting loop reads may have no hooks.
            spoil_loops();
            argument_write(arguments.integer(at), conversion.size, site);
        }
        (_, Some(kind)) => arguments.skip(at, kind),
        (_, None) => {}
    }
}

/// Announces what `%s` reads of a string: no more than the precision says, in bytes, or in the characters that they
/// become.
fn read_string(string: u64, precision: Option<u64>, wide: bool, site: SiteId) {
    let len = match precision {
        _ if string == 0 => return,
        Some(characters) if wide => conversion::bytes_of_characters(string, characters),
        Some(limit) => (length::<u8>(string, limit) + 1).min(limit),
        None => length::<u8>(string, u64::MAX - string) + 1,
    };
    argument_decides(string, len, site);
}

/// The same of a string of wide characters: the precision counts them, or the bytes that they become, one at least for
/// each.
fn read_wide_string(string: u64, precision: Option<u64>, site: SiteId) {
    let limit = precision.unwrap_or(u64::MAX);
    if string != 0 {
        argument_decides(string, 4 * (length::<u32>(string, limit) + 1).min(limit), site);
    }
}

/// Announces that a format is read.
pub(super) fn read_format(format: u64, wide: bool, site: SiteId) {
    let len =
        if wide { 4 * (length::<u32>(format, u64::MAX) + 1) } else { length::<u8>(format, u64::MAX - format) + 1 };
    argument_decides(format, len, site);
}

/// Announces what `scanf` has written, after it said how many arguments it has assigned.
pub(super) fn scan(format: u64, wide: bool, arguments: VaList, assigned: i64, site: SiteId) {
    uncomparable_during(|| scan_all(format, wide, arguments, assigned, site));
}

/// What a conversion of `scanf` writes.
enum Scanned {
    Bytes(u64),
    /// A string.
    Text,
    /// A string of wide characters.
    Wide,
}

fn scan_all(format: u64, wide: bool, list: VaList, mut assigned: i64, site: SiteId) {
    let mut text = Text::scanned(format, wide);
    let mut arguments = Arguments::new(list, Text::scanned(format, wide), site);
    while let Some(conversion) = text.next_conversion() {
        if matches!(conversion.letter, 0 | b'%') || !conversion.is_assigned {
            continue;
        }
        // What counts the characters so far is not counted itself; where it comes after the last one that was
        // assigned, it may not have been reached.
        if conversion.letter != b'n' {
            assigned -= 1;
        }
        if assigned < 0 {
            return;
        }
        let written = if conversion.allocated { Scanned::Bytes(8) } else { scanned(&conversion, wide, site) };
        write_scanned(arguments.integer(conversion.position), written, site);
    }
}

fn scanned(conversion: &Conversion, wide: bool, site: SiteId) -> Scanned {
    let characters = conversion.scanned_width.unwrap_or(1);
    match (conversion.letter, conversion.size) {
        (b'S', _) | (b's' | b'[', LONG) => Scanned::Wide,
        (b's' | b'[', _) => Scanned::Text,
        (b'C', _) | (b'c', LONG) => Scanned::Bytes(4 * characters),
        // So many characters, of which nobody says how many bytes they have become.
        (b'c', _) if wide && real!("__ctype_get_mb_cur_max" as fn() -> u64)() > 1 => {
            unmodelled("wscanf with %c, where characters may have several bytes", site)
        }
        (b'c', _) => Scanned::Bytes(characters),
        (b'p', _) => Scanned::Bytes(8),
        _ if conversion.kind() == Some(Kind::LongDouble) => Scanned::Bytes(16),
        (_, size) => Scanned::Bytes(size),
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
