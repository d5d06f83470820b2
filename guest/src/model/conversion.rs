//! How much library functions access that convert text between bytes and wide characters, or transform it for
//! comparisons: found out by converting it to memory of the guest's own first, or, of `iconv`, from where it has come
//! when it is over.

use super::indirect::pointee;
use super::{export, extent, library_state, real, stored};
use crate::engine::site::of_call;
use crate::engine::uncomparable_during;
use crate::hooks::{argument_read, argument_write};
use crate::platform::started;
use inspect_core::event::SiteId;
use inspect_wire::library::Hidden;

export! {
    interpose_iconv / 5 => convert;
}

/// The state between two conversions, as it is at the beginning.
const INITIAL: u64 = 0;
/// Room for any character.
const LONGEST: usize = 16;

/// What `mbrlen` answers for bytes that are the beginning of a character.
const INCOMPLETE: u64 = -2i64 as u64;
/// What it answers for those that are not.
const INVALID: u64 = -1i64 as u64;

/// How many bytes are looked at to read the character at this address, and whether they are one.
fn read_character(text: u64, limit: u64) -> (u64, bool) {
    let measure = real!("mbrlen" as fn(u64, u64, *mut u64) -> u64);
    for len in 1..=limit.min(LONGEST as u64) {
        let mut state = INITIAL;
        match measure(text, len, &raw mut state) {
            INCOMPLETE => {}
            INVALID => return (len, false),
            _ => return (len, true),
        }
    }
    (limit.min(LONGEST as u64), false)
}

/// How many bytes of the character at this address are looked at, if there may be so many.
pub(super) fn character(text: u64, limit: u64) -> u64 {
    read_character(text, limit).0
}

/// How many bytes are read to make at most so many wide characters of a text.
pub(super) fn bytes_of_characters(text: u64, limit: u64) -> u64 {
    to_wide_characters(text, limit).0
}

/// How many bytes a wide character becomes: none if there are none for it.
pub(super) fn character_of(wide: u32) -> u64 {
    let convert = real!("wcrtomb" as fn(*mut u8, u32, *mut u64) -> u64);
    let (mut bytes, mut state) = ([0u8; LONGEST], INITIAL);
    match convert(bytes.as_mut_ptr(), wide, &raw mut state) {
        INVALID => 0,
        len => len,
    }
}

/// Announces the conversion of a text: what is read of it, and what is written.
pub(super) fn announce(to_wide: bool, to: u64, text: u64, limit: u64, site: SiteId) {
    if text == 0 {
        return;
    }
    let limit = if to == 0 { u64::MAX } else { limit };
    let (read, written) = if to_wide { to_wide_characters(text, limit) } else { to_bytes(text, limit) };
    argument_read(text, read, site);
    argument_write(to, written, site);
}

/// The bytes read and written to make at most so many wide characters of a text.
fn to_wide_characters(text: u64, limit: u64) -> (u64, u64) {
    let (mut read, mut made) = (0, 0);
    while made < limit {
        let (len, is_one) = read_character(text + read, u64::MAX);
        // SAFETY: inside the text; if it does not end, the program faults here as it would in the C library.
        let ends = unsafe { ((text + read) as *const u8).read_volatile() } == 0;
        read += len;
        made += u64::from(is_one);
        if ends || !is_one {
            break;
        }
    }
    (read, 4 * made)
}

/// The bytes read and written to make at most so many bytes of a text of wide characters.
fn to_bytes(text: u64, limit: u64) -> (u64, u64) {
    let (mut read, mut made) = (0, 0);
    while made < limit {
        // SAFETY: inside the text; if it does not end, the program faults here as it would in the C library.
        let wide = unsafe { ((text + read) as *const u32).read_volatile() };
        let len = character_of(wide);
        read += 4;
        if made + len > limit {
            break;
        }
        made += len;
        if wide == 0 || len == 0 {
            break;
        }
    }
    (read, made)
}

/// The bytes of what a string becomes for comparisons, at most so many characters.
pub(super) fn transformed(text: u64, limit: u64, locale: Option<u64>, wide: bool) -> u64 {
    if text == 0 || limit == 0 {
        return 0;
    }
    let len = match (wide, locale) {
        (false, None) => real!("strxfrm" as fn(u64, u64, u64) -> u64)(0, text, 0),
        (false, Some(locale)) => real!("strxfrm_l" as fn(u64, u64, u64, u64) -> u64)(0, text, 0, locale),
        (true, None) => real!("wcsxfrm" as fn(u64, u64, u64) -> u64)(0, text, 0),
        (true, Some(_)) => extent::length::<u32>(text, u64::MAX),
    };
    (if wide { 4 } else { 1 }) * len.saturating_add(1).min(limit)
}

/// A conversion with the state at this address, or with one of the library's.
pub(super) fn use_state(state: u64, site: SiteId) {
    if state == 0 {
        library_state::write(Hidden::ShiftState, site);
    } else {
        argument_write(state, 8, site);
    }
}

/// `iconv`: the pointers to the text and to the room for what it becomes, and the bytes that are left of both, are
/// moved on. How much was written they say when the call is over.
extern "C" fn convert(converter: u64, text: u64, left: u64, to: u64, room: u64, pc: u64) -> u64 {
    /// What `iconv_open` returns if it fails.
    const NONE: u64 = u64::MAX;
    let function = real!("iconv" as fn(u64, u64, u64, u64, u64) -> u64);
    if !started() || converter == NONE {
        return function(converter, text, left, to, room);
    }
    let site = of_call(pc);
    uncomparable_during(|| {
        argument_write(converter, 8, site);
        for moved in [text, left, to, room] {
            argument_write(moved, 8, site);
        }
        argument_read(pointee(text), pointee(left), site);
    });
    let start = pointee(to);
    let result = function(converter, text, left, to, room);
    stored::announce(start, pointee(to) - start, site);
    result
}
