//! How much room a pipe has.

use super::{Contents, PAGE, state, wake_writers};
use crate::platform::sys::{errno, error};

/// Buffers that a process without privileges can give a pipe.
const MOST_BUFFERS: usize = 256;

/// Bytes that can be asked for.
const LARGEST: u32 = 1 << 31;

/// Bytes that a pipe has room for in all.
pub fn size(channel: u8) -> i64 {
    match &state().channels[usize::from(channel)].contents {
        Contents::Pipe { most, .. } => *most as i64 * i64::from(PAGE),
        Contents::Counter { .. }
        | Contents::Stream(_)
        | Contents::Interests(_)
        | Contents::Timer(_)
        | Contents::Endpoint(_)
        | Contents::Lock(_)
        | Contents::Range(_)
        | Contents::Datagrams(_)
        | Contents::Openings(_)
        | Contents::Signals(_) => error(errno::EBADF),
    }
}

/// Gives a pipe room for at least so many bytes; for how many, or an error.
pub fn resize(channel: u8, bytes: u64) -> i64 {
    let Contents::Pipe { buffers, most } = &mut state().channels[usize::from(channel)].contents else {
        return error(errno::EBADF);
    };
    if bytes as u32 > LARGEST {
        return error(errno::EINVAL);
    }
    let wanted = u64::from(bytes as u32).div_ceil(PAGE.into()).max(1).next_power_of_two() as usize;
    if wanted > *most && wanted > MOST_BUFFERS {
        return error(errno::EPERM);
    }
    if wanted < buffers.len() {
        return error(errno::EBUSY);
    }
    *most = wanted;
    wake_writers(channel, 0);
    (wanted as i64) * i64::from(PAGE)
}
