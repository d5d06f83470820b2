//! System calls on descriptors and paths.

use super::answer::{deliver, pass, random_pieces};
use crate::platform::call::{Call, Served};
use crate::platform::files::{self, DescriptorKind, Refusal};
use crate::platform::sys::{self, errno, error, nr};
use crate::platform::upcalls::upcalls;
use crate::platform::{channels, output, recover, snapshot};
use Served::{Done, OnStack};
use inspect_core::event::SiteId;

pub(super) fn write(call: &Call) -> Served {
    let [fd, address, len, ..] = call.args;
    if let Some(refused) = refuse_position(call) {
        return refused;
    }
    match files::kind(fd) {
        // Output has no position.
        DescriptorKind::Inherited | DescriptorKind::Duplicate(_) if call.number == nr::__NR_pwritev => {
            Done(error(errno::ESPIPE))
        }
        DescriptorKind::Inherited | DescriptorKind::Duplicate(_) => Done(capture(fd, address, len)),
        DescriptorKind::Overlay(index) => {
            files::note_change();
            let written = pass(call);
            if written > 0 {
                files::note_written(index.into());
            }
            Done(written)
        }
        DescriptorKind::Device => {
            files::note_change();
            Done(pass(call))
        }
        DescriptorKind::Random if [nr::__NR_writev, nr::__NR_pwritev].contains(&call.number) => OnStack,
        DescriptorKind::Random => Done(call.args[2] as i64),
        DescriptorKind::Closed | DescriptorKind::Reserved | DescriptorKind::Reading => Done(error(errno::EBADF)),
        // With a position: the kernel refuses it.
        DescriptorKind::Channel(_) => Done(pass(call)),
    }
}

/// Captures output; returns what the write would have returned.
fn capture(fd: u64, address: u64, len: u64) -> i64 {
    const ACCESS: i64 = 3;
    let Some(descriptor) = files::inherited(fd) else { return error(errno::EBADF) };
    if !files::is_output(fd) && files::of_description(fd) & ACCESS == 0 {
        return error(errno::EBADF);
    }
    let mut buffer = [0u8; 4096];
    let mut done = 0;
    while done < len {
        let piece = (len - done).min(buffer.len() as u64) as usize;
        let got = recover::read(address + done, &mut buffer[..piece]);
        output::write(descriptor, &buffer[..got]);
        done += got as u64;
        if got < piece {
            break;
        }
    }
    if done == 0 && len > 0 { error(errno::EFAULT) } else { done as i64 }
}

/// The pieces of a vector of buffers: address and length of each.
fn pieces(address: u64, count: u64) -> Option<alloc::vec::Vec<(u64, u64)>> {
    const LARGEST: u64 = 1024;
    if count > LARGEST {
        return None;
    }
    (0..count)
        .map(|index| recover::read_value::<[u64; 2]>(address + index * 16).map(|[start, len]| (start, len)))
        .collect()
}

pub(super) fn write_vector(call: &Call) -> Served {
    let [fd, vector, count, ..] = call.args;
    if files::inherited(fd).is_none() {
        return write(call);
    }
    let Some(pieces) = pieces(vector, count) else { return Done(error(errno::EINVAL)) };
    let mut total = 0;
    for (address, len) in pieces {
        match capture(fd, address, len) {
            failed if failed < 0 => return Done(if total > 0 { total } else { failed }),
            written => total += written,
        }
    }
    Done(total)
}

/// Before it looks at the descriptor, Linux refuses a position that is negative.
fn refuse_position(call: &Call) -> Option<Served> {
    let has_position = matches!(call.number, nr::__NR_pread64 | nr::__NR_pwrite64 | nr::__NR_preadv | nr::__NR_pwritev);
    (has_position && (call.args[3] as i64) < 0).then_some(Done(error(errno::EINVAL)))
}

