//! Random walk: each enabled thread takes the next step with the same probability.
//!
//! Paul Thomson, Alastair F. Donaldson, Adam Betts: "Concurrency Testing Using Controlled Schedulers: An Empirical
//! Study", TOPC 2016, measure it beside bounded searches and PCT. Claim: it finds about as many bugs as these. An
//! order of k steps in which at most n threads are enabled has a probability of at least 1/n^k, so a bug that needs
//! one thread to fall behind many steps of another is exponentially rare.
//!
//! No departures.

use crate::event::{ThreadId, ThreadSet};
use crate::random::Random;

/// Any of these threads, each with the same probability. There is at least one.
#[inline]
pub(super) fn any(threads: ThreadSet, random: &mut Random) -> ThreadId {
    // One thread needs no random number, and most steps of a run with one thread left are such.
    let before = if threads.len() == 1 { 0 } else { random.index(threads.len() as u32) };
    threads.nth(before as usize).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All sets of four threads: each member is drawn, nobody else is, and all about as often.
    #[test]
    fn every_member_is_drawn_about_as_often() {
        let mut random = Random(1);
        for bits in 1_u64..16 {
            let set = ThreadSet::of_bits(bits << 3);
            let mut drawn = [0_u32; 64];
            (0..12_000).for_each(|_| drawn[any(set, &mut random).index()] += 1);
            let share = 12_000 / set.len() as u32;
            for (number, &times) in drawn.iter().enumerate() {
                let member = set.contains(ThreadId::at(number));
                // Six standard deviations of a binomial distribution of 12,000 draws are at most 330.
                assert!(if member { times.abs_diff(share) < 330 } else { times == 0 }, "{set:?} {number}: {times}");
            }
        }
    }
}
