//! The arguments of a call that was caught before it reached its function: fixed ones and variable ones.

/// What the stub saves, in the layout of the register save area of the x86-64 ABI (so that a `va_list` can point to
/// it), then the return address and the arguments on the stack.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct Frame {
    /// rdi, rsi, rdx, rcx, r8, r9.
    integers: [u64; INTEGERS],
    /// xmm0 to xmm7.
    vectors: [[u64; 2]; VECTORS],
    rax: u64,
    /// Where the function was called.
    pub(super) return_address: u64,
    /// First of the arguments on the caller's stack.
    stack: u64,
}

const INTEGERS: usize = 6;
const VECTORS: usize = 8;

/// A `va_list`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct VaList {
    integers: u32,
    vectors: u32,
    stack: *const u64,
    saved: *const Frame,
}

const INTEGER_BYTES: u32 = 8 * INTEGERS as u32;
const ALL_BYTES: u32 = INTEGER_BYTES + 16 * VECTORS as u32;

impl Frame {
    /// The argument with this number, from 0, which is an integer or a pointer.
    pub(super) fn argument(&self, number: usize) -> u64 {
        match self.integers.get(number) {
            Some(&value) => value,
            // SAFETY: the caller passed so many arguments, the later ones on its stack.
            None => unsafe { *(&raw const self.stack).add(number - INTEGERS) },
        }
    }

    /// What the function returns in rax, if the stub goes on to the caller instead of the function.
    pub(super) fn set_result(&mut self, result: u64) {
        self.rax = result;
    }

    /// Calls a function with the same arguments: integers and pointers in registers, one floating-point number, and a
    /// `long double` on the stack. It returns an integer or a pointer.
    pub(super) fn call(&self, function: *const ()) -> u64 {
        type Function = extern "C" fn(u64, u64, u64, u64, u64, u64, u64, u64, f64) -> u64;
        // SAFETY: the C library's function takes no more than this, each where this call puts it.
        let function = unsafe { core::mem::transmute::<*const (), Function>(function) };
        let [a, b, c, d, e, f] = self.integers;
        function(
            a,
            b,
            c,
            d,
            e,
            f,
            self.argument(INTEGERS),
            self.argument(INTEGERS + 1),
            f64::from_bits(self.vectors[0][0]),
        )
    }

    /// The variable arguments after `fixed` integer ones.
    pub(super) fn variable(&self, fixed: usize) -> VaList {
        VaList {
            integers: 8 * fixed as u32,
            vectors: INTEGER_BYTES,
            stack: &raw const self.stack,
            saved: &raw const *self,
        }
    }
}

impl VaList {
    /// A copy of the list that the program passes.
    pub(super) fn copy_of(address: u64) -> VaList {
        // SAFETY: the program passes a `va_list`; if not, it faults here as it would in the C library.
        unsafe { *(address as *const VaList) }
    }

    /// The next integer or pointer.
    pub(super) fn integer(&mut self) -> u64 {
        if self.integers < INTEGER_BYTES {
            let at = self.integers;
            self.integers += 8;
            // SAFETY: inside the register save area.
            return unsafe { *self.saved.byte_add(at as usize).cast::<u64>() };
        }
        self.word()
    }

    /// Skips a `double`.
    pub(super) fn skip_double(&mut self) {
        if self.vectors < ALL_BYTES {
            self.vectors += 16;
        } else {
            self.word();
        }
    }

    /// Skips a `long double`, which is passed on the stack, aligned.
    pub(super) fn skip_long_double(&mut self) {
        self.stack = ((self.stack as u64).next_multiple_of(16) + 16) as *const u64;
    }

    fn word(&mut self) -> u64 {
        // SAFETY: the format says that there is one more argument; if not, the C library would read the same.
        unsafe {
            let value = *self.stack;
            self.stack = self.stack.add(1);
            value
        }
    }
}
