//! Functions of the C library whose result lies in memory that the library keeps: the call writes it, which may race
//! with a thread that still reads an earlier result. What was written is known when the call is over; as no other
//! thread runs in between, it is announced then.

use super::extent::length;
use super::library_state::with_time_zone;
use super::{descriptors, library_state, stream_lock};
use super::{export, options, real};
use crate::engine::site::of_call;
use crate::engine::uncomparable_during;
use crate::hooks::{argument_read, argument_write};
use crate::platform::{started, tokens};
use inspect_core::event::SiteId;
use inspect_wire::library::Hidden;

export! {
    interpose_localtime / 1 => localtime;
    interpose_gmtime / 1 => gmtime;
    interpose_asctime / 1 => asctime;
    interpose_ctime / 1 => ctime;
    interpose_strtok / 2 => strtok;
    interpose_readdir / 1 => readdir;
    interpose_readdir64 / 1 => readdir64;
    interpose_getline / 3 => getline;
    interpose_getdelim / 4 => getdelim;
    interpose___getdelim / 4 => getdelim;
}

/// Length of `struct tm`.
const BROKEN_DOWN: u64 = 56;

fn announce(result: u64, len: u64, site: SiteId) -> u64 {
    argument_write(result, len, site);
    result
}

extern "C" fn localtime(time: u64, pc: u64) -> u64 {
    if started() {
        library_state::set_time_zone(of_call(pc));
    }
    let function = real!("localtime" as fn(u64) -> u64);
    broken_down(|time| with_time_zone(|| function(time)), time, pc)
}

extern "C" fn gmtime(time: u64, pc: u64) -> u64 {
    let function = real!("gmtime" as fn(u64) -> u64);
    broken_down(|time| function(time), time, pc)
}

fn broken_down(function: impl Fn(u64) -> u64, time: u64, pc: u64) -> u64 {
    if !started() {
        return function(time);
    }
    let site = of_call(pc);
    library_state::write(Hidden::BrokenDownTime, site);
    argument_read(time, 8, site);
    announce(function(time), BROKEN_DOWN, site)
}

extern "C" fn asctime(time: u64, pc: u64) -> u64 {
    let function = real!("asctime" as fn(u64) -> u64);
    as_text(|time| function(time), time, BROKEN_DOWN, pc)
}

extern "C" fn ctime(time: u64, pc: u64) -> u64 {
    if started() {
        library_state::set_time_zone(of_call(pc));
        library_state::write(Hidden::BrokenDownTime, of_call(pc));
    }
    let function = real!("ctime" as fn(u64) -> u64);
    as_text(|time| with_time_zone(|| function(time)), time, 8, pc)
}

fn as_text(function: impl Fn(u64) -> u64, time: u64, len: u64, pc: u64) -> u64 {
    if !started() {
        return function(time);
    }
    let site = of_call(pc);
    library_state::write(Hidden::TimeText, site);
    argument_read(time, len, site);
    let text = function(time);
    let len = if text == 0 { 0 } else { length::<u8>(text, u64::MAX - text) + 1 };
    announce(text, len, site)
}

/// `strtok` keeps its place here instead of inside the C library, so that the string it goes on with is known.
extern "C" fn strtok(text: u64, delimiters: u64, pc: u64) -> u64 {
    let mut place = if text == 0 { tokens::place() } else { text };
    if started() {
        let site = of_call(pc);
        uncomparable_during(|| {
            library_state::write(Hidden::Strtok, site);
            argument_read(delimiters, length::<u8>(delimiters, u64::MAX - delimiters) + 1, site);
            options::take_token(place, delimiters, true, site);
        });
    }
    // Before there is a string, the C library goes on with that at address 0, and faults.
    let token = real!("strtok_r" as fn(u64, u64, *mut u64) -> u64)(place, delimiters, &raw mut place);
    tokens::set_place(place);
    token
}

extern "C" fn readdir(stream: u64, pc: u64) -> u64 {
    let function = real!("readdir" as fn(u64) -> u64);
    entry(function, stream, pc)
}

extern "C" fn readdir64(stream: u64, pc: u64) -> u64 {
    let function = real!("readdir64" as fn(u64) -> u64);
    entry(function, stream, pc)
}

/// The next entry of a folder, which lies in the memory of the stream.
fn entry(function: extern "C" fn(u64) -> u64, stream: u64, pc: u64) -> u64 {
    const LENGTH: u64 = 16;
    if !started() || stream == 0 {
        return function(stream);
    }
    let site = of_call(pc);
    library_state::use_folder_stream(stream, site);
    let entry = function(stream);
    if entry == 0 {
        return 0;
    }
    // SAFETY: the C library has returned an entry, which holds its length there.
    let len = unsafe { ((entry + LENGTH) as *const u16).read_unaligned() };
    announce(entry, len.into(), site)
}

extern "C" fn getline(line: u64, size: u64, stream: u64, pc: u64) -> i64 {
    take_line(line, size, stream, pc, || real!("getline" as fn(u64, u64, u64) -> i64)(line, size, stream))
}

extern "C" fn getdelim(line: u64, size: u64, delimiter: i32, stream: u64, pc: u64) -> i64 {
    take_line(line, size, stream, pc, || {
        real!("getdelim" as fn(u64, u64, i32, u64) -> i64)(line, size, delimiter, stream)
    })
}

fn take_line(line: u64, size: u64, stream: u64, pc: u64, call: impl FnOnce() -> i64) -> i64 {
    if !started() {
        return call();
    }
    let lock = stream_lock::take(stream, of_call(pc));
    let before = prepare_line(line, size, stream, pc);
    let got = call();
    announce_line(line, before, got, pc);
    if let Some(lock) = lock {
        lock.release();
    }
    got
}

/// Announces what is known before a line is read, and returns the buffer that the program passes.
fn prepare_line(line: u64, size: u64, stream: u64, pc: u64) -> Option<u64> {
    let site = of_call(pc);
    descriptors::use_stream(stream, library_state::Use::Look, site);
    argument_write(line, 8, site);
    argument_write(size, 8, site);
    // SAFETY: the program passes the address of a pointer; if not, it faults here as it would in the C library.
    (line != 0).then(|| unsafe { (line as *const u64).read_unaligned() })
}

/// Announces the line itself, if it went to the program's buffer: a new one was announced when it was allocated.
fn announce_line(line: u64, before: Option<u64>, got: i64, pc: u64) {
    let Some(before) = before else { return };
    // SAFETY: `prepare_line` has read the pointer there.
    let buffer = unsafe { (line as *const u64).read_unaligned() };
    if got > 0 && buffer == before {
        argument_write(buffer, got as u64 + 1, of_call(pc));
    }
}
