//! The state of the program as a hash, for searches that end a run in a state that another run was in (`--algorithm
//! stateful`).
//!
//! What follows a state depends on memory, which [`contents`] hashes, on what the scheduler knows, which
//! [`inspect_core::run::States`] adds, on what the engine holds for each thread, and on where each thread is in the
//! code with which values: its *local state*. The latter is in frame records ([`inspect_wire::hooks::Frame`]), which
//! hold all that is live in each function of the program, and nothing else. A thread waits in a hook or a model, called
//! by the innermost function; if every function returns to an address in the program, then the records show all frames
//! of the thread. Where a function returns into a library (which has called the program back), where the engine itself
//! calls the program, or where a model remembers what it has read of memory, the state cannot be compared: it is not
//! hashed, and matches no other one.
//!
//! Within one call of a model a thread can come to several visible operations. What the model does next may depend on
//! its arguments and on its operations so far, which are both part of the state; a model that remembers more marks
//! itself with [`uncomparable_during`].
//!
//! Everything that decides what follows, and how it becomes part of the state (`host/tests/stateful.rs` has a program
//! for most rows, with two orders that differ in nothing else):
//!
//! | what | how |
//! |---|---|
//! | globals, heap, free lists, red zones, thread-local storage, `errno`, values of keys, buffers of streams, environment, locale, numbers of exit handlers, what `rand` and the like keep | memory of the program |
//! | numbers drawn by each thread, where `strtok` goes on | [`contents`], with memory |
//! | values and variables of functions, and the call each of them is in | frame records |
//! | floating-point control words and noted exceptions | as the thread arrives |
//! | threads, pending operations, owners, waiters, depth of recursive mutexes, once objects, watched locations, requests to cancel | [`inspect_core::run::States`] |
//! | results of threads, cleanup handlers, settings for cancellation, destructors of keys, named semaphores, loops that may be parked, granted operations | `Present::hash_engine` |
//! | whether freed blocks are used again | `Present::hash_engine` |
//! | the mutex released right before a signal, creations of threads and objects | `States`, for findings and reasons |
//! | files and descriptors, umask, mappings, clocks, signal actions, masks, pending signals, timers | once changed: not compared |
//! | handlers, destructors and initialisers that run, functions with `setjmp`, variable arguments or sizes, libraries that call back | not compared |
//! | happens-before | part of a state once threads communicate by operations that C11 does not order (`unordered_communication.rs`): as far as it decides about races, hashed by the race detector; before, races are found where accesses are pending at once |
//! | preemptions, steps so far | refused, or end in a limit |
//!
//! Sockets and child processes are not modelled at all.

use super::bits_of_call;
use super::defect::tool_error;
use super::deltas;
use super::frames::{self, Frames, StateRecorder, UncomparedStates, hash_frame};
use super::hash_cache::{self, HashCache};
use super::keys;
use super::memory::Memory;
use super::named_semaphores::NamedSemaphores;
use super::object_memory::{self, IN_COND, IN_MUTEX};
use super::signal_queue::SignalQueue;
use super::spin::Loops;
use super::state::{Engine, RUNNING, with};
use super::switches::Switch;
use super::threads::{CONTEXTS, Cancellation, ProgramPoint, ThreadState, me};
use super::visibility;
use super::watch_sets::WatchSets;
use crate::platform::contents::{self, Mixer};
use crate::platform::float_control::FloatControl;
use crate::platform::{Global, arena, elf, fiber, link};
use core::cell::RefCell;
use core::hash::{Hash, Hasher};
use inspect_core::detect::{Observer, PagedShadow};
use inspect_core::event::{ByteRange, MAX_THREADS, Object, Operation, ThreadId, ThreadSet};
use inspect_core::hash::Hasher128;
use inspect_core::run::{Next, Run, StateKey, States, World};
use inspect_wire::hooks::site;
use inspect_wire::message::{Job, LocalStates, Mode, PlainAccesses, Task, Uncompared};

