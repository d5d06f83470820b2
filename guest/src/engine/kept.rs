//! Memory of the program that the C library was given in one call and uses in later ones.

use super::run_data::{RunData, refill};
use alloc::vec::Vec;
use inspect_core::run::Run;

/// The part of the C library that uses a piece of memory, and as what.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Keeper {
    /// The stream at this address: its buffer.
    Stream(u64),
    /// The stream at this address, of memory that grows: the program's variable that says where the text is.
    TextOf(u64),
    /// The same: the one that says how long the text is.
    LengthOf(u64),
    /// The stream at this address, of memory of the program's: the memory, which is only read.
    ReadMemory(u64),
    /// The same: the memory, which may be written to.
    WrittenMemory(u64),
    /// The environment: the text of a variable.
    Environment,
    /// `random`: its state.
    Random,
    /// The time zone, while a call sets it: blocks of the library's own, of no known address.
    TimeZone,
}

/// A piece of memory that the C library keeps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct KeptMemory {
    pub(crate) keeper: Keeper,
    pub(crate) start: u64,
    /// How many bytes it has; 0 for a string, whose length may change.
    pub(crate) len: u64,
}

/// The pieces of memory that the C library keeps at present.
#[derive(Default)]
pub(crate) struct Kept(Vec<KeptMemory>);

impl Kept {
    /// The library uses this memory from now on. A stream and `random` use one piece at a time.
    pub(crate) fn keep(&mut self, memory: KeptMemory) {
        match memory.keeper {
            Keeper::Stream(_)
            | Keeper::TextOf(_)
            | Keeper::LengthOf(_)
            | Keeper::ReadMemory(_)
            | Keeper::WrittenMemory(_)
            | Keeper::Random
            | Keeper::TimeZone => self.forget(memory.keeper),
            Keeper::Environment => self.0.retain(|known| *known != memory),
        }
        self.0.push(memory);
    }

    /// The library no longer uses the memory that this keeper has kept.
    pub(crate) fn forget(&mut self, keeper: Keeper) {
        self.0.retain(|known| known.keeper != keeper);
    }

    /// Whether the running thread is in a call that sets the time zone: the blocks that it allocates and frees are the
    /// library's own.
    pub(crate) fn sets_time_zone(&self) -> bool {
        self.of(Keeper::TimeZone).next().is_some()
    }

    /// Whether any stream writes to memory of the program's own.
    pub(super) fn keeps_buffers(&self) -> bool {
        self.0.iter().any(|known| matches!(known.keeper, Keeper::Stream(_) | Keeper::WrittenMemory(_)))
    }

    /// The pieces of memory that this keeper keeps.
    pub(crate) fn of(&self, keeper: Keeper) -> impl Iterator<Item = KeptMemory> + '_ {
        self.0.iter().copied().filter(move |known| known.keeper == keeper)
    }
}

impl RunData for Kept {
    type Saved = Vec<KeptMemory>;
    type Left = ();

    fn begin(&mut self, _run: &Run) {
        self.0.clear();
    }

    fn save(&mut self, _run: &Run, saved: &mut Vec<KeptMemory>) -> bool {
        refill(saved, &self.0);
        true
    }

    fn restore(&mut self, _run: &Run, saved: &Vec<KeptMemory>) {
        refill(&mut self.0, saved);
    }

    fn leave(&mut self) {}

    fn adopt(&mut self, (): ()) {}
}
