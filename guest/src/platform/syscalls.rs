//! What becomes of each system call of the program: served by the kernel, served by the guest, or not modelled.
//!
//! A call is passed on only if it changes nothing that outlives the run, or changes it in a way that is undone after
//! the run. Every call that is not in this file is not modelled.

mod advice;
mod answer;
mod io;
mod memory;
mod written;

use super::call::{Call, Served};
use super::elf::engine_ranges;
use super::fiber::PROCESS;
use super::sys::{self, nr};
use super::upcalls::upcalls;
use super::{
    affinity, attributes, channels, clock, fiber, files, limits, membarrier, names, recover, sigaction, snapshot,
    thread_attributes,
};
use answer::{deliver, is_refused, pass, random};
use sys::errno::{EFAULT, EINVAL, ENOSYS, EPERM};
use sys::error;
use written::written_through;

use Served::{Done, OnStack};

/// Serves a call, in the signal handler.
pub(super) fn serve(call: &Call) -> Served {
    let [a, b, c, d, ..] = call.args;
    // The kernel must not write to the engine's memory for the program: for the program there is nothing. Registers
    // that the call does not use may hold anything.
    let is_engine = |&address: &u64| engine_ranges().iter().any(|engine| engine.contains(address));
    if written_through(call.number, b).iter().map(|&number| call.args[number]).any(|address| is_engine(&address)) {
        return Done(error(EFAULT));
    }
    if is_file_access(call.number) && files::is_mapped(a) || channels::any() && is_of_channel(call) {
        return OnStack;
    }
    match call.number {
        nr::__NR_write | nr::__NR_pwrite64 | nr::__NR_pwritev => io::write(call),
        nr::__NR_writev => io::write_vector(call),
        nr::__NR_read | nr::__NR_pread64 => io::read(call, &[(b, c)]),
        nr::__NR_readv | nr::__NR_preadv => io::read_vector(call),
        nr::__NR_preadv2 | nr::__NR_pwritev2 => io::with_flags(call).map_or(OnStack, |call| serve(&call)),
        nr::__NR_getdents64 | nr::__NR_getcwd => fill(call),
        nr::__NR_close => Done(files::close(a)),
        nr::__NR_close_range => io::close_range(a, b, c),
        nr::__NR_dup => Done(files::duplicate(a, None, false)),
        nr::__NR_dup2 => Done(files::duplicate_to(a, b, 0)),
        nr::__NR_dup3 => Done(if a == b { error(EINVAL) } else { files::duplicate_to(a, b, c) }),
        nr::__NR_lseek => io::seek(call),
        nr::__NR_fcntl => io::file_control(call),
        nr::__NR_fstat => io::stat_descriptor(call, a, b),
        nr::__NR_umask => Done(files::set_umask(a)),
        nr::__NR_sendfile => io::answered(files::send(a, files::Side { fd: b, position: c }, d)),
        nr::__NR_copy_file_range => {
            let [from, to] = [files::Side { fd: a, position: b }, files::Side { fd: c, position: d }];
            io::answered(files::copy_range(from, to, call.args[4], call.args[5]))
        }
        nr::__NR_ftruncate | nr::__NR_fallocate | nr::__NR_fsync | nr::__NR_fdatasync => io::on_overlay(call),
        nr::__NR_chmod
        | nr::__NR_fchmod
        | nr::__NR_fchmodat
        | nr::__NR_chown
        | nr::__NR_lchown
        | nr::__NR_fchown
        | nr::__NR_fchownat
        | nr::__NR_utime
        | nr::__NR_utimes
        | nr::__NR_futimesat
        | nr::__NR_utimensat => io::answered(attributes::change(call.number, &call.args)),
        nr::__NR_ioctl => io::ioctl(call),
        _ => serve_other(call),
    }
}

/// A call on a path, on memory, or about time and the process.
fn serve_other(call: &Call) -> Served {
    if is_refused(call) {
        return Done(error(EINVAL));
    }
    let served = serve_path(call).or_else(|| io::unobserved(call)).or_else(|| memory::serve(call));
    served.unwrap_or_else(|| serve_time_and_process(call))
}

