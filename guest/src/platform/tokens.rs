//! Where `strtok` goes on: part of the state of a run.

use super::global::Global;

static PLACE: Global<u64> = Global::new(0);
static PLACE_AT_MAIN: Global<u64> = Global::new(0);

/// The rest of the string that is being taken apart, or 0.
pub fn place() -> u64 {
    PLACE.read()
}

/// Remembers where to go on.
pub fn set_place(place: u64) {
    PLACE.write(place);
}

/// Remembers what constructors left: every run starts with it.
pub(super) fn remember() {
    PLACE_AT_MAIN.write(PLACE.read());
}

pub(super) fn reset() {
    PLACE.write(PLACE_AT_MAIN.read());
}
