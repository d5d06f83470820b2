//! Locations as every process that runs the program understands them.
//!
//! Heap, stacks and what the program maps lie at the same addresses in every process; the program itself and its
//! libraries lie where the loader puts them, which the system may not let Inspect fix.

use alloc::vec::Vec;
use inspect_core::event::ByteRange;
use inspect_wire::message::{Location, Module};

/// The ranges of this process as locations.
pub(super) fn of_ranges(ranges: &[ByteRange], modules: &[Module]) -> Vec<Location> {
    let location = |&range: &ByteRange| {
        let module = modules.iter().find(|module| (module.start..module.end).contains(&range.start));
        match module {
            Some(module) => {
                let range = ByteRange { start: range.start.wrapping_sub(module.bias), ..range };
                Location { module: Some(module.path.clone()), range }
            }
            None => Location { module: None, range },
        }
    };
    ranges.iter().map(location).collect()
}

/// The ranges of this process that are meant, in ascending order. A location in a module that this process does not
/// have is nowhere in it.
pub(super) fn to_ranges(locations: &[Location], modules: &[Module]) -> Vec<ByteRange> {
    let range = |location: &Location| {
        let bias = match &location.module {
            Some(path) => modules.iter().find(|module| module.path == *path)?.bias,
            None => 0,
        };
        Some(ByteRange { start: location.range.start.wrapping_add(bias), ..location.range })
    };
    let mut ranges: Vec<ByteRange> = locations.iter().filter_map(range).collect();
    ranges.sort();
    ranges
}
