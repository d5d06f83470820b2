//! `// BUG: kind` markers: the lines of the sources where findings belong. Tests name places by these and never by
//! number, so that a program can be edited.

use std::path::{Path, PathBuf};

/// One marker.
#[derive(Debug)]
pub(crate) struct Marker {
    /// The file.
    pub(crate) file: PathBuf,
    /// The line, from 1.
    pub(crate) line: u32,
    /// The kind of finding.
    pub(crate) kind: String,
    /// What distinguishes it from other markers of its kind.
    pub(crate) label: Option<String>,
}

/// All markers of these files. A line may have several: `// BUG: data-race(flag) crash`.
pub(crate) fn read(sources: &[PathBuf]) -> Result<Vec<Marker>, String> {
    let mut markers = Vec::new();
    for file in sources {
        let text = std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
        for (number, line) in (1..).zip(text.lines()) {
            let Some((_, words)) = line.split_once("// BUG: ") else { continue };
            for word in words.split_whitespace() {
                markers.push(marker(file, number, word));
            }
        }
    }
    Ok(markers)
}

fn marker(file: &Path, line: u32, word: &str) -> Marker {
    let (kind, label) = match word.strip_suffix(')').and_then(|word| word.split_once('(')) {
        Some((kind, label)) => (kind, Some(label.to_string())),
        None => (word, None),
    };
    Marker { file: file.to_path_buf(), line, kind: kind.to_string(), label }
}
