//! Threads, operations and values in words.

use crate::symbols::Symbols;
use inspect_core::event::{ByteRange, EndKind, MemoryOrder, Object, Operation, Pending, SiteId, ThreadId};
use inspect_wire::message::{MADE_UP, Values};

/// The name of a thread.
pub fn thread(thread: ThreadId) -> String {
    if thread == ThreadId::MAIN { "main".to_owned() } else { format!("thread {}", thread.0) }
}

/// What kind of operation it is, without its objects.
pub fn operation_kind(operation: &Operation) -> &'static str {
    match operation {
        Operation::Read(_) => "read",
        Operation::Write(_) => "write",
        Operation::AtomicLoad(..) => "atomic load",
        Operation::AtomicStore(..) => "atomic store",
        Operation::AtomicUpdate { wrote: true, .. } => "atomic update",
        Operation::AtomicUpdate { wrote: false, .. } => "failed compare-exchange",
        Operation::MutexInit(_) => "init mutex",
        Operation::MutexDestroy(_) => "destroy mutex",
        Operation::Lock(_) => "lock",
        Operation::TryLock { acquired: true, .. } => "trylock",
        Operation::TryLock { acquired: false, .. } => "failed trylock",
        Operation::Unlock(_) => "unlock",
        Operation::CondInit(_) => "init condition",
        Operation::CondDestroy(_) => "destroy condition",
        Operation::WaitRelease { .. } => "wait",
        Operation::WaitExpire { .. } => "wait ends without signal",
        Operation::WaitReacquire { .. } => "wake up, lock",
        Operation::Signal { .. } => "signal",
        Operation::Broadcast { .. } => "broadcast",
        Operation::OnceEnter { runs: true, .. } => "once: run",
        Operation::OnceEnter { runs: false, .. } => "once: passed",
        Operation::OnceLeave(_) => "once: done",
        Operation::Create(_) => "create",
        Operation::Exit => "thread ends",
        Operation::Join(_) => "join",
        Operation::Detach(_) => "detach",
        Operation::Choose => "choose",
        Operation::Yield => "yield",
        Operation::Assume => "assumption fails",
        Operation::EndProcess(kind) => end_kind(*kind),
    }
}

fn end_kind(kind: EndKind) -> &'static str {
    match kind {
        EndKind::Exit(_) => "exit",
        EndKind::Abort => "abort",
        EndKind::AssertionFailed => "assertion fails",
        EndKind::Signal(_) => "crash",
        EndKind::HeapError => "heap error",
    }
}

/// What a blocked operation waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wanted {
    /// A mutex.
    Mutex(Object),
    /// The end of a thread.
    End(ThreadId),
    /// A signal on a condition variable.
    Signal(Object),
    /// The end of an initialiser.
    Once(Object),
    /// Nothing that another thread gives.
    Nothing,
}

/// What `pending` waits for if it is blocked.
pub fn wanted(pending: &Pending) -> Wanted {
    match pending.operation {
        Operation::Lock(mutex) => Wanted::Mutex(mutex),
        // A waiter that has got its signal waits for the mutex only.
        Operation::WaitReacquire { mutex, .. } if pending.enabled_by.is_some() => Wanted::Mutex(mutex),
        Operation::WaitReacquire { cond, .. } | Operation::WaitExpire { cond, .. } => Wanted::Signal(cond),
        Operation::Join(other) => Wanted::End(other),
        Operation::OnceEnter { once, .. } => Wanted::Once(once),
        Operation::Read(_)
        | Operation::Write(_)
        | Operation::AtomicLoad(..)
        | Operation::AtomicStore(..)
        | Operation::AtomicUpdate { .. }
        | Operation::MutexInit(_)
        | Operation::MutexDestroy(_)
        | Operation::TryLock { .. }
        | Operation::Unlock(_)
        | Operation::CondInit(_)
        | Operation::CondDestroy(_)
        | Operation::WaitRelease { .. }
        | Operation::Signal { .. }
        | Operation::Broadcast { .. }
        | Operation::OnceLeave(_)
        | Operation::Create(_)
        | Operation::Exit
        | Operation::Detach(_)
        | Operation::Choose
        | Operation::Yield
        | Operation::Assume
        | Operation::EndProcess(_) => Wanted::Nothing,
    }
}

