//! Descriptors and the private overlay of the file system.
//!
//! Files opened for reading are the real ones. A file opened for writing is a copy in memory from the first such open
//! of its path on, for the rest of the run; a removed file is removed in the overlay only. Nothing on disk changes.
//! After the run the descriptors it opened are closed, those it closed or replaced are brought back, and so are the
//! file positions of those it inherited.

use super::global::Global;
use super::sys::{self, nr};
use super::{fiber, output, recover};
use alloc::string::String;
use alloc::vec::Vec;
use core::ffi::CStr;
use inspect_wire::shared;
use sys::errno::{EBADF, EEXIST, EFAULT, EINVAL, ENAMETOOLONG, ENOENT};

/// Descriptors of the program are below this; the engine's are not.
pub const DESCRIPTORS: usize = shared::DESCRIPTOR as usize;
/// Descriptors of the engine are at least this.
const ENGINE_DESCRIPTORS: u64 = shared::DESCRIPTOR as u64 + 1;

const AT_FDCWD: i32 = -100;

/// What a descriptor of the program is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Not open.
    Closed,
    /// Open since before the run; writes to it are output.
    Inherited,
    /// A real file opened for reading during the run.
    Reading,
    /// A copy in memory: the number of the overlay entry.
    Overlay(u16),
    /// A device that may be written to: /dev/null and its like.
    Device,
    /// A device of random numbers: those that are read come from the seed.
    Random,
    /// A duplicate of the inherited descriptor with this number.
    Duplicate(u16),
}

/// A path that the run has written to or removed.
struct Entry {
    path: String,
    /// The descriptor of the copy in memory, of the engine; None if the path was removed.
    copy: Option<i32>,
    /// Permissions.
    mode: u32,
    /// Seconds and nanoseconds of the last access and modification, as the program has set them.
    times: [(u64, u64); 2],
}

struct Files {
    kinds: [Kind; DESCRIPTORS],
    base: [Kind; DESCRIPTORS],
    positions: Vec<(u32, i64)>,
    entries: Vec<Entry>,
    /// Engine's descriptors on inherited ones that the run closed or replaced.
    saved: Vec<(u32, i32)>,
    umask: u32,
    base_umask: u32,
    changed: bool,
}

static FILES: Global<Files> = Global::new(Files {
    kinds: [Kind::Closed; DESCRIPTORS],
    base: [Kind::Closed; DESCRIPTORS],
    positions: Vec::new(),
    entries: Vec::new(),
    saved: Vec::new(),
    umask: 0o022,
    base_umask: 0o022,
    changed: false,
});

/// The state of descriptors and overlay. One OS thread, and no caller keeps it across another call of this module.
fn files() -> &'static mut Files {
    // SAFETY: as stated; trapped calls do not nest.
    unsafe { FILES.get() }
}

fn error(number: u32) -> i64 {
    -i64::from(number)
}

fn position_of(fd: u64) -> i64 {
    const CURRENT: u64 = 1;
    // SAFETY: asks for the position only.
    unsafe { sys::call3(nr::__NR_lseek, fd, 0, CURRENT) }
}

/// Looks at what is open: the state that every run starts with.
pub(super) fn remember() {
    let files = files();
    files.positions.clear();
    for fd in 0..DESCRIPTORS {
        let open = is_open(fd);
        files.base[fd] = if open { Kind::Inherited } else { Kind::Closed };
        let position = if open { position_of(fd as u64) } else { -1 };
        if position >= 0 {
            files.positions.push((fd as u32, position));
        }
    }
    files.kinds = files.base;
    // SAFETY: sets the mask and sets it back.
    unsafe {
        files.umask = sys::call1(nr::__NR_umask, 0) as u32;
        sys::call1(nr::__NR_umask, files.umask.into());
    }
    files.base_umask = files.umask;
}

fn is_open(fd: usize) -> bool {
    const F_GETFD: u64 = 1;
    // SAFETY: asks for flags only.
    !sys::failed(unsafe { sys::call3(nr::__NR_fcntl, fd as u64, F_GETFD, 0) })
}

