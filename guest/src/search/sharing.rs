//! A search that several guests share.
//!
//! Each of them explores parts of it ([`Item`]). The host asks a guest, by raising a number in shared memory that the
//! guest reads between two runs, to give some of its parts away; the guest answers with a [`Commit`]: what it has
//! counted since the last one, what it gives away, and what is left to itself. A commit reaches the host as a whole or
//! not at all, so whenever the guest dies, another one can explore what was left at its last commit. An interrupted
//! search is resumed from the same commits, written to a file.
//!
//! When nothing is left, the guest takes the next package, which the host has mostly put down by then; otherwise it
//! commits that nothing is left and waits. Its snapshot stays, so the next part needs no preparation.

use super::exploration::{Exploration, is_asked_to_stop};
use super::share::{Doze, Share};
use crate::engine::defect::tool_error;
use crate::engine::state::with;
use crate::platform::{in_vault, link};
use alloc::string::String;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use inspect_core::explore::{Counts, Item};
use inspect_wire::message::InconclusiveReason;
use inspect_wire::work::{Bundle, Commit, Packer};

/// The most steps of all parts together that a suspended search leaves to its next turn, which needs memory for each of
/// them.
const MOST_SUSPENDED: usize = 1 << 21;
/// After so many runs the program's memory is checked before their counts are committed.
const CHECKED_RUNS: u64 = 4096;

