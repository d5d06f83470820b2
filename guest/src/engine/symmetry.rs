//! Comparing threads of the program, for a search that exchanges them (`--symmetry`).
//!
//! Two threads have the same residual code and the same local state if their call stacks have the same return addresses
//! and frames of the same sizes, and their frames, the registers that belong to them and their thread-local storage
//! hold the same words. A word that points into the one's stack or thread-local storage corresponds to the word that
//! points to the same place of the other's. (These are the rules R0 to R13 of the paper that
//! `inspect_core::explore::symmetry` names, at the level of the machine: same addresses of code are same labels, same
//! places in frames are same variables, and everything else, global variables and constants, corresponds to itself.)
//! Registers that are not needed any more, as the host knows from the code, are left out.
//!
//! Neither thread may be *named*: a thread is named by a word that points into its stack or thread-local storage and
//! lies outside of these, in memory that the run has changed, in a register or on another thread's stack. A handle
//! (`pthread_t`) does not count: its creator needs it to join the thread, and a run in which a thread has asked for its
//! own handle has no symmetric threads from there on, so no thread can compare a handle with its own. Blocks of the
//! heap belong to no thread.
//!
//! Assumption, printed with the verdict: an address is used to find what is there, not as a number.

use super::attention::{self, attention};
use super::threads::{CONTEXTS, me};
use crate::platform::layout::{Range, SERVICE_STACK, STACKS};
use crate::platform::unwind::{self, Registers};
use crate::platform::{Global, any_mappings, clock, elf, fiber, sigaction, snapshot};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use inspect_core::event::{ThreadId, ThreadSet};
use inspect_wire::message::FrameMap;

/// What the search needs to know of the program's code.
struct Code {
    /// The callee-saved registers that are still needed at a return address, as a set; sorted by address.
    needed: Vec<(u64, u8)>,
    /// Functions of the guest that only return once their operation was performed: a thread that waits in one has no
    /// local state there.
    entries: Vec<u64>,
    /// The guest's own image.
    own: Range,
}

static CODE: Global<Option<Code>> = Global::new(None);
/// The changed pages: position in the list of these, and address of the copy from before main.
static PAGES: Global<BTreeMap<u64, (usize, u64)>> = Global::new(BTreeMap::new());

/// All six callee-saved registers.
const ALL: u8 = 0x3f;

/// Prepares for comparing threads. Called before the first run. `entries` are the functions of the guest that only
/// return once their operation was performed.
pub(crate) fn prepare(map: &FrameMap, entries: Vec<u64>) {
    let modules = elf::modules();
    let bias = modules.iter().find(|module| module.path.is_empty()).map_or(0, |module| module.bias);
    let needed = map.iter().map(|&(address, registers)| (address.wrapping_add(bias), registers)).collect();
    // SAFETY: no run has begun, and threads are compared in runs only.
    *unsafe { CODE.get() } = Some(Code { needed, entries, own: elf::image() });
}

fn code() -> Option<&'static Code> {
    // SAFETY: changed before the first run only.
    unsafe { (*CODE.as_ptr()).as_ref() }
}

/// The thread whose stack or thread-local storage an address is in.
pub(super) fn owner(address: u64) -> Option<ThreadId> {
    fiber::slot_of_address(address).map(ThreadId::at)
}

