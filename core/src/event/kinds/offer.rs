//! What channels offer, and what operations on them want of that.

use crate::event::Object;

/// What a channel has to offer: input, which is data or their end, and room.
///
/// Of one channel, one bit says whether there is input, the lower half how much room there is. Of all channels as
/// one, three bits say of each of the first [`Offer::MOST_JOINED`] channels whether there is input, whether there is
/// room for whatever an undivided write can be, and whether there is any. They differ from those of an empty pipe where
/// they are set, so that a channel which is made changes nothing for others.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C, packed)] // see the size of `Operation`
pub struct Offer(pub u64);

const INPUT: u64 = 1 << 62;
/// The bit that no channel has among those of all.
const WAITS: u64 = 1 << 63;

/// The bits of each channel among those of all.
const JOINED_BITS: u32 = 3;
/// All channels are empty pipes.
const JOINED_FRESH: u64 = 0o666_666_666_666_666_666_666;
const _: () = assert!(JOINED_FRESH & WAITS == 0 && JOINED_BITS * Offer::MOST_JOINED as u32 == WAITS.trailing_zeros());

impl Offer {
    /// How many channels a search can see as one.
    pub const MOST_JOINED: u8 = (u64::BITS / JOINED_BITS) as u8;
    /// More room than this is not distinguished.
    pub const MOST_ROOM: u32 = u32::MAX >> 1;

    /// What one channel offers.
    pub fn of_one(input: bool, room: u32) -> Offer {
        Offer(if input { INPUT } else { 0 } | u64::from(room.min(Offer::MOST_ROOM)))
    }

    /// The offer of all channels with another one of this channel, which is below [`Self::MOST_JOINED`]: whether it has
    /// input, room for whatever an undivided write can be, and any room.
    pub fn with_joined(self, channel: u8, input: bool, ample: bool, any: bool) -> Offer {
        let place = JOINED_BITS * u32::from(channel);
        let bits = u64::from(input) | u64::from(!ample) << 1 | u64::from(!any) << 2;
        Offer(self.0 & !(0b111 << place) | bits << place)
    }
}

/// What an operation wants of a channel: one of several things, as an [`Offer`] has them. Nothing if it can do with
/// whatever there is. And whether it waits until there is what it wants.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C, packed)] // see the size of `Operation`
pub struct Wanted(u64);

impl Wanted {
    /// Nothing.
    pub const NOTHING: Wanted = Wanted(0);
    /// Input, of one channel.
    pub const INPUT: Wanted = Wanted(INPUT);

    /// So much room, of one channel.
    pub fn room(room: u32) -> Wanted {
        Wanted(room.min(Offer::MOST_ROOM).into())
    }

    /// One of the three things of a channel among all.
    pub fn joined(channel: u8, input: bool, ample: bool, any: bool) -> Wanted {
        let bits = u64::from(input) | u64::from(ample) << 1 | u64::from(any) << 2;
        Wanted(bits << (JOINED_BITS * u32::from(channel)))
    }

    /// Either.
    #[must_use]
    pub fn or(self, other: Wanted) -> Wanted {
        Wanted(self.0 | other.0)
    }

    /// The same, by an operation that waits for it, or does not.
    #[must_use]
    pub fn awaited(self, waits: bool) -> Wanted {
        Wanted(self.0 & !WAITS | if waits { WAITS } else { 0 })
    }

    /// Whether the operation waits.
    pub fn is_awaited(self) -> bool {
        self.0 & WAITS != 0
    }
}

/// What an operation wants of a channel, and what it finds there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Demand {
    /// The channel, or all as one.
    pub channel: Object,
    /// It is all of them.
    pub joined: bool,
    /// What it wants, and whether it waits for that.
    pub wanted: Wanted,
    /// What was offered before it.
    pub found: Offer,
}

impl Demand {
    /// Whether it finds what it wants in an offer.
    pub fn is_met_by(self, offer: Offer) -> bool {
        let Wanted(wanted) = self.wanted.awaited(false);
        let room = wanted & !INPUT;
        match self.joined {
            _ if wanted == 0 => true,
            true => (offer.0 ^ JOINED_FRESH) & wanted != 0,
            false => offer.0 & wanted & INPUT != 0 || room != 0 && offer.0 & !INPUT >= room,
        }
    }

    /// Whether it would have had to wait just before an earlier operation on the same object.
    pub fn waits_before(self, earlier: Demand) -> bool {
        self.wanted.is_awaited() && !self.is_met_by(earlier.found)
    }
}
