//! The runtime of ThreadSanitizer: what the code calls that gcc and clang add with `-fsanitize=thread`. This file is
//! the contract with it, for objects that were not built by Inspect's compiler.
//!
//! Serebryany, Iskhodzhanov: ThreadSanitizer: data race detection in practice, WBIA 2009.
//!
//! The calls come before the plain accesses and in place of the atomic ones. They tell less than the hooks do: not
//! where variables end, not where loops begin, and nothing of inline assembly. That is why a program with such objects
//! is never verified (`host/src/search/reasons.rs`). Annotations (`__tsan_acquire`, `__tsan_mutex_pre_lock` and the
//! like) are not there: what they claim cannot be checked, and a link that names one fails.

use super::access::{__inspect_read, __inspect_table_write, __inspect_write};
use super::atomic::{
    __inspect_atomic_cas, __inspect_atomic_load, __inspect_atomic_rmw, __inspect_atomic_store, __inspect_fence,
    __inspect_volatile_read, __inspect_volatile_write,
};
use crate::engine::site::of_call;
use crate::platform::caller::with_return_address;
use core::arch::{asm, naked_asm};
use core::hint::black_box;
use core::ops::{BitAnd, BitOr, BitXor, Not};
use core::sync::atomic::Ordering::SeqCst;
use core::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, compiler_fence};

/// Exports functions that have nothing to do.
macro_rules! nothing {
    ($($name:ident)+) => { $(
        #[unsafe(no_mangle)]
        extern "C" fn $name() {}
    )+ };
}

/// A hook, called as from another object: a copy of its code here would change how the compiler treats the hook itself.
macro_rules! hook {
    ($hook:ident: $($ty:ty),+) => {
        black_box($hook as extern "C" fn($($ty),+))
    };
}

// A call stack is read from the stack itself; what a thread ignores of its accesses, only messages of ThreadSanitizer
// do.
nothing!(__tsan_init __tsan_func_entry __tsan_func_exit __tsan_ignore_thread_begin __tsan_ignore_thread_end);

/// Exports the functions that are called before accesses of a number of bytes.
macro_rules! accesses {
    ($($size:literal: $($name:ident => $hook:ident),+;)+) => { $($(
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        extern "C" fn $name(_address: u64) {
            naked_asm!("mov esi, {size}", "mov rdx, [rsp]", "jmp {hook}", size = const $size, hook = sym $hook)
        }
    )+)+ };
}

accesses! {
    1: __tsan_read1 => read, __tsan_write1 => write, __tsan_read_write1 => read_write,
       __tsan_volatile_read1 => volatile_read, __tsan_volatile_write1 => volatile_write;
    2: __tsan_read2 => read, __tsan_write2 => write, __tsan_read_write2 => read_write,
       __tsan_unaligned_read2 => read, __tsan_unaligned_write2 => write, __tsan_unaligned_read_write2 => read_write,
       __tsan_volatile_read2 => volatile_read, __tsan_volatile_write2 => volatile_write,
       __tsan_unaligned_volatile_read2 => volatile_read, __tsan_unaligned_volatile_write2 => volatile_write;
    4: __tsan_read4 => read, __tsan_write4 => write, __tsan_read_write4 => read_write,
       __tsan_unaligned_read4 => read, __tsan_unaligned_write4 => write, __tsan_unaligned_read_write4 => read_write,
       __tsan_volatile_read4 => volatile_read, __tsan_volatile_write4 => volatile_write,
       __tsan_unaligned_volatile_read4 => volatile_read, __tsan_unaligned_volatile_write4 => volatile_write;
    8: __tsan_read8 => read, __tsan_write8 => write, __tsan_read_write8 => read_write,
       __tsan_unaligned_read8 => read, __tsan_unaligned_write8 => write, __tsan_unaligned_read_write8 => read_write,
       __tsan_volatile_read8 => volatile_read, __tsan_volatile_write8 => volatile_write,
       __tsan_unaligned_volatile_read8 => volatile_read, __tsan_unaligned_volatile_write8 => volatile_write,
       __tsan_vptr_read => read;
    16: __tsan_read16 => read, __tsan_write16 => write, __tsan_read_write16 => read_write,
       __tsan_unaligned_read16 => read, __tsan_unaligned_write16 => write, __tsan_unaligned_read_write16 => read_write,
       __tsan_volatile_read16 => read, __tsan_volatile_write16 => write,
       __tsan_unaligned_volatile_read16 => read, __tsan_unaligned_volatile_write16 => write;
}

