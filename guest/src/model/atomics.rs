//! Atomic accesses too large for an instruction, which compilers leave to libatomic. The program's hooks have announced
//! them; what is left is to make them, and while the engine is in charge no other thread runs in between. The library's
//! own functions would take locks, and copy by functions that announce accesses.

use crate::platform::{poison, started};
use core::ptr::{copy, copy_nonoverlapping};
use core::sync::atomic::{AtomicBool, Ordering};

/// Taken while the engine is not in charge: then threads may be those of the operating system.
static LOCK: AtomicBool = AtomicBool::new(false);

fn alone<R>(make: impl FnOnce() -> R) -> R {
    if started() {
        return make();
    }
    while LOCK.swap(true, Ordering::Acquire) {
        core::hint::spin_loop();
    }
    let result = make();
    LOCK.store(false, Ordering::Release);
    result
}

/// What a call has written is initialised, as what it was copied from is the program's shared state (S23).
fn written(result: *mut u8, size: usize) {
    if started() {
        poison::clear(result as u64, size as u64);
    }
}

fn same(a: *const u8, b: *const u8, size: usize) -> bool {
    // SAFETY: the program passes two objects of this size.
    unsafe { core::slice::from_raw_parts(a, size) == core::slice::from_raw_parts(b, size) }
}

#[unsafe(no_mangle)]
extern "C" fn interpose___atomic_load(size: usize, at: *const u8, result: *mut u8, _order: i32) {
    written(result, size);
    if size == 16 {
        let value = update(at.cast_mut().cast(), |value| value);
        // SAFETY: the program's variable for the result.
        return unsafe { result.cast::<u128>().write_unaligned(value) };
    }
    // SAFETY: the program passes two objects of this size.
    alone(|| unsafe { copy(at, result, size) });
}

#[unsafe(no_mangle)]
extern "C" fn interpose___atomic_store(size: usize, at: *mut u8, value: *const u8, _order: i32) {
    if size == 16 {
        // SAFETY: the program passes the address of a value of this size.
        let value = unsafe { value.cast::<u128>().read_unaligned() };
        update(at.cast(), |_| value);
        return;
    }
    // SAFETY: as above.
    alone(|| unsafe { copy(value, at, size) });
}

#[unsafe(no_mangle)]
extern "C" fn interpose___atomic_exchange(size: usize, at: *mut u8, value: *const u8, result: *mut u8, _order: i32) {
    written(result, size);
    if size == 16 {
        // SAFETY: the program's value, and its variable for the result.
        unsafe {
            let value = value.cast::<u128>().read_unaligned();
            result.cast::<u128>().write_unaligned(update(at.cast(), |_| value));
        }
        return;
    }
    // SAFETY: as above, with three objects; value and result may be one.
    alone(|| unsafe {
        for byte in 0..size {
            let (old, new) = (*at.add(byte), *value.add(byte));
            *at.add(byte) = new;
            *result.add(byte) = old;
        }
    });
}

#[unsafe(no_mangle)]
extern "C" fn interpose___atomic_compare_exchange(
    size: usize,
    at: *mut u8,
    expected: *mut u8,
    desired: *const u8,
    success: i32,
    failure: i32,
) -> bool {
    written(expected, size);
    if size == 16 {
        // SAFETY: the program passes the address of a value of this size.
        let desired = unsafe { desired.cast::<u128>().read_unaligned() };
        return interpose___atomic_compare_exchange_16(at.cast(), expected.cast(), desired, success, failure);
    }
    alone(|| {
        let equal = same(at, expected, size);
        // SAFETY: as above; what is compared and written are objects of their own.
        unsafe { if equal { copy_nonoverlapping(desired, at, size) } else { copy_nonoverlapping(at, expected, size) } };
        equal
    })
}

/// Changes 16 bytes; returns what was there. Where the engine is not in charge, by an instruction, as code may do that
/// was compiled for processors that have it.
fn update(at: *mut u128, change: impl Fn(u128) -> u128) -> u128 {
    // SAFETY: the program passes an object of 16 bytes, which is aligned if it is atomic.
    unsafe {
        let mut old = at.read_unaligned();
        if started() {
            at.write_unaligned(change(old));
            return old;
        }
        loop {
            let seen = exchange(at, old, change(old));
            if seen == old {
                return old;
            }
            old = seen;
        }
    }
}

/// Writes `new` if `old` is there; returns what was there.
///
/// # Safety
/// `at` can be written and is a multiple of 16.
unsafe fn exchange(at: *mut u128, old: u128, new: u128) -> u128 {
    let (mut low, mut high) = (old as u64, (old >> 64) as u64);
    // SAFETY: passed on. The compiler keeps a register of its own that the instruction needs, so it is put aside.
    unsafe {
        core::arch::asm!(
            "xchg rsi, rbx",
            "lock cmpxchg16b [rdi]",
            "mov rbx, rsi",
            in("rdi") at,
            inout("rsi") new as u64 => _,
            in("rcx") (new >> 64) as u64,
            inout("rax") low,
            inout("rdx") high,
            options(nostack)
        );
    }
    u128::from(high) << 64 | u128::from(low)
}

#[unsafe(no_mangle)]
extern "C" fn interpose___atomic_load_16(at: *mut u128, _order: i32) -> u128 {
    update(at, |value| value)
}

#[unsafe(no_mangle)]
extern "C" fn interpose___atomic_store_16(at: *mut u128, value: u128, _order: i32) {
    update(at, |_| value);
}

#[unsafe(no_mangle)]
extern "C" fn interpose___atomic_compare_exchange_16(
    at: *mut u128,
    expected: *mut u128,
    desired: u128,
    _success: i32,
    _failure: i32,
) -> bool {
    // SAFETY: the program's variable for what it expects.
    let wanted = unsafe { expected.read_unaligned() };
    let old = update(at, |old| if old == wanted { desired } else { old });
    if old != wanted {
        // SAFETY: as above.
        unsafe { expected.write_unaligned(old) };
    }
    old == wanted
}

/// Read-modify-writes of 16 bytes that return what was there.
macro_rules! updates {
    ($($name:ident => $change:expr;)+) => {
        $(
            #[unsafe(no_mangle)]
            extern "C" fn $name(at: *mut u128, operand: u128, _order: i32) -> u128 {
                let change: fn(u128, u128) -> u128 = $change;
                update(at, |old| change(old, operand))
            }
        )+
    };
}

updates! {
    interpose___atomic_exchange_16 => |_, new| new;
    interpose___atomic_fetch_add_16 => u128::wrapping_add;
    interpose___atomic_fetch_sub_16 => u128::wrapping_sub;
    interpose___atomic_fetch_and_16 => |a, b| a & b;
    interpose___atomic_fetch_or_16 => |a, b| a | b;
    interpose___atomic_fetch_xor_16 => |a, b| a ^ b;
    interpose___atomic_fetch_nand_16 => |a, b| !(a & b);
}
