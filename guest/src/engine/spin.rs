//! Loops that only wait (S14).
//!
//! The pass inserts the loop-head hook where one iteration can change nothing but the loop's own registers and memory
//! whose accesses have hooks. From one visit of a head to the next the engine logs what the thread read. If the
//! registers are the same again, nothing was changed, nothing else was done, and every location still has the value
//! read, then another iteration would do the same again: the thread is parked until one of those locations changes its
//! value.
//!
//! A loop may come back to the same registers only after several iterations: it spins some times before it yields, or
//! polls several locations in turn. Where the registers have changed, the log goes on over more and more iterations,
//! and begins anew in between (Brent's way to find a cycle: An Improved Monte Carlo Factorization Algorithm, BIT 1980),
//! so that in the end it begins at a state to which the loop comes back.
//!
//! A write is judged when the thread's next hook runs: as only one thread runs between two hooks, memory that then
//! holds the value from before the write was not changed by it.

mod repetition;

use super::attention::{self, set_attention};
use super::memory;
use super::parking::{MAX_WATCH, Parking};
use super::run_data::RunData;
use super::site::is_unread;
use super::visibility::plain_is_visible;
use super::watch_sets::WatchSets;
use alloc::vec::Vec;
use inspect_core::event::{ByteRange, HoldChange, MAX_THREADS, Object, Operation, SiteId, ThreadId};
use inspect_core::run::{Request, Run};

/// Registers of a loop head that are compared; a loop with more is not parked.
const MAX_VALUES: usize = 16;
/// Iterations that one log covers at most.
const MAX_ROUNDS: u32 = 128;
/// How many nested loops of a thread are logged at a time; with more, the log of the outermost is dropped.
const MAX_LOGS: usize = 3;

/// What one iteration of a loop has done so far.
struct Log {
    done: Done,
    /// What the iteration has read, or has written without changing it, with the value then. Apart from the rest, as
    /// checkpoints hold a log for each thread in a loop, and few iterations access many locations.
    seen: Vec<(ByteRange, u64)>,
}

/// What an iteration has done, but for the locations.
#[derive(Clone, Copy)]
struct Done {
    site: u64,
    /// Where the hook's caller keeps the values: distinguishes activations of the same loop.
    frame: u64,
    values: [u64; MAX_VALUES],
    count: u8,
    /// Which of the locations seen are those of operations, a bit each.
    operations: u64,
    /// Which of them the iteration has written in an atomic store.
    stored: u64,
    /// Which of them hold contents that nobody uses: operations whose order matters, but not the value.
    unread: u64,
    /// How many iterations the log covers, but for the present one, and how many it may cover before it begins anew.
    rounds: u32,
    most_rounds: u32,
    /// What the iteration has done to a mutex.
    mutex: Option<MutexUse>,
    /// Some of the operations are atomic accesses.
    atomic: bool,
    /// The iteration did something that another one does not repeat, or that cannot be watched.
    spoiled: bool,
    /// The first operation of the iteration.
    first: Option<Request>,
    /// Where the iteration slept or yielded.
    slept: Option<SiteId>,
    /// Time passed in it.
    passes_time: bool,
    /// The values expected by `first`, if it is a compare-exchange.
    first_expected: [u64; 2],
}

/// What an iteration has done to the one mutex that it uses.
#[derive(Clone, Copy)]
struct MutexUse {
    mutex: Object,
    /// How many times it was taken and not given back.
    depth: u32,
    /// It was held by another thread at each attempt to take it.
    held: bool,
    /// Some attempt to take it could have failed.
    tried: bool,
}

const NOTHING: Done = Done {
    site: 0,
    frame: 0,
    values: [0; MAX_VALUES],
    count: 0,
    operations: 0,
    stored: 0,
    unread: 0,
    rounds: 0,
    most_rounds: 1,
    mutex: None,
    atomic: false,
    spoiled: false,
    first: None,
    slept: None,
    passes_time: false,
    first_expected: [0; 2],
};

/// The logs of one thread.
struct ThreadLoops {
    logs: [Log; MAX_LOGS],
    count: usize,
    /// A write announced but not judged yet: place and value before.
    written: Option<(ByteRange, u64)>,
}

/// What each thread's loops have done since their heads were visited last.
pub(crate) struct Loops {
    threads: [ThreadLoops; MAX_THREADS],
}