with_return_address!(__tsan_read_range, "rdx", read);
with_return_address!(__tsan_write_range, "rdx", write);
with_return_address!(__tsan_vptr_update, "rdx", table_write);
with_return_address!(__tsan_memcpy, "rcx", copy);
with_return_address!(__tsan_memmove, "rcx", copy);
with_return_address!(__tsan_memset, "rcx", fill);
with_return_address!(__tsan_atomic_thread_fence, "rsi", fence);

extern "C" fn read(address: u64, size: u64, pc: u64) {
    hook!(__inspect_read: u64, u64, u64)(address, size, of_call(pc).0);
}

extern "C" fn write(address: u64, size: u64, pc: u64) {
    hook!(__inspect_write: u64, u64, u64)(address, size, of_call(pc).0);
}

/// A read and a write of the same variable, between which nothing is called.
extern "C" fn read_write(address: u64, size: u64, pc: u64) {
    read(address, size, pc);
    write(address, size, pc);
}

extern "C" fn volatile_read(address: u64, size: u64, pc: u64) {
    hook!(__inspect_volatile_read: u64, u64, u64)(address, size, of_call(pc).0);
}

extern "C" fn volatile_write(address: u64, size: u64, pc: u64) {
    hook!(__inspect_volatile_write: u64, u64, u64)(address, size, of_call(pc).0);
}

extern "C" fn table_write(address: u64, table: u64, pc: u64) {
    hook!(__inspect_table_write: u64, u64, u64)(address, table, of_call(pc).0);
}

extern "C" fn copy(target: *mut u8, source: *const u8, size: usize, pc: u64) -> *mut u8 {
    read(source as u64, size as u64, pc);
    write(target as u64, size as u64, pc);
    // SAFETY: the program copies between these ranges, and it guarantees that they are there.
    unsafe { core::ptr::copy(source, target, size) };
    target
}

extern "C" fn fill(target: *mut u8, byte: i32, size: usize, pc: u64) -> *mut u8 {
    write(target as u64, size as u64, pc);
    // SAFETY: the program fills this range, and it guarantees that it is there.
    unsafe { core::ptr::write_bytes(target, byte as u8, size) };
    target
}

extern "C" fn fence(order: u32, pc: u64) {
    hook!(__inspect_fence: u32, u64)(order, of_call(pc).0);
    core::sync::atomic::fence(SeqCst);
}

#[unsafe(no_mangle)]
extern "C" fn __tsan_atomic_signal_fence(_order: u32) {
    compiler_fence(SeqCst);
}

/// A type of atomic variables, with what an atomic function does to one once it is its turn.
trait Variable:
    Copy
    + PartialEq
    + Into<u128>
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
{
    /// The value.
    fn load(at: *mut Self) -> Self;
    /// Exchanges the value if it is the expected one; returns the value before.
    fn exchange_if(at: *mut Self, expected: Self, new: Self) -> Self;
    /// The sum, modulo the range of the type.
    fn plus(self, other: Self) -> Self;
    /// The difference, modulo the range of the type.
    fn minus(self, other: Self) -> Self;
}

macro_rules! arithmetic {
    () => {
        #[inline(always)]
        fn plus(self, other: Self) -> Self {
            self.wrapping_add(other)
        }

        #[inline(always)]
        fn minus(self, other: Self) -> Self {
            self.wrapping_sub(other)
        }
    };
}

macro_rules! variables {
    ($($ty:ty: $atomic:ty;)+) => { $(
        impl Variable for $ty {
            #[inline(always)]
            fn load(at: *mut Self) -> Self {
                // SAFETY: the program makes an atomic access to this variable; it guarantees that it is there, aligned.
                unsafe { <$atomic>::from_ptr(at) }.load(SeqCst)
            }

            #[inline(always)]
            fn exchange_if(at: *mut Self, expected: Self, new: Self) -> Self {
                // SAFETY: as in `load`.
                let atomic = unsafe { <$atomic>::from_ptr(at) };
                atomic.compare_exchange(expected, new, SeqCst, SeqCst).unwrap_or_else(|found| found)
            }

            arithmetic!();
        }
    )+ };
}

variables! {
    u8: AtomicU8;
    u16: AtomicU16;
    u32: AtomicU32;
    u64: AtomicU64;
}

impl Variable for u128 {
    fn load(at: *mut Self) -> Self {
        Self::exchange_if(at, 0, 0)
    }

    fn exchange_if(at: *mut Self, expected: Self, new: Self) -> Self {
        let (mut low, mut high) = (expected as u64, (expected >> 64) as u64);
        // SAFETY: the program makes an atomic access to this variable; it guarantees that it is there, aligned, and
        // that the processor has the instruction, for which it was compiled. `rbx`, which the compiler keeps for
        // itself, gets its value back.
        unsafe {
            asm!(
                "xchg {new_low}, rbx",
                "lock cmpxchg16b [rdi]",
                "mov rbx, {new_low}",
                in("rdi") at,
                new_low = inout(reg) new as u64 => _,
                in("rcx") (new >> 64) as u64,
                inout("rax") low,
                inout("rdx") high,
                options(nostack)
            );
        }
        u128::from(low) | u128::from(high) << 64
    }