/// The first descriptor that is not as at the start of a run.
pub(super) fn differing() -> Option<u32> {
    let files = files();
    (0..DESCRIPTORS).find(|&fd| is_open(fd) != (files.base[fd] != Kind::Closed)).map(|fd| fd as u32)
}

/// Whether anything differs from the start of the run that a checkpoint in memory does not hold.
pub(super) fn changed() -> bool {
    files().changed
}

/// Undoes what the run did to descriptors and files.
pub(super) fn reset() {
    let files = files();
    if !files.changed {
        return;
    }
    files.changed = false;
    for fd in 0..DESCRIPTORS {
        if files.kinds[fd] != files.base[fd] && files.kinds[fd] != Kind::Closed {
            close_real(fd as u64);
        }
    }
    for (fd, saved) in files.saved.drain(..) {
        // SAFETY: the engine's own descriptor goes back to its place.
        unsafe { sys::call3(nr::__NR_dup3, saved as u64, fd.into(), 0) };
        close_real(saved as u64);
    }
    for entry in files.entries.drain(..) {
        if let Some(copy) = entry.copy {
            close_real(copy as u64);
        }
    }
    files.kinds = files.base;
    files.umask = files.base_umask;
    if output::is_live() {
        // What was shown stays: standard output may be a file that others go on to write to.
        return;
    }
    for &(fd, position) in &files.positions {
        const SET: u64 = 0;
        // SAFETY: sets the position of an inherited descriptor.
        unsafe { sys::call3(nr::__NR_lseek, fd.into(), position as u64, SET) };
    }
}

fn close_real(fd: u64) {
    // SAFETY: callers own the descriptor.
    unsafe { sys::call1(nr::__NR_close, fd) };
}

/// What a descriptor is; `Closed` for one out of range.
pub(super) fn kind(fd: u64) -> Kind {
    files().kinds.get(fd as u32 as usize).copied().unwrap_or(Kind::Closed)
}

/// Notes that the run changes descriptors or positions.
pub(super) fn note_change() {
    files().changed = true;
}

/// Gives a fresh kernel descriptor the number it has in the running slot: the first free one of the slot's own range,
/// so that it does not depend on what other threads have open.
fn install(fd: i64, kind: Kind, flags: u64) -> i64 {
    const PER_SLOT: u64 = 15;
    const FIRST: u64 = 3;
    if sys::failed(fd) {
        return fd;
    }
    let close_on_exec = flags & u64::from(nr::O_CLOEXEC) != 0;
    let lowest = FIRST + PER_SLOT * fiber::current_slot() as u64;
    // The kernel gave the lowest free number: if that is in the range, it is the lowest there, too.
    let placed = if fd as u64 >= lowest {
        fd
    } else {
        let placed = duplicate_from(fd as u64, lowest, close_on_exec);
        close_real(fd as u64);
        placed
    };
    if let Some(slot) = files().kinds.get_mut(placed as usize).filter(|_| placed >= 0) {
        *slot = kind;
        note_change();
        return placed;
    }
    if placed >= 0 {
        close_real(placed as u64);
        return error(sys::errno::EMFILE);
    }
    placed
}

fn duplicate_from(fd: u64, lowest: u64, close_on_exec: bool) -> i64 {
    const F_DUPFD: u64 = 0;
    const F_DUPFD_CLOEXEC: u64 = 1030;
    // SAFETY: makes a descriptor.
    unsafe { sys::call3(nr::__NR_fcntl, fd, if close_on_exec { F_DUPFD_CLOEXEC } else { F_DUPFD }, lowest) }
}

/// Moves a descriptor out of the program's sight.
fn hide(fd: i64) -> i64 {
    if sys::failed(fd) {
        return fd;
    }
    let hidden = duplicate_from(fd as u64, ENGINE_DESCRIPTORS, true);
    close_real(fd as u64);
    hidden
}

/// A path given by the program, NUL-terminated.
struct PathBuffer([u8; 4096]);

impl PathBuffer {
    fn read(from: u64) -> Result<PathBuffer, i64> {
        let mut buffer = PathBuffer([0; 4096]);
        let got = recover::read(from, &mut buffer.0);
        match buffer.0[..got].iter().position(|&byte| byte == 0) {
            Some(_) => Ok(buffer),
            None if got < buffer.0.len() => Err(error(EFAULT)),
            None => Err(error(ENAMETOOLONG)),
        }
    }

