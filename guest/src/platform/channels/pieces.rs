//! The bytes that a call moves.

use crate::platform::recover;
use crate::platform::sys::{errno, error};
use alloc::vec::Vec;

/// The bytes that a call moves: a buffer, or a vector of them.
#[derive(Clone, Copy, Debug)]
pub struct Pieces {
    /// The address of the buffer, or of the vector.
    pub address: u64,
    /// Bytes of the buffer, or buffers of the vector.
    pub len: u64,
    /// Whether it is a vector.
    pub is_vector: bool,
}

impl Pieces {
    const MOST: u64 = 1024;

    fn piece(self, number: u64) -> Option<(u64, u64)> {
        match self.is_vector {
            true if number < self.len => {
                recover::read_value::<[u64; 2]>(self.address + 16 * number).map(|[start, len]| (start, len))
            }
            false if number == 0 => Some((self.address, self.len)),
            true | false => None,
        }
    }

    fn count(self) -> u64 {
        if self.is_vector { self.len } else { 1 }
    }

    /// One of the buffers.
    pub fn buffer(self, number: u64) -> Option<Pieces> {
        self.piece(number).map(|(address, len)| Pieces { address, len, is_vector: false })
    }

    /// How many bytes there are; an error number if the vector is none.
    pub fn total(self) -> Result<u64, i64> {
        if self.count() > Pieces::MOST {
            return Err(error(errno::EINVAL));
        }
        let lengths = (0..self.count()).map(|number| self.piece(number).map(|(_, len)| len));
        lengths.sum::<Option<u64>>().ok_or(error(errno::EFAULT))
    }

    /// Calls `each` with address, position among all bytes and length of the pieces of the first `count` bytes.
    pub fn for_each(self, count: u64, mut each: impl FnMut(u64, u64, u64)) {
        let mut at = 0;
        for (start, len) in (0..self.count()).map_while(|number| self.piece(number)) {
            let len = len.min(count - at);
            if len > 0 {
                each(start, at, len);
            }
            at += len;
        }
    }

    /// Up to `most` of the bytes from this position on, as far as they can be read.
    pub fn read(self, from: u64, most: usize) -> Vec<u8> {
        let mut all = Vec::new();
        let (mut skip, mut failed) = (from, false);
        for (start, len) in (0..self.count()).map_while(|number| self.piece(number)) {
            let skipped = skip.min(len);
            skip -= skipped;
            let wanted = ((len - skipped) as usize).min(most - all.len());
            if wanted == 0 || failed {
                continue;
            }
            let before = all.len();
            all.resize(before + wanted, 0);
            let got = recover::read(start + skipped, &mut all[before..]);
            all.truncate(before + got);
            failed = got < wanted;
        }
        all
    }
}
