//! Calls of library functions, natively, with no more memory than their rows say that they access.

use super::programs::{Sample, TOGETHER, all, build};
use std::process::Command;

/// What a call does that was made with no more memory than the row says, up to a page that nobody may touch: the status
/// of the programs in `samples_main.c`.
const WITHIN: i32 = 0;

#[test]
fn functions_access_no_more_than_their_rows_say() {
    let made = all();
    // Not of the C library.
    let is_measured = |sample: &&Sample| !sample.row.name.starts_with("__atomic_");
    let samples: Vec<&Sample> = made.samples.iter().filter(is_measured).collect();
    let folder = tempfile::tempdir().expect("a directory");
    let mut wrong = Vec::new();
    for samples in samples.chunks(TOGETHER) {
        let program = build(samples, folder.path(), Command::new("clang-22")).expect("compiled");
        for (number, sample) in samples.iter().enumerate() {
            let status =
                Command::new(&program).args([&number.to_string(), "measure"]).current_dir(folder.path()).status();
            if status.expect("it runs").code() != Some(WITHIN) {
                wrong.push(format!("{} {}: more than {} bytes", sample.row.name, sample.argument, sample.size));
            }
        }
    }
    println!("{} arguments measured", samples.len());
    assert!(wrong.is_empty(), "{} of {}: {wrong:#?}", wrong.len(), samples.len());
}
