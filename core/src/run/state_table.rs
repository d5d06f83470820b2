//! The states below which everything is explored, in memory that several searches share.
//!
//! The table is a slice of words that each of the searches, mostly in a process of its own, can read and write at any
//! time. Nobody waits for anybody: a search that dies in the middle of a change leaves a slot or a record that nobody
//! uses.
//!
//! | words | what |
//! |---|---|
//! | the first eight | where the next record begins, and what is true of all searches together |
//! | one for each possible thread | its creator and how many threads that had created before: all searches number threads alike |
//! | three for each slot | the two halves of a state's hash, and where its record is |
//! | the rest | records, one after the other; none is changed or removed |
//!
//! A slot belongs to the search that is the first to write the lower half of the hash there. It counts once the place
//! of the record is written, which comes last. A record has a checksum, and so has its place: a program that writes
//! wherever it likes cannot have a state taken for explored.
//!
//! The memory is fixed. A state for which there is no slot near its place, or no room for its record, is not stored,
//! and each of the searches explores it.

use super::StateKey;
use crate::event::{MAX_THREADS, ThreadId};
use crate::hash::Mixer;
use alloc::vec::Vec;
use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

/// Where the word is that says where the next record begins.
const TOP: usize = 0;
/// Where the word is that says whether a state was found from which no execution ends.
const ENDLESS: usize = 1;
/// Where the words of the threads begin.
const PATHS: usize = 8;
/// Where the slots begin.
const SLOTS: usize = PATHS + MAX_THREADS;
/// Words of a slot.
const SLOT: usize = 3;
/// How many slots a state may be stored in.
const NEAR: usize = 16;

/// The place of a record of a [`StateTable`].
pub type RecordPlace = u32;

/// A table of states below which everything is explored. Its copies are the same table.
#[derive(Clone, Copy, Debug)]
pub struct StateTable {
    words: &'static [AtomicU64],
    slots: usize,
    /// Part of the hash of every state.
    layout: u128,
}

impl StateTable {
    /// The fewest words of which a table can be made.
    pub const LEAST: usize = SLOTS + 2 * SLOT;

    /// The table in these words, which all are 0 at first. None if they are too few.
    pub fn new(words: &'static [AtomicU64]) -> Option<StateTable> {
        let slots = words.len().checked_sub(SLOTS)? / 2 / SLOT;
        (slots > 0).then_some(StateTable { words, slots, layout: 0 })
    }

    /// The same table for a process in which things are at certain addresses, of which `layout` is a hash. Operations
    /// name addresses, so processes with other layouts do not find the states that this one stores.
    pub fn with_layout(self, layout: u128) -> StateTable {
        StateTable { layout, ..self }
    }

    /// Where the records begin.
    fn records(&self) -> usize {
        SLOTS + self.slots * SLOT
    }

    /// The slots in which a state may be stored, each by the position of its first word.
    fn near(&self, key: StateKey) -> impl Iterator<Item = usize> {
        let slots = self.slots;
        let first = (((key >> 64) * slots as u128) >> 64) as usize;
        (0..NEAR.min(slots)).map(move |more| SLOTS + (first + more) % slots * SLOT)
    }

    /// The record of a state, if everything below the state is explored.
    pub fn find(&self, key: StateKey) -> Option<RecordPlace> {
        let key = key.wrapping_add(self.layout);
        for at in self.near(key) {
            let low = self.words[at].load(Acquire);
            if low == 0 {
                return None;
            }
            let place = self.words[at + 2].load(Acquire);
            let same = low == tag(key) && self.words[at + 1].load(Relaxed) == (key >> 64) as u64;
            if same && place != 0 && place == marked(key, place as RecordPlace) {
                return Some(place as RecordPlace);
            }
        }
        None
    }

    /// Everything below this state is explored: `place` is that of its record.
    pub fn insert(&self, key: StateKey, place: RecordPlace) {
        let key = key.wrapping_add(self.layout);
        for at in self.near(key) {
            if self.words[at].compare_exchange(0, tag(key), AcqRel, Acquire).is_ok() {
                self.words[at + 1].store((key >> 64) as u64, Relaxed);
                self.words[at + 2].store(marked(key, place), Release);
                return;
            }
        }
    }

    /// Stores a record; None if there is no room.
    pub fn add(&self, content: &[u64]) -> Option<RecordPlace> {
        let room = self.words.len() - self.records();
        let needed = content.len() + 1;
        // Once there is no room for a record there is none for any, so the sum stays small.
        let before = self.words[TOP].load(Relaxed);
        if before + needed as u64 > room as u64 {
            return None;
        }
        let begin = self.words[TOP].fetch_add(needed as u64, Relaxed) as usize;
        if begin + needed > room {
            return None;
        }
        let place = RecordPlace::try_from(begin).ok()?;
        let record = &self.words[self.records() + begin..][..needed];
        record[0].store(header(place, content), Relaxed);
        record[1..].iter().zip(content).for_each(|(word, &value)| word.store(value, Relaxed));
        Some(place)
    }

    /// The content of a record that another search has stored; None if it is damaged.
    pub fn record(&self, place: RecordPlace) -> Option<Vec<u64>> {
        let record = self.words.get(self.records() + place as usize..)?;
        let first = record.first()?.load(Relaxed);
        let content = record.get(1..=first as u32 as usize)?;
        let content: Vec<u64> = content.iter().map(|word| word.load(Relaxed)).collect();
        (first == header(place, &content)).then_some(content)
    }

