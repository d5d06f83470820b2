//! Names of objects that no symbol names, for reports: the made-up ones that stand for state of the C library or the
//! file system, and words of the C library's thread descriptors.

use super::run_data::RunData;
use crate::platform::Global;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use inspect_core::run::Run;

/// The names of the objects that were used in any run, by address.
static NAMES: Global<BTreeMap<u64, String>> = Global::new(BTreeMap::new());

/// Gives the object at an address its name, unless it has one.
pub(crate) fn note_name(start: u64, name: impl FnOnce() -> String) {
    // SAFETY: one OS thread; the borrow ends here, and `name` uses nothing of this module.
    unsafe { NAMES.get() }.entry(start).or_insert_with(name);
}

/// The name of the object at an address, if it was given one.
pub(crate) fn name(start: u64) -> Option<String> {
    // SAFETY: one OS thread; the borrow ends here.
    unsafe { NAMES.get() }.get(&start).cloned()
}

/// All names, as a part of the engine: they stay from run to run, and a child leaves them to its parent.
pub(crate) struct ObjectNames;

impl RunData for ObjectNames {
    type Saved = ();
    type Left = Vec<(u64, String)>;

    fn begin(&mut self, _run: &Run) {}

    fn save(&mut self, _run: &Run, (): &mut ()) -> bool {
        true
    }

    fn restore(&mut self, _run: &Run, (): &()) {}

    fn leave(&mut self) -> Self::Left {
        // SAFETY: one OS thread; the borrow ends here.
        unsafe { NAMES.get() }.iter().map(|(start, name)| (*start, name.clone())).collect()
    }

    fn adopt(&mut self, left: Self::Left) {
        // SAFETY: one OS thread; the borrow ends here.
        unsafe { NAMES.get() }.extend(left);
    }
}