/// A call on a path; None if it is another one.
fn serve_path(call: &Call) -> Option<Served> {
    const CREATE: u64 = (nr::O_CREAT | nr::O_WRONLY | nr::O_TRUNC) as u64;
    const REMOVE_FOLDER: u64 = 0x200;
    let [a, b, c, d, e, ..] = call.args;
    let current = files::CURRENT_DIRECTORY;
    Some(io::answered(match call.number {
        nr::__NR_open => files::open(current, a, b, c as u32),
        nr::__NR_creat => files::open(current, a, CREATE, b as u32),
        nr::__NR_openat => files::open(a as i32, b, c, d as u32),
        nr::__NR_chdir => files::change_folder(a),
        nr::__NR_fchdir => files::change_to_descriptor(a),
        nr::__NR_memfd_create => files::make_memory_file(a, b),
        nr::__NR_statx => return Some(io::extended_status(call)),
        nr::__NR_stat => return Some(io::stat(call, current, a, b, true)),
        nr::__NR_lstat => return Some(io::stat(call, current, a, b, false)),
        nr::__NR_newfstatat if io::has_unknown_flags(d) => Err(EINVAL.into()),
        nr::__NR_newfstatat if io::is_of_descriptor(b, d) => return Some(io::stat_descriptor(call, a, c)),
        nr::__NR_newfstatat => return Some(io::stat(call, a as i32, b, c, d & io::NOFOLLOW == 0)),
        nr::__NR_access => files::access(current, a, b, 0),
        nr::__NR_faccessat => files::access(a as i32, b, c, 0),
        nr::__NR_faccessat2 => files::access(a as i32, b, c, d),
        nr::__NR_statfs if !files::is_moved(a) => return Some(io::file_system(call)),
        nr::__NR_readlink => files::read_link(current, a, b, c),
        nr::__NR_readlinkat => files::read_link(a as i32, b, c, d),
        nr::__NR_truncate => files::truncate(a, b),
        nr::__NR_unlink => files::unlink(current, a),
        nr::__NR_unlinkat if c == 0 => files::unlink(a as i32, b),
        nr::__NR_unlinkat if c == REMOVE_FOLDER => files::remove_folder(a as i32, b),
        nr::__NR_rmdir => files::remove_folder(current, a),
        nr::__NR_mkdir => files::make_folder(current, a, b as u32),
        nr::__NR_mkdirat => files::make_folder(a as i32, b, c as u32),
        nr::__NR_link => files::link((current, a), (current, b), 0),
        nr::__NR_linkat => files::link((a as i32, b), (c as i32, d), e),
        nr::__NR_symlink => files::symlink(a, current, b),
        nr::__NR_symlinkat => files::symlink(a, b as i32, c),
        nr::__NR_rename => files::rename((current, a), (current, b)),
        nr::__NR_renameat => files::rename((a as i32, b), (c as i32, d)),
        _ => return None,
    }))
}

/// A call that fills a buffer with what the kernel knows of folders.
fn fill(call: &Call) -> Served {
    let [a, b, c, ..] = call.args;
    let (buffer, len) = if call.number == nr::__NR_getcwd { (a, b) } else { (b, c) };
    snapshot::heat_range(buffer, len.min(1 << 20));
    if call.number == nr::__NR_getcwd
        && let Some(shown) = files::show_folder(a, b)
    {
        return io::answered(shown);
    }
    if call.number == nr::__NR_getdents64 {
        files::note_change();
        if let Some(read) = files::read_listing(a, b, c) {
            return io::answered(read);
        }
    }
    Done(pass(call))
}

