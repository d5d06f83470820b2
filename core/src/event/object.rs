//! What operations act on.

/// The identity of a synchronisation object: its address in the program under test.
///
/// Addresses are functions of a thread's own history (S7), so the same object has the same identity in every
/// equivalent execution.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(packed(4))] // see the size of `Operation`
pub struct Object(pub u64);

/// Objects from this address on stand for something outside of the program's memory: a file, the state of a library.
pub const MADE_UP: u64 = 1 << 63;

/// Made-up objects below this address stand for one fixed thing each, those from it on for something that the arguments
/// of a call name, such as a file.
pub const MADE_UP_FOR_ARGUMENTS: u64 = MADE_UP | 1 << 48;

/// A range of bytes of the program's memory: `start .. start + len`. `len` is at least 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(packed(4))] // see the size of `Operation`
pub struct ByteRange {
    /// Address of the first byte.
    pub start: u64,
    /// Number of bytes.
    pub len: u32,
}

impl ByteRange {
    /// The address after the last byte.
    pub fn end(self) -> u64 {
        self.start + u64::from(self.len)
    }

    /// Whether the two ranges share a byte.
    pub fn overlaps(self, other: ByteRange) -> bool {
        self.start < other.end() && other.start < self.end()
    }
}
