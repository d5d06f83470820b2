//! The state of the program as a hash, for searches that end a run where another one has been (`--algorithm stateful`).
//!
//! What follows depends on memory, which [`contents`] hashes, on what the scheduler knows, which
//! [`inspect_core::run::States`] adds, on what the engine keeps for each thread, and on where each thread local_states. The latter
//! is told by frame records ([`inspect_wire::hooks::Frame`]), which hold what lives in each function of the program and
//! nothing that is dead. A thread local_states in a hook or a model, called by the innermost function; between frames there is
//! nothing but calls, as far as the return addresses lie in the program. Where they do not (a library calls the program
//! back), where the engine itself calls the program, or where a model keeps what it has read of memory, the state is not
//! told, and matches no other one.
//!
//! Within one call of a model a thread can come to several visible operations. What the model knows then are the arguments,
//! the operations so far, which are part of the state, and nothing else; models that keep more say so ([`keeping`]).
//!
//! Where each thing is that decides about what follows (`host/tests/stateful.rs` has a program for most of them, with two
//! orders that differ in nothing else):
//!
//! | what | how |
//! |---|---|
//! | globals, heap, free lists, red zones, thread-local storage, `errno`, values of keys, buffers of streams, environment, locale, exit handlers, what `rand` and the like keep | memory of the program |
//! | numbers drawn by each thread, where `strtok` goes on | [`contents`], with memory |
//! | values and variables of functions, and the call each of them is in | frame records |
//! | floating-point control words and noted exceptions | as the thread arrives |
//! | threads, pending operations, owners, waiters, depth of recursive mutexes, once objects, watched locations | [`inspect_core::run::States`] |
//! | results of threads, cleanup handlers, destructors of keys, loops that may be parked, granted operations | [`Present::engine`] |
//! | what was unlocked just before a signal, where threads and objects come from | `States`: only detectors ask |
//! | files and descriptors, umask, mappings, clocks, signal actions, masks and pending signals | once changed: not told |
//! | handlers, destructors and initialisers that run, functions with `setjmp`, variable arguments or sizes, libraries that call back | not told |
//! | happens-before | not part of a state: races are found where accesses are pending at once, and `unordered_communication.rs` says when that is not enough |
//! | preemptions, steps so far | refused, or end in a limit |
//!
//! Cancellation, timers, sockets and child processes are not modelled at all.

use super::deltas;
use super::hash_cache::{self, HashCache, Moment};
use super::memory::Memory;
use super::report::{self, Reporter};
use super::spin::Loops;
use super::state::{CONTEXTS, Engine, ThreadState, with};
use super::step::me;
use super::watch_sets::WatchSets;
use crate::model::key;
use crate::platform::contents::{self, Mixer};
use crate::platform::layout::Range;
use crate::platform::{Global, elf, fiber};
use core::arch::asm;
use core::cell::RefCell;
use core::hash::{Hash, Hasher};
use inspect_core::event::{ByteRange, MAX_THREADS, Operation, SiteId, ThreadId, ThreadSet};
use inspect_core::run::{Next, StateHasher, StateKey, States, World};
use inspect_wire::hooks::{CallSite, DeltaFrame, Frame, site};
use inspect_wire::message::{Job, LocalStates, Mode, PlainAccesses, Task, Uncompared};

/// Where the program's constructor says that main's innermost record is, or 0.
static INNERMOST: Global<u64> = Global::new(0);
/// The program's records are [`DeltaFrame`]s.
static DELTAS: Global<bool> = Global::new(false);

/// How many states could not be compared, by reason, and where a thread stood in the first of them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct UncomparedStates([(u64, SiteId); Uncompared::ALL.len()]);

impl UncomparedStates {
    fn count(&mut self, why: Uncompared, site: SiteId) {
        let (states, first) = &mut self.0[why as usize];
        if *states == 0 {
            *first = site;
        }
        *states += 1;
    }
}

/// Tells which states could not be compared.
pub(super) fn tell(reporter: &mut Reporter) {
    let (tally, unkept) = with(|engine| {
        let unkept = engine.run.states().map_or(0, States::unkept);
        (*engine.uncompared.borrow(), unkept)
    });
    for why in Uncompared::ALL {
        let (states, site) = if why == Uncompared::Room { (unkept, SiteId(0)) } else { tally.0[why as usize] };
        if states > 0 {
            reporter.uncompared(why, states, site);
        }
    }
}