fn serve_time_and_process(call: &Call) -> Served {
    let [a, b, c, d, ..] = call.args;
    match call.number {
        nr::__NR_clock_gettime => match shown(call, a) {
            Some(now) => Done(deliver(b, &clock::TimeSpec::of(now))),
            None => Done(error(EINVAL)),
        },
        nr::__NR_gettimeofday => Done(time_of_day(call)),
        nr::__NR_time => {
            let seconds = shown(call, REALTIME).unwrap_or(0) / 1_000_000_000;
            Done(if a == 0 || deliver(a, &seconds) == 0 { seconds as i64 } else { error(EFAULT) })
        }
        nr::__NR_times => {
            let ticks = shown(call, PROCESSOR).unwrap_or(0) / 10_000_000;
            Done(if a == 0 || deliver(a, &[ticks, 0, 0, 0]) == 0 { ticks as i64 } else { error(EFAULT) })
        }
        // Of the process, its children or the thread.
        nr::__NR_getrusage if !matches!(a as i32, -1..=1) => Done(error(EINVAL)),
        nr::__NR_getrusage => {
            let now = clock::TimeSpec::of(shown(call, PROCESSOR).unwrap_or(0));
            let mut usage = [0u64; 18];
            (usage[0], usage[1]) = (now.seconds as u64, now.fraction as u64 / 1000);
            Done(deliver(b, &usage))
        }
        nr::__NR_sysinfo => Done(deliver(a, &[100_000u64, 0, 0, 0, 8 << 30, 4 << 30, 0, 0, 0, 0, 100, 0, 0, 1])),
        nr::__NR_getrandom => Done(random(a, b)),
        nr::__NR_getpid | nr::__NR_getpgrp => Done(PROCESS as i64),
        nr::__NR_getpgid | nr::__NR_getsid if a == 0 || a == PROCESS => Done(PROCESS as i64),
        nr::__NR_getppid => Done(PROCESS as i64 - 1),
        nr::__NR_gettid | nr::__NR_set_tid_address => {
            upcalls().note_identity();
            Done((PROCESS + fiber::current_slot() as u64) as i64)
        }
        nr::__NR_getcpu => {
            let delivered = (a == 0 || deliver(a, &affinity::present()) == 0) && (b == 0 || deliver(b, &0u32) == 0);
            Done(if delivered { 0 } else { error(EFAULT) })
        }
        nr::__NR_rt_sigaction => sigaction::action(a, b, c),
        nr::__NR_rt_sigprocmask if b != 0 && sigaction::pending() != 0 || sigaction::changes_unseen(a, b) => OnStack,
        nr::__NR_rt_sigprocmask => Done(sigaction::mask(a, b, c)),
        nr::__NR_sigaltstack => Done(sigaction::alternate_stack(a, b)),
        nr::__NR_rt_sigpending => Done(deliver(a, &sigaction::pending())),
        nr::__NR_getrlimit => limits::exchange(a, 0, b).map_or(OnStack, Done),
        nr::__NR_setrlimit => limits::exchange(a, b, 0).map_or(OnStack, Done),
        nr::__NR_prlimit64 if a == 0 || a == PROCESS => limits::exchange(b, c, d).map_or(OnStack, Done),
        nr::__NR_prctl => thread_attributes::control(a, b).map_or(OnStack, Done),
        nr::__NR_arch_prctl if a != ARCH_SET_FS && a != ARCH_SET_GS => Done(pass(call)),
        nr::__NR_sched_setaffinity => Done(affinity::set(a, b, c)),
        nr::__NR_sched_getaffinity => Done(affinity::get(a, b, c)),
        // The kernel reads this list at the end of one of its threads, and none ends during a run.
        nr::__NR_set_robust_list => Done(0),
        nr::__NR_rseq | nr::__NR_io_uring_setup => Done(error(ENOSYS)),
        nr::__NR_uname
        | nr::__NR_getuid
        | nr::__NR_geteuid
        | nr::__NR_getgid
        | nr::__NR_getegid
        | nr::__NR_getgroups
        | nr::__NR_getresuid
        | nr::__NR_getresgid
        | nr::__NR_sched_get_priority_max
        | nr::__NR_sched_get_priority_min
        | nr::__NR_clock_getres
        | nr::__NR_fstatfs
        | nr::__NR_capget => Done(pass(call)),
        nr::__NR_sched_getparam | nr::__NR_sched_getscheduler => ask_about(call, 0),
        nr::__NR_getpriority => thread_attributes::priority(a, b).map_or(OnStack, Done),
        nr::__NR_setpriority => thread_attributes::set_priority(a, b, c).map_or(OnStack, Done),
        _ => OnStack,
    }
}

const ARCH_SET_GS: u64 = 0x1001;
const ARCH_SET_FS: u64 = 0x1002;

const RAW_SIGNAL: &str = "a signal sent by a system call of the program's own, or by tgkill";

