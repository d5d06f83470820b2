//! Options of sockets: those that change nothing here are remembered, others are not modelled.

use super::channel_operations::{note_offer, operation, perform, refuse_changing};
use crate::engine::unmodelled;
use crate::hooks::{argument_read, argument_write};
use crate::platform::channels::{self, ChannelEnd, NO_DELAY, RECEIVE_LIMIT, REUSE_ADDRESS, SOCKET_OPTIONS};
use crate::platform::recover;
use crate::platform::sys::{errno, error};
use alloc::format;
use inspect_core::event::{ChannelStep, SiteId};

const SOCKET_LEVEL: u32 = 1;

/// Options that are remembered, with their levels: `SO_REUSEADDR`, `SO_KEEPALIVE`, `SO_BROADCAST`, `TCP_NODELAY`.
const REMEMBERED: [(u32, u32); SOCKET_OPTIONS] = [(SOCKET_LEVEL, 2), (SOCKET_LEVEL, 9), (SOCKET_LEVEL, 6), (TCP, 1)];
const _: () = assert!(REMEMBERED[REUSE_ADDRESS].1 == 2 && REMEMBERED[NO_DELAY].0 == TCP && REMEMBERED[NO_DELAY].1 == 1);
const TCP: u32 = 6;
const UDP: u32 = 17;
const TYPE: u32 = 3;
const ERROR: u32 = 4;
const RECEIVE_TIME: u32 = 20;
const LISTENS: u32 = 30;
const PROTOCOL: u32 = 38;
const DOMAIN: u32 = 39;

fn remembered(of: ChannelEnd, level: u32, option: u32) -> Option<usize> {
    let is_known = level == SOCKET_LEVEL || channels::is_tcp(of.channel);
    REMEMBERED.iter().position(|&known| is_known && known == (level, option))
}

/// `setsockopt`
pub(super) fn set(of: ChannelEnd, [level, option]: [u64; 2], [value, len]: [u64; 2], site: SiteId) -> i64 {
    let (level, option, len) = (level as u32, option as u32, len as u32);
    if (level, option) == (SOCKET_LEVEL, RECEIVE_TIME) {
        return set_receive_limit(of, [value, len.into()], site);
    }
    let Some(place) = remembered(of, level, option) else { refuse("setsockopt", level, option, site) };
    if len < 4 || len > i32::MAX as u32 {
        return error(errno::EINVAL);
    }
    argument_read(value, 4, site);
    let Some(value) = recover::read_value::<u32>(value) else { return error(errno::EFAULT) };
    perform(operation(of.channel, ChannelStep::Change), site);
    channels::set_option(of.channel, place, u32::from(value != 0));
    note_offer(of.channel);
    0
}

/// `SO_RCVTIMEO`
fn set_receive_limit(of: ChannelEnd, [value, len]: [u64; 2], site: SiteId) -> i64 {
    if !(16..=i32::MAX as u64).contains(&len) {
        return error(errno::EINVAL);
    }
    argument_read(value, 16, site);
    let Some([seconds, micros]) = recover::read_value::<[i64; 2]>(value) else { return error(errno::EFAULT) };
    if !(0..1_000_000).contains(&micros) {
        return error(errno::EDOM);
    }
    let Ok(seconds) = u64::try_from(seconds) else { unmodelled("setsockopt of SO_RCVTIMEO to a negative time", site) };
    let millis = seconds.saturating_mul(1000).saturating_add(micros.unsigned_abs().div_ceil(1000));
    perform(operation(of.channel, ChannelStep::Change), site);
    channels::set_option(of.channel, RECEIVE_LIMIT, u32::try_from(millis).unwrap_or(u32::MAX));
    note_offer(of.channel);
    0
}

fn refuse(call: &str, level: u32, option: u32, site: SiteId) -> ! {
    unmodelled(&format!("{call} of level {level} for option {option}{}", name(level, option)), site)
}

/// Names options that programs often set.
fn name(level: u32, option: u32) -> &'static str {
    match (level, option) {
        (SOCKET_LEVEL, 7) => " (SO_SNDBUF)",
        (SOCKET_LEVEL, 8) => " (SO_RCVBUF)",
        (SOCKET_LEVEL, 13) => " (SO_LINGER)",
        (SOCKET_LEVEL, 15) => " (SO_REUSEPORT)",
        (SOCKET_LEVEL, 16) => " (SO_PASSCRED)",
        (SOCKET_LEVEL, 17) => " (SO_PEERCRED)",
        (SOCKET_LEVEL, 20) => " (SO_RCVTIMEO)",
        (SOCKET_LEVEL, 21) => " (SO_SNDTIMEO)",
        _ => "",
    }
}

/// `getsockopt`
pub(super) fn get(of: ChannelEnd, [level, option]: [u64; 2], [value, len]: [u64; 2], site: SiteId) -> i64 {
    let (level, option) = (level as u32, option as u32);
    let place = remembered(of, level, option);
    if place.is_none() && (level != SOCKET_LEVEL || ![TYPE, ERROR, LISTENS, PROTOCOL, DOMAIN].contains(&option)) {
        refuse("getsockopt", level, option, site);
    }
    argument_read(len, 4, site);
    let Some(room) = recover::read_value::<i32>(len) else { return error(errno::EFAULT) };
    let Ok(room) = u32::try_from(room) else { return error(errno::EINVAL) };
    // Whoever asks for the error takes it.
    perform(operation(of.channel, if option == ERROR { ChannelStep::Change } else { ChannelStep::Poll }), site);
    refuse_changing(of.channel, site);
    let answer = match (place, option) {
        (Some(place), _) => channels::option(of.channel, place),
        (None, TYPE) if channels::is_udp(of.channel) => 2,
        (None, TYPE) => 1,
        (None, DOMAIN) => channels::family_of(of.channel).into(),
        (None, PROTOCOL) if channels::is_tcp(of.channel) => TCP,
        (None, PROTOCOL) if channels::is_udp(of.channel) => UDP,
        (None, ERROR) if channels::take_refusal(of.channel) => errno::ECONNREFUSED,
        (None, LISTENS) => channels::endpoint(of.channel).map_or(0, |endpoint| endpoint.listens().into()),
        (None, ERROR) if channels::take_reset(of.channel) => errno::ECONNRESET,
        (None, _) => 0,
    };
    note_offer(of.channel);
    let written = room.min(4);
    argument_write(value, written.into(), site);
    argument_write(len, 4, site);
    let done = recover::write(value, &answer.to_le_bytes()[..written as usize]) && recover::write_value(len, &written);
    if done { 0 } else { error(errno::EFAULT) }
}