    fn text(&self) -> &CStr {
        CStr::from_bytes_until_nul(&self.0).unwrap_or(c"")
    }
}

fn link_target(fd: u64) -> String {
    let mut target = [0u8; 4096];
    let link = alloc::format!("/proc/self/fd/{fd}\0");
    // SAFETY: the kernel reads a terminated path and writes to `target`.
    let len =
        unsafe { sys::call3(nr::__NR_readlink, link.as_ptr() as u64, target.as_mut_ptr() as u64, target.len() as u64) };
    String::from_utf8_lossy(&target[..len.clamp(0, 4096) as usize]).into_owned()
}

fn open_path(directory: i32, path: &CStr, more: u32) -> i64 {
    let flags = u64::from(nr::O_PATH | nr::O_CLOEXEC | more);
    // SAFETY: opens for looking only.
    unsafe { sys::call4(nr::__NR_openat, directory as u64, path.as_ptr() as u64, flags, 0) }
}

/// The absolute path without symbolic links. For a path that does not exist: that of its directory, and the name.
pub(super) fn resolve(directory: i32, path: &CStr) -> Result<String, i64> {
    let fd = open_path(directory, path, 0);
    if !sys::failed(fd) {
        let target = link_target(fd as u64);
        close_real(fd as u64);
        return Ok(target);
    }
    if fd != error(ENOENT) {
        return Err(fd);
    }
    let bytes = path.to_bytes();
    let name = bytes.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
    let mut parent = Vec::from(&bytes[..bytes.len() - name.len()]);
    if parent.is_empty() {
        parent.push(b'.');
    }
    parent.push(0);
    let parent = CStr::from_bytes_until_nul(&parent).map_err(|_| error(EINVAL))?;
    let fd = open_path(directory, parent, nr::O_DIRECTORY);
    if sys::failed(fd) || name.is_empty() {
        return Err(if sys::failed(fd) { fd } else { error(ENOENT) });
    }
    let mut target = link_target(fd as u64);
    close_real(fd as u64);
    if !target.ends_with('/') {
        target.push('/');
    }
    target.push_str(&String::from_utf8_lossy(name));
    Ok(target)
}

fn entry_of(path: &str) -> Option<usize> {
    files().entries.iter().rposition(|entry| entry.path == path)
}

fn memory_file() -> i64 {
    const CLOSE_ON_EXEC: u64 = 1;
    // SAFETY: makes a descriptor; the kernel reads the name.
    hide(unsafe { sys::call2(nr::__NR_memfd_create, c"overlay".as_ptr() as u64, CLOSE_ON_EXEC) })
}

/// Copies a real file into memory.
fn copy_of(path: &CStr) -> i64 {
    let flags = u64::from(nr::O_RDONLY | nr::O_CLOEXEC);
    // SAFETY: opens a file for reading.
    let source = unsafe { sys::call3(nr::__NR_open, path.as_ptr() as u64, flags, 0) };
    if sys::failed(source) {
        return source;
    }
    let copy = memory_file();
    if !sys::failed(copy) {
        const PIECE: u64 = 1 << 20;
        // SAFETY: copies between two descriptors of the engine.
        while unsafe { sys::call4(nr::__NR_sendfile, copy as u64, source as u64, 0, PIECE) } > 0 {}
    }
    close_real(source as u64);
    copy
}

fn add_entry(path: String, copy: Option<i32>, mode: u32) -> usize {
    let files = files();
    files.changed = true;
    files.entries.push(Entry { path, copy, mode, times: [EPOCH; 2] });
    files.entries.len() - 1
}

/// What an open is for.
const ACCESS: u64 = 3;

/// Whether calls that only look (stat, access) may ask the kernel about this path as it is. Err: what the overlay says.
pub(super) fn overlaid(directory: i32, address: u64) -> Result<Option<u64>, i64> {
    if files().entries.is_empty() {
        return Ok(None);
    }
    let path = PathBuffer::read(address)?;
    let Ok(path) = resolve(directory, path.text()) else { return Ok(None) };
    match entry_of(&path) {
        None => Ok(None),
        Some(index) => files().entries[index].copy.map(|copy| Some(copy as u64)).ok_or(error(ENOENT)),
    }
}