/// The program has frame records. `innermost` is the address of the main thread's variable that holds the address of
/// its innermost record; `written` is the address of the flag that the program sets before it writes unannounced, or 0.
pub(crate) fn announce_frames(innermost: u64, written: u64, deltas: bool) {
    frames::announce(innermost, deltas);
    hash_cache::announce(written);
}

/// Runs `function` for the running thread. If the thread comes to an operation in it, states with the thread there
/// cannot be compared, as no state includes what `function` remembers.
pub(crate) fn uncomparable_during<R>(function: impl FnOnce() -> R) -> R {
    set_uncomparable(true);
    let result = function();
    set_uncomparable(false);
    result
}

/// A reason begins, or ends, for which states in which the running thread stands here cannot be compared. A thread may
/// have several such reasons at a time.
pub(crate) fn set_uncomparable(begins: bool) {
    if RUNNING.read() {
        with(|engine| {
            let count = &mut engine.threads[me().index()].uncomparable;
            *count = if begins { *count + 1 } else { count.saturating_sub(1) };
        });
    }
}

/// Calls a function of the program on behalf of the running thread. Afterwards the innermost frame record is the one
/// from before.
pub(crate) fn call_back<R>(function: impl FnOnce() -> R) -> R {
    let place = || with(|engine| engine.state_recorder.map(|recorder| recorder.innermost(me().index())));
    // SAFETY: the running thread's own variable, which every thread of a program with frame records has.
    let before = place().map(|place| (place, unsafe { *place }));
    bits_of_call::forget_arguments();
    let result = uncomparable_during(function);
    if let Some((place, innermost)) = before {
        // SAFETY: as above.
        unsafe { *place = innermost };
    }
    result
}

/// Whether the search ends runs in states that it knows. Not in fork mode: no process sees more than one run.
fn records_states(job: &Job) -> bool {
    job.algorithm.description().compares_states() && job.mode == Mode::Restore && job.task == Task::Explore
}

/// Prepares for recording states, if the job and the program allow it. Called before the snapshot, which must not hold
/// a frame record.
pub(crate) fn prepare(job: &Job) {
    let Some((innermost, deltas)) = frames::announced() else { return };
    if !records_states(job) || deltas != (job.local_states == LocalStates::Delta) {
        return;
    }
    let distance = innermost.wrapping_sub(fiber::thread_pointer(0));
    let destroys = elf::imports().iter().flat_map(|object| &object.names).any(|name| name.contains("thread_atexit"));
    let recorder = StateRecorder {
        distance,
        program: contents::program(),
        engine: elf::image(),
        destroys,
        deltas,
        ordered: Switch::OrderedStates.is_on(),
    };
    // SAFETY: main's own variable, which the program announced; no run has begun.
    unsafe { *recorder.innermost(0) = 0 };
    hash_cache::take_flag();
    with(|engine| *engine.state_recorder = Some(recorder));
    begin_anew(job);
}

/// From the next search on, what C11 orders is part of a state: threads have communicated by an operation that C11 does
/// not order, so a data race may show only in how a state was reached. Returns whether it was not before.
pub(crate) fn begin_ordered() -> bool {
    let begins = with(|engine| {
        let recorder = engine.state_recorder.as_mut().filter(|recorder| !recorder.ordered);
        recorder.map(|recorder| recorder.ordered = true).is_some()
    });
    if begins {
        Switch::OrderedStates.turn_on();
    }
    begins
}

/// Whether what C11 orders is part of a state.
pub(crate) fn is_ordered(engine: &Engine) -> bool {
    engine.state_recorder.is_some_and(|recorder| recorder.ordered)
}

