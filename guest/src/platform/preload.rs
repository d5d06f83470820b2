//! How a library that takes the place of another one leaves no trace in the program's environment.
//!
//! The form of this library with room for many threads is preloaded (`LD_PRELOAD`), which the program would see in its
//! environment, and so would what it executes.

use super::mode::explored;
use core::ffi::c_char;

type Constructor = extern "C" fn(i32, *mut *mut c_char);

/// Constructors of libraries that need this one run after this.
#[used]
#[unsafe(link_section = ".init_array")]
static HIDE: Constructor = begin;

extern "C" fn begin(argc: i32, argv: *mut *mut c_char) {
    if explored() {
        // SAFETY: the loader hands over the program's arguments, as it has them from the kernel.
        unsafe { hide(argc, argv) };
    }
}

const VARIABLE: &[u8] = b"LD_PRELOAD=";
const OWN_NAME: &[u8] = b"/libinspect_guest.so";

/// Takes this library out of the variable, and the variable out of the environment if nothing else is in it.
///
/// # Safety
/// `argv` are the arguments that the kernel has put on the stack, `argc` of them, and the environment follows them.
unsafe fn hide(argc: i32, argv: *mut *mut c_char) {
    // SAFETY: promised by the caller; the environment ends with a null pointer.
    unsafe {
        let mut variable = argv.add(argc as usize + 1);
        while !(*variable).is_null() {
            let text = (*variable).cast::<u8>();
            if starts_with(text, VARIABLE) {
                if !take_first(text.add(VARIABLE.len())) {
                    remove(variable);
                }
                return;
            }
            variable = variable.add(1);
        }
    }
}

/// # Safety
/// `text` ends with a zero.
unsafe fn starts_with(text: *const u8, prefix: &[u8]) -> bool {
    // SAFETY: no byte behind the zero is read, as the prefix has none.
    prefix.iter().enumerate().all(|(at, byte)| unsafe { *text.add(at) } == *byte)
}

/// Takes the first library out of the list, if it is this one. False if it was the only one.
///
/// # Safety
/// `list` ends with a zero and may be written.
unsafe fn take_first(list: *mut u8) -> bool {
    // SAFETY: everything is read and written up to the zero.
    unsafe {
        let length = (0..).find(|&at| matches!(*list.add(at), 0 | b':' | b' ')).unwrap_or(0);
        if !core::slice::from_raw_parts(list, length).ends_with(OWN_NAME) {
            return true;
        }
        if *list.add(length) == 0 {
            return false;
        }
        let mut at = 0;
        loop {
            let byte = *list.add(length + 1 + at);
            *list.add(at) = byte;
            if byte == 0 {
                return true;
            }
            at += 1;
        }
    }
}

/// # Safety
/// `variable` is in a list that ends with a null pointer.
unsafe fn remove(mut variable: *mut *mut c_char) {
    // SAFETY: up to the null pointer.
    unsafe {
        while !(*variable).is_null() {
            *variable = *variable.add(1);
            variable = variable.add(1);
        }
    }
}
