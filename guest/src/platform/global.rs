//! Mutable global state of the guest.

use core::cell::UnsafeCell;

/// A global of the guest. Only one OS thread ever runs in a program under test, and signal handlers touch only what
/// their module says, so no locking is needed; what must not overlap are two mutable borrows.
#[repr(transparent)]
pub struct Global<T>(UnsafeCell<T>);

// SAFETY: there is one OS thread (the platform refuses to start beside another one and traps `clone`).
unsafe impl<T> Sync for Global<T> {}

impl<T> Global<T> {
    /// A global with this first value.
    pub const fn new(value: T) -> Self {
        Global(UnsafeCell::new(value))
    }

    /// The address of the value.
    #[inline(always)]
    pub const fn as_ptr(&self) -> *mut T {
        self.0.get()
    }

    /// The value, mutable.
    ///
    /// # Safety
    /// No other reference to the value may be in use while this one is.
    #[inline(always)]
    #[allow(clippy::mut_from_ref, reason = "the point of this type")]
    pub unsafe fn get(&self) -> &mut T {
        // SAFETY: passed on to the caller.
        unsafe { &mut *self.0.get() }
    }
}

impl<T: Copy> Global<T> {
    /// A copy of the value.
    #[inline(always)]
    pub fn read(&self) -> T {
        // SAFETY: one OS thread; a copy is taken at once.
        unsafe { *self.0.get() }
    }

    /// Replaces the value.
    #[inline(always)]
    pub fn write(&self, value: T) {
        // SAFETY: one OS thread; a global that is read and written by copy is not borrowed at the same time.
        unsafe { *self.0.get() = value }
    }
}
