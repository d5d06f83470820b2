//! The files of sockets.

use super::descriptors::{CURRENT_DIRECTORY, files, hide};
use super::file::{bind, make};
use super::open::may_change_folder;
use super::path::{self, FILE_TYPE, PathBuffer, SOCKET};
use super::refusal::{Refusal, checked};
use super::walk::{Destination, Follow, Found, walk};
use crate::platform::sys::{self, errno, error, nr};

/// What is at a path at which a socket is looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SocketPath {
    /// The file of a socket of this run: its channel.
    Socket(u8),
    /// Another file.
    Other,
    /// The file of a socket that others have made.
    Outside,
    /// Nothing, for this reason.
    Error(i64),
}

fn place(address: u64, follow: Follow) -> Result<Destination, Refusal> {
    walk(CURRENT_DIRECTORY, PathBuffer::read(address)?.text(), follow)
}

/// What is at a path at which a socket is looked for.
pub(in crate::platform) fn find_socket(address: u64) -> SocketPath {
    match place(address, Follow::Always).map(|place| place.found) {
        Ok(Found::Nothing) => SocketPath::Error(error(errno::ENOENT)),
        Ok(Found::Known(index)) => files().entries[index].socket.map_or(SocketPath::Other, SocketPath::Socket),
        Ok(Found::Disk(status)) if path::mode(&status) & FILE_TYPE == SOCKET => SocketPath::Outside,
        Ok(Found::Disk(_)) => SocketPath::Other,
        Err(Refusal::Error(error)) => SocketPath::Error(error),
        Err(Refusal::Unmodelled) => SocketPath::Outside,
    }
}

/// Makes the file of a socket at a path where nothing is; 0 or an error number.
pub(in crate::platform) fn make_socket_file(address: u64, channel: u8) -> i64 {
    match make_at(address, channel) {
        Ok(done) => done,
        Err(Refusal::Error(error)) => error,
        Err(Refusal::Unmodelled) => error(errno::EACCES),
    }
}

fn make_at(address: u64, channel: u8) -> Result<i64, Refusal> {
    const UNIX: u64 = 1;
    const STREAM: u64 = 1;
    let place = place(address, Follow::Never)?;
    if !matches!(place.found, Found::Nothing) {
        return Err(errno::EADDRINUSE.into());
    }
    may_change_folder(&place.path)?;
    // SAFETY: makes a descriptor, which says that the file is that of a socket.
    let fd = checked(hide(unsafe { sys::call3(nr::__NR_socket, UNIX, STREAM, 0) }))?;
    let index = make(&place.path, SOCKET | 0o777 & !files().umask);
    (files().entries[index].copy, files().entries[index].socket) = (Some(fd as i32), Some(channel));
    bind(&place.path, Some(index), None);
    Ok(0)
}
