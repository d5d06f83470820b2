//! `ftw` and `nftw`: a walk over the files below a folder.
//!
//! The walk is made here, in the order of the GNU C library: each file is looked at, each folder is opened and read by
//! the C library's functions, and announced as calls of the program's own would be, as other threads may change files
//! between any two of them and while the program's function is called. What the walk remembers lies in its frame.
//!
//! A folder stays open until the walk leaves it. The C library closes the outermost one where the tree is deeper than
//! the descriptors that the caller grants: the run ends there, as not modelled.

use super::library_state::{CURRENT_DIRECTORY, Use, use_folder_stream, use_name};
use super::{descriptors, export, real};
use crate::engine::site::of_call;
use crate::engine::{call_back, has_other_threads, uncomparable_during, unmodelled, unmodelled_beside_threads, with};
use crate::hooks::{argument_read, argument_write};
use crate::platform::{program, started};
use inspect_core::event::SiteId;

export! {
    interpose_ftw / 3 => ftw;
    interpose_ftw64 / 3 => ftw;
    interpose_nftw / 4 => nftw;
    interpose_nftw64 / 4 => nftw;
}

/// Flags of `nftw`.
const PHYSICAL: i32 = 1;
const MOUNT: i32 = 2;
const CHANGE_FOLDER: i32 = 4;
const DEPTH: i32 = 8;
const ACTIONS: i32 = 16;

/// What the program's function may answer with `ACTIONS`.
const SKIP_SUBTREE: i32 = 2;
const SKIP_SIBLINGS: i32 = 3;

const NO_ENTRY: u32 = 2;
const NO_ACCESS: u32 = 13;
const NAME_TOO_LONG: u32 = 36;

/// What the program's function is told about a file, by the numbers of `nftw`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    File = 0,
    Folder = 1,
    UnreadableFolder = 2,
    Unknown = 3,
    Link = 4,
    FolderAfterwards = 5,
    DanglingLink = 6,
}

impl Kind {
    /// `ftw` knows fewer.
    fn of_ftw(self) -> Kind {
        match self {
            Kind::Link => Kind::File,
            Kind::DanglingLink => Kind::Unknown,
            Kind::FolderAfterwards => Kind::Folder,
            Kind::File | Kind::Folder | Kind::UnreadableFolder | Kind::Unknown => self,
        }
    }
}

/// `struct stat`.
#[repr(C)]
#[derive(Clone, Copy)]
struct Status([u64; 18]);

impl Status {
    const EMPTY: Status = Status([0; 18]);

    /// The device and the number of the file on it.
    fn identity(&self) -> (u64, u64) {
        (self.0[0], self.0[1])
    }

    /// What a file is that is there.
    fn kind(&self) -> Kind {
        const FORMAT: u32 = 0o170_000;
        match self.0[3] as u32 & FORMAT {
            0o040_000 => Kind::Folder,
            0o120_000 => Kind::Link,
            _ => Kind::File,
        }
    }
}

/// `struct FTW`.
#[repr(C)]
struct Position {
    base: i32,
    level: i32,
}

const LONGEST_PATH: usize = 4096;

/// How many folders a walk may come to that follows links, of which each is entered once.
const FOLDERS: usize = 256;

struct TreeWalk {
    site: SiteId,
    /// The program's function.
    visit: u64,
    is_nftw: bool,
    flags: i32,
    /// How many folders may be open at a time.
    most: i32,
    path: [u8; LONGEST_PATH],
    /// The length of what is in `path`, which ends with a zero.
    len: usize,
    position: Position,
    /// Of the folder where the walk began.
    device: u64,
    entered: [(u64, u64); FOLDERS],
    folders: usize,
}

extern "C" fn ftw(path: u64, visit: u64, most: i32, pc: u64) -> i32 {
    if !started() {
        return real!("ftw" as fn(u64, u64, i32) -> i32)(path, visit, most);
    }
    let mut walk = TreeWalk::new(visit, most, of_call(pc));
    uncomparable_during(|| walk.walk_tree(path))
}

extern "C" fn nftw(path: u64, visit: u64, most: i32, flags: i32, pc: u64) -> i32 {
    const ALL: i32 = PHYSICAL | MOUNT | CHANGE_FOLDER | DEPTH | ACTIONS;
    let real = || real!("nftw" as fn(u64, u64, i32, i32) -> i32)(path, visit, most, flags);
    // Without flags that are known, the C library's function refuses the call.
    if !started() || flags & !ALL != 0 {
        return real();
    }
    let site = of_call(pc);
    if flags & CHANGE_FOLDER != 0 {
        return alone("nftw with FTW_CHDIR", site, real);
    }
    let mut walk = TreeWalk { is_nftw: true, flags, ..TreeWalk::new(visit, most, site) };
    uncomparable_during(|| walk.walk_tree(path))
}

