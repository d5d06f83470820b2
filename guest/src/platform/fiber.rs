//! Threads of the program as fibers: stacks and thread-local storage at fixed addresses, and the switch.
//!
//! A slot's stretch of addresses holds, from low to high: a guard, the reserve (where the thread goes on after its
//! stack overflowed or a crash), a guard, the stack, the static TLS, and the C library's thread descriptor. The stack
//! has the size Linux gives main and threads by default, so no program overflows here that would not elsewhere; what is
//! not touched costs nothing. A thread that asks for less begins further down, so that it reaches the guard as it would
//! elsewhere.
//!
//! Main keeps the descriptor and TLS the loader made for it; only its stack is ours.

use super::elf;
use super::float_control::FloatControl;
use super::global::Global;
use super::heap;
use super::layout::{ENGINE_STACK, Range, SERVICE_STACK, STACK_STRIDE, STACKS};
use super::sys::{self, nr};
use core::arch::{asm, global_asm};
use inspect_core::event::MAX_THREADS;

/// The number of the process, the same in every run; its threads are numbered from there on.
pub const PROCESS: u64 = 1000;

/// Size of every stack; a thread that asks for more than [`LARGEST_STACK`] cannot be run.
const STACK: u64 = LARGEST_STACK;
/// What a thread gets beyond a smaller stack that it asks for: hooks and models need some, and compilers differ in what
/// they put on the stack.
const ALLOWANCE: u64 = 8 << 10;
/// The largest stack a thread may ask for.
pub const LARGEST_STACK: u64 = 8 << 20;
const GUARD: u64 = 64 << 10;
const RESERVE: u64 = 64 << 10;
/// Room above the thread pointer for the C library's thread descriptor (2304 bytes in glibc 2.36).
const DESCRIPTOR_ROOM: u64 = 4096;

/// Where a suspended flow of control goes on: its stack pointer (registers are saved there) and its fs base.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct FiberContext {
    /// Stack pointer, below the saved registers.
    pub stack: u64,
    /// fs base: the C library's thread pointer.
    pub thread_pointer: u64,
}

impl FiberContext {
    /// A context to save into.
    pub const EMPTY: FiberContext = FiberContext { stack: 0, thread_pointer: 0 };

    /// The floating-point control words of the flow of control suspended here, with the exceptions noted.
    ///
    /// # Safety
    /// A switch has filled this context, or [`prepare`] has made it, and it was not continued since.
    pub unsafe fn control(&self) -> FloatControl {
        // SAFETY: the caller says that registers are saved at `stack`; these words are the first of them.
        FloatControl(unsafe { *(self.stack as *const u64) })
    }
}

#[derive(Clone, Copy)]
struct Slot {
    thread_pointer: u64,
    /// First stack pointer.
    top: u64,
}

struct Fibers {
    slots: [Slot; MAX_THREADS],
    ready: usize,
    fsgsbase: bool,
    current: usize,
    tls_size: u64,
}

static FIBERS: Global<Fibers> = Global::new(Fibers {
    slots: [Slot { thread_pointer: 0, top: 0 }; MAX_THREADS],
    ready: 0,
    fsgsbase: false,
    current: 0,
    tls_size: 0,
});

