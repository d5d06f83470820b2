//! Locale objects: what a call uses that depends on the locale of its thread.

use super::imports::imports_one_of;
use super::real;
use crate::hooks::argument_read;
use crate::platform::Global;
use inspect_core::event::SiteId;

/// What stands for the locale of the process.
pub(super) const GLOBAL: u64 = u64::MAX;

/// The running thread depends on its locale: if it has one of its own (`uselocale`), that is an object which another
/// thread may free. Returns whether it has one.
pub(super) fn use_own(site: SiteId) -> bool {
    static SETS: Global<Option<bool>> = Global::new(None);
    // SAFETY: one OS thread; the borrow ends here.
    if !*unsafe { SETS.get() }.get_or_insert_with(|| imports_one_of(&["uselocale"])) {
        return false;
    }
    let locale = real!("uselocale" as fn(u64) -> u64)(0);
    use_object(locale, site);
    locale != GLOBAL
}

/// A call that uses a locale object, whose first word never changes while it lives.
pub(super) fn use_object(locale: u64, site: SiteId) {
    if locale != GLOBAL {
        argument_read(locale, 8, site);
    }
}
