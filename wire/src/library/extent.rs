//! How much memory a call accesses, as its arguments say.

use alloc::{vec, vec::Vec};

/// How much memory is accessed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    /// So many bytes.
    Bytes(u32),
    /// As many bytes as this argument says.
    Argument(u8),
    /// As many bytes as this argument says, an `int`: none if it is negative.
    Int(u8),
    /// As many bytes as this argument says, a `ssize_t`: none if it is negative.
    Signed(u8),
    /// A byte for each page of as many bytes as this argument says.
    Pages(u8),
    /// As many elements as this argument says, each of so many bytes.
    Elements(u8, u32),
    /// The same, where the argument is an `int`: none if it is negative.
    IntElements(u8, u32),
    /// As many elements as the first argument says, each of as many bytes as the second one says.
    Product(u8, u8),
    /// A network address of the family that this argument says.
    Address(u8),
    /// As many bytes as the 32-bit number says that this argument points to.
    Counted(u8),
    /// A string with the byte that ends it.
    Text,
    /// The same, so many bytes at most as this argument says.
    TextUpTo(u8),
    /// The same, so many bytes at most.
    TextWithin(u32),
    /// As many bytes as the string in this argument has, with the byte that ends it.
    TextOf(u8),
    /// A string up to the byte that this argument says, or to its end.
    ToByte(u8),
    /// Memory up to the byte that argument `byte` says.
    ToByteWithin {
        /// The byte.
        byte: u8,
        /// The argument that says how many bytes at most.
        limit: Option<u8>,
    },
    /// As much as the memory in argument `of` has up to the byte that argument `byte` says, or argument `limit` says.
    ToByteOf {
        /// The memory.
        of: u8,
        /// The byte.
        byte: u8,
        /// The argument that says how many bytes at most.
        limit: u8,
    },
    /// What the string in argument `of` becomes for comparisons, as much at most as argument `limit` says.
    Transformed {
        /// The string.
        of: u8,
        /// The argument that says how many characters at most.
        limit: u8,
        /// The argument that is the locale.
        locale: Option<u8>,
        /// Whether the strings are of wide characters.
        wide: bool,
    },
    /// The bytes of a character, so many at most as this argument says.
    Character(u8),
    /// As many bytes as the wide character in this argument has.
    CharacterOf(u8),
    /// A string of wide characters with the one that ends it.
    Wide,
    /// The same, so many characters at most as this argument says.
    WideUpTo(u8),
    /// As many bytes as the string of wide characters in this argument has, with the character that ends it.
    WideOf(u8),
    /// A floating-point number at the start of a string of wide characters, as [`Number`](Extent::Number).
    WideNumber,
    /// A floating-point number at the start of a string: spaces, what belongs to it, and the byte that ends it.
    Number,
    /// The same for an integer to base 10.
    Decimal,
    /// The same for an integer to the base that this argument says.
    Integer(u8),
    /// The same at the start of a string of wide characters.
    WideInteger(u8),
}

impl Extent {
    /// Whether the contents of the memory say how much of it the function reads.
    pub fn depends_on_contents(self) -> bool {
        match self {
            Extent::Text
            | Extent::TextUpTo(_)
            | Extent::TextWithin(_)
            | Extent::ToByte(_)
            | Extent::ToByteWithin { .. }
            | Extent::Wide
            | Extent::WideUpTo(_)
            | Extent::Number
            | Extent::WideNumber
            | Extent::Decimal
            | Extent::Integer(_)
            | Extent::WideInteger(_) => true,
            Extent::Bytes(_)
            | Extent::Argument(_)
            | Extent::Int(_)
            | Extent::Signed(_)
            | Extent::Pages(_)
            | Extent::Elements(..)
            | Extent::IntElements(..)
            | Extent::Product(..)
            | Extent::Address(_)
            | Extent::Counted(_)
            | Extent::TextOf(_)
            | Extent::ToByteOf { .. }
            | Extent::Transformed { .. }
            | Extent::Character(_)
            | Extent::CharacterOf(_)
            | Extent::WideOf(_) => false,
        }
    }

    /// The arguments that it speaks of.
    pub(super) fn arguments(&self) -> Vec<u8> {
        match *self {
            Extent::Argument(argument)
            | Extent::Address(argument)
            | Extent::Elements(argument, _)
            | Extent::Counted(argument)
            | Extent::Int(argument)
            | Extent::Pages(argument)
            | Extent::IntElements(argument, _)
            | Extent::Signed(argument)
            | Extent::TextUpTo(argument)
            | Extent::TextOf(argument)
            | Extent::ToByte(argument)
            | Extent::WideUpTo(argument)
            | Extent::Character(argument)
            | Extent::CharacterOf(argument)
            | Extent::Integer(argument)
            | Extent::WideInteger(argument)
            | Extent::WideOf(argument) => vec![argument],
            Extent::Product(count, size) => vec![count, size],
            Extent::ToByteWithin { byte, limit } => [byte].into_iter().chain(limit).collect(),
            Extent::ToByteOf { of, byte, limit } => vec![of, byte, limit],
            Extent::Transformed { of, limit, locale, .. } => [of, limit].into_iter().chain(locale).collect(),
            Extent::Bytes(_)
            | Extent::Text
            | Extent::TextWithin(_)
            | Extent::Wide
            | Extent::Decimal
            | Extent::Number
            | Extent::WideNumber => Vec::new(),
        }
    }
}