/// Where a thread has arrived.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProgramPoint {
    site: SiteId,
    /// A hash of the operations in the present call but the last one.
    operations: StateKey,
    last: Operation,
    /// The present call writes to no memory that its operations do not name.
    quiet: bool,
    /// Somewhere among the thread's frames a variable was changed, and nobody knows whose.
    pub(super) lost: bool,
}

impl ProgramPoint {
    /// Where nothing of its frames matters any more.
    pub(crate) const NOWHERE: ProgramPoint =
        ProgramPoint { site: SiteId(0), operations: 0, last: Operation::Yield, quiet: false, lost: false };
}

/// The program has frame records, which tell deltas or everything.
pub(crate) fn announce_frames(innermost: u64, written: u64, deltas: bool) {
    INNERMOST.write(innermost);
    DELTAS.write(deltas);
    hash_cache::announce(written);
}

/// Does something for the running thread with more in mind than what it was asked for and the operations it has come to.
pub(crate) fn keeping<R>(function: impl FnOnce() -> R) -> R {
    keep_something(true);
    let result = function();
    keep_something(false);
    result
}

/// From now on the engine keeps something for the running thread that is told nowhere, or does so no longer.
pub(crate) fn keep_something(begins: bool) {
    if super::state::RUNNING.read() {
        with(|engine| {
            let count = &mut engine.threads[me().index()].callbacks;
            *count = if begins { *count + 1 } else { count.saturating_sub(1) };
        });
    }
}

/// Calls a function of the program on behalf of the running thread. When it is back, its frames are gone.
pub(crate) fn call_back<R>(function: impl FnOnce() -> R) -> R {
    let place = || with(|engine| engine.state_recorder.map(|state_recorder| state_recorder.innermost(me().index())));
    // SAFETY: the thread's own variable.
    let kept = place().map(|place| (place, unsafe { *place }));
    let result = keeping(function);
    if let Some((place, innermost)) = kept {
        // SAFETY: as above.
        unsafe { *place = innermost };
    }
    result
}

/// What is known of the program's frames.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StateRecorder {
    /// From the thread pointer to the address of the innermost record.
    distance: u64,
    program: Range,
    engine: Range,
    /// There may be objects that are destroyed with their thread.
    destroys: bool,
    /// Records hold identities of local states.
    deltas: bool,
}

impl StateRecorder {
    fn innermost(&self, slot: usize) -> *mut u64 {
        fiber::thread_pointer(slot).wrapping_add(self.distance) as *mut u64
    }
}

/// Whether the search ends runs in states that it knows. Not in fork mode: no process sees more than one run.
pub(super) fn records_states(job: &Job) -> bool {
    job.algorithm.description().compares_states() && job.mode == Mode::Restore && job.task == Task::Explore
}

/// Prepares for telling states. Before the snapshot: runs begin without records.
pub(super) fn prepare(job: &Job) {
    let deltas = DELTAS.read();
    if !records_states(job) || INNERMOST.read() == 0 || deltas != (job.local_states == LocalStates::Delta) {
        return;
    }
    let distance = INNERMOST.read().wrapping_sub(fiber::thread_pointer(0));
    let destroys = elf::imports().iter().flat_map(|object| &object.names).any(|name| name.contains("thread_atexit"));
    let state_recorder =
        StateRecorder { distance, program: contents::program(), engine: elf::image(), destroys, deltas };
    // SAFETY: main's own variable, which the program announced; no run has begun.
    unsafe { *state_recorder.innermost(0) = 0 };
    hash_cache::take_flag();
    with(|engine| engine.state_recorder = Some(state_recorder));
    begin_anew(job);
}

/// No state has been visited.
pub(super) fn begin_anew(job: &Job) {
    with(|engine| {
        if engine.state_recorder.is_some() {
            engine.uncompared = RefCell::default();
            engine.run.record_states(States::within(job.state_memory));
            if job.plain_accesses != PlainAccesses::All {
                engine.discipline.get_or_insert_default().begin_anew();
            }
        }
    });
}

