//! Why a call on a path is not made.

use crate::platform::sys;

/// Why a call on a path or a file is not made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::platform) enum Refusal {
    /// It fails, with this negated error number.
    Error(i64),
    /// It is not modelled.
    Unmodelled,
}

impl From<u32> for Refusal {
    fn from(number: u32) -> Refusal {
        Refusal::Error(sys::error(number))
    }
}

/// The result of a call of the kernel's, or why it failed.
pub(super) fn checked(result: i64) -> Result<i64, Refusal> {
    if sys::failed(result) { Err(Refusal::Error(result)) } else { Ok(result) }
}
