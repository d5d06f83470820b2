//! The conversions of a format of `printf` or `scanf`, and the arguments that they take: in their order, or, where they
//! have numbers (`%2$s`), by these.

use crate::engine::unmodelled;
use crate::model::arguments::VaList;
use inspect_core::event::SiteId;

/// The size of an `int`.
pub(super) const INT: u64 = 4;
/// The size of a `long`.
pub(super) const LONG: u64 = 8;

/// So many numbered arguments at most.
const MOST: usize = 64;

/// The characters of a format.
#[derive(Clone, Copy)]
pub(super) struct Text {
    at: u64,
    wide: bool,
    scans: bool,
}

/// How an argument is passed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// In a general register: an integer or a pointer.
    Integer,
    /// In a vector register.
    Double,
    /// On the stack.
    LongDouble,
}

/// A width or a precision.
pub(super) enum Amount {
    None,
    Given(u64),
    /// An argument: the next one, or the one with this number.
    Argument(Option<u64>),
}

/// A conversion.
pub(super) struct Conversion {
    /// The number of its argument, from 1, if it has one.
    pub(super) position: Option<u64>,
    pub(super) width: Amount,
    pub(super) precision: Amount,
    /// Bytes of an integer.
    pub(super) size: u64,
    is_long_double: bool,
    /// The letter that says what is converted; 0 if the format ends before it.
    pub(super) letter: u8,
    scans: bool,
    /// Of `scanf`: whether it has an argument.
    pub(super) is_assigned: bool,
    /// Of `scanf`: what is written is a new block.
    pub(super) allocated: bool,
    /// Of `scanf`: how many characters are read at most.
    pub(super) scanned_width: Option<u64>,
}

impl Conversion {
    /// How its argument is passed; None if it has none.
    pub(super) fn kind(&self) -> Option<Kind> {
        match self.letter {
            0 | b'%' => None,
            b'm' if !self.scans => None,
            b'e' | b'f' | b'g' | b'a' | b'E' | b'F' | b'G' | b'A' if self.is_long_double => Some(Kind::LongDouble),
            b'e' | b'f' | b'g' | b'a' | b'E' | b'F' | b'G' | b'A' if !self.scans => Some(Kind::Double),
            _ => Some(Kind::Integer),
        }
    }

    /// Tells the numbers and kinds of its arguments that have numbers.
    fn numbered(&self, mut tell: impl FnMut(u64, Kind)) {
        for amount in [&self.width, &self.precision] {
            if let Amount::Argument(Some(number)) = *amount {
                tell(number, Kind::Integer);
            }
        }
        if let (Some(number), Some(kind)) = (self.position, self.kind()) {
            // What `scanf` writes to is an address.
            tell(number, if self.scans { Kind::Integer } else { kind });
        }
    }
}

impl Text {
    pub(super) fn printed(at: u64, wide: bool) -> Self {
        Text { at, wide, scans: false }
    }

    pub(super) fn scanned(at: u64, wide: bool) -> Self {
        Text { at, wide, scans: true }
    }

    /// The character here: 0 at the end, and one that means nothing in place of those that are no bytes.
    fn peek(&self) -> u8 {
        const OTHER: u8 = 0x80;
        // SAFETY: inside the format, which ends with a NUL; `next` and `take` do not go past it.
        unsafe {
            if self.wide {
                u8::try_from((self.at as *const u32).read_unaligned()).unwrap_or(OTHER)
            } else {
                *(self.at as *const u8)
            }
        }
    }

    fn next(&mut self) -> u8 {
        let character = self.peek();
        if character != 0 {
            self.at += if self.wide { 4 } else { 1 };
        }
        character
    }

    fn take(&mut self, wanted: impl Fn(u8) -> bool) -> bool {
        let here = self.peek() != 0 && wanted(self.peek());
        if here {
            self.next();
        }
        here
    }

    fn number(&mut self) -> Option<u64> {
        let mut number = None;
        while self.peek().is_ascii_digit() {
            number = Some(number.unwrap_or(0u64).saturating_mul(10) + u64::from(self.next() - b'0'));
        }
        number
    }

    /// A number of an argument, if one stands here: digits and a dollar.
    fn position(&mut self) -> Option<u64> {
        let mut ahead = *self;
        let number = ahead.number()?;
        ahead.take(|character| character == b'$').then(|| {
            *self = ahead;
            number
        })
    }

    /// Length modifiers: the size of an integer, and whether a `long double` is meant.
    fn size(&mut self) -> (u64, bool) {
        match self.peek() {
            b'h' => {
                self.next();
                (if self.take(|character| character == b'h') { 1 } else { 2 }, false)
            }
            b'l' => {
                self.next();
                self.take(|character| character == b'l');
                (LONG, false)
            }
            b'q' | b'j' | b'z' | b't' => {
                self.next();
                (LONG, false)
            }
            b'L' => {
                self.next();
                (LONG, true)
            }
            _ => (INT, false),
        }
    }

