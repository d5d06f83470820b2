//! Functions of `math.h`, `complex.h`: most of them in each of the floating-point types.

use super::CallEffect::{Reads, Writes, WritesVariable};
use super::Extent::{Bytes, Text};
use super::builder::{function, pure, variable};
use super::{CallEffect, LibraryHeader, LibraryRow, Outcome};

/// Rows of functions without pointers that exist for all types: their names for `double` follow the kinds of their
/// arguments, for `double` and for `long double`.
macro_rules! in_all_types {
    ($signature:literal, $long:literal: $($name:literal)*) => {
        &[$(
            pure($name, $signature),
            pure(concat!($name, "f"), $signature),
            pure(concat!($name, "f32"), $signature),
            pure(concat!($name, "f32x"), $signature),
            pure(concat!($name, "f64"), $signature),
            pure(concat!($name, "f64x"), $long),
            pure(concat!($name, "l"), $long),
        )*]
    };
}

/// The same for functions that exist for the three oldest types.
macro_rules! in_three_types {
    ($signature:literal, $long:literal: $($name:literal)*) => {
        &[$(pure($name, $signature), pure(concat!($name, "f"), $signature), pure(concat!($name, "l"), $long),)*]
    };
}

/// The same for functions that exist for `double` and `long double`.
macro_rules! in_two_types {
    ($signature:literal, $long:literal: $($name:literal)*) => {
        &[$(pure($name, $signature), pure(concat!($name, "l"), $long),)*]
    };
}

/// The same for functions that exist once.
macro_rules! in_one_type {
    ($signature:literal: $($name:literal)*) => { &[$(pure($name, $signature),)*] };
}

/// Rows of functions that exist for all types: the name for `double`, the kinds of the arguments for `double` and for
/// `long double`, the effects for `double`, for `float` and for `long double`.
macro_rules! announced_in_all_types {
    ($($name:literal $signature:literal, $long:literal: $on_double:expr, $on_float:expr, $on_long:expr;)*) => {
        &[$(
            announced($name, $signature, $on_double),
            announced(concat!($name, "f"), $signature, $on_float),
            announced(concat!($name, "f32"), $signature, $on_float),
            announced(concat!($name, "f32x"), $signature, $on_double),
            announced(concat!($name, "f64"), $signature, $on_double),
            announced(concat!($name, "f64x"), $long, $on_long),
            announced(concat!($name, "l"), $long, $on_long),
        )*]
    };
}

/// A function that accesses memory.
const fn announced(name: &'static str, arguments: &'static str, effects: &'static [CallEffect]) -> LibraryRow {
    function(name, arguments).announces(effects).keeps_nothing().outcome(Outcome::Determined)
}

const INTEGER_AT_1: &[CallEffect] = &[Writes(1, Bytes(4))];
const INTEGER_AT_2: &[CallEffect] = &[Writes(2, Bytes(4))];
const SIGN_OF_GAMMA: &[CallEffect] = &[WritesVariable("signgam", 4)];

