//! The unwind rows of every object in memory, as text: the host compares them with what another reader finds in the
//! files.

use crate::platform::unwind::{self, UnwindRow};
use crate::platform::{elf, link, watchdog};
use alloc::format;
use alloc::string::String;
use inspect_wire::message::Message;
use linux_raw_sys::elf::{PF_X, PT_LOAD};

/// Names of the preserved registers, in the order of [`unwind::Registers::preserved`].
const PRESERVED: [&str; 6] = ["RBX", "RBP", "R12", "R13", "R14", "R15"];

/// Sends a message for each object: its path, then a line for each row.
pub(super) fn send() -> bool {
    elf::modules().iter().all(|module| {
        // SAFETY: a loaded object.
        let segments = unsafe { elf::Segments::of(module.start) };
        let mut text = format!("{}\n", module.path);
        for (flags, code) in segments.iter().flat_map(|segments| segments.of_type(PT_LOAD)) {
            if flags & PF_X != 0 {
                watchdog::note_progress();
                add(&mut text, code.start..code.end, module.bias);
            }
        }
        link::send(&Message::Output(8, text.into_bytes()))
    })
}

/// Adds a line for each row of a range of code. Every address is asked for.
fn add(text: &mut String, code: core::ops::Range<u64>, bias: u64) {
    let mut start = code.start;
    let mut last = unwind::row_at(start);
    for address in code.start + 1..=code.end {
        let row = if address < code.end { unwind::row_at(address) } else { None };
        if row != last {
            if let Some(last) = last {
                *text += &format!("{:x} {:x} {}\n", start - bias, address - bias, words(&last, bias));
            }
            (start, last) = (address, row);
        }
    }
}

fn words(row: &UnwindRow, bias: u64) -> String {
    let base = row.base.map_or("RSP", |preserved| PRESERVED[preserved]);
    let mut text = format!("{:x} {base}{:+}", row.function - bias, row.offset);
    for (name, offset) in PRESERVED.iter().zip(row.saved) {
        if let Some(offset) = offset {
            text += &format!(" {name}{offset:+}");
        }
    }
    text
}
