//! The resource limits of the process. A run sees those that the process has, until it sets others for itself. These
//! are remembered, not enforced. Not modelled are a higher value of how far a limit may be raised and, except for the
//! size of core files, a stricter limit and a change beside other threads: `sysconf` and other functions of the C
//! library read limits unannounced.

use super::global::Global;
use super::recover;
use super::sys::{self, error, nr};
use super::upcalls::upcalls;
use alloc::vec::Vec;
use sys::errno::{EFAULT, EINVAL};

/// `struct rlimit`: the limit, and how high the process may raise it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(C)]
pub(super) struct Limit {
    now: u64,
    highest: u64,
}

const COUNT: u64 = 16;
const CORE: u64 = 4;

/// What the run has set: numbers of resources and their limits.
static SET: Global<Vec<(u64, Limit)>> = Global::new(Vec::new());

fn set() -> &'static mut Vec<(u64, Limit)> {
    // SAFETY: one OS thread; the borrow ends in the statement of the caller.
    unsafe { SET.get() }
}

/// Undoes what the run did.
pub(super) fn reset() {
    set().clear();
}

/// What the run has set so far.
pub(super) fn save() -> Vec<(u64, Limit)> {
    set().clone()
}

/// Brings back what [`save`] has returned.
pub(super) fn load(saved: &[(u64, Limit)]) {
    let set = set();
    set.clear();
    set.extend_from_slice(saved);
}

/// Adds to a hash what the run has set.
pub(super) fn hash(hash: u64) -> u64 {
    if set().is_empty() {
        return hash;
    }
    let words = set().iter().flat_map(|(resource, limit)| [*resource, limit.now, limit.highest]);
    words.fold(hash, |hash, word| (hash ^ word).wrapping_mul(0x100_0000_01b3).rotate_left(17))
}

/// The present limit; None if there is no such resource.
fn present(resource: u64) -> Option<Limit> {
    if resource >= COUNT {
        return None;
    }
    if let Some((_, limit)) = set().iter().find(|(of, _)| *of == resource) {
        return Some(*limit);
    }
    let mut limit = Limit::default();
    // SAFETY: the kernel writes the limit there.
    let result = unsafe { sys::call2(nr::__NR_getrlimit, resource, (&raw mut limit) as u64) };
    (result == 0).then_some(limit)
}

/// Sets the limit that is at address `new`, unless that is null, after writing the present one to address `old`, unless
/// that is null. Returns what the system call returns; None if the change is not modelled.
pub(super) fn exchange(resource: u64, new: u64, old: u64) -> Option<i64> {
    let Some(before) = present(resource) else { return Some(error(EINVAL)) };
    let wanted = if new == 0 { None } else { Some(recover::read_value::<Limit>(new)) };
    match wanted {
        Some(None) => return Some(error(EFAULT)),
        Some(Some(limit)) if limit.now > limit.highest => return Some(error(EINVAL)),
        Some(Some(limit)) if limit.highest > before.highest => return None,
        Some(Some(limit)) if limit.now < before.now && resource != CORE => return None,
        Some(Some(limit)) if limit != before && resource != CORE && upcalls().has_other_threads() => return None,
        Some(Some(limit)) => {
            let set = set();
            set.retain(|(of, _)| *of != resource);
            set.push((resource, limit));
            set.sort_unstable_by_key(|(of, _)| *of);
        }
        None => {}
    }
    let delivered = old == 0 || recover::write_value(old, &before);
    Some(if delivered { 0 } else { error(EFAULT) })
}
