//! What a call has written, announced when it is over: then its result, or what it has stored, says how much. What it
//! was given room for besides may be in use by other threads.

use super::extent::{address_length, length};
use super::real;
use crate::engine::note_uncontrolled;
use crate::engine::visibility::is_racy;
use crate::hooks::argument_write;
use crate::platform::program;
use inspect_core::event::{ByteRange, SiteId};
use inspect_wire::library::{CallEffect, Present, StoredExtent};

/// Where the stream stands from which the call takes what it stores, if it does and its stream has a position.
pub(super) fn position(effects: &[CallEffect], argument: impl Fn(u8) -> u64) -> Option<i64> {
    effects.iter().find_map(|effect| match *effect {
        CallEffect::Stores(_, StoredExtent::Taken { stream, .. } | StoredExtent::Line { stream, .. }) => {
            position_of(argument(stream))
        }
        _ => None,
    })
}

fn position_of(stream: u64) -> Option<i64> {
    let before = program::errno();
    let position = real!("ftello" as fn(u64) -> i64)(stream);
    program::set_errno(before);
    (position >= 0).then_some(position)
}

/// How many bytes were written at an address which is not null.
pub(super) fn bytes(
    stored: StoredExtent,
    at: u64,
    result: u64,
    before: Option<i64>,
    argument: impl Fn(u8) -> u64,
) -> u64 {
    let taken = |stream| {
        let after = before.and_then(|_| position_of(argument(stream)));
        after.zip(before).and_then(|(after, before)| u64::try_from(after - before).ok())
    };
    let int = |value: u64| u64::try_from(value as i32).unwrap_or(0);
    match stored {
        StoredExtent::Result { limit, size } => {
            u64::try_from(result as i64).unwrap_or(0).min(argument(limit)).saturating_mul(size.into())
        }
        StoredExtent::IntResult { limit, size } => int(result).min(int(argument(limit))) * u64::from(size),
        StoredExtent::Printed { limit } => (int(result) + 1).min(argument(limit)),
        StoredExtent::PrintedWide { limit } if (result as i32) < 0 => 4 * argument(limit),
        StoredExtent::PrintedWide { limit } => 4 * (int(result) + 1).min(argument(limit)),
        StoredExtent::Fitted { limit } if result == 0 => argument(limit),
        StoredExtent::Fitted { limit } => (result + 1).min(argument(limit)),
        StoredExtent::Text { limit, present } if is_present(present, at, result) => {
            (length::<u8>(at, argument(limit)) + 1).min(argument(limit))
        }
        StoredExtent::Address { family } => u64::from(result as i32 == 1) * address_length(argument(family) as u32),
        StoredExtent::Taken { stream, product: (count, size) } => {
            let most = argument(count).saturating_mul(argument(size));
            taken(stream).map_or_else(|| items(result, argument(count), argument(size)), |bytes| bytes.min(most))
        }
        StoredExtent::Line { stream, limit } if result != 0 => {
            let most = int(argument(limit));
            taken(stream).map_or_else(|| line(at, most), |bytes| (bytes + 1).min(most))
        }
        StoredExtent::WideLine { limit } if result != 0 => {
            4 * (length::<u32>(at, int(argument(limit))) + 1).min(int(argument(limit)))
        }
        StoredExtent::Text { .. } | StoredExtent::Line { .. } | StoredExtent::WideLine { .. } => 0,
    }
}

fn is_present(present: Present, at: u64, result: u64) -> bool {
    match present {
        Present::Always => true,
        Present::ResultIsZero => result as i32 == 0,
        Present::ResultIsAddress => result == at,
        Present::ResultIsPositive => result as i64 > 0,
    }
}

/// Bytes of the items that were read from a stream without a position. What comes after the last whole one may be a
/// part of another one.
fn items(read: u64, count: u64, size: u64) -> u64 {
    let begun = if size > 1 && read < count { read + 1 } else { read };
    begun.saturating_mul(size)
}

/// Bytes of a line that was read from a stream without a position: a line that does not end with a newline may have
/// zero bytes in it.
fn line(at: u64, most: u64) -> u64 {
    const NEWLINE: u8 = b'\n';
    let len = length::<u8>(at, most);
    // SAFETY: a byte of the line that the C library has stored there.
    let ends = len > 0 && unsafe { *((at + len - 1) as *const u8) } == NEWLINE;
    if ends { len + 1 } else { most }
}

/// Announces bytes that a call has written. Where a race was found, this is an operation, and another thread that reads
/// the bytes before it finds what is there already. No verdict may rest on that where races are no findings.
pub(super) fn announce(at: u64, len: u64, site: SiteId) {
    let range = ByteRange { start: at, len: u32::try_from(len).unwrap_or(u32::MAX) };
    if is_racy(range) {
        note_uncontrolled(
            "a function that stores where a data race was found, so that others may see it too early".into(),
            site,
        );
    }
    argument_write(at, len, site);
}

/// Announces the buffers of a vector of `count` that a call has filled with so many bytes.
pub(super) fn fill_vector(vector: u64, count: u64, result: u64, site: SiteId) {
    let mut left = u64::try_from(result as i64).unwrap_or(0);
    for piece in 0..u64::try_from(count as i32).unwrap_or(0) {
        if left == 0 {
            return;
        }
        // SAFETY: the call has used this buffer of the vector.
        let [start, len] = unsafe { *((vector + 16 * piece) as *const [u64; 2]) };
        announce(start, len.min(left), site);
        left -= len.min(left);
    }
}
