//! Where the variables and objects of a model program lie.

use crate::event::ObjectKind;

/// Address of the first variable; each has 8 bytes.
pub const VARIABLES: u64 = 0x1000;
/// Distance of synchronisation objects.
pub const SPACING: u64 = 64;
/// Address of the first mutex.
pub const MUTEXES: u64 = objects(ObjectKind::Mutex);
/// Address of the first condition variable.
pub const CONDITIONS: u64 = objects(ObjectKind::Condition);

/// Address of the first object of a kind; each has [`SPACING`] bytes.
pub const fn objects(kind: ObjectKind) -> u64 {
    0x10_0000 * (kind as u64 + 1)
}
