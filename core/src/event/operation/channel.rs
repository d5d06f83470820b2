//! Operations on channels: pipes, counters (`eventfd`) and the ways of connected sockets, by which threads hand over
//! data, and sockets that listen for connections.
//!
//! # Dependence
//! All pairs on one channel are dependent. So what a channel has to offer before an operation is the same in all
//! executions of one Mazurkiewicz trace, and each operation carries it ([`Offer`]). This gives up some reduction: two
//! writes to a counter add up, and two failed attempts commute.
//!
//! A socket that listens is a channel as well: its input are connections, and its room is that of their queue. A
//! connection is put there and taken out in one step each; the two ways of the connection are channels of their own.
//!
//! A call that looks at several channels at once (`poll`) concerns each of them. Where a program makes such calls, a
//! search sees all channels as one ([`Object::ALL_CHANNELS`]), and the offer is that of all of them. So it does where
//! an instance of `epoll` watches others: it is a channel whose input are the events of those.
//!
//! The lock of a file (`flock`) is a channel, too: it has input while nobody has it for himself alone, and room while
//! nobody has it at all.
//!
//! # Which pairs can be reversed
//! An operation that waits could have come just before an earlier one if what it waits for was offered there; an
//! operation before which it was not is what made it possible. All others can always be taken.
//!
//! # Happens-before
//! C11 says nothing of the calls of the system. In Linux each operation on a channel is made under its lock. Here a
//! read that finds something, the end of the data included, synchronises with all writes before it, with the expiries
//! of a timer, and with the closing of the last descriptor to write by; likewise, who accepts a connection, with those
//! who have connected before. A write does not synchronise with reads before
//! it, and a call that only looks (`poll`) with nothing. A change of what an instance of `epoll` watches synchronises
//! with the changes before it and with those who take events from it later, as Linux makes both under one lock. So do
//! those who open a pipe with a name.

use super::Operation;
use super::properties::{Acquires, Description, Objects, Releases, none, none_of};
use crate::event::{ByteRange, Demand, Flow, Footprint, Need, Object, ObjectKind, Offer, ThreadId, Touch, Wanted};

/// What an operation on a channel is for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ChannelStep {
    /// Takes data out.
    Read,
    /// Puts data in.
    Write,
    /// Finds out what there is.
    Poll,
    /// The last descriptor of an end is closed.
    Close,
    /// Makes it larger or smaller, or a counter that begins above zero.
    Resize,
    /// Changes what an instance of `epoll` watches.
    Control,
    /// Takes events from an instance of `epoll`.
    Collect,
    /// Sets a timer (`timerfd`).
    Set,
    /// A timer expires.
    Expire,
    /// Changes what a socket is that is not connected: it is bound, begins to listen or to connect, or is shut down.
    Change,
    /// Puts a connection into the queue of a socket that listens.
    Connect,
    /// Takes a connection out of the queue of a socket that listens.
    Accept,
    /// Takes the lock of a file.
    Lock,
    /// Gives the lock of a file back, or has it in another way.
    Unlock,
    /// Opens an end of a pipe with a name, or waits for somebody to open the other one.
    Open,
}

/// An operation on a channel.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ChannelOperation {
    /// The channel: how many were made before it in the run. Of a look at several, one of them.
    pub channel: u8,
    /// A search sees all channels as one.
    pub joined: bool,
    /// What it is for.
    pub step: ChannelStep,
    /// What it wants, and whether it waits for that.
    pub wanted: Wanted,
    /// What was offered before it.
    pub found: Offer,
}

impl ChannelOperation {
    /// A request.
    pub fn new(channel: u8, joined: bool, step: ChannelStep) -> Self {
        let (wanted, found) = (Wanted::NOTHING, Offer(0));
        ChannelOperation { channel, joined, step, wanted, found }
    }

    /// The request of an operation that wants something, and waits until there is what it wants, or does not.
    #[must_use]
    pub fn wanting(self, wanted: Wanted, waits: bool) -> Self {
        ChannelOperation { wanted: wanted.awaited(waits), ..self }
    }

    /// Whether it waits until there is what it wants.
    pub fn waits(self) -> bool {
        self.wanted.is_awaited()
    }

    /// What it touches.
    pub fn object(self) -> Object {
        if self.joined { Object::ALL_CHANNELS } else { Object::channel(self.channel) }
    }

    /// Whether it found what it wants.
    fn is_met(self) -> bool {
        self.demand().is_met_by(self.found)
    }

    fn demand(self) -> Demand {
        let ChannelOperation { joined, wanted, found, .. } = self;
        Demand { channel: self.object(), joined, wanted, found }
    }

    fn flow(self) -> Flow {
        match self.step {
            ChannelStep::Read => Flow::Input,
            ChannelStep::Write => Flow::Room,
            ChannelStep::Collect => Flow::Events,
            ChannelStep::Connect => Flow::Place,
            ChannelStep::Accept => Flow::Connection,
            ChannelStep::Lock
            | ChannelStep::Unlock
            | ChannelStep::Open
            | ChannelStep::Poll
            | ChannelStep::Close
            | ChannelStep::Resize
            | ChannelStep::Control
            | ChannelStep::Set
            | ChannelStep::Expire
            | ChannelStep::Change => Flow::Either,
        }
    }
}