    arithmetic!();
}

/// Changes a variable in one step; returns the value before.
#[inline(always)]
fn update<T: Variable>(at: *mut T, change: impl Fn(T) -> T) -> T {
    let mut value = T::load(at);
    loop {
        let found = T::exchange_if(at, value, change(value));
        if found == value {
            return value;
        }
        value = found;
    }
}

extern "C" fn load<T: Variable>(at: *mut T, order: u32, pc: u64) -> T {
    hook!(__inspect_atomic_load: u64, u64, u32, u64)(at as u64, size_of::<T>() as u64, order, of_call(pc).0);
    T::load(at)
}

extern "C" fn store<T: Variable>(at: *mut T, new: T, order: u32, pc: u64) {
    let words: u128 = new.into();
    hook!(__inspect_atomic_store: u64, u64, u64, u32, u64)(
        at as u64,
        size_of::<T>() as u64,
        words as u64,
        order,
        of_call(pc).0,
    );
    update(at, |_| new);
}

macro_rules! updates {
    ($($name:ident: $old:ident, $value:ident => $new:expr;)+) => { $(
        extern "C" fn $name<T: Variable>(at: *mut T, $value: T, order: u32, pc: u64) -> T {
            hook!(__inspect_atomic_rmw: u64, u64, u32, u64)(at as u64, size_of::<T>() as u64, order, of_call(pc).0);
            update(at, |$old| $new)
        }
    )+ };
}

updates! {
    exchange: _old, value => value;
    fetch_add: old, value => old.plus(value);
    fetch_sub: old, value => old.minus(value);
    fetch_and: old, value => old & value;
    fetch_or: old, value => old | value;
    fetch_xor: old, value => old ^ value;
    fetch_nand: old, value => !(old & value);
}

/// Exchanges the value if it is the expected one; returns the value before. `orders` are those of its hook.
#[inline(always)]
fn compare_exchange<T: Variable>(at: *mut T, expected: T, new: T, orders: u32, pc: u64) -> T {
    let words: u128 = expected.into();
    let size = size_of::<T>() as u64;
    hook!(__inspect_atomic_cas: u64, u64, u64, u64, u32, u64)(
        at as u64,
        size,
        words as u64,
        (words >> 64) as u64,
        orders,
        of_call(pc).0,
    );
    T::exchange_if(at, expected, new)
}

/// As [`compare_exchange`], with the address of the expected value, which becomes the value before; returns whether
/// they are the same.
extern "C" fn exchange_at<T: Variable>(at: *mut T, expected: *mut T, new: T, orders: u32, pc: u64) -> bool {
    // SAFETY: the program passes the address of the value that it expects, in memory of its own.
    let wanted = unsafe { expected.read() };
    let found = compare_exchange(at, wanted, new, orders, pc);
    // SAFETY: as above.
    unsafe { expected.write(found) };
    found == wanted
}

extern "C" fn exchange_value<T: Variable>(at: *mut T, expected: T, new: T, orders: u32, pc: u64) -> T {
    compare_exchange(at, expected, new, orders, pc)
}

/// Exports functions with five arguments, the last two of which are orders: they are passed as one, and the return
/// address after them.
macro_rules! compare_exchanges {
    ($($name:ident => $model:path;)+) => { $(
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        extern "C" fn $name() {
            naked_asm!("shl r8d, 8", "or ecx, r8d", "mov r8, [rsp]", "jmp {}", sym $model)
        }
    )+ };
}

compare_exchanges! {
    __tsan_atomic8_compare_exchange_strong => exchange_at::<u8>;
    __tsan_atomic8_compare_exchange_weak => exchange_at::<u8>;
    __tsan_atomic8_compare_exchange_val => exchange_value::<u8>;
    __tsan_atomic16_compare_exchange_strong => exchange_at::<u16>;
    __tsan_atomic16_compare_exchange_weak => exchange_at::<u16>;
    __tsan_atomic16_compare_exchange_val => exchange_value::<u16>;
    __tsan_atomic32_compare_exchange_strong => exchange_at::<u32>;
    __tsan_atomic32_compare_exchange_weak => exchange_at::<u32>;
    __tsan_atomic32_compare_exchange_val => exchange_value::<u32>;
    __tsan_atomic64_compare_exchange_strong => exchange_at::<u64>;
    __tsan_atomic64_compare_exchange_weak => exchange_at::<u64>;
    __tsan_atomic64_compare_exchange_val => exchange_value::<u64>;
}

