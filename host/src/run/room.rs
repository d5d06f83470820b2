//! Room for threads: which of the two forms of the guest library a program runs with.
//!
//! Programs are linked with the form for few threads (at most 64), which is faster. One that creates more is run with
//! the form for many, in place of that: a library that is preloaded under the name by which the program needs the
//! other. The dynamic linker takes a library with that name as the one that it was asked for.

use super::guest_library::guest_of;
use super::output::RunOutput;
use crate::error::{ToolError, plain};
use inspect_core::event::{FEW_THREADS, LimitKind};
use inspect_wire::message::InconclusiveReason;
use inspect_wire::{GUEST_LIBRARY, MANY_THREADS_LIBRARY, MANY_THREADS_NAME};
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use tempfile::TempDir;

/// How many threads there is room for. Copies share what one of them has learnt: a program that once needed more room
/// has it from then on.
#[derive(Clone, Debug, Default)]
pub struct ThreadRoom {
    many: Arc<OnceLock<ManyThreads>>,
}

/// The library for many threads, with the name by which the program needs the guest library.
#[derive(Debug)]
struct ManyThreads {
    library: PathBuf,
    /// Where it lies; removed with it.
    _folder: TempDir,
}

/// How much room there is does not tell two targets apart.
impl PartialEq for ThreadRoom {
    fn eq(&self, _: &ThreadRoom) -> bool {
        true
    }
}

impl Eq for ThreadRoom {}

impl ThreadRoom {
    /// Whether a guest has seen more threads than there was room for, and there can be more room.
    pub fn is_too_small_for<'a>(&self, outputs: impl IntoIterator<Item = &'a RunOutput>) -> bool {
        let too_many = InconclusiveReason::Limit(LimitKind::Threads);
        self.many.get().is_none() && outputs.into_iter().any(|output| output.reasons.contains(&too_many))
    }

    /// The same room for a search beside others, which are not to notice what it learns.
    #[must_use]
    pub fn apart(&self) -> ThreadRoom {
        if self.is_wide() { self.clone() } else { ThreadRoom::default() }
    }

    /// From now on there is room for many threads.
    ///
    /// # Errors
    /// The library for many threads is missing, or no copy of it can be made.
    pub fn widen(&self, program: &Path) -> Result<(), ToolError> {
        if self.many.get().is_none() {
            // Searches beside each other have rooms apart, so nobody else sets it meanwhile.
            let _ = self.many.set(ManyThreads::of(program)?);
        }
        Ok(())
    }

    /// Whether there is room for many threads.
    pub fn is_wide(&self) -> bool {
        self.many.get().is_some()
    }

    /// What is preloaded, if that is the library for many threads: it, and what the user preloads.
    pub(super) fn preloaded(&self) -> Option<OsString> {
        let mut preloaded = self.many.get()?.library.clone().into_os_string();
        if let Some(others) = std::env::var_os(PRELOADED).filter(|others| !others.is_empty()) {
            preloaded.push(":");
            preloaded.push(others);
        }
        Some(preloaded)
    }
}

/// Libraries in this variable are loaded before all others. The guest takes itself out of it.
pub(super) const PRELOADED: &str = "LD_PRELOAD";

impl ManyThreads {
    fn of(program: &Path) -> Result<ManyThreads, ToolError> {
        let few = guest_of(program).unwrap_or_else(|| PathBuf::from(GUEST_LIBRARY));
        let path = few.with_file_name(MANY_THREADS_LIBRARY);
        let fail =
            |path: &Path, error: &std::io::Error| ToolError::new(format!("{}: {}", path.display(), plain(error)));
        let library = std::fs::read(&path).map_err(|error| {
            let (shown, error) = (path.display(), plain(&error));
            ToolError::new(format!(
                "{shown}: {error}\n  a program with more threads than {FEW_THREADS} needs it: install Inspect anew"
            ))
        })?;
        let named = with_name(library, few.as_os_str().as_bytes()).ok_or_else(|| {
            ToolError::new(format!("{}: not this Inspect's library for many threads", path.display()))
        })?;
        let folder = tempfile::tempdir().map_err(|error| fail(&std::env::temp_dir(), &error))?;
        let library = folder.path().join(GUEST_LIBRARY);
        std::fs::write(&library, named).map_err(|error| fail(&library, &error))?;
        Ok(ManyThreads { library, _folder: folder })
    }
}

/// The library with this name in place of the one that it was built with, which has room for any.
fn with_name(mut library: Vec<u8>, name: &[u8]) -> Option<Vec<u8>> {
    let place = MANY_THREADS_NAME.as_bytes();
    let at = library.windows(place.len()).position(|bytes| bytes == place)?;
    let room = library.get_mut(at..)?;
    let room = room.split(|byte| *byte == 0).next().map(<[u8]>::len)?;
    if name.len() > room {
        return None;
    }
    library[at..at + name.len()].copy_from_slice(name);
    library[at + name.len()] = 0;
    Some(library)
}
