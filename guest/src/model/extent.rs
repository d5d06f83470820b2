//! How much memory library functions access at the addresses that they are given: lengths of strings and numbers, of
//! bytes and of wide characters.

/// A character of a string.
pub(super) trait Character: Copy + PartialEq {
    /// Its number.
    fn code(self) -> u32;
}

impl Character for u8 {
    fn code(self) -> u32 {
        self.into()
    }
}

impl Character for u32 {
    fn code(self) -> u32 {
        self
    }
}

fn character<C: Character>(text: u64, number: u64) -> u32 {
    // SAFETY: the program passes a string and callers do not go past its end; if it is none, the program faults here as
    // it would in the C library.
    unsafe { (text as *const C).add(number as usize).read_volatile() }.code()
}

/// How many characters the string at `text` has, `limit` at most.
pub(super) fn length<C: Character>(text: u64, limit: u64) -> u64 {
    let mut len = 0;
    while len < limit && character::<C>(text, len) != 0 {
        len += 1;
    }
    len
}

/// How many characters of two strings are looked at to find their first difference, `limit` at most.
pub(super) fn common_length<C: Character>(a: u64, b: u64, limit: u64) -> u64 {
    let mut len = 0;
    while len < limit {
        let (x, y) = (character::<C>(a, len), character::<C>(b, len));
        len += 1;
        if x != y || x == 0 {
            break;
        }
    }
    len
}

/// Reads a number at the start of a string, character by character.
struct Number<C> {
    text: u64,
    len: u64,
    character: core::marker::PhantomData<C>,
}

impl<C: Character> Number<C> {
    /// After spaces and a sign.
    fn new(text: u64) -> Self {
        let mut number = Number { text, len: 0, character: core::marker::PhantomData };
        while number.take(|byte| matches!(byte, b' ' | 0x09..=0x0d)) {}
        number.take(|byte| matches!(byte, b'+' | b'-'));
        number
    }

    fn peek(&self, ahead: u64) -> u8 {
        u8::try_from(character::<C>(self.text, self.len + ahead)).unwrap_or(0)
    }

    fn take(&mut self, wanted: impl Fn(u8) -> bool) -> bool {
        let here = wanted(self.peek(0));
        self.len += u64::from(here);
        here
    }

    /// Takes `0x`, or `0b` if that is meant.
    fn take_prefix(&mut self, letter: u8) -> bool {
        let here = self.peek(0) == b'0' && self.peek(1).to_ascii_lowercase() == letter;
        self.len += 2 * u64::from(here);
        here
    }

    fn take_digits(&mut self, base: u32) {
        while self.take(|byte| char::from(byte).is_digit(base)) {}
    }

    /// Takes as much of a word as is there.
    fn take_word(&mut self, word: &[u8]) -> bool {
        word.iter().all(|&letter| self.take(|byte| byte.to_ascii_lowercase() == letter))
    }

    /// Takes the exponent behind this letter.
    fn take_exponent(&mut self, letter: u8) {
        if self.take(|byte| byte.to_ascii_lowercase() == letter) {
            self.take(|byte| matches!(byte, b'+' | b'-'));
            self.take_digits(10);
        }
    }

    /// The characters that were looked at: those taken and the one that ends them.
    fn looked_at(&self) -> u64 {
        self.len + 1
    }
}

/// How many characters are looked at to read an integer to this base, 0 if the integer says it.
pub(super) fn integer_length<C: Character>(text: u64, base: u32) -> u64 {
    let mut number = Number::<C>::new(text);
    let base = match base {
        0 | 16 if number.take_prefix(b'x') => 16,
        0 | 2 if number.take_prefix(b'b') => 2,
        0 if number.peek(0) == b'0' => 8,
        0 => 10,
        base => base.min(36),
    };
    number.take_digits(base);
    number.looked_at()
}

/// The same to base 10.
pub(super) fn decimal_length(text: u64) -> u64 {
    integer_length::<u8>(text, 10)
}

/// How many characters are looked at to read a floating-point number at the start of a string.
pub(super) fn number_length<C: Character>(text: u64) -> u64 {
    let mut number = Number::<C>::new(text);
    match number.peek(0).to_ascii_lowercase() {
        b'i' => {
            number.take_word(b"infinity");
        }
        b'n' => {
            if number.take_word(b"nan") && number.take(|byte| byte == b'(') {
                while number.take(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {}
                number.take(|byte| byte == b')');
            }
        }
        _ => {
            let (base, exponent) = if number.take_prefix(b'x') { (16, b'p') } else { (10, b'e') };
            number.take_digits(base);
            // The decimal point of some locales is a comma.
            if number.take(|byte| matches!(byte, b'.' | b',')) {
                number.take_digits(base);
            }
            number.take_exponent(exponent);
        }
    }
    number.looked_at()
}

/// The bytes of a network address of this family; none if it is no family that the C library can write down.
pub(super) fn address_length(family: u32) -> u64 {
    const IPV4: u32 = 2;
    const IPV6: u32 = 10;
    match family {
        IPV4 => 4,
        IPV6 => 16,
        _ => 0,
    }
}

/// The bytes of a string, or of a piece of memory, up to this byte; all of it if it has none.
pub(super) fn to_byte(at: u64, byte: u8, limit: u64, is_text: bool) -> u64 {
    let mut len = 0;
    while len < limit {
        // SAFETY: inside what the program passes; if not, it faults here as it would in the C library.
        let found = unsafe { ((at + len) as *const u8).read_volatile() };
        len += 1;
        if found == byte || (is_text && found == 0) {
            break;
        }
    }
    len
}
