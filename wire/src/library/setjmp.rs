//! Functions of `setjmp.h`, `ucontext.h`.

use super::CallEffect::Unannounced;
use super::LibraryHeader;
use super::builder::function;

pub(super) const HEADERS: &[LibraryHeader] = &[
    LibraryHeader {
        name: "setjmp.h",
        rows: &[
            function("__sigsetjmp", "pi")
                .harmless()
                .accesses(&[Unannounced(0, "\"in the frame of the calling function, or in one that still runs\"")]),
            function("_longjmp", "pi")
                .modelled()
                .accesses(&[Unannounced(0, "\"in the frame of the calling function, or in one that still runs\"")]),
            function("_setjmp", "p")
                .harmless()
                .accesses(&[Unannounced(0, "\"in the frame of the calling function, or in one that still runs\"")]),
            function("longjmp", "pi")
                .modelled()
                .accesses(&[Unannounced(0, "\"in the frame of the calling function, or in one that still runs\"")]),
            function("setjmp", "p")
                .harmless()
                .accesses(&[Unannounced(0, "\"in the frame of the calling function, or in one that still runs\"")]),
            function("siglongjmp", "pi")
                .modelled()
                .accesses(&[Unannounced(0, "\"in the frame of the calling function, or in one that still runs\"")]),
        ],
    },
    LibraryHeader {
        name: "ucontext.h",
        rows: &[function("setcontext", "c").refused(), function("swapcontext", "pc").refused()],
    },
];
