//! The host's side of the shared memory.
//!
//! The host reads and writes the memory file with positioned reads and writes and never maps it: a guest that
//! overwrites the region, or shortens the file, can then give the host wrong data but not crash it. The file is sealed
//! against changes of its size before the guest gets it, for the guest's own sake.

use inspect_wire::message::{Job, Message};
use inspect_wire::shared::{COMMIT_OFFSET, MAGIC, PACKAGE_OFFSET, SIZE, SharedHeader, VERSION, state};
use inspect_wire::work::{Commit, Package};
use nix::fcntl::{FcntlArg, SealFlag, fcntl};
use nix::sys::memfd::{MFdFlags, memfd_create};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io;
use std::mem::offset_of;
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileExt;

/// Where the job's frame starts.
const JOB_OFFSET: u64 = 4096;

/// The counters of the header at one moment.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Counters {
    /// One of [`state`].
    pub state: u32,
    /// Whether the engine was writing a frame or a checkpoint.
    pub in_engine: bool,
    /// Complete executions.
    pub executions: u64,
    /// Blocked executions.
    pub blocked: u64,
    /// Executions with a failed assumption.
    pub assume_blocked: u64,
    /// Visible operations.
    pub transitions: u64,
    /// Estimated total of executions, if there is one yet.
    pub estimated_total: Option<f64>,
    /// How many states the search remembers.
    pub states: Option<u64>,
    /// Number of runs started.
    pub heartbeat: u64,
    /// Distinct findings.
    pub findings: u32,
    /// Largest number of threads of a run.
    pub threads: u32,
    /// The part of the search that was covered, as far as that can be estimated.
    pub covered: f64,
    /// How many parts of its search the guest could give away.
    pub open: u32,
}

/// What is wrong with the contents of the region: the guest, or the program in it, has overwritten them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Garbled(pub(super) String);

/// The shared memory of one guest.
#[derive(Debug)]
pub(super) struct Region {
    file: File,
    /// Offset of the next frame to read.
    next: u64,
    packages: u32,
    commits_read: u32,
    requests: u32,
}

/// A table of states that guests share, which nobody has written to yet. Only guests read and write it.
#[derive(Debug)]
pub(super) struct TableFile(File);

impl TableFile {
    /// A table of so many bytes. Pages that are never written take no memory.
    pub(super) fn create(bytes: u64) -> io::Result<TableFile> {
        let descriptor =
            memfd_create("states", MFdFlags::MFD_CLOEXEC | MFdFlags::MFD_ALLOW_SEALING).map_err(io::Error::from)?;
        let file = File::from(descriptor);
        file.set_len(bytes)?;
        let seals = SealFlag::F_SEAL_SHRINK | SealFlag::F_SEAL_GROW | SealFlag::F_SEAL_SEAL;
        fcntl(&file, FcntlArg::F_ADD_SEALS(seals)).map_err(io::Error::from)?;
        Ok(TableFile(file))
    }

    /// A descriptor of the table to give to a guest.
    pub(super) fn descriptor(&self) -> io::Result<OwnedFd> {
        Ok(self.0.try_clone()?.into())
    }
}

impl Region {
    /// A new region that holds `job`.
    pub(super) fn create(job: &Job) -> io::Result<Region> {
        let descriptor =
            memfd_create("inspect", MFdFlags::MFD_CLOEXEC | MFdFlags::MFD_ALLOW_SEALING).map_err(io::Error::from)?;
        let file = File::from(descriptor);
        file.set_len(SIZE)?;
        let seals = SealFlag::F_SEAL_SHRINK | SealFlag::F_SEAL_GROW | SealFlag::F_SEAL_SEAL;
        fcntl(&file, FcntlArg::F_ADD_SEALS(seals)).map_err(io::Error::from)?;

        let job = encode(job)?;
        file.write_all_at(&job, JOB_OFFSET)?;
        let messages = (JOB_OFFSET + job.len() as u64).next_multiple_of(4096);
        let region = Region { file, next: messages, packages: 0, commits_read: 0, requests: 0 };
        region.write_u64(offset_of!(SharedHeader, magic), MAGIC)?;
        region.write_u32(offset_of!(SharedHeader, version), VERSION)?;
        region.write_u64(offset_of!(SharedHeader, job_offset), JOB_OFFSET)?;
        region.write_u64(offset_of!(SharedHeader, messages_offset), messages)?;
        region.write_u64(offset_of!(SharedHeader, messages_end), messages)?;
        region.write_u32(offset_of!(SharedHeader, state), state::READY)?;
        Ok(region)
    }

    /// Writes the number of this process for the guest, which compares it with that of its parent.
    pub(super) fn name_parent(&self) -> io::Result<()> {
        self.write_u32(offset_of!(SharedHeader, host), std::process::id())
    }

    /// A descriptor of the region to give to a guest.
    pub(super) fn descriptor(&self) -> io::Result<OwnedFd> {
        Ok(self.file.try_clone()?.into())
    }

