//! What the rows say of the memory behind arguments.

use inspect_wire::library::{CallEffect, Extent, LibraryRow};
use std::collections::BTreeMap;

/// What the row says of the memory behind each argument: whether it is written, and how much is accessed.
pub(super) fn accesses(row: &LibraryRow) -> BTreeMap<u8, (bool, Vec<Extent>)> {
    let mut found: BTreeMap<u8, (bool, Vec<Extent>)> = BTreeMap::new();
    let mut add = |argument, writes, extent| {
        let entry = found.entry(argument).or_default();
        entry.0 |= writes;
        entry.1.push(extent);
    };
    for effect in row.effects {
        match *effect {
            CallEffect::Reads(argument, extent) => add(argument, false, extent),
            CallEffect::Writes(argument, extent) => add(argument, true, extent),
            CallEffect::Compares { wide, .. } => {
                [0, 1].into_iter().for_each(|argument| add(argument, false, of_text(wide)))
            }
            CallEffect::Appends { wide, .. } => {
                add(0, true, if wide { Extent::WideOf(1) } else { Extent::TextOf(1) });
                add(1, false, of_text(wide));
            }
            CallEffect::TakesToken { text, .. } => add(text, true, Extent::Text),
            CallEffect::Prints { format, wide } | CallEffect::Scans { format, wide } => {
                add(format, false, of_text(wide))
            }
            CallEffect::PrintsInto { format, .. } => {
                add(0, true, Extent::TextOf(format));
                add(format, false, Extent::Text);
            }
            CallEffect::Converts { to_wide, moves: false } => {
                add(0, true, if to_wide { Extent::Bytes(12) } else { Extent::Bytes(3) });
                add(1, false, if to_wide { Extent::Text } else { Extent::Wide });
            }
            CallEffect::Converts { to_wide, moves: true } => {
                add(0, true, if to_wide { Extent::Bytes(12) } else { Extent::Bytes(3) });
            }
            CallEffect::UsesShiftState(argument) => add(argument, true, Extent::Bytes(8)),
            CallEffect::MakesTemporary => add(0, true, Extent::Text),
            _ => {}
        }
    }
    found
}

/// All of a string.
fn of_text(wide: bool) -> Extent {
    if wide { Extent::Wide } else { Extent::Text }
}
