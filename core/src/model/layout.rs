//! Where the variables and objects of a model program lie.

/// Address of the first variable; each has 8 bytes.
pub const VARIABLES: u64 = 0x1000;
/// Address of the first mutex; each has [`SPACING`] bytes, as have condition variables and once objects.
pub const MUTEXES: u64 = 0x10_0000;
/// Address of the first condition variable.
pub const CONDITIONS: u64 = 0x20_0000;
/// Address of the first once object.
pub const ONCES: u64 = 0x30_0000;
/// Distance of synchronisation objects.
pub const SPACING: u64 = 64;