    /// From some state no execution comes to an end.
    pub fn note_endless(&self) {
        self.words[ENDLESS].store(1, Relaxed);
    }

    /// Whether one of the searches has found a state from which no execution comes to an end.
    pub fn is_endless(&self) -> bool {
        self.words[ENDLESS].load(Relaxed) != 0
    }

    /// The creation path of the thread with this number: who creates it, and how many threads that has created before.
    pub fn path(&self, number: usize) -> Option<(ThreadId, u32)> {
        let word = self.words[PATHS..SLOTS].get(number)?.load(Acquire);
        (word != 0).then(|| (ThreadId::at((word >> 32) as usize - 1), word as u32))
    }

    /// Gives the next number, which is `number`, to the thread with this creation path. Returns the path that has the
    /// number: another one, if another search was faster.
    pub(super) fn give_number(&self, number: usize, path: (ThreadId, u32)) -> (ThreadId, u32) {
        let word = (path.0.index() as u64 + 1) << 32 | u64::from(path.1);
        if let Some(place) = self.words[PATHS..SLOTS].get(number) {
            let _ = place.compare_exchange(0, word, AcqRel, Acquire);
        }
        self.path(number).unwrap_or(path)
    }
}

/// The lower half of a state's hash, as it is in a slot: never 0.
fn tag(key: StateKey) -> u64 {
    (key as u64).max(1)
}

/// The place of the record of a state as it is in a slot: with a checksum.
fn marked(key: StateKey, place: RecordPlace) -> u64 {
    let mut mixer = Mixer::new(u64::from(place));
    mixer.pair(key as u64, (key >> 64) as u64);
    (mixer.finish() as u64) << 32 | u64::from(place)
}

/// The first word of a record: how many words follow, and a checksum.
fn header(place: RecordPlace, content: &[u64]) -> u64 {
    let mut mixer = Mixer::new(u64::from(place));
    mixer.words(content);
    (mixer.finish() as u64) << 32 | content.len() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(more: usize) -> StateTable {
        let words: Vec<AtomicU64> = (0..StateTable::LEAST + more).map(|_| AtomicU64::new(0)).collect();
        StateTable::new(words.leak()).expect("it has enough words")
    }

    const KEY: StateKey = 7 << 64 | 5;

    #[test]
    fn a_stored_state_is_found_with_its_record() {
        let table = table(100);
        let places = [table.add(&[1, 2, 3]), table.add(&[])].map(|place| place.expect("there is room"));
        table.insert(KEY, places[0]);
        table.insert(KEY + 1, places[1]);
        assert_eq!([KEY, KEY + 1, KEY + 2].map(|key| table.find(key)), [Some(places[0]), Some(places[1]), None]);
        assert_eq!(places.map(|place| table.record(place)), [Some(vec![1, 2, 3]), Some(vec![])]);
    }

    /// 2 slots take 6 of the 12 words that follow those of the threads, and records the other 6: one of 4 words with
    /// its header, and then none of 3.
    #[test]
    fn what_there_is_no_room_for_is_not_stored() {
        let table = table(6);
        let place = table.add(&[1, 2, 3]).expect("there is room");
        assert_eq!(table.add(&[1, 2]), None);
        (0..3).for_each(|more| table.insert(KEY + more, place));
        assert_eq!((0..3).map(|more| table.find(KEY + more).is_some()).collect::<Vec<_>>(), [true, true, false]);
    }

    #[test]
    fn a_damaged_place_or_record_is_not_found() {
        let table = table(100);
        let place = table.add(&[1, 2, 3]).expect("there is room");
        table.insert(KEY, place);
        let slot = table.near(KEY).next().expect("there is one");
        table.words[slot + 2].fetch_add(1, Relaxed);
        assert_eq!(table.find(KEY), None);
        table.words[table.records() + place as usize + 2].fetch_add(1, Relaxed);
        assert_eq!(table.record(place), None);
    }

    /// A search that died after it had taken a slot.
    #[test]
    fn a_slot_without_a_place_is_passed_over() {
        let table = table(100);
        let slot = table.near(KEY).next().expect("there is one");
        table.words[slot].store(tag(KEY), Relaxed);
        assert_eq!(table.find(KEY), None);
        let place = table.add(&[1]).expect("there is room");
        table.insert(KEY, place);
        assert_eq!(table.find(KEY), Some(place));
    }

    #[test]
    fn a_process_with_another_layout_does_not_find_a_state() {
        let table = table(100);
        table.insert(KEY, table.add(&[1]).expect("there is room"));
        assert!(table.find(KEY).is_some() && table.with_layout(1).find(KEY).is_none());
    }

    #[test]
    fn the_first_to_ask_gets_a_number() {
        let table = table(0);
        let paths = [(ThreadId::MAIN, 0), (ThreadId::MAIN, 1)];
        assert_eq!([table.give_number(1, paths[0]), table.give_number(1, paths[1])], [paths[0]; 2]);
        assert_eq!((table.path(1), table.path(2)), (Some(paths[0]), None));
    }
}