    /// Asks the guest to stop after its current run.
    pub(super) fn ask_to_stop(&self) -> io::Result<()> {
        self.write_u32(offset_of!(SharedHeader, stop), 1)
    }

    /// How many packages the guest has taken. What it committed before it took the last one can be read now.
    pub(super) fn taken(&self) -> io::Result<u32> {
        Ok(u32_at(&self.header()?, offset_of!(SharedHeader, taken)))
    }

    /// Puts down work for a guest that has taken all before it.
    pub(super) fn put_down(&mut self, package: &Package) -> io::Result<()> {
        let frame = encode(package)?;
        if frame.len() as u64 > COMMIT_OFFSET - PACKAGE_OFFSET {
            return Err(io::Error::other("the work to be done is larger than the memory for it"));
        }
        self.file.write_all_at(&frame, PACKAGE_OFFSET)?;
        self.packages = self.packages.wrapping_add(1);
        self.write_u32(offset_of!(SharedHeader, packages), self.packages)
    }

    /// Asks for a commit that gives `wanted` parts away; returns the number of the request.
    pub(super) fn ask(&mut self, wanted: u32) -> io::Result<u32> {
        self.write_u32(offset_of!(SharedHeader, wanted), wanted)?;
        self.requests = self.requests.wrapping_add(1);
        self.write_u32(offset_of!(SharedHeader, request), self.requests)?;
        Ok(self.requests)
    }

    /// The commit made since the last call, if there is one. What the guest reported before it can be read now.
    pub(super) fn commit(&mut self) -> io::Result<Result<Option<Commit>, Garbled>> {
        let commits = u32_at(&self.header()?, offset_of!(SharedHeader, commits));
        if commits == self.commits_read {
            return Ok(Ok(None));
        }
        let garbled = |what: &str| Ok(Err(Garbled(format!("what the guest says of its work {what}"))));
        if commits != self.commits_read.wrapping_add(1) {
            return garbled("does not follow what it said before");
        }
        let mut length = [0; 4];
        self.file.read_exact_at(&mut length, COMMIT_OFFSET)?;
        let length = u64::from(u32::from_le_bytes(length));
        if length > SIZE - COMMIT_OFFSET - 4 {
            return garbled("is longer than its place");
        }
        let mut bytes = vec![0; length as usize];
        self.file.read_exact_at(&mut bytes, COMMIT_OFFSET + 4)?;
        let Ok(commit) = postcard::from_bytes::<Commit>(&bytes) else { return garbled("cannot be decoded") };
        self.commits_read = commits;
        self.write_u32(offset_of!(SharedHeader, commits_read), commits)?;
        Ok(Ok(Some(commit)))
    }

    /// The counters now.
    pub(super) fn counters(&self) -> io::Result<Counters> {
        let bytes = self.header()?;
        let estimate = f64::from_bits(u64_at(&bytes, offset_of!(SharedHeader, estimated_total)));
        Ok(Counters {
            state: u32_at(&bytes, offset_of!(SharedHeader, state)),
            in_engine: u32_at(&bytes, offset_of!(SharedHeader, in_engine)) != 0,
            executions: u64_at(&bytes, offset_of!(SharedHeader, executions)),
            blocked: u64_at(&bytes, offset_of!(SharedHeader, blocked)),
            assume_blocked: u64_at(&bytes, offset_of!(SharedHeader, assume_blocked)),
            transitions: u64_at(&bytes, offset_of!(SharedHeader, transitions)),
            states: Some(u64_at(&bytes, offset_of!(SharedHeader, states))).filter(|&states| states > 0),
            estimated_total: (estimate.is_finite() && estimate > 0.0).then_some(estimate),
            heartbeat: u64_at(&bytes, offset_of!(SharedHeader, heartbeat)),
            findings: u32_at(&bytes, offset_of!(SharedHeader, findings)),
            threads: u32_at(&bytes, offset_of!(SharedHeader, threads)),
            covered: f64::from_bits(u64_at(&bytes, offset_of!(SharedHeader, covered))),
            open: u32_at(&bytes, offset_of!(SharedHeader, open)),
        })
    }

    /// The messages published since the last call.
    pub(super) fn messages(&mut self) -> io::Result<Result<Vec<Message>, Garbled>> {
        let end = u64_at(&self.header()?, offset_of!(SharedHeader, messages_end));
        if end < self.next || end > PACKAGE_OFFSET {
            return Ok(Err(Garbled(format!("the end of the messages is at {end:#x}, outside the shared memory"))));
        }
        let mut messages = Vec::new();
        while self.next < end {
            match self.message(end)? {
                Ok(message) => messages.push(message),
                Err(garbled) if messages.is_empty() => return Ok(Err(garbled)),
                // The messages before it are returned first; the next call reads the same frame again.
                Err(_) => break,
            }
        }
        Ok(Ok(messages))
    }

