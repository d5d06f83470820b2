//! The optimal search keeps little and allocates nothing once its vectors have grown.

use inspect_core::event::Plan;
use inspect_core::explore::{Explorer, Optimal};
use inspect_core::model::{Machine, examples};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static CALLS: Cell<u64> = const { Cell::new(0) };
    static BYTES: Cell<i64> = const { Cell::new(0) };
}

struct Counting;

// SAFETY: every call is passed on to the system's allocator, which keeps the trait's contract; counting in
// thread-locals without destructors allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        CALLS.set(CALLS.get() + 1);
        BYTES.set(BYTES.get() + layout.size() as i64);
        // SAFETY: the caller of `alloc` promises what `System.alloc` asks for; the layout is the caller's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        BYTES.set(BYTES.get() - layout.size() as i64);
        // SAFETY: the block came from `System`, and the caller of `dealloc` promises that block and layout belong
        // together.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Of the allocations made while a search of `runs` executions goes on: those in its second half, and the most bytes
/// held.
fn search(n: usize, runs: u64) -> (u64, i64) {
    let program = examples::lastzero(n);
    let (mut machine, mut explorer, mut plan) = (Machine::new(&program, 400), Optimal::new(), Plan::default());
    let before = BYTES.get();
    let (mut made, mut late, mut most) = (0, 0, 0);
    while explorer.next_plan(&mut plan) {
        let calls = CALLS.get();
        let trace = machine.run(&plan);
        explorer.learn(trace);
        made += 1;
        if made * 2 > runs {
            late += CALLS.get() - calls;
        }
        most = most.max(BYTES.get() - before);
    }
    assert_eq!(made, runs);
    (late, most)
}

/// Twelve times the executions, hardly more memory: what is kept depends on the length of a run only.
#[test]
fn memory_does_not_grow_with_the_executions() {
    let (late, small) = search(8, 11 << 6);
    assert_eq!(late, 0, "allocations in the second half");
    let (late, large) = search(12, 15 << 10);
    assert_eq!(late, 0, "allocations in the second half");
    assert!(large < 4 * small, "{small} bytes for 704 executions, {large} for 15,360");
    assert!(large < 1 << 20, "{large} bytes");
}