pub(super) fn read(call: &Call, buffers: &[(u64, u64)]) -> Served {
    let fd = call.args[0];
    if let Some(refused) = refuse_position(call) {
        return refused;
    }
    match files::kind(fd) {
        DescriptorKind::Closed | DescriptorKind::Reserved => return Done(error(errno::EBADF)),
        DescriptorKind::Inherited | DescriptorKind::Duplicate(_) => {
            if !files::inherited(fd).is_some_and(files::can_be_read_again) {
                return read_stream(call);
            }
            files::note_change();
        }
        DescriptorKind::Random => return Done(random_pieces(buffers)),
        DescriptorKind::Channel(_) => return Done(pass(call)),
        DescriptorKind::Reading | DescriptorKind::Overlay(_) | DescriptorKind::Device => files::note_change(),
    }
    for &(address, len) in buffers {
        snapshot::heat_range(address, len.min(1 << 30));
    }
    Done(pass(call))
}

/// A read from a descriptor whose data cannot be read again in the next run. At the end of its data that is no problem.
fn read_stream(call: &Call) -> Served {
    const POLLIN: u64 = 1;
    let mut poll = call.args[0] & 0xffff_ffff | POLLIN << 32;
    // SAFETY: the kernel fills in the events of one descriptor; no waiting.
    let ready = unsafe { sys::call3(nr::__NR_poll, &raw mut poll as u64, 1, 0) };
    let only_hung_up = ready == 1 && poll >> 48 & 0x10 != 0 && poll >> 48 & POLLIN == 0;
    // The null device is always ready and always at its end.
    let mut stat = [0u64; 18];
    // SAFETY: the kernel fills in the 144 bytes.
    unsafe { sys::call2(nr::__NR_fstat, call.args[0], stat.as_mut_ptr() as u64) };
    let null_device = stat[3] as u32 & 0o170000 == 0o020000 && stat[5] == 0x103;
    if only_hung_up || null_device { Done(0) } else { OnStack }
}

pub(super) fn read_vector(call: &Call) -> Served {
    match pieces(call.args[1], call.args[2]) {
        Some(pieces) => read(call, &pieces),
        None => Done(error(errno::EINVAL)),
    }
}

/// `preadv2` and `pwritev2` without flags, as the calls that they are then: -1 stands for the position of the
/// descriptor.
pub(super) fn with_flags(call: &Call) -> Option<Call> {
    let [.., position, _, flags] = call.args;
    if ![nr::__NR_preadv2, nr::__NR_pwritev2].contains(&call.number) {
        return None;
    }
    let numbers = match (call.number, position as i64) {
        (nr::__NR_preadv2, -1) => nr::__NR_readv,
        (nr::__NR_preadv2, _) => nr::__NR_preadv,
        (_, -1) => nr::__NR_writev,
        _ => nr::__NR_pwritev,
    };
    (flags as u32 == 0).then_some(Call { number: numbers, ..*call })
}

/// What becomes of a call on a path or a file.
pub(super) fn answered(result: Result<i64, Refusal>) -> Served {
    match result {
        Ok(result) | Err(Refusal::Error(result)) => Done(result),
        Err(Refusal::Unmodelled) => OnStack,
    }
}

pub(super) fn close_range(first: u64, last: u64, flags: u64) -> Served {
    if flags != 0 {
        return OnStack;
    }
    for fd in first..=last.min(files::DESCRIPTORS as u64 - 1) {
        files::close(fd);
    }
    Done(0)
}

pub(super) fn seek(call: &Call) -> Served {
    if !files::is_kind_open(files::kind(call.args[0])) {
        return Done(error(errno::EBADF));
    }
    // Output has no position, whatever it is connected to.
    if files::is_output(call.args[0]) {
        return Done(error(errno::ESPIPE));
    }
    files::note_change();
    let [fd, offset, whence, ..] = call.args;
    match files::seek_listing(fd, offset, whence) {
        Some(sought) => answered(sought),
        None => Done(pass(call)),
    }
}

