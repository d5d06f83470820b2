//! Functions of `setjmp.h`, `ucontext.h`.

use super::CallEffect::{Reads, Writes};
use super::Extent::Bytes;
use super::LibraryHeader;
use super::builder::function;

pub(super) const HEADERS: &[LibraryHeader] = &[
    LibraryHeader {
        name: "setjmp.h",
        rows: &[
            function("__sigsetjmp", "pi").announces(&[Writes(0, Bytes(80))]),
            function("_longjmp", "pi").modelled().accesses(&[Reads(0, Bytes(68))]),
            function("_setjmp", "p").announces(&[Writes(0, Bytes(68))]),
            function("longjmp", "pi").modelled().accesses(&[Reads(0, Bytes(68))]),
            function("setjmp", "p").announces(&[Writes(0, Bytes(80))]),
            function("siglongjmp", "pi").modelled().accesses(&[Reads(0, Bytes(68))]),
        ],
    },
    LibraryHeader {
        name: "ucontext.h",
        rows: &[function("setcontext", "c").refused(), function("swapcontext", "pc").refused()],
    },
];
