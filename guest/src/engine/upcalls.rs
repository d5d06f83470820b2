//! What the platform reports while a thread of the program runs: the end of the process, crashes, calls that are not
//! modelled, waits inside the C library.

use super::state::{LAST_SITE, RUNNING, Trouble, attention, plain_is_visible, some_plain_are_visible, with};
use super::step::{end_run, me, park, visible};
use super::{detection, memory, note_changing_input, report, site};
use crate::platform::arena::{self, BlockState, HeapError};
use crate::platform::{elf, watchdog};
use alloc::string::String;
use inspect_core::event::{
    ByteRange, ControlOperation, EndKind, LimitKind, MemoryOperation, MemoryOrder, Operation, SiteId, ThreadId,
};
use inspect_core::run::Request;

/// The running thread wants to end the process. The operation waits until nobody else can go on.
pub(crate) fn end_process(kind: EndKind, site: SiteId) -> ! {
    visible(Request::new(Operation::Control(ControlOperation::EndProcess(kind)), site));
    // The scheduler ends the run when it executes the operation, so the thread is never told to go on.
    defect("a thread went on after the end of the process")
}

/// A fatal signal at a known place.
pub(crate) fn fault(signal: i32, site: SiteId) -> ! {
    end_process(EndKind::Signal(signal as u8), site)
}

/// A fatal signal, real or raised, at this instruction.
pub(crate) fn on_crash(signal: i32, _address: u64, pc: u64) -> ! {
    const SIGABRT: i32 = 6;
    let kind = if signal == SIGABRT { EndKind::Abort } else { EndKind::Signal(signal as u8) };
    let site = if elf::image().contains(pc) { LAST_SITE.read() } else { site::of_instruction(pc) };
    end_process(kind, site)
}

/// `exit_group`: after exit handlers, from `exit`, `_exit` or a return from main.
pub(crate) fn on_exit(status: i32) -> ! {
    // The status a parent process sees has eight bits.
    let site = with(|engine| engine.threads[me().index()].exit);
    end_process(EndKind::Exit(status & 0xff), site)
}

/// The running thread begins to end the process here: exit handlers come first.
pub(crate) fn note_exit(site: SiteId) {
    with(|engine| engine.threads[me().index()].exit = site);
}

/// A call that is not modelled ends the run.
pub(crate) fn on_unmodelled(call: &'static str, pc: u64) -> ! {
    unmodelled(call, site::of_call(pc))
}

/// As [`on_unmodelled`], with the place as a site.
pub(crate) fn unmodelled(call: &str, site: SiteId) -> ! {
    end_run(Some(Trouble::Unmodelled(String::from(call), site)), LimitKind::Unmodelled)
}

/// The running thread makes a call whose result nobody controls. The run goes on.
pub(crate) fn note_uncontrolled(call: String, site: SiteId) {
    with(|engine| {
        if !engine.uncontrolled.iter().any(|known| known.0 == call && known.1 == site) {
            engine.uncontrolled.push((call, site));
        }
    });
}

/// A defect of the tool, found on a fiber: the run ends and says so.
pub(crate) fn defect(message: &str) -> ! {
    end_run(Some(Trouble::Defect(String::from(message))), LimitKind::Unmodelled)
}

/// A double or invalid free: the finding is noted and the thread ends the process before it can harm the heap.
pub(crate) fn on_heap_error(error: HeapError, pointer: u64, pc: u64) {
    detection::on_heap_error(error, pointer, site::of_call(pc))
}

/// The heap of this run is larger than the job allows.
pub(crate) fn on_memory_limit() -> ! {
    end_run(None, LimitKind::Memory)
}

/// A wait on a word inside the C library (its own locks, C++ guards and futures): the thread waits until the word has
/// another value.
pub(crate) fn on_futex_wait(address: u64, expected: u32, pc: u64) -> i64 {
    const EAGAIN: i64 = 11;
    let range = ByteRange { start: address, len: 4 };
    if memory::value(range) != u64::from(expected) {
        return -EAGAIN;
    }
    note_changing_input();
    let order = MemoryOrder::SequentiallyConsistent;
    let request = Request::new(Operation::Memory(MemoryOperation::AtomicLoad(range, order)), site::of_call(pc));
    park(me(), request, &[(range, u64::from(expected))]);
    super::step::forget_granted(me());
    0
}

/// Wakes waiters inside the C library. They wait for the word's value, which the caller has changed already.
pub(crate) fn on_futex_wake(_address: u64, _count: u32, _pc: u64) -> i64 {
    0
}

/// Whether a thread beside the running one has not ended.
pub(crate) fn has_other_threads() -> bool {
    with(|engine| {
        let used = engine.run.paths().len();
        (0..used).map(|index| ThreadId(index as u8)).any(|thread| {
            let info = engine.run.thread_info(thread);
            thread != me() && info.exists && !info.ended
        })
    })
}

/// The running thread sleeps or yields, as the model of the call tells.
pub(crate) fn note_sleep(site: SiteId) {
    if attention(me()) & attention::LOOP != 0 {
        with(|engine| engine.loops.sleep(me(), site));
    }
}

/// `sched_yield` and sleeps: the time that passes is virtual, and any other thread may run at any operation anyway.
pub(crate) fn on_yield(_pc: u64) {}

/// No progress for too long: called on the service stack, with the running thread interrupted.
pub(crate) fn on_stuck() -> ! {
    let site = site::of_instruction(watchdog::interrupted_at());
    end_run(Some(Trouble::Stuck(me(), site)), LimitKind::Time)
}

/// A panic or a fault in the engine: the host is told, and nothing more is done in this process.
pub(crate) fn on_tool_error(message: &str) -> ! {
    report::tool_error(message)
}

/// The running thread got a block of the heap. Of a large block that nobody has had before, the beginning will do: it
/// shows a pointer that was handed on without synchronisation.
pub(crate) fn on_allocated(start: u64, size: u64, untouched: bool, pc: u64) {
    const BEGINNING: u64 = 256;
    if RUNNING.read() {
        let size = if untouched { size.min(BEGINNING) } else { size };
        if !untouched {
            forget_objects(ByteRange { start, len: size.min(u32::MAX.into()) as u32 });
        }
        detection::on_allocated(start, size, site::of_call(pc));
    }
}

/// Other objects may begin in this memory.
pub(crate) fn forget_objects(range: ByteRange) {
    with(|engine| {
        if engine.passing_objects {
            engine.run.forget_objects(range);
        }
    });
}

/// The running thread is about to free or resize a block. Where accesses to it are visible, so is this: it writes the
/// whole block.
pub(crate) fn on_freeing(block: u64, pc: u64) {
    if !RUNNING.read() || !some_plain_are_visible() {
        return;
    }
    let Some(info) = arena::block_of(block).filter(|info| info.start == block && info.size != 0) else { return };
    let range = ByteRange { start: block, len: info.size.min(u32::MAX.into()) as u32 };
    if info.state == BlockState::Live && plain_is_visible(range) {
        visible(Request::new(Operation::plain(range, true), site::of_call(pc)));
    }
}

/// The running thread gives a block of the heap back.
pub(crate) fn on_freed(start: u64, size: u64, pc: u64) {
    if RUNNING.read() {
        detection::on_freed(start, size, site::of_call(pc));
    }
}