// The switch saves what the calling convention makes the callee keep: six registers and the control words of both
// floating-point units; with them go the exceptions that the units have noted, which a thread can ask for (the older
// unit has no way to set these but by its whole environment). Loading takes longer than all the rest, so it is done
// only where something differs. The second form changes the fs base by a system call.
macro_rules! switch_function {
    ($name:literal, $($set_fs:literal),+) => {
        global_asm!(
            concat!(".hidden ", $name), concat!(".globl ", $name), concat!(".type ", $name, ", @function"),
            ".p2align 4", concat!($name, ":"),
            "push rbp; push rbx; push r12; push r13; push r14; push r15; sub rsp, 8",
            "stmxcsr [rsp]; fnstcw [rsp + 4]; fnstsw ax; and eax, 0x3f; mov [rsp + 6], ax",
            "mov [rdi], rsp",
            "mov r12d, [rsp]; movzx r13d, word ptr [rsp + 4]; mov r14d, eax",
            "mov rsp, [rsi]",
            $($set_fs),+,
            "cmp r12d, [rsp]; jne 2f",
            "cmp r13w, [rsp + 4]; jne 2f",
            "cmp r14w, [rsp + 6]; jne 2f",
            "3: add rsp, 8; pop r15; pop r14; pop r13; pop r12; pop rbx; pop rbp",
            "ret",
            "2: ldmxcsr [rsp]; fldcw [rsp + 4]",
            "fnclex; movzx eax, word ptr [rsp + 6]; test eax, eax; jz 3b",
            "sub rsp, 32; fnstenv [rsp]; or [rsp + 4], ax; fldenv [rsp]; add rsp, 32",
            "jmp 3b",
        );
    };
}
switch_function!("inspect_switch_fast", "mov rdx, [rsi + 8]", "wrfsbase rdx");
// ARCH_SET_FS, arch_prctl
switch_function!("inspect_switch_slow", "mov rsi, [rsi + 8]", "mov edi, 0x1002", "mov eax, 158", "syscall");

unsafe extern "C" {
    fn inspect_switch_fast(save: *mut FiberContext, to: *const FiberContext);
    fn inspect_switch_slow(save: *mut FiberContext, to: *const FiberContext);
}

/// Suspends the running flow of control in `save` and goes on at `to`. Returns when another switch goes on at `save`.
///
/// `save.thread_pointer` is not written: it must hold the right value from the start, as [`prepare`] and
/// [`own_context`] make sure.
///
/// # Safety
/// `to` was made by [`prepare`] or filled by a switch and has not been continued since; `save` stays valid until then.
#[inline(always)]
pub unsafe fn switch(save: *mut FiberContext, to: *const FiberContext) {
    // SAFETY: the caller vouches for the contexts; FIBERS is only read.
    unsafe {
        if (*FIBERS.as_ptr()).fsgsbase {
            inspect_switch_fast(save, to);
        } else {
            inspect_switch_slow(save, to);
        }
    }
}

/// A context to save the running flow of control in: it has the right thread pointer.
pub fn own_context() -> FiberContext {
    FiberContext { stack: 0, thread_pointer: thread_pointer_register() }
}

/// The slot whose thread runs: it decides about heap addresses, mappings, descriptors and time.
#[inline(always)]
pub fn current_slot() -> usize {
    // SAFETY: one OS thread; the value is copied at once.
    unsafe { (*FIBERS.as_ptr()).current }
}

/// Tells the platform which slot runs from now on. The engine calls it with every switch.
#[inline(always)]
pub fn set_current_slot(slot: usize) {
    // SAFETY: one OS thread; a plain write while no reference to the table is in use.
    unsafe { (*FIBERS.as_ptr()).current = slot }
}

fn thread_pointer_register() -> u64 {
    let value: u64;
    // SAFETY: the first word of the thread descriptor is its own address, by the ABI.
    unsafe { asm!("mov {}, fs:[0]", out(reg) value, options(nostack, readonly, preserves_flags)) };
    value
}

fn stretch(slot: usize) -> Range {
    Range::new(STACKS.start + slot as u64 * STACK_STRIDE, STACK_STRIDE)
}

/// The usable stack of a slot, with its TLS and thread descriptor.
pub fn stack(slot: usize) -> Range {
    let end = stretch(slot).end - GUARD;
    let extra = DESCRIPTOR_ROOM + tls_size().next_multiple_of(sys::PAGE) + GUARD;
    Range { start: end - STACK - extra, end }
}

fn tls_size() -> u64 {
    // SAFETY: one OS thread; the value is copied at once.
    unsafe { (*FIBERS.as_ptr()).tls_size }
}

