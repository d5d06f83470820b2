//! What leader and ranks tell each other.

use super::super::balance::node::{NodeReport, Order};
use crate::error::{ToolError, plain};
use crate::program::Image;
use inspect_wire::message::Job;
use inspect_wire::{hooks, shared};
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::path::Path;
use std::sync::OnceLock;

/// Carries messages between the ranks. Those from one rank to another arrive in the order in which they were sent.
pub trait Messenger {
    /// The number of ranks.
    fn ranks(&self) -> usize;
    /// Sends a message to a rank.
    fn send(&mut self, to: usize, message: Vec<u8>);
    /// The next message that has arrived, and the rank it is from; does not wait for one.
    fn receive(&mut self) -> Option<(usize, Vec<u8>)>;
}

/// What is to be explored, and how the leader's files look, which the others have to have as well.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct Setup {
    pub(super) program: OsString,
    pub(super) args: Vec<OsString>,
    pub(super) environment: Option<Vec<(OsString, OsString)>>,
    /// The program and its libraries, each with its fingerprint.
    pub(super) files: Vec<(OsString, String)>,
    /// How many guests a rank is to have, if not as many as it may use cores.
    pub(super) guests: Option<u32>,
}

/// A file that is sent to nodes that do not have it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct SentFile {
    pub(super) name: OsString,
    pub(super) bytes: Vec<u8>,
}

/// From the leader to a rank.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) enum ToRank {
    /// The answer is [`ToLeader::Ready`], [`ToLeader::Lacks`] or [`ToLeader::Refused`].
    Setup(Setup),
    /// Files for this folder, before a setup that names them. Only an error has an answer: [`ToLeader::Refused`].
    Files { folder: OsString, files: Vec<SentFile> },
    /// It is to take part in the search with this number, and no longer in those before.
    Start {
        search: u32,
        /// The program needs room for many threads.
        wide: bool,
        job: Box<Job>,
    },
    /// What it is to do in this search.
    Order { search: u32, order: Order },
    /// There is nothing more to do.
    Quit,
}

/// From a rank to the leader.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) enum ToLeader {
    /// The first message. Versions may differ in all that comes later, but not in this.
    Hello { version: String, host: String },
    /// It can explore the program.
    Ready,
    /// It could if it had these files.
    Lacks(Vec<OsString>),
    /// It cannot, for this reason.
    Refused(String),
    /// News of its part in a search.
    Report { search: u32, report: Box<NodeReport> },
    /// It can take no further part in a search.
    Failed { search: u32, why: String },
    /// The last message.
    HasQuit,
}

pub(super) fn encode<T: Serialize>(message: &T) -> Vec<u8> {
    postcard::to_allocvec(message).expect("the messages of ranks can be encoded")
}

/// The version of this program: the one it says, and which build of it this is.
pub(super) fn own_version() -> String {
    static BUILD: OnceLock<String> = OnceLock::new();
    let build = BUILD.get_or_init(|| {
        let image = std::env::current_exe().ok().and_then(|path| Image::read(&path).ok());
        image.map_or_else(String::new, |image| image.fingerprint)
    });
    format!("{} {} {} {build}", env!("CARGO_PKG_VERSION"), shared::VERSION, hooks::VERSION)
}

/// The name of this node.
pub(super) fn own_host() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    name.trim().to_owned()
}

/// The fingerprint of a file.
pub(super) fn fingerprint(path: &Path) -> Result<String, ToolError> {
    match std::fs::metadata(path) {
        Ok(_) => Ok(Image::read(path)?.fingerprint),
        Err(error) => Err(ToolError::new(format!("{}: {}", path.display(), plain(&error)))),
    }
}
