//! What ends a command without a verdict.

use std::fmt;

/// A failure of the tool, of its input or of the build: exit code 2. A finding is never one of these.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ToolError(String);

impl ToolError {
    /// An error with this text, which is shown after `inspect: `.
    pub fn new(text: impl Into<String>) -> Self {
        ToolError(text.into())
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ToolError {}

/// An I/O error without the number the standard library appends.
pub fn plain(error: &std::io::Error) -> String {
    let text = error.to_string();
    match text.rfind(" (os error") {
        Some(end) => text[..end].to_owned(),
        None => text,
    }
}
