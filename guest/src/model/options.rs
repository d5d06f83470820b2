//! What `getopt`, `getsubopt` and `strtok` access: the arguments of a program, tables of options, and strings of which
//! they take a part.

use super::extent::length;
use crate::engine::uncomparable_during;
use crate::hooks::{argument_read, argument_write};
use inspect_core::event::SiteId;

/// Bytes of a `struct option`: its name, whether it has an argument, where its value goes, the value.
const OPTION: u64 = 32;
/// Where in it the address is to which its value goes.
const FLAG: u64 = 16;
/// So many arguments and options are looked at at most.
const MOST: u64 = 1024;

fn pointer(address: u64) -> u64 {
    // SAFETY: the program passes vectors and tables that end; if not, it faults here as it would in the C library.
    unsafe { (address as *const u64).read_volatile() }
}

fn read_text(text: u64, site: SiteId) {
    if text != 0 {
        argument_read(text, length::<u8>(text, u64::MAX - text) + 1, site);
    }
}

/// Announces that an option is taken off these arguments: their strings are read, and the table of long options with
/// its names. Which option it will be is not known before; where the value of any of them goes counts as written.
pub(super) fn take(count: u64, arguments: u64, table: u64, site: SiteId) {
    uncomparable_during(|| {
        for number in 0..u64::try_from(count as i32).unwrap_or(0).min(MOST) {
            read_text(pointer(arguments + 8 * number), site);
        }
        if table == 0 {
            return;
        }
        for option in (table..).step_by(OPTION as usize).take(MOST as usize) {
            argument_read(option, OPTION, site);
            if pointer(option) == 0 {
                return;
            }
            read_text(pointer(option), site);
            argument_write(pointer(option + FLAG), 4, site);
        }
    });
}

/// Announces that an option is taken off this text: a comma behind it is overwritten.
pub(super) fn take_suboption(text: u64, names: u64, site: SiteId) {
    if text == 0 || names == 0 {
        return;
    }
    // SAFETY: the program passes a string; if not, it faults here as it would in the C library.
    let bytes = unsafe { core::ffi::CStr::from_ptr(text as *const core::ffi::c_char) }.to_bytes();
    let end = bytes.iter().position(|&byte| byte == b',');
    let len = end.unwrap_or(bytes.len()) as u64 + 1;
    uncomparable_during(|| {
        argument_read(text, len, site);
        if let Some(end) = end {
            argument_write(text + end as u64, 1, site);
        }
        for name in (names..).step_by(8).take(MOST as usize) {
            argument_read(name, 8, site);
            if pointer(name) == 0 {
                return;
            }
            read_text(pointer(name), site);
        }
    });
}

/// Taking a token off a string, after delimiters if these may come first: the delimiter behind it is overwritten.
pub(super) fn take_token(text: u64, delimiters: u64, skips: bool, site: SiteId) {
    if text == 0 || delimiters == 0 {
        return;
    }
    // SAFETY: the program passes two strings; if not, it faults here as it would in the C library.
    let (text_bytes, delimiters) = unsafe {
        let string = |address: u64| core::ffi::CStr::from_ptr(address as *const core::ffi::c_char).to_bytes();
        (string(text), string(delimiters))
    };
    let is_delimiter = |byte: &u8| delimiters.contains(byte);
    let first = if skips { text_bytes.iter().take_while(|byte| is_delimiter(byte)).count() } else { 0 };
    let len = text_bytes[first..].iter().take_while(|byte| !is_delimiter(byte)).count();
    let end = (first + len) as u64;
    uncomparable_during(|| {
        argument_read(text, end + 1, site);
        if end < text_bytes.len() as u64 {
            argument_write(text + end, 1, site);
        }
    });
}