impl Description for ChannelOperation {
    fn name(self) -> &'static str {
        match (self.step, self.is_met()) {
            (ChannelStep::Read, true) => "read from",
            (ChannelStep::Read, false) => "read that finds nothing in",
            (ChannelStep::Write, true) => "write to",
            (ChannelStep::Write, false) => "write that finds no room in",
            (ChannelStep::Poll, true) => "poll",
            (ChannelStep::Poll, false) => "poll that finds nothing in",
            (ChannelStep::Close, _) => "close an end of",
            (ChannelStep::Resize, _) => "resize",
            (ChannelStep::Control, _) => "change the interest list of",
            (ChannelStep::Collect, true) => "take events of",
            (ChannelStep::Collect, false) => "wait that finds no event of",
            (ChannelStep::Set, _) => "set",
            (ChannelStep::Expire, _) => "expiry of",
            (ChannelStep::Change, _) => "change",
            (ChannelStep::Connect, true) => "connect to",
            (ChannelStep::Connect, false) => "connect that finds no room in the queue of",
            (ChannelStep::Accept, true) => "accept a connection of",
            (ChannelStep::Accept, false) => "accept that finds no connection of",
            (ChannelStep::Lock, true) => "take",
            (ChannelStep::Lock, false) => "fail to take",
            (ChannelStep::Unlock, _) => "give back or change",
            (ChannelStep::Open, true) => "open",
            (ChannelStep::Open, false) => "open that waits for somebody at the other end, of",
        }
    }

    #[inline]
    fn objects(self) -> Objects {
        [Some((Object::channel(self.channel), ObjectKind::Channel)), None]
    }

    #[inline]
    fn footprint(self) -> Footprint {
        Footprint::object(self.object(), if self.waits() { Touch::WaitAtChannel } else { Touch::UseChannel })
    }

    #[inline]
    fn need(self) -> Need {
        if self.waits() { Need::Channel(Object::channel(self.channel), self.flow()) } else { Need::Nothing }
    }

    /// Each of them may be what another thread waits for.
    #[inline]
    fn ends_hold(self) -> bool {
        match self.step {
            ChannelStep::Read
            | ChannelStep::Write
            | ChannelStep::Close
            | ChannelStep::Resize
            | ChannelStep::Control
            | ChannelStep::Collect
            | ChannelStep::Set
            | ChannelStep::Expire
            | ChannelStep::Change
            | ChannelStep::Connect
            | ChannelStep::Accept
            | ChannelStep::Lock
            | ChannelStep::Unlock
            | ChannelStep::Open => true,
            ChannelStep::Poll => false,
        }
    }

    #[inline]
    fn acquires(self) -> Acquires {
        match self.step {
            ChannelStep::Read
            | ChannelStep::Collect
            | ChannelStep::Control
            | ChannelStep::Accept
            | ChannelStep::Lock
            | ChannelStep::Unlock
            | ChannelStep::Open
                if self.is_met() =>
            {
                Acquires::Object(Object::channel(self.channel))
            }
            ChannelStep::Read
            | ChannelStep::Write
            | ChannelStep::Poll
            | ChannelStep::Close
            | ChannelStep::Resize
            | ChannelStep::Control
            | ChannelStep::Collect
            | ChannelStep::Set
            | ChannelStep::Expire
            | ChannelStep::Change
            | ChannelStep::Connect
            | ChannelStep::Accept
            | ChannelStep::Lock
            | ChannelStep::Unlock
            | ChannelStep::Open => Acquires::Nothing,
        }
    }

    #[inline]
    fn releases(self) -> Releases {
        match self.step {
            ChannelStep::Write
            | ChannelStep::Close
            | ChannelStep::Control
            | ChannelStep::Expire
            | ChannelStep::Connect
            | ChannelStep::Unlock
            | ChannelStep::Open
                if self.is_met() =>
            {
                Releases::Object(Object::channel(self.channel))
            }
            ChannelStep::Read
            | ChannelStep::Write
            | ChannelStep::Poll
            | ChannelStep::Close
            | ChannelStep::Resize
            | ChannelStep::Control
            | ChannelStep::Collect
            | ChannelStep::Set
            | ChannelStep::Expire
            | ChannelStep::Change
            | ChannelStep::Connect
            | ChannelStep::Accept
            | ChannelStep::Lock
            | ChannelStep::Unlock
            | ChannelStep::Open => Releases::Nothing,
        }
    }

    #[inline]
    fn has_outcome(self) -> bool {
        true
    }

    /// One that does not wait succeeds if it finds what it wants.
    #[inline]
    fn succeeded(self) -> Option<bool> {
        (!self.waits()).then(|| self.is_met())
    }

    /// A write that finds room, an attempt that fails, a look and an event learn of what others have done.
    #[inline]
    fn is_unordered_look(self) -> bool {
        match self.step {
            ChannelStep::Read | ChannelStep::Accept | ChannelStep::Lock | ChannelStep::Open => !self.is_met(),
            ChannelStep::Write | ChannelStep::Poll | ChannelStep::Collect | ChannelStep::Connect => true,
            ChannelStep::Close
            | ChannelStep::Resize
            | ChannelStep::Control
            | ChannelStep::Set
            | ChannelStep::Expire
            | ChannelStep::Change
            | ChannelStep::Unlock => false,
        }
    }

    #[inline]
    fn at_channel(self) -> Option<Demand> {
        Some(self.demand())
    }

    fn with_full_effect(self) -> Operation {
        Operation::Channel(self)
    }

    fn seen_at(self, _: ByteRange) -> Self {
        self
    }

    fn renamed(self, _: impl Fn(ThreadId) -> ThreadId) -> Self {
        self
    }

    /// A channel is known by its number.
    fn relocated(self, _: impl Fn(ByteRange) -> ByteRange, _: impl Fn(Object) -> Object) -> Self {
        self
    }

    // Channels lie outside of the program's memory; nobody holds one, and it has no life cycle of its own. A loop of
    // failed attempts is not parked: which change ends it is not known.
    none! { access memory_order is_relaxed lifecycle hold is_failed_lock wait expiry signals woken choice_kind creates }
    none! { handle starts_timer }
    none! { joins detaches cancels goes_first gives_way is_idle rests exits ends_process }
    none! { concerns_signals awaits_signal }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(channel: u8) -> ChannelOperation {
        ChannelOperation::new(channel, false, ChannelStep::Read).wanting(Wanted::INPUT, true)
    }

    fn write(room: u32) -> ChannelOperation {
        ChannelOperation::new(0, false, ChannelStep::Write).wanting(Wanted::room(room), true)
    }

    #[test]
    fn a_read_waits_for_input_and_a_write_for_as_much_room_as_it_wants() {
        let offers = [(false, 0), (false, 10), (true, 0), (true, 10)].map(|(input, room)| Offer::of_one(input, room));
        assert_eq!(offers.map(|offer| read(0).demand().is_met_by(offer)), [false, false, true, true]);
        assert_eq!(offers.map(|offer| write(10).demand().is_met_by(offer)), [false, true, false, true]);
        assert_eq!(offers.map(|offer| write(11).demand().is_met_by(offer)), [false; 4]);
        assert_eq!(
            offers.map(|offer| ChannelOperation::new(0, false, ChannelStep::Close).demand().is_met_by(offer)),
            [true; 4]
        );
    }

    /// A wait for either of two channels, of all that there can be, is met by what the offer of one of them says; the
    /// other channels do not matter.
    #[test]
    fn among_all_channels_each_has_its_own_bits() {
        for (one, two) in (0..Offer::MOST_JOINED).zip((0..Offer::MOST_JOINED).rev()).filter(|(one, two)| one != two) {
            let wanted = Wanted::joined(one, true, false, false).or(Wanted::joined(two, false, true, false));
            let wait = ChannelOperation::new(one, true, ChannelStep::Poll).wanting(wanted, true);
            assert!(wait.demand().is_met_by(Offer(0)), "all are empty pipes, and the second has room");
            let full = Offer(0).with_joined(two, false, false, true);
            assert!(!wait.demand().is_met_by(full), "the second has room for less, the first has no input");
            assert!(wait.demand().is_met_by(full.with_joined(one, true, true, true)));
            let others = (0..Offer::MOST_JOINED).filter(|other| ![one, two].contains(other));
            assert!(
                !wait
                    .demand()
                    .is_met_by(others.fold(full, |offer, other| offer.with_joined(other, true, false, false)))
            );
            assert_eq!(full.with_joined(two, false, true, true), Offer(0));
        }
    }

    /// Who takes an event knows what was done before the descriptor was watched; one who finds none knows nothing.
    #[test]
    fn a_change_of_what_is_watched_synchronises_with_who_takes_events_later() {
        let wanted = Wanted::joined(1, true, false, false);
        let collect =
            |offer| ChannelOperation { wanted, found: offer, ..ChannelOperation::new(1, true, ChannelStep::Collect) };
        let object = Object::channel(1);
        let control = ChannelOperation::new(1, true, ChannelStep::Control);
        assert_eq!((control.acquires(), control.releases()), (Acquires::Object(object), Releases::Object(object)));
        assert_eq!(collect(Offer(0)).acquires(), Acquires::Nothing);
        assert_eq!(collect(Offer(0).with_joined(1, true, true, true)).acquires(), Acquires::Object(object));
    }

    #[test]
    fn it_is_dependent_on_all_of_its_channel_and_on_no_other() {
        use crate::event::dependent;
        let joined = |channel| Operation::Channel(ChannelOperation::new(channel, true, ChannelStep::Poll));
        let [first, second] = [0, 1].map(|channel| Operation::Channel(read(channel)));
        assert!(dependent(&first, &first) && !dependent(&first, &second));
        assert!(dependent(&joined(0), &joined(1)), "all are one");
    }
}
