//! Standard output.

use crate::error::ToolError;
use std::io::Write;

/// Writes to standard output; a reader that has gone away is no error.
pub(super) fn print(text: &str) -> Result<(), ToolError> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(ToolError::new(format!("cannot write the report: {error}")))
        }
        Ok(()) | Err(_) => Ok(()),
    }
}
