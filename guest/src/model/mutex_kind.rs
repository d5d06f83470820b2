//! The kinds of mutexes, as a mutex's memory says.

/// What a mutex does when its owner locks it again.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum MutexKind {
    /// Waits for itself for ever.
    Normal,
    /// Counts how often.
    Recursive,
    /// Returns an error.
    ErrorCheck,
}

/// Where the C library keeps the kind.
const KIND: u64 = 16;

#[inline(always)]
fn kind_bits(mutex: u64) -> u32 {
    // SAFETY: the program passes a mutex, so its bytes can be read; if not, it faults here as it would there.
    unsafe { ((mutex + KIND) as *const u32).read_volatile() }
}

#[inline(always)]
pub(super) fn kind(mutex: u64) -> MutexKind {
    match kind_bits(mutex) & 3 {
        1 => MutexKind::Recursive,
        2 => MutexKind::ErrorCheck,
        _ => MutexKind::Normal,
    }
}

const ROBUST: u32 = 16;
const INHERITS: u32 = 32;
const CEILING: u32 = 64;
/// All bits that the C library gives a meaning to. It sets others in a mutex that it destroys; memory that holds
/// something else is no mutex.
const KNOWN: u32 = 0x3f3;

/// Whether the end of a thread that holds the mutex gives it back.
#[inline(always)]
pub(super) fn is_robust(mutex: u64) -> bool {
    kind_bits(mutex) & ROBUST != 0
}

/// Whether the mutex has a priority ceiling.
pub(super) fn has_ceiling(mutex: u64) -> bool {
    let bits = kind_bits(mutex);
    bits & CEILING != 0 && bits & !KNOWN == 0
}

/// Whether the mutex is neither robust nor of a protocol of priorities.
#[inline(always)]
pub(super) fn is_plain(mutex: u64) -> bool {
    kind_bits(mutex) & (ROBUST | INHERITS | CEILING) == 0
}
