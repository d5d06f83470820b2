//! What functions without a body mean for the facts: which are operations of threads, whose results are functions of their
//! arguments, and whose are not. A function that is not listed is not understood.

/// What a function is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Library {
    Lock,
    TryLock,
    Unlock,
    /// Initialises or destroys a synchronisation object.
    Lifecycle,
    /// Waits for the condition variable at the first position with the mutex at the second.
    Wait {
        timed: bool,
    },
    Wake,
    /// Starts a thread with the function and the argument at these positions.
    Create {
        function: u32,
        argument: u32,
    },
    /// Waits for a thread.
    Join,
    /// What it returns and writes depends on its arguments and on the memory they lead to.
    Plain,
    /// What it returns and writes may be something else at another time.
    Varies,
    /// Makes or frees a block of the heap: where the next one is depends on it.
    Heap,
    /// Ends the process.
    Ends,
    /// Ends the thread.
    EndsThread,
    /// Not understood.
    Unknown,
}

const PLAIN: &[&str] = &[
    "memcpy",
    "memmove",
    "memset",
    "memcmp",
    "bcmp",
    "memchr",
    "memrchr",
    "mempcpy",
    "bzero",
    "strlen",
    "strnlen",
    "strcmp",
    "strncmp",
    "strcasecmp",
    "strncasecmp",
    "strcpy",
    "strncpy",
    "strcat",
    "strncat",
    "stpcpy",
    "strchr",
    "strrchr",
    "strstr",
    "strpbrk",
    "strspn",
    "strcspn",
    "strtol",
    "strtoul",
    "strtoll",
    "strtoull",
    "strtod",
    "strtof",
    "__isoc23_strtol",
    "__isoc23_strtoul",
    "__isoc23_strtoll",
    "__isoc23_strtoull",
    "atoi",
    "atol",
    "atoll",
    "atof",
    "printf",
    "fprintf",
    "sprintf",
    "snprintf",
    "puts",
    "putchar",
    "putc",
    "fputs",
    "fputc",
    "fflush",
    "perror",
    "abs",
    "labs",
    "llabs",
    "toupper",
    "tolower",
    "isalpha",
    "isdigit",
    "isspace",
    "isalnum",
    "isupper",
    "islower",
    "__ctype_b_loc",
    "__ctype_tolower_loc",
    "__ctype_toupper_loc",
    "__errno_location",
    "pthread_self",
    "pthread_equal",
    "pthread_attr_init",
    "pthread_attr_destroy",
    "pthread_attr_setdetachstate",
    "pthread_attr_setstacksize",
    "pthread_mutexattr_init",
    "pthread_mutexattr_destroy",
    "pthread_mutexattr_settype",
    "pthread_condattr_init",
    "pthread_condattr_destroy",
    "thrd_current",
    "thrd_equal",
    "pow",
    "sqrt",
    "floor",
    "ceil",
    "fabs",
    "log",
    "log2",
    "log10",
    "exp",
    "sin",
    "cos",
    "tan",
    "atan",
    "fmod",
    "rand_r",
    "pthread_detach",
    "thrd_detach",
    "sched_yield",
    "thrd_yield",
    "inspect_assume",
    "__VERIFIER_assume",
    "__VERIFIER_atomic_begin",
    "usleep",
    "sleep",
];

const VARIES: &[&str] = &[
    "open",
    "open64",
    "close",
    "read",
    "write",
    "pread",
    "pwrite",
    "lseek",
    "lseek64",
    "fopen",
    "fclose",
    "fread",
    "fwrite",
    "fgets",
    "fgetc",
    "getc",
    "feof",
    "ferror",
    "fseek",
    "ftell",
    "time",
    "clock",
    "clock_gettime",
    "gettimeofday",
    "nanosleep",
    "rand",
    "srand",
    "random",
    "srandom",
    "inspect_choose",
    "getpid",
];

/// What a function without a body is.
pub(crate) fn library(name: &str) -> Library {
    match name {
        "pthread_mutex_lock" | "mtx_lock" => Library::Lock,
        "pthread_mutex_trylock" | "mtx_trylock" => Library::TryLock,
        "pthread_mutex_unlock" | "mtx_unlock" => Library::Unlock,
        "pthread_mutex_init"
        | "pthread_mutex_destroy"
        | "mtx_init"
        | "mtx_destroy"
        | "pthread_cond_init"
        | "pthread_cond_destroy"
        | "cnd_init"
        | "cnd_destroy" => Library::Lifecycle,
        "pthread_cond_wait" | "cnd_wait" => Library::Wait { timed: false },
        "pthread_cond_timedwait" | "cnd_timedwait" => Library::Wait { timed: true },
        "pthread_cond_signal" | "pthread_cond_broadcast" | "cnd_signal" | "cnd_broadcast" => Library::Wake,
        "pthread_create" => Library::Create { function: 2, argument: 3 },
        "thrd_create" => Library::Create { function: 1, argument: 2 },
        "pthread_join" | "thrd_join" => Library::Join,
        "malloc" | "calloc" | "realloc" | "free" | "aligned_alloc" | "posix_memalign" | "strdup" | "strndup" => {
            Library::Heap
        }
        "abort" | "__assert_fail" | "_exit" | "_Exit" | "reach_error" => Library::Ends,
        "pthread_exit" | "thrd_exit" => Library::EndsThread,
        _ if PLAIN.contains(&name) => Library::Plain,
        _ if VARIES.contains(&name) || name.starts_with("__VERIFIER_nondet_") => Library::Varies,
        _ => Library::Unknown,
    }
}
