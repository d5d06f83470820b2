//! Descriptors by which signals are taken (`signalfd`): S20.
//!
//! A read takes signals as `sigwait` does, for the running thread: it is an operation on what is pending, and none on
//! the descriptor. Which signals a descriptor takes can be changed: where a run has shown that, the search begins anew,
//! and each read looks at that first, in an operation on the descriptor, which is a channel. The two are one step in
//! Linux, so a change while another thread is in a read is not modelled.

use super::channel_operations::{begin_channels, note_offer, operation, perform};
use super::descriptors::{self, Shared, make_descriptor};
use super::signal::{self, Handled};
use super::signal_wait::{KERNEL_SET, wait_for};
use super::{cancel, process_signals, timer_start};
use crate::engine::expected_signals::note_expected;
use crate::engine::object_names::note_name;
use crate::engine::site::of_call;
use crate::engine::switches::Switch;
use crate::engine::{me, unmodelled};
use crate::hooks::{argument_read, argument_write};
use crate::platform::channels::{self, ChannelEnd, End, Pieces};
use crate::platform::sys::{errno, error, nr};
use crate::platform::{Call, is_open, recover, sigaction};
use alloc::format;
use inspect_core::event::{ChannelStep, Object, SignalOperation, SiteId};

/// Bytes of a `struct signalfd_siginfo`.
const INFORMATION: u64 = 128;

/// Serves a call of the system that makes or changes such a descriptor; what it returns. None if it is another call.
pub(crate) fn call(call: &Call) -> Option<i64> {
    let site = of_call(call.place());
    let [fd, set, len, flags, ..] = call.args;
    let result = match call.number {
        nr::__NR_signalfd => open(fd, [set, len], 0, site),
        nr::__NR_signalfd4 => open(fd, [set, len], flags as u32, site),
        _ => return None,
    };
    Some(result.unwrap_or_else(error))
}

fn open(fd: u64, [set, len]: [u64; 2], flags: u32, site: SiteId) -> Result<i64, u32> {
    const NEW: i32 = -1;
    const SIGKILL: u8 = 9;
    const SIGSTOP: u8 = 19;
    if len != KERNEL_SET {
        return Err(errno::EINVAL);
    }
    argument_read(set, KERNEL_SET, site);
    let set = recover::read_value::<u64>(set).ok_or(errno::EFAULT)?;
    if flags & !(nr::O_CLOEXEC | nr::O_NONBLOCK) != 0 {
        return Err(errno::EINVAL);
    }
    let signals = set & !(SignalOperation::bit(SIGKILL) | SignalOperation::bit(SIGSTOP));
    // What is about to be read, the program expects.
    note_expected(signals);
    if fd as i32 == NEW { make(signals, flags, site) } else { change(fd & 0xffff_ffff, signals, site) }
}

fn make(signals: u64, flags: u32, site: SiteId) -> Result<i64, u32> {
    make_descriptor(site);
    begin_channels(1, site);
    let made = match channels::make_signals(signals, flags.into()) {
        Ok(made) => made,
        Err(error) => return Ok(error),
    };
    let number = made.place(0);
    name(made.channel(), number);
    // What it takes is part of the state, and is no memory of the program.
    perform(operation(made.channel(), ChannelStep::Change), site);
    note_offer(made.channel());
    Ok(number)
}

fn name(channel: u8, number: i64) {
    note_name(Object::channel(channel).0, || format!("the signals of descriptor {number}"));
}

fn change(fd: u64, signals: u64, site: SiteId) -> Result<i64, u32> {
    descriptors::use_number(fd, Shared::Flags, false, site);
    let of = match channels::of_descriptor(fd) {
        Some(of) if of.end == End::Signals => of,
        None if !is_open(fd) => return Err(errno::EBADF),
        Some(_) | None => return Err(errno::EINVAL),
    };
    if !process_signals::are_channel() {
        Switch::SignalSets.come_up();
    }
    perform(operation(of.channel, ChannelStep::Change), site);
    if !process_signals::are_channel() && channels::is_used_by_others(of.description) {
        unmodelled("signalfd that changes the signals of a descriptor while another thread reads from it", site);
    }
    channels::set_signals(of.channel, signals);
    note_offer(of.channel);
    Ok(fd as i64)
}