pub(super) fn file_control(call: &Call) -> Served {
    const DUPLICATE: u64 = 0;
    const GET_OWN: u64 = 1;
    const SET_OWN: u64 = 2;
    const GET_FLAGS: u64 = 3;
    const SET_FLAGS: u64 = 4;
    const GET_LOCK: u64 = 5;
    const WAIT_FOR_LOCK: u64 = 7;
    const DUPLICATE_CLOSE_ON_EXEC: u64 = 1030;
    const SET_SIZE: u64 = 1031;
    const GET_SIZE: u64 = 1032;
    let [fd, command, argument, ..] = call.args;
    if !files::is_kind_open(files::kind(fd)) {
        return Done(error(errno::EBADF));
    }
    match command {
        DUPLICATE | DUPLICATE_CLOSE_ON_EXEC => {
            Done(files::duplicate(fd, Some(argument), command == DUPLICATE_CLOSE_ON_EXEC))
        }
        GET_LOCK..=WAIT_FOR_LOCK => answered(files::process_lock(fd, command, argument)),
        GET_OWN => Done(pass(call)),
        SET_OWN => Done(files::set_own(fd, argument)),
        GET_FLAGS => Done(files::of_description(fd)),
        // Packets, and signals when there is something to read.
        SET_FLAGS if argument & 0o60_000 != 0 && channels::of_descriptor(fd).is_some() => OnStack,
        SET_FLAGS => match files::inherited(fd) {
            Some(original) => Done(files::set_of_inherited(original, argument)),
            None => Done(pass(call)),
        },
        // A pipe is a channel, if the run has made it.
        GET_SIZE | SET_SIZE if is_written_back(fd) && fd > 2 => Done(error(errno::EBADF)),
        _ => OnStack,
    }
}

/// Whether a call is about the file behind its descriptor: an empty path, of which the call says that it may be.
pub(super) fn is_of_descriptor(path: u64, flags: u64) -> bool {
    const EMPTY_PATH: u64 = 0x1000;
    flags & EMPTY_PATH != 0 && recover::read_value::<u8>(path) == Some(0)
}

/// Shows a status to the program.
fn show<T: Copy>(call: &Call, found: Result<(T, Option<SiteId>), Refusal>, address: u64) -> Served {
    answered(found.map(|(status, after_loop)| {
        if let Some(passed_at) = after_loop {
            upcalls().on_time_after_loop(passed_at, call.place());
        }
        deliver(address, &status)
    }))
}

/// stat and its relatives by path.
pub(super) fn stat(call: &Call, directory: i32, path: u64, address: u64, follow: bool) -> Served {
    show(call, files::of_path(directory, path, follow), address)
}

/// statfs: of what the run has at the path. The kernel knows the file system of what is on disk there.
pub(super) fn file_system(call: &Call) -> Served {
    match files::of_path(files::CURRENT_DIRECTORY, call.args[0], true) {
        Err(refused) => answered(Err(refused)),
        Ok(_) => match pass(call) {
            asked if asked == error(errno::ENOENT) || asked == error(errno::ENOTDIR) => OnStack,
            asked => Done(asked),
        },
    }
}

pub(super) fn stat_descriptor(call: &Call, fd: u64, address: u64) -> Served {
    if fd as u32 as i32 == files::CURRENT_DIRECTORY {
        return show(call, files::of_path(files::CURRENT_DIRECTORY, c".".as_ptr() as u64, true), address);
    }
    show(call, found_behind(fd), address)
}

/// What is known of the file behind a descriptor.
fn found_behind(fd: u64) -> Result<files::Shown, Refusal> {
    files::of_descriptor(fd).map(|(mut status, after_loop)| {
        if let DescriptorKind::Channel(description) = files::kind(fd) {
            // Both ends of a pipe are one file.
            status[1] = 2_000_000 + channels::number_of(description);
        }
        (status, after_loop)
    })
}

