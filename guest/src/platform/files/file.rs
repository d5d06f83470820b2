//! The files that a run has changed, and the names it has given and taken away.

use super::descriptors::files;
use super::entry::{File, Name, Time};
use super::path::{self, DIRECTORY, FILE_TYPE, LINK, REGULAR, Status};
use crate::platform::clock;
use alloc::string::String;
use inspect_core::event::SiteId;

/// The numbers of files that the run has made begin here: no file on disk has such a number.
const OWN_NUMBERS: u64 = 1 << 48;

/// The present time of the running thread, and the loop on whose rounds it depends.
fn now() -> (Time, Option<SiteId>) {
    let time = clock::since_epoch();
    ((time / 1_000_000_000, time % 1_000_000_000), clock::after_loop())
}

/// The file with this device and number on disk, if the run has changed it.
pub(super) fn with_identity(device: u64, number: u64) -> Option<usize> {
    files().entries.iter().position(|file| (file.device, file.number) == (device, number))
}

/// What the run knows of a file on disk from now on.
pub(super) fn record(disk: &str, status: &Status) -> usize {
    if let Some(known) = with_identity(status[0], status[1]) {
        return known;
    }
    let mode = path::mode(status);
    let [modified, changed] = [(status[11], status[12]), (status[13], status[14])];
    add(File {
        disk: Some(disk.into()),
        device: status[0],
        number: status[1],
        copy: None,
        mode,
        times: [modified, modified, changed],
        after_loop: None,
        links: status[2],
        mapped: false,
        socket: None,
        fifo: None,
        target: if mode & FILE_TYPE == LINK { path::target(disk).unwrap_or_default() } else { String::new() },
        name: disk.into(),
    })
}

/// A file that the run makes, with this type and these permissions, on the device of the folder of its name.
pub(super) fn make(name: &str, mode: u32) -> usize {
    let number = OWN_NUMBERS + files().entries.len() as u64;
    let (now, after_loop) = now();
    add(File {
        disk: None,
        device: device_of_folder(name),
        number,
        copy: None,
        mode,
        times: [now; 3],
        after_loop,
        links: 0,
        mapped: false,
        socket: None,
        fifo: None,
        target: String::new(),
        name: name.into(),
    })
}

fn add(file: File) -> usize {
    let files = files();
    files.changed = true;
    files.entries.push(file);
    files.entries.len() - 1
}

/// The path of the folder that a path lies in.
pub(super) fn folder_of(path: &str) -> &str {
    match path.rfind('/') {
        Some(0) | None => "/",
        Some(at) => &path[..at],
    }
}

fn device_of_folder(path: &str) -> u64 {
    let folder = folder_of(path);
    match named(folder) {
        Some(Some(made)) => files().entries[made].device,
        Some(None) | None => path::status(folder).map_or(0, |status| status[0]),
    }
}

/// What the run has put at a path: None if it has not changed it, and Some(None) if it has taken away what was there.
pub(super) fn named(path: &str) -> Option<Option<usize>> {
    files().names.iter().find(|name| name.path == path).map(|name| name.file)
}

/// What is at a path from now on. The numbers of names of the files concerned are kept up to date.
pub(super) fn bind(path: &str, file: Option<usize>, before: Option<usize>) {
    let (now, _) = now();
    let files = files();
    files.changed = true;
    match files.names.iter_mut().find(|name| name.path == path) {
        Some(name) => (name.file, name.changed) = (file, now),
        None => files.names.push(Name { path: path.into(), file, changed: now }),
    }
    for (index, gained) in [(before, false), (file, true)] {
        let Some(file) = index.and_then(|index| files.entries.get_mut(index)) else { continue };
        file.links = if gained { file.links + 1 } else { file.links.saturating_sub(1) };
    }
    before.into_iter().chain(file).for_each(note_changed);
}

/// When names in a folder were last given or taken away.
pub(super) fn folder_changed(folder: &str) -> Option<Time> {
    files().names.iter().filter(|name| folder_of(&name.path) == folder).map(|name| name.changed).max()
}

/// Something about a file has changed now.
pub(super) fn note_changed(index: usize) {
    touch(index, |now, times| times[2] = now);
}

/// The contents of a file have changed now.
pub(in crate::platform) fn note_written(index: usize) {
    touch(index, |now, times| (times[1], times[2]) = (now, now));
}

/// Changes the times of a file, given the present one.
pub(super) fn touch(index: usize, change: impl FnOnce(Time, &mut [Time; 3])) {
    let (now, after_loop) = now();
    let files = files();
    files.changed = true;
    if let Some(file) = files.entries.get_mut(index) {
        change(now, &mut file.times);
        file.after_loop = file.after_loop.or(after_loop);
    }
}

/// Whether a file is one whose contents can be changed.
pub(super) fn is_regular(index: usize) -> bool {
    files().entries[index].is(REGULAR)
}

/// Whether a file is a folder.
pub(super) fn is_folder(index: usize) -> bool {
    files().entries[index].is(DIRECTORY)
}