impl Loops {
    /// Nothing was logged yet.
    pub(crate) fn new() -> Self {
        let log = || Log { done: NOTHING, seen: Vec::new() };
        let thread = |_| ThreadLoops { logs: core::array::from_fn(|_| log()), count: 0, written: None };
        Loops { threads: core::array::from_fn(thread) }
    }

    /// Passes to `word` what decides about parking, for the hash of a state.
    pub(crate) fn hash(&self, used: usize, mut word: impl FnMut(u64)) {
        for (number, thread) in self.threads[..used].iter().enumerate() {
            if thread.count != 0 || thread.written.is_some() {
                word(number as u64);
                thread.logs[..thread.count].iter().for_each(|log| log.hash(&mut word));
                if let Some((range, value)) = thread.written {
                    [range.start, u64::from(range.len), value].into_iter().for_each(&mut word);
                }
            }
        }
    }

    /// The thread is at the head of a loop: returns what to park on, if it is to be parked. Then, or if `one_round`,
    /// the log begins anew.
    pub(crate) fn head(
        &mut self,
        me: ThreadId,
        (site, frame): (u64, u64),
        values: &[u64],
        watch_sets: &mut WatchSets,
        one_round: bool,
    ) -> Option<Parking> {
        self.settle(me);
        let thread = &mut self.threads[me.index()];
        let open = thread.logs[..thread.count].iter().position(|log| log.done.site == site && log.done.frame == frame);
        let parking = open.and_then(|at| {
            // Loops entered after this one's head have been left again.
            thread.count = at + 1;
            thread.logs[at].parking(values, watch_sets)
        });
        if open.is_none() {
            if thread.count == MAX_LOGS {
                thread.logs.rotate_left(1);
                thread.count -= 1;
            }
            thread.count += 1;
        }
        let log = &mut thread.logs[thread.count - 1];
        let most_rounds =
            if open.is_some() && parking.is_none() && !one_round { log.next_round(values) } else { Some(1) };
        if let Some(most_rounds) = most_rounds {
            log.begin_anew(site, frame, values);
            log.done.most_rounds = most_rounds;
        }
        set_attention(me, attention::LOOP, true);
        parking
    }

    /// The thread is about to enter the loop from outside: drops the logs of earlier passages through the loop. The
    /// logs of the loops around it go on, though they may be younger than those.
    pub(crate) fn enter(&mut self, me: ThreadId, site: u64) {
        let thread = &mut self.threads[me.index()];
        while let Some(at) = thread.logs[..thread.count].iter().position(|log| log.done.site == site) {
            thread.logs[at..thread.count].rotate_left(1);
            thread.count -= 1;
        }
    }

    /// The thread has done something that another iteration does not repeat, or that cannot be watched.
    pub(crate) fn spoil(&mut self, me: ThreadId) {
        // The loop is not parked at the next visit of its head, which starts a new log; so the logs can go.
        let thread = &mut self.threads[me.index()];
        thread.count = 0;
        thread.written = None;
        set_attention(me, attention::LOOP, false);
    }

    /// The thread is about to read the range, which holds the value it will get. A long one that is no operation (a
    /// string) is as many locations as it has words.
    pub(crate) fn read(&mut self, me: ThreadId, request: &Request, expected: [u64; 2], range: ByteRange) {
        let is_plain = request.operation.access().is_some_and(|(_, mode)| mode.is_plain());
        if range.len <= 8 || !is_plain || plain_is_visible(range) {
            self.see(me, request, expected, range);
            return;
        }
        let words = (range.start..range.end()).step_by(8);
        for start in words.take(MAX_WATCH + 1) {
            self.see(me, request, expected, ByteRange { start, len: (range.end() - start).min(8) as u32 });
        }
    }

    /// The thread is about to write the range, which other threads may change. While its value is the one that the
    /// iteration writes, the next one changes nothing; so the location is watched like one that is read.
    pub(crate) fn write(&mut self, me: ThreadId, request: &Request, range: ByteRange) {
        if let Some(before) = self.see(me, request, [0; 2], range) {
            self.threads[me.index()].written = Some((range, before));
        }
    }

    /// The thread is about to write the range, which no other thread changes.
    pub(crate) fn write_own(&mut self, me: ThreadId, range: ByteRange) {
        if range.len > 8 {
            return self.spoil(me);
        }
        self.threads[me.index()].written = Some((range, memory::value(range)));
    }

