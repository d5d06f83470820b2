//! Threads, operations and values in words.

use crate::symbols::Symbols;
use inspect_core::event::{
    AccessMode, Awaited, ByteRange, ChoiceKind, EndKind, MemoryOrder, Object, Operation, Pending, Requeued, SiteId,
    ThreadId, Wait, WaitStep,
};
use inspect_wire::message::{MADE_UP, ReportedValues};

/// The name of a thread.
pub fn thread(thread: ThreadId) -> String {
    if thread == ThreadId::MAIN { "main".to_owned() } else { format!("thread {}", thread.0) }
}

/// What `pending` waits for if it is blocked.
pub fn awaited(pending: &Pending) -> Awaited {
    match pending.operation.wait() {
        // A waiter that was woken waits for the mutex only.
        Some(Wait { step: WaitStep::End, .. }) if pending.enabled_by.is_some() => pending.operation.need().awaited(),
        Some(Wait { step: WaitStep::End | WaitStep::Expire, cond, .. }) => {
            Awaited::Change(cond, if cond.is_futex() { "a futex wake of" } else { "a signal on" })
        }
        Some(Wait { step: WaitStep::Begin, .. }) | None => pending.operation.need().awaited(),
    }
}

/// An operation with its objects; with its values where they are given.
pub fn operation(
    operation: &Operation,
    site: SiteId,
    symbols: &Symbols,
    values: Option<(ReportedValues, u32)>,
) -> String {
    let kind = operation.name();
    let name = |object: Object| symbols.object(ByteRange { start: object.0, len: 1 });
    if let Some(requeued) = operation.requeued() {
        return requeue(kind, requeued, operation.signals(), name);
    }
    if let Some((range, mode)) = operation.access() {
        if operation.concerns_signals() {
            return format!("{kind} {}", symbols.object(range));
        }
        // What a thread sees that comes to wait for a futex word is not recorded.
        let values = values.filter(|_| operation.begins_wait().is_none());
        return access(operation, (range, mode), site, symbols, values.map(|(values, _)| values));
    }
    if let Some(wait) = operation.wait() {
        return step_of_wait(kind, wait, name);
    }
    if let Some(cond) = operation.signals() {
        let woken: Vec<String> = operation.woken().iter().map(thread).collect();
        let woken = if woken.is_empty() { "nobody waits".to_owned() } else { format!("wakes {}", woken.join(", ")) };
        return format!("{kind} {}, {woken}", name(cond));
    }
    if let Some(other) = operation.names_thread() {
        return format!("{kind} {}", thread(other));
    }
    if let Some(end) = operation.ends_process() {
        return end_of_process(kind, end);
    }
    match (operation.choice_kind(), values, operation.objects()) {
        (ChoiceKind::Value, Some((_, choice)), _) => format!("{kind} {choice}"),
        (_, _, [Some((object, _)), _]) => format!("{kind} {}", name(object)),
        (_, _, [None, _]) => kind.to_owned(),
    }
}

fn end_of_process(kind: &str, end: EndKind) -> String {
    match end {
        EndKind::Exit(status) => format!("{kind} {status}"),
        EndKind::Signal(number) => format!("{kind}: {}", signal_name(number.into())),
        EndKind::Abort | EndKind::AssertionFailed | EndKind::HeapError => kind.to_owned(),
        EndKind::UncaughtException | EndKind::LastThread => kind.to_owned(),
    }
}

fn requeue(kind: &str, requeued: Requeued, queue: Option<Object>, name: impl Fn(Object) -> String) -> String {
    let from = queue.map_or_else(String::new, &name);
    let woken: Vec<String> = requeued.woken().iter().map(thread).collect();
    let what = match requeued.found() {
        None => "not as expected".to_owned(),
        Some((_, 0)) => "nobody waits".to_owned(),
        Some((moved, _)) if woken.is_empty() => format!("moves {moved}"),
        Some((moved, _)) => format!("wakes {}, moves {moved}", woken.join(", ")),
    };
    format!("{kind} {from} to {}, {what}", name(Object::futex(requeued.to().0)))
}

fn step_of_wait(kind: &str, wait: Wait, name: impl Fn(Object) -> String) -> String {
    match (wait.step, wait.mutex) {
        (WaitStep::Begin, Some(mutex)) => format!("{kind} {}, unlock {}", name(wait.cond), name(mutex)),
        (WaitStep::End, Some(mutex)) => format!("{kind} {}", name(mutex)),
        (WaitStep::Expire, Some(_)) | (WaitStep::Begin | WaitStep::Expire | WaitStep::End, None) => {
            format!("{kind} {}", name(wait.cond))
        }
    }
}

/// An access to memory. What is outside of the program's memory has no value that could be shown.
fn access(
    operation: &Operation,
    (range, mode): (ByteRange, AccessMode),
    site: SiteId,
    symbols: &Symbols,
    values: Option<ReportedValues>,
) -> String {
    let kind = operation.name();
    if range.start >= MADE_UP {
        let kind = match mode {
            AccessMode::Read | AccessMode::Write => kind,
            AccessMode::AtomicRead => "look at",
            AccessMode::AtomicCompare | AccessMode::AtomicWrite => "change",
        };
        return format!("{kind} {}", symbols.object(range));
    }
    let memory = symbols.locate(site).variable.unwrap_or_else(|| symbols.object(range));
    let change = if mode.writes() { written(range, values) } else { read(range, values) };
    format!("{kind} {memory}{change}{}", operation.memory_order().map_or("", weak))
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

fn read(range: ByteRange, values: Option<ReportedValues>) -> String {
    values.map_or_else(String::new, |values| format!(" = {}", number(values.before, range.len)))
}

fn written(range: ByteRange, values: Option<ReportedValues>) -> String {
    values.map_or_else(String::new, |values| {
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

/// The order in words, if it is weaker than sequential consistency, which is not named.
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