/// The search begins anew: forgets all recorded states.
pub(crate) fn begin_anew(job: &Job) {
    with(|engine| {
        if engine.state_recorder.is_some() {
            *engine.uncompared = RefCell::default();
            engine.run.record_states(States::within(job.state_memory).sharing(link::state_table()));
            if is_ordered(engine) {
                let all = job.plain_accesses == PlainAccesses::All;
                engine.observer.note_granules((!all).then(|| visibility::promoted().to_vec()));
            }
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
    let Some(state_recorder) = *engine.state_recorder else { return engine.run.next(&engine.memory) };
    let quiet = note_program_point(engine, &state_recorder, me);
    engine.hash_cache.get_mut().arrived(me, quiet && engine.watch_sets.is_empty(), engine.run.events());
    let threads = &engine.threads[..engine.run.paths().len()];
    let next = engine.run.next(&Present {
        state_recorder,
        memory: &engine.memory,
        threads,
        loops: &engine.loops,
        named_semaphores: &engine.named_semaphores,
        signal_queue: &engine.signal_queue,
        watch_sets: RefCell::new(&mut engine.watch_sets),
        destroyed: *engine.something_destroyed,
        uncompared: &engine.uncompared,
        cache: &engine.hash_cache,
        observer: RefCell::new(&mut engine.observer),
    });
    if let Some(discipline) = &mut engine.discipline {
        discipline.take_in(&engine.run, engine.watch_sets.resolve(engine.run.events()));
    }
    next
}

/// Notes where the running thread has arrived. Returns whether the call in which it stood before was quiet: it wrote to
/// nothing but what its operations name.
fn note_program_point(engine: &mut Engine, state_recorder: &StateRecorder, me: ThreadId) -> bool {
    // A reference: copying a request right after its fields were written would stall the processor.
    let request = engine.run.request(me);
    let program_point = &mut engine.threads[me.index()].program_point;
    let ends = request.operation.is_last();
    let quiet = program_point.quiet && (!ends || ends_quietly(&request.operation, state_recorder));
    program_point.site = if ends { ProgramPoint::NOWHERE.site } else { request.site };
    program_point.quiet = false;
    let mut frames = Frames::new(state_recorder, me.index());
    if state_recorder.program.contains(program_point.site.0)
        && let Some(frame) = frames.next()
    {
        // SAFETY: a record of the program, which is the thread's own and writable, and the record of its call.
        let (count, flags) = unsafe { (&mut (*frame).operations, (*(*frame).site).flags) };
        program_point.quiet = flags & site::WRITES_NOTHING_ELSE != 0;
        if *count == 0 {
            program_point.operations = 0;
        } else {
            let mut hasher = Hasher128::default();
            hasher.write_u128(program_point.operations);
            program_point.last.hash(&mut hasher);
            program_point.operations = hasher.key();
        }
        program_point.last = request.operation;
        *count += 1;
        if state_recorder.deltas {
            // SAFETY: as above, in a program whose records have identities.
            unsafe { deltas::arrived(engine, state_recorder, me, frame.cast(), flags & site::WRITES != 0) };
        }
    }
    quiet
}

/// A thread makes an access that is no visible operation.
#[cold]
#[inline(never)]
pub(super) fn invisible_access(engine: &mut Engine, thread: ThreadId, range: ByteRange, write: bool) {
    if write {
        engine.hash_cache.get_mut().wrote(range);
    }
    if let Some(discipline) = &mut engine.discipline {
        discipline.plain(&engine.run, thread, range, write);
    }
}

/// Whether a mutex that was assumed to order accesses was found to protect nothing: the search then begins anew.
pub(crate) fn is_undisciplined(engine: &mut Engine) -> bool {
    engine.discipline.as_mut().is_some_and(|discipline| discipline.lost_a_mutex(&engine.run))
}

/// Whether a thread has ended without running destructors, of keys or of C++ objects.
fn ends_quietly(operation: &Operation, state_recorder: &StateRecorder) -> bool {
    operation.exits() && !state_recorder.destroys && keys::table().is_empty()
}

/// The floating-point environment of a thread that has arrived.
#[inline(always)]
fn control_of(thread: ThreadId) -> FloatControl {
    if thread.index() == fiber::current_slot() {
        return FloatControl::current();
    }
    // SAFETY: a thread that has arrived and does not run was suspended by a switch, which filled its context.
    unsafe { (*CONTEXTS.as_ptr())[thread.index()].control() }
}

/// The present state: all that its hash is made of.
struct Present<'a> {
    state_recorder: StateRecorder,
    memory: &'a Memory,
    threads: &'a [ThreadState],
    loops: &'a Loops,
    named_semaphores: &'a NamedSemaphores,
    signal_queue: &'a SignalQueue,
    watch_sets: RefCell<&'a mut WatchSets>,
    destroyed: bool,
    uncompared: &'a RefCell<UncomparedStates>,
    cache: &'a RefCell<HashCache>,
    observer: RefCell<&'a mut Observer<PagedShadow>>,
}

impl Present<'_> {
    /// Adds what the engine holds for the threads.
    fn hash_engine(&self, mixer: &mut Mixer) {
        mixer.word(u64::from(self.destroyed) | u64::from(arena::reuses()) << 1);
        for (slot, thread) in self.threads.iter().enumerate() {
            let Cancellation { disabled, asynchronous, ending } = thread.cancellation;
            if disabled || asynchronous || ending {
                mixer.pair(slot as u64, u64::from(disabled) | u64::from(asynchronous) << 1 | u64::from(ending) << 2);
            }
            if thread.result != 0 || thread.cleanup != 0 || thread.granted.is_some() {
                mixer.pair(slot as u64, thread.result);
                mixer.word(thread.cleanup);
                if let Some(granted) = thread.granted {
                    mixer.pair(granted.place.start, granted.site.0);
                    mixer.word(granted.place.len.into());
                }
            }
        }
        let watch_sets = self.watch_sets.borrow();
        if !watch_sets.is_empty() {
            for range in (0..self.threads.len()).map(|slot| watch_sets.real(slot)) {
                mixer.pair(range.map_or(0, |range| range.start), range.map_or(0, |range| range.len.into()));
            }
        }
        keys::table().iter().for_each(|&destructor| mixer.word(destructor));
        self.loops.hash(self.threads.len(), |word| mixer.word(word));
        self.named_semaphores.hash(|word| mixer.word(word));
        self.signal_queue.hash(|word| mixer.word(word));
    }

    /// A hash of a thread's local state, or why there is none. Its halves are written one by one and should be read so:
    /// reading them together right after stalls the processor.
    fn local_state(&self, thread: ThreadId, hash: &mut [u64; 2]) -> Result<(), Uncompared> {
        let key = self.hash_of_local_state(thread)?;
        *hash = [key as u64, (key >> 64) as u64];
        Ok(())
    }

    #[inline(always)]
    fn hash_of_local_state(&self, thread: ThreadId) -> Result<StateKey, Uncompared> {
        let ThreadState { program_point, uncomparable, .. } = &self.threads[thread.index()];
        let mut mixer = Mixer::new(thread.index() as u64);
        // The control words of a suspended thread are in its context.
        mixer.word(control_of(thread).0);
        mixer.pair(program_point.operations as u64, (program_point.operations >> 64) as u64);
        if program_point.site == ProgramPoint::NOWHERE.site {
            return Ok(mixer.finish());
        }
        if *uncomparable > 0 {
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
            if frames.is_at_end() {
                return Ok(mixer.finish());
            }
        }
    }
}

impl World for Present<'_> {
    fn value(&self, range: ByteRange) -> u64 {
        self.memory.value(range)
    }

    fn exchange_succeeds(&self, thread: ThreadId) -> bool {
        self.memory.exchange_succeeds(thread)
    }

    fn is_interrupted(&self, thread: ThreadId) -> bool {
        self.memory.is_interrupted(thread)
    }

    fn value_before(&self, range: ByteRange) -> Option<u64> {
        self.memory.value_before(range)
    }

    fn compared(&self, thread: ThreadId) -> Option<u64> {
        self.memory.compared(thread)
    }

    fn note_release(&self, mutex: Object) {
        self.note_written(object_memory::change(mutex, IN_MUTEX, false));
    }

    fn note_waiters(&self, cond: Object, any: bool) {
        self.note_written(object_memory::change(cond, IN_COND, any));
    }

    fn fingerprint(&self, live: ThreadSet) -> Option<StateKey> {
        let count = |why: Uncompared, thread: ThreadId| {
            self.uncompared.borrow_mut().count(why, self.threads[thread.index()].program_point.site);
        };
        let mut cache = self.cache.borrow_mut();
        let all = cache.needs_all();
        for thread in cache.stale(live).iter() {
            let hash = &mut cache.local_states[thread.index()];
            self.local_state(thread, hash).map_err(|why| count(why, thread)).ok()?;
        }
        let mut mixer = Mixer::new(0);
        for thread in live.iter() {
            let [low, high] = cache.local_states[thread.index()];
            mixer.pair(low, high);
        }
        self.hash_engine(&mut mixer);
        if !all && cache.is_to_be_checked() {
            self.check(&cache, live);
        }
        let memory = if all { self.all_memory() } else { self.memory_since(&cache) };
        let memory = memory.map_err(|why| count(why, live.first().unwrap_or(ThreadId::MAIN))).ok()?;
        mixer.pair(memory as u64, (memory >> 64) as u64);
        cache.record();
        Some(mixer.finish())
    }

    fn unsettled(&self, run: &Run) -> StateKey {
        if !self.state_recorder.ordered {
            return 0;
        }
        self.observer.borrow_mut().unsettled(run, self.watch_sets.borrow_mut().resolve(run.events()))
    }
}

