//! Operations on channels, as calls on pipes, counters and sockets make them (S21).

use super::cancel;
use crate::engine::interrupting::interrupting;
use crate::engine::switches::Switch;
use crate::engine::{
    attention, attention_of, end_run, last_event, me, note_identity, note_uncontrolled, spoil_loops, unmodelled,
    visible, with,
};
use crate::hooks::argument_read;
use crate::platform::channels::{self, ChannelEnd, Pieces};
use crate::platform::sigaction;
use crate::platform::sys::{self, errno, error};
use alloc::format;
use inspect_core::event::{ChannelOperation, ChannelStep, LimitKind, Object, Offer, SiteId, Wanted};
use inspect_core::run::Request;

/// The channel that is what is pending for the process, where a call looks at a descriptor of signals.
pub(super) const SIGNALS: u8 = Offer::MOST_JOINED - 1;

/// Whether a search sees all channels as one.
pub(super) fn joined() -> bool {
    Switch::OneChannel.is_on()
}

/// An operation concerns several channels: the search begins anew, unless it sees all of them as one.
pub(super) fn join() {
    if !joined() {
        Switch::OneChannel.come_up();
        end_run(None, LimitKind::Unmodelled);
    }
}

pub(super) fn operation(channel: u8, step: ChannelStep) -> ChannelOperation {
    ChannelOperation::new(channel, joined(), step)
}

/// Makes an operation on a channel.
pub(super) fn perform(operation: ChannelOperation, site: SiteId) {
    perform_request(Request::new(operation.into(), site));
}

fn perform_request(request: Request) {
    spoil_loops();
    visible(request);
}

/// Tells the scheduler what a channel offers after an operation on it.
pub(super) fn note_offer(channel: u8) {
    if joined() {
        // What a socket has to offer depends on both of its channels.
        return note_joined([channel, channels::way_back(channel)].into_iter());
    }
    let offered = channels::offered(channel);
    let offer = Offer::of_one(offered.input, offered.room.min(Offer::MOST_ROOM.into()) as u32);
    with(|engine| engine.run.note_offer(Object::channel(channel), offer));
}

/// Tells the scheduler what descriptors of signals offer, where what is pending for the process is a channel.
pub(super) fn note_offer_of_signals() {
    note_joined(channels::descriptors_of_signals());
}

fn note_joined(changed: impl Iterator<Item = u8>) {
    channels::note_idle();
    with(|engine| {
        let before = engine.run.object(Object::ALL_CHANNELS).offer;
        let before = match Switch::PolledSignals.is_on() {
            true => before.with_joined(SIGNALS, channels::has_pending(), true, true),
            false => before,
        };
        // What an instance of epoll has to offer depends on all channels.
        let offer = changed.chain(channels::instances()).fold(before, |before, channel| {
            let offered = channels::offered(channel);
            let input = offered.input || Switch::EventLists.is_on() && channels::has_listed(channel);
            before.with_joined(channel, input, offered.ample, offered.room > 0)
        });
        engine.run.note_offer(Object::ALL_CHANNELS, offer);
    });
}

pub(super) fn wants_input(channel: u8) -> Wanted {
    if joined() { Wanted::joined(channel, true, false, false) } else { Wanted::INPUT }
}

/// So much room, which is ample if any undivided write would fit.
pub(super) fn wants_room(channel: u8, room: u64, ample: bool) -> Wanted {
    if joined() { Wanted::joined(channel, false, ample, !ample) } else { Wanted::room(room as u32) }
}

/// So many channels are about to be made. Too many are not modelled.
pub(super) fn begin_channels(more: usize, site: SiteId) {
    // Static facts do not say what a read has from whom.
    if attention_of(me()) & attention::RECORDS != 0 {
        unmodelled("a pipe, event counter, socket, timer or epoll instance, with --algorithm pdp", site);
    }
    let most = match joined() {
        true if Switch::PolledSignals.is_on() => usize::from(SIGNALS),
        true => usize::from(Offer::MOST_JOINED),
        false => usize::from(u8::MAX),
    };
    if channels::count() + more > most {
        unmodelled(
            &format!("more than {most} pipes, event counters, ways of sockets, timers and epoll instances in one run"),
            site,
        );
    }
    // Numbers of channels distinguish threads that make them.
    note_identity();
}

/// A call on a socket that another thread is binding or connecting.
pub(super) fn refuse_changing(channel: u8, site: SiteId) {
    if channels::endpoint(channel).is_some_and(|endpoint| endpoint.changing) {
        unmodelled("a call on a socket that another thread is binding or connecting", site);
    }
}

/// A call that may wait: what ends it early is not explored in all orders.
pub(super) fn note_wait(site: SiteId) {
    if cancel::may_be_cancelled() {
        note_uncontrolled(
            "a wait at a pipe, an event counter, a socket, a timer or an epoll instance, in a program that cancels threads"
                .into(),
            site,
        );
    }
    if interrupting() != 0 {
        note_uncontrolled(
            "a wait at a pipe, an event counter, a socket, a timer or an epoll instance, where signals interrupt threads".into(),
            site,
        );
    }
}

/// A call that has moved so many bytes of a buffer goes on with the rest. What it had announced at its beginning may
/// have come before what another thread does since then.
pub(super) fn announce_rest(from: Pieces, done: u64, total: u64, site: SiteId) {
    from.for_each(total, |start, at, len| {
        let moved = done.saturating_sub(at).min(len);
        if done > 0 && moved < len {
            argument_read(start + moved, len - moved, site);
        }
    });
}

/// Gives the running thread what it has taken. What Linux keeps if it cannot be written is not modelled.
pub(super) fn give(to: Pieces, site: SiteId) -> i64 {
    let given = channels::give(to);
    if sys::failed(given) {
        unmodelled("a read from a pipe, an event counter or a socket into memory that cannot be written", site);
    }
    given
}

/// A write to what nobody reads any more: a signal, and the error that the call returns if it has done nothing.
pub(super) fn break_pipe(place: u64) -> i64 {
    const SIGPIPE: u64 = 13;
    sigaction::raise(SIGPIPE, place);
    error(errno::EPIPE)
}

/// Makes an operation by which a call moves data, with what it wants; whether it found that.
pub(super) fn moves(of: ChannelEnd, operation: ChannelOperation, site: SiteId) -> bool {
    channels::begin_call(of.description);
    in_call(operation, site)
}

/// Makes the operation of a call; whether it found what it wants.
pub(super) fn in_call(operation: ChannelOperation, site: SiteId) -> bool {
    let mut request = Request::new(operation.into(), site);
    if operation.waits() {
        note_wait(site);
        request.cancellable = cancel::choose_in_call(site, channels::end_call);
    }
    perform_request(request);
    channels::end_call();
    last_event().operation.succeeded() != Some(false)
}