pub(super) const HEADERS: &[LibraryHeader] = &[
    LibraryHeader {
        name: "math.h",
        rows: in_all_types! { "d", "m":
            "acos" "acosh" "asin" "asinh" "atan" "atanh" "cbrt" "ceil" "cos" "cosh" "erf" "erfc" "exp"
            "exp10" "exp2" "expm1" "fabs" "floor" "ilogb" "j0" "j1" "llogb" "llrint" "llround" "log"
            "log10" "log1p" "log2" "logb" "lrint" "lround" "nearbyint" "nextdown" "nextup" "rint"
            "round" "roundeven" "sin" "sinh" "sqrt" "tan" "tanh" "tgamma" "trunc" "y0" "y1"
        },
    },
    LibraryHeader {
        name: "math.h",
        rows: in_all_types! { "dd", "mm":
            "atan2" "copysign" "fdim" "fmax" "fmaximum" "fmaximum_mag" "fmaximum_mag_num" "fmaximum_num"
            "fmaxmag" "fmin" "fminimum" "fminimum_mag" "fminimum_mag_num" "fminimum_num" "fminmag"
            "fmod" "hypot" "nextafter" "pow" "remainder"
        },
    },
    LibraryHeader {
        name: "math.h",
        rows: in_all_types! { "ddd", "mmm":
            "fma"
        },
    },
    LibraryHeader {
        name: "math.h",
        rows: in_all_types! { "di", "mi":
            "ldexp" "scalbln" "scalbn"
        },
    },
    LibraryHeader {
        name: "math.h",
        rows: in_all_types! { "dii", "mii":
            "fromfp" "fromfpx" "ufromfp" "ufromfpx"
        },
    },
    LibraryHeader {
        name: "math.h",
        rows: in_all_types! { "id", "im":
            "jn" "yn"
        },
    },
    LibraryHeader {
        name: "math.h",
        rows: in_three_types! { "d", "m":
            "__finite" "__fpclassify" "__isinf" "__isnan" "__issignaling" "__signbit" "finite" "isinf"
            "isnan" "significand"
        },
    },
    LibraryHeader {
        name: "math.h",
        rows: in_three_types! { "dd", "mm":
            "__iseqsig" "drem" "scalb"
        },
    },
    LibraryHeader {
        name: "math.h",
        rows: in_three_types! { "dm", "mm":
            "nexttoward"
        },
    },
    LibraryHeader {
        name: "math.h",
        rows: in_two_types! { "d", "m":
            "fsqrt"
        },
    },
    LibraryHeader {
        name: "math.h",
        rows: in_two_types! { "dd", "mm":
            "fadd" "fdiv" "fmul" "fsub"
        },
    },
    LibraryHeader {
        name: "math.h",
        rows: in_two_types! { "ddd", "mmm":
            "ffma"
        },
    },
    LibraryHeader {
        name: "math.h",
        rows: in_one_type! { "d":
            "f32sqrtf32x" "f32sqrtf64" "f32xsqrtf64"
        },
    },
    LibraryHeader {
        name: "math.h",
        rows: in_one_type! { "dd":
            "f32addf32x" "f32addf64" "f32divf32x" "f32divf64" "f32mulf32x" "f32mulf64" "f32subf32x"
            "f32subf64" "f32xaddf64" "f32xdivf64" "f32xmulf64" "f32xsubf64"
        },
    },
    LibraryHeader {
        name: "math.h",
        rows: in_one_type! { "ddd":
            "f32fmaf32x" "f32fmaf64" "f32xfmaf64"
        },
    },
    LibraryHeader {
        name: "math.h",
        rows: in_one_type! { "m":
            "__iscanonicall" "dsqrtl" "f32sqrtf64x" "f32xsqrtf64x" "f64sqrtf64x"
        },
    },
    LibraryHeader {
        name: "math.h",
        rows: in_one_type! { "mm":
            "daddl" "ddivl" "dmull" "dsubl" "f32addf64x" "f32divf64x" "f32mulf64x" "f32subf64x"
            "f32xaddf64x" "f32xdivf64x" "f32xmulf64x" "f32xsubf64x" "f64addf64x" "f64divf64x"
            "f64mulf64x" "f64subf64x"
        },
    },
    LibraryHeader {
        name: "math.h",
        rows: in_one_type! { "mmm":
            "dfmal" "f32fmaf64x" "f32xfmaf64x" "f64fmaf64x"
        },
    },
    LibraryHeader {
        name: "math.h",
        rows: announced_in_all_types! {
            "canonicalize" "pc", "pc": &[Reads(1, Bytes(8)), Writes(0, Bytes(8))], &[Reads(1, Bytes(4)), Writes(0, Bytes(4))],
                &[Reads(1, Bytes(16)), Writes(0, Bytes(16))];
            "frexp" "dp", "mp": INTEGER_AT_1, INTEGER_AT_1, INTEGER_AT_1;
            "getpayload" "c", "c": &[Reads(0, Bytes(8))], &[Reads(0, Bytes(4))], &[Reads(0, Bytes(16))];
            "lgamma" "d", "m": SIGN_OF_GAMMA, SIGN_OF_GAMMA, SIGN_OF_GAMMA;
            "modf" "dp", "mp": &[Writes(1, Bytes(8))], &[Writes(1, Bytes(4))], &[Writes(1, Bytes(16))];
            "nan" "c", "c": &[Reads(0, Text)], &[Reads(0, Text)], &[Reads(0, Text)];
            "remquo" "ddp", "mmp": INTEGER_AT_2, INTEGER_AT_2, INTEGER_AT_2;
            "setpayload" "pd", "pm": &[Writes(0, Bytes(8))], &[Writes(0, Bytes(4))], &[Writes(0, Bytes(16))];
            "setpayloadsig" "pd", "pm": &[Writes(0, Bytes(8))], &[Writes(0, Bytes(4))], &[Writes(0, Bytes(16))];
            "sincos" "dpp", "mpp": &[Writes(1, Bytes(8)), Writes(2, Bytes(8))], &[Writes(1, Bytes(4)), Writes(2, Bytes(4))],
                &[Writes(1, Bytes(16)), Writes(2, Bytes(16))];
            "totalorder" "cc", "cc": &[Reads(0, Bytes(8)), Reads(1, Bytes(8))], &[Reads(0, Bytes(4)), Reads(1, Bytes(4))],
                &[Reads(0, Bytes(16)), Reads(1, Bytes(16))];
            "totalordermag" "cc", "cc": &[Reads(0, Bytes(8)), Reads(1, Bytes(8))],
                &[Reads(0, Bytes(4)), Reads(1, Bytes(4))], &[Reads(0, Bytes(16)), Reads(1, Bytes(16))];
        },
    },
    LibraryHeader {
        name: "math.h",
        rows: &[
            announced("gamma", "d", SIGN_OF_GAMMA),
            announced("gammaf", "d", SIGN_OF_GAMMA),
            announced("gammal", "m", SIGN_OF_GAMMA),
            announced("lgamma_r", "dp", INTEGER_AT_1),
            announced("lgammaf32_r", "dp", INTEGER_AT_1),
            announced("lgammaf32x_r", "dp", INTEGER_AT_1),
            announced("lgammaf64_r", "dp", INTEGER_AT_1),
            announced("lgammaf64x_r", "mp", INTEGER_AT_1),
            announced("lgammaf_r", "dp", INTEGER_AT_1),
            announced("lgammal_r", "mp", INTEGER_AT_1),
            variable("signgam").harmless(),
        ],
    },
    LibraryHeader {
        name: "complex.h",
        rows: in_all_types! { "d", "m":
            "cabs" "cacos" "cacosh" "carg" "casin" "casinh" "catan" "catanh" "ccos" "ccosh" "cexp"
            "cimag" "clog" "clog10" "conj" "cproj" "creal" "csin" "csinh" "csqrt" "ctan" "ctanh"
        },
    },
    LibraryHeader {
        name: "complex.h",
        rows: in_all_types! { "dd", "mm":
            "cpow"
        },
    },
];
