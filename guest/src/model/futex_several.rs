//! Waits for several futex words (`futex_waitv`).
//!
//! As in the kernel, a thread joins the waiters of one word after the other, rests, and leaves one after the other:
//! each is an operation of its own. A thread that waits for some time only does not rest: it is woken in that time or
//! not.

use super::error::{EAGAIN, EINVAL, ETIMEDOUT};
use super::futex_word::{EFAULT, Timeout, queues, readable};
use super::pause::is_wait_clock;
use super::signal;
use crate::engine::switches::Switch;
use crate::engine::{interruptions, last_event, note_identity, spoil_loops, unmodelled, visible};
use crate::hooks::argument_read;
use crate::platform::recover;
use inspect_core::event::{ControlOperation, FutexOperation, Object, SiteId};
use inspect_core::run::Request;

/// `FUTEX_WAITV_MAX`
const MOST: u64 = 128;
/// Bytes of a `struct futex_waitv`: value, address, flags, and a word that is 0.
const SIZE: u64 = 24;

/// One of the words.
struct Word {
    address: u64,
    expected: u32,
}

/// The word with this number. It is read again where it is needed: nothing is kept across operations.
fn word(list: u64, number: u64) -> Result<Word, i32> {
    /// `FUTEX_32`, without which a call is wrong, and `FUTEX_PRIVATE_FLAG`.
    const OF_FOUR_BYTES: u64 = 2;
    const PRIVATE: u64 = 128;
    let [value, address, flags] = recover::read_value::<[u64; 3]>(list + number * SIZE).ok_or(EFAULT)?;
    if flags & !PRIVATE != OF_FOUR_BYTES {
        return Err(EINVAL);
    }
    Ok(Word { address, expected: value as u32 })
}

/// Serves the call with these arguments; returns the number of a word at which the thread was woken.
pub(super) fn call([list, count, flags, timeout, clock]: [u64; 5], site: SiteId) -> Result<i32, i32> {
    if flags as u32 != 0 || count as u32 == 0 || u64::from(count as u32) > MOST || list == 0 {
        return Err(EINVAL);
    }
    let count = u64::from(count as u32);
    if timeout != 0 && !is_wait_clock(clock as i32) {
        return Err(EINVAL);
    }
    let timeout = Timeout::new(timeout, Some(u64::from(clock as u32)), site)?;
    argument_read(list, count * SIZE, site);
    for number in 0..count {
        word(list, number)?;
    }
    for number in 0..count {
        let address = word(list, number)?.address;
        readable(address, false, site)?;
        if (0..number).any(|other| word(list, other).is_ok_and(|other| other.address == address)) {
            unmodelled("futex_waitv (with a word twice)", site);
        }
    }
    // The run goes on as it would in a search that knows: what differs is what depends on what.
    Switch::OneQueue.come_up();
    note_identity();
    spoil_loops();
    // A handler of signals that ran here would see the thread among the waiters.
    let held_back = interruptions::hold_back(true);
    let result = wait(list, count, timeout, site);
    interruptions::hold_back(held_back);
    signal::after_wait(site);
    result
}

fn wait(list: u64, count: u64, timeout: Timeout, site: SiteId) -> Result<i32, i32> {
    for number in 0..count {
        if !join(word(list, number)?, site) {
            return told(leave(list, number, site)?, site).ok_or(EAGAIN);
        }
    }
    if timeout == Timeout::Never {
        let first = Object(word(list, 0)?.address);
        visible(Request::new(FutexOperation::Rest { word: first, owns: false }.into(), site));
    }
    told(leave(list, count, site)?, site).ok_or_else(|| {
        timeout.expire();
        ETIMEDOUT
    })
}

/// Joins the waiters of a word, if that has the expected value.
fn join(Word { address, expected }: Word, site: SiteId) -> bool {
    let operation = FutexOperation::Join { word: Object(address), joined: true, alias: None, queues: queues() };
    let mut request = Request::new(operation.into(), site);
    request.expected = expected;
    visible(request);
    last_event().operation.joined() == Some(true)
}

/// Leaves the waiters of the first words; returns at which the thread was woken, a bit each.
fn leave(list: u64, count: u64, site: SiteId) -> Result<u128, i32> {
    let mut woken = 0;
    for number in 0..count {
        let word = Object(word(list, number)?.address);
        let operation = FutexOperation::Leave { word, woken: false, owns: false, queues: queues() };
        visible(Request::new(operation.into(), site));
        woken |= u128::from(last_event().operation.was_woken() == Some(true)) << number;
    }
    Ok(woken)
}

/// Of which word the caller is told: if there are several, that is a choice.
fn told(woken: u128, site: SiteId) -> Option<i32> {
    let count = woken.count_ones();
    let mut choice = 0;
    if count > 1 {
        let mut request = Request::new(ControlOperation::Choose.into(), site);
        request.count = count;
        visible(request);
        choice = last_event().choice;
    }
    (0..i32::try_from(MOST).ok()?).filter(|number| woken >> number & 1 == 1).nth(choice as usize)
}
