//! Descriptors: what each of them is, and how the run's changes are undone.

use super::entry::{File, Listing, Lockers, Name};
use super::flags;
use super::path::identity_of_descriptor;
use crate::platform::global::Global;
use crate::platform::sys::{self, error, nr};
use crate::platform::upcalls::upcalls;
use crate::platform::{fiber, output};
use alloc::string::String;
use alloc::vec::Vec;
use inspect_core::event::ThreadNumber;
use inspect_wire::shared;
use sys::errno::EBADF;

/// Descriptors of the program are below this; the engine's are not.
pub const DESCRIPTORS: usize = shared::DESCRIPTOR as usize;
/// Descriptors of the engine are at least this.
pub(super) const ENGINE_DESCRIPTORS: u64 = shared::DESCRIPTOR as u64 + 1;

const AT_FDCWD: i32 = -100;

/// What a descriptor of the program is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DescriptorKind {
    /// Not open.
    Closed,
    /// Open since before the run; writes to it are output.
    Inherited,
    /// A real file opened for reading during the run.
    Reading,
    /// The private copy of a file: the number of the file in the overlay.
    Overlay(u16),
    /// A device that may be written to: /dev/null and its like.
    Device,
    /// A device of random numbers: those that are read come from the seed.
    Random,
    /// A duplicate of the inherited descriptor with this number.
    Duplicate(u16),
    /// An end of a pipe, or a counter: the number of its description.
    Channel(u16),
    /// Not open, but taken by a call that is about to make a descriptor.
    Reserved,
}

/// The state of all descriptors.
pub(super) struct Files {
    kinds: [DescriptorKind; DESCRIPTORS],
    /// The slot of the thread that has made each descriptor.
    makers: [ThreadNumber; DESCRIPTORS],
    /// How often each number has become another descriptor or none.
    generations: [u32; DESCRIPTORS],
    /// The open description of each descriptor, which duplicates share.
    descriptions: [u32; DESCRIPTORS],
    /// How many descriptions the run has made.
    last_description: u32,
    base: [DescriptorKind; DESCRIPTORS],
    positions: Vec<(u32, i64)>,
    /// The overlay: the files that the run has made or changed.
    pub(super) entries: Vec<File>,
    /// The overlay: the paths that lead elsewhere than on disk.
    pub(super) names: Vec<Name>,
    /// The listings of folders that are not the kernel's.
    pub(super) listings: Vec<Listing>,
    /// How often the run has renamed a file.
    pub(super) renames: u32,
    /// Whose locks of ranges of files the run has taken.
    pub(super) lockers: Lockers,
    /// The files on disk that the run has mapped, of which the overlay has no copy: device and number of each.
    pub(super) mapped: Vec<(u64, u64)>,
    /// Inherited descriptors that the run closed or replaced, each with the engine's duplicate of it.
    saved: Vec<(u32, i32)>,
    /// Flags that a private copy was not opened with, although the program's call had them.
    pub(super) shown: [u32; DESCRIPTORS],
    /// What the run has changed of the flags of inherited descriptors.
    pub(super) flags: flags::OfInherited,
    pub(super) umask: u32,
    base_umask: u32,
    /// The current folder, without the slash at its end, if the run has changed it.
    pub(super) folder: Option<String>,
    pub(super) changed: bool,
}

/// The maker of a descriptor that was open before the run.
const NOBODY: ThreadNumber = ThreadNumber::MAX;

static FILES: Global<Files> = Global::new(Files {
    kinds: [DescriptorKind::Closed; DESCRIPTORS],
    makers: [NOBODY; DESCRIPTORS],
    generations: [0; DESCRIPTORS],
    descriptions: [0; DESCRIPTORS],
    last_description: 0,
    base: [DescriptorKind::Closed; DESCRIPTORS],
    positions: Vec::new(),
    entries: Vec::new(),
    names: Vec::new(),
    listings: Vec::new(),
    renames: 0,
    lockers: Lockers { process: false, descriptions: false },
    mapped: Vec::new(),
    saved: Vec::new(),
    shown: [0; DESCRIPTORS],
    flags: flags::OfInherited::NONE,
    umask: 0o022,
    base_umask: 0o022,
    folder: None,
    changed: false,
});

/// The state of descriptors and overlay. There is one OS thread, and no caller keeps the reference across another call
/// of this module.
pub(super) fn files() -> &'static mut Files {
    // SAFETY: as stated; trapped calls do not nest.
    unsafe { FILES.get() }
}

pub(super) fn position_of(fd: u64) -> i64 {
    const CURRENT: u64 = 1;
    // SAFETY: asks for the position only.
    unsafe { sys::call3(nr::__NR_lseek, fd, 0, CURRENT) }
}

