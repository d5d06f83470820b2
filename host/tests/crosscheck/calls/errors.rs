//! Errors as the programs note them: `told` of `head.c`.

pub(super) const EINTR: u64 = 40;
pub(super) const EAGAIN: u64 = 41;
pub(super) const EBADF: u64 = 42;
pub(super) const EPIPE: u64 = 43;
pub(super) const ENXIO: u64 = 44;
pub(super) const ETIMEDOUT: u64 = 46;
pub(super) const EBUSY: u64 = 47;
pub(super) const EDEADLK: u64 = 48;
pub(super) const EOWNERDEAD: u64 = 49;
pub(super) const ENOTRECOVERABLE: u64 = 50;
pub(super) const EEXIST: u64 = 51;
pub(super) const ENOENT: u64 = 52;
