//! Why nothing is announced of what an argument points to ([`CallEffect::Unannounced`](super::CallEffect)).

pub(super) const NEVER_INTERRUPTED: &str = "written when a signal ends a sleep early, which never happens";
pub(super) const KEPT: &str = "kept, not accessed";
pub(super) const A_VALUE: &str = "an address as a value, not accessed";
pub(super) const BY_CALLBACK: &str = "only the function that it calls accesses it";
pub(super) const A_HANDLE: &str = "an object of the library, which nobody changes";
pub(super) const THE_RESULT: &str = "announced after the call, as the result";
pub(super) const A_MASK: &str = "null; a call with a mask is not modelled";
pub(super) const A_SET: &str = "read and written up to the highest of the descriptors";
pub(super) const BY_GUEST: &str = "announced in the call, as far as it is written";
pub(super) const A_CONSTANT: &str = "constant";
pub(super) const A_FACET: &str = "an object of the library, which is filled with the same values whoever does it";
pub(super) const EMPTY: &str = "it has no members";
pub(super) const BY_PTHREADS: &str = "accessed by the function of the threads API that it calls";
pub(super) const BY_FREE: &str = "a block that the call of free in it ends";
pub(super) const BY_FUTEX: &str = "accessed by the system call in it";
