//! System calls: the headers in `sys`, and others.

use super::CallEffect::{
    Advises, AsksDescriptor, ChangesPath, ForAllThreads, LooksUpPath, MapsFile, Protects, Reads, ReadsDescriptor,
    ReadsVector, Unmaps, Writes, WritesDescriptor, WritesVector,
};
use super::Extent::{Argument, Bytes, Text};
use super::LibraryHeader;
use super::Outcome::Varies;
use super::PointerFlow::{GivesAway, StoresUnknown};
use super::builder::{function, variadic};

pub(super) const HEADERS: &[LibraryHeader] = &[
    LibraryHeader {
        name: "aio.h",
        rows: &[
            function("aio_read", 1).refused(),
            function("aio_write", 1).refused(),
            function("lio_listio", 4).refused(),
        ],
    },
    LibraryHeader {
        name: "mqueue.h",
        rows: &[
            function("mq_close", 1).harmless(),
            variadic("mq_open", 2).refused(),
            function("mq_receive", 4).harmless().flows(&[StoresUnknown(1)]),
            function("mq_send", 4).harmless().flows(&[GivesAway(1)]),
        ],
    },
    LibraryHeader { name: "poll.h", rows: &[function("poll", 3).modelled(), function("ppoll", 4).harmless()] },
    LibraryHeader {
        name: "spawn.h",
        rows: &[function("posix_spawn", 6).refused(), function("posix_spawnp", 6).refused()],
    },
    LibraryHeader {
        name: "sys/epoll.h",
        rows: &[
            function("epoll_create", 1).refused(),
            function("epoll_create1", 1).refused(),
            function("epoll_ctl", 4).harmless(),
            function("epoll_wait", 4).harmless(),
        ],
    },
    LibraryHeader {
        name: "sys/eventfd.h",
        rows: &[
            function("eventfd", 2).refused(),
            function("eventfd_read", 2).harmless(),
            function("eventfd_write", 2).harmless(),
        ],
    },
    LibraryHeader { name: "sys/file.h", rows: &[function("flock", 2).refused()] },
    LibraryHeader {
        name: "sys/inotify.h",
        rows: &[function("inotify_init", 0).refused(), function("inotify_init1", 1).refused()],
    },
    LibraryHeader { name: "sys/ioctl.h", rows: &[variadic("ioctl", 2).harmless()] },
    LibraryHeader {
        name: "sys/mman.h",
        rows: &[
            function("madvise", 3).announces(&[Advises]),
            function("memfd_create", 2).refused(),
            function("mmap", 6).announces(&[MapsFile]),
            function("mmap64", 6).announces(&[MapsFile]),
            function("mprotect", 3).announces(&[Protects]),
            variadic("mremap", 4).announces(&[Unmaps]),
            function("munmap", 2).announces(&[Unmaps]),
            function("shm_open", 3).harmless(),
            function("shm_unlink", 1).harmless(),
        ],
    },
    LibraryHeader {
        name: "sys/msg.h",
        rows: &[function("msgget", 2).refused(), function("msgrcv", 5).refused(), function("msgsnd", 4).refused()],
    },
    LibraryHeader { name: "sys/prctl.h", rows: &[variadic("prctl", 1).harmless()] },
    LibraryHeader { name: "sys/ptrace.h", rows: &[variadic("ptrace", 1).refused()] },
    LibraryHeader { name: "sys/random.h", rows: &[function("getrandom", 3).announces(&[Writes(0, Argument(1))])] },
    LibraryHeader {
        name: "sys/resource.h",
        rows: &[
            function("getrlimit", 2).keeps_nothing(),
            function("getrusage", 2).keeps_nothing(),
            function("setrlimit", 2).harmless(),
        ],
    },
    LibraryHeader {
        name: "sys/select.h",
        rows: &[
            function("__fdelt_chk", 1).harmless(),
            function("pselect", 6).harmless(),
            function("select", 5).modelled(),
        ],
    },
    LibraryHeader {
        name: "sys/sem.h",
        rows: &[function("semget", 3).refused(), function("semop", 3).refused(), function("semtimedop", 4).refused()],
    },
    LibraryHeader {
        name: "sys/shm.h",
        rows: &[function("shmat", 3).refused(), function("shmdt", 1).harmless(), function("shmget", 3).refused()],
    },
    LibraryHeader { name: "sys/signalfd.h", rows: &[function("signalfd", 3).refused()] },
    LibraryHeader {
        name: "sys/socket.h",
        rows: &[
            function("accept", 3).harmless(),
            function("accept4", 4).harmless(),
            function("bind", 3).harmless(),
            function("connect", 3).harmless(),
            function("getsockopt", 5).harmless(),
            function("listen", 2).harmless(),
            function("recv", 4).harmless().flows(&[StoresUnknown(1)]),
            function("recvfrom", 6).harmless(),
            function("recvmsg", 3).harmless(),
            function("send", 4).harmless().flows(&[GivesAway(1)]),
            function("sendmsg", 3).harmless(),
            function("sendto", 6).harmless(),
            function("setsockopt", 5).harmless(),
            function("shutdown", 2).harmless(),
            function("socket", 3).refused(),
            function("socketpair", 4).refused(),
        ],
    },
    LibraryHeader {
        name: "sys/stat.h",
        rows: &[
            function("chmod", 2).announces(&[Reads(0, Text), ChangesPath(0)]).keeps_nothing(),
            function("fchmod", 2).harmless().keeps_nothing(),
            function("fstat", 2).announces(&[Writes(1, Bytes(144)), AsksDescriptor(0)]).keeps_nothing(),
            function("fstat64", 2).announces(&[Writes(1, Bytes(144)), AsksDescriptor(0)]).keeps_nothing(),
            function("futimens", 2).harmless(),
            function("lstat", 2).announces(&[Reads(0, Text), Writes(1, Bytes(144)), LooksUpPath(0)]).keeps_nothing(),
            function("lstat64", 2).announces(&[Reads(0, Text), Writes(1, Bytes(144)), LooksUpPath(0)]).keeps_nothing(),
            function("mkdir", 2).announces(&[Reads(0, Text), ChangesPath(0)]).keeps_nothing(),
            function("mkfifo", 2).refused(),
            function("mknod", 3).harmless(),
            function("stat", 2).announces(&[Reads(0, Text), Writes(1, Bytes(144)), LooksUpPath(0)]).keeps_nothing(),
            function("stat64", 2).announces(&[Reads(0, Text), Writes(1, Bytes(144)), LooksUpPath(0)]).keeps_nothing(),
            function("umask", 1).announces(&[ForAllThreads]),
            function("utimensat", 4).harmless(),
        ],
    },
    LibraryHeader {
        name: "sys/sysinfo.h",
        rows: &[function("get_nprocs", 0).harmless(), function("get_nprocs_conf", 0).harmless()],
    },
    LibraryHeader {
        name: "sys/time.h",
        rows: &[
            function("gettimeofday", 2).announces(&[Writes(0, Bytes(16))]).keeps_nothing().outcome(Varies),
            function("setitimer", 3).refused(),
            function("utimes", 2).harmless().keeps_nothing(),
        ],
    },
    LibraryHeader { name: "sys/timerfd.h", rows: &[function("timerfd_create", 2).refused()] },
    LibraryHeader {
        name: "sys/uio.h",
        rows: &[
            function("readv", 3).announces(&[WritesVector, ReadsDescriptor(0)]),
            function("writev", 3).announces(&[ReadsVector, WritesDescriptor(0)]),
        ],
    },
    LibraryHeader {
        name: "sys/wait.h",
        rows: &[
            function("wait", 1).refused(),
            function("wait3", 3).refused(),
            function("wait4", 4).refused(),
            function("waitid", 4).refused(),
            function("waitpid", 3).refused(),
        ],
    },
    LibraryHeader { name: "utime.h", rows: &[function("utime", 2).harmless().keeps_nothing()] },
];