/// Notes where the running thread has arrived, and lets the scheduler decide.
#[cold]
#[inline(never)]
pub(super) fn next(engine: &mut Engine, me: ThreadId) -> Next {
    let Some(state_recorder) = engine.state_recorder else { return engine.run.next(&engine.memory) };
    let request = *engine.run.request(me);
    let program_point = &mut engine.threads[me.index()].program_point;
    let ends = matches!(request.operation, Operation::Exit | Operation::EndProcess(_));
    let quiet = program_point.quiet && (!ends || ends_quietly(&request.operation, &state_recorder));
    program_point.site = if ends { ProgramPoint::NOWHERE.site } else { request.site };
    program_point.quiet = false;
    let mut frames = Frames::new(&state_recorder, me.index());
    if state_recorder.program.contains(program_point.site.0)
        && let Some(frame) = frames.next()
    {
        // SAFETY: a record of the program, which is the thread's own and writable, and the record of its call.
        let (count, flags) = unsafe { (&mut (*frame).operations, (*(*frame).site).flags) };
        program_point.quiet = flags & site::WRITES_NOTHING_ELSE != 0;
        if *count == 0 {
            program_point.operations = 0;
        } else {
            let mut hasher = StateHasher::default();
            hasher.write_u128(program_point.operations);
            program_point.last.hash(&mut hasher);
            program_point.operations = hasher.key();
        }
        program_point.last = request.operation;
        *count += 1;
        if state_recorder.deltas {
            // SAFETY: as above, in a program whose records have identities.
            unsafe { deltas::arrived(engine, &state_recorder, me, frame.cast(), flags & site::WRITES != 0) };
        }
    }
    engine.hash_cache.get_mut().arrived(me, quiet && engine.watch_sets.is_empty(), engine.run.events());
    let used = engine.run.paths().len();
    let (memory, threads, loops, watch_sets) =
        (&engine.memory, &engine.threads[..used], &engine.loops, &engine.watch_sets);
    let (destroyed, uncompared, kept) = (engine.something_destroyed, &engine.uncompared, &engine.hash_cache);
    let next =
        engine.run.next(&Present { state_recorder, memory, threads, loops, watch_sets, destroyed, uncompared, kept });
    if let Some(discipline) = &mut engine.discipline {
        let events = engine.run.events();
        let aliased = !engine.watch_sets.is_empty();
        discipline.take_in(&engine.run, if aliased { engine.watch_sets.resolve(events) } else { events });
    }
    next
}

/// A thread makes an access that is no operation.
#[cold]
#[inline(never)]
pub(super) fn hidden(engine: &mut Engine, thread: ThreadId, range: ByteRange, write: bool) {
    if write {
        engine.hash_cache.get_mut().wrote(range);
    }
    if let Some(discipline) = &mut engine.discipline {
        discipline.plain(&engine.run, thread, range, write);
    }
}

/// A run begins.
pub(super) fn begun(engine: &mut Engine) {
    engine.hash_cache.get_mut().begin();
    if let Some(discipline) = &mut engine.discipline {
        discipline.begin(&engine.run);
    }
}

/// A checkpoint is taken of this moment. Before memory is copied.
pub(super) fn save(engine: &mut Engine, moment: &mut Moment) {
    if engine.state_recorder.is_some() {
        engine.hash_cache.get_mut().save(engine.run.paths().len(), moment);
    }
}

/// The run goes on from a checkpoint.
pub(super) fn resumed(engine: &mut Engine, moment: &Moment) {
    if engine.state_recorder.is_some() {
        engine.hash_cache.get_mut().resume(moment);
    }
    if let Some(discipline) = &mut engine.discipline {
        discipline.begin(&engine.run);
    }
}

/// Whether accesses that were taken for ordered may not be.
pub(super) fn is_undisciplined(engine: &mut Engine) -> bool {
    engine.discipline.as_mut().is_some_and(|discipline| discipline.lost_a_mutex(&engine.run))
}

/// Whether nothing ran at the end of a thread: destructors of keys, or of C++ objects.
fn ends_quietly(operation: &Operation, state_recorder: &StateRecorder) -> bool {
    *operation == Operation::Exit && !state_recorder.destroys && key::table().is_empty()
}

/// The running thread's floating-point control words, with the exceptions noted.
fn control() -> u64 {
    const EXCEPTIONS: u16 = 0x3f;
    let (mut first, mut second, mut noted) = (0u32, 0u16, 0u16);
    // SAFETY: stores two control words and a status word to three variables.
    unsafe {
        asm!("stmxcsr [{}]", "fnstcw [{}]", "fnstsw [{}]", in(reg) &raw mut first, in(reg) &raw mut second,
            in(reg) &raw mut noted, options(nostack, preserves_flags));
    }
    u64::from(first) | u64::from(second) << 32 | u64::from(noted & EXCEPTIONS) << 48
}

/// The records of a thread, from the innermost one outwards.
pub(super) struct Frames<'a> {
    state_recorder: &'a StateRecorder,
    stack: Range,
    next: u64,
}

