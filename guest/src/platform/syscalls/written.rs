//! Where system calls write.

use crate::platform::sys::nr;

/// The arguments that are addresses at which the call writes or which it maps anew; `second` is what the call is given
/// as its second argument.
pub(super) fn written_through(number: u32, second: u64) -> &'static [usize] {
    /// Requests for a device without a third argument: `FIONCLEX` and `FIOCLEX`.
    const WITHOUT_ADDRESS: [u32; 2] = [0x5450, 0x5451];
    match number {
        nr::__NR_ioctl if WITHOUT_ADDRESS.contains(&(second as u32)) => &[],
        nr::__NR_getcwd
        | nr::__NR_gettimeofday
        | nr::__NR_getrandom
        | nr::__NR_uname
        | nr::__NR_sysinfo
        | nr::__NR_times
        | nr::__NR_time
        | nr::__NR_pipe
        | nr::__NR_pipe2
        | nr::__NR_poll
        | nr::__NR_mmap
        | nr::__NR_munmap
        | nr::__NR_mprotect
        | nr::__NR_madvise => &[0],
        nr::__NR_read
        | nr::__NR_pread64
        | nr::__NR_getdents64
        | nr::__NR_readlink
        | nr::__NR_fstat
        | nr::__NR_stat
        | nr::__NR_lstat
        | nr::__NR_clock_gettime
        | nr::__NR_clock_getres
        | nr::__NR_getrusage
        | nr::__NR_getrlimit
        | nr::__NR_getitimer
        | nr::__NR_nanosleep
        | nr::__NR_sigaltstack
        | nr::__NR_getgroups
        | nr::__NR_wait4 => &[1],
        nr::__NR_readlinkat
        | nr::__NR_newfstatat
        | nr::__NR_rt_sigaction
        | nr::__NR_rt_sigprocmask
        | nr::__NR_sched_getaffinity
        | nr::__NR_ioctl
        | nr::__NR_mincore
        | nr::__NR_sendfile => &[2],
        nr::__NR_prlimit64 | nr::__NR_clock_nanosleep => &[3],
        nr::__NR_statx => &[4],
        nr::__NR_mremap => &[0],
        nr::__NR_copy_file_range => &[1, 3],
        nr::__NR_getresuid | nr::__NR_getresgid => &[0, 1, 2],
        other => written_through_by_socket_call(other),
    }
}

fn written_through_by_socket_call(number: u32) -> &'static [usize] {
    match number {
        nr::__NR_recvfrom => &[1],
        nr::__NR_accept | nr::__NR_accept4 | nr::__NR_getsockname | nr::__NR_getpeername => &[1, 2],
        nr::__NR_socketpair => &[3],
        nr::__NR_getsockopt => &[3, 4],
        _ => &[],
    }
}
