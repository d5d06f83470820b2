//! Functions of `getopt.h`, `unistd.h`.

use super::CallEffect::{
    AsksDescriptor, Changes, ChangesFolder, ChangesPath, ChangesPathAt, ClosesDescriptor, CopiesFile,
    DuplicatesDescriptor, Exits, Looks, LooksAtFolder, LooksUpPath, LooksUpPathAt, Reads, ReadsDescriptor,
    ReadsVariable, ReplacesDescriptor, Stores, TakesOption, Unannounced, UsesPriority, Writes, WritesDescriptor,
    WritesResult, WritesVariable,
};
use super::Extent::{Argument, Bytes, IntElements, Signed, Text};
use super::Hidden::{Environment, Getopt, LoginName, TerminalName};
use super::InLoops::{Operation, Sleeps};
use super::LibraryHeader;
use super::Outcome::{Determined, Outside, Varies};
use super::PointerFlow::{Copies, GivesAway, KeepsNumber, ReturnsBlock, ReturnsInside, ReturnsUnknown, StoresUnknown};
use super::Role::EndsProcess;
use super::builder::{function, variable, variadic};
use super::reason::A_VALUE;
use super::stored::{Present, StoredExtent};

pub(super) const HEADERS: &[LibraryHeader] = &[
    LibraryHeader {
        name: "getopt.h",
        rows: &[
            function("getopt", "icc").announces(&[
                Changes(Getopt),
                ReadsVariable("opterr", 4),
                WritesVariable("optind", 4),
                WritesVariable("optarg", 8),
                WritesVariable("optopt", 4),
                Writes(1, IntElements(0, 8)),
                TakesOption { long: false },
                Reads(2, Text),
            ]),
            function("getopt_long", "icccp").announces(&[
                Changes(Getopt),
                ReadsVariable("opterr", 4),
                WritesVariable("optind", 4),
                WritesVariable("optarg", 8),
                WritesVariable("optopt", 4),
                Writes(1, IntElements(0, 8)),
                TakesOption { long: true },
                Reads(2, Text),
                Writes(4, Bytes(4)),
            ]),
            function("getopt_long_only", "icccp").announces(&[
                Changes(Getopt),
                ReadsVariable("opterr", 4),
                WritesVariable("optind", 4),
                WritesVariable("optarg", 8),
                WritesVariable("optopt", 4),
                Writes(1, IntElements(0, 8)),
                TakesOption { long: true },
                Reads(2, Text),
                Writes(4, Bytes(4)),
            ]),
        ],
    },
    LibraryHeader {
        name: "unistd.h",
        rows: &[
            function("_Fork", "").refused(),
            variable("__environ").harmless(),
            function("_exit", "i")
                .announces(&[Exits { cleanly: false }])
                .keeps_nothing()
                .writes_elsewhere()
                .role(EndsProcess),
            function("access", "ci").announces(&[Reads(0, Text), LooksUpPath(0)]).keeps_nothing().outcome(Outside),
            function("alarm", "i").modelled().keeps_nothing().outcome(Varies),
            function("brk", "p").harmless().accesses(&[Unannounced(0, A_VALUE)]),
            function("chdir", "c").announces(&[Reads(0, Text), ChangesFolder]).keeps_nothing(),
            function("chown", "cii")
                .announces(&[Reads(0, Text), ChangesPath(0)])
                .flows(&[KeepsNumber(1), KeepsNumber(2)]),
            function("chroot", "c").refused(),
            function("close", "i")
                .cancellation_point()
                .announces(&[ClosesDescriptor(0)])
                .keeps_nothing()
                .outcome(Outside),
            function("confstr", "ipi")
                .announces(&[Stores(1, StoredExtent::Result { limit: 2, size: 1 })])
                .keeps_nothing(),
            function("copy_file_range", "ipipii")
                .cancellation_point()
                .announces(&[Writes(1, Bytes(8)), Writes(3, Bytes(8)), CopiesFile { from: 0, to: 2 }])
                .keeps_nothing(),
            function("dup", "i").announces(&[DuplicatesDescriptor(0)]).keeps_nothing(),
            function("dup2", "ii").announces(&[ReplacesDescriptor]).keeps_nothing(),
            function("dup3", "iii").announces(&[ReplacesDescriptor]),
            function("eaccess", "ci").announces(&[Reads(0, Text), LooksUpPath(0)]).keeps_nothing().outcome(Outside),
            variable("environ").harmless(),
            function("euidaccess", "ci").announces(&[Reads(0, Text), LooksUpPath(0)]).keeps_nothing().outcome(Outside),
            variadic("execl", "cc").refused(),
            variadic("execle", "cc").refused(),
            variadic("execlp", "cc").refused(),
            function("execv", "cc").refused(),
            function("execve", "ccc").refused(),
            function("execvp", "cc").refused(),
            function("execvpe", "ccc").refused(),
            function("faccessat", "icii").announces(&[Reads(1, Text), LooksUpPathAt]).keeps_nothing(),
            function("fchdir", "i").announces(&[AsksDescriptor(0), ChangesFolder]).keeps_nothing(),
            function("fchown", "iii").announces(&[WritesDescriptor(0)]).flows(&[KeepsNumber(1), KeepsNumber(2)]),
            function("fchownat", "iciii")
                .announces(&[Reads(1, Text), ChangesPathAt])
                .flows(&[KeepsNumber(2), KeepsNumber(3)]),
            function("fdatasync", "i").cancellation_point().announces(&[AsksDescriptor(0)]).keeps_nothing(),
            function("fexecve", "icc").refused(),
            function("fork", "").refused(),
            function("fpathconf", "ii").announces(&[AsksDescriptor(0)]).keeps_nothing(),
            function("fsync", "i").cancellation_point().announces(&[AsksDescriptor(0)]).keeps_nothing(),
            function("ftruncate", "ii").announces(&[WritesDescriptor(0)]).flows(&[KeepsNumber(1)]),
            function("ftruncate64", "ii").announces(&[WritesDescriptor(0)]).flows(&[KeepsNumber(1)]),
            function("get_current_dir_name", "").announces(&[Looks(Environment), LooksAtFolder]).flows(&[ReturnsBlock]),
            function("getcwd", "pi")
                .announces(&[
                    Stores(0, StoredExtent::Text { limit: 1, present: Present::ResultIsPositive }),
                    LooksAtFolder,
                ])
                .flows(&[ReturnsInside(0), ReturnsBlock]),
            function("getdomainname", "pi")
                .announces(&[Stores(0, StoredExtent::Text { limit: 1, present: Present::Always })])
                .keeps_nothing(),
            function("getdtablesize", "").harmless().keeps_nothing(),
            function("getegid", "").harmless().keeps_nothing(),
            function("getentropy", "pi").announces(&[Writes(0, Argument(1))]).keeps_nothing(),
            function("geteuid", "").harmless().keeps_nothing(),
            function("getgid", "").harmless().keeps_nothing(),
            function("getgroups", "ip")
                .announces(&[Stores(1, StoredExtent::IntResult { limit: 0, size: 4 })])
                .keeps_nothing(),
            function("gethostid", "").refused().keeps_nothing(),
            function("gethostname", "pi")
                .announces(&[Stores(0, StoredExtent::Text { limit: 1, present: Present::Always })])
                .keeps_nothing(),
            function("getlogin", "").announces(&[Changes(LoginName), WritesResult(Text)]).flows(&[ReturnsUnknown]),
            function("getpagesize", "").harmless().keeps_nothing(),
            function("getpgid", "i").harmless().keeps_nothing(),
            function("getpgrp", "").harmless().keeps_nothing(),
            function("getpid", "").harmless().keeps_nothing().outcome(Varies),
            function("getppid", "").harmless().keeps_nothing(),
            function("getresgid", "ppp")
                .announces(&[Writes(0, Bytes(4)), Writes(1, Bytes(4)), Writes(2, Bytes(4))])
                .keeps_nothing(),
            function("getresuid", "ppp")
                .announces(&[Writes(0, Bytes(4)), Writes(1, Bytes(4)), Writes(2, Bytes(4))])
                .keeps_nothing(),
            function("getsid", "i").harmless().keeps_nothing(),
            function("gettid", "").harmless().keeps_nothing(),
            function("getuid", "").harmless().keeps_nothing(),
            function("isatty", "i").announces(&[AsksDescriptor(0)]).keeps_nothing(),
            function("lchown", "cii")
                .announces(&[Reads(0, Text), ChangesPath(0)])
                .flows(&[KeepsNumber(1), KeepsNumber(2)]),
            function("link", "cc")
                .modelled()
                .flows(&[GivesAway(0), GivesAway(1)])
                .accesses(&[Reads(0, Text), Reads(1, Text)]),
            function("linkat", "icici")
                .modelled()
                .flows(&[GivesAway(1), GivesAway(3)])
                .accesses(&[Reads(1, Text), Reads(3, Text)]),
            function("lockf", "iii").cancellation_point().announces(&[AsksDescriptor(0)]).keeps_nothing(),
            function("lockf64", "iii").cancellation_point().announces(&[AsksDescriptor(0)]).keeps_nothing(),
            function("lseek", "iii").announces(&[ReadsDescriptor(0)]).flows(&[KeepsNumber(1)]).outcome(Outside),
            function("lseek64", "iii").announces(&[ReadsDescriptor(0)]).flows(&[KeepsNumber(1)]).outcome(Outside),
            function("nice", "i").announces(&[UsesPriority { own: true, changes: true }]).flows(&[KeepsNumber(0)]),
            variable("optarg").harmless(),
            variable("opterr").harmless(),
            variable("optind").harmless(),
            variable("optopt").harmless(),
            function("pathconf", "ci").announces(&[Reads(0, Text), LooksUpPath(0)]).keeps_nothing(),
            function("pause", "").cancellation_point().modelled().keeps_nothing(),
            function("pipe", "p").announces(&[Writes(0, Bytes(8))]).keeps_nothing(),
            function("pipe2", "pi").announces(&[Writes(0, Bytes(8))]).keeps_nothing(),
            function("pread", "ipii")
                .cancellation_point()
                .announces(&[Stores(1, StoredExtent::Result { limit: 2, size: 1 }), AsksDescriptor(0)])
                .flows(&[StoresUnknown(1)])
                .outcome(Outside),
            function("pread64", "ipii")
                .cancellation_point()
                .announces(&[Stores(1, StoredExtent::Result { limit: 2, size: 1 }), AsksDescriptor(0)])
                .flows(&[StoresUnknown(1)]),
            function("pwrite", "icii")
                .cancellation_point()
                .announces(&[Reads(1, Argument(2)), WritesDescriptor(0)])
                .flows(&[GivesAway(1)])
                .outcome(Outside),
            function("pwrite64", "icii")
                .cancellation_point()
                .announces(&[Reads(1, Argument(2)), WritesDescriptor(0)])
                .flows(&[GivesAway(1)]),
            function("read", "ipi")
                .cancellation_point()
                .announces(&[Stores(1, StoredExtent::Result { limit: 2, size: 1 }), ReadsDescriptor(0)])
                .flows(&[StoresUnknown(1)])
                .outcome(Outside),
            function("readlink", "cpi")
                .announces(&[Reads(0, Text), Stores(1, StoredExtent::Result { limit: 2, size: 1 }), LooksUpPath(0)])
                .keeps_nothing(),
            function("readlinkat", "icpi")
                .announces(&[Reads(1, Text), Stores(2, StoredExtent::Result { limit: 3, size: 1 }), LooksUpPathAt])
                .keeps_nothing(),
            function("rmdir", "c").modelled().flows(&[GivesAway(0)]).accesses(&[Reads(0, Text)]),
            function("sbrk", "i").harmless().flows(&[ReturnsUnknown]),
            function("setegid", "i").refused().keeps_nothing(),
            function("seteuid", "i").refused().keeps_nothing(),
            function("setgid", "i").refused().keeps_nothing(),
            function("setpgid", "ii").refused().keeps_nothing(),
            function("setregid", "ii").refused().keeps_nothing(),
            function("setresgid", "iii").refused().keeps_nothing(),
            function("setresuid", "iii").refused().keeps_nothing(),
            function("setreuid", "ii").refused().keeps_nothing(),
            function("setsid", "").refused().keeps_nothing(),
            function("setuid", "i").refused().keeps_nothing(),
            function("sleep", "i").cancellation_point().modelled().keeps_nothing().outcome(Determined).in_loops(Sleeps),
            function("swab", "cpi")
                .announces(&[Reads(0, Signed(2)), Writes(1, Signed(2))])
                .flows(&[Copies { to: 1, from: 0 }])
                .outcome(Determined),
            function("symlink", "cc")
                .modelled()
                .flows(&[GivesAway(0), GivesAway(1)])
                .accesses(&[Reads(0, Text), Reads(1, Text)]),
            function("symlinkat", "cic")
                .modelled()
                .flows(&[GivesAway(0), GivesAway(2)])
                .accesses(&[Reads(0, Text), Reads(2, Text)]),
            function("sync", "").harmless(),
            function("syncfs", "i").announces(&[AsksDescriptor(0)]).keeps_nothing(),
            variadic("syscall", "i").modelled().in_loops(Operation),
            function("sysconf", "i").harmless().keeps_nothing(),
            function("tcgetpgrp", "i").announces(&[AsksDescriptor(0)]).keeps_nothing(),
            function("truncate", "ci").announces(&[Reads(0, Text), ChangesPath(0)]).flows(&[KeepsNumber(1)]),
            function("truncate64", "ci").announces(&[Reads(0, Text), ChangesPath(0)]).flows(&[KeepsNumber(1)]),
            function("ttyname", "i").announces(&[Changes(TerminalName), WritesResult(Text)]).flows(&[ReturnsUnknown]),
            function("ttyname_r", "ipi")
                .announces(&[Stores(1, StoredExtent::Text { limit: 2, present: Present::ResultIsZero })])
                .keeps_nothing(),
            function("ualarm", "ii").modelled().keeps_nothing().outcome(Varies),
            function("unlink", "c").announces(&[Reads(0, Text), ChangesPath(0)]).keeps_nothing(),
            function("unlinkat", "ici").announces(&[Reads(1, Text), ChangesPathAt]).keeps_nothing(),
            function("usleep", "i")
                .cancellation_point()
                .modelled()
                .keeps_nothing()
                .outcome(Determined)
                .in_loops(Sleeps),
            function("vfork", "").refused(),
            function("write", "ici")
                .cancellation_point()
                .announces(&[Reads(1, Argument(2)), WritesDescriptor(0)])
                .flows(&[GivesAway(1)])
                .outcome(Outside),
        ],
    },
];
