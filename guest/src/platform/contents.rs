//! What the program's memory holds, as a hash: for searches that compare states.
//!
//! Only what differs from the snapshot counts, so that it makes no difference which pages are hot. Stacks are left out:
//! most of what lies there is dead, and what is not the engine knows. Thread-local storage and thread descriptors, which
//! share stretches with stacks, are ordinary memory.

use super::sys::PAGE;
use super::{copy, elf, fiber, layout, snapshot, syscalls};

/// Words of the smallest part that is hashed.
const WORDS: usize = copy::PART as usize / 8;

/// A hash of all that differs from the snapshot, and of what the platform keeps for the program outside of memory. None
/// if something was changed that cannot be seen here: files, mappings, clocks, signal actions.
pub fn changes(slots: usize) -> Option<u128> {
    let outside = syscalls::changes(slots)?;
    let mut sum = u128::from(outside);
    for hot in snapshot::hot() {
        let first = match fiber::slot_of_address(hot.page) {
            None => hot.page,
            Some(slot) => fiber::end_of_frames(slot).max(hot.page),
        };
        if first >= hot.page + PAGE {
            continue;
        }
        // SAFETY: a hot page and its copy: two readable pages.
        let mut different = unsafe { copy::differing(hot.page, hot.copy, hot.zeros) };
        while different != 0 {
            let part = u64::from(different.trailing_zeros()) * copy::PART;
            different &= different - 1;
            sum = sum.wrapping_add(part_of(hot.page + part, hot.copy + part, first));
        }
    }
    Some(sum)
}

/// The hash of a part from `first` on; 0 if that does not differ.
fn part_of(part: u64, copy: u64, first: u64) -> u128 {
    // SAFETY: part of a readable page and of its copy.
    let (now, then) = unsafe { (&*(part as *const [u64; WORDS]), &*(copy as *const [u64; WORDS])) };
    let skipped = (first.saturating_sub(part) / 8) as usize;
    if skipped >= WORDS || now[skipped..] == then[skipped..] {
        return 0;
    }
    let mut mixer = Mixer::new(part);
    if skipped == 0 {
        now.chunks_exact(2).for_each(|pair| mixer.pair(pair[0], pair[1]));
    } else {
        now[skipped..].iter().for_each(|&word| mixer.pair(word, 0));
    }
    mixer.finish()
}

/// Hashes pairs of words to 128 bits: in each of two lanes, both words are multiplied to 128 bits and folded.
#[derive(Clone, Copy)]
pub struct Mixer(u64, u64);

fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    (product >> 64) as u64 ^ product as u64
}

impl Mixer {
    /// Begins with a word.
    #[inline(always)]
    pub fn new(start: u64) -> Mixer {
        let mut mixer = Mixer(0x243F_6A88_85A3_08D3, 0x1319_8A2E_0370_7344);
        mixer.pair(start, 0);
        mixer
    }

    /// Takes in two words.
    #[inline(always)]
    pub fn pair(&mut self, a: u64, b: u64) {
        self.0 = fold(self.0 ^ a ^ 0xA076_1D64_78BD_642F, b ^ 0xE703_7ED1_A0B4_28DB ^ self.0.rotate_left(32));
        self.1 = fold(self.1 ^ a ^ 0x8EBC_6AF0_9C88_C6E3, b ^ 0x5899_65CC_7537_4CC3 ^ self.1.rotate_left(32));
    }

    /// Takes in a word.
    #[inline(always)]
    pub fn word(&mut self, word: u64) {
        self.pair(word, 0);
    }

    /// Takes in bytes of readable memory.
    ///
    /// # Safety
    /// All of them are readable.
    pub unsafe fn bytes(&mut self, start: u64, len: u64) {
        for offset in (0..len).step_by(8) {
            let at = (start + offset) as *const u8;
            let count = (len - offset).min(8) as usize;
            let mut word = [0u8; 8];
            // SAFETY: passed on.
            unsafe { core::ptr::copy_nonoverlapping(at, word.as_mut_ptr(), count) };
            self.word(u64::from_le_bytes(word));
        }
        self.word(len);
    }

    /// All bits.
    pub fn finish(mut self) -> u128 {
        let (low, high) = (self.0, self.1);
        self.pair(high, low);
        self.pair(low, high);
        u128::from(self.0) << 64 | u128::from(self.1)
    }
}

/// The program itself, without libraries.
pub fn program() -> layout::Range {
    let modules = elf::modules();
    let program = modules.iter().find(|module| module.path.is_empty());
    program.map_or_else(layout::Range::default, |module| layout::Range { start: module.start, end: module.end })
}