impl Present<'_> {
    fn note_written(&self, range: Option<ByteRange>) {
        if let Some(range) = range {
            self.cache.borrow_mut().wrote(range);
        }
    }

    /// Compares the cached hash with one of all memory. If they differ, a write went unnoticed, and different states
    /// may have been taken for one.
    fn check(&self, cache: &HashCache, live: ThreadSet) {
        let mut hash = [0; 2];
        let same = live
            .iter()
            .all(|thread| self.local_state(thread, &mut hash).is_ok() && hash == cache.local_states[thread.index()]);
        let since = self.memory_since(cache);
        if !same || since != self.without_records(contents::uncached) {
            tool_error("the cached hash of a state is not that of the state");
        }
    }

    /// A hash of all memory.
    fn all_memory(&self) -> Result<StateKey, Uncompared> {
        self.without_records(contents::changes)
    }

    /// A hash of all memory, from the cached one if only known ranges were written since.
    fn memory_since(&self, cache: &HashCache) -> Result<StateKey, Uncompared> {
        let slots = self.threads.len();
        // The variables that hold the addresses of innermost records must not distinguish states.
        let records = (0..slots).map(|slot| self.state_recorder.innermost(slot) as u64);
        let known = cache.ranges().and_then(|ranges| contents::changes_in(ranges, records, slots).transpose());
        known.unwrap_or_else(|| self.all_memory())
    }

    /// Calls `function` with 0 as the address of every thread's innermost record: these addresses must not distinguish
    /// states, as the records themselves are hashed.
    fn without_records<R>(&self, function: impl FnOnce(usize) -> R) -> R {
        /// Not on the stack: to fill so many words with zeros takes longer than the rest of this function.
        static BEFORE: Global<[u64; MAX_THREADS]> = Global::new([0; MAX_THREADS]);
        let slots = self.threads.len();
        // SAFETY: one OS thread, and `function` does not call this one.
        let before = unsafe { BEFORE.get() };
        for (slot, before) in before[..slots].iter_mut().enumerate() {
            let innermost = self.state_recorder.innermost(slot);
            // SAFETY: the threads' own variables; one that is not 0 was written by the program, so its page is
            // writable.
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