/// What became of an open or another path operation.
pub(super) enum Opened {
    /// The result of the call.
    Done(i64),
    /// Not modelled.
    Unmodelled,
}

/// openat.
pub(super) fn open(directory: i32, address: u64, flags: u64, mode: u32) -> Opened {
    let path = match PathBuffer::read(address) {
        Ok(path) => path,
        Err(error) => return Opened::Done(error),
    };
    let writes = flags & ACCESS != 0 || flags & u64::from(nr::O_CREAT | nr::O_TRUNC) != 0;
    if !writes && files().entries.is_empty() {
        return Opened::Done(open_real(directory, path.text(), flags, kind_of_reading(path.text())));
    }
    let resolved = match resolve(directory, path.text()) {
        Ok(resolved) => resolved,
        Err(error) => return Opened::Done(error),
    };
    let temporary = flags & 0o20000000 != 0;
    if temporary {
        return Opened::Unmodelled;
    }
    if let Some(index) = entry_of(&resolved) {
        return Opened::Done(open_entry(index, resolved, flags, mode));
    }
    if !writes {
        return Opened::Done(open_real(directory, path.text(), flags, kind_of_reading(path.text())));
    }
    open_first_write(directory, path.text(), resolved, flags, mode)
}

fn open_real(directory: i32, path: &CStr, flags: u64, kind: Kind) -> i64 {
    // SAFETY: the kernel reads a terminated path; the flags do not create or truncate.
    let fd = unsafe { sys::call4(nr::__NR_openat, directory as u64, path.as_ptr() as u64, flags, 0) };
    install(fd, kind, flags)
}

/// A path the run has written to or removed before.
fn open_entry(index: usize, path: String, flags: u64, mode: u32) -> i64 {
    let create = flags & u64::from(nr::O_CREAT) != 0;
    let exclusive = flags & u64::from(nr::O_EXCL) != 0;
    match files().entries[index].copy {
        Some(_) if create && exclusive => error(EEXIST),
        Some(copy) => open_copy(copy, index, flags),
        None if create => match memory_file() {
            copy if sys::failed(copy) => copy,
            copy => {
                let index = add_entry(path, Some(copy as i32), mode & !files().umask);
                open_copy(copy as i32, index, flags)
            }
        },
        None => error(ENOENT),
    }
}

/// A descriptor of its own on a copy in memory.
fn open_copy(copy: i32, index: usize, flags: u64) -> i64 {
    let kept = u64::from(nr::O_TRUNC | nr::O_APPEND | nr::O_CLOEXEC | nr::O_NONBLOCK) | ACCESS;
    let link = alloc::format!("/proc/self/fd/{copy}\0");
    // SAFETY: the kernel reads a terminated path.
    let fd = unsafe { sys::call3(nr::__NR_open, link.as_ptr() as u64, flags & kept, 0) };
    install(fd, Kind::Overlay(index as u16), flags)
}

const FILE_TYPE: u32 = 0o170000;
const REGULAR: u32 = 0o100000;
const CHARACTER_DEVICE: u32 = 0o020000;

/// The mode of a real file, or an error.
fn real_mode(path: &CStr) -> Result<u32, i64> {
    let mut stat = [0u64; 18];
    // SAFETY: the kernel fills in the 144 bytes.
    let result = unsafe { sys::call2(nr::__NR_stat, path.as_ptr() as u64, stat.as_mut_ptr() as u64) };
    if sys::failed(result) { Err(result) } else { Ok(stat[3] as u32) }
}

