//! Copies from one file to another (`sendfile`, `copy_file_range`): made piece by piece, as the kernel refuses some
//! between a file on disk and the private copy of one.

use super::descriptors::{self, DescriptorKind, is_output};
use super::file::note_written;
use super::path::{self, DIRECTORY, FILE_TYPE, REGULAR};
use super::paths::is_mapped;
use super::refusal::{Refusal, checked};
use crate::platform::sys::{self, errno, nr};
use crate::platform::{output, recover};

/// One side of a copy: the descriptor, and where its position is kept if not with the descriptor.
#[derive(Clone, Copy)]
pub(in crate::platform) struct Side {
    pub(in crate::platform) fd: u64,
    /// The address of the position; 0 for that of the descriptor.
    pub(in crate::platform) position: u64,
}

const APPENDS: u64 = nr::O_APPEND as u64;
const ACCESS: u64 = nr::O_ACCMODE as u64;
const WRITES_ONLY: u64 = nr::O_WRONLY as u64;
const READS_ONLY: u64 = nr::O_RDONLY as u64;

impl Side {
    /// The position that the program gives; None for that of the descriptor.
    fn given(self) -> Result<Option<u64>, Refusal> {
        match self.position {
            0 => Ok(None),
            address => recover::read_value::<u64>(address).map(Some).ok_or(errno::EFAULT.into()),
        }
    }

    fn flags(self) -> Result<u64, Refusal> {
        const GET_FLAGS: u64 = 3;
        // SAFETY: asks for flags only.
        checked(unsafe { sys::call3(nr::__NR_fcntl, self.fd, GET_FLAGS, 0) }).map(|flags| flags as u64)
    }

    /// Reads at the position, or writes.
    fn transfer(self, writes: bool, buffer: &mut [u8], at: Option<u64>) -> i64 {
        let (address, len) = (buffer.as_mut_ptr() as u64, buffer.len() as u64);
        let [plain, positioned] =
            if writes { [nr::__NR_write, nr::__NR_pwrite64] } else { [nr::__NR_read, nr::__NR_pread64] };
        // SAFETY: the kernel reads or writes the buffer.
        unsafe {
            match at {
                None => sys::call3(plain, self.fd, address, len),
                Some(at) => sys::call4(positioned, self.fd, address, len, at),
            }
        }
    }
}

/// Refuses what is no open file with contents, and what is not modelled.
fn check(side: Side) -> Result<(), Refusal> {
    match descriptors::kind(side.fd) {
        kind if !descriptors::is_kind_open(kind) => return Err(errno::EBADF.into()),
        DescriptorKind::Reading | DescriptorKind::Overlay(_) => {}
        _ => return Err(Refusal::Unmodelled),
    }
    let status = path::status_of_descriptor(side.fd).map_err(Refusal::Error)?;
    match path::mode(&status) & FILE_TYPE {
        _ if is_mapped(side.fd) => Err(Refusal::Unmodelled),
        REGULAR => Ok(()),
        DIRECTORY => Err(errno::EISDIR.into()),
        _ => Err(Refusal::Unmodelled),
    }
}

/// sendfile.
pub(in crate::platform) fn send(to: u64, from: Side, len: u64) -> Result<i64, Refusal> {
    let to = Side { fd: to, position: 0 };
    check_source(from)?;
    if is_output(to.fd) {
        return copy(from, to, len);
    }
    check(to)?;
    let flags = to.flags()?;
    if flags & ACCESS == READS_ONLY {
        return Err(errno::EBADF.into());
    }
    if flags & APPENDS != 0 {
        return Err(errno::EINVAL.into());
    }
    copy(from, to, len)
}

fn check_source(from: Side) -> Result<(), Refusal> {
    match check(from) {
        Err(Refusal::Error(refused)) if refused == sys::error(errno::EISDIR) => Err(errno::EINVAL.into()),
        Err(refused) => Err(refused),
        Ok(()) if from.flags()? & ACCESS == WRITES_ONLY => Err(errno::EBADF.into()),
        Ok(()) if from.given()?.is_some_and(|at| (at as i64) < 0) => Err(errno::EINVAL.into()),
        Ok(()) => Ok(()),
    }
}

/// copy_file_range.
pub(in crate::platform) fn copy_range(from: Side, to: Side, len: u64, flags: u64) -> Result<i64, Refusal> {
    for side in [from, to] {
        check(side)?;
    }
    let (in_flags, out_flags) = (from.flags()?, to.flags()?);
    if flags as u32 != 0 {
        return Err(errno::EINVAL.into());
    }
    if in_flags & ACCESS == WRITES_ONLY || out_flags & ACCESS == READS_ONLY || out_flags & APPENDS != 0 {
        return Err(errno::EBADF.into());
    }
    let positions = [position(from)?, position(to)?];
    if positions.iter().any(|&at| (at as i64) < 0 || at.checked_add(len).is_none_or(|end| end > i64::MAX as u64)) {
        return Err(Refusal::Unmodelled);
    }
    let is_one_file = path::identity_of_descriptor(from.fd) == path::identity_of_descriptor(to.fd);
    let left = size(from)?.saturating_sub(positions[0]).min(len);
    if is_one_file && positions[0] < positions[1] + left && positions[1] < positions[0] + left {
        return Err(errno::EINVAL.into());
    }
    copy(from, to, len)
}

fn position(side: Side) -> Result<u64, Refusal> {
    const CURRENT: u64 = 1;
    match side.given()? {
        Some(at) => Ok(at),
        // SAFETY: asks for the position only.
        None => checked(unsafe { sys::call3(nr::__NR_lseek, side.fd, 0, CURRENT) }).map(|at| at as u64),
    }
}

fn size(side: Side) -> Result<u64, Refusal> {
    path::status_of_descriptor(side.fd).map(|status| status[6]).map_err(Refusal::Error)
}

/// Copies so many bytes at most, and moves both positions.
fn copy(from: Side, to: Side, len: u64) -> Result<i64, Refusal> {
    let (mut source, mut target) = (from.given()?, to.given()?);
    let (mut done, mut buffer) = (0, [0u8; 4096]);
    descriptors::note_change();
    while done < len {
        let piece = (len - done).min(buffer.len() as u64) as usize;
        let got = checked(from.transfer(false, &mut buffer[..piece], source))? as usize;
        if got == 0 {
            break;
        }
        if is_output(to.fd) {
            output::write(descriptors::inherited(to.fd).unwrap_or(1), &buffer[..got]);
        } else {
            // What the kernel tells of a copy that it cannot end, and where that leaves the positions, is not modelled.
            if to.transfer(true, &mut buffer[..got], target) != got as i64 {
                return Err(Refusal::Unmodelled);
            }
        }
        done += got as u64;
        source = source.map(|at| at + got as u64);
        target = target.map(|at| at + got as u64);
    }
    for (side, at) in [(from, source), (to, target)] {
        if at.is_some_and(|at| !recover::write_value(side.position, &at)) {
            return Err(errno::EFAULT.into());
        }
    }
    if let DescriptorKind::Overlay(index) = descriptors::kind(to.fd)
        && done > 0
    {
        note_written(index.into());
    }
    Ok(done as i64)
}
