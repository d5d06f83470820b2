//! What the platform holds of a run outside of the program's memory: clocks, descriptors, mappings and the like.
//!
//! Every run has to begin with all of it in the same state; a checkpoint has to hold it, or there can be none; and
//! states that differ in it have to be distinguished, or not compared. So each part implements [`Outside`], and is
//! named in one list.

mod threads;

use super::global::Global;
use super::sys::{self, nr};
use super::{channels, clock, files, limits, mappings, membarrier, output, random, sigaction, tokens};
use alloc::boxed::Box;
use inspect_wire::message::Uncompared;

/// A part of what the platform holds of a run.
trait Outside {
    /// What a checkpoint holds of it.
    type Saved: Clone + Boxed;

    /// Remembers what runs start with. Called before the snapshot.
    fn remember();
    /// Undoes what the run did.
    fn reset();
    /// Whether a checkpoint can hold what the run did so far.
    fn can_be_saved() -> bool;
    /// What a checkpoint holds.
    fn save() -> Self::Saved;
    /// Brings back what a checkpoint holds, whatever the run did since.
    fn load(saved: &Self::Saved);
    /// Adds to a hash what differs from the start of a run for the first `slots` threads. The reason if states cannot
    /// be compared.
    fn hash(slots: usize, hash: u64) -> Result<u64, Uncompared>;
}

/// A value with memory of its own.
trait Boxed {
    /// Bytes of that memory.
    fn boxed(&self) -> usize;
}

impl Boxed for () {
    fn boxed(&self) -> usize {
        0
    }
}

impl Boxed for u64 {
    fn boxed(&self) -> usize {
        0
    }
}

impl Boxed for (usize, usize) {
    fn boxed(&self) -> usize {
        0
    }
}

impl<T> Boxed for alloc::vec::Vec<T> {
    fn boxed(&self) -> usize {
        self.len() * size_of::<T>()
    }
}

impl<T> Boxed for Option<Box<T>> {
    fn boxed(&self) -> usize {
        self.as_ref().map_or(0, |_| size_of::<T>())
    }
}

macro_rules! parts {
    ($($field:ident: $part:ty,)+) => {
        /// What a checkpoint holds of it all.
        #[derive(Clone)]
        pub(super) struct SavedOutside {
            $($field: <$part as Outside>::Saved,)+
        }

        /// Remembers what runs start with. Called before the snapshot.
        pub(super) fn remember() {
            $(<$part>::remember();)+
        }

        /// Undoes what the run did.
        pub(super) fn reset() {
            $(<$part>::reset();)+
        }

        /// Whether a checkpoint can hold what the run did so far.
        pub(super) fn can_checkpoint() -> bool {
            $(<$part>::can_be_saved())&&+
        }

        /// What a checkpoint holds.
        pub(super) fn save() -> SavedOutside {
            SavedOutside { $($field: <$part>::save(),)+ }
        }

        /// Bytes of memory that it takes apart from itself.
        pub(super) fn boxed(saved: &SavedOutside) -> usize {
            0 $(+ saved.$field.boxed())+
        }

        /// Brings back what a checkpoint holds.
        pub(super) fn load(saved: &SavedOutside) {
            $(<$part>::load(&saved.$field);)+
        }

        /// A hash of what differs from the start of a run for the first `slots` threads, output apart, or why states
        /// cannot be compared: the first reason in the order of the list.
        pub(super) fn changes(slots: usize) -> Result<u64, Uncompared> {
            let hash = 0;
            $(let hash = <$part>::hash(slots, hash)?;)+
            Ok(hash)
        }
    };
}

parts! {
    descriptors: Descriptors,
    channels: Channels,
    mappings: Mappings,
    clocks: Clocks,
    signals: Signals,
    output: Output,
    tokens: Tokens,
    random: Random,
    data_segment: DataSegment,
    limits: Limits,
    barriers: Barriers,
    affinity: threads::Affinity,
    attributes: threads::Attributes,
}

/// Descriptors and the overlay of the file system. No checkpoint holds them.
struct Descriptors;

impl Outside for Descriptors {
    type Saved = ();

    fn remember() {
        files::remember();
    }

    fn reset() {
        files::reset();
    }

    fn can_be_saved() -> bool {
        !files::changed()
    }

    fn save() {}

    fn load((): &()) {
        files::reset();
    }

    fn hash(_slots: usize, hash: u64) -> Result<u64, Uncompared> {
        if files::changed() { Err(Uncompared::Files) } else { Ok(hash) }
    }
}

/// What is in pipes and counters. Where there are some, descriptors have changed, so that there is no checkpoint and
/// states are not compared.
struct Channels;

impl Outside for Channels {
    type Saved = ();

    fn remember() {}

    fn reset() {
        channels::reset();
    }

    fn can_be_saved() -> bool {
        !channels::any()
    }

    fn save() {}

    fn load((): &()) {
        channels::reset();
    }

    fn hash(_slots: usize, hash: u64) -> Result<u64, Uncompared> {
        if channels::any() { Err(Uncompared::Files) } else { Ok(hash) }
    }
}

/// Memory that the run has mapped. No checkpoint holds it.
struct Mappings;

impl Outside for Mappings {
    type Saved = ();

