//! Calls that give files names, or change which they have. Each is announced as a change of the names; one that makes
//! paths lead elsewhere than to a file of their own (second names, symbolic links, folders) makes all files one (S8).

use super::extent::length;
use super::library_state::{self, CURRENT_DIRECTORY, Use};
use super::{export, real};
use crate::engine::has_other_threads;
use crate::engine::site::of_call;
use crate::engine::switches::Switch;
use crate::hooks::argument_read;
use crate::platform::started;
use inspect_core::event::SiteId;

export! {
    interpose_rename / 2 => rename;
    interpose_renameat / 4 => renameat;
    interpose_link / 2 => link;
    interpose_linkat / 5 => linkat;
    interpose_symlink / 2 => symlink;
    interpose_symlinkat / 3 => symlinkat;
    interpose_mkdir / 2 => mkdir;
    interpose_mkdirat / 3 => mkdirat;
    interpose_rmdir / 1 => rmdir;
}

fn read_path(path: u64, site: SiteId) {
    if path != 0 {
        argument_read(path, length::<u8>(path, u64::MAX - path) + 1, site);
    }
}

extern "C" fn rename(from: u64, to: u64, pc: u64) -> i32 {
    let call = || real!("rename" as fn(u64, u64) -> i32)(from, to);
    change_names((CURRENT_DIRECTORY, from), (CURRENT_DIRECTORY, to), pc, call)
}

extern "C" fn renameat(from_folder: i32, from: u64, to_folder: i32, to: u64, pc: u64) -> i32 {
    let call = || real!("renameat" as fn(i32, u64, i32, u64) -> i32)(from_folder, from, to_folder, to);
    change_names((from_folder, from), (to_folder, to), pc, call)
}

extern "C" fn link(from: u64, to: u64, pc: u64) -> i32 {
    let call = || real!("link" as fn(u64, u64) -> i32)(from, to);
    join_files();
    change_names((CURRENT_DIRECTORY, from), (CURRENT_DIRECTORY, to), pc, call)
}

extern "C" fn linkat(from_folder: i32, from: u64, to_folder: i32, to: u64, flags: i32, pc: u64) -> i32 {
    let call = || real!("linkat" as fn(i32, u64, i32, u64, i32) -> i32)(from_folder, from, to_folder, to, flags);
    join_files();
    change_names((from_folder, from), (to_folder, to), pc, call)
}

extern "C" fn symlink(target: u64, name: u64, pc: u64) -> i32 {
    let call = || real!("symlink" as fn(u64, u64) -> i32)(target, name);
    make_link(target, (CURRENT_DIRECTORY, name), pc, call)
}

extern "C" fn symlinkat(target: u64, folder: i32, name: u64, pc: u64) -> i32 {
    let call = || real!("symlinkat" as fn(u64, i32, u64) -> i32)(target, folder, name);
    make_link(target, (folder, name), pc, call)
}

fn make_link(target: u64, name: (i32, u64), pc: u64, call: impl FnOnce() -> i32) -> i32 {
    if started() {
        read_path(target, of_call(pc));
    }
    change_name(name, pc, call)
}

extern "C" fn mkdir(name: u64, mode: u32, pc: u64) -> i32 {
    change_name((CURRENT_DIRECTORY, name), pc, || real!("mkdir" as fn(u64, u32) -> i32)(name, mode))
}

extern "C" fn mkdirat(folder: i32, name: u64, mode: u32, pc: u64) -> i32 {
    change_name((folder, name), pc, || real!("mkdirat" as fn(i32, u64, u32) -> i32)(folder, name, mode))
}

extern "C" fn rmdir(name: u64, pc: u64) -> i32 {
    change_name((CURRENT_DIRECTORY, name), pc, || real!("rmdir" as fn(u64) -> i32)(name))
}

/// Which file a path leads to is about to depend on other names than its own.
fn join_files() {
    if started() && has_other_threads() {
        Switch::OneFile.come_up();
    }
}

/// A name, relative to a folder, becomes that of something that other paths may lead through.
fn change_name(name: (i32, u64), pc: u64, call: impl FnOnce() -> i32) -> i32 {
    if !started() {
        return call();
    }
    let site = of_call(pc);
    join_files();
    read_path(name.1, site);
    library_state::use_name(name.0, name.1, Use::Change, site);
    call()
}

/// Two names, each relative to a folder, change at once; see [`library_state::use_names`].
fn change_names(from: (i32, u64), to: (i32, u64), pc: u64, call: impl FnOnce() -> i32) -> i32 {
    if !started() {
        return call();
    }
    let site = of_call(pc);
    for (_, path) in [from, to] {
        read_path(path, site);
    }
    let afterwards = library_state::use_names(from, to, site);
    let result = call();
    afterwards();
    result
}