/// Where the frames of a slot end; above are its thread-local storage and descriptor. Main has these elsewhere.
pub(super) fn end_of_frames(slot: usize) -> u64 {
    // SAFETY: one OS thread; the value is copied at once.
    if slot == 0 { stack(0).end } else { unsafe { (*FIBERS.as_ptr()).slots[slot].top } }
}

/// The reserve of a slot: the small stack on which its thread goes on after a crash or an overflow of its stack.
pub fn reserve(slot: usize) -> Range {
    Range::new(stretch(slot).start + GUARD, RESERVE)
}

/// The slot to whose stretch of stack addresses (guards and reserve included) an address belongs.
pub fn slot_of_address(address: u64) -> Option<usize> {
    STACKS.contains(address).then(|| ((address - STACKS.start) / STACK_STRIDE) as usize)
}

/// The value that `pthread_self` gives in a slot.
pub fn thread_pointer(slot: usize) -> u64 {
    // SAFETY: one OS thread; the value is copied at once.
    unsafe { (*FIBERS.as_ptr()).slots[slot].thread_pointer }
}

/// The first stack pointer of a slot in this run, above which there is nothing of its thread's.
pub fn top(slot: usize) -> u64 {
    // SAFETY: one OS thread; the values are copied at once. The word is mapped with the slot.
    let (largest, smaller) = unsafe { ((*FIBERS.as_ptr()).slots[slot].top, *smaller_top(slot)) };
    if smaller == 0 { largest } else { smaller }
}

/// Bytes of the stack that the thread in a slot has asked for, in whole pages.
pub fn size_of_stack(slot: usize) -> u64 {
    // SAFETY: one OS thread; the word is mapped with the slot.
    let smaller = unsafe { *smaller_top(slot) };
    if smaller == 0 { LARGEST_STACK } else { (smaller - stack(slot).start - ALLOWANCE).next_multiple_of(sys::PAGE) }
}

/// Where it is kept that a thread begins further down, so that it is restored with the thread: behind the C library's
/// descriptor, where nothing else is.
fn smaller_top(slot: usize) -> *mut u64 {
    (stack(slot).end - 8) as *mut u64
}

/// The thread-local storage of a slot other than main's, with the C library's descriptor.
pub fn thread_local(slot: usize) -> Range {
    Range { start: thread_pointer(slot) - tls_size(), end: stack(slot).end }
}

/// The slot with this `pthread_t`.
pub fn slot_of_thread_pointer(pointer: u64) -> Option<usize> {
    // Main's descriptor is where the loader put it; the others lie in their stretches.
    let slot = slot_of_address(pointer).unwrap_or(0);
    (slot < ready_slots() && thread_pointer(slot) == pointer).then_some(slot)
}

/// How many slots can be used.
pub fn ready_slots() -> usize {
    // SAFETY: one OS thread; the value is copied at once.
    unsafe { (*FIBERS.as_ptr()).ready }
}

/// Makes at least `count` slots usable. Only between runs and before [`snapshot::take`](super::snapshot::take), which
/// must follow: new slots belong to the state that runs start from.
pub fn ensure_slots(count: usize) {
    assert!(count <= MAX_THREADS, "more slots than threads");
    if ready_slots() == 0 {
        prepare_main_slot();
    }
    while ready_slots() < count {
        prepare_next_slot();
    }
}

