//! What functions without a body do with the pointers they are given. A function that is not listed may do anything:
//! what it is given escapes, and what it returns may point to anything that escaped.

/// What a listed function does with pointers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Summary {
    /// Keeps none, returns none.
    KeepsNothing,
    /// Keeps none; its result may point to anything (hidden state of a library).
    ReturnsUnknown,
    /// Returns its first argument or a place inside of it.
    ReturnsFirst,
    /// Returns a new block.
    Allocates,
    /// Resizes its first argument.
    Reallocates,
    /// Stores the address of a new block where its first argument points.
    AllocatesInto,
    /// Copies memory from its second to its first argument and returns the first.
    Copies,
    /// Stores a place inside of its first argument where the second points (`strtol`).
    StoresFirstInSecond,
    /// Splits its first argument; what is left is kept where the third points (`strtok_r`).
    Tokenizes,
    /// Returns the address of a variable of the calling thread.
    ReturnsThreadVariable,
    /// Returns the address of a table that never changes.
    ReturnsConstantTable,
    /// Starts a thread: function and argument at these positions.
    StartsThread { function: u32, argument: u32 },
    /// Waits for a thread and stores its result where the argument at this position points.
    Joins { result: u32 },
    /// Calls the function at the first position with addresses inside of the argument at the second.
    CallsBack { function: u32, elements: u32 },
    /// Like `CallsBack`, for a search: the key is passed as well, and a place inside of the elements returned.
    Searches,
    /// Calls the function at this position without arguments.
    CallsPlain { function: u32 },
    /// Hands what is in the memory at this position to whoever reads the other end.
    SendsContent { buffer: u32 },
    /// Fills the memory at this position with what somebody else sent.
    ReceivesContent { buffer: u32 },
    /// Moves values between the objects its arguments point to (libatomic).
    MovesContent,
}

