//! Finding and signalling other processes, without the programs `ps` and `kill`, which a small system lacks.

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// Sends a signal. Fails if there is no such process, or it is another user's.
pub(crate) fn signal(process: u32, signal: Signal) -> nix::Result<()> {
    kill(Pid::from_raw(process.cast_signed()), signal)
}

/// The children of all threads of a process; none if it has ended.
pub(crate) fn children(process: u32) -> Vec<u32> {
    let Ok(threads) = std::fs::read_dir(format!("/proc/{process}/task")) else { return Vec::new() };
    let lists = threads.flatten().filter_map(|thread| std::fs::read_to_string(thread.path().join("children")).ok());
    lists.flat_map(|list| list.split_whitespace().filter_map(|id| id.parse().ok()).collect::<Vec<u32>>()).collect()
}