/// The first open for writing of a path in this run.
fn open_first_write(directory: i32, given: &CStr, resolved: String, flags: u64, mode: u32) -> Opened {
    let mut terminated = resolved.clone().into_bytes();
    terminated.push(0);
    let Ok(path) = CStr::from_bytes_with_nul(&terminated) else { return Opened::Done(error(EINVAL)) };
    let create = flags & u64::from(nr::O_CREAT) != 0;
    match real_mode(path) {
        Ok(_) if create && flags & u64::from(nr::O_EXCL) != 0 => Opened::Done(error(EEXIST)),
        Ok(real) if real & FILE_TYPE == REGULAR => {
            const WRITABLE: u64 = 2;
            // SAFETY: asks for permission only.
            let allowed = unsafe { sys::call2(nr::__NR_access, path.to_bytes_with_nul().as_ptr() as u64, WRITABLE) };
            if sys::failed(allowed) {
                return Opened::Done(allowed);
            }
            let truncate = flags & u64::from(nr::O_TRUNC) != 0;
            let copy = if truncate { memory_file() } else { copy_of(path) };
            if sys::failed(copy) {
                return Opened::Done(copy);
            }
            let index = add_entry(resolved, Some(copy as i32), real & 0o7777);
            Opened::Done(open_copy(copy as i32, index, flags))
        }
        Ok(real) if real & FILE_TYPE == CHARACTER_DEVICE && is_harmless(path) => {
            let harmless = flags & !u64::from(nr::O_CREAT | nr::O_TRUNC);
            Opened::Done(open_real(directory, given, harmless, Kind::Device))
        }
        Ok(real) if real & FILE_TYPE == CHARACTER_DEVICE && is_random(path) => {
            // What a program writes to it, to stir the pool, changes nothing.
            let reading = flags & !(ACCESS | u64::from(nr::O_CREAT | nr::O_TRUNC));
            Opened::Done(open_real(directory, given, reading, Kind::Random))
        }
        Ok(real) if real & FILE_TYPE == 0o040000 => Opened::Done(error(sys::errno::EISDIR)),
        Ok(_) => Opened::Unmodelled,
        Err(_) if create => match memory_file() {
            copy if sys::failed(copy) => Opened::Done(copy),
            copy => {
                let index = add_entry(resolved, Some(copy as i32), mode & !files().umask);
                Opened::Done(open_copy(copy as i32, index, flags))
            }
        },
        Err(error) => Opened::Done(error),
    }
}

fn kind_of_reading(path: &CStr) -> Kind {
    if is_random(path) { Kind::Random } else { Kind::Reading }
}

fn is_random(path: &CStr) -> bool {
    matches!(path.to_bytes(), b"/dev/urandom" | b"/dev/random")
}

fn is_harmless(path: &CStr) -> bool {
    matches!(path.to_bytes(), b"/dev/null" | b"/dev/zero" | b"/dev/full")
}

/// unlinkat, of files only.
pub(super) fn unlink(directory: i32, address: u64) -> i64 {
    let path = match PathBuffer::read(address).and_then(|path| resolve(directory, path.text())) {
        Ok(path) => path,
        Err(error) => return error,
    };
    if let Some(index) = entry_of(&path) {
        if files().entries[index].copy.is_none() {
            return error(ENOENT);
        }
    } else {
        let mut terminated = path.clone().into_bytes();
        terminated.push(0);
        match CStr::from_bytes_with_nul(&terminated).map(real_mode) {
            Ok(Ok(mode)) if mode & FILE_TYPE == 0o040000 => return error(sys::errno::EISDIR),
            Ok(Ok(_)) => {}
            Ok(Err(error)) => return error,
            Err(_) => return error(EINVAL),
        }
    }
    add_entry(path, None, 0);
    0
}

/// The overlay's entry of a path, made from the real file if there is none. None: not modelled.
fn copied(path: &str) -> Result<Option<usize>, i64> {
    if let Some(index) = entry_of(path) {
        return if files().entries[index].copy.is_some() { Ok(Some(index)) } else { Err(error(ENOENT)) };
    }
    let mut terminated = Vec::from(path.as_bytes());
    terminated.push(0);
    let Ok(terminated) = CStr::from_bytes_with_nul(&terminated) else { return Err(error(EINVAL)) };
    let mode = real_mode(terminated)?;
    if mode & FILE_TYPE != REGULAR {
        return Ok(None);
    }
    let copy = copy_of(terminated);
    if sys::failed(copy) {
        return Err(copy);
    }
    Ok(Some(add_entry(String::from(path), Some(copy as i32), mode & 0o7777)))
}

