//! What the program's memory holds, as a hash: for searches that compare states.
//!
//! Only what differs from the snapshot counts, so that it makes no difference which pages are hot. Stacks are left out:
//! most of what lies there is dead, and what is not the engine knows. Thread-local storage and thread descriptors,
//! which share stretches with stacks, are ordinary memory.
//!
//! The hash is a sum over the words that differ from the snapshot, of a hash of each word and its address. It is
//! cached: of each page there is a copy of what was hashed last, and only words that differ from that are hashed again.
//! So it does not matter who has written to a page, nor whether that went through a hook, nor whether a run was made
//! from its start.

use super::global::Global;
use super::snapshot::HotPage;
use super::sys::PAGE;
use super::{copy, elf, fiber, heap, layout, outside, snapshot};
use alloc::vec::Vec;
use core::ops::Range;
use inspect_core::event::ByteRange;
pub use inspect_core::hash::Mixer;
use inspect_wire::message::Uncompared;

/// Words of a page, and of the smallest part that is compared.
const WORDS: usize = PAGE as usize / 8;
const PART: usize = copy::PART as usize / 8;

/// The most pages whose hashes are cached.
const MOST: usize = 4096;

/// With more bytes than this in the ranges that were written to, whole pages are compared.
const LONGEST: u64 = 512;

/// What was hashed of a hot page last.
struct Hashed {
    page: u64,
    /// The page of the snapshot that it was compared with.
    origin: u64,
    /// A page of the engine's with what was hashed.
    last: u64,
    /// Parts of that which are zeros; not all of them if words became zeros.
    zeros: u16,
    /// The hash of the page.
    sum: u128,
}

/// What was hashed of each hot page, by its position among them.
static HASHED: Global<Vec<Hashed>> = Global::new(Vec::new());

/// The sum over the hot pages as it was found last.
static TOTAL: Global<u128> = Global::new(0);

/// A hash of all that differs from the snapshot, and of what the platform holds for the program outside of memory; or
/// the reason for which there is none: a change that no hash can include.
pub fn changes(slots: usize) -> Result<u128, Uncompared> {
    let outside = outside::changes(slots)?;
    let mut sum = 0u128;
    // SAFETY: one OS thread; the borrow ends with this function.
    let hashed = unsafe { HASHED.get() };
    for (at, hot) in snapshot::hot().iter().enumerate() {
        let first = first_of(hot.page);
        if at >= hashed.len() && at < MOST {
            hashed.push(Hashed { page: 0, origin: 0, last: 0, zeros: 0, sum: 0 });
        }
        if first < hot.page + PAGE {
            let of_page = hashed.get_mut(at).map_or_else(|| anew(hot, first), |hashed| hashed.update(hot, first));
            sum = sum.wrapping_add(of_page);
        }
    }
    TOTAL.write(sum);
    Ok(sum.wrapping_add(u128::from(outside)))
}

/// The same, without regard to what was hashed before.
pub fn uncached(slots: usize) -> Result<u128, Uncompared> {
    let outside = outside::changes(slots)?;
    let of_pages = snapshot::hot().iter().map(|hot| anew(hot, first_of(hot.page)));
    Ok(of_pages.fold(u128::from(outside), u128::wrapping_add))
}

/// The same as [`changes`] if nothing but these ranges was written to since the last hash. None if [`changes`] has to
/// be called instead: if the ranges are long, a page was not hashed before, or one of the `spots` (variables that the
/// caller clears while it calls [`changes`]) was written to.
pub fn changes_in<'a>(
    ranges: impl Iterator<Item = &'a ByteRange>,
    spots: impl Iterator<Item = u64> + Clone,
    slots: usize,
) -> Result<Option<u128>, Uncompared> {
    let outside = outside::changes(slots)?;
    let (mut sum, mut bytes) = (TOTAL.read(), 0);
    // Most ranges are the same as the one before.
    let mut latest = 0..0;
    for range in ranges {
        if latest.start <= range.start && range.end() <= latest.end {
            continue;
        }
        latest = range.start & !7..range.end().next_multiple_of(8);
        bytes += latest.end - latest.start;
        if bytes > LONGEST || spots.clone().any(|spot| latest.contains(&spot)) {
            return Ok(None);
        }
        let Some(change) = change_in(&latest) else { return Ok(None) };
        sum = sum.wrapping_add(change);
    }
    TOTAL.write(sum);
    Ok(Some(sum.wrapping_add(u128::from(outside))))
}

/// By how much the hash changes with the words of a range; None if a page of it was not hashed before.
fn change_in(range: &Range<u64>) -> Option<u128> {
    // SAFETY: one OS thread; the borrow ends with this function.
    let (hashed, hot) = (unsafe { HASHED.get() }, snapshot::hot());
    let mut change = 0u128;
    for page in (range.start & !(PAGE - 1)..range.end).step_by(PAGE as usize) {
        let (start, end) = (first_of(page).max(range.start), range.end.min(page + PAGE));
        // A page that is not hot was not written to.
        if start < end
            && let Some(at) = position(hot, page)
        {
            let hot = &hot[at as usize];
            let cached = hashed.get_mut(at as usize)?;
            if cached.page != hot.page || cached.origin != hot.copy {
                return None;
            }
            let before = cached.sum;
            cached.hash_words((start - page) as usize / 8..(end - page) as usize / 8);
            change = change.wrapping_add(cached.sum).wrapping_sub(before);
        }
    }
    Some(change)
}

