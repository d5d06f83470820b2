//! Advice about memory (`madvise`).

use crate::platform::call::Call;
use crate::platform::layout::Range;
use crate::platform::sys::{self, errno, error, nr};
use crate::platform::{mappings, maps, snapshot};

/// How the report names advice that is not modelled.
pub(super) const REFUSED: &str =
    "madvise that does more than to let contents go, or of memory that is not all from before the run or of it";

/// madvise. None if it is not modelled. Contents of memory from before the run that go are first made hot, so that they
/// come back.
pub(super) fn advise(call: &Call) -> Option<i64> {
    let [address, len, number, ..] = call.args;
    // SAFETY: about no memory; the kernel says whether it knows the advice and takes the address.
    let asked = unsafe { sys::call3(nr::__NR_madvise, address, 0, number) };
    if sys::failed(asked) || len == 0 {
        return Some(asked);
    }
    let Some(end) = address.checked_add(len).and_then(|end| end.checked_next_multiple_of(sys::PAGE)) else {
        return Some(error(errno::EINVAL));
    };
    if end > mappings::ADDRESSES {
        return is_for_any_memory(number).then(|| error(errno::ENOMEM));
    }
    let advice = Advice::of(number as u32);
    if advice != Advice::Unmodelled && mappings::contains(address, len) {
        return Some(mappings::advise(&call.args));
    }
    let is_there = || maps::all().iter().any(|mapping| mapping.range.start < end && mapping.range.end > address);
    match advice {
        Advice::Hint if mappings::is_mapped(address, len) => Some(0),
        Advice::DontNeed if snapshot::covers(Range::new(address, len)) => {
            snapshot::heat_range(address, len);
            // SAFETY: memory of the program that is restored after the run.
            Some(unsafe { sys::call3(nr::__NR_madvise, address, len, number) })
        }
        Advice::DontNeed | Advice::Changes | Advice::Unmodelled if is_there() => None,
        _ => Some(error(errno::ENOMEM)),
    }
}

/// Whether no mapping refuses the advice, so that of a range which ends beyond all of them only the rest is missing:
/// `MADV_NORMAL`, `MADV_RANDOM`, `MADV_SEQUENTIAL`, `MADV_WILLNEED`, `MADV_DONTFORK` and `MADV_DONTDUMP`.
fn is_for_any_memory(number: u64) -> bool {
    matches!(number as u32, 0..=3 | 10 | 16)
}

/// What advice that the kernel knows does to the memory that it is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Advice {
    /// Nothing that the program can observe: how memory will be used, or what a core file or a child is to have of it.
    Hint,
    /// The contents go, and what was there at first comes back.
    DontNeed,
    /// More, which is known of the run's own mappings: the kernel does it there.
    Changes,
    /// What depends on the system's memory, or tries faults of the hardware.
    Unmodelled,
}

impl Advice {
    /// By number: `MADV_NORMAL` to `MADV_WILLNEED`, `MADV_DONTFORK`, `MADV_DOFORK`, `MADV_MERGEABLE` to `MADV_DODUMP`,
    /// `MADV_KEEPONFORK`, `MADV_COLD` and `MADV_PAGEOUT`; `MADV_DONTNEED`; `MADV_COLLAPSE`, `MADV_HWPOISON`,
    /// `MADV_SOFT_OFFLINE`, `MADV_GUARD_INSTALL` and `MADV_GUARD_REMOVE`; the rest.
    fn of(number: u32) -> Advice {
        match number {
            0..=3 | 10..=17 | 19..=21 => Advice::Hint,
            4 => Advice::DontNeed,
            25 | 100..=103 => Advice::Unmodelled,
            _ => Advice::Changes,
        }
    }
}