/// The threads that are named (see the module's documentation).
pub(super) fn named(live: ThreadSet) -> ThreadSet {
    let everybody = ThreadSet::ALL;
    if any_mappings() || clock::moved() || sigaction::is_changed() {
        return everybody;
    }
    let mut named = ThreadSet::EMPTY;
    for (page, copy) in snapshot::changed_pages() {
        let slot = fiber::slot_of_address(page);
        // Of stacks only the live part counts, which is below.
        let first = match slot {
            Some(slot) => fiber::thread_local(slot).start.max(page),
            None => page,
        };
        for address in (first..page + 4096).step_by(8) {
            // SAFETY: a page of the program that it has written to, and the copy of it.
            let (now, before) = unsafe { (*(address as *const u64), *((copy + (address - page)) as *const u64)) };
            if now != before {
                note(&mut named, slot, now);
            }
        }
    }
    for thread in live.iter() {
        let Some(registers) = at_first_own_frame(thread) else { return everybody };
        let slot = thread.index();
        registers.preserved.iter().for_each(|&word| note(&mut named, Some(slot), word));
        for address in (registers.stack..fiber::top(slot)).step_by(8) {
            // SAFETY: between the thread's stack pointer and the end of its stack.
            note(&mut named, Some(slot), unsafe { *(address as *const u64) });
        }
    }
    named
}

/// Notes the thread that a word names, which lies in memory of `slot`, or in memory of no thread.
#[inline(always)]
fn note(named: &mut ThreadSet, slot: Option<usize>, word: u64) {
    if !STACKS.contains(word) {
        return;
    }
    if let Some(other) = fiber::slot_of_address(word)
        && slot != Some(other)
        && (other >= fiber::ready_slots() || word != fiber::thread_pointer(other))
    {
        named.insert(ThreadId::at(other));
    }
}

fn stacks(thread: ThreadId) -> [Range; 2] {
    [fiber::stack(thread.index()), SERVICE_STACK]
}

fn registers_of(thread: ThreadId) -> Registers {
    if thread == me() {
        return Registers::here();
    }
    suspended(thread)
}

/// The registers of a thread that does not run: it is suspended at its context.
fn suspended(thread: ThreadId) -> Registers {
    // SAFETY: a read.
    Registers::of(unsafe { &(*CONTEXTS.as_ptr())[thread.index()] })
}

/// The innermost frame on the thread's own stack.
fn at_first_own_frame(thread: ThreadId) -> Option<Registers> {
    first_own_frame(thread, registers_of(thread))
}

/// The innermost frame on the thread's own stack, at the end of a run, where no thread runs any more.
pub(super) fn at_last_own_frame(thread: ThreadId) -> Option<Registers> {
    first_own_frame(thread, suspended(thread))
}

fn first_own_frame(thread: ThreadId, mut registers: Registers) -> Option<Registers> {
    while SERVICE_STACK.contains(registers.stack) {
        registers = unwind::row(registers.pc)?.leave(&registers, stacks(thread))?;
    }
    Some(registers)
}

/// The innermost frame of the program, if the function of the guest that it has called is one of [`Code::entries`].
fn at_program(code: &Code, thread: ThreadId) -> Option<Registers> {
    let mut registers = registers_of(thread);
    let mut function = 0;
    while code.own.contains(registers.pc) {
        let row = unwind::row(registers.pc)?;
        function = row.function;
        registers = row.leave(&registers, stacks(thread))?;
    }
    code.entries.contains(&function).then_some(registers)
}

/// Whether two threads that are about to perform the same operation, and are not named, are at the same place with the
/// same local state.
pub(super) fn symmetric(a: ThreadId, b: ThreadId) -> bool {
    const WATCHED: u8 = attention::LOOP | attention::GRANTED;
    let Some(code) = code() else { return false };
    let pair = Pair { a: a.index(), b: b.index() };
    let watched = (attention(a) | attention(b)) & WATCHED != 0;
    a != ThreadId::MAIN
        && b != ThreadId::MAIN
        && !watched
        && pair.same_stacks(code).is_some()
        && pair.same_thread_locals()
}

/// Two threads that are compared.
struct Pair {
    a: usize,
    b: usize,
}

impl Pair {
    /// Whether two words correspond to each other.
    #[inline]
    fn same(&self, one: u64, other: u64) -> bool {
        if !STACKS.contains(one) && !STACKS.contains(other) {
            return one == other;
        }
        self.translated(one) == other
    }

