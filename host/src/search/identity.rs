//! When two findings of different processes are the same one.
//!
//! Addresses of code and static records move with the module that holds them, so they are compared by module and
//! offset. The steps and the object are left out: the same bug is found by many schedules, and on many objects.

use crate::run::RunOutput;
use inspect_core::detect::{Finding, FindingKind};
use inspect_core::event::ThreadId;
use inspect_wire::message::LoadedModule;
use serde::{Deserialize, Serialize};

/// An address, independent of where its module was mapped.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum SourcePlace {
    /// In a mapped file.
    InModule(String, u64),
    /// Elsewhere.
    Absolute(u64),
}

impl SourcePlace {
    /// The place of `address` among `modules`.
    pub fn of(address: u64, modules: &[LoadedModule]) -> SourcePlace {
        match modules.iter().find(|module| (module.start..module.end).contains(&address)) {
            Some(module) => SourcePlace::InModule(module.path.clone(), address.wrapping_sub(module.bias)),
            None => SourcePlace::Absolute(address),
        }
    }
}

/// What makes a finding the one it is.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct FindingIdentity {
    kind: FindingKind,
    code: i32,
    /// Threads and places, in the guest's order.
    places: Vec<(ThreadId, SourcePlace)>,
}

impl FindingIdentity {
    /// The identity of `finding`, reported by a guest with these modules.
    pub fn of(finding: &Finding, modules: &[LoadedModule]) -> FindingIdentity {
        // Of nested loops, the guest reports the one in which its timer has interrupted the thread, so the place is no
        // part of the identity: that the thread does not end is the finding.
        let endless = finding.kind == FindingKind::Nonterminating;
        let source_place = |site: u64| if endless { SourcePlace::Absolute(0) } else { SourcePlace::of(site, modules) };
        let place = |place: &inspect_core::detect::Place| (place.thread, source_place(place.site.0));
        let mut places: Vec<_> = finding.places.iter().map(place).collect();
        if finding.kind == FindingKind::DataRace {
            // A compare-exchange that fails in one run and not in the other changes which access is named first.
            let accesses = places.len().min(2);
            places[..accesses].sort();
        }
        if finding.kind == FindingKind::Nonterminating {
            // Where in its loop the timer interrupts a thread differs from run to run.
            for (_, place) in &mut places {
                *place = SourcePlace::of(0, modules);
            }
        }
        FindingIdentity { kind: finding.kind, code: finding.code, places }
    }

    /// The places in mapped files: path, empty for the program, and address in the file.
    pub fn places(&self) -> Vec<(String, u64)> {
        let in_module = |(_, place): &(ThreadId, SourcePlace)| match place {
            SourcePlace::InModule(path, address) => Some((path.clone(), *address)),
            SourcePlace::Absolute(_) => None,
        };
        self.places.iter().filter_map(in_module).collect()
    }

    /// The part of it that distinguishes findings for a user: the kind and the source places. Two threads that run the
    /// same code into the same bug are one finding.
    pub fn for_user(&self) -> (FindingKind, i32, Vec<SourcePlace>) {
        // After the two accesses of a race come the operations too weak to order them, if the race was shown in that
        // way.
        let accesses = if self.kind == FindingKind::DataRace { 2 } else { usize::MAX };
        let mut places: Vec<SourcePlace> = self.places.iter().take(accesses).map(|(_, place)| place.clone()).collect();
        places.sort();
        (self.kind, self.code, places)
    }
}

/// Whether the two processes had different address layouts.
pub(super) fn layouts_differ(a: &RunOutput, b: &RunOutput) -> bool {
    let layout = |output: &RunOutput| -> Vec<(String, u64)> {
        output.modules.iter().map(|module| (module.path.clone(), module.start)).collect()
    };
    layout(a) != layout(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_the_same_place_wherever_its_module_is() {
        let module = |bias| LoadedModule { path: "p".into(), bias, start: bias + 0x1000, end: bias + 0x2000 };
        let place = SourcePlace::of(0x5000_1234, &[module(0x5000_0000)]);
        assert_eq!(place, SourcePlace::InModule("p".into(), 0x1234));
        assert_eq!(place, SourcePlace::of(0x7000_1234, &[module(0x7000_0000)]));
        assert_eq!(SourcePlace::of(0x10, &[module(0x5000_0000)]), SourcePlace::Absolute(0x10));
    }
}