/// Serves a call on the stack of its thread, where it may switch to another one.
pub(super) fn serve_on_stack(call: &Call) -> i64 {
    let [a, b, c, ..] = call.args;
    let call = &io::with_flags(call).unwrap_or(*call);
    match call.number {
        nr::__NR_futex => futex(call),
        nr::__NR_membarrier => membarrier::call(a, b),
        nr::__NR_sched_yield => {
            upcalls().on_yield(call.pc);
            0
        }
        nr::__NR_nanosleep => sleep(call, a, false),
        nr::__NR_clock_nanosleep => sleep(call, c, b & 1 != 0),
        nr::__NR_pause | nr::__NR_rt_sigsuspend => unmodelled("waiting for a signal", call),
        nr::__NR_rt_sigprocmask if sigaction::changes_unseen(a, b) => {
            unmodelled("a change of the signal mask other than by sigprocmask or pthread_sigmask", call)
        }
        nr::__NR_rt_sigprocmask => sigaction::mask_and_deliver(a, b, c, call.place()),
        nr::__NR_kill | nr::__NR_tkill if sigaction::are_sent() && b != 0 => unmodelled(RAW_SIGNAL, call),
        nr::__NR_tgkill if sigaction::are_sent() && c != 0 => unmodelled(RAW_SIGNAL, call),
        nr::__NR_kill if a == PROCESS || a == 0 => sigaction::raise_in_process(b, call.place()),
        nr::__NR_tkill if is_own_thread(a) => sigaction::raise(b, call.place()),
        nr::__NR_tgkill if a == PROCESS && is_own_thread(b) => sigaction::raise(c, call.place()),
        nr::__NR_getdents64 => unmodelled("a listing of a folder from before main in which names have changed", call),
        nr::__NR_mmap if files::is_mapped(call.args[4]) => unmodelled("mmap of a file that is mapped already", call),
        nr::__NR_brk => unmodelled("brk or sbrk, which moves the end of the data segment", call),
        nr::__NR_mmap => unmodelled("mmap at a fixed address where the run has mapped nothing", call),
        _ if is_of_channel(call) || makes_channel_or_polls(call.number) => upcalls().on_channel_call(call),
        nr::__NR_madvise | nr::__NR_mprotect | nr::__NR_mremap => unmodelled(memory::refused(call), call),
        _ if is_file_access(call.number) && files::is_mapped(a) => {
            unmodelled("a read, write or change of size of a file that is mapped", call)
        }
        nr::__NR_read | nr::__NR_readv => unmodelled("read from a pipe, terminal or device", call),
        _ if channels::opened_fifo(call).is_some() => upcalls().on_channel_call(call),
        nr::__NR_open | nr::__NR_openat | nr::__NR_creat => {
            unmodelled("open of a pipe, a socket or another special file, or for writing of one that is mapped", call)
        }
        nr::__NR_rt_sigaction => unmodelled("a signal handler of this kind", call),
        other => upcalls().on_unmodelled(&names::of(other), call.place()),
    }
}

/// Whether a call reads or writes the file behind the descriptor in its first argument, or changes its size.
fn is_file_access(number: u32) -> bool {
    matches!(
        number,
        nr::__NR_read
            | nr::__NR_readv
            | nr::__NR_pread64
            | nr::__NR_preadv
            | nr::__NR_write
            | nr::__NR_pwritev
            | nr::__NR_writev
            | nr::__NR_pwrite64
            | nr::__NR_ftruncate
            | nr::__NR_fallocate
    )
}

/// Whether a call moves data through a channel, says something of them, or closes one of its descriptors.
fn is_of_channel(call: &Call) -> bool {
    const GET_SIZE: u64 = 1032;
    const SET_SIZE: u64 = 1031;
    const BYTES: u64 = 0x541b;
    /// `F_OFD_GETLK`, `F_OFD_SETLK` and `F_OFD_SETLKW`.
    const OPEN_LOCKS: core::ops::RangeInclusive<u64> = 36..=38;
    let [fd, second, ..] = call.args;
    let is_channel = |fd| channels::of_descriptor(fd).is_some();
    let loses_lock = |fd| channels::lost_with(fd).is_some();
    match call.number {
        nr::__NR_close if loses_lock(fd) => true,
        nr::__NR_dup2 | nr::__NR_dup3 if fd != second && loses_lock(second) => true,
        nr::__NR_read | nr::__NR_readv | nr::__NR_write | nr::__NR_writev | nr::__NR_close => is_channel(fd),
        nr::__NR_sendto
        | nr::__NR_recvfrom
        | nr::__NR_sendmsg
        | nr::__NR_recvmsg
        | nr::__NR_shutdown
        | nr::__NR_bind
        | nr::__NR_listen
        | nr::__NR_connect
        | nr::__NR_accept
        | nr::__NR_accept4
        | nr::__NR_getsockname
        | nr::__NR_getpeername
        | nr::__NR_getsockopt
        | nr::__NR_setsockopt => true,
        nr::__NR_dup2 | nr::__NR_dup3 => is_channel(second),
        nr::__NR_close_range => channels::any(),
        nr::__NR_fcntl => is_channel(fd) && [GET_SIZE, SET_SIZE].contains(&second) || OPEN_LOCKS.contains(&second),
        nr::__NR_ioctl => is_channel(fd) && second == BYTES,
        _ => false,
    }
}

