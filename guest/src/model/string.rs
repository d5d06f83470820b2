//! Functions of the C library that access memory on the program's behalf: what they read and write is announced as the
//! program's own access.
//!
//! The compiler's memory intrinsics (memcpy, memmove, memset) are hooked by the instrumentation where they are called.
//! Functions whose accesses follow from their arguments in a simple way are in the table of [`super::calls`].

use super::library_state::{self, Use};
use super::{export, real};
use crate::engine::site::of_call;
use crate::hooks::{argument_read, argument_write};
use crate::platform::started;

export! {
    interpose_strlen / 1 => strlen;
    interpose_strnlen / 2 => strnlen;
    interpose_strcpy / 2 => strcpy;
    interpose_stpcpy / 2 => stpcpy;
    interpose_strncpy / 3 => strncpy;
    interpose_strcat / 2 => strcat;
    interpose_strncat / 3 => strncat;
    interpose_strcmp / 2 => strcmp;
    interpose_strncmp / 3 => strncmp;
    interpose_strchr / 2 => strchr;
    interpose_strrchr / 2 => strrchr;
    interpose_strstr / 2 => strstr;
    interpose_strdup / 1 => strdup;
    interpose_strndup / 2 => strndup;
    interpose_memcmp / 3 => memcmp;
    interpose_memchr / 3 => memchr;
    interpose_qsort / 4 => qsort;
    interpose_puts / 1 => puts;
    interpose_fputs / 2 => fputs;
    interpose_fread / 4 => fread;
    interpose_fwrite / 4 => fwrite;
}

/// Length of the string at `text`, `limit` at most.
pub(super) fn length(text: u64, limit: u64) -> u64 {
    let mut len = 0;
    // SAFETY: the program passes a string; if not, it faults here as it would there.
    while len < limit && unsafe { ((text + len) as *const u8).read_volatile() } != 0 {
        len += 1;
    }
    len
}

/// How many bytes are looked at to read a number at the start of a string: spaces, what a number may consist of, and the
/// byte that ends it.
pub(super) fn number_length(text: u64) -> u64 {
    let byte = |at: u64| {
        // SAFETY: inside the string that the program passes, up to its end at most.
        unsafe { ((text + at) as *const u8).read_volatile() }
    };
    let mut len = 0;
    while byte(len).is_ascii_whitespace() {
        len += 1;
    }
    while byte(len).is_ascii_alphanumeric() || matches!(byte(len), b'+' | b'-' | b'.') {
        len += 1;
    }
    len + 1
}

/// Announces that a string is read with the byte that ends it, and returns its length.
fn read_string(text: u64, pc: u64) -> u64 {
    let len = length(text, u64::MAX - text);
    argument_read(text, len + 1, of_call(pc));
    len
}

/// The same for at most `limit` bytes.
fn read_limited(text: u64, limit: u64, pc: u64) -> u64 {
    let len = length(text, limit);
    argument_read(text, (len + 1).min(limit), of_call(pc));
    len
}

extern "C" fn strlen(text: u64, pc: u64) -> u64 {
    if started() {
        read_string(text, pc);
    }
    real!("strlen" as fn(u64) -> u64)(text)
}

extern "C" fn strnlen(text: u64, limit: u64, pc: u64) -> u64 {
    if started() {
        read_limited(text, limit, pc);
    }
    real!("strnlen" as fn(u64, u64) -> u64)(text, limit)
}

extern "C" fn strcpy(to: u64, from: u64, pc: u64) -> u64 {
    if started() {
        let len = read_string(from, pc);
        argument_write(to, len + 1, of_call(pc));
    }
    real!("strcpy" as fn(u64, u64) -> u64)(to, from)
}

extern "C" fn stpcpy(to: u64, from: u64, pc: u64) -> u64 {
    if started() {
        let len = read_string(from, pc);
        argument_write(to, len + 1, of_call(pc));
    }
    real!("stpcpy" as fn(u64, u64) -> u64)(to, from)
}

extern "C" fn strncpy(to: u64, from: u64, limit: u64, pc: u64) -> u64 {
    if started() {
        read_limited(from, limit, pc);
        argument_write(to, limit, of_call(pc));
    }
    real!("strncpy" as fn(u64, u64, u64) -> u64)(to, from, limit)
}

extern "C" fn strcat(to: u64, from: u64, pc: u64) -> u64 {
    if started() {
        let end = to + read_string(to, pc);
        let len = read_string(from, pc);
        argument_write(end, len + 1, of_call(pc));
    }
    real!("strcat" as fn(u64, u64) -> u64)(to, from)
}

extern "C" fn strncat(to: u64, from: u64, limit: u64, pc: u64) -> u64 {
    if started() {
        let end = to + read_string(to, pc);
        let len = read_limited(from, limit, pc);
        argument_write(end, len + 1, of_call(pc));
    }
    real!("strncat" as fn(u64, u64, u64) -> u64)(to, from, limit)
}