/// Looks at what is open: the state that every run starts with.
pub(in crate::platform) fn remember() {
    let files = files();
    files.positions.clear();
    for (fd, is_open) in open_descriptors().into_iter().enumerate() {
        files.base[fd] = if is_open { DescriptorKind::Inherited } else { DescriptorKind::Closed };
        let position = if is_open { position_of(fd as u64) } else { -1 };
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

/// Which numbers are open descriptors, asked of the kernel. One call that polls them all for nothing takes a tenth of
/// the time of one call each, and a check starts four processes that ask; it is refused where fewer descriptors than
/// that may be open at a time.
fn open_descriptors() -> [bool; DESCRIPTORS] {
    /// In the upper half of the word, where the kernel writes: no such descriptor.
    const POLLNVAL: u64 = 0x20 << 48;
    let mut polled: [u64; DESCRIPTORS] = core::array::from_fn(|fd| fd as u64);
    // SAFETY: the kernel fills in the events of as many descriptors as there are words; no waiting.
    let answer = unsafe { sys::call3(nr::__NR_poll, polled.as_mut_ptr() as u64, DESCRIPTORS as u64, 0) };
    if sys::failed(answer) {
        return core::array::from_fn(is_open);
    }
    polled.map(|descriptor| descriptor & POLLNVAL == 0)
}

fn is_open(fd: usize) -> bool {
    const F_GETFD: u64 = 1;
    // SAFETY: asks for flags only.
    !sys::failed(unsafe { sys::call3(nr::__NR_fcntl, fd as u64, F_GETFD, 0) })
}

/// The first descriptor that is not as at the start of a run.
pub(in crate::platform) fn differing() -> Option<u32> {
    let base = &files().base;
    let differs = |(fd, is_open): &(usize, bool)| *is_open != (base[*fd] != DescriptorKind::Closed);
    open_descriptors().into_iter().enumerate().find(differs).map(|(fd, _)| fd as u32)
}

/// Whether anything differs from the start of the run that a checkpoint in memory does not hold.
pub(in crate::platform) fn changed() -> bool {
    files().changed
}

/// Undoes what the run did to descriptors and files.
pub(in crate::platform) fn reset() {
    let files = files();
    if !files.changed {
        return;
    }
    files.changed = false;
    for fd in 0..DESCRIPTORS {
        if files.kinds[fd] != files.base[fd] && files.kinds[fd] != DescriptorKind::Closed {
            sys::close(fd as u64);
        }
    }
    for (fd, saved) in files.saved.drain(..) {
        // SAFETY: the engine's own descriptor goes back to its place.
        unsafe { sys::call3(nr::__NR_dup3, saved as u64, fd.into(), 0) };
        sys::close(saved as u64);
    }
    files.flags.reset();
    for file in files.entries.drain(..) {
        if let Some(copy) = file.copy {
            sys::close(copy as u64);
        }
    }
    files.forget();
    files.kinds = files.base;
    files.generations.fill(0);
    files.last_description = 0;
    files.umask = files.base_umask;
    files.folder = None;
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

/// What a descriptor is; `Closed` for one out of range.
pub(in crate::platform) fn kind(fd: u64) -> DescriptorKind {
    files().kinds.get(fd as u32 as usize).copied().unwrap_or(DescriptorKind::Closed)
}

/// Notes that the run changes descriptors or positions.
pub(in crate::platform) fn note_change() {
    files().changed = true;
}

impl Files {
    /// Forgets what the run has changed of files and names; their copies are closed.
    fn forget(&mut self) {
        self.names.clear();
        self.listings.clear();
        self.mapped.clear();
        (self.renames, self.lockers) = (0, Lockers::default());
    }

    /// The number is another descriptor now, made by the running thread, or none.
    pub(super) fn replace(&mut self, fd: usize, kind: DescriptorKind) {
        self.kinds[fd] = kind;
        self.makers[fd] = fiber::current_slot() as ThreadNumber;
        self.generations[fd] += 1;
        self.last_description += 1;
        self.descriptions[fd] = self.last_description;
        self.shown[fd] = 0;
        self.changed = true;
    }

    /// The descriptor is one of the same open description as another one.
    fn share(&mut self, fd: usize, other: u64) {
        let other = other as u32 as usize;
        (self.descriptions[fd], self.shown[fd]) = (self.descriptions[other], self.shown[other]);
    }

    /// The descriptor shows the private copy of its file from now on. It is still the one that it was.
    pub(super) fn become_private(&mut self, fd: usize, index: u16, shown: u32) {
        self.kinds[fd] = DescriptorKind::Overlay(index);
        self.shown[fd] = shown;
    }
}

/// The slot of the thread that has made a descriptor in this run.
pub(in crate::platform) fn maker(fd: u64) -> Option<usize> {
    let files = files();
    let fd = fd as u32 as usize;
    let made =
        matches!(files.kinds.get(fd)?, kind if !matches!(kind, DescriptorKind::Closed | DescriptorKind::Inherited));
    made.then(|| files.makers[fd].into())
}

/// A number that changes whenever the descriptor becomes another one or none.
pub(in crate::platform) fn generation(fd: u64) -> u32 {
    files().generations.get(fd as u32 as usize).copied().unwrap_or(0)
}

/// Where the numbers begin that the C library's own descriptors get, those that it makes in a call of which nobody
/// knows that it makes one. They are functions of the history of each thread, and the program's own do not depend on
/// them.
const LIBRARY: u64 = 700;
const LIBRARY_PER_SLOT: u64 = 4;

/// The lowest number that a new descriptor may get: the program's get the lowest one that is free in the process.
fn lowest() -> u64 {
    if upcalls().makes_descriptor() { 0 } else { LIBRARY + LIBRARY_PER_SLOT * fiber::current_slot() as u64 }
}

/// Gives a fresh kernel descriptor its number.
pub(in crate::platform) fn install(fd: i64, kind: DescriptorKind, flags: u64) -> i64 {
    if sys::failed(fd) {
        return fd;
    }
    let close_on_exec = flags & u64::from(nr::O_CLOEXEC) != 0;
    let lowest = lowest();
    // The kernel has given the lowest free number.
    let placed = if fd as u64 >= lowest {
        fd
    } else {
        let placed = duplicate_from(fd as u64, lowest, close_on_exec);
        sys::close(fd as u64);
        placed
    };
    take_place(placed, kind)
}

/// Notes what a new descriptor of the kernel's is; closes it if its number is none of the program's.
fn take_place(placed: i64, kind: DescriptorKind) -> i64 {
    if (0..DESCRIPTORS as i64).contains(&placed) {
        files().replace(placed as usize, kind);
        return placed;
    }
    if placed >= 0 {
        sys::close(placed as u64);
        return error(sys::errno::EMFILE);
    }
    placed
}

pub(super) fn duplicate_from(fd: u64, lowest: u64, close_on_exec: bool) -> i64 {
    const F_DUPFD: u64 = 0;
    const F_DUPFD_CLOEXEC: u64 = 1030;
    // SAFETY: makes a descriptor.
    unsafe { sys::call3(nr::__NR_fcntl, fd, if close_on_exec { F_DUPFD_CLOEXEC } else { F_DUPFD }, lowest) }
}

/// Another descriptor of what a descriptor of the engine's is; it is closed by `exec` if the flags say so.
pub(in crate::platform) fn again(fd: u64, flags: u64) -> i64 {
    duplicate_from(fd, 0, flags & u64::from(nr::O_CLOEXEC) != 0)
}

/// Gives a descriptor a number of the engine's, which the program cannot use.
pub(in crate::platform) fn hide(fd: i64) -> i64 {
    if sys::failed(fd) {
        return fd;
    }
    let hidden = duplicate_from(fd as u64, ENGINE_DESCRIPTORS, true);
    sys::close(fd as u64);
    hidden
}

/// Whether a descriptor is open.
pub(in crate::platform) fn is_kind_open(kind: DescriptorKind) -> bool {
    !matches!(kind, DescriptorKind::Closed | DescriptorKind::Reserved)
}

/// close.
pub(in crate::platform) fn close(fd: u64) -> i64 {
    let kind = kind(fd);
    if !is_kind_open(kind) {
        return error(EBADF);
    }
    let fd = fd as u32 as u64;
    save(fd);
    files().replace(fd as usize, DescriptorKind::Closed);
    if kind != DescriptorKind::Inherited {
        sys::close(fd);
    }
    0
}

/// Saves an inherited descriptor that the run is about to close or replace under a number of the engine's, and closes
/// it.
pub(super) fn save(fd: u64) {
    if files().kinds[fd as usize] != DescriptorKind::Inherited {
        return;
    }
    files().flags.remember(fd);
    let copy = duplicate_from(fd, ENGINE_DESCRIPTORS, true);
    if !sys::failed(copy) {
        sys::close(fd);
        files().saved.push((fd as u32, copy as i32));
    }
}

/// Whether a descriptor of this description is open.
pub(in crate::platform) fn describes(description: u16) -> bool {
    files().kinds.contains(&DescriptorKind::Channel(description))
}

/// The open description of a file's descriptor, and whether no other descriptor has it. None for one that has no lock.
pub(in crate::platform) fn description(fd: u64) -> Option<(u32, bool)> {
    let files = files();
    let own = fd as u32 as usize;
    if !matches!(kind(fd), DescriptorKind::Reading | DescriptorKind::Overlay(_)) {
        return None;
    }
    let description = files.descriptions[own];
    let has_it =
        |other: usize| other != own && is_kind_open(files.kinds[other]) && files.descriptions[other] == description;
    Some((description, !(0..DESCRIPTORS).any(has_it)))
}

/// Whether a descriptor has this open description of a file.
pub(in crate::platform) fn describes_file(description: u32) -> bool {
    let files = files();
    (0..DESCRIPTORS).any(|fd| is_kind_open(files.kinds[fd]) && files.descriptions[fd] == description)
}

/// What a duplicate of a descriptor is.
fn kind_of_duplicate(fd: u64) -> DescriptorKind {
    match kind(fd) {
        DescriptorKind::Inherited => DescriptorKind::Duplicate(fd as u16),
        other => other,
    }
}

/// dup and fcntl(F_DUPFD): a new number.
pub(in crate::platform) fn duplicate(fd: u64, lowest: Option<u64>, close_on_exec: bool) -> i64 {
    if !is_kind_open(kind(fd)) {
        return error(EBADF);
    }
    let kind = kind_of_duplicate(fd);
    let made = take_place(duplicate_from(fd, lowest.unwrap_or(0).max(self::lowest()), close_on_exec), kind);
    if !sys::failed(made) {
        files().share(made as usize, fd);
    }
    made
}

/// dup2 and dup3: onto a number.
pub(in crate::platform) fn duplicate_to(fd: u64, to: u64, flags: u64) -> i64 {
    if !is_kind_open(kind(fd)) || to as usize >= DESCRIPTORS {
        return error(EBADF);
    }
    if kind(to) == DescriptorKind::Reserved {
        return error(sys::errno::EBUSY);
    }
    if fd == to {
        return to as i64;
    }
    let kind = kind_of_duplicate(fd);
    save(to);
    // SAFETY: replaces a descriptor of the program's.
    let result = unsafe { sys::call3(nr::__NR_dup3, fd, to, flags) };
    if !sys::failed(result) {
        files().replace(to as usize, kind);
        files().share(to as usize, fd);
    }
    result
}

/// The number of the inherited descriptor that a descriptor is, or duplicates.
pub(in crate::platform) fn inherited(fd: u64) -> Option<u32> {
    match kind(fd) {
        DescriptorKind::Inherited => Some(fd as u32),
        DescriptorKind::Duplicate(original) => Some(u32::from(original)),
        DescriptorKind::Closed
        | DescriptorKind::Reserved
        | DescriptorKind::Reading
        | DescriptorKind::Overlay(_)
        | DescriptorKind::Device
        | DescriptorKind::Random
        | DescriptorKind::Channel(_) => None,
    }
}

/// Whether an inherited descriptor has a position, so that what is read from it can be read again.
pub(in crate::platform) fn can_be_read_again(fd: u32) -> bool {
    files().positions.iter().any(|&(other, _)| other == fd)
}

/// Whether an inherited descriptor is one of a file or of the null device, which are always ready.
pub(in crate::platform) fn is_always_ready(fd: u64) -> bool {
    if inherited(fd).is_none() {
        return false;
    }
    let mut stat = [0u64; 18];
    // SAFETY: the kernel fills in the 144 bytes.
    unsafe { sys::call2(nr::__NR_fstat, fd, stat.as_mut_ptr() as u64) };
    let (kind, null_device) = (stat[3] as u32 & 0o170000, 0x103);
    kind == 0o100000 || kind == 0o020000 && stat[5] == null_device
}

/// The umask, as the program sees it.
pub(in crate::platform) fn set_umask(mask: u64) -> i64 {
    let files = files();
    files.changed = true;
    i64::from(core::mem::replace(&mut files.umask, mask as u32 & 0o777))
}

/// Whether a descriptor is standard output or error, or a duplicate of one of them.
pub(in crate::platform) fn is_output(fd: u64) -> bool {
    matches!(inherited(fd), Some(1 | 2))
}

/// Whether a descriptor was open before the run, and is no output.
pub(super) fn is_input(fd: u64) -> bool {
    inherited(fd).is_some() && !is_output(fd)
}

/// Whether a descriptor from before the run, other than output, is one of this file on disk.
pub(super) fn inherits(identity: (u64, u64)) -> bool {
    let files = files();
    let is_of_file = |fd: u64| is_input(fd) && identity_of_descriptor(fd) == Some(identity);
    files.positions.iter().any(|&(fd, _)| is_of_file(fd.into()))
}

/// How often the run has renamed a file.
pub(in crate::platform) fn renames() -> u32 {
    files().renames
}

/// The current directory as a descriptor argument.
pub(in crate::platform) const CURRENT_DIRECTORY: i32 = AT_FDCWD;