/// `AT_SYMLINK_NOFOLLOW`.
pub(super) const NOFOLLOW: u64 = 0x100;
/// `AT_STATX_SYNC_TYPE`: how far what is known of a file may be behind.
const SYNCHRONISED: u64 = 0x6000;

/// Whether a call that asks about a path has flags that Linux refuses.
pub(super) fn has_unknown_flags(flags: u64) -> bool {
    const NO_AUTOMOUNT: u64 = 0x800;
    const EMPTY_PATH: u64 = 0x1000;
    u64::from(flags as u32) & !(NOFOLLOW | NO_AUTOMOUNT | EMPTY_PATH | SYNCHRONISED) != 0
}

/// statx: as `stat`, without a time of birth and without attributes.
pub(super) fn extended_status(call: &Call) -> Served {
    const RESERVED: u64 = 1 << 31;
    let [fd, path, flags, mask, address, ..] = call.args;
    let flags = u64::from(flags as u32);
    if has_unknown_flags(flags) || flags & SYNCHRONISED == SYNCHRONISED || mask & RESERVED != 0 {
        return Done(error(errno::EINVAL));
    }
    let found = if is_of_descriptor(path, flags) {
        found_behind(fd)
    } else {
        files::of_path(fd as i32, path, flags & NOFOLLOW == 0)
    };
    show(call, found.map(|(status, after_loop)| (extended(&status), after_loop)), address)
}

/// `struct statx`, in words.
fn extended(status: &[u64; 18]) -> [u64; 32] {
    const BASIC: u64 = 0x7ff;
    let mut words = [0u64; 32];
    let [device, number, links, mode, group, special, size, block, blocks, ..] = *status;
    words[0] = BASIC | block << 32;
    words[2] = links & 0xffff_ffff | mode >> 32 << 32;
    words[3] = group & 0xffff_ffff | (mode & 0xffff) << 32;
    (words[4], words[5], words[6]) = (number, size, blocks);
    // The time of birth, at 10, is not there.
    for (to, from) in [(8, 9), (12, 13), (14, 11)] {
        (words[to], words[to + 1]) = (status[from], status[from + 1]);
    }
    (words[16], words[17]) = (device_numbers(special), device_numbers(device));
    words
}

/// The major and the minor number of a device.
fn device_numbers(device: u64) -> u64 {
    let (major, minor) = (device >> 8 & 0xfff, device & 0xff | device >> 12 & 0xf_ff00);
    major | minor << 32
}

/// Calls that change a file through a descriptor: only where it has a private copy.
pub(super) fn on_overlay(call: &Call) -> Served {
    let [fd, size, ..] = call.args;
    let kind = files::kind(fd);
    match call.number {
        nr::__NR_ftruncate if (size as i64) < 0 => Done(error(errno::EINVAL)),
        _ if !files::is_kind_open(kind) => Done(error(errno::EBADF)),
        _ if channels::of_descriptor(fd).is_some() => Done(pass(call)),
        nr::__NR_fsync | nr::__NR_fdatasync => Done(if is_written_back(fd) { 0 } else { pass(call) }),
        _ => match kind {
            DescriptorKind::Overlay(index) if !files::is_mapped(fd) => {
                let result = pass(call);
                if call.number == nr::__NR_fallocate && depends_on_file_system(size, result) {
                    return OnStack;
                }
                if result == 0 {
                    files::note_written(index.into());
                }
                Done(result)
            }
            // The kernel refuses to change what was opened for reading.
            DescriptorKind::Reading => Done(pass(call)),
            _ => OnStack,
        },
    }
}

