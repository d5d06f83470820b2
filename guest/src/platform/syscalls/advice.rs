//! Advice about memory (`madvise`).

use super::unmodelled;
use crate::platform::call::Call;
use crate::platform::layout::Range;
use crate::platform::sys::errno::EINVAL;
use crate::platform::sys::{self, error, nr};
use crate::platform::{mappings, snapshot};

/// madvise. Advice that drops contents of memory from before the run first makes it hot, so that it comes back. Other
/// advice about such memory changes nothing that the program can observe: the kernel only says whether the range is
/// mapped.
pub(super) fn advise(call: &Call) -> i64 {
    const NORMAL: u64 = 0;
    let [address, len, advice, ..] = call.args;
    if mappings::contains(address, len) {
        return mappings::advise(&call.args);
    }
    let does = match Advice::of(advice as u32) {
        Advice::Unknown => return error(EINVAL),
        Advice::Unmodelled => unmodelled("madvise with advice that is not known to change nothing", call),
        Advice::DontNeed if snapshot::covers(Range::new(address, len)) => {
            snapshot::heat_range(address, len);
            advice
        }
        Advice::DontNeed | Advice::Hint => NORMAL,
    };
    // SAFETY: memory of the program that is restored after the run, or that stays as it is.
    let result = unsafe { sys::call3(nr::__NR_madvise, address, len, does) };
    if result == 0 && does != advice && Advice::of(advice as u32) == Advice::DontNeed && len > 0 {
        unmodelled("madvise (MADV_DONTNEED) of memory of several kinds", call);
    }
    result
}

/// What `madvise` is told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Advice {
    /// How memory will be used, or what a core file or a child is to have of it.
    Hint,
    /// Contents are dropped.
    DontNeed,
    Unmodelled,
    /// There is no such advice.
    Unknown,
}

impl Advice {
    /// By number: `MADV_NORMAL` to `MADV_WILLNEED`, `MADV_DONTNEED`, and so on.
    fn of(number: u32) -> Advice {
        match number {
            0..=3 | 10 | 11 | 14..=17 | 20 | 21 => Advice::Hint,
            4 => Advice::DontNeed,
            8 | 9 | 12 | 13 | 18 | 19 | 22..=25 | 100..=103 => Advice::Unmodelled,
            _ => Advice::Unknown,
        }
    }
}