    fn message(&mut self, end: u64) -> io::Result<Result<Message, Garbled>> {
        let garbled = |what: &str| Ok(Err(Garbled(format!("the message at {:#x} {what}", self.next))));
        let mut length = [0; 4];
        if self.next + 4 > end {
            return garbled("is cut off");
        }
        self.file.read_exact_at(&mut length, self.next)?;
        let length = u64::from(u32::from_le_bytes(length));
        if self.next + 4 + length > end {
            return garbled("is longer than what was published");
        }
        let mut bytes = vec![0; length as usize];
        self.file.read_exact_at(&mut bytes, self.next + 4)?;
        match postcard::from_bytes(&bytes) {
            Ok(message) => {
                self.next += 4 + length;
                Ok(Ok(message))
            }
            Err(error) => garbled(&format!("cannot be decoded ({error})")),
        }
    }

    /// The header's bytes, read until two reads agree on where the messages end: a copy of memory that is being
    /// written may be torn.
    fn header(&self) -> io::Result<[u8; size_of::<SharedHeader>()]> {
        let mut last = [0; size_of::<SharedHeader>()];
        self.file.read_exact_at(&mut last, 0)?;
        loop {
            let mut bytes = [0; size_of::<SharedHeader>()];
            self.file.read_exact_at(&mut bytes, 0)?;
            let end = |bytes: &[u8]| u64_at(bytes, offset_of!(SharedHeader, messages_end));
            if end(&bytes) == end(&last) {
                return Ok(bytes);
            }
            last = bytes;
        }
    }

    fn write_u32(&self, offset: usize, value: u32) -> io::Result<()> {
        self.file.write_all_at(&value.to_le_bytes(), offset as u64)
    }

    fn write_u64(&self, offset: usize, value: u64) -> io::Result<()> {
        self.file.write_all_at(&value.to_le_bytes(), offset as u64)
    }
}

/// `value` as a frame: its length, then its bytes.
fn encode<T: Serialize>(value: &T) -> io::Result<Vec<u8>> {
    let bytes = postcard::to_allocvec(value).map_err(io::Error::other)?;
    let length = u32::try_from(bytes.len()).map_err(io::Error::other)?;
    Ok([&length.to_le_bytes()[..], &bytes].concat())
}

fn u32_at(bytes: &[u8], offset: usize) -> u32 {
    u32::from_le_bytes(bytes[offset..offset + 4].try_into().expect("four bytes"))
}

fn u64_at(bytes: &[u8], offset: usize) -> u64 {
    u64::from_le_bytes(bytes[offset..offset + 8].try_into().expect("eight bytes"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::tests::job;

    fn publish(region: &Region, at: u64, bytes: &[u8], length: u32) -> u64 {
        region.file.write_all_at(&length.to_le_bytes(), at).expect("write");
        region.file.write_all_at(bytes, at + 4).expect("write");
        let end = at + 4 + bytes.len() as u64;
        region.write_u64(offset_of!(SharedHeader, messages_end), end).expect("write");
        end
    }

    #[test]
    fn messages_are_read_once_and_in_order() {
        let mut region = Region::create(&job()).expect("a memory file");
        assert_eq!(region.messages().expect("readable"), Ok(vec![]));
        let mut at = region.next;
        for text in ["one", "two"] {
            let bytes = postcard::to_allocvec(&Message::ToolError(text.into())).expect("encodes");
            at = publish(&region, at, &bytes, bytes.len() as u32);
        }
        let expected = vec![Message::ToolError("one".into()), Message::ToolError("two".into())];
        assert_eq!(region.messages().expect("readable"), Ok(expected));
        assert_eq!(region.messages().expect("readable"), Ok(vec![]));
    }

    #[test]
    fn a_garbled_frame_is_noticed_after_the_good_ones() {
        let mut region = Region::create(&job()).expect("a memory file");
        let bytes = postcard::to_allocvec(&Message::ToolError("good".into())).expect("encodes");
        let at = publish(&region, region.next, &bytes, bytes.len() as u32);
        publish(&region, at, &[0xff; 8], 8);
        assert_eq!(region.messages().expect("readable"), Ok(vec![Message::ToolError("good".into())]));
        assert!(region.messages().expect("readable").is_err());
    }

    #[test]
    fn an_end_outside_the_region_is_garbled() {
        let mut region = Region::create(&job()).expect("a memory file");
        region.write_u64(offset_of!(SharedHeader, messages_end), SIZE + 1).expect("write");
        assert!(region.messages().expect("readable").is_err());
        region.write_u64(offset_of!(SharedHeader, messages_end), 0).expect("write");
        assert!(region.messages().expect("readable").is_err());
    }

    #[test]
    fn a_frame_longer_than_published_is_garbled() {
        let mut region = Region::create(&job()).expect("a memory file");
        publish(&region, region.next, &[1, 2, 3], u32::MAX);
        assert!(region.messages().expect("readable").is_err());
    }

    #[test]
    fn the_size_cannot_be_changed_any_more() {
        let region = Region::create(&job()).expect("a memory file");
        assert!(region.file.set_len(0).is_err());
    }
}
