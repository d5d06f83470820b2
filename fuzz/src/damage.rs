//! Small changes to sound inputs, the same for the same seed.

/// Bytes that have a meaning in the formats: ends and beginnings of numbers, text and JSON.
const SIGNIFICANT: &[u8] =
    &[0, 1, 0x7f, 0x80, 0xff, b'"', b'{', b'}', b'[', b']', b',', b':', b'-', b'*', b'9', b' ', b'\\'];

/// A sequence of damaged copies.
#[derive(Clone, Debug)]
pub struct Damage {
    state: u64,
}

impl Damage {
    /// The sequence of a seed.
    pub fn seeded(seed: u64) -> Damage {
        Damage { state: seed }
    }

    /// Sebastiano Vigna's splitmix64: enough for choosing places.
    fn number(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.state;
        word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ word >> 31
    }

    fn below(&mut self, end: usize) -> usize {
        (self.number() % end.max(1) as u64) as usize
    }

    /// A range of at most `longest` bytes.
    fn piece(&mut self, bytes: &[u8], longest: usize) -> std::ops::Range<usize> {
        let start = self.below(bytes.len() + 1);
        let len = self.below(longest + 1).min(bytes.len() - start);
        start..start + len
    }

    /// One of the sound inputs with one to four changes.
    pub fn copy(&mut self, sound: &[Vec<u8>]) -> Vec<u8> {
        let chosen = self.below(sound.len());
        let mut bytes = sound[chosen].clone();
        for _ in 0..=self.below(4) {
            let other = self.below(sound.len());
            self.change(&mut bytes, &sound[other]);
        }
        bytes
    }

    fn change(&mut self, bytes: &mut Vec<u8>, other: &[u8]) {
        let at = self.below(bytes.len());
        match self.below(7) {
            0 if !bytes.is_empty() => bytes[at] ^= 1 << self.below(8),
            1 if !bytes.is_empty() => bytes[at] = SIGNIFICANT[self.below(SIGNIFICANT.len())],
            2 => bytes.insert(at, SIGNIFICANT[self.below(SIGNIFICANT.len())]),
            3 => {
                let piece = self.piece(bytes, 16);
                bytes.drain(piece);
            }
            4 => {
                let piece = self.piece(other, 32);
                bytes.splice(at..at, other[piece].iter().copied());
            }
            5 => {
                let (from, to) = (self.piece(other, 64), self.piece(bytes, 64));
                bytes.splice(to, other[from].iter().copied());
            }
            _ => bytes.truncate(at),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_does_the_same_damage_and_another_one_does_not() {
        let sound = [b"one sound input".to_vec(), b"another".to_vec()];
        let copies = |seed| {
            let mut damage = Damage::seeded(seed);
            (0..50).map(|_| damage.copy(&sound)).collect::<Vec<_>>()
        };
        assert_eq!(copies(1), copies(1));
        assert_ne!(copies(1), copies(2));
        assert!(copies(1).iter().filter(|copy| !sound.contains(copy)).count() > 40, "most are damaged");
    }
}
