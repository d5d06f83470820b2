//! The addresses that calls on sockets are given, and those that they tell: S21.

use super::channel_operations::{operation, perform, refuse_changing};
use super::tcp;
use crate::hooks::{argument_read, argument_write};
use crate::platform::channels::{self, Address, ChannelEnd, End};
use crate::platform::recover;
use crate::platform::sys::{errno, error};
use inspect_core::event::{ChannelStep, SiteId};

fn named(channel: u8) -> Address {
    channels::name_of(channel).unwrap_or(tcp::unnamed(channel))
}

/// The address that a call is given.
pub(super) fn read_address([at, len]: [u64; 2], site: SiteId) -> Result<Address, i64> {
    argument_read(at, u64::from(len as u32), site);
    Address::read(at, len)
}

/// Writes the name of the socket that reads from a channel, as much as fits, and its length, if somewhere is given for
/// it.
pub(super) fn tell(channel: u8, [to, len]: [u64; 2], site: SiteId) -> i64 {
    tell_address(named(channel), [to, len], site)
}

/// The same of an address.
pub(super) fn tell_address(name: Address, [to, len]: [u64; 2], site: SiteId) -> i64 {
    if to == 0 {
        return 0;
    }
    argument_read(len, 4, site);
    let Some(room) = recover::read_value::<i32>(len) else { return error(errno::EFAULT) };
    let Ok(room) = usize::try_from(room) else { return error(errno::EINVAL) };
    let bytes = &name.bytes()[..name.bytes().len().min(room)];
    argument_write(to, bytes.len() as u64, site);
    argument_write(len, 4, site);
    let written = recover::write(to, bytes) && recover::write_value(len, &(name.bytes().len() as u32));
    if written { 0 } else { error(errno::EFAULT) }
}

/// `getsockname`
pub(super) fn tell_own(of: ChannelEnd, to: [u64; 2], site: SiteId) -> i64 {
    perform(operation(of.channel, ChannelStep::Poll), site);
    refuse_changing(of.channel, site);
    tell(of.channel, if to[0] == 0 { [1, to[1]] } else { to }, site)
}

/// `getpeername`
pub(super) fn tell_peer(of: ChannelEnd, to: [u64; 2], site: SiteId) -> i64 {
    perform(operation(of.channel, ChannelStep::Poll), site);
    refuse_changing(of.channel, site);
    let of = channels::present(of);
    if of.end == End::Unconnected {
        return error(errno::ENOTCONN);
    }
    tcp::refuse_ended(of, site);
    tell(of.output, if to[0] == 0 { [1, to[1]] } else { to }, site)
}