/// The overlay's entry of a file whose attributes the program changes. None: not modelled.
pub(super) fn entry_to_change(directory: i32, address: u64, of_links: bool) -> Result<Option<usize>, i64> {
    let path = PathBuffer::read(address)?;
    if of_links && is_link(directory, path.text()) {
        return Ok(None);
    }
    copied(&resolve(directory, path.text())?)
}

fn is_link(directory: i32, path: &CStr) -> bool {
    let mut target = [0u8; 1];
    let (path, target) = (path.as_ptr() as u64, target.as_mut_ptr() as u64);
    // SAFETY: the kernel reads a terminated path and writes one byte.
    !sys::failed(unsafe { sys::call4(nr::__NR_readlinkat, directory as u64, path, target, 1) })
}

/// Changes the permissions and times that the program sees of an entry.
pub(super) fn set_attributes(index: usize, change: impl FnOnce(&mut u32, &mut [(u64, u64); 2])) {
    let files = files();
    files.changed = true;
    if let Some(entry) = files.entries.get_mut(index) {
        change(&mut entry.mode, &mut entry.times);
    }
}

/// The time of a copy that the program has not given another one.
pub(super) const EPOCH: (u64, u64) = (1_717_000_000, 0);

/// renameat, of files only. None: not modelled.
pub(super) fn rename(from_directory: i32, from: u64, to_directory: i32, to: u64) -> Option<i64> {
    let resolved = |directory, address| PathBuffer::read(address).and_then(|path| resolve(directory, path.text()));
    let (from, to) = match (resolved(from_directory, from), resolved(to_directory, to)) {
        (Ok(from), Ok(to)) => (from, to),
        (Err(error), _) | (_, Err(error)) => return Some(error),
    };
    let index = match copied(&from) {
        Ok(Some(index)) => index,
        Ok(None) => return None,
        Err(error) => return Some(error),
    };
    let Entry { copy: Some(copy), mode, times, .. } = files().entries[index] else { return Some(error(ENOENT)) };
    if from != to {
        let second = duplicate_from(copy as u64, ENGINE_DESCRIPTORS, true);
        if sys::failed(second) {
            return Some(second);
        }
        let moved = add_entry(to, Some(second as i32), mode);
        files().entries[moved].times = times;
        add_entry(from, None, 0);
    }
    Some(0)
}

/// close.
pub(super) fn close(fd: u64) -> i64 {
    let kind = kind(fd);
    if kind == Kind::Closed {
        return error(EBADF);
    }
    let fd = fd as u32 as u64;
    save(fd);
    files().kinds[fd as usize] = Kind::Closed;
    note_change();
    if kind != Kind::Inherited {
        close_real(fd);
    }
    0
}

/// Keeps an inherited descriptor that the run is about to close or replace, and closes it.
fn save(fd: u64) {
    if files().kinds[fd as usize] != Kind::Inherited {
        return;
    }
    let copy = duplicate_from(fd, ENGINE_DESCRIPTORS, true);
    if !sys::failed(copy) {
        close_real(fd);
        files().saved.push((fd as u32, copy as i32));
    }
}

/// What a duplicate of a descriptor is.
fn kind_of_duplicate(fd: u64) -> Kind {
    match kind(fd) {
        Kind::Inherited => Kind::Duplicate(fd as u16),
        other => other,
    }
}

/// dup and fcntl(F_DUPFD): a new number.
pub(super) fn duplicate(fd: u64, lowest: Option<u64>, close_on_exec: bool) -> i64 {
    if kind(fd) == Kind::Closed {
        return error(EBADF);
    }
    let own = 3 + 15 * fiber::current_slot() as u64;
    let duplicate = duplicate_from(fd, lowest.unwrap_or(0).max(own), close_on_exec);
    let kind = kind_of_duplicate(fd);
    match files().kinds.get_mut(duplicate as usize).filter(|_| duplicate >= 0) {
        Some(place) => {
            *place = kind;
            note_change();
            duplicate
        }
        None => error(sys::errno::EMFILE),
    }
}

