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

/// How many characters are looked at to read a number at the start of a string: spaces, what a number may consist of,
/// and the character that ends it.
pub(super) fn number_length<C: Character>(text: u64) -> u64 {
    let byte = |at: u64| u8::try_from(character::<C>(text, at)).unwrap_or(0);
    let mut len = 0;
    while byte(len).is_ascii_whitespace() {
        len += 1;
    }
    while byte(len).is_ascii_alphanumeric() || matches!(byte(len), b'+' | b'-' | b'.') {
        len += 1;
    }
    len + 1
}
