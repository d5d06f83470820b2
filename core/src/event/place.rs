//! The places that findings are about.

use super::{Operation, SiteId, ThreadId};

/// One place a finding is about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Place {
    /// Who was there.
    pub thread: ThreadId,
    /// Where in the source.
    pub site: SiteId,
    /// What the thread did or was about to do; `None` for something that is no visible operation.
    pub operation: Option<Operation>,
}
