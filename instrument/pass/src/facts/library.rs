//! What functions without a body mean for the facts: which are operations of threads, whose results are functions of their
//! arguments, and whose are not. A function that is not listed is not understood.

use crate::ir::Value;
use llvm_sys::LLVMOpcode;

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
    /// What it returns and writes depends on its arguments and on the memory they lead to; it may look at the locale.
    Plain,
    /// What it returns and writes may be something else at another time.
    Varies,
    /// The same, and it uses something that others may use and that is not in the program's memory: a file, the state of
    /// a library.
    Outside,
    /// Writes to the stream at this position: `Plain` if that is an output of the process, else `Outside`.
    Stream {
        stream: u32,
    },
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
    "sprintf",
    "snprintf",
    "puts",
    "putchar",
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
    "usleep",
    "sleep",
];

const VARIES: &[&str] = &["time", "clock", "clock_gettime", "gettimeofday", "nanosleep", "inspect_choose", "getpid"];

const OUTSIDE: &[&str] = &[
    "open", "open64", "close", "read", "write", "pread", "pwrite", "lseek", "lseek64", "access", "fopen", "fclose",
    "fread", "fgets", "fgetc", "getc", "feof", "ferror", "fseek", "ftell", "rand", "srand", "random", "srandom",
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
        "fprintf" | "fflush" => Library::Stream { stream: 0 },
        "fputs" | "fputc" | "putc" => Library::Stream { stream: 1 },
        "fwrite" => Library::Stream { stream: 3 },
        _ if PLAIN.contains(&name) => Library::Plain,
        _ if VARIES.contains(&name) || name.starts_with("__VERIFIER_nondet_") => Library::Varies,
        _ if OUTSIDE.contains(&name) => Library::Outside,
        _ => Library::Unknown,
    }
}

/// What a call of a function without a body is.
pub(crate) fn library_call(call: Value) -> Library {
    match library(&call.callee().name()) {
        Library::Stream { stream } if call.arguments().get(stream as usize).copied().is_some_and(is_output) => {
            Library::Plain
        }
        Library::Stream { .. } => Library::Outside,
        other => other,
    }
}

/// The arguments of a call through which a library function gets at the program's memory.
pub(crate) fn pointers(call: Value) -> impl Iterator<Item = Value> {
    call.arguments().into_iter().filter(|argument| argument.ty().is_pointer() && !is_output(*argument))
}

/// The value is the C library's `stdout` or `stderr`. Calls of several threads on these count as independent.
fn is_output(stream: Value) -> bool {
    if stream.opcode() != Some(LLVMOpcode::LLVMLoad) || !stream.operand(0).is_global_variable() {
        return false;
    }
    let variable = stream.operand(0);
    let loads = |user: Value| user.opcode() == Some(LLVMOpcode::LLVMLoad);
    matches!(variable.name().as_str(), "stdout" | "stderr") && variable.users().into_iter().all(loads)
}
