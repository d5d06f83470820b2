//! The floating-point environment of a thread: control words of both floating-point units, with the exceptions that
//! they have noted.

use core::arch::asm;

/// The control words as a switch of fibers saves them: that of the vector unit, which holds its exceptions, that of the
/// older unit, and the older unit's exceptions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FloatControl(pub u64);

impl FloatControl {
    /// What Linux gives a program and each signal handler.
    pub const INITIAL: FloatControl = FloatControl(0x37f << 32 | 0x1f80);

    /// That of the running thread.
    pub fn current() -> Self {
        const EXCEPTIONS: u16 = 0x3f;
        let (mut first, mut second, mut noted) = (0u32, 0u16, 0u16);
        // SAFETY: stores two control words and a status word to three variables.
        unsafe {
            asm!("stmxcsr [{}]", "fnstcw [{}]", "fnstsw [{}]", in(reg) &raw mut first, in(reg) &raw mut second,
                in(reg) &raw mut noted, options(nostack, preserves_flags));
        }
        FloatControl(u64::from(first) | u64::from(second) << 32 | u64::from(noted & EXCEPTIONS) << 48)
    }

    /// Makes it that of the running thread.
    pub fn load(self) {
        // The older unit's environment: 7 words of 32 bits, of which the first two are control and status.
        let mut environment = [0u32; 7];
        let (first, second, noted) = (self.0 as u32, self.0 >> 32 & 0xffff, (self.0 >> 48) as u32);
        // SAFETY: stores the environment to a variable of its size and loads it with other control words.
        unsafe {
            asm!("fnclex", "fnstenv [{}]", in(reg) &raw mut environment, options(nostack, preserves_flags));
            environment[0] = second as u32;
            environment[1] |= noted;
            asm!("ldmxcsr [{}]", "fldenv [{}]", in(reg) &raw const first, in(reg) &raw const environment,
                options(nostack, preserves_flags));
        }
    }
}