/// Every listed function of a summary.
#[rustfmt::skip]
const TABLE: &[(Summary, &[&str])] = &[
    (
        Summary::Allocates,
        &[
            "malloc", "calloc", "aligned_alloc", "memalign", "valloc", "pvalloc", "strdup", "strndup", "__strdup",
            "_Znwm", "_Znam", "_ZnwmRKSt9nothrow_t", "_ZnamRKSt9nothrow_t", "_ZnwmSt11align_val_t", "_ZnamSt11align_val_t",
            "_ZnwmSt11align_val_tRKSt9nothrow_t", "_ZnamSt11align_val_tRKSt9nothrow_t", "__cxa_allocate_exception", "fopen", "fopen64",
            "fdopen", "tmpfile", "opendir", "popen", "freopen",
        ],
    ),
    (Summary::Reallocates, &["realloc", "reallocarray"]),
    (Summary::AllocatesInto, &["posix_memalign", "getline", "__getdelim", "getdelim", "asprintf", "vasprintf", "__asprintf_chk", "__vasprintf_chk"]),
    (Summary::Copies, &["memcpy", "memmove", "__memcpy_chk", "__memmove_chk", "mempcpy", "__mempcpy_chk"]),
    (
        Summary::ReturnsFirst,
        &[
            "memset", "__memset_chk", "explicit_bzero", "strcpy", "strncpy", "strcat", "strncat", "stpcpy", "stpncpy", "__strcpy_chk",
            "__strncpy_chk", "__strcat_chk", "__strncat_chk", "__stpcpy_chk", "strchr", "strrchr", "strchrnul", "strstr", "strcasestr",
            "strpbrk", "memchr", "memrchr", "rawmemchr", "index", "rindex", "fgets", "__fgets_chk", "basename", "__xpg_basename",
            "dirname", "wcscpy", "wmemcpy", "wmemset",
        ],
    ),
    (
        Summary::StoresFirstInSecond,
        &[
            "strtol", "strtoul", "strtoll", "strtoull", "strtod", "strtof", "strtold", "strtoimax", "strtoumax", "__isoc23_strtol",
            "__isoc23_strtoul", "__isoc23_strtoll", "__isoc23_strtoull", "__isoc23_strtoimax", "__isoc23_strtoumax",
        ],
    ),
    (Summary::Tokenizes, &["strtok_r", "__strtok_r"]),
    (Summary::ReturnsThreadVariable, &["__errno_location", "__h_errno_location"]),
    (Summary::ReturnsConstantTable, &["__ctype_b_loc", "__ctype_tolower_loc", "__ctype_toupper_loc"]),
    (Summary::StartsThread { function: 2, argument: 3 }, &["pthread_create"]),
    (Summary::StartsThread { function: 1, argument: 2 }, &["thrd_create"]),
    (Summary::Joins { result: 1 }, &["pthread_join", "pthread_tryjoin_np", "pthread_timedjoin_np", "pthread_clockjoin_np"]),
    (Summary::CallsBack { function: 3, elements: 0 }, &["qsort"]),
    (Summary::Searches, &["bsearch"]),
    (Summary::CallsPlain { function: 1 }, &["pthread_once", "call_once"]),
    (Summary::SendsContent { buffer: 1 }, &["write", "pwrite", "pwrite64", "send", "mq_send"]),
    (Summary::SendsContent { buffer: 0 }, &["fwrite", "fwrite_unlocked"]),
    (Summary::ReceivesContent { buffer: 1 }, &["read", "pread", "pread64", "recv", "mq_receive"]),
    (Summary::ReceivesContent { buffer: 0 }, &["fread", "fread_unlocked", "__fread_chk"]),
    (
        Summary::ReturnsUnknown,
        &[
            "getenv", "secure_getenv", "strerror", "localtime", "gmtime", "asctime", "ctime", "readdir", "readdir64", "setlocale",
            "localeconv", "strtok", "pthread_getspecific", "tss_get", "__cxa_begin_catch", "__cxa_get_exception_ptr", "getpwuid",
            "getpwnam", "strsignal", "ttyname", "gettext", "dcgettext", "dlerror",
        ],
    ),
    (
        Summary::KeepsNothing,
        &[
            // Memory and strings.
            "free", "cfree", "malloc_usable_size", "_ZdlPv", "_ZdaPv", "_ZdlPvm", "_ZdaPvm", "_ZdlPvSt11align_val_t",
            "_ZdaPvSt11align_val_t", "_ZdlPvmSt11align_val_t", "_ZdaPvmSt11align_val_t", "_ZdlPvRKSt9nothrow_t", "bzero", "memcmp",
            "bcmp", "strlen", "strnlen", "strcmp", "strncmp", "strcasecmp", "strncasecmp", "strcoll", "strspn", "strcspn", "wcslen",
            "wcscmp", "wmemcmp", "strftime", "strerror_r", "__xpg_strerror_r", "atoi", "atol", "atoll", "atof",
            // Formatted input and output.
            "printf", "fprintf", "sprintf", "snprintf", "dprintf", "vprintf", "vfprintf", "vsprintf", "vsnprintf", "puts", "fputs",
            "putchar", "putc", "fputc", "putc_unlocked", "putchar_unlocked", "fgetc", "getc", "getchar", "ungetc",
            "fflush", "fclose", "pclose", "feof", "ferror", "clearerr", "fseek", "fseeko", "ftell", "ftello", "rewind", "fileno",
            "perror", "remove", "rename", "scanf", "fscanf", "sscanf", "__isoc99_scanf", "__isoc99_fscanf",
            "__isoc99_sscanf", "__isoc23_scanf", "__isoc23_fscanf", "__isoc23_sscanf", "__printf_chk", "__fprintf_chk", "__sprintf_chk",
            "__snprintf_chk", "__vprintf_chk", "__vfprintf_chk", "__vsprintf_chk", "__vsnprintf_chk", "fputs_unlocked",
            "fputc_unlocked", "flockfile", "funlockfile", "__overflow", "__uflow",
            // Descriptors, files, processes.
            "open", "open64", "openat", "creat", "close", "lseek", "lseek64",
            "pipe", "pipe2", "dup", "dup2", "stat", "fstat", "lstat", "stat64", "fstat64", "lstat64", "access", "unlink", "rmdir",
            "mkdir", "chmod", "fchmod", "chown", "fchown", "utime", "utimes", "ftruncate", "truncate", "isatty", "fsync", "closedir",
            "getpid", "getppid", "getuid", "geteuid", "getgid", "getegid", "sysconf", "getpagesize", "getrusage", "getrlimit",
            "exit", "_exit", "_Exit", "quick_exit", "abort", "__assert_fail", "__assert_perror_fail", "__assert", "__stack_chk_fail",
            "kill", "raise", "sigemptyset", "sigfillset", "sigaddset", "sigdelset", "sigismember", "sigprocmask", "pthread_sigmask",
            "setenv", "unsetenv", "system",
            // Numbers, time, sorting keys.
            "rand", "srand", "random", "srandom", "rand_r", "abs", "labs", "time", "clock", "clock_gettime", "clock_getres",
            "gettimeofday", "nanosleep", "clock_nanosleep", "usleep", "sleep", "difftime", "mktime", "alarm", "frexp", "frexpf", "frexpl",
            "modf", "modff", "modfl", "remquo", "sincos", "sincosf", "nan", "sched_yield", "sched_getcpu",
            // Threads.
            "pthread_self", "pthread_equal", "pthread_detach", "pthread_yield", "pthread_cancel",
            "pthread_setcancelstate", "pthread_setcanceltype", "pthread_testcancel", "pthread_kill", "pthread_key_delete",
            "pthread_getattr_np", "pthread_setname_np", "pthread_getname_np", "pthread_setconcurrency", "pthread_getconcurrency",
            "thrd_join", "thrd_detach", "thrd_current", "thrd_equal", "thrd_yield", "thrd_sleep", "mtx_init",
            "mtx_lock", "mtx_trylock", "mtx_timedlock", "mtx_unlock", "mtx_destroy", "cnd_init", "cnd_wait", "cnd_timedwait",
            "cnd_signal", "cnd_broadcast", "cnd_destroy", "tss_delete", "sem_init", "sem_wait", "sem_trywait", "sem_timedwait",
            "sem_clockwait", "sem_post", "sem_getvalue", "sem_destroy", "sem_close",
            // C++ runtime.
            "__cxa_guard_acquire", "__cxa_guard_release", "__cxa_guard_abort", "__cxa_end_catch", "__cxa_free_exception",
            "__cxa_rethrow", "__cxa_pure_virtual", "_ZSt9terminatev", "__clang_call_terminate", "_Unwind_Resume",
            "_ZNSt18condition_variable10notify_allEv", "_ZNSt18condition_variable10notify_oneEv",
            "_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE", "_ZNSt18condition_variableC1Ev",
            "_ZNSt18condition_variableD1Ev", "_ZNSt6thread4joinEv", "_ZNSt6thread6detachEv", "_ZNSt6thread20hardware_concurrencyEv",
            // Inspect.
            "inspect_choose", "inspect_assume",
        ],
    ),
];