/// As [`compare_exchanges`]: a value of 16 bytes is passed in two registers.
macro_rules! wide_compare_exchanges {
    ($($name:ident)+) => { $(
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        extern "C" fn $name() {
            naked_asm!("shl r9d, 8", "or r8d, r9d", "mov r9, [rsp]", "jmp {}", sym exchange_at::<u128>)
        }
    )+ };
}

wide_compare_exchanges!(__tsan_atomic128_compare_exchange_strong __tsan_atomic128_compare_exchange_weak);

/// As [`compare_exchanges`]: the second order comes on the stack, and so does the return address, in its place.
#[unsafe(naked)]
#[unsafe(no_mangle)]
extern "C" fn __tsan_atomic128_compare_exchange_val() {
    naked_asm!(
        "mov eax, [rsp + 8]",
        "shl eax, 8",
        "or r9d, eax",
        "mov rax, [rsp]",
        "mov [rsp + 8], rax",
        "jmp {}",
        sym exchange_value::<u128>
    )
}

/// Exports functions that pass their return address on in a register: in the first that their arguments leave free.
macro_rules! atomics {
    ($($register:literal: $($name:ident => $function:path),+;)+) => { $($(
        with_return_address!($name, $register, $function);
    )+)+ };
}

atomics! {
    "rdx":
        __tsan_atomic8_load => load::<u8>,
        __tsan_atomic16_load => load::<u16>,
        __tsan_atomic32_load => load::<u32>,
        __tsan_atomic64_load => load::<u64>,
        __tsan_atomic128_load => load::<u128>;
    "rcx":
        __tsan_atomic8_store => store::<u8>,
        __tsan_atomic8_exchange => exchange::<u8>,
        __tsan_atomic8_fetch_add => fetch_add::<u8>,
        __tsan_atomic8_fetch_sub => fetch_sub::<u8>,
        __tsan_atomic8_fetch_and => fetch_and::<u8>,
        __tsan_atomic8_fetch_or => fetch_or::<u8>,
        __tsan_atomic8_fetch_xor => fetch_xor::<u8>,
        __tsan_atomic8_fetch_nand => fetch_nand::<u8>,
        __tsan_atomic16_store => store::<u16>,
        __tsan_atomic16_exchange => exchange::<u16>,
        __tsan_atomic16_fetch_add => fetch_add::<u16>,
        __tsan_atomic16_fetch_sub => fetch_sub::<u16>,
        __tsan_atomic16_fetch_and => fetch_and::<u16>,
        __tsan_atomic16_fetch_or => fetch_or::<u16>,
        __tsan_atomic16_fetch_xor => fetch_xor::<u16>,
        __tsan_atomic16_fetch_nand => fetch_nand::<u16>,
        __tsan_atomic32_store => store::<u32>,
        __tsan_atomic32_exchange => exchange::<u32>,
        __tsan_atomic32_fetch_add => fetch_add::<u32>,
        __tsan_atomic32_fetch_sub => fetch_sub::<u32>,
        __tsan_atomic32_fetch_and => fetch_and::<u32>,
        __tsan_atomic32_fetch_or => fetch_or::<u32>,
        __tsan_atomic32_fetch_xor => fetch_xor::<u32>,
        __tsan_atomic32_fetch_nand => fetch_nand::<u32>,
        __tsan_atomic64_store => store::<u64>,
        __tsan_atomic64_exchange => exchange::<u64>,
        __tsan_atomic64_fetch_add => fetch_add::<u64>,
        __tsan_atomic64_fetch_sub => fetch_sub::<u64>,
        __tsan_atomic64_fetch_and => fetch_and::<u64>,
        __tsan_atomic64_fetch_or => fetch_or::<u64>,
        __tsan_atomic64_fetch_xor => fetch_xor::<u64>,
        __tsan_atomic64_fetch_nand => fetch_nand::<u64>;
    "r8":
        __tsan_atomic128_store => store::<u128>,
        __tsan_atomic128_exchange => exchange::<u128>,
        __tsan_atomic128_fetch_add => fetch_add::<u128>,
        __tsan_atomic128_fetch_sub => fetch_sub::<u128>,
        __tsan_atomic128_fetch_and => fetch_and::<u128>,
        __tsan_atomic128_fetch_or => fetch_or::<u128>,
        __tsan_atomic128_fetch_xor => fetch_xor::<u128>,
        __tsan_atomic128_fetch_nand => fetch_nand::<u128>;
}