/// dup2 and dup3: onto a number.
pub(super) fn duplicate_to(fd: u64, to: u64, flags: u64) -> i64 {
    if kind(fd) == Kind::Closed || to as usize >= DESCRIPTORS {
        return error(EBADF);
    }
    if fd == to {
        return to as i64;
    }
    let kind = kind_of_duplicate(fd);
    save(to);
    // SAFETY: replaces a descriptor of the program's.
    let result = unsafe { sys::call3(nr::__NR_dup3, fd, to, flags) };
    if !sys::failed(result) {
        files().kinds[to as usize] = kind;
        note_change();
    }
    result
}

/// Makes what the kernel says about a file independent of the process: the copy in memory gets a number and permissions
/// of its own, output is a pipe whatever it is here, and reading a file does not show in its access time.
pub(super) fn correct_stat(kind: Kind, stat: &mut [u64; 18]) {
    const PIPE: u64 = 0o010600;
    match kind {
        Kind::Overlay(index) => {
            let known = files().entries.get(index as usize).map(|entry| (entry.mode, entry.times));
            let (mode, [accessed, modified]) = known.unwrap_or((0o644, [EPOCH; 2]));
            (stat[0], stat[1], stat[2]) = (1, 1_000_000 + u64::from(index), 1);
            stat[3] = stat[3] & !0xffff_ffff | u64::from(REGULAR | mode);
            for (at, time) in [(9, accessed), (11, modified), (13, EPOCH)] {
                (stat[at], stat[at + 1]) = time;
            }
        }
        Kind::Duplicate(1 | 2) => {
            *stat = [0; 18];
            stat[2] = 1;
            stat[3] = PIPE;
            stat[7] = 4096;
        }
        Kind::Closed | Kind::Inherited | Kind::Duplicate(_) | Kind::Reading | Kind::Device | Kind::Random => {
            (stat[9], stat[10]) = (stat[11], stat[12])
        }
    }
}

/// The number of the inherited descriptor that a descriptor is, or duplicates.
pub(super) fn inherited(fd: u64) -> Option<u32> {
    match kind(fd) {
        Kind::Inherited => Some(fd as u32),
        Kind::Duplicate(original) => Some(u32::from(original)),
        Kind::Closed | Kind::Reading | Kind::Overlay(_) | Kind::Device | Kind::Random => None,
    }
}

/// Whether an inherited descriptor has a position, so that what is read from it can be read again.
pub(super) fn can_be_read_again(fd: u32) -> bool {
    files().positions.iter().any(|&(other, _)| other == fd)
}

/// The umask, as the program sees it.
pub(super) fn set_umask(mask: u64) -> i64 {
    let files = files();
    files.changed = true;
    i64::from(core::mem::replace(&mut files.umask, mask as u32 & 0o777))
}

/// The kind for a copy in memory found by [`overlaid`].
pub(super) fn kind_of_copy(copy: u64) -> Kind {
    let index = files().entries.iter().position(|entry| entry.copy == Some(copy as i32));
    index.map_or(Kind::Reading, |index| Kind::Overlay(index as u16))
}

/// The path with the number of this process, which no two processes share, written as `self`.
pub(super) fn without_process(path: String) -> String {
    // SAFETY: asks for a number.
    let own = alloc::format!("/proc/{}", unsafe { sys::call1(nr::__NR_getpid, 0) });
    match path.strip_prefix(own.as_str()) {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => alloc::format!("/proc/self{rest}"),
        _ => path,
    }
}

/// The path behind a descriptor: that of the original for a copy in memory. None for what has no path, and for what was
/// open before main: whoever started the process may have opened another file in its stead.
pub(super) fn path_of(fd: u64) -> Option<String> {
    match kind(fd) {
        Kind::Overlay(index) => return files().entries.get(index as usize).map(|entry| entry.path.clone()),
        Kind::Inherited | Kind::Duplicate(_) => return None,
        Kind::Closed | Kind::Reading | Kind::Device | Kind::Random => {}
    }
    Some(link_target(fd)).filter(|target| target.starts_with('/'))
}

/// The current directory as a descriptor argument.
pub(super) const CURRENT_DIRECTORY: i32 = AT_FDCWD;
