//! What a search by reads-from feedback has seen, and what it tries next (`sample::rff` has the paper).
//!
//! Runs are counted by the set of their reads-from pairs. An abstract schedule is kept if its run showed a pair or a
//! set for the first time. The kept ones are tried in a cycle: one whose set of pairs was seen more often than the
//! average is skipped; any other is tried in twice as many runs as the last time. Each of these runs tries the abstract
//! schedule with one change: a constraint is added, removed or negated.
//!
//! Departure from the paper: of very many pairs, sets and abstract schedules, those that come first are kept.

use crate::event::{Footprint, ReadsFrom, SiteId, ThreadId, ThreadSet, Trace};
use crate::random::Random;
use crate::sample::LastWriters;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

/// How many locations, pairs and abstract schedules are kept at most.
const MOST: usize = 4096;
/// How many sets of pairs are distinguished.
const MOST_SETS: usize = 1 << 16;
/// The longest turn of an abstract schedule, in runs.
const LONGEST_TURN: u32 = 64;

/// Where in the source a location is touched, and by whom.
#[derive(Debug, Default)]
struct Places {
    by: ThreadSet,
    readers: Vec<SiteId>,
    writers: Vec<SiteId>,
}

/// An abstract schedule that showed something new.
#[derive(Debug)]
struct Kept {
    constraints: Vec<ReadsFrom>,
    /// The set of pairs that it showed.
    set: u64,
    turns: u32,
}

/// What the runs of a search by reads-from feedback have shown, and whose turn it is.
#[derive(Debug)]
pub(super) struct Feedback {
    places: BTreeMap<u64, Places>,
    pairs: BTreeSet<ReadsFrom>,
    /// By set of pairs: how many runs had it.
    sets: BTreeMap<u64, u32>,
    runs: u32,
    kept: Vec<Kept>,
    /// Whose turn it is, and how many runs are left of it.
    turn: usize,
    left: u32,
    /// What the run that is made now tries.
    tried: Vec<ReadsFrom>,
    last: LastWriters,
}

impl Feedback {
    /// Nothing was seen yet.
    pub(super) fn new() -> Self {
        Feedback {
            places: BTreeMap::new(),
            pairs: BTreeSet::new(),
            sets: BTreeMap::new(),
            runs: 0,
            kept: Vec::new(),
            turn: 0,
            left: 0,
            tried: Vec::new(),
            last: LastWriters::new(),
        }
    }

    /// Writes the abstract schedule that the next run is to try into `constraints`; empty if none has its turn.
    pub(super) fn ask(&mut self, random: &mut Random, constraints: &mut Vec<ReadsFrom>) {
        self.tried.clear();
        if let Some(kept) = self.chosen() {
            let kept = &self.kept[kept];
            self.tried.extend_from_slice(&kept.constraints);
            self.change(random);
        }
        constraints.clone_from(&self.tried);
    }

    /// The abstract schedule whose turn it is.
    fn chosen(&mut self) -> Option<usize> {
        for _ in 0..=self.kept.len() {
            if self.left > 0 {
                self.left -= 1;
                return Some(self.turn);
            }
            self.turn = if self.turn + 1 < self.kept.len() { self.turn + 1 } else { 0 };
            let average = self.runs / (self.sets.len() as u32).max(1);
            let kept = self.kept.get_mut(self.turn)?;
            if self.sets.get(&kept.set).is_none_or(|&runs| runs <= average.max(1)) {
                self.left = LONGEST_TURN.min(1 << kept.turns.min(31));
                kept.turns += 1;
            }
        }
        // All were seen more often than the average: priorities alone decide.
        None
    }

    /// Changes what is tried in one place.
    fn change(&mut self, random: &mut Random) {
        let constraints = self.tried.len() as u32;
        let at = random.index(constraints.max(1)) as usize;
        match random.index(4) {
            0 if constraints > 0 => {
                self.tried.swap_remove(at);
            }
            1 if constraints > 0 => self.tried[at].wanted = !self.tried[at].wanted,
            _ => self.tried.extend(self.drawn(random)),
        }
    }

    /// A reader and a writer of one location, which need not have come together yet.
    fn drawn(&self, random: &mut Random) -> Option<ReadsFrom> {
        let shared = || self.places.iter().filter(|(_, places)| places.by.len() > 1 && !places.writers.is_empty());
        let number = random.index((shared().count() as u32).max(1));
        let (&start, places) = shared().nth(number as usize)?;
        let mut any = |sites: &[SiteId]| sites[random.index(sites.len() as u32) as usize];
        let (reader, writer) = (any(&places.readers), any(&places.writers));
        Some(ReadsFrom { start, reader, writer, wanted: random.index(4) > 0 })
    }

    /// Takes in a run.
    pub(super) fn learn(&mut self, trace: &Trace) {
        let (mut shown, mut last) = (BTreeSet::new(), core::mem::take(&mut self.last));
        last.clear();
        for event in &trace.events {
            last.note(event, |start, writer| {
                shown.insert(ReadsFrom { start, reader: event.site, writer, wanted: true });
            });
            for (range, touch) in Footprint::of(&event.operation).iter() {
                self.note_place(range.start, event.site, event.thread, !touch.only_reads());
            }
        }
        self.last = last;
        self.file(&shown);
    }

    fn note_place(&mut self, start: u64, site: SiteId, thread: ThreadId, writes: bool) {
        if self.places.len() >= MOST && !self.places.contains_key(&start) {
            return;
        }
        let places = self.places.entry(start).or_default();
        places.by.insert(thread);
        let add = |sites: &mut Vec<SiteId>| {
            if !sites.contains(&site) {
                sites.push(site);
            }
        };
        add(&mut places.readers);
        if writes {
            add(&mut places.writers);
        }
    }

    /// Files a run under the pairs that it has shown.
    fn file(&mut self, shown: &BTreeSet<ReadsFrom>) {
        let words = shown.iter().flat_map(|pair| [pair.start, pair.reader.0, pair.writer.0]);
        let set = words.fold(0, |set, word| Random(set ^ word).number());
        let mut is_new = false;
        for pair in shown {
            is_new |= self.pairs.len() < MOST && self.pairs.insert(*pair);
        }
        self.runs = self.runs.saturating_add(1);
        if self.sets.len() < MOST_SETS || self.sets.contains_key(&set) {
            let runs = self.sets.entry(set).or_default();
            *runs += 1;
            is_new |= *runs == 1;
        }
        if is_new && self.kept.len() < MOST {
            self.kept.push(Kept { constraints: self.tried.clone(), set, turns: 0 });
        }
    }
}
