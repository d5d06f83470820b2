//! What a waiting loop is parked on.

use inspect_core::event::{ByteRange, SiteId};
use inspect_core::run::{MutexWatch, Request};

/// Locations that a parked loop watches; a loop that accesses more is not parked.
pub(super) const MAX_WATCH: usize = 64;

/// A location, with a value that it has or had.
pub(super) type Location = (ByteRange, u64);

/// What to park a thread on: the first operation of the loop's next iteration, and the locations and the mutex to
/// watch. It lies on the service stack while the scheduler takes it in.
#[derive(Clone, Copy)]
pub(crate) struct Parking {
    /// The first operation of the next iteration.
    pub(super) first: Request,
    /// The value that `first` expects, low 8 bytes first, if it is a compare-exchange.
    pub(super) expected: [u64; 2],
    /// The locations that are watched, and behind them those to which the iteration only stores.
    locations: [Location; MAX_WATCH],
    watched: usize,
    count: usize,
    /// To which of the watched locations the iteration stores atomically, a bit each.
    pub(super) stored: u64,
    /// The change of the mutex to wait for, if the iteration uses a mutex.
    pub(super) mutex: Option<MutexWatch>,
    /// Where time passes in each iteration, if it does.
    pub(super) time_passes_at: Option<SiteId>,
}

impl Parking {
    /// To go on with this operation when the value of one of the locations changes. They are at most [`MAX_WATCH`],
    /// each with whether the iteration stores there atomically.
    pub(super) fn new(first: Request, expected: [u64; 2], watch: impl Iterator<Item = (Location, bool)>) -> Self {
        let locations = [(ByteRange { start: 0, len: 1 }, 0); MAX_WATCH];
        let mut parking =
            Parking { first, expected, locations, watched: 0, count: 0, stored: 0, mutex: None, time_passes_at: None };
        for (location, stored) in watch {
            parking.stored |= u64::from(stored) << parking.count;
            parking.add(location);
        }
        parking.watched = parking.count;
        parking
    }

    /// Adds locations to which the iteration stores atomically, and whose values nobody uses.
    pub(super) fn add_unread_stores(&mut self, locations: impl Iterator<Item = Location>) {
        locations.for_each(|location| self.add(location));
    }

    fn add(&mut self, location: Location) {
        self.locations[self.count] = location;
        self.count += 1;
    }

    /// The locations to watch, with the values they have.
    pub(super) fn watch(&self) -> &[Location] {
        &self.locations[..self.watched]
    }

    /// Further locations to which the iteration stores atomically; nobody uses their values.
    pub(super) fn unread_stores(&self) -> &[Location] {
        &self.locations[self.watched..self.count]
    }
}
