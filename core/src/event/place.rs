//! The places that findings name.

use super::{Operation, SiteId, ThreadId};

/// One place that a finding names.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Place {
    /// The thread that was there.
    pub thread: ThreadId,
    /// Where in the source.
    pub site: SiteId,
    /// What the thread did or was about to do; `None` for something that is no visible operation.
    pub operation: Option<Operation>,
}
