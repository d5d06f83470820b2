//! Which imported functions are known: taken over by the guest, harmless, or instrumented themselves. Of every other
//! function nobody knows what it accesses, so a program that uses one cannot be verified.

use crate::platform::elf::{self, Imports};
use crate::search::UnknownImports;
use alloc::vec::Vec;

/// Functions of the C library that access no memory but their own thread's and what the hooks see, or whose effects the
/// platform keeps inside the process or refuses when they are called. Groups with a common beginning are in
/// [`HARMLESS_FAMILIES`].
const HARMLESS: &[&str] = &[
    // Start, end, jumps.
    "__libc_start_main",
    "__cxa_atexit",
    "__cxa_finalize",
    "__cxa_thread_atexit_impl",
    "__gmon_start__",
    "atexit",
    "at_quick_exit",
    "__cxa_at_quick_exit",
    "__stack_chk_fail",
    "setjmp",
    "_setjmp",
    "sigsetjmp",
    "__sigsetjmp",
    "longjmp",
    "_longjmp",
    "siglongjmp",
    "raise",
    "__fdelt_chk",
    "__chk_fail",
    // The compiler's memory functions: their accesses are hooked where they are called.
    "memcpy",
    "memmove",
    "memset",
    "bzero",
    "bcmp",
    "explicit_bzero",
    // Per thread or constant.
    "__errno_location",
    "__ctype_b_loc",
    "__ctype_tolower_loc",
    "__ctype_toupper_loc",
    "__ctype_get_mb_cur_max",
    "__tls_get_addr",
    "environ",
    "__environ",
    "stdin",
    "stdout",
    "stderr",
    "optarg",
    "optind",
    "opterr",
    "optopt",
    "program_invocation_name",
    "program_invocation_short_name",
    "__progname",
    "timezone",
    "daylight",
    "tzname",
    "isalnum",
    "isalpha",
    "isblank",
    "iscntrl",
    "isdigit",
    "isgraph",
    "islower",
    "isprint",
    "ispunct",
    "isspace",
    "isupper",
    "isxdigit",
    "tolower",
    "toupper",
    "abs",
    "labs",
    "llabs",
    "div",
    "ldiv",
    "lldiv",
    "ffs",
    "ffsl",
    "ffsll",
    "htonl",
    "htons",
    "ntohl",
    "ntohs",
    "difftime",
    "clock",
    "sysconf",
    "getpagesize",
    "get_nprocs",
    "get_nprocs_conf",
    "getpid",
    "gettid",
    "getppid",
    "getuid",
    "geteuid",
    "getgid",
    "getegid",
    "getpgrp",
    "getsid",
    "umask",
    "isatty",
    // Threads whose state is the thread's own, or objects that are set up.
    "pthread_self",
    "pthread_equal",
    "pthread_getspecific",
    "pthread_setspecific",
    "tss_get",
    "tss_set",
    "thrd_current",
    "thrd_equal",
    "pthread_rwlock_init",
    "pthread_rwlock_destroy",
    "pthread_barrier_init",
    "pthread_barrier_destroy",
    "pthread_spin_init",
    "pthread_spin_destroy",
    "sem_init",
    "sem_destroy",
    "sem_close",
    "sem_unlink",
    "pthread_setcancelstate",
    "pthread_setcanceltype",
    "pthread_testcancel",
    "pthread_setname_np",
    "pthread_atfork",
    "pthread_getconcurrency",
    "pthread_setconcurrency",
    "pthread_sigmask",
    "sigprocmask",
    "sigaction",
    "signal",
    "sigemptyset",
    "sigfillset",
    "sigaddset",
    "sigdelset",
    "sigismember",
    "sigaltstack",
    "siginterrupt",
    "sigpending",
    // System calls that the platform models or refuses when they are made.
    "close",
    "dup",
    "dup2",
    "dup3",
    "fileno",
    "fsync",
    "fdatasync",
    "ftruncate64",
    "fcntl",
    "fcntl64",
    "ioctl",
    "mmap",
    "mmap64",
    "munmap",
    "mprotect",
    "madvise",
    "mremap",
    "brk",
    "sbrk",
    "link",
    "symlink",
    "fchmod",
    "chown",
    "fchown",
    "utime",
    "utimes",
    "utimensat",
    "futimens",
    "chdir",
    "chroot",
    "mknod",
    "tmpfile",
    "pclose",
    "wait",
    "waitpid",
    "wait3",
    "wait4",
    "waitid",
    "unshare",
    "kill",
    "killpg",
    "tgkill",
    "alarm",
    "pause",
    "sigsuspend",
    "ptrace",
    "connect",
    "bind",
    "listen",
    "accept",
    "accept4",
    "send",
    "sendto",
    "sendmsg",
    "recv",
    "recvfrom",
    "recvmsg",
    "setsockopt",
    "getsockopt",
    "shutdown",
    "select",
    "pselect",
    "poll",
    "ppoll",
    "epoll_create",
    "epoll_create1",
    "epoll_ctl",
    "epoll_wait",
    "eventfd",
    "eventfd_write",
    "eventfd_read",
    "inotify_init",
    "memfd_create",
    "shm_open",
    "shm_unlink",
    "shmget",
    "shmat",
    "shmdt",
    "semget",
    "semop",
    "msgget",
    "msgsnd",
    "msgrcv",
    "mq_open",
    "mq_send",
    "mq_receive",
    "mq_close",
    "setrlimit",
    "prctl",
    "timer_create",
    "timer_settime",
    "timerfd_create",
    "setitimer",
    "aio_read",
    "aio_write",
    "lockf",
    "flock",
    "posix_fadvise",
    "posix_fallocate",
    "sync",
    "pthread_setaffinity_np",
    "sched_getcpu",
    "pthread_getcpuclockid",
    "sched_setaffinity",
    // Standard output and error, whose order does not matter (S8).
    "putchar",
    "putchar_unlocked",
    "bsearch",
    "alphasort",
    "alphasort64",
    "versionsort",
    "dirfd",
    "assert",
];

