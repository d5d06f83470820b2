//! Calls of functions of the C++ library, natively, with no more memory than their rows say that they access.

use super::programs::is_of_cxx;
use inspect_wire::library::{ALL, CallEffect, Extent, Guest, LibraryRow};
use std::path::Path;
use std::process::Command;

/// Functions that are not called here, and why.
const LEFT_OUT: [(&str, &str); 1] =
    [("_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE", "it waits for another thread")];

/// What a call of an argument of the wrong size or kind ends with.
fn measured(program: &Path, row: &LibraryRow, (argument, size, mode): (u8, u64, &str)) -> Option<String> {
    let arguments = [row.name, &argument.to_string(), &size.to_string(), mode];
    let status = Command::new(program).args(arguments).status().expect("it runs");
    (status.code() != Some(0)).then(|| format!("{} {argument} {mode}: more than {size} bytes ({status})", row.name))
}

/// The argument, how many bytes of it are accessed, of 0 all that the call is given, and whether they are written.
fn access(effect: &CallEffect) -> Option<(u8, u64, &'static str)> {
    /// What `cxx_extents.cpp` passes as a length.
    const LENGTH: u64 = 8;
    const OF_STRING: u64 = 16;
    let size = |extent: Extent| match extent {
        Extent::Bytes(size) => size.into(),
        Extent::Argument(_) => LENGTH,
        Extent::Text => 0,
        other => panic!("{other:?}: cxx_extents.cpp has no such argument"),
    };
    match *effect {
        CallEffect::Reads(at, extent) => Some((at, size(extent), "r")),
        CallEffect::Writes(at, extent) => Some((at, size(extent), "w")),
        CallEffect::ReadsString(at) => Some((at, OF_STRING, "r")),
        _ => None,
    }
}

#[test]
fn functions_of_the_cxx_library_access_no_more_than_their_rows_say() {
    let folder = tempfile::tempdir().expect("a directory");
    let program = folder.path().join("cxx_extents");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/library/cxx_extents.cpp");
    let built = Command::new("clang++-22").args(["-w", "-O1", "-g"]).arg(source).arg("-o").arg(&program).status();
    assert!(built.expect("clang++-22 runs").success());
    let is_measured = |row: &&LibraryRow| {
        row.guest == Guest::Announces && is_of_cxx(row) && !LEFT_OUT.iter().any(|(name, _)| *name == row.name)
    };
    let (mut wrong, mut count) = (Vec::new(), 0);
    for row in ALL.iter().filter(is_measured) {
        for access in row.effects.iter().filter_map(access) {
            count += 1;
            wrong.extend(measured(&program, row, access));
        }
    }
    println!("{count} arguments measured");
    assert!(count > 100 && wrong.is_empty(), "{} of {count}: {wrong:#?}", wrong.len());
}
