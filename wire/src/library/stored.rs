//! How much memory a call has written, as its result or what it has stored says. What lies behind it may be used by
//! other threads meanwhile.

use alloc::{vec, vec::Vec};

/// How much memory a call has written, known when it is over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StoredExtent {
    /// As many elements of `size` bytes as the result says, an integer of 64 bits: none if it is negative.
    Result {
        /// The argument that says how many elements at most.
        limit: u8,
        /// Bytes of an element.
        size: u32,
    },
    /// The same, where result and limit are of type `int`.
    IntResult {
        /// The argument that says how many elements at most.
        limit: u8,
        /// Bytes of an element.
        size: u32,
    },
    /// As many bytes as the result says, an `int`, and the byte that ends the string.
    Printed {
        /// The argument that says how many bytes at most.
        limit: u8,
    },
    /// As many wide characters as the result says, an `int`, and the one that ends the string; as many as argument
    /// `limit` says if the result is negative.
    PrintedWide {
        /// The argument that says how many characters at most.
        limit: u8,
    },
    /// As [`Printed`](StoredExtent::Printed), where a result of 0 says that the string has no room: all that argument
    /// `limit` allows may be written.
    Fitted {
        /// The argument that says how many bytes at most.
        limit: u8,
    },
    /// A string, if the call was successful or says that it is too long.
    Text {
        /// The argument that says how many bytes at most.
        limit: u8,
        /// When there is one.
        present: Present,
    },
    /// The bytes by which the position of a stream has moved.
    Taken {
        /// The stream.
        stream: u8,
        /// The arguments that say how many elements at most, and how many bytes each of them has.
        product: (u8, u8),
    },
    /// The same, with the byte that ends the string; nothing if the result is null.
    Line {
        /// The stream.
        stream: u8,
        /// The argument that says how many bytes at most, an `int`.
        limit: u8,
    },
    /// A network address, if the result is 1.
    Address {
        /// The argument that says its family.
        family: u8,
    },
    /// A string of wide characters; nothing if the result is null.
    WideLine {
        /// The argument that says how many characters at most, an `int`.
        limit: u8,
    },
}

/// When a call has stored a string.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Present {
    /// In any case.
    Always,
    /// If the result is 0, an `int`.
    ResultIsZero,
    /// If the result is the address that was passed.
    ResultIsAddress,
    /// If the result is neither 0 nor negative.
    ResultIsPositive,
}

impl StoredExtent {
    /// The arguments that it speaks of.
    pub fn arguments(&self) -> Vec<u8> {
        match *self {
            StoredExtent::Result { limit, .. }
            | StoredExtent::IntResult { limit, .. }
            | StoredExtent::Printed { limit }
            | StoredExtent::PrintedWide { limit }
            | StoredExtent::Fitted { limit }
            | StoredExtent::Text { limit, .. }
            | StoredExtent::WideLine { limit } => vec![limit],
            StoredExtent::Address { family } => vec![family],
            StoredExtent::Taken { stream, product: (count, size) } => vec![stream, count, size],
            StoredExtent::Line { stream, limit } => vec![stream, limit],
        }
    }

    /// The arguments of which all 64 bits are a number of bytes or elements.
    pub fn counts(&self) -> Vec<u8> {
        match *self {
            StoredExtent::Result { limit, .. }
            | StoredExtent::Printed { limit }
            | StoredExtent::PrintedWide { limit }
            | StoredExtent::Fitted { limit }
            | StoredExtent::Text { limit, .. } => vec![limit],
            StoredExtent::Taken { product: (count, size), .. } => vec![count, size],
            StoredExtent::IntResult { .. }
            | StoredExtent::Address { .. }
            | StoredExtent::Line { .. }
            | StoredExtent::WideLine { .. } => Vec::new(),
        }
    }
}