impl<'a> Frames<'a> {
    fn new(state_recorder: &'a StateRecorder, slot: usize) -> Frames<'a> {
        // SAFETY: the thread's own variable, which every thread of the program has.
        Frames::of(state_recorder, slot, unsafe { *state_recorder.innermost(slot) })
    }

    /// Those from a record outwards.
    pub(super) fn of(state_recorder: &'a StateRecorder, slot: usize, next: u64) -> Frames<'a> {
        Frames { state_recorder, stack: fiber::stack(slot), next }
    }

    /// Whether there is nothing further out.
    pub(super) fn is_at_end(&self) -> bool {
        self.next == 0
    }

    /// The next record. None at the end, or if what comes next is no record: then `next` is not 0.
    pub(super) fn next(&mut self) -> Option<*mut Frame> {
        let record = Range::new(self.next, size_of::<Frame>() as u64);
        let inside = self.next.is_multiple_of(8) && self.stack.contains(record.start) && record.end <= self.stack.end;
        if !inside {
            return None;
        }
        let frame = self.next as *mut Frame;
        // SAFETY: inside the thread's stack.
        let (caller, site) = unsafe { ((*frame).caller as u64, (*frame).site as u64) };
        if !self.state_recorder.program.contains(site) || !site.is_multiple_of(8) {
            return None;
        }
        // Callers are further up.
        self.stack.start = record.end;
        self.next = caller;
        Some(frame)
    }
}

/// Everything that the state depends on.
struct Present<'a> {
    state_recorder: StateRecorder,
    memory: &'a Memory,
    threads: &'a [ThreadState],
    loops: &'a Loops,
    watch_sets: &'a WatchSets,
    destroyed: bool,
    uncompared: &'a RefCell<UncomparedStates>,
    kept: &'a RefCell<HashCache>,
}

impl Present<'_> {
    /// Takes in what the engine keeps for the threads.
    fn engine(&self, mixer: &mut Mixer) {
        mixer.word(u64::from(self.destroyed));
        for (slot, thread) in self.threads.iter().enumerate() {
            if thread.result != 0 || thread.cleanup != 0 || thread.granted.is_some() {
                mixer.pair(slot as u64, thread.result);
                mixer.word(thread.cleanup);
                if let Some(granted) = thread.granted {
                    mixer.pair(granted.range.start, granted.site.0);
                    mixer.word(granted.range.len.into());
                }
            }
        }
        if !self.watch_sets.is_empty() {
            for range in (0..self.threads.len()).map(|slot| self.watch_sets.real(slot)) {
                mixer.pair(range.map_or(0, |range| range.start), range.map_or(0, |range| range.len.into()));
            }
        }
        key::table().iter().for_each(|&destructor| mixer.word(destructor));
        self.loops.tell(self.threads.len(), |word| mixer.word(word));
    }

    /// Where a thread local_states, or why that cannot be told.
    fn local_state(&self, thread: ThreadId) -> Result<StateKey, Uncompared> {
        let ThreadState { program_point, callbacks, .. } = &self.threads[thread.index()];
        let mut mixer = Mixer::new(thread.index() as u64);
        // Of all others they are where their switches have left them.
        let waits = thread.index() != fiber::current_slot();
        // SAFETY: whoever has arrived and does not run has been suspended.
        mixer.word(if waits { unsafe { (*CONTEXTS.as_ptr())[thread.index()].control() } } else { control() });
        mixer.pair(program_point.operations as u64, (program_point.operations >> 64) as u64);
        if program_point.site == ProgramPoint::NOWHERE.site {
            return Ok(mixer.finish());
        }
        if *callbacks > 0 {
            return Err(Uncompared::Called);
        }
        if program_point.lost {
            return Err(Uncompared::Library);
        }
        if !self.state_recorder.program.contains(program_point.site.0) {
            return Err(Uncompared::Library);
        }
        let mut frames = Frames::new(&self.state_recorder, thread.index());
        loop {
            let frame = frames.next().ok_or(Uncompared::Library)?;
            // SAFETY: a record inside the thread's stack, whose site is a record of the program.
            let returns_to =
                unsafe { hash_frame(frame, self.state_recorder.deltas, &mut mixer) }.ok_or(Uncompared::Frame)?;
            if self.state_recorder.program.contains(returns_to) {
                continue;
            }
            // The engine has called: to start the thread, or an initialiser.
            if !self.state_recorder.engine.contains(returns_to) {
                return Err(Uncompared::Library);
            }
            if frames.next == 0 {
                return Ok(mixer.finish());
            }
        }
    }
}