/// A call that is not announced step by step: the run ends if there are other threads, or the call creates one.
fn alone(name: &str, site: SiteId, call: impl FnOnce() -> i32) -> i32 {
    let threads = || with(|engine| engine.run.paths().len());
    let before = threads();
    if has_other_threads() {
        unmodelled_beside_threads(name, site);
    }
    let result = uncomparable_during(call);
    if threads() != before {
        unmodelled_beside_threads(name, site);
    }
    result
}

impl TreeWalk {
    fn new(visit: u64, most: i32, site: SiteId) -> Self {
        TreeWalk {
            site,
            visit,
            is_nftw: false,
            flags: 0,
            most: most.max(1),
            path: [0; LONGEST_PATH],
            len: 0,
            position: Position { base: 0, level: 0 },
            device: 0,
            entered: [(0, 0); FOLDERS],
            folders: 0,
        }
    }

    /// The whole walk: what the program's function has answered last, or -1.
    fn walk_tree(&mut self, path: u64) -> i32 {
        let len = super::extent::length::<u8>(path, u64::MAX);
        argument_read(path, len + 1, self.site);
        if len == 0 {
            return self.fail(NO_ENTRY);
        }
        if !self.append(path, len as usize) {
            return self.fail(NAME_TOO_LONG);
        }
        while self.len > 1 && self.path[self.len - 1] == b'/' {
            self.truncate(self.len - 1);
        }
        let name = self.path[..self.len].iter().rposition(|&byte| byte == b'/').map_or(0, |slash| slash + 1);
        self.position.base = name as i32;
        let mut status = Status::EMPTY;
        let failed = self.look_at_path(self.follows(), &mut status);
        let result = match (failed, status.kind()) {
            (None, Kind::Folder) => {
                self.device = status.identity().0;
                self.walk_folder_once(&mut status)
            }
            (None, kind) => self.call_visitor(kind, &mut status),
            (Some(NO_ENTRY), _) if self.follows() && self.is_link_at_path(&mut status) => {
                self.call_visitor(Kind::DanglingLink, &mut status)
            }
            (Some(error), _) => return self.fail(error),
        };
        if self.has(ACTIONS) && matches!(result, SKIP_SUBTREE | SKIP_SIBLINGS) { 0 } else { result }
    }

    fn has(&self, flag: i32) -> bool {
        self.flags & flag != 0
    }

    fn follows(&self) -> bool {
        !self.has(PHYSICAL)
    }

    fn fail(&self, error: u32) -> i32 {
        program::set_errno(error);
        -1
    }

    /// Adds a name to the path, if there is room.
    fn append(&mut self, name: u64, len: usize) -> bool {
        if len >= LONGEST_PATH - self.len {
            return false;
        }
        // SAFETY: the caller has found so many bytes there, and `path` has room for them and the zero behind.
        unsafe { core::ptr::copy_nonoverlapping(name as *const u8, self.path.as_mut_ptr().add(self.len), len) };
        self.truncate(self.len + len);
        true
    }

    fn truncate(&mut self, len: usize) {
        self.len = len;
        self.path[len] = 0;
    }

    fn address(&self) -> u64 {
        self.path.as_ptr() as u64
    }

    /// Looks at the file of the path. Returns why it cannot.
    fn look_at_path(&self, follow: bool, status: &mut Status) -> Option<u32> {
        use_name(CURRENT_DIRECTORY, self.address(), Use::Look, self.site);
        let status = &raw mut *status as u64;
        let result = if follow {
            real!("stat" as fn(u64, u64) -> i32)(self.address(), status)
        } else {
            real!("lstat" as fn(u64, u64) -> i32)(self.address(), status)
        };
        (result != 0).then(program::errno)
    }

    fn is_link_at_path(&self, status: &mut Status) -> bool {
        self.look_at_path(false, status).is_none() && status.kind() == Kind::Link
    }

