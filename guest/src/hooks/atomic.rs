//! Atomic accesses and fences.

use super::access::{__inspect_read, __inspect_write};
use crate::engine::memory::{Exchange, probe};
use crate::engine::{
    LAST_SITE, attention, attention_of, detection, log_read, log_write, me, settle, visibility, visible, with,
};
use crate::platform::started;
use inspect_core::event::{ByteRange, MemoryOperation, MemoryOrder, Operation, SiteId};
use inspect_core::run::Request;

/// The order with this `__ATOMIC_*` number; consume is acquire, and an unknown number is the strongest.
fn order(number: u32) -> MemoryOrder {
    match number {
        0 => MemoryOrder::Relaxed,
        1 | 2 => MemoryOrder::Acquire,
        3 => MemoryOrder::Release,
        4 => MemoryOrder::AcquireRelease,
        5.. => MemoryOrder::SequentiallyConsistent,
    }
}

/// The functions in which a thread waits at an atomic access; they only return once it was granted.
pub(crate) fn entries() -> [u64; 6] {
    [
        __inspect_volatile_read as *const () as u64,
        __inspect_volatile_write as *const () as u64,
        __inspect_atomic_load as *const () as u64,
        __inspect_atomic_store as *const () as u64,
        __inspect_atomic_rmw as *const () as u64,
        __inspect_atomic_cas as *const () as u64,
    ]
}

#[inline(always)]
fn announce(address: u64, size: u64, site: u64) -> ByteRange {
    let range = ByteRange { start: address, len: size as u32 };
    LAST_SITE.write(SiteId(site));
    probe(range);
    with(|engine| engine.memory.note_probed(range));
    range
}

/// The visible operation itself; when it returns, the access comes next.
#[inline(always)]
fn perform(request: Request, range: ByteRange, write: bool) {
    let site = request.site;
    visible(request);
    detection::check_heap(me(), range, write, site);
}

/// Whether a loop of the running thread is being watched, so that the access is to be logged.
#[inline(always)]
fn is_logged() -> bool {
    attention_of(me()) & attention::LOOP != 0
}

/// `__inspect_atomic_load`.
#[unsafe(no_mangle)]
pub(super) extern "C" fn __inspect_atomic_load(address: u64, size: u64, order_number: u32, site: u64) {
    if !started() {
        return;
    }
    load(ByteRange { start: address, len: size as u32 }, order(order_number), SiteId(site));
}

/// The running thread is about to load from this range.
#[inline(always)]
pub(crate) fn load(range: ByteRange, order: MemoryOrder, site: SiteId) {
    let range = announce(range.start, range.len.into(), site.0);
    let request = || Request::new(Operation::Memory(MemoryOperation::AtomicLoad(range, order)), site);
    perform(request(), range, false);
    if is_logged() {
        log_read(&request(), [0; 2], range);
    }
}

/// `__inspect_atomic_store`.
#[unsafe(no_mangle)]
pub(super) extern "C" fn __inspect_atomic_store(address: u64, size: u64, _value: u64, order_number: u32, site: u64) {
    if !started() {
        return;
    }
    store(ByteRange { start: address, len: size as u32 }, order(order_number), SiteId(site));
}

/// The running thread is about to store to this range.
#[inline(always)]
fn store(range: ByteRange, order: MemoryOrder, site: SiteId) {
    let range = announce(range.start, range.len.into(), site.0);
    let request = || Request::new(Operation::Memory(MemoryOperation::AtomicStore(range, order)), site);
    perform(request(), range, true);
    if is_logged() {
        log_write(&request(), range);
    }
}

/// The memory order of a volatile access, if it is atomic: one that no instruction makes in one step is not.
#[inline(always)]
fn order_of_volatile(address: u64, size: u64) -> Option<MemoryOrder> {
    visibility::order_of_volatile().filter(|_| started() && address.is_multiple_of(size))
}

/// `__inspect_volatile_read`.
#[unsafe(no_mangle)]
pub(super) extern "C" fn __inspect_volatile_read(address: u64, size: u64, site: u64) {
    match order_of_volatile(address, size) {
        Some(order) => load(ByteRange { start: address, len: size as u32 }, order, SiteId(site)),
        None => __inspect_read(address, size, site),
    }
}

/// `__inspect_volatile_write`.
#[unsafe(no_mangle)]
pub(super) extern "C" fn __inspect_volatile_write(address: u64, size: u64, site: u64) {
    match order_of_volatile(address, size) {
        Some(order) => store(ByteRange { start: address, len: size as u32 }, order, SiteId(site)),
        None => __inspect_write(address, size, site),
    }
}

/// `__inspect_atomic_rmw`.
#[unsafe(no_mangle)]
pub(super) extern "C" fn __inspect_atomic_rmw(address: u64, size: u64, order_number: u32, site: u64) {
    if !started() {
        return;
    }
    let range = announce(address, size, site);
    update(|| update_request(range, order(order_number), site), range, [0; 2]);
}

/// The running thread is about to count down a number of references: what it did before comes before the end of what is
/// counted, whoever makes that.
pub(crate) fn counted_down(address: u64, site: SiteId) {
    const SIZE: u64 = 4;
    let range = announce(address, SIZE, site.0);
    update(|| update_request(range, MemoryOrder::AcquireRelease, site.0), range, [0; 2]);
}

/// `__inspect_atomic_cas`.
#[unsafe(no_mangle)]
pub(super) extern "C" fn __inspect_atomic_cas(
    address: u64,
    size: u64,
    expected_low: u64,
    expected_high: u64,
    orders: u32,
    site: u64,
) {
    if !started() {
        return;
    }
    let range = announce(address, size, site);
    let expected = [expected_low & low_mask(size), expected_high];
    with(|engine| engine.memory.announce(me(), Exchange { range, expected }));
    let request = || {
        let mut request = update_request(range, order(orders & 0xff), site);
        request.conditional = true;
        request.failure_order = order(orders >> 8 & 0xff);
        request
    };
    update(request, range, expected);
}

fn low_mask(size: u64) -> u64 {
    if size >= 8 { u64::MAX } else { (1 << (8 * size)) - 1 }
}

#[inline(always)]
fn update_request(range: ByteRange, order: MemoryOrder, site: u64) -> Request {
    Request::new(Operation::Memory(MemoryOperation::AtomicUpdate { range, order, wrote: true }), SiteId(site))
}

#[inline(always)]
fn update(request: impl Fn() -> Request, range: ByteRange, expected: [u64; 2]) {
    perform(request(), range, true);
    if is_logged() {
        log_read(&request(), expected, range);
        if is_logged() {
            log_write(&request(), range);
        }
    }
}

/// `__inspect_fence`.
#[unsafe(no_mangle)]
pub(super) extern "C" fn __inspect_fence(order_number: u32, _site: u64) {
    if started() {
        if attention_of(me()) != 0 {
            settle(me());
        }
        detection::fence(me(), order(order_number));
    }
}