/// `read`: takes as many signals as there is room for, and waits for the first one unless the descriptor says not to.
pub(super) fn read(fd: u64, of: ChannelEnd, to: Pieces, site: SiteId) -> i64 {
    if to.is_vector && to.len > 1 {
        unmodelled("readv from a signalfd into several buffers", site);
    }
    let Some(buffer) = to.buffer(0) else { return error(errno::EINVAL) };
    let most = buffer.len / INFORMATION;
    if most == 0 {
        return error(errno::EINVAL);
    }
    let waits = !channels::is_nonblocking(fd);
    channels::begin_call(of.description);
    let taken = take_all(of, buffer.address, most, waits, site);
    channels::end_call();
    match taken {
        Ok(count) => (count * INFORMATION) as i64,
        Err(refused) => error(refused),
    }
}

/// Takes signals, `most` at most, and writes what is known of each; how many.
fn take_all(of: ChannelEnd, to: u64, most: u64, waits: bool, site: SiteId) -> Result<u64, u32> {
    if Switch::SignalSets.is_on() && !process_signals::are_channel() {
        perform(operation(of.channel, ChannelStep::Poll), site);
    }
    let signals = channels::signals(of.channel);
    let mut count = 0;
    while count < most {
        let waits = waits && count == 0;
        let taken = match waits {
            _ if process_signals::are_channel() => take_from_channel(of, waits, site),
            true => Some(wait(signals, site)?),
            false => signal::take(signals, site),
        };
        let Some(signal) = taken else { break };
        if !write_information(to + count * INFORMATION, signal, site) {
            // The signal is lost, as in Linux.
            return if count > 0 { Ok(count) } else { Err(errno::EFAULT) };
        }
        count += 1;
    }
    if count > 0 { Ok(count) } else { Err(errno::EAGAIN) }
}

/// Takes a signal where what is pending for the process is a channel. What is pending for the thread only that itself
/// changes.
fn take_from_channel(of: ChannelEnd, waits: bool, site: SiteId) -> Option<u8> {
    let has_own = process_signals::own_events(of) != 0;
    process_signals::await_one(of, waits && !has_own, site);
    let signals = channels::signals(of.channel);
    let own = signal::take_out(signal::of_thread(me()), signals, site);
    let taken = own.or_else(|| signal::take_out(signal::of_process(), signals, site));
    if waits && taken.is_none() {
        unmodelled("signalfd that changes the signals of a descriptor while another thread reads from it", site);
    }
    taken
}

/// Waits for one of these signals.
fn wait(signals: u64, site: SiteId) -> Result<u8, u32> {
    loop {
        let cancellable = cancel::choose_in_call(site, channels::end_call);
        match wait_for(signals, true, cancellable, site) {
            Ok(signal) => return Ok(signal),
            Err(Handled::Interrupting) => return Err(errno::EINTR),
            Err(Handled::Restarting | Handled::Nothing) => {}
        }
    }
}

/// Writes what is known of the signal that the running thread has taken last; whether that can be written.
fn write_information(to: u64, signal: u8, site: SiteId) -> bool {
    const BY_TIMER: i32 = -2;
    timer_start::note_information(site);
    let known = sigaction::information(signal.into());
    let mut words = [0u32; INFORMATION as usize / 4];
    words[..3].copy_from_slice(&known[..3]);
    // The sender and its user, or the timer and its overruns.
    let places = if known[2].cast_signed() == BY_TIMER { [6, 8] } else { [3, 4] };
    (words[places[0]], words[places[1]]) = (known[4], known[5]);
    // The value, as a number and as a pointer.
    (words[11], words[12], words[13]) = (known[6], known[6], known[7]);
    argument_write(to, INFORMATION, site);
    recover::write_value(to, &words)
}