    /// Calls the program's function for the file of the path.
    fn call_visitor(&mut self, kind: Kind, status: &mut Status) -> i32 {
        let (path, at) = (self.address(), &raw mut *status as u64);
        let position = &raw const self.position as u64;
        argument_write(path, self.len as u64 + 1, self.site);
        argument_write(at, size_of::<Status>() as u64, self.site);
        if !self.is_nftw {
            // SAFETY: the program passes a function of this type; if not, it faults as it would in the C library.
            let visit = unsafe { core::mem::transmute::<u64, extern "C" fn(u64, u64, i32) -> i32>(self.visit) };
            return call_back(|| visit(path, at, kind.of_ftw() as i32));
        }
        argument_write(position, size_of::<Position>() as u64, self.site);
        // SAFETY: as above.
        let visit = unsafe { core::mem::transmute::<u64, extern "C" fn(u64, u64, i32, u64) -> i32>(self.visit) };
        call_back(|| visit(path, at, kind as i32, position))
    }

    /// Walks over a folder, unless a walk that follows links was there.
    fn walk_folder_once(&mut self, status: &mut Status) -> i32 {
        if self.follows() {
            if self.entered[..self.folders].contains(&status.identity()) {
                return 0;
            }
            if self.folders == FOLDERS {
                unmodelled("ftw of more than 256 folders that follows links", self.site);
            }
            self.entered[self.folders] = status.identity();
            self.folders += 1;
        }
        self.walk_folder(status)
    }

    fn walk_folder(&mut self, status: &mut Status) -> i32 {
        if self.position.level >= self.most {
            unmodelled("ftw of a tree that is deeper than its descriptors", self.site);
        }
        descriptors::open_folder(self.address(), self.site);
        let stream = real!("opendir" as fn(u64) -> u64)(self.address());
        if stream == 0 {
            return if program::errno() == NO_ACCESS { self.call_visitor(Kind::UnreadableFolder, status) } else { -1 };
        }
        let mut result = if self.has(DEPTH) { 0 } else { self.call_visitor(Kind::Folder, status) };
        if result == 0 {
            result = self.walk_entries(stream);
        }
        self.close_walked(stream);
        if self.has(ACTIONS) && result == SKIP_SIBLINGS {
            result = 0;
        }
        if result == 0 && self.has(DEPTH) { self.call_visitor(Kind::FolderAfterwards, status) } else { result }
    }

    fn close_walked(&self, stream: u64) {
        let error = program::errno();
        descriptors::close_folder_stream(stream, self.site);
        real!("closedir" as fn(u64) -> i32)(stream);
        program::set_errno(error);
    }

    /// Walks over what is in the folder of the path.
    fn walk_entries(&mut self, stream: u64) -> i32 {
        const NAME: u64 = 19;
        let (len, base) = (self.len, self.position.base);
        if self.path[len - 1] != b'/' && !self.append(b"/".as_ptr() as u64, 1) {
            return self.fail(NAME_TOO_LONG);
        }
        self.position = Position { base: self.len as i32, level: self.position.level + 1 };
        let mut result = 0;
        while result == 0 {
            use_folder_stream(stream, self.site);
            let entry = real!("readdir" as fn(u64) -> u64)(stream);
            if entry == 0 {
                break;
            }
            result = self.walk_entry(entry + NAME);
            self.truncate(self.position.base as usize);
        }
        self.truncate(len);
        self.position = Position { base, level: self.position.level - 1 };
        result
    }

    /// Walks over one entry of the folder of the path.
    fn walk_entry(&mut self, name: u64) -> i32 {
        let len = super::extent::length::<u8>(name, LONGEST_PATH as u64);
        if !self.append(name, len as usize) {
            return self.fail(NAME_TOO_LONG);
        }
        if matches!(&self.path[self.position.base as usize..self.len], b"." | b"..") {
            return 0;
        }
        let mut status = Status::EMPTY;
        let kind = match self.look_at_path(self.follows(), &mut status) {
            None => status.kind(),
            Some(NO_ENTRY | NO_ACCESS) if self.follows() && self.is_link_at_path(&mut status) => Kind::DanglingLink,
            Some(NO_ENTRY | NO_ACCESS) => Kind::Unknown,
            Some(_) => return -1,
        };
        if self.has(MOUNT) && kind != Kind::Unknown && status.identity().0 != self.device {
            return 0;
        }
        let result = match kind {
            Kind::Folder => self.walk_folder_once(&mut status),
            _ => self.call_visitor(kind, &mut status),
        };
        if self.has(ACTIONS) && result == SKIP_SUBTREE { 0 } else { result }
    }
}
