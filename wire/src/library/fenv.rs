//! Functions of `fenv.h`.

use super::CallEffect::{Reads, Writes};
use super::Extent::Bytes;
use super::LibraryHeader;
use super::builder::function;

pub(super) const HEADERS: &[LibraryHeader] = &[LibraryHeader {
    name: "fenv.h",
    rows: &[
        function("feclearexcept", "i").harmless().keeps_nothing(),
        function("fedisableexcept", "i").harmless().keeps_nothing(),
        function("feenableexcept", "i").harmless().keeps_nothing(),
        function("fegetenv", "p").announces(&[Writes(0, Bytes(32))]).keeps_nothing(),
        function("fegetexcept", "").harmless().keeps_nothing(),
        function("fegetexceptflag", "pi").announces(&[Writes(0, Bytes(2))]).keeps_nothing(),
        function("fegetmode", "p").announces(&[Writes(0, Bytes(8))]).keeps_nothing(),
        function("fegetround", "").harmless().keeps_nothing(),
        function("feholdexcept", "p").announces(&[Writes(0, Bytes(32))]).keeps_nothing(),
        function("feraiseexcept", "i").harmless().keeps_nothing(),
        function("fesetenv", "c").announces(&[Reads(0, Bytes(32))]).keeps_nothing(),
        function("fesetexcept", "i").harmless().keeps_nothing(),
        function("fesetexceptflag", "ci").announces(&[Reads(0, Bytes(2))]).keeps_nothing(),
        function("fesetmode", "c").announces(&[Reads(0, Bytes(8))]).keeps_nothing(),
        function("fesetround", "i").harmless().keeps_nothing(),
        function("fetestexcept", "i").harmless().keeps_nothing(),
        function("fetestexceptflag", "ci").announces(&[Reads(0, Bytes(2))]).keeps_nothing(),
        function("feupdateenv", "c").announces(&[Reads(0, Bytes(32))]).keeps_nothing(),
    ],
}];