extern "C" fn strcmp(a: u64, b: u64, pc: u64) -> i32 {
    if started() {
        read_pair(a, b, u64::MAX, pc);
    }
    real!("strcmp" as fn(u64, u64) -> i32)(a, b)
}

extern "C" fn strncmp(a: u64, b: u64, limit: u64, pc: u64) -> i32 {
    if started() {
        read_pair(a, b, limit, pc);
    }
    real!("strncmp" as fn(u64, u64, u64) -> i32)(a, b, limit)
}

/// Two strings are read up to their first difference.
fn read_pair(a: u64, b: u64, limit: u64, pc: u64) {
    let mut len = 0;
    while len < limit {
        // SAFETY: the program passes strings; if not, it faults here as it would there.
        let (x, y) = unsafe { (((a + len) as *const u8).read_volatile(), ((b + len) as *const u8).read_volatile()) };
        len += 1;
        if x != y || x == 0 {
            break;
        }
    }
    argument_read(a, len, of_call(pc));
    argument_read(b, len, of_call(pc));
}

extern "C" fn strchr(text: u64, byte: i32, pc: u64) -> u64 {
    let found = real!("strchr" as fn(u64, i32) -> u64);
    if started() {
        let end = found(text, byte);
        let len = if end == 0 { length(text, u64::MAX - text) + 1 } else { end - text + 1 };
        argument_read(text, len, of_call(pc));
    }
    found(text, byte)
}

extern "C" fn strrchr(text: u64, byte: i32, pc: u64) -> u64 {
    if started() {
        read_string(text, pc);
    }
    real!("strrchr" as fn(u64, i32) -> u64)(text, byte)
}

extern "C" fn strstr(text: u64, part: u64, pc: u64) -> u64 {
    if started() {
        read_string(text, pc);
        read_string(part, pc);
    }
    real!("strstr" as fn(u64, u64) -> u64)(text, part)
}

extern "C" fn strdup(text: u64, pc: u64) -> u64 {
    if started() {
        read_string(text, pc);
    }
    real!("strdup" as fn(u64) -> u64)(text)
}

extern "C" fn strndup(text: u64, limit: u64, pc: u64) -> u64 {
    if started() {
        read_limited(text, limit, pc);
    }
    real!("strndup" as fn(u64, u64) -> u64)(text, limit)
}

extern "C" fn memcmp(a: u64, b: u64, len: u64, pc: u64) -> i32 {
    if started() {
        argument_read(a, len, of_call(pc));
        argument_read(b, len, of_call(pc));
    }
    real!("memcmp" as fn(u64, u64, u64) -> i32)(a, b, len)
}

extern "C" fn memchr(memory: u64, byte: i32, len: u64, pc: u64) -> u64 {
    let found = real!("memchr" as fn(u64, i32, u64) -> u64);
    if started() {
        let end = found(memory, byte, len);
        argument_read(memory, if end == 0 { len } else { end - memory + 1 }, of_call(pc));
    }
    found(memory, byte, len)
}

extern "C" fn qsort(base: u64, count: u64, size: u64, compare: u64, pc: u64) {
    if started() {
        // The comparisons announce their reads themselves; what is moved is written.
        argument_write(base, count.saturating_mul(size), of_call(pc));
    }
    real!("qsort" as fn(u64, u64, u64, u64))(base, count, size, compare)
}

extern "C" fn puts(text: u64, pc: u64) -> i32 {
    if started() {
        read_string(text, pc);
    }
    real!("puts" as fn(u64) -> i32)(text)
}

extern "C" fn fputs(text: u64, stream: u64, pc: u64) -> i32 {
    if started() {
        library_state::use_stream(stream, Use::Change, of_call(pc));
        read_string(text, pc);
    }
    real!("fputs" as fn(u64, u64) -> i32)(text, stream)
}

extern "C" fn fread(buffer: u64, size: u64, count: u64, stream: u64, pc: u64) -> u64 {
    if started() {
        library_state::use_stream(stream, Use::Look, of_call(pc));
        argument_write(buffer, size.saturating_mul(count), of_call(pc));
    }
    real!("fread" as fn(u64, u64, u64, u64) -> u64)(buffer, size, count, stream)
}

extern "C" fn fwrite(buffer: u64, size: u64, count: u64, stream: u64, pc: u64) -> u64 {
    if started() {
        library_state::use_stream(stream, Use::Change, of_call(pc));
        argument_read(buffer, size.saturating_mul(count), of_call(pc));
    }
    real!("fwrite" as fn(u64, u64, u64, u64) -> u64)(buffer, size, count, stream)
}
