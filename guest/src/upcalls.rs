//! What the guest does when the platform reports something of the running thread.

use crate::engine::defect::tool_error;
use crate::engine::memory::value;
use crate::engine::switches::Switch;
use crate::engine::{
    LAST_SITE, RUNNING, Trouble, before_time_passes, call_back, detection, end_process, end_run, forget_granted,
    forget_objects, has_other_threads, heap_choice, is_alive, keeps_buffers, me, note_changing_input, note_identity,
    note_time_after_loop, note_time_passes, note_unsafe, park, plain_is_visible, site, some_plain_are_visible, stall,
    unmodelled, visible, with,
};
use crate::hooks::{access, atomic};
use crate::model::library_state::Use;
use crate::model::{
    cancel, channels, cond, descriptors, early, epoll, exit as exiting, fifos, file_locks, imports, known,
    library_state, mutex, range_locks, rwlock, semaphore, signal, signal_descriptor, spin, stream_lock, thread_end,
    timer_descriptor,
};
use crate::platform::arena::{self, BlockState, HeapError};
use crate::platform::{Call, Upcalls, elf, exit, watchdog};
use crate::search::{Models, main_loop};
use alloc::vec::Vec;
use inspect_core::event::{ByteRange, EndKind, LimitKind, MemoryOperation, MemoryOrder, Operation, SiteId, ThreadId};
use inspect_core::run::Request;
use inspect_wire::message::Job;

/// The functions of hooks and models that only return once their operation was performed.
fn entries() -> Vec<u64> {
    let hooks = access::entries().into_iter().chain(atomic::entries());
    let models = mutex::entries().into_iter().chain(cond::entries());
    hooks
        .chain(models)
        .chain(semaphore::entries())
        .chain(rwlock::entries())
        .chain(spin::entries())
        .chain(stream_lock::entries())
        .collect()
}

/// Answers the platform's calls.
pub(crate) struct GuestUpcalls;

/// The site of the call that returns to `pc`. Unknown if `pc` is in the guest: the program has named a function of a
/// library as the destructor of a key, and the guest has called it.
fn site_of_program(pc: u64) -> SiteId {
    if elf::image().contains(pc) { SiteId(0) } else { site::of_call(pc) }
}

impl Upcalls for GuestUpcalls {
    fn main_loop(&self, job: Job) -> ! {
        const MODELS: Models =
            Models { entries, unknown_imports: known::unknown_imports, object_name: library_state::name };
        imports::prepare();
        signal::prepare();
        early::prepare();
        exit::prepare(known::registers_for_exit());
        main_loop(job, &MODELS)
    }

    fn on_crash(&self, signal: i32, _address: u64, pc: u64) -> ! {
        const SIGABRT: i32 = 6;
        let kind = if signal == SIGABRT { EndKind::Abort } else { EndKind::Signal(signal as u8) };
        // A fault inside a hook belongs to the access of the program that the hook was called for.
        let site = if elf::image().contains(pc) { LAST_SITE.read() } else { site::of_instruction(pc) };
        end_process(kind, site)
    }

    fn on_exiting(&self) -> bool {
        exiting::begin();
        keeps_buffers()
    }

    fn on_exited(&self) {
        if RUNNING.read() {
            exiting::end();
        }
    }

    fn on_exit(&self, status: i32) -> ! {
        // The status a parent process sees has eight bits.
        let site = with(|engine| engine.threads[me().index()].exit);
        let is_last = status & 0xff == 0 && thread_end::is_last();
        end_process(if is_last { EndKind::LastThread } else { EndKind::Exit(status & 0xff) }, site)
    }

    fn on_unmodelled(&self, call: &str, pc: u64) -> ! {
        unmodelled(call, site::of_call(pc))
    }

    fn on_heap_error(&self, error: HeapError, pointer: u64, pc: u64) -> ! {
        let site = site_of_program(pc);
        detection::note_heap_error(error, pointer, site);
        // As the C library's allocator does, before the heap is harmed.
        end_process(EndKind::HeapError, site)
    }

    fn on_memory_limit(&self) -> ! {
        end_run(None, LimitKind::Memory)
    }

    /// Of a large block that was not used before in this run, only the beginning counts as written: that is enough to
    /// find a race on a block whose pointer was passed to another thread without synchronisation.
    fn on_allocated(&self, start: u64, size: u64, untouched: bool, pc: u64) {
        const BEGINNING: u64 = 256;
        if RUNNING.read() {
            cancel::note_heap(pc);
            let size = if untouched { size.min(BEGINNING) } else { size };
            if !untouched {
                forget_objects(ByteRange { start, len: size.min(u32::MAX.into()) as u32 });
            }
            if !with(|engine| engine.kept.sets_time_zone()) {
                detection::on_allocated(start, size, site_of_program(pc));
            }
        }
    }

    /// While no other thread is left, nobody compares the addresses but the thread that has freed the block.
    fn on_reusable(&self) {
        if RUNNING.read() && !Switch::HeapChoice.is_on() && has_other_threads() {
            heap_choice::come_up();
        }
    }

