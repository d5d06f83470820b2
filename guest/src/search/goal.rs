//! A finding that runs are to show with fewer preemptions than before.

use crate::platform::elf;
use alloc::string::String;
use alloc::vec::Vec;
use inspect_core::detect::{Finding, FindingKind, Witness};
use inspect_wire::message::{Goal, Job, Task};

/// The finding, and how far the search has come.
pub(super) struct WantedFinding {
    goal: Goal,
    /// Its places in this process, in ascending order.
    sites: Vec<u64>,
    /// The fewest preemptions of a run that showed it.
    pub(super) fewest: Option<u32>,
}

impl WantedFinding {
    /// The finding that the job minimises, if it does.
    pub(super) fn of(job: &Job) -> Option<WantedFinding> {
        let Task::Minimise { goal, .. } = &job.task else { return None };
        let modules = elf::modules();
        let here = |(path, at): &(Option<String>, u64)| {
            let module = path.as_ref().and_then(|path| modules.iter().find(|module| module.path == *path));
            module.map_or(*at, |module| module.bias.wrapping_add(*at))
        };
        let mut sites: Vec<u64> = goal.places.iter().map(here).collect();
        sites.sort();
        Some(WantedFinding { goal: goal.clone(), sites, fewest: None })
    }

    /// Whether this is the finding, shown with fewer preemptions than before. If so, remembers how many these are.
    pub(super) fn takes(&mut self, finding: &Finding) -> bool {
        let evidence = finding.witness == self.goal.witness || self.goal.witness == Some(Witness::MemoryOrder);
        let same = (finding.kind, finding.code) == (self.goal.kind, self.goal.code) && evidence;
        let better = same && self.is_there(finding) && self.fewest.is_none_or(|fewest| finding.preemptions < fewest);
        if better {
            self.fewest = Some(finding.preemptions);
        }
        better
    }

    fn is_there(&self, finding: &Finding) -> bool {
        // Where a thread is in its endless loop when the run is cut is a matter of chance.
        if finding.kind == FindingKind::Nonterminating {
            return true;
        }
        let relevant = if finding.kind == FindingKind::DataRace { 2 } else { usize::MAX };
        let mut sites: Vec<u64> = finding.places.iter().take(relevant).map(|place| place.site.0).collect();
        sites.sort();
        sites == self.sites
    }
}
