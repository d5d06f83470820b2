//! The lines of source files.

use crate::symbols::Location;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Reads each source file once.
#[derive(Debug, Default)]
pub struct Sources(RefCell<BTreeMap<PathBuf, Vec<String>>>);

impl Sources {
    /// The text of the line at `location`, without its indentation.
    pub fn line(&self, location: &Location) -> Option<String> {
        let path = location.path.as_ref()?;
        let index = usize::try_from(location.line).ok()?.checked_sub(1)?;
        let mut files = self.0.borrow_mut();
        let lines = files.entry(path.clone()).or_insert_with(|| {
            let bytes = std::fs::read(path).unwrap_or_default();
            String::from_utf8_lossy(&bytes).lines().map(|line| line.trim().replace('\t', " ")).collect()
        });
        lines.get(index).filter(|line| !line.is_empty()).cloned()
    }
}
