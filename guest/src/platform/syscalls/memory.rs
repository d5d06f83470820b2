//! Calls on memory: what is mapped, and what a process may do with it.

use super::advice::{self, advise};
use super::answer::pass;
use crate::platform::call::{Call, Served};
use crate::platform::sys::{self, errno, error, nr};
use crate::platform::{mappings, outside};

use Served::{Done, OnStack};

/// Serves a call on memory; None if it is another one.
pub(super) fn serve(call: &Call) -> Option<Served> {
    let [a, b, ..] = call.args;
    Some(match call.number {
        nr::__NR_mmap => mappings::map(&call.args).map_or(OnStack, Done),
        nr::__NR_munmap => Done(mappings::unmap(&call.args)),
        nr::__NR_mremap => mappings::remap(&call.args).map_or(OnStack, Done),
        nr::__NR_mprotect => mappings::protect(&call.args).map_or(OnStack, Done),
        nr::__NR_madvise => advise(call).map_or(OnStack, Done),
        nr::__NR_msync => write_back(call).map_or(OnStack, Done),
        nr::__NR_mincore => residence(call).map_or(OnStack, Done),
        nr::__NR_mlock => Done(mappings::keep_resident(a, b, true)),
        nr::__NR_munlock => Done(mappings::keep_resident(a, b, false)),
        nr::__NR_mlockall => Done(if matches!(a, 1..=3 | 5..=7) { 0 } else { error(errno::EINVAL) }),
        nr::__NR_munlockall => Done(0),
        nr::__NR_brk if a == 0 || a == outside::end_of_data() => Done(outside::end_of_data() as i64),
        _ => return None,
    })
}

/// How the report names a call of `madvise`, `mprotect` or `mremap` that is not modelled.
pub(super) fn refused(call: &Call) -> &'static str {
    const KEEP: u64 = 4;
    let [address, len, _, flags, ..] = call.args;
    match call.number {
        nr::__NR_madvise => advice::REFUSED,
        nr::__NR_mremap if len == 0 => "mremap of what stays mapped (an old size of 0)",
        nr::__NR_mremap if flags & KEEP != 0 => "mremap of what stays mapped (MREMAP_DONTUNMAP)",
        nr::__NR_mremap if mappings::contains(address, len) => "mremap to a given address (MREMAP_FIXED)",
        _ => "change of a mapping that the program has not made in the run",
    }
}

/// msync. Where other mappings of the file are to become as the file is, only what the kernel refuses in any case: that
/// fails for memory that is locked.
fn write_back(call: &Call) -> Option<i64> {
    const INVALIDATE: u64 = 2;
    let mut args = call.args;
    args[2] &= !INVALIDATE;
    let asked = pass(&Call { args, ..*call });
    (sys::failed(asked) || args == call.args).then_some(asked)
}

/// mincore, where the kernel refuses it. Which pages are in memory is decided by what this process has touched, and by
/// what the system needs: nothing that a run controls.
fn residence(call: &Call) -> Option<i64> {
    const PAGES: usize = 512;
    let [address, len, ..] = call.args;
    if !address.is_multiple_of(sys::PAGE) {
        return Some(error(errno::EINVAL));
    }
    let (mut pages, mut done, all) = ([0u8; PAGES], 0, len.div_ceil(sys::PAGE));
    while done < all {
        let some = (all - done).min(PAGES as u64);
        let from = address + done * sys::PAGE;
        // SAFETY: the kernel writes a byte for each page.
        let asked = unsafe { sys::call3(nr::__NR_mincore, from, some * sys::PAGE, pages.as_mut_ptr() as u64) };
        if sys::failed(asked) {
            return Some(asked);
        }
        done += some;
    }
    (all == 0).then_some(0)
}