/// An operation with its objects; with its values where they are given.
pub fn operation(operation: &Operation, site: SiteId, symbols: &Symbols, values: Option<(Values, u32)>) -> String {
    let kind = operation_kind(operation);
    let name = |object: Object| symbols.object(ByteRange { start: object.0, len: 1 });
    let memory = |range: ByteRange| match symbols.locate(site).variable {
        Some(variable) => variable,
        None => symbols.object(range),
    };
    match *operation {
        // What is outside of the program's memory has no value that could be shown.
        Operation::AtomicLoad(range, _) if range.start >= MADE_UP => format!("look at {}", symbols.object(range)),
        Operation::AtomicUpdate { range, .. } if range.start >= MADE_UP => {
            format!("change {}", symbols.object(range))
        }
        Operation::Read(range) if range.start >= MADE_UP => format!("{kind} {}", symbols.object(range)),
        Operation::Write(range) if range.start >= MADE_UP => format!("{kind} {}", symbols.object(range)),
        Operation::Read(range) => format!("{kind} {}{}", memory(range), read(range, values)),
        Operation::Write(range) => format!("{kind} {}{}", memory(range), written(range, values)),
        Operation::AtomicLoad(range, order) => {
            format!("{kind} {}{}{}", memory(range), read(range, values), weak(order))
        }
        Operation::AtomicStore(range, order) => {
            format!("{kind} {}{}{}", memory(range), written(range, values), weak(order))
        }
        Operation::AtomicUpdate { range, order, wrote } => {
            let change = if wrote { written(range, values) } else { read(range, values) };
            format!("{kind} {}{change}{}", memory(range), weak(order))
        }
        Operation::MutexInit(object)
        | Operation::MutexDestroy(object)
        | Operation::Lock(object)
        | Operation::Unlock(object)
        | Operation::CondInit(object)
        | Operation::CondDestroy(object)
        | Operation::OnceLeave(object)
        | Operation::TryLock { mutex: object, .. }
        | Operation::OnceEnter { once: object, .. }
        | Operation::WaitExpire { cond: object, .. } => format!("{kind} {}", name(object)),
        Operation::WaitRelease { cond, mutex } => format!("{kind} {}, unlock {}", name(cond), name(mutex)),
        Operation::WaitReacquire { mutex, .. } => format!("{kind} {}", name(mutex)),
        Operation::Signal { cond, woken } => match woken {
            Some(woken) => format!("{kind} {}, wakes {}", name(cond), thread(woken)),
            None => format!("{kind} {}, nobody waits", name(cond)),
        },
        Operation::Broadcast { cond, woken } if woken.is_empty() => format!("{kind} {}, nobody waits", name(cond)),
        Operation::Broadcast { cond, woken } => {
            let woken: Vec<String> = woken.iter().map(thread).collect();
            format!("{kind} {}, wakes {}", name(cond), woken.join(", "))
        }
        Operation::Create(other) | Operation::Join(other) | Operation::Detach(other) => {
            format!("{kind} {}", thread(other))
        }
        Operation::Choose => match values {
            Some((_, choice)) => format!("{kind} {choice}"),
            None => kind.to_owned(),
        },
        Operation::EndProcess(EndKind::Exit(status)) => format!("{kind} {status}"),
        Operation::EndProcess(EndKind::Signal(number)) => format!("{kind}: {}", signal_name(number.into())),
        Operation::Exit | Operation::Yield | Operation::Assume | Operation::EndProcess(_) => kind.to_owned(),
    }
}

/// The name of a signal.
fn signal_name(number: i32) -> String {
    match nix::sys::signal::Signal::try_from(number) {
        Ok(signal) => signal.as_str().to_owned(),
        Err(_) => format!("signal {number}"),
    }
}

/// The name of a signal and what it usually means.
pub fn signal(number: i32) -> String {
    use nix::sys::signal::Signal;
    match Signal::try_from(number) {
        Ok(Signal::SIGSEGV) => "SIGSEGV, an access to memory that is not there".to_owned(),
        Ok(Signal::SIGBUS) => "SIGBUS, an access to memory that is not there".to_owned(),
        Ok(Signal::SIGFPE) => "SIGFPE, a division by zero or overflow".to_owned(),
        Ok(Signal::SIGILL) => "SIGILL, an instruction that does not exist".to_owned(),
        Ok(_) | Err(_) => signal_name(number),
    }
}

fn read(range: ByteRange, values: Option<(Values, u32)>) -> String {
    values.map_or_else(String::new, |(values, _)| format!(" = {}", number(values.before, range.len)))
}

fn written(range: ByteRange, values: Option<(Values, u32)>) -> String {
    values.map_or_else(String::new, |(values, _)| {
        format!(": {} -> {}", number(values.before, range.len), number(values.after, range.len))
    })
}

/// A value of `len` bytes: small ones as a signed decimal number, large ones as hexadecimal.
fn number(value: u64, len: u32) -> String {
    let bits = 8 * len.clamp(1, 8);
    let signed = (value << (64 - bits)).cast_signed() >> (64 - bits);
    let shown = if len > 8 { "..." } else { "" };
    if (-1_000_000..1_000_000).contains(&signed) {
        format!("{signed}{shown}")
    } else {
        format!("{:#x}{shown}", value & (u64::MAX >> (64 - bits)))
    }
}

/// Weaker orders are named; the order everything is explored in is not.
fn weak(order: MemoryOrder) -> &'static str {
    match order {
        MemoryOrder::Relaxed => " (relaxed)",
        MemoryOrder::Acquire => " (acquire)",
        MemoryOrder::Release => " (release)",
        MemoryOrder::AcquireRelease => " (acq_rel)",
        MemoryOrder::SequentiallyConsistent => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_signed_when_small_and_hexadecimal_when_large() {
        assert_eq!(number(0xffff_ffff, 4), "-1");
        assert_eq!(number(0xffff_ffff, 8), "0xffffffff");
        assert_eq!(number(200, 1), "-56");
        assert_eq!(number(7, 8), "7");
        assert_eq!(number(7, 16), "7...");
        assert_eq!(number(0x7fff_ffff_f7d0, 8), "0x7ffffffff7d0");
    }
}