fn prepare_main_slot() {
    let mut size = 0u64;
    let mut align = 0u64;
    // SAFETY: the C library's function of this name writes two sizes.
    unsafe {
        let info: extern "C" fn(*mut u64, *mut u64) = core::mem::transmute(elf::real("_dl_get_tls_static_info"));
        info(&mut size, &mut align);
    }
    let pointer = thread_pointer_register();
    leave_restartable_sequences(pointer);
    // SAFETY: one OS thread; `map_slot` and `stack` read `tls_size` meanwhile, which is not written again.
    let fibers = unsafe { FIBERS.get() };
    fibers.tls_size = size.next_multiple_of(align.max(64));
    fibers.fsgsbase = elf::has_fsgsbase();
    map_slot(0);
    fibers.slots[0] = Slot { thread_pointer: pointer, top: first_stack_pointer(0, stack(0).end - DESCRIPTOR_ROOM) };
    fibers.ready = 1;
    // SAFETY: main's own descriptor; no frame that checks the old guard is ever returned to.
    unsafe {
        *((pointer + STACK_GUARD) as *mut u64) = FIXED_GUARD;
        set_thread_number(pointer, pointer, 0);
    }
}

/// Offset of the stack protector's guard in the thread descriptor, by the ABI.
const STACK_GUARD: u64 = 0x28;
/// The guard's value in every run and process: what is left of it on the stack is not random. The lowest byte is zero,
/// as the C library has it, so that strings end there.
const FIXED_GUARD: u64 = 0x5afe_57ac_4b1e_5500;

/// The kernel writes to a registered rseq area whenever it preempts the thread. The area would have to stay out of the
/// snapshot; without a registration the C library asks the kernel instead.
fn leave_restartable_sequences(pointer: u64) {
    const UNREGISTER: u64 = 1;
    const SIGNATURE: u64 = 0x5305_3053;
    const REGISTRATION_FAILED: i32 = -2;
    let (offset, size) = (elf::find("__rseq_offset"), elf::find("__rseq_size"));
    if offset.is_null() || size.is_null() {
        return;
    }
    // SAFETY: the two variables say where the C library put the area; the area is the calling thread's.
    unsafe {
        let area = pointer.wrapping_add_signed(*offset.cast::<i64>());
        if *size.cast::<u32>() == 0 {
            return;
        }
        if sys::call4(nr::__NR_rseq, area, 32, UNREGISTER, SIGNATURE) == 0 {
            *((area + 4) as *mut i32) = REGISTRATION_FAILED;
        }
    }
}

fn map_slot(slot: usize) {
    for range in [stack(slot), reserve(slot)] {
        // SAFETY: the ranges are the platform's own and mapped once for each slot.
        if !unsafe { sys::map_fixed(range.start, range.len(), sys::PROT_RW) } {
            sys::fatal("cannot map the stacks of the program's threads");
        }
    }
}

/// The first stack pointer below `limit`. Neighbouring slots start at different cache lines, as they are a power of two
/// apart otherwise.
fn first_stack_pointer(slot: usize, limit: u64) -> u64 {
    (limit & !63) - (slot as u64 % 8) * 64
}

fn prepare_next_slot() {
    let slot = ready_slots();
    map_slot(slot);
    // The descriptor ends the stretch, so that what lies just below it shares its page.
    let pointer = (stack(slot).end - 2560) & !63;
    let main = thread_pointer(0);
    let before = current_slot();
    // What the C library allocates for the slot comes from the slot's own arena.
    set_current_slot(slot);
    // SAFETY: the memory is fresh and zero; offsets are those of the x86-64 thread descriptor: own address twice,
    // stack and pointer guard at 0x28; `_dl_allocate_tls` fills the TLS below the pointer.
    unsafe {
        let allocate: extern "C" fn(u64) -> u64 = core::mem::transmute(elf::real("_dl_allocate_tls"));
        if allocate(pointer) == 0 {
            sys::fatal("the C library cannot allocate thread-local storage");
        }
        let word = |offset: u64| (pointer + offset) as *mut u64;
        *word(0) = pointer;
        *word(16) = pointer;
        *word(STACK_GUARD) = FIXED_GUARD;
        *word(0x30) = *((main + 0x30) as *const u64);
        set_thread_number(pointer, main, slot);
        let ctype_init: extern "C" fn() = core::mem::transmute(elf::real("__ctype_init"));
        set_thread_pointer(pointer);
        ctype_init();
        set_thread_pointer(main);
    }
    set_current_slot(before);
    // SAFETY: one OS thread; no code that runs while the borrow lasts uses this global.
    let fibers = unsafe { FIBERS.get() };
    let top = first_stack_pointer(slot, pointer - fibers.tls_size);
    fibers.slots[slot] = Slot { thread_pointer: pointer, top };
    fibers.ready = slot + 1;
}

