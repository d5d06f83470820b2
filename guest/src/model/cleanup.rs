//! The list of a thread's cleanup handlers (`pthread_cleanup_push`), innermost first.

/// Where a cleanup buffer keeps the next outer one: behind the saved registers and the mask flag.
pub(super) const OUTER: u64 = 72;

/// The handler that was registered before this one, or 0.
pub(super) fn outer(buffer: u64) -> u64 {
    // SAFETY: the buffer is registered, and the registration has written this word.
    unsafe { ((buffer + OUTER) as *const u64).read() }
}

/// Set in entries that stand for initialisers of once objects, not in cleanup buffers, which are aligned.
pub(super) const TAG: u64 = 1;

/// Whether an entry is a cleanup buffer.
pub(super) fn is_buffer(entry: u64) -> bool {
    entry != 0 && entry & TAG == 0
}