    /// The word of `b` that corresponds to a word of `a`.
    fn translated(&self, word: u64) -> u64 {
        match fiber::slot_of_address(word) {
            Some(slot) if slot == self.a => {
                let anchor = if word < fiber::thread_local(slot).start { fiber::top } else { fiber::thread_pointer };
                word.wrapping_sub(anchor(self.a)).wrapping_add(anchor(self.b))
            }
            // A word of the first thread that points to the second one corresponds to no word of the second.
            Some(slot) if slot == self.b => 0,
            _ => word,
        }
    }

    fn same_stacks(&self, code: &Code) -> Option<()> {
        let (a, b) = (ThreadId::at(self.a), ThreadId::at(self.b));
        let mut one = at_program(code, a)?;
        let mut other = at_program(code, b)?;
        loop {
            if one.pc != other.pc || self.translated(one.stack) != other.stack {
                return None;
            }
            if code.own.contains(one.pc) {
                return (is_outermost(code, one, a) && is_outermost(code, other, b)).then_some(());
            }
            let row = unwind::row(one.pc)?;
            let (end, other_end) = (row.end(&one), row.end(&other));
            if self.translated(end) != other_end || end <= one.stack || end > fiber::top(self.a) {
                return None;
            }
            let listed = code.needed.binary_search_by_key(&one.pc, |&(address, _)| address);
            let needed = listed.map_or(ALL, |at| code.needed[at].1);
            let differs = |at: &usize| needed >> at & 1 == 1 && !self.same(one.preserved[*at], other.preserved[*at]);
            if (0..6).any(|at| differs(&at)) {
                return None;
            }
            for address in (one.stack..end).step_by(8).filter(|&address| !row.is_saved(end, address)) {
                let there = address - one.stack + other.stack;
                // SAFETY: both are on the threads' stacks.
                let (here, there) = unsafe { (*(address as *const u64), *(there as *const u64)) };
                if !self.same(here, there) {
                    return None;
                }
            }
            one = row.leave(&one, stacks(a))?;
            other = row.leave(&other, stacks(b))?;
        }
    }

    /// Whether thread-local storage and the C library's thread descriptors correspond. Words that neither thread has
    /// changed since before main do: the slots were made in the same way.
    fn same_thread_locals(&self) -> bool {
        let (here, there) = (fiber::thread_local(self.a), fiber::thread_local(self.b));
        (here.start..here.end).step_by(8).zip((there.start..there.end).step_by(8)).all(|(one, other)| {
            // SAFETY: mapped memory of the two slots.
            let (now, other_now) = unsafe { (*(one as *const u64), *(other as *const u64)) };
            self.same(now, other_now) || now == before(one, now) && other_now == before(other, other_now)
        })
    }
}

/// Whether all frames from here outwards are the guest's.
fn is_outermost(code: &Code, mut registers: Registers, thread: ThreadId) -> bool {
    while code.own.contains(registers.pc) {
        let caller = unwind::row(registers.pc).and_then(|row| row.leave(&registers, stacks(thread)));
        let Some(caller) = caller else { return false };
        registers = caller;
    }
    registers.pc == 0
}

/// What memory at an address held before main; `now` is what it holds.
fn before(address: u64, now: u64) -> u64 {
    let page = address & !4095;
    // SAFETY: one OS thread; no other reference is in use.
    let pages = unsafe { PAGES.get() };
    let mut changed = snapshot::changed_pages();
    let len = changed.len();
    let known = |pages: &BTreeMap<u64, (usize, u64)>| pages.get(&page).copied();
    let is_current = |(at, copy)| snapshot::changed_pages().nth(at) == Some((page, copy));
    if pages.len() != len || known(pages).is_some_and(|entry| !is_current(entry)) {
        pages.clear();
        pages.extend(changed.by_ref().enumerate().map(|(at, (page, copy))| (page, (at, copy))));
    }
    match known(pages) {
        // SAFETY: the copy of a whole page.
        Some((_, copy)) => unsafe { *((copy + (address - page)) as *const u64) },
        None => now,
    }
}
