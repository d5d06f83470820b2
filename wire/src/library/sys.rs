//! System calls: the headers in `sys`, and others.

use super::CallEffect::{
    Advises, AsksDescriptor, AsksName, AsksStatus, ChangesFolder, ChangesPath, ChangesPathAt, ChangesSharedMemory,
    ControlsDevice, CopiesFile, LooksAtPages, LooksUpPath, MakesDescriptor, MapsFile, NamesThread, OpensSharedMemory,
    Protects, Reads, ReadsDescriptor, ReadsVector, Stores, StoresVector, Unannounced, Unmaps, Updates, UsesPriority,
    Writes, WritesDescriptor,
};
use super::Extent::{Argument, Bytes, Elements, Pages, Text};
use super::Hidden::Limits;
use super::LibraryHeader;
use super::Outcome::Varies;
use super::PointerFlow::{GivesAway, KeepsNumber, ReturnsUnknown, StoresUnknown};
use super::builder::{function, pure, variadic};
use super::reason::{A_MASK, A_SET, A_VALUE, BY_GUEST};
use super::stored::StoredExtent;

pub(super) const HEADERS: &[LibraryHeader] = &[
    LibraryHeader {
        name: "aio.h",
        rows: &[
            function("aio_read", "p").refused(),
            function("aio_write", "p").refused(),
            function("lio_listio", "icip").refused(),
        ],
    },
    LibraryHeader {
        name: "mqueue.h",
        rows: &[
            function("mq_close", "i").refused().keeps_nothing(),
            function("mq_getattr", "ip").refused().keeps_nothing(),
            function("mq_notify", "ic").refused().keeps_nothing(),
            variadic("mq_open", "ci").refused(),
            function("mq_receive", "ipip").refused().flows(&[StoresUnknown(1)]),
            function("mq_send", "icii").refused().flows(&[GivesAway(1)]),
            function("mq_setattr", "icp").refused().keeps_nothing(),
            function("mq_timedreceive", "ipipc").refused().keeps_nothing(),
            function("mq_timedsend", "iciic").refused().keeps_nothing(),
            function("mq_unlink", "c").refused().keeps_nothing(),
        ],
    },
    LibraryHeader {
        name: "poll.h",
        rows: &[
            function("poll", "pii")
                .cancellation_point()
                .modelled()
                .keeps_nothing()
                .accesses(&[Reads(0, Elements(1, 8)), Writes(0, Elements(1, 8))]),
            function("ppoll", "picc").cancellation_point().modelled().keeps_nothing().accesses(&[
                Reads(0, Elements(1, 8)),
                Writes(0, Elements(1, 8)),
                Reads(2, Bytes(16)),
                Unannounced(3, A_MASK),
            ]),
        ],
    },
    LibraryHeader {
        name: "spawn.h",
        rows: &[function("posix_spawn", "pccccc").refused(), function("posix_spawnp", "pccccc").refused()],
    },
    LibraryHeader {
        name: "sys/epoll.h",
        rows: &[
            function("epoll_create", "i").harmless().keeps_nothing(),
            function("epoll_create1", "i").harmless().keeps_nothing(),
            function("epoll_ctl", "iiip").harmless().accesses(&[Unannounced(3, BY_GUEST)]).flows(&[GivesAway(3)]),
            function("epoll_pwait", "ipiic")
                .cancellation_point()
                .modelled()
                .accesses(&[Unannounced(1, BY_GUEST), Unannounced(4, A_MASK)])
                .flows(&[StoresUnknown(1)]),
            function("epoll_pwait2", "ipicc")
                .cancellation_point()
                .modelled()
                .accesses(&[Unannounced(1, BY_GUEST), Reads(3, Bytes(16)), Unannounced(4, A_MASK)])
                .flows(&[StoresUnknown(1)]),
            function("epoll_wait", "ipii")
                .cancellation_point()
                .modelled()
                .accesses(&[Unannounced(1, BY_GUEST)])
                .flows(&[StoresUnknown(1)]),
        ],
    },
    LibraryHeader {
        name: "sys/eventfd.h",
        rows: &[
            function("eventfd", "ii").harmless().keeps_nothing(),
            function("eventfd_read", "ip")
                .announces(&[ReadsDescriptor(0), Writes(1, Bytes(8))])
                .flows(&[StoresUnknown(1)]),
            function("eventfd_write", "ii").announces(&[WritesDescriptor(0)]).flows(&[KeepsNumber(1)]),
        ],
    },
    LibraryHeader { name: "sys/file.h", rows: &[function("flock", "ii").modelled().keeps_nothing()] },
    LibraryHeader {
        name: "sys/inotify.h",
        rows: &[function("inotify_init", "").refused(), function("inotify_init1", "i").refused()],
    },
    LibraryHeader { name: "sys/ioctl.h", rows: &[variadic("ioctl", "ii").announces(&[ControlsDevice])] },
    LibraryHeader {
        name: "sys/mman.h",
        rows: &[
            function("madvise", "pii").announces(&[Advises]),
            function("memfd_create", "ci").announces(&[Reads(0, Text), MakesDescriptor]).keeps_nothing(),
            function("mincore", "pip")
                .announces(&[Writes(2, Pages(1)), LooksAtPages, Unannounced(0, A_VALUE)])
                .keeps_nothing(),
            function("mlock", "ci").announces(&[LooksAtPages, Unannounced(0, A_VALUE)]).keeps_nothing(),
            function("mlockall", "i").harmless().keeps_nothing(),
            function("mmap", "piiiii").announces(&[MapsFile, Unannounced(0, A_VALUE)]),
            function("mmap64", "piiiii").announces(&[MapsFile, Unannounced(0, A_VALUE)]),
            function("mprotect", "pii").announces(&[Protects]),
            variadic("mremap", "piii").announces(&[Unmaps]),
            function("msync", "pii")
                .cancellation_point()
                .announces(&[LooksAtPages, Unannounced(0, "\"the system writes the file back\"")]),
            function("munlock", "ci").announces(&[LooksAtPages, Unannounced(0, A_VALUE)]).keeps_nothing(),
            function("munlockall", "").harmless().keeps_nothing(),
            function("munmap", "pi").announces(&[Unmaps]),
            function("posix_madvise", "pii").announces(&[LooksAtPages, Unannounced(0, A_VALUE)]).keeps_nothing(),
            function("shm_open", "cii").announces(&[Reads(0, Text), OpensSharedMemory]).keeps_nothing(),
            function("shm_unlink", "c").announces(&[Reads(0, Text), ChangesSharedMemory(0)]).keeps_nothing(),
        ],
    },
    LibraryHeader {
        name: "sys/msg.h",
        rows: &[
            function("msgget", "ii").refused(),
            function("msgrcv", "ipiii").refused(),
            function("msgsnd", "icii").refused(),
        ],
    },
    LibraryHeader { name: "sys/prctl.h", rows: &[variadic("prctl", "i").announces(&[NamesThread, AsksName])] },
    LibraryHeader { name: "sys/ptrace.h", rows: &[variadic("ptrace", "i").refused()] },
    LibraryHeader {
        name: "sys/random.h",
        rows: &[function("getrandom", "pii").announces(&[Stores(0, StoredExtent::Result { limit: 1, size: 1 })])],
    },
    LibraryHeader {
        name: "sys/resource.h",
        rows: &[
            function("getpriority", "ii").announces(&[UsesPriority { own: false, changes: false }]).keeps_nothing(),
            function("getrlimit", "ip").announces(&[Writes(1, Bytes(16)), Updates(Limits)]).flows(&[StoresUnknown(1)]),
            function("getrlimit64", "ip")
                .announces(&[Writes(1, Bytes(16)), Updates(Limits)])
                .flows(&[StoresUnknown(1)]),
            function("getrusage", "ip").announces(&[Writes(1, Bytes(144))]).keeps_nothing().outcome(Varies),
            function("prlimit", "iicp")
                .announces(&[Reads(2, Bytes(16)), Writes(3, Bytes(16)), Updates(Limits)])
                .flows(&[GivesAway(2), StoresUnknown(3)]),
            function("prlimit64", "iicp")
                .announces(&[Reads(2, Bytes(16)), Writes(3, Bytes(16)), Updates(Limits)])
                .flows(&[GivesAway(2), StoresUnknown(3)]),
            function("setpriority", "iii")
                .announces(&[UsesPriority { own: false, changes: true }])
                .flows(&[KeepsNumber(2)]),
            function("setrlimit", "ic").announces(&[Reads(1, Bytes(16)), Updates(Limits)]).flows(&[GivesAway(1)]),
            function("setrlimit64", "ic").announces(&[Reads(1, Bytes(16)), Updates(Limits)]).flows(&[GivesAway(1)]),
        ],
    },
    LibraryHeader {
        name: "sys/select.h",
        rows: &[
            pure("__fdelt_chk", "i"),
            function("pselect", "ipppcc").refused().keeps_nothing(),
            function("select", "ipppp").cancellation_point().modelled().accesses(&[
                Reads(4, Bytes(16)),
                Writes(4, Bytes(16)),
                Unannounced(1, A_SET),
                Unannounced(2, A_SET),
                Unannounced(3, A_SET),
            ]),
        ],
    },
    LibraryHeader {
        name: "sys/sem.h",
        rows: &[
            function("semget", "iii").refused(),
            function("semop", "ipi").refused(),
            function("semtimedop", "ipic").refused(),
        ],
    },
    LibraryHeader {
        name: "sys/sendfile.h",
        rows: &[
            function("sendfile", "iipi")
                .announces(&[Writes(2, Bytes(8)), CopiesFile { from: 1, to: 0 }])
                .keeps_nothing(),
            function("sendfile64", "iipi")
                .announces(&[Writes(2, Bytes(8)), CopiesFile { from: 1, to: 0 }])
                .keeps_nothing(),
        ],
    },
    LibraryHeader {
        name: "sys/shm.h",
        rows: &[
            function("shmat", "ici").refused(),
            function("shmdt", "c").refused(),
            function("shmget", "iii").refused(),
        ],
    },
    LibraryHeader {
        name: "sys/signalfd.h",
        rows: &[function("signalfd", "ici").harmless().accesses(&[Unannounced(1, BY_GUEST)]).keeps_nothing()],
    },
    LibraryHeader {
        name: "sys/socket.h",
        rows: &[
            function("accept", "iip")
                .cancellation_point()
                .announces(&[ReadsDescriptor(0), Unannounced(2, BY_GUEST)])
                .keeps_nothing(),
            function("accept4", "iipi")
                .cancellation_point()
                .announces(&[ReadsDescriptor(0), Unannounced(2, BY_GUEST)])
                .keeps_nothing(),
            function("bind", "iii").announces(&[WritesDescriptor(0)]).keeps_nothing(),
            function("connect", "iii").cancellation_point().announces(&[WritesDescriptor(0)]).keeps_nothing(),
            function("getpeername", "iip").announces(&[AsksDescriptor(0), Unannounced(2, BY_GUEST)]).keeps_nothing(),
            function("getsockname", "iip").announces(&[AsksDescriptor(0), Unannounced(2, BY_GUEST)]).keeps_nothing(),
            function("getsockopt", "iiipp")
                .announces(&[AsksDescriptor(0), Unannounced(3, BY_GUEST), Unannounced(4, BY_GUEST)])
                .keeps_nothing(),
            function("listen", "ii").announces(&[WritesDescriptor(0)]).keeps_nothing(),
            function("recv", "ipii")
                .cancellation_point()
                .announces(&[Stores(1, StoredExtent::Result { limit: 2, size: 1 }), ReadsDescriptor(0)])
                .flows(&[StoresUnknown(1)]),
            function("recvfrom", "ipiiip")
                .cancellation_point()
                .announces(&[
                    Stores(1, StoredExtent::Result { limit: 2, size: 1 }),
                    ReadsDescriptor(0),
                    Unannounced(5, BY_GUEST),
                ])
                .flows(&[StoresUnknown(1)]),
            function("recvmmsg", "ipiip").refused().keeps_nothing(),
            function("recvmsg", "ipi").cancellation_point().announces(&[Reads(1, Bytes(56)), ReadsDescriptor(0)]),
            function("send", "icii")
                .cancellation_point()
                .announces(&[Reads(1, Argument(2)), WritesDescriptor(0)])
                .flows(&[GivesAway(1)]),
            function("sendmmsg", "ipii").refused().keeps_nothing(),
            function("sendmsg", "ici").cancellation_point().announces(&[Reads(1, Bytes(56)), WritesDescriptor(0)]),
            function("sendto", "iciiii")
                .cancellation_point()
                .announces(&[Reads(1, Argument(2)), WritesDescriptor(0)])
                .flows(&[GivesAway(1)]),
            function("setsockopt", "iiici").announces(&[WritesDescriptor(0), Unannounced(3, BY_GUEST)]).keeps_nothing(),
            function("shutdown", "ii").announces(&[WritesDescriptor(0)]).keeps_nothing(),
            function("socket", "iii").harmless(),
            function("socketpair", "iiip").announces(&[Writes(3, Bytes(8))]).keeps_nothing(),
        ],
    },
    LibraryHeader {
        name: "sys/stat.h",
        rows: &[
            function("chmod", "ci").announces(&[Reads(0, Text), ChangesPath(0)]).flows(&[KeepsNumber(1)]),
            function("fchmod", "ii").announces(&[WritesDescriptor(0)]).flows(&[KeepsNumber(1)]),
            function("fchmodat", "icii").announces(&[Reads(1, Text), ChangesPathAt]).flows(&[KeepsNumber(2)]),
            function("fstat", "ip").announces(&[Writes(1, Bytes(144)), AsksDescriptor(0)]).keeps_nothing(),
            function("fstat64", "ip").announces(&[Writes(1, Bytes(144)), AsksDescriptor(0)]).keeps_nothing(),
            function("fstatat", "icpi")
                .announces(&[Reads(1, Text), Writes(2, Bytes(144)), AsksStatus { flags: 3 }])
                .keeps_nothing(),
            function("fstatat64", "icpi")
                .announces(&[Reads(1, Text), Writes(2, Bytes(144)), AsksStatus { flags: 3 }])
                .keeps_nothing(),
            function("futimens", "ic").announces(&[Reads(1, Bytes(32)), WritesDescriptor(0)]).flows(&[GivesAway(1)]),
            function("lchmod", "ci").announces(&[Reads(0, Text), ChangesPath(0)]).flows(&[KeepsNumber(1)]),
            function("lstat", "cp").announces(&[Reads(0, Text), Writes(1, Bytes(144)), LooksUpPath(0)]).keeps_nothing(),
            function("lstat64", "cp")
                .announces(&[Reads(0, Text), Writes(1, Bytes(144)), LooksUpPath(0)])
                .keeps_nothing(),
            function("mkdir", "ci").modelled().flows(&[GivesAway(0)]).accesses(&[Reads(0, Text)]),
            function("mkdirat", "ici").modelled().flows(&[GivesAway(1)]).accesses(&[Reads(1, Text)]),
            function("mkfifo", "ci").modelled().flows(&[GivesAway(0)]).accesses(&[Reads(0, Text)]),
            function("mkfifoat", "ici").modelled().flows(&[GivesAway(1)]).accesses(&[Reads(1, Text)]),
            function("mknod", "cii").refused().keeps_nothing(),
            function("mknodat", "icii").refused().keeps_nothing(),
            function("stat", "cp").announces(&[Reads(0, Text), Writes(1, Bytes(144)), LooksUpPath(0)]).keeps_nothing(),
            function("stat64", "cp")
                .announces(&[Reads(0, Text), Writes(1, Bytes(144)), LooksUpPath(0)])
                .keeps_nothing(),
            function("statx", "iciip")
                .announces(&[Reads(1, Text), Writes(4, Bytes(256)), AsksStatus { flags: 2 }])
                .keeps_nothing(),
            function("umask", "i").announces(&[ChangesFolder]).flows(&[KeepsNumber(0)]),
            function("utimensat", "icci")
                .announces(&[Reads(1, Text), Reads(2, Bytes(32)), ChangesPathAt])
                .flows(&[GivesAway(2)]),
        ],
    },
    LibraryHeader {
        name: "sys/sysinfo.h",
        rows: &[
            function("get_avphys_pages", "").harmless().keeps_nothing(),
            function("get_nprocs", "").harmless().keeps_nothing(),
            function("get_nprocs_conf", "").harmless().keeps_nothing(),
            function("get_phys_pages", "").harmless().keeps_nothing(),
            function("sysinfo", "p").announces(&[Writes(0, Bytes(112))]).keeps_nothing(),
        ],
    },
    LibraryHeader {
        name: "sys/time.h",
        rows: &[
            function("adjtime", "cp").refused().keeps_nothing(),
            function("futimes", "ic").announces(&[Reads(1, Bytes(32)), WritesDescriptor(0)]).flows(&[GivesAway(1)]),
            function("futimesat", "icc")
                .announces(&[Reads(1, Text), Reads(2, Bytes(32)), ChangesPathAt])
                .flows(&[GivesAway(2)]),
            function("getitimer", "ip").modelled().keeps_nothing().outcome(Varies).accesses(&[Writes(1, Bytes(32))]),
            function("gettimeofday", "pp")
                .announces(&[Writes(0, Bytes(16)), Writes(1, Bytes(8))])
                .keeps_nothing()
                .outcome(Varies),
            function("lutimes", "cc")
                .announces(&[Reads(0, Text), Reads(1, Bytes(32)), ChangesPath(0)])
                .flows(&[GivesAway(1)]),
            function("setitimer", "icp")
                .modelled()
                .keeps_nothing()
                .outcome(Varies)
                .accesses(&[Reads(1, Bytes(32)), Writes(2, Bytes(32))]),
            function("settimeofday", "cc").refused().keeps_nothing(),
            function("utimes", "cc")
                .announces(&[Reads(0, Text), Reads(1, Bytes(32)), ChangesPath(0)])
                .flows(&[GivesAway(1)]),
        ],
    },
    LibraryHeader {
        name: "sys/timerfd.h",
        rows: &[
            function("timerfd_create", "ii").harmless().keeps_nothing(),
            function("timerfd_gettime", "ip")
                .harmless()
                .accesses(&[Unannounced(1, BY_GUEST)])
                .keeps_nothing()
                .outcome(Varies),
            function("timerfd_settime", "iicp")
                .harmless()
                .accesses(&[Unannounced(2, BY_GUEST), Unannounced(3, BY_GUEST)])
                .keeps_nothing()
                .outcome(Varies),
        ],
    },
    LibraryHeader {
        name: "sys/uio.h",
        rows: &[
            function("preadv", "icii").cancellation_point().announces(&[StoresVector, AsksDescriptor(0)]),
            function("preadv2", "iciii").cancellation_point().announces(&[StoresVector, ReadsDescriptor(0)]),
            function("preadv64", "icii").cancellation_point().announces(&[StoresVector, AsksDescriptor(0)]),
            function("preadv64v2", "iciii").cancellation_point().announces(&[StoresVector, ReadsDescriptor(0)]),
            function("pwritev", "icii").cancellation_point().announces(&[ReadsVector, WritesDescriptor(0)]),
            function("pwritev2", "iciii").cancellation_point().announces(&[ReadsVector, WritesDescriptor(0)]),
            function("pwritev64", "icii").cancellation_point().announces(&[ReadsVector, WritesDescriptor(0)]),
            function("pwritev64v2", "iciii").cancellation_point().announces(&[ReadsVector, WritesDescriptor(0)]),
            function("readv", "ici").cancellation_point().announces(&[StoresVector, ReadsDescriptor(0)]),
            function("writev", "ici").cancellation_point().announces(&[ReadsVector, WritesDescriptor(0)]),
        ],
    },
    LibraryHeader {
        name: "sys/wait.h",
        rows: &[
            function("wait", "p").refused(),
            function("wait3", "pip").refused(),
            function("wait4", "ipip").refused(),
            function("waitid", "iipi").refused(),
            function("waitpid", "ipi").refused(),
        ],
    },
    LibraryHeader {
        name: "utime.h",
        rows: &[function("utime", "cc")
            .announces(&[Reads(0, Text), Reads(1, Bytes(16)), ChangesPath(0)])
            .flows(&[GivesAway(1)])],
    },
    LibraryHeader {
        name: "sys/statfs.h",
        rows: &[
            function("fstatfs", "ip").announces(&[Writes(1, Bytes(120)), AsksDescriptor(0)]).keeps_nothing(),
            function("fstatfs64", "ip").announces(&[Writes(1, Bytes(120)), AsksDescriptor(0)]).keeps_nothing(),
            function("statfs", "cp")
                .announces(&[Reads(0, Text), Writes(1, Bytes(120)), LooksUpPath(0)])
                .keeps_nothing(),
            function("statfs64", "cp")
                .announces(&[Reads(0, Text), Writes(1, Bytes(120)), LooksUpPath(0)])
                .keeps_nothing(),
        ],
    },
    LibraryHeader {
        name: "sys/statvfs.h",
        rows: &[
            function("fstatvfs", "ip").announces(&[Writes(1, Bytes(112)), AsksDescriptor(0)]).keeps_nothing(),
            function("fstatvfs64", "ip").announces(&[Writes(1, Bytes(112)), AsksDescriptor(0)]).keeps_nothing(),
            function("statvfs", "cp")
                .announces(&[Reads(0, Text), Writes(1, Bytes(112)), LooksUpPath(0)])
                .keeps_nothing(),
            function("statvfs64", "cp")
                .announces(&[Reads(0, Text), Writes(1, Bytes(112)), LooksUpPath(0)])
                .keeps_nothing(),
        ],
    },
    LibraryHeader {
        name: "sys/sysmacros.h",
        rows: &[pure("gnu_dev_major", "i"), pure("gnu_dev_makedev", "ii"), pure("gnu_dev_minor", "i")],
    },
    LibraryHeader {
        name: "sys/times.h",
        rows: &[function("times", "p").announces(&[Writes(0, Bytes(32))]).keeps_nothing().outcome(Varies)],
    },
    LibraryHeader {
        name: "sys/utsname.h",
        rows: &[function("uname", "p").announces(&[Writes(0, Bytes(390))]).keeps_nothing()],
    },
    LibraryHeader { name: "sys/auxv.h", rows: &[function("getauxval", "i").harmless().flows(&[ReturnsUnknown])] },
];