    fn on_freed(&self, start: u64, size: u64, pc: u64) {
        if RUNNING.read() {
            cancel::note_heap(pc);
            forget_objects(ByteRange { start, len: size.min(u32::MAX.into()) as u32 });
            if !with(|engine| engine.kept.sets_time_zone()) {
                detection::on_freed(start, size, site_of_program(pc));
            }
        }
    }

    /// Where accesses to the block are visible operations, so is freeing it: a write of the whole block.
    fn on_freeing(&self, block: u64, pc: u64) {
        if RUNNING.read() {
            library_state::use_block_size(block, Use::Change, pc);
        }
        if !RUNNING.read() || !some_plain_are_visible() {
            return;
        }
        let Some(info) = arena::block_of(block).filter(|info| info.start == block && info.size != 0) else { return };
        let range = ByteRange { start: block, len: info.size.min(u32::MAX.into()) as u32 };
        if info.state == BlockState::Live && plain_is_visible(range) {
            visible(Request::new(Operation::plain(range, true), site::of_call(pc)));
        }
    }

    fn on_asked(&self, block: u64, pc: u64) {
        if RUNNING.read() {
            // Its bytes are not read: what others write to them is no race.
            let range = ByteRange { start: block, len: 1 };
            if block != 0 && detection::check_heap(me(), range, false, site::of_call(pc)) {
                library_state::use_block_size(block, Use::Look, pc);
            }
        }
    }

    fn on_result_written(&self, start: u64, size: u64, pc: u64) {
        if RUNNING.read() {
            access::argument_write(start, size, site::of_call(pc));
        }
    }

    /// Locks of the C library itself, C++ guards and futures wait in this way.
    fn on_futex_wait(&self, address: u64, expected: u32, pc: u64) -> i64 {
        const EAGAIN: i64 = 11;
        let range = ByteRange { start: address, len: 4 };
        if value(range) != u64::from(expected) {
            return -EAGAIN;
        }
        note_changing_input();
        let order = MemoryOrder::SequentiallyConsistent;
        let request = Request::new(Operation::Memory(MemoryOperation::AtomicLoad(range, order)), site::of_call(pc));
        park(me(), request, &[(range, u64::from(expected))], None);
        forget_granted(me());
        0
    }

    fn on_channel_call(&self, call: &Call) -> i64 {
        let of_few = || timer_descriptor::call(call).or_else(|| signal_descriptor::call(call));
        let locks = || range_locks::call(call).or_else(|| fifos::call(call)).or_else(|| epoll::call(call));
        let known = file_locks::call(call).or_else(locks).or_else(of_few);
        known.unwrap_or_else(|| channels::call(call))
    }

    /// Nothing is to be done: the threads wait for another value of the word, and the caller has changed it already.
    fn on_futex_wake(&self, _address: u64, _count: u32, _pc: u64) -> i64 {
        0
    }

    /// Nothing is to be done: the time that passes is virtual, and another thread may run at any operation anyway.
    fn on_yield(&self, _pc: u64) {}

    fn on_stalled(&self) -> bool {
        stall::is_observed()
    }

    fn on_stuck(&self) -> ! {
        let site = site::of_instruction(watchdog::interrupted_at());
        if cancel::is_asynchronous() {
            let call = "a loop without visible operations, in a thread that may be cancelled at any time".into();
            end_run(Some(Trouble::Unmodelled(call, site)), LimitKind::Unmodelled);
        }
        end_run(Some(Trouble::Stuck(me(), site)), LimitKind::Time)
    }

    fn on_tool_error(&self, message: &str) -> ! {
        tool_error(message)
    }

    fn note_changing_input(&self) {
        note_changing_input();
    }

    fn note_identity(&self) {
        note_identity();
    }

    fn before_time_passes(&self) {
        before_time_passes();
    }

    fn note_time_passes(&self) {
        note_time_passes();
    }

    fn on_time_after_loop(&self, passed_at: SiteId, pc: u64) {
        note_time_after_loop(passed_at, site_of_program(pc));
    }

    fn has_other_threads(&self) -> bool {
        has_other_threads()
    }

    fn lives(&self, slot: usize) -> bool {
        is_alive(ThreadId::at(slot))
    }

    fn exists(&self, slot: usize) -> bool {
        with(|engine| engine.run.thread_info(ThreadId::at(slot)).exists)
    }

    fn makes_descriptor(&self) -> bool {
        !RUNNING.read() || descriptors::makes_descriptor()
    }

    fn on_boundary(&self, site: SiteId) {
        signal::deliver(site);
    }

    fn on_unsafe_call(&self, call: &str, site: SiteId) {
        note_unsafe(call, site);
    }

    fn on_cancellable(&self, site: SiteId) {
        cancel::at_any_time(site);
    }

    fn call_back(&self, function: &mut dyn FnMut()) {
        call_back(function);
    }
}
