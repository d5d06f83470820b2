//! The hashes of the workspace: one of 128 bits for values that are compared by their hash alone, and a fast one for
//! tables that store their keys.
//!
//! Both are fixed functions of their input, with no random seed: the same program gives the same tables in every
//! process.

use core::hash::{BuildHasherDefault, Hasher};

/// Hashes pairs of words to 128 bits: in each of two lanes, both words are combined with the lane's state, multiplied
/// to 128 bits and folded to 64. (The step of wyhash by Wang Yi, with other constants for each lane.)
///
/// Among n different inputs two have the same hash with a probability of about n² / 2^129: 1.5e-25 for ten million.
#[derive(Clone, Copy, Debug)]
pub struct Mixer(u64, u64);

impl Mixer {
    /// Begins with a word.
    #[inline(always)]
    pub fn new(start: u64) -> Mixer {
        let mut mixer = Mixer::EMPTY;
        mixer.pair(start, 0);
        mixer
    }

    /// No input.
    const EMPTY: Mixer = Mixer(0x243F_6A88_85A3_08D3, 0x1319_8A2E_0370_7344);

    /// Adds two words.
    #[inline(always)]
    pub fn pair(&mut self, a: u64, b: u64) {
        self.0 = fold(self.0 ^ a ^ 0xA076_1D64_78BD_642F, b ^ 0xE703_7ED1_A0B4_28DB ^ self.0.rotate_left(32));
        self.1 = fold(self.1 ^ a ^ 0x8EBC_6AF0_9C88_C6E3, b ^ 0x5899_65CC_7537_4CC3 ^ self.1.rotate_left(32));
    }

    /// Adds a word.
    #[inline(always)]
    pub fn word(&mut self, word: u64) {
        self.pair(word, 0);
    }

    /// Adds words. Their number is not hashed: it has to follow from what is hashed otherwise.
    #[inline(always)]
    pub fn words(&mut self, words: &[u64]) {
        let (pairs, rest) = words.as_chunks::<2>();
        pairs.iter().for_each(|pair| self.pair(pair[0], pair[1]));
        rest.iter().for_each(|&word| self.word(word));
    }

    /// Adds what another mixer was given.
    #[inline(always)]
    pub fn join(&mut self, other: Mixer) {
        self.pair(other.0, other.1);
    }

    /// The hash.
    #[inline(always)]
    pub fn finish(mut self) -> u128 {
        let (low, high) = (self.0, self.1);
        self.pair(high, low);
        self.pair(low, high);
        u128::from(self.0) << 64 | u128::from(self.1)
    }
}

#[inline(always)]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    (product >> 64) as u64 ^ product as u64
}

/// [`Mixer`] for values that implement [`Hash`](core::hash::Hash). Values smaller than a word are packed, without
/// marking where each ends: that has to follow from the type of what is hashed. Words are mixed two at a time.
#[derive(Clone, Debug)]
pub struct Hasher128 {
    mixer: Mixer,
    /// The first word of a pair, if its second one is still to come.
    first: Option<u64>,
    /// The packed values that do not fill a word yet, and the number of their bits.
    pending: u64,
    filled: u32,
}

/// Mixed with a last word that has no second one: so a word at the end differs from that word before a zero.
const UNPAIRED: u64 = 0x2D35_8DCC_AA6C_78A5;

impl Default for Hasher128 {
    #[inline]
    fn default() -> Self {
        Hasher128 { mixer: Mixer::EMPTY, first: None, pending: 0, filled: 0 }
    }
}

impl Hasher128 {
    /// The hash of one value.
    #[inline]
    pub fn of(value: impl core::hash::Hash) -> u128 {
        let mut hasher = Hasher128::default();
        value.hash(&mut hasher);
        hasher.key()
    }

    #[inline(always)]
    fn add(&mut self, word: u64) {
        match self.first.take() {
            Some(first) => self.mixer.pair(first, word),
            None => self.first = Some(word),
        }
    }

    #[inline(always)]
    fn flush(&mut self) {
        if self.filled > 0 {
            let packed = self.pending;
            (self.pending, self.filled) = (0, 0);
            self.add(packed);
        }
    }

    /// Adds a number of at most so many bits.
    #[inline(always)]
    pub(crate) fn bits(&mut self, number: u64, bits: u32) {
        if self.filled + bits > 64 {
            self.flush();
        }
        self.pending |= number << self.filled;
        self.filled += bits;
    }

    #[inline(always)]
    fn word(&mut self, word: u64) {
        self.flush();
        self.add(word);
    }

    /// All bits of the hash.
    #[inline(always)]
    pub fn key(&self) -> u128 {
        let mut last = self.clone();
        last.flush();
        if let Some(first) = last.first {
            last.mixer.pair(first, UNPAIRED);
        }
        last.mixer.finish()
    }
}

