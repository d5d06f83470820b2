//! Functions of `setjmp.h`, `ucontext.h`.

use super::LibraryHeader;
use super::builder::function;

pub(super) const HEADERS: &[LibraryHeader] = &[
    LibraryHeader {
        name: "setjmp.h",
        rows: &[
            function("__sigsetjmp", 2).harmless(),
            function("_longjmp", 2).modelled(),
            function("_setjmp", 1).harmless(),
            function("longjmp", 2).modelled(),
            function("setjmp", 1).harmless(),
            function("siglongjmp", 2).modelled(),
        ],
    },
    LibraryHeader {
        name: "ucontext.h",
        rows: &[function("setcontext", 1).refused(), function("swapcontext", 2).refused()],
    },
];
