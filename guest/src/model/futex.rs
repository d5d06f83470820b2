//! Futexes of the program's own, of the C++ library and of other libraries: the system call, however it is made. The C
//! library's own locks and the functions it implements by them have models of their own.
//!
//! A wait is one operation: it compares the word and joins the waiters. So is a wake; which waiters it wakes, if there
//! are more than it is to wake, is a choice of the explorer. So is a requeue.

use super::error::{EAGAIN, EINVAL, ETIMEDOUT};
use super::futex_word::{EFAULT, Timeout, checked, error, queues, readable};
use super::pause::REALTIME;
use super::{futex_lock, signal};
use crate::engine::switches::Switch;
use crate::engine::{last_event, log_futex_look, note_identity, spoil_loops, unmodelled, visible, with};
use crate::platform::recover;
use inspect_core::event::{
    CondOperation, Finds, FutexOperation, MAX_THREADS, MemoryOperation, MemoryOrder, Object, Operation, Queues,
    Requeued, SiteId, ThreadNumber, WaitStep,
};
use inspect_core::run::{Request, Requeue};

const ENOSYS: i32 = 38;

/// The commands, without their flags.
const WAIT: u64 = 0;
const WAKE: u64 = 1;
const REQUEUE: u64 = 3;
const COMPARE_REQUEUE: u64 = 4;
const WAKE_OP: u64 = 5;
const LOCK: u64 = 6;
const UNLOCK: u64 = 7;
const TRY_LOCK: u64 = 8;
const WAIT_BITSET: u64 = 9;
const WAKE_BITSET: u64 = 10;
const WAIT_TO_LOCK: u64 = 11;
/// As [`LOCK`], with a clock.
const LOCK_BY_CLOCK: u64 = 13;

/// `FUTEX_PRIVATE_FLAG`: makes no difference inside of one process.
const PRIVATE: u64 = 128;
/// `FUTEX_CLOCK_REALTIME`.
const OF_REALTIME: u64 = 256;

const MONOTONIC: u64 = 1;

/// The set of all bits.
const ANY: u32 = u32::MAX;

/// Serves the call with these arguments; returns what the system call returns, an error as a negative number.
pub(super) fn call(arguments: [u64; 6], site: SiteId) -> i64 {
    let [word, operation, value, timeout, other_word, bits] = arguments;
    let (command, real_time) = (operation & !(PRIVATE | OF_REALTIME) & 0xffff_ffff, operation & OF_REALTIME != 0);
    if real_time && ![WAIT_BITSET, WAIT_TO_LOCK, LOCK_BY_CLOCK].contains(&command) {
        return error(ENOSYS);
    }
    let clock = if real_time { REALTIME } else { MONOTONIC };
    let result = match command {
        WAIT => Timeout::new(timeout, None, site).and_then(|timeout| wait(word, value as u32, ANY, timeout, site)),
        WAIT_BITSET => Timeout::new(timeout, Some(clock), site)
            .and_then(|timeout| wait(word, value as u32, bits as u32, timeout, site)),
        WAKE => wake(word, value as i32, ANY, site),
        WAKE_BITSET => wake(word, value as i32, bits as u32, site),
        REQUEUE => requeue([word, other_word], [value as i32, timeout as i32], None, site),
        COMPARE_REQUEUE => requeue([word, other_word], [value as i32, timeout as i32], Some(bits as u32), site),
        LOCK => Timeout::new(timeout, Some(REALTIME), site).and_then(|timeout| futex_lock::lock(word, timeout, site)),
        LOCK_BY_CLOCK => {
            Timeout::new(timeout, Some(clock), site).and_then(|timeout| futex_lock::lock(word, timeout, site))
        }
        TRY_LOCK => futex_lock::try_lock(word, site),
        UNLOCK => futex_lock::unlock(word, site),
        WAKE_OP => wake_op([word, other_word], [value as i32, timeout as i32], bits as u32, site),
        other => unmodelled(name(other), site),
    };
    result.map_or_else(error, i64::from)
}

/// The name of a command that has no model.
fn name(command: u64) -> &'static str {
    match command {
        WAIT_TO_LOCK | 12 => "futex (requeueing to a futex with priority inheritance)",
        _ => "futex (an unknown command)",
    }
}

/// The bits that say who is woken by whom, as a request has them: 0 stands for the set of all.
fn checked_bits(bits: u32) -> Result<u32, i32> {
    match bits {
        0 => Err(EINVAL),
        ANY => Ok(0),
        some => Ok(some),
    }
}

fn wait(word: u64, expected: u32, bits: u32, timeout: Timeout, site: SiteId) -> Result<i32, i32> {
    let bits = checked_bits(bits)?;
    let range = readable(word, false, site)?;
    let operation = FutexOperation::Wait { word: Object(word), queued: true, alias: None, queues: queues() };
    let mut request = Request::new(Operation::Futex(operation), site);
    (request.expected, request.bits) = (expected, bits);
    request.timed = !matches!(timeout, Timeout::Never);
    visible(request);
    if last_event().operation.wait().is_some() {
        signal::after_wait(site);
    }
    match last_event().operation.wait().map(|wait| wait.step) {
        None => {
            log_futex_look(&request, range);
            Err(EAGAIN)
        }
        Some(WaitStep::Expire) if request.timed && !last_event().is_spurious() => {
            timeout.expire();
            Err(ETIMEDOUT)
        }
        Some(WaitStep::Begin | WaitStep::Expire | WaitStep::End) => Ok(0),
    }
}