/// A call on a descriptor that does what cannot be observed: the kernel says which arguments it refuses. None if it is
/// another one.
pub(super) fn unobserved(call: &Call) -> Option<Served> {
    let numbers = [nr::__NR_fadvise64, nr::__NR_readahead, nr::__NR_sync_file_range, nr::__NR_syncfs];
    let is_open = files::is_kind_open(files::kind(call.args[0]));
    numbers.contains(&call.number).then(|| Done(if is_open { pass(call) } else { error(errno::EBADF) }))
}

/// Whether `fallocate` with a mode has failed because the file system of private copies does not have that mode.
fn depends_on_file_system(mode: u64, result: i64) -> bool {
    const COLLAPSE: u64 = 0x08;
    const ZERO: u64 = 0x10;
    const INSERT: u64 = 0x20;
    const UNSHARE: u64 = 0x40;
    const WRITE_ZEROS: u64 = 0x80;
    result == error(errno::EOPNOTSUPP) && mode & (COLLAPSE | ZERO | INSERT | UNSHARE | WRITE_ZEROS) != 0
}

/// Whether a descriptor is of what is written back to a disk: a file, a folder, a disk; or is a standard one, of which
/// that depends on who started the process.
fn is_written_back(fd: u64) -> bool {
    const MODE: usize = 3;
    let mut status = [0u64; 18];
    // SAFETY: the kernel writes a `struct stat`, which has this size.
    let asked = unsafe { sys::call2(nr::__NR_fstat, fd, status.as_mut_ptr() as u64) };
    fd <= 2 || !sys::failed(asked) && matches!(status[MODE] as u32 & 0o170_000, 0o100_000 | 0o040_000 | 0o060_000)
}

const NON_BLOCKING: u64 = 0x5421;
const CLOSE_ON_EXEC: u64 = 0x5451;
const NO_CLOSE_ON_EXEC: u64 = 0x5450;
const READABLE: u64 = 0x541b;

/// Sets or clears `O_NONBLOCK`, as `fcntl` does.
fn set_flag(call: &Call, fd: u64, wanted: bool) -> Served {
    const SET_FLAGS: u64 = 4;
    let flag = u64::from(nr::O_NONBLOCK);
    let flags = files::of_description(fd) as u64 & !flag | if wanted { flag } else { 0 };
    file_control(&Call { number: nr::__NR_fcntl, args: [fd, SET_FLAGS, flags, 0, 0, 0], ..*call })
}

pub(super) fn ioctl(call: &Call) -> Served {
    /// From `TCGETS` to `TCFLSH`.
    const OF_TERMINALS: core::ops::RangeInclusive<u64> = 0x5401..=0x540b;
    const TIOCGPGRP: u64 = 0x540f;
    const TIOCGWINSZ: u64 = 0x5413;
    let [fd, request, argument, ..] = call.args;
    // The kernel looks at 32 bits of the request.
    let request = u64::from(request as u32);
    match request {
        _ if !files::is_kind_open(files::kind(fd)) => Done(error(errno::EBADF)),
        NON_BLOCKING => match recover::read_value::<u32>(argument) {
            None => Done(error(errno::EFAULT)),
            Some(wanted) => set_flag(call, fd, wanted != 0),
        },
        CLOSE_ON_EXEC | NO_CLOSE_ON_EXEC => Done(files::set_own(fd, u64::from(request == CLOSE_ON_EXEC))),
        READABLE if matches!(files::kind(fd), DescriptorKind::Reading | DescriptorKind::Overlay(_)) => {
            let mut count = 0u32;
            // SAFETY: the kernel writes a number.
            let asked = unsafe { sys::call3(nr::__NR_ioctl, fd, READABLE, (&raw mut count) as u64) };
            Done(if sys::failed(asked) { asked } else { deliver(argument, &count) })
        }
        // Nothing the program is connected to is a terminal while it is explored, or buffering would depend on it.
        TIOCGPGRP | TIOCGWINSZ => Done(error(errno::ENOTTY)),
        request if OF_TERMINALS.contains(&request) => Done(error(errno::ENOTTY)),
        _ => OnStack,
    }
}
