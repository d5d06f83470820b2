//! Functions of `getopt.h`, `unistd.h`.

use super::CallEffect::{
    AsksDescriptor, Changes, ChangesPath, Exits, LooksUpPath, Reads, ReadsDescriptor, Writes, WritesDescriptor,
};
use super::Extent::{Argument, Text};
use super::Hidden::{Getopt, StaticResult};
use super::InLoops::Sleeps;
use super::LibraryHeader;
use super::Outcome::{Determined, Outside, Varies};
use super::PointerFlow::{GivesAway, ReturnsUnknown, StoresUnknown};
use super::Role::EndsProcess;
use super::builder::{function, variable, variadic};

pub(super) const HEADERS: &[LibraryHeader] = &[
    LibraryHeader {
        name: "getopt.h",
        rows: &[
            function("getopt", 3).announces(&[Changes(Getopt)]),
            function("getopt_long", 5).announces(&[Changes(Getopt)]),
            function("getopt_long_only", 5).announces(&[Changes(Getopt)]),
        ],
    },
    LibraryHeader {
        name: "unistd.h",
        rows: &[
            function("_Fork", 0).refused(),
            variable("__environ").harmless(),
            function("_exit", 1).announces(&[Exits]).keeps_nothing().writes_elsewhere().role(EndsProcess),
            function("access", 2).announces(&[Reads(0, Text), LooksUpPath(0)]).keeps_nothing().outcome(Outside),
            function("alarm", 1).refused().keeps_nothing(),
            function("brk", 1).harmless(),
            function("chdir", 1).refused(),
            function("chown", 3).harmless().keeps_nothing(),
            function("chroot", 1).refused(),
            function("close", 1).announces(&[ReadsDescriptor(0)]).keeps_nothing().outcome(Outside),
            function("dup", 1).announces(&[ReadsDescriptor(0)]).keeps_nothing(),
            function("dup2", 2).announces(&[ReadsDescriptor(1)]).keeps_nothing(),
            function("dup3", 3).announces(&[ReadsDescriptor(1)]),
            variable("environ").harmless(),
            variadic("execl", 2).refused(),
            variadic("execle", 2).refused(),
            variadic("execlp", 2).refused(),
            function("execv", 2).refused(),
            function("execve", 3).refused(),
            function("execvp", 2).refused(),
            function("execvpe", 3).refused(),
            function("fchdir", 1).refused(),
            function("fchown", 3).harmless().keeps_nothing(),
            function("fdatasync", 1).harmless(),
            function("fexecve", 3).refused(),
            function("fork", 0).refused(),
            function("fsync", 1).harmless().keeps_nothing(),
            function("ftruncate", 2).announces(&[WritesDescriptor(0)]).keeps_nothing(),
            function("ftruncate64", 2).announces(&[WritesDescriptor(0)]),
            function("getcwd", 2).announces(&[Writes(0, Argument(1))]),
            function("getegid", 0).harmless().keeps_nothing(),
            function("getentropy", 2).announces(&[Writes(0, Argument(1))]),
            function("geteuid", 0).harmless().keeps_nothing(),
            function("getgid", 0).harmless().keeps_nothing(),
            function("gethostname", 2).announces(&[Writes(0, Argument(1))]),
            function("getpagesize", 0).harmless().keeps_nothing(),
            function("getpgrp", 0).harmless(),
            function("getpid", 0).harmless().keeps_nothing().outcome(Varies),
            function("getppid", 0).harmless().keeps_nothing(),
            function("getsid", 1).harmless(),
            function("gettid", 0).harmless(),
            function("getuid", 0).harmless().keeps_nothing(),
            function("isatty", 1).harmless().keeps_nothing(),
            function("link", 2).harmless(),
            function("lockf", 3).refused(),
            function("lockf64", 3).refused(),
            function("lseek", 3).announces(&[ReadsDescriptor(0)]).keeps_nothing().outcome(Outside),
            function("lseek64", 3).announces(&[ReadsDescriptor(0)]).keeps_nothing().outcome(Outside),
            variable("optarg").harmless(),
            variable("opterr").harmless(),
            variable("optind").harmless(),
            variable("optopt").harmless(),
            function("pause", 0).refused(),
            function("pipe", 1).refused().keeps_nothing(),
            function("pipe2", 2).refused().keeps_nothing(),
            function("pread", 4)
                .announces(&[Writes(1, Argument(2)), AsksDescriptor(0)])
                .flows(&[StoresUnknown(1)])
                .outcome(Outside),
            function("pread64", 4).announces(&[Writes(1, Argument(2)), AsksDescriptor(0)]).flows(&[StoresUnknown(1)]),
            function("pwrite", 4)
                .announces(&[Reads(1, Argument(2)), WritesDescriptor(0)])
                .flows(&[GivesAway(1)])
                .outcome(Outside),
            function("pwrite64", 4).announces(&[Reads(1, Argument(2)), WritesDescriptor(0)]).flows(&[GivesAway(1)]),
            function("read", 3)
                .announces(&[Writes(1, Argument(2)), ReadsDescriptor(0)])
                .flows(&[StoresUnknown(1)])
                .outcome(Outside),
            function("readlink", 3).announces(&[Reads(0, Text), Writes(1, Argument(2)), LooksUpPath(0)]),
            function("rmdir", 1).announces(&[Reads(0, Text), ChangesPath(0)]).keeps_nothing(),
            function("sbrk", 1).harmless(),
            function("sleep", 1).modelled().keeps_nothing().outcome(Determined).in_loops(Sleeps),
            function("symlink", 2).harmless(),
            function("sync", 0).harmless(),
            variadic("syscall", 1).modelled(),
            function("sysconf", 1).harmless().keeps_nothing(),
            function("truncate", 2).announces(&[Reads(0, Text), ChangesPath(0)]).keeps_nothing(),
            function("ttyname", 1).announces(&[Changes(StaticResult)]).flows(&[ReturnsUnknown]),
            function("ualarm", 2).refused(),
            function("unlink", 1).announces(&[Reads(0, Text), ChangesPath(0)]).keeps_nothing(),
            function("usleep", 1).modelled().keeps_nothing().outcome(Determined).in_loops(Sleeps),
            function("vfork", 0).refused(),
            function("write", 3)
                .announces(&[Reads(1, Argument(2)), WritesDescriptor(0)])
                .flows(&[GivesAway(1)])
                .outcome(Outside),
        ],
    },
];