/// Wakes up to `count` threads, at least one if there is one; returns how many.
fn wake(word: u64, count: i32, bits: u32, site: SiteId) -> Result<i32, i32> {
    let bits = checked_bits(bits)?;
    checked(word)?;
    let most = count.clamp(1, MAX_THREADS as i32) as ThreadNumber;
    let finds = match (queues(), bits) {
        (Queues::Common, _) => Finds::ByWord,
        (Queues::Apart, 0) => Finds::All,
        (Queues::Apart, _) => Finds::ByBits,
    };
    let mut request = Request::new(CondOperation::wake(Object::futex(word), most, finds).into(), site);
    request.bits = bits;
    visible(request);
    let woken = last_event().operation.woken();
    futex_lock::refuse_wake(woken, site);
    Ok(woken.len() as i32)
}

/// Wakes some of those who wait for a word and moves others to another word, if the word has the expected value;
/// returns how many were woken or moved, for which the manual page has another number where nothing is compared.
fn requeue(words: [u64; 2], [wakes, moves]: [i32; 2], expected: Option<u32>, site: SiteId) -> Result<i32, i32> {
    if wakes < 0 || moves < 0 {
        return Err(EINVAL);
    }
    let [word, other] = words;
    checked(word).and(checked(other))?;
    // Beyond what a program can map.
    if words.iter().any(|word| word >> 47 != 0) {
        return Err(EFAULT);
    }
    if expected.is_some() {
        readable(word, false, site)?;
    }
    // The run goes on as it would in a search that knows: what differs is what depends on what.
    Switch::OneQueue.come_up();
    note_identity();
    let [from, to] = words.map(Object);
    let [wakes, moves] = [wakes, moves].map(|most| most.min(MAX_THREADS as i32) as ThreadNumber);
    let request = Request::new(CondOperation::requeue(from, to, expected.is_some()).into(), site);
    visible(request.with_requeue(Requeue { wakes, moves }, expected.unwrap_or_default()));
    spoil_loops();
    let requeued = last_event().operation.requeued();
    futex_lock::refuse_wake(last_event().operation.woken(), site);
    if with(|engine| engine.run.has_moved_joined()) {
        unmodelled("futex (a requeue of a thread that waits for several words, or for a lock)", site);
    }
    if requeued.is_some_and(Requeued::is_unrecorded) {
        unmodelled("futex (a requeue that wakes several, where there are more than 31 threads)", site);
    }
    requeued.and_then(Requeued::found).map(|(_, found)| found as i32).ok_or(EAGAIN)
}

/// Changes the second word, wakes those who wait for the first one and, if the second word had a certain value, those
/// who wait for that one: these are three operations in a row.
fn wake_op([word, other]: [u64; 2], [count, of_other]: [i32; 2], code: u32, site: SiteId) -> Result<i32, i32> {
    checked(word)?;
    checked(other)?;
    let Some(code) = WakeOp::decode(code) else { return Err(ENOSYS) };
    let range = readable(other, true, site)?;
    let order = MemoryOrder::SequentiallyConsistent;
    visible(Request::new(MemoryOperation::AtomicUpdate { range, order, wrote: true }.into(), site));
    let before = recover::read_value::<i32>(other).unwrap_or_default();
    recover::write_value(other, &code.changed(before));
    let woken = wake(word, count, ANY, site)?;
    Ok(if code.holds(before) { woken + wake(other, of_other, ANY, site)? } else { woken })
}

/// What `FUTEX_WAKE_OP` does to its second word, and for which values before it wakes there.
#[derive(Clone, Copy)]
struct WakeOp {
    change: fn(i32, i32) -> i32,
    operand: i32,
    compare: fn(&i32, &i32) -> bool,
    limit: i32,
}

impl WakeOp {
    fn decode(code: u32) -> Option<WakeOp> {
        const OPERAND_IS_SHIFT: u32 = 8 << 28;
        let signed = |bits: u32| (bits << 20).cast_signed() >> 20;
        let change: fn(i32, i32) -> i32 = match code >> 28 & 7 {
            0 => |_, operand| operand,
            1 => i32::wrapping_add,
            2 => |before, operand| before | operand,
            3 => |before, operand| before & !operand,
            4 => |before, operand| before ^ operand,
            _ => return None,
        };
        let compare: fn(&i32, &i32) -> bool = match code >> 24 & 15 {
            0 => i32::eq,
            1 => i32::ne,
            2 => i32::lt,
            3 => i32::le,
            4 => i32::gt,
            5 => i32::ge,
            _ => return None,
        };
        let operand = signed(code >> 12);
        let operand = if code & OPERAND_IS_SHIFT != 0 { 1 << (operand & 31) } else { operand };
        Some(WakeOp { change, operand, compare, limit: signed(code) })
    }

    fn changed(self, before: i32) -> i32 {
        (self.change)(before, self.operand)
    }

    fn holds(self, before: i32) -> bool {
        (self.compare)(&before, &self.limit)
    }
}
