//! What the program's memory holds, as a hash: for searches that compare states.
//!
//! Only what differs from the snapshot counts, so that it makes no difference which pages are hot. Stacks are left out:
//! most of what lies there is dead, and what is not the engine knows. Thread-local storage and thread descriptors,
//! which share stretches with stacks, are ordinary memory.
//!
//! The hash is a sum over parts of pages, and is cached: of each page there is a copy of what was hashed last, and only
//! the parts that differ from that are hashed again. So it does not matter who has written to a page, nor whether that
//! went through a hook, nor whether a run was made from its start.

use super::global::Global;
use super::snapshot::HotPage;
use super::sys::PAGE;
use super::{copy, elf, fiber, heap, layout, outside, snapshot};
use alloc::vec::Vec;
use inspect_core::event::ByteRange;
pub use inspect_core::hash::Mixer;
use inspect_wire::message::Uncompared;

/// Words of the smallest part that is hashed.
const WORDS: usize = copy::PART as usize / 8;

/// The most pages whose hashes are cached.
const MOST: usize = 4096;

/// What was hashed of a hot page last.
struct Hashed {
    page: u64,
    /// The page of the snapshot that it was compared with.
    origin: u64,
    /// A page of the engine's with what was hashed.
    last: u64,
    /// Which parts of that are zeros.
    zeros: u16,
    /// The hash of each part.
    parts: [u128; 16],
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
            hashed.push(Hashed { page: 0, origin: 0, last: 0, zeros: 0, parts: [0; 16], sum: 0 });
        }
        if first < hot.page + PAGE {
            let of_page = hashed.get_mut(at).map_or_else(|| anew(hot, first), |hashed| hashed.update(hot, first));
            sum = sum.wrapping_add(of_page);
        }
    }
    TOTAL.write(sum);
    Ok(sum.wrapping_add(u128::from(outside)))
}

/// The same if nothing but these ranges was written to since the last hash. None if [`changes`] has to be called
/// instead: if too many pages were written to, a page was not hashed before, or one of the `spots` (variables that the
/// caller clears while it calls [`changes`]) lies in a part of a page that was written to.
pub fn changes_in<'a>(
    ranges: impl Iterator<Item = &'a ByteRange>,
    spots: impl Iterator<Item = u64> + Clone,
    slots: usize,
) -> Result<Option<u128>, Uncompared> {
    let outside = outside::changes(slots)?;
    // SAFETY: one OS thread; the borrow ends with this function.
    let (hashed, hot) = (unsafe { HASHED.get() }, snapshot::hot());
    let Some(dirty) = Dirty::of(ranges, hot) else { return Ok(None) };
    let holds = |&(at, set): &(u32, u16)| spots.clone().any(|spot| set & part_at(spot, hot[at as usize].page) != 0);
    if dirty.pages().iter().any(holds) {
        return Ok(None);
    }
    let mut sum = TOTAL.read();
    for &(at, set) in dirty.pages() {
        let hot = &hot[at as usize];
        let Some(cached) =
            hashed.get_mut(at as usize).filter(|cached| cached.page == hot.page && cached.origin == hot.copy)
        else {
            return Ok(None);
        };
        sum = sum.wrapping_sub(cached.sum);
        parts(set).for_each(|part| cached.hash_part(hot, first_of(hot.page), part));
        sum = sum.wrapping_add(cached.sum);
    }
    TOTAL.write(sum);
    Ok(Some(sum.wrapping_add(u128::from(outside))))
}

/// Parts of a few hot pages, by position.
#[derive(Default)]
struct Dirty {
    pages: [(u32, u16); 4],
    count: usize,
}