/// Takes in a record; returns where the function returns to. None if the record does not tell everything.
///
/// # Safety
/// The record is one of the program's.
unsafe fn hash_frame(frame: *const Frame, deltas: bool, mixer: &mut Mixer) -> Option<u64> {
    // SAFETY: as the pass lays out records: in a program built for deltas the identity follows; then addresses of variables,
    // then values; sizes follow the call's record.
    unsafe {
        let Frame { returns_to, site, operations, .. } = *frame;
        let CallSite { values, variables, complete, .. } = *site;
        if complete == 0 {
            return None;
        }
        mixer.pair(site as u64, operations);
        mixer.word(returns_to);
        let words = if deltas { frame.cast::<DeltaFrame>().add(1).cast() } else { frame.add(1).cast::<u64>() };
        let sizes = site.add(1).cast::<u64>();
        for at in 0..variables as usize {
            let size = *sizes.add(at);
            mixer.bytes(*words.add(at), if size & site::BY_DELTA == 0 { size } else { 0 });
        }
        if deltas {
            mixer.words((*frame.cast::<DeltaFrame>()).identity.words());
        } else {
            mixer.words(core::slice::from_raw_parts(words.add(variables as usize), values as usize));
        }
        Some(returns_to)
    }
}

impl World for Present<'_> {
    fn value(&self, range: ByteRange) -> u64 {
        self.memory.value(range)
    }

    fn exchange_succeeds(&self, thread: ThreadId) -> bool {
        self.memory.exchange_succeeds(thread)
    }

    fn value_before(&self, range: ByteRange) -> Option<u64> {
        self.memory.value_before(range)
    }

    fn compared(&self, thread: ThreadId) -> Option<u64> {
        self.memory.compared(thread)
    }

    fn fingerprint(&self, live: ThreadSet) -> Option<StateKey> {
        let untold = |why: Uncompared, thread: ThreadId| {
            self.uncompared.borrow_mut().count(why, self.threads[thread.index()].program_point.site);
        };
        let mut kept = self.kept.borrow_mut();
        let all = kept.needs_all();
        for thread in kept.stale(live).iter() {
            kept.local_states[thread.index()] = self.local_state(thread).map_err(|why| untold(why, thread)).ok()?;
        }
        let mut mixer = Mixer::new(0);
        for thread in live.iter() {
            let state = kept.local_states[thread.index()];
            mixer.pair(state as u64, (state >> 64) as u64);
        }
        self.engine(&mut mixer);
        if !all && kept.is_to_be_checked() {
            self.check(&kept, live);
        }
        let memory = if all { self.all_memory() } else { self.memory_since(&kept) };
        let memory = memory.map_err(|why| untold(why, live.first().unwrap_or(ThreadId::MAIN))).ok()?;
        mixer.pair(memory as u64, (memory >> 64) as u64);
        kept.told();
        Some(mixer.finish())
    }
}

impl Present<'_> {
    /// Compares what is kept with what is there. If they differ, a thread has written where nobody looked, and states may
    /// have been taken for others.
    fn check(&self, kept: &HashCache, live: ThreadSet) {
        let same = live
            .iter()
            .all(|thread| self.local_state(thread).is_ok_and(|state| state == kept.local_states[thread.index()]));
        let since = self.memory_since(kept);
        if !same || since != self.all_memory() {
            report::tool_error("the hash of a state that was kept is not that of the state");
        }
    }

    /// A hash of all memory.
    fn all_memory(&self) -> Result<StateKey, Uncompared> {
        self.without_records(contents::changes)
    }

    /// The same, where only the ranges noted have changed since.
    fn memory_since(&self, kept: &HashCache) -> Result<StateKey, Uncompared> {
        let slots = self.threads.len();
        // Where the innermost record is lies in memory, too, and says nothing that the records do not.
        let records = (0..slots).map(|slot| self.state_recorder.innermost(slot) as u64);
        let known = kept.ranges().and_then(|ranges| contents::changes_in(ranges, records, slots).transpose());
        known.unwrap_or_else(|| self.all_memory())
    }

    /// Calls `function` while no thread has an innermost record: where it is says nothing that the records do not.
    fn without_records<R>(&self, function: impl FnOnce(usize) -> R) -> R {
        let slots = self.threads.len();
        let mut before = [0; MAX_THREADS];
        for (slot, before) in before[..slots].iter_mut().enumerate() {
            let innermost = self.state_recorder.innermost(slot);
            // SAFETY: the threads' own variables; where there is something else than 0, the program has written before.
            unsafe {
                *before = *innermost;
                if *before != 0 {
                    *innermost = 0;
                }
            }
        }
        let result = function(slots);
        for (slot, &before) in before[..slots].iter().enumerate().filter(|(_, before)| **before != 0) {
            // SAFETY: as above.
            unsafe { *self.state_recorder.innermost(slot) = before };
        }
        result
    }
}
