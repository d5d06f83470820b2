//! `poll`, `select` and their kin. Without descriptors they are sleeps ([`super::pause`]).

use super::channels::{Limit, look};
use super::error::{EBADF, EFAULT, EINVAL};
use super::pause::{fail_with, is_valid_time, pass, read_time};
use super::polled::{ERROR, HUNG_UP, INPUT, LookedAt, OUTPUT};
use super::{cancel, export, real};
use crate::engine::interrupting::interrupting;
use crate::engine::site::of_call;
use crate::engine::{note_uncontrolled, unmodelled};
use crate::hooks::{argument_read, argument_write};
use crate::platform::{recover, started};
use inspect_core::event::SiteId;

export! {
    interpose_select / 5 => select;
    interpose_poll / 3 => poll;
    interpose_ppoll / 4 => ppoll;
}

const SECOND: u64 = 1_000_000_000;
/// Events for which `select` says that a descriptor can be read from or written to.
const READABLE: u32 = INPUT | ERROR | HUNG_UP;
const WRITABLE: u32 = OUTPUT | ERROR;

extern "C" fn poll(descriptors: u64, count: u64, limit: i32, pc: u64) -> i32 {
    if !started() {
        return real!("poll" as fn(u64, u64, i32) -> i32)(descriptors, count, limit);
    }
    let limit = if limit < 0 { Limit::None } else { Limit::Of(limit as u64 * 1_000_000) };
    poll_all(descriptors, count, limit, pc)
}

extern "C" fn ppoll(descriptors: u64, count: u64, limit: u64, mask: u64, pc: u64) -> i32 {
    if !started() {
        return real!("ppoll" as fn(u64, u64, u64, u64) -> i32)(descriptors, count, limit, mask);
    }
    if mask != 0 {
        unmodelled("ppoll with a signal mask", of_call(pc));
    }
    match length(limit, of_call(pc)) {
        Some(limit) => poll_all(descriptors, count, limit, pc),
        None => fail_with(EINVAL),
    }
}

/// The limit at an address, of a call that takes seconds and nanoseconds.
pub(super) fn length(limit: u64, site: SiteId) -> Option<Limit> {
    if limit == 0 {
        return Some(Limit::None);
    }
    argument_read(limit, 16, site);
    let time = read_time(limit);
    (is_valid_time(limit) && time.seconds >= 0).then(|| Limit::Of(time.nanoseconds().unwrap_or(u64::MAX)))
}

/// A call without descriptors is a sleep; what it returns.
fn sleep(limit: Limit, pc: u64) -> i32 {
    match limit {
        Limit::None => unmodelled("poll or select that waits for a signal", of_call(pc)),
        Limit::Of(time) if pass(time, pc) => fail_with(super::error::EINTR),
        Limit::Of(_) => 0,
    }
}

/// What may end the call early: a request to cancel the thread that has come by now, or a signal, of which the rest is
/// not explored.
pub(super) fn begin(limit: Limit, site: SiteId) {
    cancel::point(site);
    if limit != Limit::Of(0) && interrupting() != 0 {
        note_uncontrolled("a wait for descriptors, where signals interrupt threads".into(), site);
    }
}

fn poll_all(array: u64, count: u64, limit: Limit, pc: u64) -> i32 {
    const ENTRY: u64 = 8;
    let site = of_call(pc);
    if count == 0 {
        return sleep(limit, pc);
    }
    begin(limit, site);
    let mut polled = LookedAt::new();
    argument_read(array, ENTRY * count, site);
    for at in 0..count {
        let Some([fd, events]) = recover::read_value::<[u32; 2]>(array + ENTRY * at) else { return fail_with(EFAULT) };
        // A negative number is passed over.
        if (fd as i32) >= 0 {
            polled.add(fd.into(), events & 0xffff, site);
        }
    }
    look(&mut polled, limit, site);
    store_events(array, count, &polled, site)
}

