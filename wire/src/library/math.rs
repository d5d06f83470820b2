//! Functions of `math.h`.

use super::LibraryHeader;
use super::Outcome::Determined;
use super::builder::function;

pub(super) const HEADERS: &[LibraryHeader] = &[LibraryHeader {
    name: "math.h",
    rows: &[
        function("atan", 1).outcome(Determined),
        function("ceil", 1).outcome(Determined),
        function("cos", 1).outcome(Determined),
        function("exp", 1).outcome(Determined),
        function("fabs", 1).outcome(Determined),
        function("floor", 1).outcome(Determined),
        function("fmod", 2).outcome(Determined),
        function("frexp", 2).keeps_nothing(),
        function("frexpf", 2).keeps_nothing(),
        function("frexpl", 2).keeps_nothing(),
        function("log", 1).outcome(Determined),
        function("log10", 1).outcome(Determined),
        function("log2", 1).outcome(Determined),
        function("modf", 2).keeps_nothing(),
        function("modff", 2).keeps_nothing(),
        function("modfl", 2).keeps_nothing(),
        function("nan", 1).keeps_nothing(),
        function("pow", 2).outcome(Determined),
        function("remquo", 3).keeps_nothing(),
        function("sin", 1).outcome(Determined),
        function("sincos", 3).keeps_nothing(),
        function("sincosf", 3).keeps_nothing(),
        function("sqrt", 1).outcome(Determined),
        function("tan", 1).outcome(Determined),
    ],
}];