/// Where a page begins to count: what is live on stacks is in frame records.
fn first_of(page: u64) -> u64 {
    fiber::slot_of_address(page).map_or(page, |slot| fiber::end_of_frames(slot).max(page))
}

/// How many words of a page lie before `first`: all, if it does not count.
fn skipped(page: u64, first: u64) -> usize {
    ((first - page) as usize / 8).min(WORDS)
}

/// Which of the hot pages this is.
fn position(hot: &[HotPage], page: u64) -> Option<u32> {
    const PLACES: usize = 256;
    /// The position of pages with the same last bits of their number that was looked for last.
    static PLACE: Global<[u32; PLACES]> = Global::new([0; PLACES]);
    // SAFETY: one OS thread; the borrow ends with this function.
    let place = &mut unsafe { PLACE.get() }[(page / PAGE) as usize % PLACES];
    if hot.get(*place as usize).is_none_or(|hot| hot.page != page) {
        *place = hot.iter().position(|hot| hot.page == page)? as u32;
    }
    Some(*place)
}

/// The hash of a page from `first` on, without regard to what was hashed before.
fn anew(hot: &HotPage, first: u64) -> u128 {
    let skipped = skipped(hot.page, first);
    // SAFETY: a hot page and its copy: two readable pages.
    let (now, then, different) = unsafe {
        let different = copy::differing(hot.page, hot.copy, hot.zeros, (skipped / PART) as u64);
        (&*(hot.page as *const [u64; WORDS]), &*(hot.copy as *const [u64; WORDS]), different)
    };
    let words = parts(different).flat_map(|part| skipped.max(part * PART)..(part + 1) * PART);
    words.fold(0, |sum: u128, at| sum.wrapping_add(term(hot.page + 8 * at as u64, now[at], then[at])))
}

/// The numbers of the parts in a set.
fn parts(mut set: u16) -> impl Iterator<Item = usize> {
    core::iter::from_fn(move || {
        let part = (set != 0).then_some(set.trailing_zeros() as usize);
        set &= set.wrapping_sub(1);
        part
    })
}

impl Hashed {
    /// The hash of a page from `first` on. It is the same stretch for all hashes of the page.
    fn update(&mut self, hot: &HotPage, first: u64) -> u128 {
        if self.page != hot.page || self.origin != hot.copy {
            self.begin(hot);
        }
        let skipped = skipped(hot.page, first);
        // SAFETY: a hot page and a page of ours: two readable pages.
        let different = unsafe { copy::differing(hot.page, self.last, self.zeros, (skipped / PART) as u64) };
        parts(different).for_each(|part| self.hash_words(skipped.max(part * PART)..(part + 1) * PART));
        self.sum
    }

    /// Hashes those of these words of the page that have changed.
    fn hash_words(&mut self, words: Range<usize>) {
        // SAFETY: a hot page and its copy are readable pages, and the third one is ours.
        let (now, then, last) = unsafe {
            let last = &mut *(self.last as *mut [u64; WORDS]);
            (&*(self.page as *const [u64; WORDS]), &*(self.origin as *const [u64; WORDS]), last)
        };
        for at in words {
            if now[at] == last[at] {
                continue;
            }
            let address = self.page + 8 * at as u64;
            let before = term(address, last[at], then[at]);
            self.sum = self.sum.wrapping_sub(before).wrapping_add(term(address, now[at], then[at]));
            last[at] = now[at];
            self.zeros &= !(u16::from(now[at] != 0) << (at / PART));
        }
    }

    /// Nothing of the page differs from the snapshot.
    fn begin(&mut self, hot: &HotPage) {
        if self.last == 0 {
            self.last = heap::pages(PAGE);
        }
        (self.page, self.origin, self.zeros) = (hot.page, hot.copy, hot.zeros);
        self.sum = 0;
        // SAFETY: the copy is a readable page, and ours is writable.
        unsafe { core::ptr::copy_nonoverlapping(hot.copy as *const u8, self.last as *mut u8, PAGE as usize) };
    }
}

/// What a word adds to the hash: nothing if it is as in the snapshot.
#[inline(always)]
fn term(address: u64, word: u64, snapshot: u64) -> u128 {
    if word == snapshot {
        return 0;
    }
    let mut mixer = Mixer::new(address);
    mixer.word(word);
    mixer.finish()
}

/// Adds bytes of memory, and where they are, to a hash.
///
/// # Safety
/// All of them are readable.
#[inline(always)]
pub unsafe fn hash_bytes(mixer: &mut Mixer, start: u64, len: u64) {
    mixer.pair(start, len);
    let read = |offset: u64| {
        let (at, mut word) = ((start + offset) as *const u8, [0u8; 8]);
        let count = len.saturating_sub(offset).min(8) as usize;
        // SAFETY: passed on.
        unsafe { core::ptr::copy_nonoverlapping(at, word.as_mut_ptr(), count) };
        u64::from_le_bytes(word)
    };
    for offset in (0..len).step_by(16) {
        if offset + 16 <= len {
            // SAFETY: passed on.
            let [a, b] = unsafe { ((start + offset) as *const [u64; 2]).read_unaligned() };
            mixer.pair(a, b);
        } else {
            mixer.pair(read(offset), read(offset + 8));
        }
    }
}

/// The program itself, without libraries.
pub fn program() -> layout::Range {
    let modules = elf::modules();
    let program = modules.iter().find(|module| module.path.is_empty());
    program.map_or_else(layout::Range::default, |module| layout::Range { start: module.start, end: module.end })
}