impl Exploration<'_> {
    fn shared(&mut self) -> &mut Share {
        self.sharing.get_or_insert_default()
    }

    /// Goes on with the next part, if need be with one that the host gives; false if there is none, because the search
    /// is over or is not shared.
    pub(super) fn next_item(&mut self) -> bool {
        let Some(sharing) = &mut self.sharing else { return false };
        if let Some(item) = in_vault(|| sharing.queue.pop_first()) {
            sharing.described = in_vault(|| Some(item.clone()));
            sharing.begun = true;
            if let Some(search) = self.explorer.divisible() {
                in_vault(|| search.begin(item));
            }
            return true;
        }
        if !self.take_package() {
            self.commit(0);
            if !self.wait() {
                return false;
            }
        }
        self.next_item()
    }

    /// Waits for a package; false if the host says that the search is over.
    fn wait(&mut self) -> bool {
        let mut doze = Doze::new();
        while !self.take_package() {
            if self.should_stop() {
                return false;
            }
            doze.doze();
        }
        true
    }

    /// Takes the package that was put down, if there is one.
    fn take_package(&mut self) -> bool {
        let header = link::header();
        if header.packages.load(Acquire) == self.shared().packages {
            return false;
        }
        let Some(package) = in_vault(|| link::package().filter(|package| package.work.is_sound())) else {
            tool_error("cannot decode the work that the host has put down");
        };
        let sharing = self.shared();
        sharing.packages = sharing.packages.wrapping_add(1);
        if package.pass == sharing.pass {
            in_vault(|| sharing.queue.append(package.work));
        }
        header.taken.store(sharing.packages, Release);
        true
    }

    /// Answers the host, if it has asked.
    #[inline]
    pub(super) fn answer(&mut self) {
        let Some(sharing) = &self.sharing else { return };
        if link::header().request.load(Acquire) != sharing.answered {
            self.commit(link::header().wanted.load(Relaxed) as usize);
        }
    }

    /// The last commit: the search is over or interrupted, or its turn is over while it could go on: its share is used
    /// up, or the host ends it.
    pub(super) fn report_what_is_left(&mut self, can_go_on: bool) {
        if self.sharing.is_some() {
            self.commit(0);
        } else if can_go_on && (self.is_turn_over() || self.job.share.is_some() && is_asked_to_stop()) {
            self.suspend();
        }
    }

    /// The search has begun anew, here; the other guests learn it from the host.
    pub(super) fn share_anew(&mut self) {
        if let Some(sharing) = &mut self.sharing {
            sharing.queue = Bundle::default();
            sharing.described = None;
            (sharing.counts, sharing.covered) = (Counts::default(), 0.0);
            sharing.pass += 1;
        }
    }

    /// Reports how many parts could be given away.
    pub(super) fn report_open(&mut self) {
        let queued = self.shared().queue.len();
        let Some(search) = self.explorer.divisible() else { return };
        link::header().covered.store(search.covered().to_bits(), Relaxed);
        link::header().open.store((search.open() + queued) as u32, Relaxed);
    }

    /// Reports to the host what was done, gives away `wanted` parts, if there are enough, and reports what is left.
    fn commit(&mut self, wanted: usize) {
        if !wait_until_read() {
            return;
        }
        let answers = link::header().request.load(Relaxed);
        let runs = self.runner.runs();
        if runs - self.shared().checked >= CHECKED_RUNS {
            self.check_health();
            self.shared().checked = runs;
        }
        if wanted > 0 {
            // Other guests wait for parts, and those in the package can be given away as well.
            self.take_package();
        }
        let (given, left) = in_vault(|| self.divide(wanted));
        if !self.commit_parts(answers, given, left) {
            tool_error("what is left to explore is too large for the memory shared with the checker");
        }
    }

    /// Reports to the host what was done since the last time and what is left; false if there is no room for that.
    fn commit_parts(&mut self, answers: u32, given: Bundle, left: Bundle) -> bool {
        self.report_sampled();
        let covered = self.explorer.divisible().map_or(0.0, |search| search.covered());
        let (counts, lost) = (self.counts, self.lost);
        let sharing = self.shared();
        let commit = Commit {
            pass: sharing.pass,
            answers,
            packages: sharing.packages,
            counts: counts - sharing.counts,
            lost: lost - sharing.lost,
            covered: covered - sharing.covered,
            given,
            left,
        };
        (sharing.counts, sharing.lost, sharing.covered, sharing.answered) = (counts, lost, covered, answers);
        let committed = link::commit(&commit);
        self.report_open();
        committed
    }

    /// The turn of a search that was not shared is over: leaves what is left of it to the next turn. If that is too
    /// much, nothing is left, and the next turn begins anew.
    fn suspend(&mut self) {
        let Some(search) = self.explorer.divisible() else { return };
        let mut left = Packer::default();
        let mut steps = 0;
        in_vault(|| {
            search.save(&mut |item: Item| {
                steps += item.steps.len();
                if steps <= MOST_SUSPENDED {
                    left.add(item);
                }
            });
        });
        if steps <= MOST_SUSPENDED {
            let left = in_vault(|| left.finish());
            // Without room the host learns nothing of what is left.
            self.commit_parts(0, Bundle::default(), left);
            self.sharing = None;
        }
    }

    /// Splits what is left into what is given away, at most half of it, and the rest.
    fn divide(&mut self, wanted: usize) -> (Bundle, Bundle) {
        let sharing = self.sharing.get_or_insert_default();
        let (mut given, mut left) = (Bundle::default(), Packer::default());
        if let Some(search) = self.explorer.divisible()
            && sharing.begun
        {
            let count = wanted.min((search.open() + sharing.queue.len()) / 2);
            given = sharing.queue.take_last(count).reversed();
            let open = (given.len()..count).map_while(|_| search.give());
            given.append(Bundle::of(open));
            search.save(&mut |item| left.add(item));
        }
        let mut left = left.finish();
        left.append(sharing.queue.clone());
        (given, left)
    }

    /// Whether the first run of a part has the same events in its prefix as the run from which the part was made.
    pub(super) fn is_as_described(&mut self) -> bool {
        let Some(item) = self.sharing.as_mut().and_then(|sharing| sharing.described.take()) else { return true };
        let same = with(|engine| item.describes(&engine.run.trace().events));
        if !same {
            let text = "the program is not deterministic: another process did something else in the same steps";
            self.reporter.inconclusive(InconclusiveReason::Other(String::from(text)));
        }
        same
    }

    /// The search ends with a run of which nothing can be learned. The last commit counts it as lost, so a search that
    /// is resumed from there knows that a run is missing.
    pub(super) fn give_up_run(&mut self) {
        if self.sharing.is_some() {
            self.forget_description();
            self.lost += 1;
            in_vault(|| self.explorer.lose());
        }
    }

    /// The first run of a part was lost.
    pub(super) fn forget_description(&mut self) {
        if let Some(sharing) = &mut self.sharing {
            sharing.described = None;
        }
    }
}

/// Waits until the host has read the last commit; false if it has asked to stop and does not read any more.
fn wait_until_read() -> bool {
    let header = link::header();
    let mut doze = Doze::new();
    while header.commits.load(Relaxed) != header.commits_read.load(Acquire) {
        if doze.slept() > Doze::PATIENCE && header.stop.load(Relaxed) != 0 {
            return false;
        }
        doze.doze();
    }
    true
}
