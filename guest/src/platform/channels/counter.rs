//! Counters (`eventfd`): what is added to them.

use super::pieces::Pieces;
use super::{Contents, IN, OUT, state, wake_readers, wake_writers};
use crate::platform::sys::{errno, error};
use alloc::vec::Vec;

/// The largest value of a counter.
pub(super) const MOST_COUNT: u64 = u64::MAX - 1;

/// The value that a call adds to a counter; an error number if it cannot be read, or is not one.
pub fn value_to_add(from: Pieces) -> Result<u64, i64> {
    let bytes = from.read(0, 8);
    let bytes: [u8; 8] = bytes.as_slice().try_into().map_err(|_| error(errno::EFAULT))?;
    let value = u64::from_le_bytes(bytes);
    if value == u64::MAX { Err(error(errno::EINVAL)) } else { Ok(value) }
}

/// Adds to a counter; whether there was room for it.
pub fn add(channel: u8, value: u64) -> bool {
    let Contents::Counter { count, .. } = &mut state().channels[usize::from(channel)].contents else { return false };
    let fits = value <= MOST_COUNT - *count;
    if fits {
        *count += value;
        wake_readers(channel, IN);
    }
    fits
}

/// Takes one unit out of a counter that has some, or all; how many bytes that are.
pub(super) fn take(channel: u8, count: &mut u64, units: bool, taken: &mut Vec<u8>) -> u64 {
    let given = if units { 1 } else { *count };
    *count -= given;
    taken.extend_from_slice(&given.to_le_bytes());
    wake_writers(channel, OUT);
    8
}

/// Whether the channel is a counter.
pub fn is_counter(channel: u8) -> bool {
    matches!(state().channels[usize::from(channel)].contents, Contents::Counter { .. })
}