/// Families of functions that keep nothing: those that begin so.
const KEEPING_NOTHING: &[&str] = &[
    "pthread_mutex_",
    "pthread_mutexattr_",
    "pthread_cond_",
    "pthread_condattr_",
    "pthread_rwlock_",
    "pthread_rwlockattr_",
    "pthread_spin_",
    "pthread_barrier_",
    "pthread_barrierattr_",
    "pthread_attr_",
    "__VERIFIER_",
    "__inspect_",
    "_ZSt20__throw_",
    "_ZSt17__throw_",
    "_ZSt19__throw_",
    "_ZSt16__throw_",
    "_ZSt18__throw_",
    "_ZSt21__throw_",
    "_ZSt24__throw_",
    "_ZSt25__throw_",
    "_ZSt28__throw_",
];

/// The summary of a function, if it is listed.
pub(crate) fn summary(name: &str) -> Option<Summary> {
    if let Some((summary, _)) = TABLE.iter().find(|(_, names)| names.contains(&name)) {
        return Some(*summary);
    }
    if name.starts_with("__atomic_") || name.starts_with("__sync_") {
        return Some(Summary::MovesContent);
    }
    KEEPING_NOTHING.iter().any(|prefix| name.starts_with(prefix)).then_some(Summary::KeepsNothing)
}

/// Whether a listed function writes to nothing but what its arguments point to themselves and blocks of its own, calls
/// nobody back and throws nothing.
pub(crate) fn writes_directly(name: &str) -> bool {
    // Lists of arguments hold addresses; the others go on from an address in memory.
    const FOLLOWS: &[&str] =
        &["vprintf", "vfprintf", "vsprintf", "vsnprintf", "getline", "getdelim", "exit", "quick_exit"];
    let plain = name.trim_start_matches('_');
    let follows = FOLLOWS.contains(&plain.trim_end_matches("_chk"));
    if follows || ["_Z", "__cxa_", "_Unwind_", "__clang_"].iter().any(|prefix| name.starts_with(prefix)) {
        return false;
    }
    match summary(name) {
        Some(
            Summary::KeepsNothing
            | Summary::ReturnsFirst
            | Summary::Copies
            | Summary::StoresFirstInSecond
            | Summary::Joins { .. }
            | Summary::SendsContent { .. }
            | Summary::ReceivesContent { .. }
            | Summary::Reallocates
            | Summary::ReturnsThreadVariable
            | Summary::ReturnsConstantTable
            | Summary::MovesContent,
        ) => true,
        Some(
            Summary::ReturnsUnknown
            | Summary::Allocates
            | Summary::AllocatesInto
            | Summary::Tokenizes
            | Summary::StartsThread { .. }
            | Summary::CallsBack { .. }
            | Summary::Searches
            | Summary::CallsPlain { .. },
        )
        | None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_is_listed_twice() {
        let mut names: Vec<&str> = TABLE.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    #[test]
    fn what_goes_on_from_an_address_in_memory_does_not_write_directly() {
        for name in
            ["strtok", "strtok_r", "getline", "__getdelim", "vsnprintf", "__vsnprintf_chk", "qsort", "exit", "unlisted"]
        {
            assert!(!writes_directly(name), "{name}");
        }
        for name in ["read", "snprintf", "__snprintf_chk", "strtoul", "memset", "sscanf"] {
            assert!(writes_directly(name), "{name}");
        }
    }

    #[test]
    fn what_keeps_or_calls_what_it_is_given_is_not_called_harmless() {
        for name in [
            "pthread_setspecific",
            "signal",
            "sigaction",
            "atexit",
            "setvbuf",
            "putenv",
            "pthread_key_create",
            "mmap",
            "tss_set",
        ] {
            assert_eq!(summary(name), None, "{name}");
        }
        assert_eq!(summary("pthread_mutex_lock"), Some(Summary::KeepsNothing));
        assert_eq!(summary("pthread_create"), Some(Summary::StartsThread { function: 2, argument: 3 }));
    }
}