/// Writes what has come of each descriptor into its entry; how many have something.
fn store_events(array: u64, count: u64, polled: &LookedAt, site: SiteId) -> i32 {
    const ENTRY: u64 = 8;
    let mut answers = polled.all();
    for at in 0..count {
        let entry = array + ENTRY * at;
        let is_passed_over = recover::read_value::<i32>(entry).is_none_or(|fd| fd < 0);
        let ready = if is_passed_over { 0 } else { answers.next().map_or(0, |interest| interest.ready) };
        argument_write(entry + 6, 2, site);
        if !recover::write_value(entry + 6, &(ready as u16)) {
            return fail_with(EFAULT);
        }
    }
    polled.all().filter(|interest| interest.ready != 0).count() as i32
}

extern "C" fn select(count: i32, read: u64, write: u64, other: u64, limit: u64, pc: u64) -> i32 {
    if !started() {
        return real!("select" as fn(i32, u64, u64, u64, u64) -> i32)(count, read, write, other, limit);
    }
    let mut time = Limit::None;
    if limit != 0 {
        argument_write(limit, 16, of_call(pc));
        let given = read_time(limit);
        let (Ok(seconds), Ok(micro)) = (u64::try_from(given.seconds), u64::try_from(given.fraction)) else {
            return fail_with(EINVAL);
        };
        time = Limit::Of(seconds.saturating_mul(SECOND).saturating_add(micro * 1000));
    }
    let result = select_all(count, [read, write, other], time, pc);
    if limit != 0 && result == 0 {
        // What is left of the limit, as Linux says it.
        recover::write_value(limit, &[0u64; 2]);
    }
    result
}

/// A word of a set of descriptors; 0 for a set that is not given.
fn word(set: u64, at: u64) -> u64 {
    if set == 0 { 0 } else { recover::read_value::<u64>(set + 8 * at).unwrap_or(0) }
}

fn select_all(count: i32, sets: [u64; 3], limit: Limit, pc: u64) -> i32 {
    let site = of_call(pc);
    // Descriptors above all that there can be are not looked at, as in Linux.
    const MOST: i32 = 1024;
    if count < 0 {
        return fail_with(EINVAL);
    }
    let count = count.min(MOST);
    if count == 0 {
        return sleep(limit, pc);
    }
    begin(limit, site);
    let words = (count as u64).div_ceil(64);
    for set in sets.into_iter().filter(|set| *set != 0) {
        argument_read(set, 8 * words, site);
    }
    let mut polled = LookedAt::new();
    for fd in 0..count as u64 {
        let has = |set| word(set, fd / 64) >> (fd % 64) & 1 == 1;
        let events = if has(sets[0]) { INPUT } else { 0 } | if has(sets[1]) { OUTPUT } else { 0 };
        if has(sets[2]) {
            unmodelled("select of a descriptor for exceptional conditions", site);
        }
        if events != 0 {
            polled.add(fd, events, site);
        }
    }
    if polled.all().next().is_none() {
        return sleep(limit, pc);
    }
    look(&mut polled, limit, site);
    store_sets(words, sets, &polled, site)
}

/// Writes what has come into the sets; how many bits are set.
fn store_sets(words: u64, sets: [u64; 3], polled: &LookedAt, site: SiteId) -> i32 {
    if polled.all().any(|interest| interest.ready == super::polled::INVALID) {
        return fail_with(EBADF);
    }
    let mut found = 0;
    for (set, [asked, events]) in sets.into_iter().zip([[INPUT, READABLE], [OUTPUT, WRITABLE], [0, 0]]) {
        if set == 0 {
            continue;
        }
        argument_write(set, 8 * words, site);
        for at in 0..words {
            let here = polled.all().filter(|interest| interest.fd / 64 == at);
            let ready = here.filter(|interest| interest.events & asked != 0 && interest.ready & events != 0);
            let bits = ready.fold(0u64, |bits, interest| bits | 1 << (interest.fd % 64));
            found += bits.count_ones() as i32;
            if !recover::write_value(set + 8 * at, &bits) {
                return fail_with(EFAULT);
            }
        }
    }
    found
}