/// Functions of the C++ library that are not called by a name of its own; they look at objects of the program.
const CXX: [&str; 2] = ["__dynamic_cast", "__once_proxy"];

/// Beginnings of names of harmless functions: attributes are accessed by whoever sets them up.
const HARMLESS_FAMILIES: &[&str] = &[
    "pthread_attr_",
    "pthread_mutexattr_",
    "pthread_condattr_",
    "pthread_rwlockattr_",
    "pthread_barrierattr_",
    "_ITM_",
    "_Unwind_",
    "__inspect_",
    // Hooked where they are called, as atomic accesses; the library's own locks are intercepted.
    "__atomic_",
];

/// Looks at what the program and its own libraries import.
pub(crate) fn unknown_imports() -> UnknownImports {
    let all = elf::imports();
    let modules = elf::modules();
    let mut unknown = UnknownImports { names: Vec::new(), cxx: false };
    for object in all.iter().filter(|object| is_instrumented(object) || object.path.is_empty()) {
        for name in &object.names {
            if is_known(name) || unknown.names.contains(name) {
                continue;
            }
            let address = elf::find(name) as u64;
            let definer = modules.iter().find(|module| (module.start..module.end).contains(&address));
            let path = definer.map_or("", |module| module.path.as_str());
            let instrumented = all.iter().any(|object| object.path == path && is_instrumented(object));
            if address == 0 || instrumented || file_name(path).starts_with("libm.so") {
                continue;
            }
            if CXX.contains(&name.as_str()) || ["_Z", "__cxa", "__gxx"].iter().any(|prefix| name.starts_with(prefix)) {
                unknown.cxx = true;
            } else {
                unknown.names.push(name.clone());
            }
        }
    }
    unknown
}

fn is_instrumented(object: &Imports) -> bool {
    object.names.iter().any(|name| name.starts_with("__inspect_"))
}

fn is_known(name: &str) -> bool {
    HARMLESS.contains(&name) || HARMLESS_FAMILIES.iter().any(|family| name.starts_with(family)) || elf::is_ours(name)
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
