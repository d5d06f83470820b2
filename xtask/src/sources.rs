//! The project's own files, for the checks that read them.

use std::io;
use std::path::{Path, PathBuf};

/// Folders that hold nothing written by hand.
const SKIPPED: &[&str] = &["target", "inspect-out"];

/// Every file of the project below `root` with one of `extensions`, relative to it and sorted. Hidden folders are left
/// out.
pub(crate) fn files(root: &Path, extensions: &[&str]) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(root.join(&folder))? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = folder.join(&name);
            if entry.file_type()?.is_dir() {
                if !name.starts_with('.') && !SKIPPED.contains(&name.as_str()) {
                    folders.push(path);
                }
            } else if path.extension().is_some_and(|found| extensions.iter().any(|wanted| found == *wanted)) {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

/// The words of `text` that consist of letters, digits and underscores.
pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}