    fn amount(&mut self) -> Amount {
        if self.take(|character| character == b'*') {
            Amount::Argument(self.position())
        } else {
            self.number().map_or(Amount::None, Amount::Given)
        }
    }

    /// The precision of a conversion: a point with nothing behind it stands for 0.
    fn precision(&mut self) -> Amount {
        if !self.take(|character| character == b'.') {
            return Amount::None;
        }
        match self.amount() {
            Amount::None => Amount::Given(0),
            given => given,
        }
    }

    /// The next conversion; None at the end of the format.
    pub(super) fn next_conversion(&mut self) -> Option<Conversion> {
        while self.peek() != b'%' {
            if self.next() == 0 {
                return None;
            }
        }
        self.next();
        let position = self.position();
        Some(if self.scans { self.scanning(position) } else { self.printing(position) })
    }

    fn printing(&mut self, position: Option<u64>) -> Conversion {
        while self.take(|character| b"-+ #0'I".contains(&character)) {}
        let width = self.amount();
        let precision = self.precision();
        let (size, is_long_double) = self.size();
        Conversion { position, width, precision, size, is_long_double, letter: self.next(), ..NOTHING }
    }

    fn scanning(&mut self, position: Option<u64>) -> Conversion {
        let is_assigned = !self.take(|character| character == b'*');
        let scanned_width = self.number();
        let allocated = self.take(|character| character == b'm');
        let (size, is_long_double) = self.size();
        let letter = self.next();
        if letter == b'[' {
            self.skip_set();
        }
        Conversion {
            position,
            size,
            is_long_double,
            letter,
            scans: true,
            is_assigned,
            allocated,
            scanned_width,
            ..NOTHING
        }
    }

    /// Skips a set of characters, after its opening bracket; a closing bracket that comes first belongs to it.
    fn skip_set(&mut self) {
        self.take(|character| character == b'^');
        self.take(|character| character == b']');
        while self.take(|character| character != b']') {}
        self.next();
    }
}

const NOTHING: Conversion = Conversion {
    position: None,
    width: Amount::None,
    precision: Amount::None,
    size: INT,
    is_long_double: false,
    letter: 0,
    scans: false,
    is_assigned: true,
    allocated: false,
    scanned_width: None,
};

/// The arguments of the conversions of a format.
pub(super) struct Arguments {
    list: VaList,
    /// What kinds the numbered arguments have, if the format numbers them.
    numbered: Option<[Kind; MOST]>,
    site: SiteId,
}

impl Arguments {
    /// Those behind a format with these conversions.
    pub(super) fn new(list: VaList, mut text: Text, site: SiteId) -> Self {
        let (mut kinds, mut any) = ([Kind::Integer; MOST], false);
        while let Some(conversion) = text.next_conversion() {
            conversion.numbered(|number, kind| {
                any = true;
                let place = number.checked_sub(1).and_then(|at| kinds.get_mut(at as usize));
                *place.unwrap_or_else(|| unmodelled("a format with an argument of a number beyond 64", site)) = kind;
            });
        }
        Arguments { list, numbered: any.then_some(kinds), site }
    }

    /// Comes to an argument, and takes it off a list: the next one, or the one with this number.
    fn reach(&mut self, number: Option<u64>, take: impl FnOnce(&mut VaList) -> u64) -> u64 {
        let Some(kinds) = &self.numbered else { return take(&mut self.list) };
        let Some(number) = number else { unmodelled("a format in which some arguments have numbers", self.site) };
        let mut list = self.list;
        kinds[..number as usize - 1].iter().for_each(|&kind| skip(&mut list, kind));
        take(&mut list)
    }

    /// An integer or a pointer.
    pub(super) fn integer(&mut self, number: Option<u64>) -> u64 {
        self.reach(number, VaList::integer)
    }

    pub(super) fn skip(&mut self, number: Option<u64>, kind: Kind) {
        self.reach(number, |list| {
            skip(list, kind);
            0
        });
    }

    /// A width or a precision; `None` for none, or a negative one, which counts as none.
    pub(super) fn amount(&mut self, amount: &Amount) -> Option<u64> {
        match *amount {
            Amount::None => None,
            Amount::Given(amount) => Some(amount),
            Amount::Argument(number) => u64::try_from(self.integer(number) as i32).ok(),
        }
    }
}

fn skip(list: &mut VaList, kind: Kind) {
    match kind {
        Kind::Integer => {
            list.integer();
        }
        Kind::Double => list.skip_double(),
        Kind::LongDouble => list.skip_long_double(),
    }
}