    fn remember() {}

    fn reset() {
        mappings::reset();
    }

    fn can_be_saved() -> bool {
        !mappings::any()
    }

    fn save() {}

    fn load((): &()) {
        mappings::reset();
    }

    fn hash(_slots: usize, hash: u64) -> Result<u64, Uncompared> {
        if mappings::any() { Err(Uncompared::Mappings) } else { Ok(hash) }
    }
}

/// Virtual time.
struct Clocks;

impl Outside for Clocks {
    type Saved = Option<Box<clock::VirtualClocks>>;

    fn remember() {}

    fn reset() {
        clock::reset();
    }

    fn can_be_saved() -> bool {
        true
    }

    fn save() -> Self::Saved {
        clock::save()
    }

    fn load(saved: &Self::Saved) {
        clock::load(saved.as_deref());
    }

    fn hash(_slots: usize, hash: u64) -> Result<u64, Uncompared> {
        if clock::moved() { Err(Uncompared::Clock) } else { Ok(hash) }
    }
}

/// Actions, masks and pending signals.
struct Signals;

impl Outside for Signals {
    type Saved = Option<Box<sigaction::SignalState>>;

    fn remember() {
        sigaction::remember();
    }

    fn reset() {
        sigaction::reset();
    }

    fn can_be_saved() -> bool {
        true
    }

    fn save() -> Self::Saved {
        sigaction::save()
    }

    fn load(saved: &Self::Saved) {
        sigaction::load(saved.as_deref());
    }

    fn hash(_slots: usize, hash: u64) -> Result<u64, Uncompared> {
        if sigaction::is_changed() { Err(Uncompared::Signals) } else { Ok(hash) }
    }
}

/// What the program wrote. It does not distinguish states: the program cannot read it.
struct Output;

impl Outside for Output {
    type Saved = (usize, usize);

    fn remember() {}

    fn reset() {
        output::reset();
    }

    fn can_be_saved() -> bool {
        true
    }

    fn save() -> (usize, usize) {
        output::position()
    }

    fn load(&saved: &(usize, usize)) {
        output::truncate(saved);
    }

    fn hash(_slots: usize, hash: u64) -> Result<u64, Uncompared> {
        Ok(hash)
    }
}

/// Where `strtok` goes on.
struct Tokens;

impl Outside for Tokens {
    type Saved = u64;

    fn remember() {
        tokens::remember();
    }

    fn reset() {
        tokens::reset();
    }

    fn can_be_saved() -> bool {
        true
    }

    fn save() -> u64 {
        tokens::place()
    }

    fn load(&saved: &u64) {
        tokens::set_place(saved);
    }

    fn hash(_slots: usize, hash: u64) -> Result<u64, Uncompared> {
        Ok(hash.wrapping_add(tokens::place()))
    }
}

/// Random numbers drawn by each thread.
struct Random;

impl Outside for Random {
    type Saved = Option<Box<random::Drawn>>;

    fn remember() {}

    fn reset() {
        random::reset();
    }

    fn can_be_saved() -> bool {
        true
    }

    fn save() -> Self::Saved {
        random::save()
    }

    fn load(saved: &Self::Saved) {
        random::load(saved.as_deref());
    }

    fn hash(slots: usize, hash: u64) -> Result<u64, Uncompared> {
        Ok(random::hash(slots, hash))
    }
}

/// The end of the data segment, which never moves while the engine is in charge.
struct DataSegment;

static END_OF_DATA: Global<u64> = Global::new(0);

/// The end of the data segment.
pub(super) fn end_of_data() -> u64 {
    END_OF_DATA.read()
}

impl Outside for DataSegment {
    type Saved = ();

    fn remember() {
        // SAFETY: asks for the end of the data segment.
        END_OF_DATA.write(unsafe { sys::call1(nr::__NR_brk, 0) } as u64);
    }

    fn reset() {}

    fn can_be_saved() -> bool {
        true
    }

    fn save() {}

    fn load((): &()) {}

    fn hash(_slots: usize, hash: u64) -> Result<u64, Uncompared> {
        Ok(hash)
    }
}

/// Resource limits that the run has set.
struct Limits;

impl Outside for Limits {
    type Saved = alloc::vec::Vec<(u64, limits::Limit)>;

    fn remember() {}

    fn reset() {
        limits::reset();
    }

    fn can_be_saved() -> bool {
        true
    }

    fn save() -> Self::Saved {
        limits::save()
    }

    fn load(saved: &Self::Saved) {
        limits::load(saved);
    }

    fn hash(_slots: usize, hash: u64) -> Result<u64, Uncompared> {
        Ok(limits::hash(hash))
    }
}

/// What the process has registered for with `membarrier`.
struct Barriers;

impl Outside for Barriers {
    type Saved = u64;

    fn remember() {
        membarrier::remember();
    }

    fn reset() {
        membarrier::reset();
    }

    fn can_be_saved() -> bool {
        true
    }

    fn save() -> u64 {
        membarrier::save()
    }

    fn load(&saved: &u64) {
        membarrier::load(saved);
    }

    fn hash(_slots: usize, hash: u64) -> Result<u64, Uncompared> {
        Ok(hash.wrapping_add(membarrier::save() << 32))
    }
}