impl Dirty {
    /// The parts in which these ranges lie, of pages that count; None if there are too many pages.
    fn of<'a>(ranges: impl Iterator<Item = &'a ByteRange>, hot: &[HotPage]) -> Option<Dirty> {
        let mut dirty = Dirty::default();
        // Most ranges are the same as the one before.
        let mut latest = 0..0;
        for range in ranges {
            if latest.start <= range.start && range.end() <= latest.end {
                continue;
            }
            latest = range.start & !(copy::PART - 1)..range.end().next_multiple_of(copy::PART);
            for page in (range.start & !(PAGE - 1)..latest.end).step_by(PAGE as usize) {
                let parts =
                    (latest.start.max(page) - page) / copy::PART..(latest.end.min(page + PAGE) - page) / copy::PART;
                // A page that is not hot was not written to.
                if first_of(page) < page + PAGE
                    && let Some(at) = position(hot, page)
                    && !dirty.insert(at, parts.fold(0, |set, part| set | 1 << part))
                {
                    return None;
                }
            }
        }
        Some(dirty)
    }

    /// Takes in parts of a page; false if there are too many pages.
    fn insert(&mut self, at: u32, parts: u16) -> bool {
        if let Some((_, set)) = self.pages[..self.count].iter_mut().find(|(page, _)| *page == at) {
            *set |= parts;
        } else if let Some(place) = self.pages.get_mut(self.count) {
            *place = (at, parts);
            self.count += 1;
        } else {
            return false;
        }
        true
    }

    fn pages(&self) -> &[(u32, u16)] {
        &self.pages[..self.count]
    }
}

/// The part of a page that holds an address, as a set.
fn part_at(address: u64, page: u64) -> u16 {
    let offset = address.wrapping_sub(page);
    if offset < PAGE { 1 << (offset / copy::PART) } else { 0 }
}

/// Where a page begins to count: what is live on stacks is in frame records.
fn first_of(page: u64) -> u64 {
    fiber::slot_of_address(page).map_or(page, |slot| fiber::end_of_frames(slot).max(page))
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
    // SAFETY: a hot page and its copy: two readable pages.
    let different = unsafe { copy::differing(hot.page, hot.copy, hot.zeros, (first - hot.page) / copy::PART) };
    parts(different).fold(0, |sum: u128, part| {
        let offset = part as u64 * copy::PART;
        sum.wrapping_add(part_of(hot.page + offset, hot.copy + offset, first))
    })
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
        // SAFETY: a hot page and a page of ours: two readable pages.
        let different = unsafe { copy::differing(hot.page, self.last, self.zeros, (first - hot.page) / copy::PART) };
        parts(different).for_each(|part| self.hash_part(hot, first, part));
        self.sum
    }

    /// Hashes a part of the page again.
    fn hash_part(&mut self, hot: &HotPage, first: u64, part: usize) {
        let offset = part as u64 * copy::PART;
        let hash = part_of(hot.page + offset, hot.copy + offset, first);
        self.sum = self.sum.wrapping_sub(self.parts[part]).wrapping_add(hash);
        self.parts[part] = hash;
        // SAFETY: the same part of both pages; the second one is ours.
        let (now, last) = unsafe {
            (&*((hot.page + offset) as *const [u64; WORDS]), &mut *((self.last + offset) as *mut [u64; WORDS]))
        };
        // Half by half: copies of at most 128 bytes are done in place, and a call for longer ones takes more time than
        // the copy.
        let (half, rest) = last.split_at_mut(WORDS / 2);
        half.copy_from_slice(&now[..WORDS / 2]);
        rest.copy_from_slice(&now[WORDS / 2..]);
        let zero = u16::from(last.iter().all(|&word| word == 0));
        self.zeros = self.zeros & !(1 << part) | zero << part;
    }

    /// Nothing of the page differs from the snapshot.
    fn begin(&mut self, hot: &HotPage) {
        if self.last == 0 {
            self.last = heap::pages(PAGE);
        }
        (self.page, self.origin, self.zeros) = (hot.page, hot.copy, hot.zeros);
        (self.parts, self.sum) = ([0; 16], 0);
        // SAFETY: the copy is a readable page, and ours is writable.
        unsafe { core::ptr::copy_nonoverlapping(hot.copy as *const u8, self.last as *mut u8, PAGE as usize) };
    }
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
        // Two at once, as each step of a mixer waits for the one before.
        let mut other = Mixer::new(!part);
        for four in now.as_chunks::<4>().0 {
            mixer.pair(four[0], four[1]);
            other.pair(four[2], four[3]);
        }
        mixer.join(other);
    } else {
        now[skipped..].iter().for_each(|&word| mixer.pair(word, 0));
    }
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