    /// Logs the range with the value that it holds, which is returned if it matters and the range is not too long. An
    /// access to memory that nobody uses is logged only if it is an operation.
    fn see(&mut self, me: ThreadId, request: &Request, expected: [u64; 2], range: ByteRange) -> Option<u64> {
        self.see_used(me, request, expected, range, !is_unread(request.site))
    }

    /// The same where it is known whether anybody uses the memory.
    fn see_used(
        &mut self,
        me: ThreadId,
        request: &Request,
        expected: [u64; 2],
        range: ByteRange,
        used: bool,
    ) -> Option<u64> {
        let is_plain = request.operation.access().is_some_and(|(_, mode)| mode.is_plain());
        let is_operation = !is_plain || plain_is_visible(range);
        if !used && !is_operation {
            return None;
        }
        if range.len > 8 {
            self.spoil(me);
            return None;
        }
        let value = memory::value(range);
        let thread = &mut self.threads[me.index()];
        for log in &mut thread.logs[..thread.count] {
            log.begin(request, expected);
            log.see(range, value, is_operation, !used);
            log.note_store(range, request);
            log.note_atomic(!is_plain);
        }
        used.then_some(value)
    }

    /// The thread has taken a mutex, has given it back or was refused it.
    pub(crate) fn mutex(&mut self, me: ThreadId, request: &Request, executed: &Operation) {
        let thread = &mut self.threads[me.index()];
        for log in &mut thread.logs[..thread.count] {
            log.begin(request, [0; 2]);
            log.note_mutex(executed);
        }
    }

    /// The thread wanted to wait for a futex word, which has another value. The word counts as used, whatever the flags
    /// of the request's site: for an asynchronous cancellation that is the site of the operation to come.
    pub(crate) fn did_not_wait(&mut self, me: ThreadId, request: &Request, word: ByteRange) {
        self.see_used(me, request, [0; 2], word, true);
    }

    /// The thread sleeps or yields.
    pub(crate) fn sleep(&mut self, me: ThreadId, site: SiteId) {
        let thread = &mut self.threads[me.index()];
        for log in &mut thread.logs[..thread.count] {
            log.done.slept = Some(site);
        }
    }

    /// The thread lets time pass.
    pub(crate) fn pass_time(&mut self, me: ThreadId) {
        let thread = &mut self.threads[me.index()];
        thread.logs[..thread.count].iter_mut().for_each(|log| log.done.passes_time = true);
    }

    /// Judges the thread's last write, which has been performed by now.
    pub(crate) fn settle(&mut self, me: ThreadId) {
        let Some((range, before)) = self.threads[me.index()].written.take() else { return };
        if memory::value(range) != before {
            self.spoil(me);
        }
    }
}

/// The logs of a checkpoint.
#[derive(Default)]
pub(crate) struct SavedLoops {
    /// The threads that have logs or a write that is not judged yet.
    threads: Vec<(usize, Option<(ByteRange, u64)>)>,
    /// Each log with its thread, and how many locations it has seen.
    logs: Vec<(usize, Done, usize)>,
    /// The locations of all logs.
    seen: Vec<(ByteRange, u64)>,
}

impl RunData for Loops {
    type Saved = SavedLoops;
    type Left = ();

    fn begin(&mut self, run: &Run) {
        for thread in &mut self.threads[..run.paths().len()] {
            thread.count = 0;
            thread.written = None;
        }
    }

    fn save(&mut self, run: &Run, saved: &mut SavedLoops) -> bool {
        saved.threads.clear();
        saved.logs.clear();
        saved.seen.clear();
        let threads = self.threads[..run.paths().len()].iter().enumerate();
        for (at, thread) in threads.filter(|(_, thread)| thread.count != 0 || thread.written.is_some()) {
            saved.threads.push((at, thread.written));
            for log in &thread.logs[..thread.count] {
                saved.logs.push((at, log.done, log.seen.len()));
                saved.seen.extend_from_slice(&log.seen);
            }
        }
        true
    }

    fn restore(&mut self, run: &Run, saved: &SavedLoops) {
        self.begin(run);
        for &(at, written) in &saved.threads {
            self.threads[at].written = written;
        }
        let mut seen = saved.seen.as_slice();
        for &(at, done, count) in &saved.logs {
            let (of_log, of_others) = seen.split_at(count);
            let thread = &mut self.threads[at];
            let log = &mut thread.logs[thread.count];
            log.done = done;
            log.seen.clear();
            log.seen.extend_from_slice(of_log);
            thread.count += 1;
            seen = of_others;
        }
    }

