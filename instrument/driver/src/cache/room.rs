//! Keeps the cache at its size.
//!
//! A full cache has some ten thousand files, and to look at each takes as long as a small build. So a file beside them
//! counts the bytes: each build adds its own before it writes them, and only the build with which the count passes the
//! bound looks through the folder. The count is never less than what the files have: a file that is replaced or that
//! somebody else removes is counted until then.

use super::BuildCache;
use rustix::fs::{FlockOperation, flock};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{Read, Seek, Write};
use std::path::PathBuf;
use std::time::SystemTime;

/// The files of the cache have at most so many bytes in all.
const MOST_BYTES: u64 = 256 << 20;

/// What is left when files were removed: the next builds find room without removing any.
const KEPT_BYTES: u64 = MOST_BYTES / 4 * 3;

/// The name of the file with the count, in decimal digits. Whoever changes it holds a lock on it.
const COUNT: &str = "bytes";

/// Room in the cache: the lock on the count, which ends when the file is closed.
#[derive(Debug)]
pub(super) struct Room {
    _count: File,
}

impl BuildCache {
    /// Counts so many bytes that the caller is about to write; removes first what was not used for the longest time, as
    /// far as needed. The caller holds what is returned until it has written them: a build that counts anew meanwhile
    /// would not see them. None if the cache never has as much room, or its files cannot be read or removed.
    pub(super) fn make_room(&self, bytes: u64) -> Option<Room> {
        self.make_room_within(bytes, MOST_BYTES, KEPT_BYTES)
    }

    fn make_room_within(&self, bytes: u64, most: u64, kept: u64) -> Option<Room> {
        let kept = kept.min(most.checked_sub(bytes)?);
        let path = self.folder.join(COUNT);
        let mut file = File::options().read(true).write(true).create(true).truncate(false).open(path).ok()?;
        flock(&file, FlockOperation::LockExclusive).ok()?;
        let mut text = String::new();
        let is_text = file.read_to_string(&mut text).is_ok();
        let counted = text.parse::<u64>().ok().filter(|_| is_text).and_then(|count| count.checked_add(bytes));
        let count = match counted {
            Some(count) if count <= most => count,
            // Too many, or a cache without a count.
            _ => self.remove_down_to(kept)? + bytes,
        };
        file.rewind().and_then(|()| file.set_len(0)).ok()?;
        file.write_all(count.to_string().as_bytes()).ok()?;
        Some(Room { _count: file })
    }

    /// Removes what was not used for the longest time until at most so many bytes are left; returns how many are.
    fn remove_down_to(&self, kept: u64) -> Option<u64> {
        let mut files: Vec<(SystemTime, u64, PathBuf)> = Vec::new();
        for entry in std::fs::read_dir(&self.folder).ok()?.flatten() {
            if entry.file_name() != OsStr::new(COUNT) {
                let data = entry.metadata().ok()?;
                files.push((data.modified().ok()?, data.len(), entry.path()));
            }
        }
        files.sort();
        let mut bytes: u64 = files.iter().map(|(_, len, _)| len).sum();
        for (_, len, path) in files {
            if bytes <= kept {
                break;
            }
            std::fs::remove_file(path).ok()?;
            bytes -= len;
        }
        Some(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    /// A cache in a folder of its own that holds 100 bytes and keeps 60 of them.
    struct Small {
        folder: tempfile::TempDir,
        written: u64,
    }

    impl Small {
        fn new() -> Small {
            Small { folder: tempfile::tempdir().expect("a folder"), written: 0 }
        }

        fn make_room(&self, bytes: u64) -> Option<Room> {
            BuildCache::at(self.folder.path()).make_room_within(bytes, 100, 60)
        }

        /// Writes a file that is used later than those before.
        fn write(&mut self, name: &str, bytes: u64) {
            self.written += 1;
            let path = self.folder.path().join(name);
            std::fs::write(&path, vec![0; usize::try_from(bytes).expect("a small file")]).expect("written");
            let time = SystemTime::UNIX_EPOCH + Duration::from_secs(self.written);
            File::options().append(true).open(path).and_then(|file| file.set_modified(time)).expect("a time");
        }

        fn add(&mut self, name: &str, bytes: u64) {
            let room = self.make_room(bytes);
            assert!(room.is_some(), "{name}");
            self.write(name, bytes);
        }

        /// The files but for the count, and the count.
        fn contents(&self) -> (String, String) {
            let entries = std::fs::read_dir(self.folder.path()).expect("a folder");
            let mut names: Vec<_> =
                entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("text")).collect();
            names.retain(|name| name != COUNT);
            names.sort();
            (names.concat(), std::fs::read_to_string(self.folder.path().join(COUNT)).expect("a count"))
        }
    }

    #[test]
    fn what_was_not_used_for_the_longest_time_is_removed_once_the_count_passes_the_bound() {
        let mut cache = Small::new();
        ["a", "b", "c", "d", "e"].iter().for_each(|name| cache.add(name, 20));
        assert_eq!(cache.contents(), ("abcde".into(), "100".into()));
        cache.add("f", 20);
        // 60 bytes are kept, and the new ones added.
        assert_eq!(cache.contents(), ("cdef".into(), "80".into()));
    }

    #[test]
    fn as_much_is_removed_as_the_new_files_need() {
        let mut cache = Small::new();
        ["a", "b", "c"].iter().for_each(|name| cache.add(name, 20));
        cache.add("d", 70);
        // 100 - 70 bytes may be kept.
        assert_eq!(cache.contents(), ("cd".into(), "90".into()));
        assert!(cache.make_room(101).is_none(), "more than the cache holds");
        assert_eq!(cache.contents(), ("cd".into(), "90".into()));
    }

    #[test]
    fn a_cache_without_a_count_is_counted() {
        for damaged in [None, Some(""), Some("x"), Some("-3"), Some("18446744073709551615")] {
            let mut cache = Small::new();
            cache.write("a", 50);
            if let Some(text) = damaged {
                std::fs::write(cache.folder.path().join(COUNT), text).expect("written");
            }
            cache.add("b", 10);
            assert_eq!(cache.contents(), ("ab".into(), "60".into()), "{damaged:?}");
        }
    }

    #[test]
    fn nobody_counts_before_the_bytes_are_written() {
        let mut cache = Small::new();
        let room = cache.make_room(90);
        let path = cache.folder.path().to_owned();
        std::thread::scope(|scope| {
            // Passes the bound, and looks through the folder.
            let other = scope.spawn(|| BuildCache::at(path).make_room_within(20, 100, 60));
            std::thread::sleep(Duration::from_millis(50));
            cache.write("a", 90);
            drop(room);
            assert!(other.join().expect("no panic").is_some());
        });
        assert_eq!(cache.contents(), (String::new(), "20".into()), "what was written was seen, and removed");
    }

    #[test]
    fn builds_at_the_same_time_are_all_counted() {
        let cache = Small::new();
        std::thread::scope(|scope| {
            for _ in 0..10 {
                scope.spawn(|| assert!(cache.make_room(5).is_some()));
            }
        });
        assert_eq!(cache.contents(), (String::new(), "50".into()));
    }
}
