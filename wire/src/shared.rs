//! The memory that the host shares with one guest.
//!
//! The host creates a memory file, maps it and starts the guest with the descriptor at [`DESCRIPTOR`]. The region holds
//! the [`SharedHeader`], then the [`Job`](crate::message::Job) as one frame at [`SharedHeader::job_offset`], then the
//! guest's messages as frames from [`SharedHeader::messages_offset`] on. A frame is a little-endian `u32` length
//! followed by that many bytes (postcard encoding). The guest appends a frame, then publishes it by raising
//! [`SharedHeader::messages_end`]; the host reads up to there. So the host has each finding at once, even if the guest
//! dies afterwards.
//!
//! The guest maps the region at an address of the kernel's choosing, inside the range that hooked stores are checked
//! against.

use core::sync::atomic::{AtomicU32, AtomicU64};

/// The descriptor at which a guest finds the shared memory. A guest whose descriptor of this number is not a memory
/// file that starts with [`MAGIC`] is not being explored: it runs the program without a scheduler.
pub const DESCRIPTOR: i32 = 1009;

/// The descriptor at which a guest finds the table of states that it shares with other guests
/// ([`Job::state_table`](crate::message::Job::state_table)).
pub const TABLE_DESCRIPTOR: i32 = DESCRIPTOR + 1;

/// The largest table of states, in bytes.
pub const MOST_TABLE: u64 = 16 << 30;

/// First eight bytes of the shared memory.
pub const MAGIC: u64 = u64::from_le_bytes(*b"INSPECT\x01");

/// Version of the layout in this file and of the messages; both sides refuse another one.
pub const VERSION: u32 = 33;

/// Size of the region, in bytes. It is sparse: pages that are never written take no memory.
pub const SIZE: u64 = 512 << 20;

/// Messages end before this offset; behind it is the room for work: the package that the host has put down for the
/// guest, one frame ([`SharedHeader::packages`]).
pub const PACKAGE_OFFSET: u64 = 256 << 20;

/// Where the guest's last [`Commit`](crate::work::Commit) is, one frame ([`SharedHeader::commits`]).
pub const COMMIT_OFFSET: u64 = 384 << 20;

/// Values of [`SharedHeader::state`].
pub mod state {
    /// The host has written the job.
    pub const READY: u32 = 1;
    /// The guest has taken the job and is at work.
    pub const RUNNING: u32 = 2;
    /// The guest has appended its last message ([`Done`](crate::message::Message::Done)).
    pub const DONE: u32 = 3;
}

/// Start of the shared memory. Fields marked (host) are written by the host, most of them before it starts the guest.
/// The host also gives `state` and `messages_end` their first values; from then on, the fields without a mark are
/// written by the guest only.
#[derive(Debug)]
#[repr(C)]
pub struct SharedHeader {
    /// [`MAGIC`] (host).
    pub magic: AtomicU64,
    /// [`VERSION`] (host).
    pub version: AtomicU32,
    /// One of [`state`].
    pub state: AtomicU32,
    /// Offset of the job's frame (host).
    pub job_offset: AtomicU64,
    /// Offset of the first message frame (host).
    pub messages_offset: AtomicU64,
    /// Offset after the last complete message frame.
    pub messages_end: AtomicU64,
    /// 1 if the guest is to stop after the current run (host).
    pub stop: AtomicU32,
    /// Raised while an engine writes a frame or a checkpoint; a guest that dies with it set died inside the engine.
    pub in_engine: AtomicU32,
    /// Complete executions so far.
    pub executions: AtomicU64,
    /// Blocked executions so far.
    pub blocked: AtomicU64,
    /// Executions with a failed assumption so far.
    pub assume_blocked: AtomicU64,
    /// Visible operations so far.
    pub transitions: AtomicU64,
    /// The estimated total of executions, as the bits of an `f64`; 0 for none yet.
    pub estimated_total: AtomicU64,
    /// How many states the search remembers; 0 if it remembers none.
    pub states: AtomicU64,
    /// Raised by the guest at every start of a run; the host takes a value that does not change for a run without an
    /// end.
    pub heartbeat: AtomicU64,
    /// Distinct findings so far.
    pub findings: AtomicU32,
    /// The largest number of threads of a run so far.
    pub threads: AtomicU32,
    /// The part of the search covered so far, as the bits of an `f64`.
    pub covered: AtomicU64,
    /// The number of items that the guest could give away.
    pub open: AtomicU32,
    /// How many packages of work the host has put down. It puts down another one only when the guest has taken the one
    /// before. The guest takes it when it has nothing left, or when it is asked for items that it has (host).
    pub packages: AtomicU32,
    /// The number of packages that the guest has taken.
    pub taken: AtomicU32,
    /// The number of commits that the guest has made.
    pub commits: AtomicU32,
    /// The number of commits that the host has read: the guest makes another one only after the host has read all
    /// (host).
    pub commits_read: AtomicU32,
    /// Raised by the host to ask for a commit after the current run. It does so only when it has read all commits
    /// (host).
    pub request: AtomicU32,
    /// The number of items that the guest is to give away with the commit that `request` asks for (host).
    pub wanted: AtomicU32,
    /// The process identifier of the host if the host starts the guest itself, and 0 if another program starts the
    /// guest (host). A guest whose parent is another process when it reads this has lost its host.
    pub host: AtomicU32,
}