/// Whether a call makes a channel, or looks at several descriptors at once.
fn makes_channel_or_polls(number: u32) -> bool {
    [
        nr::__NR_pipe,
        nr::__NR_pipe2,
        nr::__NR_eventfd,
        nr::__NR_eventfd2,
        nr::__NR_epoll_create,
        nr::__NR_epoll_create1,
        nr::__NR_epoll_ctl,
        nr::__NR_signalfd,
        nr::__NR_signalfd4,
        nr::__NR_timerfd_create,
        nr::__NR_timerfd_settime,
        nr::__NR_timerfd_gettime,
        nr::__NR_socketpair,
        nr::__NR_socket,
        nr::__NR_poll,
        nr::__NR_ppoll,
        nr::__NR_select,
        nr::__NR_pselect6,
    ]
    .contains(&number)
}

fn unmodelled(what: &'static str, call: &Call) -> ! {
    upcalls().on_unmodelled(what, call.place())
}

/// A call that asks how a thread is scheduled, whose number is in this argument. The kernel knows the program's threads
/// as one, whose scheduling none of them changes.
fn ask_about(call: &Call, number: usize) -> Served {
    if is_own(call.args[number]) {
        Done(pass(&with_argument(call, number)))
    } else if is_none(call.args[number]) {
        Done(pass(call))
    } else {
        OnStack
    }
}

/// Whether a call asks about the running thread or the process.
fn is_own(number: u64) -> bool {
    let number = u64::from(number as u32);
    number == 0 || number == PROCESS || is_own_thread(number)
}

/// Whether it is no number of a thread or process.
fn is_none(number: u64) -> bool {
    (number as i32) < 0
}

/// The call about the calling thread, with 0 in place of the number in this argument.
fn with_argument(call: &Call, number: usize) -> Call {
    let mut args = call.args;
    args[number] = 0;
    Call { args, ..*call }
}

fn is_own_thread(thread: u64) -> bool {
    thread == PROCESS + fiber::current_slot() as u64
}

/// `CLOCK_REALTIME` and `CLOCK_PROCESS_CPUTIME_ID`.
const REALTIME: u64 = 0;
const PROCESSOR: u64 = 2;

/// The time that a call shows to the program.
fn shown(call: &Call, clock: u64) -> Option<u64> {
    let now = clock::read(clock);
    if let Some(passed_at) = clock::after_loop() {
        upcalls().on_time_after_loop(passed_at, call.place());
    }
    now
}

fn time_of_day(call: &Call) -> i64 {
    let address = call.args[0];
    let now = clock::TimeSpec::of(shown(call, REALTIME).unwrap_or(0));
    let micro = clock::TimeSpec { seconds: now.seconds, fraction: now.fraction / 1000 };
    if address == 0 { 0 } else { deliver(address, &micro) }
}

fn futex(call: &Call) -> i64 {
    const WAIT: u64 = 0;
    const WAKE: u64 = 1;
    const WAIT_BITSET: u64 = 9;
    const WAKE_BITSET: u64 = 10;
    /// The C library asks in this way whether priorities are inherited: a word that is not locked is not the caller's.
    const UNLOCK_PRIORITY: u64 = 7;
    const COMMAND: u64 = 0x7f;
    let [address, operation, value, ..] = call.args;
    match operation & COMMAND {
        WAIT | WAIT_BITSET => upcalls().on_futex_wait(address, value as u32, call.pc),
        WAKE | WAKE_BITSET => upcalls().on_futex_wake(address, value as u32, call.pc),
        UNLOCK_PRIORITY if recover::read_value::<u32>(address) == Some(0) => error(EPERM),
        _ => unmodelled("futex of an unusual kind", call),
    }
}

/// A sleep takes virtual time. Nothing interrupts it, so no time is left that would have to be said.
fn sleep(call: &Call, request: u64, absolute: bool) -> i64 {
    let Some(request) = recover::read_value::<clock::TimeSpec>(request) else { return error(EFAULT) };
    let Some(nanoseconds) = request.nanoseconds() else { return error(EINVAL) };
    if absolute {
        let now = clock::read(call.args[0]).unwrap_or(0);
        clock::advance(nanoseconds.saturating_sub(now));
    } else {
        clock::advance(nanoseconds);
    }
    upcalls().on_yield(call.pc);
    0
}
