//! Code that is overwritten, in this process's own copy of it.
//!
//! The kernel's library of fast calls: the C library reads clocks there without a system call, so nothing could be
//! trapped. Its functions become plain system calls.
//!
//! Slots of calls of functions that are not known, to notice these calls.
//!
//! The end of `exit`: it would be trapped, but every run ends with it, and a trap takes longer than restoring memory.

use super::elf;
use super::sys::nr;
use super::sys::{self, PAGE};

/// The functions and the calls that they stand for.
const FUNCTIONS: [(&str, u32); 5] = [
    ("__vdso_clock_gettime", nr::__NR_clock_gettime),
    ("__vdso_gettimeofday", nr::__NR_gettimeofday),
    ("__vdso_time", nr::__NR_time),
    ("__vdso_getcpu", nr::__NR_getcpu),
    ("__vdso_clock_getres", nr::__NR_clock_getres),
];

/// Functions whose callers fall back to a system call when they fail.
const FAILING: &str = "__vdso_getrandom";

/// Overwrites the functions. False if the kernel does not allow it: then real time leaks into the program.
#[must_use]
pub(super) fn disable_fast_calls() -> bool {
    let base = elf::auxiliary(elf::AT_SYSINFO_EHDR);
    if base == 0 {
        return true;
    }
    let calls = FUNCTIONS.iter().all(|&(name, number)| {
        let [a, b, c, d] = number.to_le_bytes();
        // mov eax, number; syscall; ret
        overwrite(base, name, &[0xb8, a, b, c, d, 0x0f, 0x05, 0xc3])
    });
    let [a, b, c, d] = (-(sys::errno::ENOSYS as i32)).to_le_bytes();
    // mov rax, -ENOSYS (sign-extended); ret
    calls && overwrite(base, FAILING, &[0x48, 0xc7, 0xc0, a, b, c, d, 0xc3])
}

fn overwrite(base: u64, name: &str, code: &[u8]) -> bool {
    let Some(address) = elf::find_in_image(base, name) else { return true };
    overwrite_at(address, code)
}

fn overwrite_at(address: u64, code: &[u8]) -> bool {
    overwrite_by_protection(address, code) || overwrite_by_file(address, code)
}

/// Makes the C library's `_exit` go on in `target`. Where that is refused, the system call is trapped instead.
pub(super) fn shorten_exit(target: extern "C" fn(i32) -> !) {
    // mov rax, target; jmp rax
    let mut code = [0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xe0];
    code[2..10].copy_from_slice(&(target as usize as u64).to_le_bytes());
    let exit = elf::find("_exit");
    if !exit.is_null() {
        let _ = overwrite_at(exit as u64, &code);
    }
}

/// Newer kernels seal the mapping, so that its protection cannot be changed.
fn overwrite_by_protection(address: u64, code: &[u8]) -> bool {
    const EXECUTE: u64 = 4;
    let page = address & !(PAGE - 1);
    let len = (address + code.len() as u64 - page).next_multiple_of(PAGE);
    // SAFETY: the function is at least as long as the code, as all of these do more; there is one OS thread, which is
    // here.
    unsafe {
        if !sys::protect(page, len, sys::PROT_RW) {
            return false;
        }
        core::ptr::copy_nonoverlapping(code.as_ptr(), address as *mut u8, code.len());
        sys::protect(page, len, sys::PROT_READ | EXECUTE)
    }
}

/// Writes over constants of the program.
pub(super) fn overwrite_data(address: u64, data: &[u8]) -> bool {
    overwrite_by_file(address, data)
}

/// Has the program's calls through a slot of its table go to `target`. Returns where they went, or `None` if that is
/// not possible.
pub fn divert_call(slot: u64, target: u64) -> Option<u64> {
    // SAFETY: the slot is the loader's, which has filled it.
    let before = unsafe { *(slot as *const u64) };
    overwrite_by_file(slot, &target.to_le_bytes()).then_some(before)
}

/// The file of the process's own memory can be written to as a debugger would.
fn overwrite_by_file(address: u64, code: &[u8]) -> bool {
    let flags = u64::from(nr::O_RDWR | nr::O_CLOEXEC);
    // SAFETY: as above; the kernel reads the path and the code.
    unsafe {
        let file = sys::call3(nr::__NR_open, c"/proc/self/mem".as_ptr() as u64, flags, 0);
        if sys::failed(file) {
            return false;
        }
        let file = file as u64;
        let written = sys::call4(nr::__NR_pwrite64, file, code.as_ptr() as u64, code.len() as u64, address);
        sys::call1(nr::__NR_close, file);
        written == code.len() as i64
    }
}
