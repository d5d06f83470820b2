//! The mappings of this process, as the kernel lists them.

use super::layout::Range;
use super::sys;
use alloc::string::String;
use alloc::vec::Vec;

/// One mapping.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mapping {
    /// Where it is.
    pub range: Range,
    /// Readable.
    pub read: bool,
    /// Writable.
    pub write: bool,
    /// Executable.
    pub execute: bool,
    /// Shared with other processes, so that it cannot be brought back.
    pub shared: bool,
    /// File or kind of memory; empty for anonymous memory.
    pub name: String,
}

fn hex(digits: &[u8]) -> Option<u64> {
    digits.iter().try_fold(0u64, |value, &digit| Some(value << 4 | u64::from((digit as char).to_digit(16)?)))
}

fn parse(line: &[u8]) -> Option<Mapping> {
    let mut fields = line.split(|&byte| byte == b' ').filter(|field| !field.is_empty());
    let mut bounds = fields.next()?.split(|&byte| byte == b'-');
    let range = Range { start: hex(bounds.next()?)?, end: hex(bounds.next()?)? };
    let flags = fields.next()?;
    let name = fields.nth(3).map(|name| String::from_utf8_lossy(name).into_owned()).unwrap_or_default();
    Some(Mapping {
        range,
        read: *flags.first()? == b'r',
        write: *flags.get(1)? == b'w',
        execute: *flags.get(2)? == b'x',
        shared: *flags.get(3)? == b's',
        name,
    })
}

/// Every mapping, by address.
pub fn all() -> Vec<Mapping> {
    let mut text = alloc::vec![0u8; 64 << 10];
    loop {
        let len = sys::read_file(c"/proc/self/maps", &mut text);
        if len < text.len() {
            text.truncate(len);
            break;
        }
        let doubled = text.len() * 2;
        text.resize(doubled, 0);
    }
    let mappings: Vec<Mapping> = text.split(|&byte| byte == b'\n').filter_map(parse).collect();
    if mappings.is_empty() {
        sys::fatal("cannot read /proc/self/maps");
    }
    mappings
}