/// Gives the descriptor the number that `gettid` gives in the slot: the C library takes it for the owner of its own
/// recursive locks. The field is found by the value main has there.
///
/// # Safety
/// Both pointers are those of thread descriptors, and the first one can be written.
unsafe fn set_thread_number(pointer: u64, main: u64, slot: usize) {
    const FIELDS: core::ops::Range<u64> = 0x2c0..0x320;
    // SAFETY: reads of main's descriptor and a write into the new one, both 2304 bytes at least.
    unsafe {
        let own = if slot == 0 { sys::call1(nr::__NR_gettid, 0) as i32 } else { PROCESS as i32 };
        for offset in FIELDS.step_by(4) {
            if *((main + offset) as *const i32) == own {
                *((pointer + offset) as *mut i32) = PROCESS as i32 + slot as i32;
                return;
            }
        }
    }
}

/// # Safety
/// `pointer` is a complete thread descriptor.
unsafe fn set_thread_pointer(pointer: u64) {
    const ARCH_SET_FS: u64 = 0x1002;
    // SAFETY: passed on to the caller.
    unsafe { sys::call2(nr::__NR_arch_prctl, ARCH_SET_FS, pointer) };
}

/// A context that starts `entry` on the empty stack of a slot, of which so many bytes are to be used. A thread begins
/// with the floating-point environment of its creator (C17, 7.6).
pub fn prepare(slot: usize, size: u64, entry: extern "C" fn() -> !, control: FloatControl) -> FiberContext {
    // SAFETY: one OS thread; the entry is copied at once.
    let Slot { thread_pointer, top } = unsafe { (*FIBERS.as_ptr()).slots[slot] };
    assert!(slot < ready_slots(), "slot is not ready");
    if size >= LARGEST_STACK {
        return prepare_at(top, thread_pointer, entry, control);
    }
    let smaller = first_stack_pointer(slot, stack(slot).start + size + ALLOWANCE);
    // SAFETY: unused memory of the slot.
    unsafe { *smaller_top(slot) = smaller };
    prepare_at(smaller, thread_pointer, entry, control)
}

/// A context that starts `entry` below `top`, which is a multiple of 16.
fn prepare_at(top: u64, thread_pointer: u64, entry: extern "C" fn() -> !, control: FloatControl) -> FiberContext {
    const SAVED: usize = 9;
    // What the switch pops: control words, six registers, the entry; above it a return address of 0 ends back traces.
    let mut words = [0u64; SAVED];
    words[0] = control.0;
    words[7] = entry as usize as u64;
    let stack = top - 8 * SAVED as u64;
    // SAFETY: the stack is unused memory of the slot.
    unsafe { (stack as *mut [u64; SAVED]).write(words) };
    FiberContext { stack, thread_pointer }
}

/// Maps the engine's stacks.
pub(super) fn map_engine_stacks() {
    heap::map_stack(ENGINE_STACK);
    heap::map_stack(SERVICE_STACK);
    heap::map_stack(super::layout::EMERGENCY_STACK);
    heap::map_stack(super::layout::SIGNAL_STACK);
}

/// Goes on in `function` on the empty stack `range`, for good.
pub(super) fn leave_for(range: Range, function: extern "C" fn() -> !) -> ! {
    // SAFETY: the stack is mapped and unused; `function` does not return.
    unsafe { asm!("mov rsp, {}; xor ebp, ebp; call {}; ud2", in(reg) range.end, in(reg) function, options(noreturn)) }
}