impl Hasher for Hasher128 {
    fn finish(&self) -> u64 {
        self.key() as u64
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.word(u64::from_le_bytes(word));
        }
        self.word(bytes.len() as u64);
    }

    #[inline]
    fn write_u8(&mut self, number: u8) {
        self.bits(number.into(), 8);
    }

    #[inline]
    fn write_u16(&mut self, number: u16) {
        self.bits(number.into(), 16);
    }

    #[inline]
    fn write_u32(&mut self, number: u32) {
        self.bits(number.into(), 32);
    }

    #[inline]
    fn write_u64(&mut self, number: u64) {
        self.word(number);
    }

    #[inline]
    fn write_u128(&mut self, number: u128) {
        self.word(number as u64);
        self.word((number >> 64) as u64);
    }

    #[inline]
    fn write_usize(&mut self, number: usize) {
        self.word(number as u64);
    }

    /// The discriminant of an enum: a byte if it is small.
    #[inline(always)]
    fn write_isize(&mut self, number: isize) {
        match u8::try_from(number) {
            Ok(small) if small < u8::MAX => self.bits(small.into(), 8),
            _ => {
                self.bits(u8::MAX.into(), 8);
                self.word(number as u64);
            }
        }
    }
}

/// A fast hash of 64 bits, too weak to compare values by: for tables that compare their keys.
#[derive(Clone, Copy, Debug, Default)]
pub struct TableHasher(u64);

/// Makes [`TableHasher`]s.
pub type TableHash = BuildHasherDefault<TableHasher>;

/// A hash map without a random seed.
pub(crate) type Map<K, V> = hashbrown::HashMap<K, V, TableHash>;

/// 2^64 divided by the golden ratio (Knuth, "The Art of Computer Programming" 3, section 6.4).
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// The hash of a word, for a table that compares its keys. Its upper half depends on all bits of the word.
#[inline]
pub(crate) fn spread(word: u64) -> u64 {
    word.wrapping_mul(GOLDEN)
}

/// Spreads a number over all bits, one to one (the finaliser of MurmurHash3 by Austin Appleby): sums of such numbers do
/// not cancel.
#[inline]
pub(crate) fn scramble(mut number: u64) -> u64 {
    number = (number ^ number >> 33).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
    number = (number ^ number >> 33).wrapping_mul(0xC4CE_B9FE_1A85_EC53);
    number ^ number >> 33
}

impl Hasher for TableHasher {
    #[inline]
    fn finish(&self) -> u64 {
        self.0.rotate_left(26)
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    #[inline]
    fn write_u8(&mut self, number: u8) {
        self.write_u64(number.into());
    }

    #[inline]
    fn write_u32(&mut self, number: u32) {
        self.write_u64(number.into());
    }

    #[inline]
    fn write_u64(&mut self, number: u64) {
        self.0 = spread(self.0.rotate_left(5) ^ number);
    }

    /// A key of 128 bits is a hash already.
    #[inline]
    fn write_u128(&mut self, number: u128) {
        self.write_u64(number as u64);
    }

    #[inline]
    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }

    #[inline]
    fn write_isize(&mut self, number: isize) {
        self.write_u64(number as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeSet;
    use core::hash::Hash;

    /// For each of 64 input bits, changing it changes about half of the 128 bits of the hash: all of them between 32
    /// and 96, six standard deviations (of sqrt(128) / 2 = 5.7) from the mean of 64, which one in 10^8 hashes exceeds.
    #[test]
    fn every_input_bit_changes_about_half_of_the_hash() {
        for word in 0..50_u64 {
            let word = spread(word);
            for bit in 0..64 {
                let changed = (Hasher128::of(word) ^ Hasher128::of(word ^ 1 << bit)).count_ones();
                assert!((32..=96).contains(&changed), "{changed} bits of {word:x} with bit {bit}");
            }
        }
    }

    /// Exclusive ors and sums of hashes of small numbers are different for different sets: states are hashed so.
    #[test]
    fn sums_and_differences_of_similar_inputs_do_not_cancel() {
        let hashes: Vec<u128> = (0..200_u64).map(Hasher128::of).collect();
        let (mut sums, mut exclusive) = (BTreeSet::new(), BTreeSet::new());
        for (at, one) in hashes.iter().enumerate() {
            for other in &hashes[at + 1..] {
                assert!(sums.insert(one.wrapping_add(*other)) && exclusive.insert(one ^ other));
            }
        }
        assert_eq!(sums.len(), 200 * 199 / 2);
    }

    #[test]
    fn packed_values_differ_by_their_order_and_number() {
        let hash = |values: &[u8]| {
            let mut hasher = Hasher128::default();
            values.iter().for_each(|value| value.hash(&mut hasher));
            hasher.key()
        };
        let all = [hash(&[]), hash(&[1]), hash(&[1, 2]), hash(&[2, 1]), hash(&[1; 9]), hash(&[1; 10])];
        assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len());
    }

    #[test]
    fn words_differ_by_their_order_and_number_zeros_included() {
        let hash = |words: &[u64]| {
            let mut hasher = Hasher128::default();
            words.iter().for_each(|word| word.hash(&mut hasher));
            hasher.key()
        };
        let words = [&[][..], &[0], &[0, 0], &[0, 0, 0], &[1], &[1, 0], &[0, 1], &[1, 0, 0], &[1, 2, 3], &[3, 2, 1]];
        assert_eq!(words.iter().map(|words| hash(words)).collect::<BTreeSet<_>>().len(), words.len());
    }
}