    fn leave(&mut self) {}

    fn adopt(&mut self, (): ()) {}
}

impl Log {
    /// The thread goes round the loop again. Returns how many rounds the log may cover if it is to begin anew.
    fn next_round(&mut self, values: &[u64]) -> Option<u32> {
        let Done { spoiled, count, most_rounds, .. } = self.done;
        if spoiled || self.done.values[..count as usize] == *values {
            return Some(1);
        }
        self.done.rounds += 1;
        (self.done.rounds == most_rounds).then(|| (2 * most_rounds).min(MAX_ROUNDS))
    }

    fn begin_anew(&mut self, site: u64, frame: u64, values: &[u64]) {
        self.done = Done { site, frame, spoiled: values.len() > MAX_VALUES, ..NOTHING };
        self.seen.clear();
        if !self.done.spoiled {
            self.done.values[..values.len()].copy_from_slice(values);
            self.done.count = values.len() as u8;
        }
    }

    fn hash(&self, word: &mut impl FnMut(u64)) {
        let first = self.done.first.map_or(0, |request| request.site.0);
        let counts = u64::from(self.done.count) << 16 | (self.seen.len() as u64) << 8 | u64::from(self.done.spoiled);
        let unread = self.done.unread;
        [self.done.site, self.done.frame, counts, unread, first, self.done.slept.map_or(0, |site| site.0)]
            .into_iter()
            .for_each(&mut *word);
        self.done.first_expected.into_iter().for_each(&mut *word);
        if let Some(used) = self.done.mutex {
            [used.mutex.0, u64::from(used.depth) << 1 | u64::from(used.held)].into_iter().for_each(&mut *word);
        }
        self.done.values[..self.done.count as usize].iter().for_each(|&value| word(value));
        for &(range, value) in &self.seen {
            [range.start, u64::from(range.len), value].into_iter().for_each(&mut *word);
        }
    }

    fn begin(&mut self, request: &Request, expected: [u64; 2]) {
        if self.done.first.is_none() {
            self.done.first = Some(*request);
            self.done.first_expected = expected;
        }
    }

    /// The iteration reads the range, or writes to it, which holds this value.
    fn see(&mut self, range: ByteRange, value: u64, is_operation: bool, unread: bool) {
        let known = &self.seen;
        let at = match known.iter().position(|seen| seen.0 == range) {
            Some(at) => {
                let is_unread = unread && self.done.unread >> at & 1 != 0;
                self.done.spoiled |= known[at].1 != value && !is_unread;
                at
            }
            None if known.len() < MAX_WATCH => {
                self.done.unread |= u64::from(unread) << known.len();
                self.seen.push((range, value));
                self.seen.len() - 1
            }
            None => {
                self.done.spoiled = true;
                return;
            }
        };
        self.done.operations |= u64::from(is_operation) << at;
    }

    /// Notes that the iteration stores to the range, which it has seen, if the operation is an atomic store.
    fn note_store(&mut self, range: ByteRange, request: &Request) {
        let at = request.operation.stored().and_then(|_| self.seen.iter().position(|seen| seen.0 == range));
        self.done.stored |= at.map_or(0, |at| 1 << at);
    }

    /// An iteration with both atomic accesses and operations on a mutex is spoiled.
    fn note_atomic(&mut self, atomic: bool) {
        self.done.atomic |= atomic;
        self.done.spoiled |= atomic && self.done.mutex.is_some();
    }

    /// The iteration has made this operation on a mutex. Others see nothing of the iteration if it gives back what it
    /// takes, uses no other mutex and makes no atomic accesses, which would be ordered beside those on the mutex.
    fn note_mutex(&mut self, executed: &Operation) {
        let held = executed.is_failed_lock();
        let Some((mutex, _)) = executed.objects()[0] else { return };
        let mut used = self.done.mutex.unwrap_or(MutexUse { mutex, depth: 0, held, tried: false });
        used.tried |= executed.succeeded().is_some();
        self.done.spoiled |= used.mutex != mutex || used.held != held || self.done.atomic;
        match executed.hold() {
            Some((_, HoldChange::Takes)) => used.depth += 1,
            Some((_, HoldChange::Gives)) if used.depth > 0 => used.depth -= 1,
            Some((_, HoldChange::Gives | HoldChange::Clears)) => self.done.spoiled = true,
            None => {}
        }
        self.done.mutex = Some(used);
    }
}
